//! Decides which of many cells are better or worse.
//!
//! With one decision per cell at 5 %, one cell in twenty of an unchanged machine would be called better or worse. The procedure of Benjamini
//! and Hochberg controls the false discovery rate: of the cells that are called better or worse, the expected share of mistakes stays below
//! the risk, and on an unchanged machine so does the chance of any (Y. Benjamini and Y. Hochberg, "Controlling the false discovery rate",
//! *Journal of the Royal Statistical Society* B 57, 1995). Where many cells changed, each needs less evidence than if it alone had to be
//! safe from any mistake among all.

use zerohop_statistics::two_sided;

use super::difference::Difference;
use crate::comparison::{Ratio, Tendency};

/// Risk for cells, and the same risk each for shifts of the whole and of places: 5 % together.
pub(super) const RISK: f64 = 0.05 / 3.0;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Judged {
    pub(super) ratio: Ratio,
    pub(super) tendency: Tendency,
    /// The false discovery rate at which it would just be called better or worse.
    pub(super) p: f64,
    pub(super) doubtful: bool,
}

/// Judges the differences of all cells, each with whether it is doubtful.
pub(super) fn judge(differences: &[(Difference, bool)]) -> Vec<Judged> {
    let p = |difference: &Difference| {
        // What is no number is no evidence.
        if difference.t.is_nan() { 1.0 } else { two_sided(difference.t, difference.degrees) }
    };
    let mut judged: Vec<Judged> = differences
        .iter()
        .map(|(difference, doubtful)| Judged {
            ratio: difference.ratio,
            tendency: Tendency::Same,
            p: if *doubtful { 1.0 } else { p(difference) },
            doubtful: *doubtful,
        })
        .collect();
    let mut order: Vec<usize> = (0..judged.len()).filter(|&rank| !judged[rank].doubtful).collect();
    order.sort_by(|&one, &other| judged[one].p.total_cmp(&judged[other].p));
    let count = order.len() as f64;
    let mut smallest: f64 = 1.0;
    for (place, &rank) in order.iter().enumerate().rev() {
        smallest = smallest.min(judged[rank].p * count / (place + 1) as f64);
        judged[rank].p = smallest;
        if smallest < RISK {
            let better = differences[rank].0.t > 0.0;
            judged[rank].tendency = if better { Tendency::Better } else { Tendency::Worse };
        }
    }
    judged
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_t(t: f64) -> (Difference, bool) {
        (Difference { ratio: Ratio::ONE, t, degrees: 1e6 }, false)
    }

    #[test]
    fn one_cell_among_many_needs_stronger_evidence() {
        let tendency = |differences: &[(Difference, bool)]| judge(differences)[0].tendency;
        assert_eq!(tendency(&[with_t(2.5)]), Tendency::Better);
        let mut many = vec![with_t(-2.5)];
        many.extend((0..20).map(|_| with_t(0.3)));
        assert_eq!(tendency(&many), Tendency::Same);
        many[0] = with_t(-5.0);
        assert_eq!(tendency(&many), Tendency::Worse);
    }

    #[test]
    fn a_doubtful_cell_decides_nothing_and_costs_the_others_nothing() {
        let judged = judge(&[(with_t(9.0).0, true), with_t(2.5)]);
        assert_eq!(judged[0].tendency, Tendency::Same);
        assert_eq!(judged[1].tendency, Tendency::Better);
    }

    /// Each of 38 cells of a machine that lost a fifth had a t of three: Holm's procedure called none of them worse.
    #[test]
    fn many_cells_that_changed_need_less_evidence_each() {
        let tendencies = |t: f64| judge(&[with_t(t); 38]).iter().all(|cell| cell.tendency == Tendency::Worse);
        assert!(tendencies(-2.5) && !tendencies(-2.0));
    }

    #[test]
    fn what_is_no_number_is_not_significant() {
        assert_eq!(judge(&[with_t(f64::NAN)])[0].tendency, Tendency::Same);
    }
}
