//! Decides which of many cells are better or worse.
//!
//! With one decision per cell at 5 %, one cell in twenty of an unchanged machine would be called better or worse. Holm's
//! procedure keeps the chance that *any* cell is called so by mistake below 5 %, whatever their dependence (S. Holm, "A simple
//! sequentially rejective multiple test procedure", *Scandinavian Journal of Statistics* 6, 1979).

use zerohop_statistics::two_sided;

use super::difference::Difference;
use crate::comparison::{Ratio, Tendency};

/// The chance of any mistake.
const RISK: f64 = 0.05;

/// A cell, judged.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Judged {
    pub(super) ratio: Ratio,
    pub(super) tendency: Tendency,
    /// The probability of such a difference by chance anywhere among the cells (after Holm).
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
    let mut largest: f64 = 0.0;
    for (done, &rank) in order.iter().enumerate() {
        largest = largest.max(judged[rank].p * (order.len() - done) as f64).min(1.0);
        judged[rank].p = largest;
        if largest < RISK {
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
        let judged = judge(&[(with_t(9.0).0, true), with_t(2.1)]);
        assert_eq!(judged[0].tendency, Tendency::Same);
        assert_eq!(judged[1].tendency, Tendency::Better);
    }

    #[test]
    fn what_is_no_number_is_not_significant() {
        assert_eq!(judge(&[with_t(f64::NAN)])[0].tendency, Tendency::Same);
    }
}
