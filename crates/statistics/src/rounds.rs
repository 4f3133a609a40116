//! The estimate from rounds: visits to the same cell, spread over the whole run.
//!
//! Samples that follow each other share the state that the machine is in, so their spread does not show how far the machine
//! wanders. The interval therefore comes from round estimates, by the method of batch means (A. M. Law, *Simulation
//! Modeling and Analysis*, 5th ed., McGraw-Hill 2015, section 9.5.3): few batches, so that each is long compared to what
//! ties neighbors together (B. Schmeiser, "Batch size effects in the analysis of simulation output", *Operations Research*
//! 30, 1982), and Student's t distribution for their spread.
//!
//! Rounds are compared by their logarithms: a machine gets slower by a factor, and an interval of factors never reaches
//! zero. The center is the median, so that a burst in one round does not move it. What correlation remains between
//! neighboring batches widens the interval as in a first-order autoregressive process. A cell's few batches know little of their
//! variance and less of their correlation, but all cells of a run know both well: see [`Scatter`].

use crate::{Batches, CONFIDENCE, Scatter, Spread, two_sided_quantile};

/// Standard error of the median over that of the mean, for four to eight normal values (1.09 to 1.21; H. A. David and
/// H. N. Nagaraja, *Order Statistics*, 3rd ed., section 8.6 for large numbers).
const MEDIAN_OVER_MEAN: f64 = 1.15;

/// The rounds of one cell, as logarithms of factors, in batches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rounds {
    /// What the factors are relative to.
    unit: f64,
    batches: Batches,
}

/// A median and its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RoundEstimate {
    /// Median of the batches.
    pub median: f64,
    /// Lower end of its interval.
    pub low: f64,
    /// Upper end of its interval.
    pub high: f64,
    /// How far batches are spread: variance of their logarithms, and its degrees of freedom, moderated where other cells are known.
    pub spread: Spread,
}

impl Rounds {
    /// Positive round estimates in the order taken; `None` for fewer than two.
    pub fn of(rounds: &[f64]) -> Option<Self> {
        // Relative to the first, so that equal rounds are exactly their own estimate.
        let unit = *rounds.first()?;
        let logs: Vec<f64> = rounds.iter().map(|round| libm::log(round / unit)).collect();
        Some(Self { unit, batches: Batches::of(&logs)? })
    }

    pub const fn batches(&self) -> &Batches {
        &self.batches
    }

    /// The estimate, with what other cells of the run tell of its scatter, if there are any.
    pub fn estimate(&self, others: Option<&Scatter>) -> RoundEstimate {
        let Batches { center, spread, count, .. } = self.batches;
        let (spread, correlation) = match others {
            Some(scatter) => (scatter.moderate(spread), scatter.correlation()),
            None => (spread, self.batches.correlation()),
        };
        let widened = ((1.0 + correlation) / (1.0 - correlation)).sqrt();
        let student = two_sided_quantile(1.0 - CONFIDENCE, spread.degrees);
        let half = MEDIAN_OVER_MEAN * student * (spread.variance / count as f64).sqrt() * widened;
        let at = |log: f64| self.unit * libm::exp(log);
        RoundEstimate { median: at(center), low: at(center - half), high: at(center + half), spread }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn estimate_of_rounds(rounds: &[f64]) -> Option<RoundEstimate> {
        Some(Rounds::of(rounds)?.estimate(None))
    }

    #[test]
    fn four_rounds_match_a_calculation_by_hand() {
        // Deviations alternate, so neighbors are not correlated. The standard deviation of the logarithms is
        // 0.01 * sqrt(4/3).
        let rounds: Vec<f64> =
            [0.01, -0.01, 0.01, -0.01].iter().map(|log: &f64| 100.0 * libm::exp(*log)).collect();
        let estimate = estimate_of_rounds(&rounds).unwrap();
        let half = 1.15 * 3.182 * 0.01 * (4.0f64 / 3.0).sqrt() / 2.0;
        assert!((estimate.high - 100.0 * libm::exp(half)).abs() < 2e-3, "{estimate:?}");
        assert!((estimate.low - 100.0 * libm::exp(-half)).abs() < 2e-3, "{estimate:?}");
    }

    #[test]
    fn one_round_has_no_interval_and_equal_rounds_have_none_to_speak_of() {
        assert_eq!(estimate_of_rounds(&[]), None);
        assert_eq!(estimate_of_rounds(&[7.0]), None);
        let even = estimate_of_rounds(&[7.0; 5]).unwrap();
        assert!((even.low - 7.0).abs() < 1e-12 && (even.high - 7.0).abs() < 1e-12, "{even:?}");
    }

    #[test]
    fn rounds_that_follow_a_trend_are_less_certain_than_the_same_in_disorder() {
        let width = |rounds: &[f64]| {
            let estimate = estimate_of_rounds(rounds).unwrap();
            estimate.high - estimate.low
        };
        let trend = [100.0, 101.0, 102.0, 103.0, 104.0, 105.0, 106.0, 107.0];
        let disorder = [104.0, 101.0, 107.0, 100.0, 105.0, 102.0, 106.0, 103.0];
        assert!(width(&trend) > 1.5 * width(&disorder));
    }

    #[test]
    fn many_correlated_rounds_count_as_few() {
        // Each level lasts for four rounds: eight levels, not 32 independent rounds.
        let levels = [100.0, 103.0, 99.0, 104.0, 98.0, 101.0, 97.0, 102.0];
        let rounds: Vec<f64> = levels.iter().flat_map(|&level| [level; 4]).collect();
        let (joined, plain) = (estimate_of_rounds(&rounds).unwrap(), estimate_of_rounds(&levels).unwrap());
        assert!((joined.high - plain.high).abs() < 1e-9 && (joined.low - plain.low).abs() < 1e-9);
    }

    proptest! {
        #[test]
        fn the_interval_contains_the_median_and_scales_with_the_unit(
            rounds in proptest::collection::vec(0.001f64..1e6, 2..40)
        ) {
            let one = estimate_of_rounds(&rounds).unwrap();
            prop_assert!(one.low <= one.median && one.median <= one.high && one.low > 0.0);
            let four = estimate_of_rounds(&rounds.iter().map(|round| round * 4.0).collect::<Vec<_>>()).unwrap();
            prop_assert!((four.high / one.high - 4.0).abs() < 1e-6);
        }
    }
}
