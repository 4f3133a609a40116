//! Values that do not fit the others of their kind: a run that was disturbed should not turn a factor.

use zerohop_statistics::median;

/// A standard deviation is as many times the median of absolute deviations of normal noise.
const NORMAL: f64 = 1.4826;

/// Values of one kind that agree better than this, as a logarithm, do so by chance: a model is no more exact.
const EXACT: f64 = 0.015;

/// A value counts in full up to so many standard deviations from the middle. From there on it pulls no more than at that distance, from
/// twice that distance on less and less, and from four times on not at all.
const FAR: f64 = 3.0;
const FARTHER: f64 = 2.0;
const GONE: f64 = 4.0;

/// Fewer values have no middle that one of them cannot move.
const FEWEST: usize = 3;

/// A value that counts less than this does not fit.
const OUT: f64 = 0.5;

/// How much each value counts, between 0 and 1, by Hampel's weights (Hampel, Ronchetti, Rousseeuw and Stahel, Robust Statistics, 1986,
/// section 2.6). `errors` are the logarithms of measured values' errors, and how far each is known to be uncertain. Their scale is that of the median
/// absolute deviation, about the median: a factor that is not found yet is no outlier.
pub(crate) fn weights(errors: &[(Option<f64>, f64)]) -> Vec<f64> {
    let known: Vec<f64> = errors.iter().filter_map(|(error, _)| *error).collect();
    if known.len() < FEWEST {
        return vec![1.0; errors.len()];
    }
    let middle = median(known.iter().copied()).unwrap_or_default();
    let deviations: Vec<f64> = known.iter().map(|error| (error - middle).abs()).collect();
    let scale = (NORMAL * median(deviations.iter().copied()).unwrap_or_default()).max(EXACT);
    let weight = |(error, uncertain): &(Option<f64>, f64)| {
        error.map_or(1.0, |error| hampel((error - middle).abs() / (FAR * scale.max(*uncertain))))
    };
    errors.iter().map(weight).collect()
}

/// The weight of a value that is so many times as far from the middle as one that just counts in full.
fn hampel(far: f64) -> f64 {
    let pull = ((GONE - far) / (GONE - FARTHER)).clamp(0.0, 1.0);
    if far > 1.0 { pull / far } else { 1.0 }
}

/// Whether a value of that weight does not fit.
pub(crate) fn is_out(weight: f64) -> bool {
    weight < OUT
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(errors: &[f64]) -> Vec<f64> {
        weights(&errors.iter().map(|error| (Some(*error), 0.005)).collect::<Vec<_>>())
    }

    #[test]
    fn a_disturbed_value_counts_little_and_the_others_in_full() {
        let weights = of(&[0.01, -0.01, 0.0, 0.26, 0.005]);
        assert_eq!(weights.iter().filter(|weight| **weight == 1.0).count(), 4);
        assert!(weights[3] == 0.0 && is_out(weights[3]), "{weights:?}");
    }

    #[test]
    fn weights_fall_without_a_step() {
        let fall: Vec<f64> = (0..=500).map(|far| hampel(f64::from(far) / 100.0)).collect();
        assert!(fall.windows(2).all(|pair| (0.0..0.011).contains(&(pair[0] - pair[1]))), "{fall:?}");
        assert_eq!([fall[100], fall[200], fall[400]], [1.0, 0.5, 0.0]);
    }

    #[test]
    fn values_that_are_all_off_alike_count_in_full() {
        assert_eq!(of(&[0.31, 0.29, 0.30, 0.30]), [1.0; 4]);
        assert_eq!(of(&[-0.2, 0.2, -0.1, 0.1]), [1.0; 4]);
    }

    #[test]
    fn which_of_two_values_is_off_nobody_knows() {
        assert_eq!(of(&[0.0, 0.7]), [1.0; 2]);
        assert_eq!(weights(&[(Some(0.0), 0.1), (None, 0.1), (Some(0.7), 0.1)]), [1.0; 3]);
    }
}
