//! Computation of a value's interval, from samples to the result.
//!
//! ```text
//! samples ── estimate ──> median with the interval of its order statistics
//!         ── estimated_values ──> where there are rounds or replications, the interval of these instead
//! cell    ── with_drift ──> and on a virtual machine, what no round of the run can show
//! ```

use zerohop_result::{Cell, Estimate, RoundSpread};
use zerohop_statistics::{
    CONFIDENCE, Mean, Rounds, Scatter, ascending, mean_and_deviation, median, median_interval,
};
use zerohop_workload::{Dimension, Measure, Warning};

use crate::protocol::{Protocol, VIRTUAL_DRIFT_OF_ROUNDS, VIRTUAL_SPREAD_DRIFT};
use crate::taken_sample::TakenSample;

/// Distribution of a workload's samples over time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Design {
    /// In rounds over the whole run, on a machine that drifts.
    Rounds,
    /// One from each replication of a simulation.
    Replications,
}

/// An estimate, and what its interval rests on.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Estimated {
    pub(crate) estimate: Estimate,
    /// The actual confidence of its interval.
    pub(crate) confidence: f64,
    /// The estimate of each round, in order; empty if samples were not taken in rounds.
    pub(crate) rounds: Vec<f64>,
    /// Spread of the rounds.
    pub(crate) round_spread: Option<RoundSpread>,
    /// For a latency, its value in the quietest tenth of the time, where that is known.
    pub(crate) quiet: Option<f64>,
}

/// The estimate from samples of one cell, and the actual confidence of its interval: [`CONFIDENCE`], or less if there are
/// too few samples. `None` without samples.
fn estimate(samples: &[f64]) -> Option<(Estimate, f64)> {
    let sorted = ascending(samples);
    let interval = median_interval(&sorted, CONFIDENCE)?;
    let (mean, standard_deviation) = mean_and_deviation(samples);
    let estimate = Estimate {
        median: median(sorted.iter().copied())?,
        low: interval.low,
        high: interval.high,
        min: *sorted.first()?,
        max: *sorted.last()?,
        mean,
        standard_deviation,
    };
    Some((estimate, interval.confidence))
}

/// The estimate of a reading from samples in the order taken.
pub(crate) fn estimated<'a>(
    taken: impl Iterator<Item = &'a TakenSample> + Clone,
    reading: usize,
    design: Design,
    scatter: Option<&Scatter>,
) -> Option<Estimated> {
    let values: Vec<(u32, f64)> = taken.clone().map(|taken| (taken.round, taken.values[reading])).collect();
    let quiet = median(taken.clone().filter_map(|taken| taken.quiet[reading]));
    let lines: f64 = taken.map(|taken| taken.lines[reading]).sum();
    Some(Estimated { quiet, ..estimated_values(&values, design, scatter, 1.0 / lines)? })
}

/// The estimates of each round of values in the order taken.
pub(crate) fn rounds_of(taken: &[(u32, f64)]) -> Vec<f64> {
    let each = taken.chunk_by(|(one, _), (other, _)| one == other);
    each.filter_map(|round| median(round.iter().map(|(_, value)| *value))).collect()
}

/// The estimate from values in the order taken, each with its round. `None` without values. Other cells of the run tell how far rounds
/// scatter. Samples have whole lines, of which each is this share of all: an interval from replications is not narrower, even where
/// all agree.
pub(crate) fn estimated_values(
    taken: &[(u32, f64)],
    design: Design,
    scatter: Option<&Scatter>,
    share_of_line: f64,
) -> Option<Estimated> {
    let values: Vec<f64> = taken.iter().map(|(_, value)| *value).collect();
    let (mut estimate, mut confidence) = estimate(&values)?;
    let mut rounds = Vec::new();
    let mut round_spread = None;
    let between = match design {
        // An interval of factors needs positive values.
        Design::Rounds if values.iter().any(|&value| value <= 0.0) => None,
        Design::Rounds => {
            rounds = rounds_of(taken);
            Rounds::of(&rounds).map(|rounds| {
                let between = rounds.estimate(scatter);
                let spread = between.spread;
                let deviation = spread.variance.sqrt();
                round_spread = Some(RoundSpread { deviation, degrees: spread.degrees });
                (between.median, between.low, between.high)
            })
        }
        Design::Replications => Mean::of_replications(&values)
            .map(|mean| mean.at_least(share_of_line))
            .map(|mean| (mean.center, mean.low, mean.high)),
    };
    if let Some((median, low, high)) = between {
        estimate = Estimate { median, low, high, ..estimate };
        confidence = CONFIDENCE;
    }
    Some(Estimated { estimate, confidence, rounds, round_spread, quiet: None })
}

