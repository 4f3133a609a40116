//! The estimate from replications of a simulation: runs that differ by their seed alone.
//!
//! Batches of one run share whatever state the run has settled in. A system with two such states then shows one of them with a
//! narrow interval around it. Replications are independent by construction, so the interval comes from them, by the method
//! of replication and deletion: the mean of their means, and Student's t distribution for their spread (A. M. Law,
//! *Simulation Modeling and Analysis*, 5th ed., McGraw-Hill 2015, sections 9.5.1 and 9.5.2).
//!
//! Each replication is observed in two parts, one after the other. They answer two more questions. Do replications differ by more
//! than what their parts explain? That is the analysis of variance with one factor: the ratio of both variances follows
//! Fisher's F distribution if not. And do second parts differ from first parts? Then the warm-up was too short (a paired t test
//! over replications).

use crate::mean_and_deviation;

/// The numbers of replications: at first, and then with more of them where they disagree.
pub const REPLICATIONS: [usize; 3] = [4, 8, 12];

/// Quantiles of Fisher's F distribution at 95 % with n - 1 and n degrees of freedom, for these numbers n of replications.
const FISHER: [f64; REPLICATIONS.len()] = [6.59, 3.50, 2.72];

/// Quantiles of Student's t distribution at 97.5 %, by degrees of freedom from one.
const STUDENT: [f64; 11] = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201];

/// A mean and its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mean {
    /// Mean of the replications.
    pub center: f64,
    /// Lower end of its interval; of a positive mean, it is not negative.
    pub low: f64,
    /// Upper end of its interval.
    pub high: f64,
}

impl Mean {
    /// The mean of these replications; `None` for fewer than two.
    pub fn of_replications(values: &[f64]) -> Option<Self> {
        let student = STUDENT.get(values.len().checked_sub(2)?).or(STUDENT.last())?;
        let (center, deviation) = mean_and_deviation(values);
        let half = student * deviation / (values.len() as f64).sqrt();
        Some(Self { center, low: (center - half).max(center.min(0.0)), high: center + half })
    }

    /// The same mean with an interval that reaches at least this share of it to each side.
    pub fn at_least(self, share: f64) -> Self {
        let half = self.center.abs() * share;
        Self { low: self.low.min(self.center - half), high: self.high.max(self.center + half), ..self }
    }

    /// Half the width of the interval, as a share of the mean.
    pub fn relative_half_width(&self) -> f64 {
        (self.high - self.center) / self.center
    }
}

/// What one replication showed in the first part of its time, and in the second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parts {
    /// The mean of the first part.
    pub first: f64,
    /// That of the second, as long as the first.
    pub second: f64,
}

impl Parts {
    fn difference(self) -> f64 {
        self.second - self.first
    }

    fn mean(self) -> f64 {
        f64::midpoint(self.first, self.second)
    }
}

/// Whether replications differ by more than their parts explain: each has settled in a state of its own.
pub fn disagree(replications: &[Parts]) -> bool {
    let count = replications.len();
    let Some(rank) = REPLICATIONS.iter().position(|&number| number == count) else {
        return false;
    };
    let means: Vec<f64> = replications.iter().map(|parts| parts.mean()).collect();
    let (_, between) = mean_and_deviation(&means);
    let within: f64 = replications.iter().map(|parts| parts.difference().powi(2)).sum();
    // The variance of a mean of two parts, from the differences between them, whose variance is four times that.
    let explained = within / (4.0 * count as f64);
    between.powi(2) > FISHER[rank] * explained
}

