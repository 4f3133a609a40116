//! Difference between two cells, and its certainty.
//!
//! Everything is computed with logarithms of values, so a difference is a ratio. Its variance has two parts. One comes from within the runs: their
//! intervals. The other is the drift between runs, which no run shows by itself. If configurations were run several times, it is the variance of
//! these repeats beyond their intervals (a random-effects model: S. R. Searle, G. Casella and C. E. McCulloch, *Variance Components*, Wiley 1992,
//! section 3.5), pooled over the cells of one experiment and measure. Without repeats, a cell is assumed to drift between runs as much as its rounds
//! drifted within one, and by half a percent at least. A model does not drift.

use std::collections::BTreeMap;

use zerohop_result::{Cell, ExperimentName, Measure};
use zerohop_statistics::two_sided_quantile;

use super::cells::{Cells, Key};
use super::repeated_cell::{Drift, LEAST_DRIFT, MANY, Observed};
use crate::comparison::Ratio;

/// Cells of one kind drift together to a degree, so they do not add up to more degrees of freedom than this.
const MOST_POOLED: f64 = 30.0;

/// How far apart two forms of a kernel's code may be of which trials chose one each, as a standard deviation: in 20 repeats of one bandwidth, the
/// chosen forms had 15.3, 16.4 and 17.1 GB/s.
const FORM_CHOICE: f64 = 0.05;

/// A difference of two cells.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Difference {
    /// Ratio to the base.
    pub(super) ratio: Ratio,
    /// The logarithm of the ratio over its standard error.
    pub(super) t: f64,
    /// Degrees of freedom of the standard error.
    pub(super) degrees: f64,
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

/// Difference between `other` and `base`.
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
    let of_sides: f64 =
        parts.map(|(side, drift)| (side.within() + drift.variance) / side.runs.len() as f64).sum();
    let of_forms = if other.ran_other_forms(base) { FORM_CHOICE.powi(2) } else { 0.0 };
    let variance = of_sides + of_forms;
    // Without repeats each side knows its drift from its own rounds; with repeats, both from the same.
    let degrees = match drift {
        Some(drift) => drift.degrees,
        None => assumed.iter().map(|drift| drift.degrees).sum::<f64>().min(MANY),
    };
    let sign = if measure.larger_is_better() { 1.0 } else { -1.0 };
    let log = sign * libm::log(other.value() / base.value());
    let error = variance.sqrt();
    let reach = two_sided_quantile(0.05, degrees) * error;
    let value =
        if measure.larger_is_better() { other.value() / base.value() } else { base.value() / other.value() };
    let ratio = Ratio { value, low: value * libm::exp(-reach), high: value * libm::exp(reach) };
    let t = if error > 0.0 {
        log / error
    } else if log == 0.0 {
        0.0
    } else {
        f64::INFINITY * log
    };
    Difference { ratio, t, degrees }
}
