//! Estimates from samples: a median with its confidence interval, and the spread of the samples.
//!
//! Times and rates of a shared machine are skewed to the slow side, so the center is always the median. Its interval comes
//! from rounds where a machine may drift ([`estimate_of_rounds`]). A simulation is replicated; its estimate is the mean of its
//! replications ([`Mean`]). Where there is neither, the interval lies between two order statistics, which is valid for any
//! distribution.

#[cfg(test)]
mod chance;
mod interval;
mod outliers;
mod peaks;
mod replications;
mod rounds;

pub(crate) use interval::median_interval;
pub(crate) use outliers::count_outliers;
use outliers::quantile;
pub(crate) use peaks::two_peaks;
pub(crate) use replications::{Mean, Parts, REPLICATIONS, disagree, drift};
pub(crate) use rounds::{estimate_of_rounds, spread_of_logs};

use zerohop_result::Estimate;

/// Confidence of every interval.
pub(crate) const CONFIDENCE: f64 = 0.95;

/// The estimate from samples of one cell, and the actual confidence of its interval: [`CONFIDENCE`], or less if there are
/// too few samples. `None` without samples.
pub(crate) fn estimate(samples: &[f64]) -> Option<(Estimate, f64)> {
    let sorted = ascending(samples);
    let interval = median_interval(&sorted, CONFIDENCE)?;
    let (mean, standard_deviation) = mean_and_deviation(samples);
    let estimate = Estimate {
        median: median_of_sorted(&sorted)?,
        low: interval.low,
        high: interval.high,
        min: *sorted.first()?,
        max: *sorted.last()?,
        mean,
        standard_deviation,
    };
    Some((estimate, interval.confidence))
}

/// The samples in ascending order.
pub(crate) fn ascending(samples: &[f64]) -> Vec<f64> {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

/// The median of these values. `None` if there are none.
pub(crate) fn median(values: impl Iterator<Item = f64>) -> Option<f64> {
    median_of_sorted(&ascending(&values.collect::<Vec<_>>()))
}

/// The middle sample, or the mean of the two in the middle.
fn median_of_sorted(sorted: &[f64]) -> Option<f64> {
    let upper = *sorted.get(sorted.len() / 2)?;
    let lower = sorted[(sorted.len() - 1) / 2];
    Some(f64::midpoint(lower, upper))
}

/// Arithmetic mean, and standard deviation with n - 1 in the denominator; zero for fewer than two.
pub(crate) fn mean_and_deviation(samples: &[f64]) -> (f64, f64) {
    let count = samples.len() as f64;
    let mean = samples.iter().sum::<f64>() / count.max(1.0);
    let squares: f64 = samples.iter().map(|sample| (sample - mean).powi(2)).sum();
    let deviation = if samples.len() < 2 { 0.0 } else { (squares / (count - 1.0)).sqrt() };
    (mean, deviation)
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