/// By what share of the mean second parts differ from first ones, if by more than chance explains; otherwise zero.
pub fn drift(replications: &[Parts]) -> f64 {
    let differences: Vec<f64> = replications.iter().map(|parts| parts.difference()).collect();
    let Some(student) = STUDENT.get(differences.len().wrapping_sub(2)) else {
        return 0.0;
    };
    let (difference, deviation) = mean_and_deviation(&differences);
    let center: f64 =
        replications.iter().map(|parts| parts.mean()).sum::<f64>() / replications.len().max(1) as f64;
    let chance = student * deviation / (differences.len() as f64).sqrt();
    if difference.abs() > chance { (difference / center).abs() } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rand_core::{Rng, SeedableRng};
    use rand_pcg::Pcg64Mcg;

    /// A normal deviate: twelve uniform ones, less their mean.
    fn normal(random: &mut Pcg64Mcg) -> f64 {
        let uniform = |random: &mut Pcg64Mcg| (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
        (0..12).map(|_| uniform(random)).sum::<f64>() - 6.0
    }

    #[test]
    fn four_replications_match_a_calculation_by_hand() {
        let mean = Mean::of_replications(&[99.0, 101.0, 99.0, 101.0]).unwrap();
        let half = 3.182 * (4.0f64 / 3.0).sqrt() / 2.0;
        assert_eq!(mean.center, 100.0);
        assert!(
            (mean.high - (100.0 + half)).abs() < 1e-9 && (mean.low - (100.0 - half)).abs() < 1e-9,
            "{mean:?}"
        );
        assert!((mean.relative_half_width() - half / 100.0).abs() < 1e-12);
    }

    #[test]
    fn one_replication_has_no_interval() {
        assert_eq!(Mean::of_replications(&[]), None);
        assert_eq!(Mean::of_replications(&[7.0]), None);
    }

    #[test]
    fn replications_that_agree_have_the_least_width_and_others_keep_theirs() {
        let exact = Mean::of_replications(&[50.0; 4]).unwrap().at_least(0.01);
        assert_eq!((exact.low, exact.center, exact.high), (49.5, 50.0, 50.5));
        let wide = Mean::of_replications(&[40.0, 60.0, 40.0, 60.0]).unwrap();
        assert_eq!(wide.at_least(0.01), wide);
    }

    #[test]
    fn the_interval_covers_the_mean_as_often_as_it_says() {
        let mut random = Pcg64Mcg::seed_from_u64(3);
        for count in REPLICATIONS {
            let covered = (0..4000).filter(|_| {
                let values: Vec<f64> = (0..count).map(|_| 100.0 + normal(&mut random)).collect();
                let mean = Mean::of_replications(&values).unwrap();
                (mean.low..=mean.high).contains(&100.0)
            });
            let share = covered.count() as f64 / 4000.0;
            assert!((share - 0.95).abs() < 0.011, "{count} replications: {share}");
        }
    }

    /// Parts of replications around `state`, and how often a question is answered with yes for them.
    fn share_of_yes(
        count: usize,
        state: impl Fn(usize) -> f64,
        gain: f64,
        answer: impl Fn(&[Parts]) -> bool,
    ) -> f64 {
        let mut random = Pcg64Mcg::seed_from_u64(11);
        let yes = (0..4000).filter(|_| {
            let replications: Vec<Parts> = (0..count)
                .map(|rank| {
                    let first = state(rank) + normal(&mut random);
                    Parts { first, second: state(rank) + gain + normal(&mut random) }
                })
                .collect();
            answer(&replications)
        });
        yes.count() as f64 / 4000.0
    }

    #[test]
    fn chance_is_taken_for_disagreement_in_one_of_twenty_cells() {
        for count in REPLICATIONS {
            let share = share_of_yes(count, |_| 100.0, 0.0, disagree);
            assert!((share - 0.05).abs() < 0.011, "{count} replications: {share}");
        }
    }

    #[test]
    fn two_states_are_taken_for_disagreement() {
        let state = |rank: usize| if rank == 0 { 100.0 } else { 115.0 };
        assert!(share_of_yes(4, state, 0.0, disagree) > 0.95);
    }

    #[test]
    fn a_drift_is_found_and_chance_is_rarely_taken_for_one() {
        assert!(share_of_yes(4, |_| 100.0, 0.0, |parts| drift(parts) > 0.0) < 0.061);
        assert!(share_of_yes(4, |_| 100.0, 10.0, |parts| drift(parts) > 0.05) > 0.95);
    }

    proptest! {
        #[test]
        fn the_interval_contains_the_mean_and_scales_with_the_unit(
            values in proptest::collection::vec(0.001f64..1e6, 2..20)
        ) {
            let one = Mean::of_replications(&values).unwrap();
            prop_assert!(one.low <= one.center && one.center <= one.high && one.low >= 0.0);
            let four = Mean::of_replications(&values.iter().map(|value| value * 4.0).collect::<Vec<_>>()).unwrap();
            prop_assert!((four.high / one.high - 4.0).abs() < 1e-9);
        }
    }
}
