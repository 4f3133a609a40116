//! A cell of one configuration, from one run or several, and how far it drifts from run to run.

use std::collections::BTreeSet;

use zerohop_result::{Cell, SystemNoise, Weight};
use zerohop_statistics::two_sided_quantile;

/// The least drift assumed between two runs on a host: the physical pages differ, and with them the sets of caches that they
/// use.
pub(super) const LEAST_DRIFT: f64 = 0.005;

/// Rounds are joined into this number of batches at most before their interval is made.
const BATCHES: usize = 8;

/// A variance from this number of independent values is as good as known.
pub(super) const MANY: f64 = 1e6;

/// A cell of one configuration, from one run or several.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Observed<'a> {
    /// The cell of each run.
    pub(super) runs: Vec<&'a Cell>,
    /// Whether the runs were simulated.
    pub(super) simulated: bool,
}

/// The drift between runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Drift {
    pub(super) variance: f64,
    pub(super) degrees: f64,
}

impl Observed<'_> {
    /// The geometric mean over the runs.
    pub(super) fn value(&self) -> f64 {
        match self.runs[..] {
            // Without rounding.
            [only] => only.estimate.median,
            _ => libm::exp(self.mean_log()),
        }
    }

    /// Whether nothing follows from a difference to the other: a value may be wrong, or the CPUs were elsewhere.
    pub(super) fn is_incomparable(&self, other: &Self) -> bool {
        [self, other].iter().any(|side| side.is_doubtful() || side.is_disturbed())
            || self.is_placed_unlike(other)
    }

    /// Whether most samples of some run count although they were disturbed.
    fn is_disturbed(&self) -> bool {
        self.runs.iter().any(|cell| 2 * cell.evidence.let_in as usize > cell.samples.len())
    }

    /// Whether a trial had chosen other code for a kernel.
    pub(super) fn ran_other_forms(&self, other: &Self) -> bool {
        let forms = |side: &Self| -> BTreeSet<(String, String)> {
            let forms = side.runs.iter().flat_map(|cell| cell.evidence.kernel_forms.clone());
            forms.collect()
        };
        let (one, other) = (forms(self), forms(other));
        // Imported results and older ones do not say what ran.
        !one.is_empty() && !other.is_empty() && one != other
    }

    /// Whether the value of some run may be wrong.
    fn is_doubtful(&self) -> bool {
        self.runs.iter().flat_map(|cell| &cell.warnings).any(|warning| warning.weight() == Weight::Doubt)
    }

    /// Whether a hypervisor had placed the CPUs differently, or moved them while it was measured.
    fn is_placed_unlike(&self, other: &Self) -> bool {
        let mut all = self.runs.iter().chain(&other.runs).filter_map(|cell| cell.evidence.apart_ns);
        let moved = all.any(|(least, most)| most > SystemNoise::PLACED_UNLIKE * least);
        let apart = self.apart().zip(other.apart());
        moved
            || apart.is_some_and(|(one, other)| {
                libm::log(one / other).abs() > libm::log(SystemNoise::PLACED_UNLIKE)
            })
    }

    /// The typical time of a line between the CPUs, over the runs in which it is known.
    fn apart(&self) -> Option<f64> {
        let known = self.runs.iter().filter_map(|cell| cell.evidence.apart_ns);
        let logs: Vec<f64> =
            known.map(|(least, most)| f64::midpoint(libm::log(least), libm::log(most))).collect();
        (!logs.is_empty()).then(|| libm::exp(logs.iter().sum::<f64>() / logs.len() as f64))
    }

    fn mean_log(&self) -> f64 {
        self.logs().sum::<f64>() / self.runs.len() as f64
    }

    fn logs(&self) -> impl Iterator<Item = f64> + '_ {
        self.runs.iter().map(|cell| libm::log(cell.estimate.median))
    }

    /// The mean variance within runs.
    pub(super) fn within(&self) -> f64 {
        self.runs.iter().map(|cell| within(cell)).sum::<f64>() / self.runs.len() as f64
    }

    /// The variance between runs beyond what their intervals explain; `None` without repeats.
    pub(super) fn beyond(&self) -> Option<f64> {
        let others = self.runs.len().checked_sub(1).filter(|&others| others > 0)?;
        let mean = self.mean_log();
        let between = self.logs().map(|log| (log - mean).powi(2)).sum::<f64>() / others as f64;
        Some(between - self.within())
    }

    /// The drift to expect without repeats.
    pub(super) fn assumed(&self) -> Drift {
        let Some(cell) = self.runs.first().filter(|_| !self.simulated) else {
            return Drift { variance: 0.0, degrees: MANY };
        };
        let spread = match cell.evidence.round_spread {
            Some(spread) => spread.deviation.powi(2),
            None if cell.evidence.rounds.is_empty() => {
                (cell.estimate.standard_deviation / cell.estimate.median).powi(2)
            }
            None => within(cell) * batches(cell) as f64,
        };
        let least = cell.evidence.unseen_drift.unwrap_or(0.0).max(LEAST_DRIFT);
        Drift { variance: spread.max(least * least), degrees: degrees(cell) }
    }
}

/// Number of batches that the interval of a cell comes from.
fn batches(cell: &Cell) -> usize {
    cell.evidence.rounds.len().min(BATCHES)
}

/// Degrees of freedom of the interval of a cell.
fn degrees(cell: &Cell) -> f64 {
    if let Some(spread) = cell.evidence.round_spread {
        return spread.degrees;
    }
    if batches(cell) < 2 { MANY } else { batches(cell) as f64 - 1.0 }
}

/// The variance of a cell's logarithm that its interval, of 95 % confidence, stands for, without drift that the run did not see.
fn within(cell: &Cell) -> f64 {
    let seen = cell.seen();
    let half = libm::log(seen.high / seen.low) / 2.0;
    (half / two_sided_quantile(0.05, degrees(cell))).powi(2)
}
