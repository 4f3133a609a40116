//! Matrices from node to node as tables: the values, how dark each is, and what part of a comparable pair's it is.

use crate::svg::{Ramp, divergence};

/// Matrices shown side by side, and the meaning of their marks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HeatTables {
    /// Matrices as tables; none if the machine has too many nodes.
    pub(crate) tables: Vec<HeatTable>,
    /// Matrices as lines of text; none if they do not fit a terminal.
    pub(crate) lines: Vec<String>,
    /// Meaning of the marks; empty if there are none.
    pub(crate) legend: String,
}

/// A matrix of values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HeatTable {
    /// Measured quantity, with its unit.
    pub(crate) title: String,
    /// The nodes of its rows, which ask, and of its columns, whose memory answers.
    pub(crate) initiators: Vec<u32>,
    pub(crate) targets: Vec<u32>,
    /// Row by row; nothing where nothing was measured.
    pub(crate) cells: Vec<Vec<Option<HeatCell>>>,
    /// Colors of the table, and the meaning of a dark one.
    pub(crate) ramp: Ramp,
    pub(crate) dark_is: &'static str,
    /// The least and the largest value, as they are written.
    pub(crate) ends: [String; 2],
}

/// A value of a matrix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HeatCell {
    pub(crate) value: String,
    /// Darkness of the cell: below [`STEPS`].
    pub(crate) step: usize,
    /// Sign next to the value, with its meaning.
    pub(crate) mark: Option<(char, &'static str)>,
    /// Value relative to that of comparable pairs.
    pub(crate) beside: Option<Beside>,
}

/// A value relative to that of comparable pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Beside {
    /// The ratio in percent.
    pub(crate) percent: u32,
    /// Colors and darkness, unless the value is the same.
    pub(crate) shade: Option<(Ramp, usize)>,
}

/// Into so many steps a ramp is divided: a style sheet has a name for each.
pub(crate) const STEPS: usize = 10;

/// The step of a share along a ramp.
pub(crate) fn step(share: f64) -> usize {
    let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
    ((share * STEPS as f64) as usize).min(STEPS - 1)
}

impl Beside {
    /// A value relative to the usual one; above it may be better or worse.
    pub(crate) fn of(value: f64, usual: f64, larger_is_better: bool) -> Option<Self> {
        let part = value / usual;
        if !part.is_finite() {
            return None;
        }
        let good = if larger_is_better { part } else { 1.0 / part };
        // What is written as 100 % looks like it.
        let percent = (100.0 * part).round() as u32;
        let shade = divergence(good).filter(|_| percent != 100);
        Some(Self { percent, shade: shade.map(|(ramp, share)| (ramp, step(share))) })
    }
}

impl HeatTable {
    /// The least and the largest percentage of comparable pairs, if any pair has a comparable one.
    pub(crate) fn percents(&self) -> Option<[u32; 2]> {
        let all = || self.cells.iter().flatten().flatten().filter_map(|cell| Some(cell.beside?.percent));
        Some([all().min()?, all().max()?])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_the_bandwidth_and_twice_the_latency_are_equally_bad() {
        let bandwidth = Beside::of(50.0, 100.0, true).unwrap();
        let latency = Beside::of(200.0, 100.0, false).unwrap();
        assert_eq!((bandwidth.percent, latency.percent), (50, 200));
        assert_eq!(bandwidth.shade, latency.shade);
        assert_eq!(bandwidth.shade.map(|shade| shade.0), Some(Ramp::Warm));
        assert_eq!(Beside::of(99.7, 100.0, true).unwrap().shade, None);
        assert_eq!(Beside::of(1.0, 0.0, true), None);
    }

    #[test]
    fn steps_are_all_of_the_ramp() {
        assert_eq!([step(0.0), step(0.55), step(1.0), step(f64::NAN)], [0, 5, STEPS - 1, 0]);
    }
}
