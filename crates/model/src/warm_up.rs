//! Detects when a simulation has warmed up, instead of guessing.
//!
//! Queues and windows are empty at first, and throughput has not reached its steady value. The lines done in each of
//! many equal intervals form a series; the marginal standard error rule (K. P. White, "An effective truncation
//! heuristic for bias reduction in simulation output", *Simulation* 69(6), 1997) finds how many intervals to drop
//! from its start so that the mean of the rest is known best. If that is fewer than half of them, the rest is steady.

/// How many of the first values to drop: the number for which the variance of the rest over the square of its length
/// is least, among those that leave at least five.
pub(crate) fn truncation(values: &[f64]) -> usize {
    let most = values.len().saturating_sub(5);
    let score = |cut: usize| {
        let rest = &values[cut..];
        let mean = rest.iter().sum::<f64>() / rest.len() as f64;
        let squares: f64 = rest.iter().map(|value| (value - mean).powi(2)).sum();
        squares / (rest.len() as f64).powi(2)
    };
    (0..=most).min_by(|&one, &other| score(one).total_cmp(&score(other))).unwrap_or(0)
}

/// Whether the second half of a series is steady.
pub(crate) fn is_warm(values: &[f64]) -> bool {
    truncation(values) <= values.len() / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ramp_is_dropped_and_the_steady_rest_is_kept() {
        let mut values: Vec<f64> = (0..8).map(|step| f64::from(step) * 10.0).collect();
        values.extend((0..32).map(|step| 80.0 + f64::from(step % 3)));
        assert_eq!(truncation(&values), 8);
        assert!(is_warm(&values));
        assert!(!is_warm(&values[..12]));
    }

    #[test]
    fn a_series_that_starts_steady_is_kept_whole() {
        assert_eq!(truncation(&[7.0; 20]), 0);
        assert!(is_warm(&[7.0; 20]));
    }
}