/// Copy of the cell with an interval that includes the drift on a virtual machine that no round of a run shows, and with a one-sided bound for its
/// value.
pub(crate) fn with_drift(cell: Cell, protocol: &Protocol) -> Cell {
    let least = match (protocol.unseen_drift, cell.measure.dimension()) {
        (Some(_), _) if cell.measure == Measure::LatencySpread => VIRTUAL_SPREAD_DRIFT,
        (Some(least), Dimension::Time | Dimension::Rate) => least,
        // What all cells of a run share cancels out in a quotient of two of them.
        _ => return cell.with_certain(),
    };
    let spread = cell.evidence.round_spread.map_or(0.0, |spread| spread.deviation);
    let drift = least.max(VIRTUAL_DRIFT_OF_ROUNDS * spread);
    let mut cell = cell.with_unseen_drift(drift);
    let width = cell.estimate.relative_half_width();
    for warning in &mut cell.warnings {
        if let Warning::IntervalWide { reached, .. } | Warning::SpreadWide { reached, .. } = warning {
            *reached = width;
        }
    }
    cell.with_certain()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn estimate_of_seven_samples_matches_a_calculation_by_hand() {
        let (estimate, confidence) = estimate(&[4.0, 1.0, 2.0, 100.0, 3.0, 5.0, 6.0]).unwrap();
        assert_eq!((estimate.median, estimate.low, estimate.high), (4.0, 1.0, 100.0));
        assert_eq!((estimate.min, estimate.max), (1.0, 100.0));
        assert!((estimate.mean - 121.0 / 7.0).abs() < 1e-12);
        assert!((confidence - (1.0 - 2.0 / 128.0)).abs() < 1e-12);
    }

    #[test]
    fn no_samples_have_no_estimate_and_one_sample_is_its_own_estimate() {
        assert!(estimate(&[]).is_none());
        let (one, confidence) = estimate(&[7.0]).unwrap();
        assert_eq!((one.median, one.low, one.high, one.standard_deviation), (7.0, 7.0, 7.0, 0.0));
        assert_eq!(confidence, 0.0);
    }

    proptest! {
        #[test]
        fn an_estimate_is_in_order_and_does_not_depend_on_the_order_of_samples(
            mut samples in proptest::collection::vec(0.001f64..1e6, 1..80)
        ) {
            let (first, _) = estimate(&samples).unwrap();
            prop_assert!(first.min <= first.low && first.low <= first.median);
            prop_assert!(first.median <= first.high && first.high <= first.max);
            prop_assert!(first.min <= first.mean * (1.0 + 1e-12) && first.mean <= first.max * (1.0 + 1e-12));
            samples.reverse();
            let (second, _) = estimate(&samples).unwrap();
            prop_assert_eq!((first.median, first.low, first.high), (second.median, second.low, second.high));
        }

        #[test]
        fn a_change_of_unit_changes_the_estimate_alike(
            samples in proptest::collection::vec(0.001f64..1e6, 1..40)
        ) {
            let (one, _) = estimate(&samples).unwrap();
            let (four, _) = estimate(&samples.iter().map(|sample| sample * 4.0).collect::<Vec<_>>()).unwrap();
            prop_assert_eq!(one.median * 4.0, four.median);
            prop_assert_eq!(one.high * 4.0, four.high);
        }
    }
}
