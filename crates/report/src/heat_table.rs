//! Matrices from node to node as tables: the values, how dark each is, and what part of a comparable pair's it is.

use crate::svg::{Ramp, divergence};

/// Matrices that stand beside each other, and what their marks mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HeatTables {
    /// As tables; none where the machine has too many nodes.
    pub(crate) tables: Vec<HeatTable>,
    /// The same as lines of text; none where they do not fit a terminal.
    pub(crate) lines: Vec<String>,
    /// What the marks mean; empty without any.
    pub(crate) legend: String,
}

/// A matrix of values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HeatTable {
    /// What it shows, with its unit.
    pub(crate) title: String,
    /// The nodes of its rows, which ask, and of its columns, whose memory answers.
    pub(crate) initiators: Vec<u32>,
    pub(crate) targets: Vec<u32>,
    /// Row by row; nothing where nothing was measured.
    pub(crate) cells: Vec<Vec<Option<HeatCell>>>,
    /// Its colours, and what a dark one means.
    pub(crate) ramp: Ramp,
    pub(crate) dark_is: &'static str,
    /// The least and the largest value, as they are written.
    pub(crate) ends: [String; 2],
}

/// A value of a matrix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HeatCell {
    pub(crate) value: String,
    /// How dark it is: below [`STEPS`].
    pub(crate) step: usize,
    /// A sign beside it, with its meaning.
    pub(crate) mark: Option<(char, &'static str)>,
    /// What part of comparable pairs' value it is.
    pub(crate) beside: Option<Beside>,
}

/// A value beside that of comparable pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Beside {
    /// In percent.
    pub(crate) percent: u32,
    /// Its colours and how dark it is, unless it is the same.
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
    /// A value beside the usual one; above it may be better or worse.
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
