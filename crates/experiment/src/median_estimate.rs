//! The estimate from samples of one cell: a median with its confidence interval, and the spread of the samples.

use zerohop_result::Estimate;
use zerohop_statistics::{CONFIDENCE, ascending, mean_and_deviation, median, median_interval};

/// The estimate from samples of one cell, and the actual confidence of its interval: [`CONFIDENCE`], or less if there are
/// too few samples. `None` without samples.
pub(crate) fn estimate(samples: &[f64]) -> Option<(Estimate, f64)> {
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
