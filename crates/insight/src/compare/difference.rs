//! How far two cells differ, and how certain that is.
//!
//! Everything is done with logarithms of values, so a difference is a ratio. Its variance has two parts. One comes from within
//! the runs: their intervals. The other is the drift between runs, which no run shows of itself. Where configurations were run
//! several times, it is the variance that these repeats have beyond their intervals (a random-effects model: S. R. Searle,
//! G. Casella and C. E. McCulloch, *Variance Components*, Wiley 1992, section 3.5), pooled over the cells of one experiment and
//! measure. Without repeats, a cell is assumed to drift between runs as far as its rounds drifted within one, and by half a
//! percent at least. A model does not drift.

use std::collections::BTreeMap;

use zerohop_result::{Cell, ExperimentName, Measure, Weight};

use super::cells::{Cells, Key};
use super::student::quantile;
use crate::comparison::Ratio;

/// The least drift assumed between two runs on a host: the physical pages differ, and with them the sets of caches that they
/// use.
const LEAST_DRIFT: f64 = 0.005;

/// Rounds are joined into this number of batches at most before their interval is made.
const BATCHES: usize = 8;

/// A variance from this number of independent values is as good as known.
const MANY: f64 = 1e6;

/// Cells of one kind drift together to a degree, so they do not add up to more degrees of freedom than this.
const MOST_POOLED: f64 = 30.0;

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
    variance: f64,
    degrees: f64,
}

/// A difference of two cells.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Difference {
    /// How many times as good.
    pub(super) ratio: Ratio,
    /// The logarithm of the ratio over its standard error.
    pub(super) t: f64,
    /// Degrees of freedom of the standard error.
    pub(super) degrees: f64,
}

impl Observed<'_> {
    /// The geometric mean over the runs.
    pub(super) fn value(&self) -> f64 {
        match self.runs[..] {
            // Without rounding.
            [only] => only.estimate.median,
            _ => self.mean_log().exp(),
        }
    }

    /// Whether the value of some run may be wrong.
    pub(super) fn is_doubtful(&self) -> bool {
        self.runs.iter().flat_map(|cell| &cell.warnings).any(|warning| warning.weight() == Weight::Doubt)
    }

    fn mean_log(&self) -> f64 {
        self.logs().sum::<f64>() / self.runs.len() as f64
    }

    fn logs(&self) -> impl Iterator<Item = f64> + '_ {
        self.runs.iter().map(|cell| cell.estimate.median.ln())
    }

    /// The mean variance within runs.
    fn within(&self) -> f64 {
        self.runs.iter().map(|cell| within(cell)).sum::<f64>() / self.runs.len() as f64
    }

    /// The variance between runs beyond what their intervals explain; `None` without repeats.
    fn beyond(&self) -> Option<f64> {
        let others = self.runs.len().checked_sub(1).filter(|&others| others > 0)?;
        let mean = self.mean_log();
        let between = self.logs().map(|log| (log - mean).powi(2)).sum::<f64>() / others as f64;
        Some(between - self.within())
    }

    /// The drift to expect without repeats.
    fn assumed(&self) -> Drift {
        let Some(cell) = self.runs.first().filter(|_| !self.simulated) else {
            return Drift { variance: 0.0, degrees: MANY };
        };
        let spread = if cell.evidence.rounds.is_empty() {
            (cell.estimate.standard_deviation / cell.estimate.median).powi(2)
        } else {
            within(cell) * batches(cell) as f64
        };
        Drift { variance: spread.max(LEAST_DRIFT * LEAST_DRIFT), degrees: degrees(cell) }
    }
}

/// Number of batches that the interval of a cell comes from.
fn batches(cell: &Cell) -> usize {
    cell.evidence.rounds.len().min(BATCHES)
}

/// Degrees of freedom of the interval of a cell.
fn degrees(cell: &Cell) -> f64 {
    if batches(cell) < 2 { MANY } else { batches(cell) as f64 - 1.0 }
}

/// The variance of a cell's logarithm that its interval, of 95 % confidence, stands for.
fn within(cell: &Cell) -> f64 {
    let half = (cell.estimate.high / cell.estimate.low).ln() / 2.0;
    (half / quantile(0.05, degrees(cell))).powi(2)
}

/// The drift of each experiment and measure, from the repeats of any configuration. Empty without repeats.
pub(super) fn drifts<'a>(
    common: &[Key<'a>],
    all: &[Cells<'a>],
) -> BTreeMap<(&'a ExperimentName, Measure), Drift> {
    let mut beyond: BTreeMap<(&ExperimentName, Measure), Vec<f64>> = BTreeMap::new();
    for &(experiment, measure, at) in common {
        let each = all.iter().filter_map(|cells| cells.by_key[&(experiment, measure, at)].beyond());
        beyond.entry((experiment, measure)).or_default().extend(each);
    }
    let repeats: usize = all.iter().map(|cells| cells.runs - 1).sum();
    let drift = |beyond: &[f64]| Drift {
        variance: (beyond.iter().sum::<f64>() / beyond.len() as f64).max(LEAST_DRIFT * LEAST_DRIFT),
        degrees: (repeats as f64 * beyond.len() as f64 / all.len() as f64).clamp(repeats as f64, MOST_POOLED),
    };
    let known = beyond.iter().filter(|(_, beyond)| !beyond.is_empty());
    known.map(|(&kind, beyond)| (kind, drift(beyond))).collect()
}

/// How `other` differs from `base`.
pub(super) fn difference(
    other: &Observed<'_>,
    base: &Observed<'_>,
    measure: Measure,
    drift: Option<Drift>,
) -> Difference {
    let same = |one: &Cell, other: &Cell| one.estimate == other.estimate && one.samples == other.samples;
    if let ([one], [another]) = (&other.runs[..], &base.runs[..])
        && same(one, another)
    {
        return Difference { ratio: Ratio::ONE, t: 0.0, degrees: MANY };
    }
    let sides = [other, base];
    let assumed = sides.map(|side| match drift {
        Some(drift) if !side.simulated => drift,
        _ => side.assumed(),
    });
    let parts = sides.iter().zip(assumed);
    let variance: f64 =
        parts.map(|(side, drift)| (side.within() + drift.variance) / side.runs.len() as f64).sum();
    // Without repeats each side knows its drift from its own rounds; with repeats, both from the same.
    let degrees = match drift {
        Some(drift) => drift.degrees,
        None => assumed.iter().map(|drift| drift.degrees).sum::<f64>().min(MANY),
    };
    let sign = if measure.larger_is_better() { 1.0 } else { -1.0 };
    let log = sign * (other.value() / base.value()).ln();
    let error = variance.sqrt();
    let reach = quantile(0.05, degrees) * error;
    let value =
        if measure.larger_is_better() { other.value() / base.value() } else { base.value() / other.value() };
    let ratio = Ratio { value, low: value * (-reach).exp(), high: value * reach.exp() };
    let t = if error > 0.0 {
        log / error
    } else if log == 0.0 {
        0.0
    } else {
        f64::INFINITY * log
    };
    Difference { ratio, t, degrees }
}
