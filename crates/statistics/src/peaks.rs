//! Whether samples have two peaks.
//!
//! The samples are cut in two where the sum of squares within the two groups is least (W. D. Fisher, "On grouping for
//! maximum homogeneity", *Journal of the American Statistical Association* 53, 1958). The groups are two peaks if they
//! are far apart by the measure D of K. M. Ashman, C. M. Bird and S. E. Zepf ("Detecting bimodality in astronomical
//! datasets", *The Astronomical Journal* 108, 1994): the distance of their means over the root mean square of their
//! standard deviations. Their D > 2 holds for groups that were not made by cutting; halves cut from one normal
//! distribution already reach 2.6, from a uniform one 3.5, and chance adds to it with few samples. The limit here was
//! chosen by simulation so that of normal, uniform, exponential and log-normal samples fewer than one set in a hundred is
//! called two-peaked, however few they are.

use crate::{ascending, mean_and_deviation};

/// Fewer samples than this are inconclusive.
const FEWEST: usize = 8;

/// The smaller group has at least this share of the samples, and at least three.
const SMALLEST_SHARE: f64 = 0.2;

/// How far apart the groups' means are, in standard deviations.
const FAR_APART: f64 = 10.0;

/// Peaks closer than this share of the lower one do not matter.
const WORTH_MENTIONING: f64 = 0.03;

/// The centers of the two peaks, if there are two.
pub fn two_peaks(samples: &[f64]) -> Option<(f64, f64)> {
    if samples.len() < FEWEST {
        return None;
    }
    let sorted = ascending(samples);
    let smallest = ((sorted.len() as f64 * SMALLEST_SHARE).ceil() as usize).max(3);
    let sums = Sums::of(&sorted);
    let cut = (smallest..=sorted.len() - smallest)
        .min_by(|&one, &other| sums.squares_within(one).total_cmp(&sums.squares_within(other)))?;
    let (lower, upper) = sorted.split_at(cut);
    let (low, low_deviation) = mean_and_deviation(lower);
    let (high, high_deviation) = mean_and_deviation(upper);
    let deviation = (f64::midpoint(low_deviation.powi(2), high_deviation.powi(2))).sqrt();
    let apart = high - low > FAR_APART * deviation && high - low > WORTH_MENTIONING * low.abs();
    apart.then_some((low, high))
}

/// Sums over the first of ascending samples, and over their squares: with them, trying every cut takes time with the number of samples.
struct Sums {
    /// Both, up to each rank; of distances from the median, which keeps their rounding errors small.
    up_to: Vec<(f64, f64)>,
}

impl Sums {
    fn of(sorted: &[f64]) -> Self {
        let middle = sorted[sorted.len() / 2];
        let mut sum = (0.0, 0.0);
        let next = |sample: &f64| {
            let from_middle = sample - middle;
            sum = (sum.0 + from_middle, sum.1 + from_middle * from_middle);
            sum
        };
        Self { up_to: std::iter::once((0.0, 0.0)).chain(sorted.iter().map(next)).collect() }
    }

    /// Sum of squared distances from the means of the two groups that a cut before rank `cut` makes.
    fn squares_within(&self, cut: usize) -> f64 {
        let squares = |from: usize, to: usize| {
            let (start, end) = (self.up_to[from], self.up_to[to]);
            (end.1 - start.1) - (end.0 - start.0).powi(2) / (to - from) as f64
        };
        squares(0, cut) + squares(cut, self.up_to.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chance::Chance;

    /// Share of 2000 sets of `count` samples that are called two-peaked.
    fn share_called_two(count: usize, mut draw: impl FnMut(&mut Chance) -> f64) -> f64 {
        let mut chance = Chance::new(11);
        let rounds = 2000;
        let called = (0..rounds).filter(|_| {
            let samples: Vec<f64> = (0..count).map(|_| draw(&mut chance)).collect();
            two_peaks(&samples).is_some()
        });
        called.count() as f64 / f64::from(rounds)
    }

    #[test]
    fn one_peak_is_rarely_called_two() {
        for count in [8, 10, 15, 25, 60] {
            for (name, share) in [
                ("normal", share_called_two(count, |chance| 100.0 + 10.0 * chance.normal())),
                ("uniform", share_called_two(count, |chance| 50.0 + 100.0 * chance.uniform())),
                ("exponential", share_called_two(count, |chance| 90.0 - 10.0 * libm::log(chance.uniform()))),
                ("log-normal", share_called_two(count, |chance| 100.0 * libm::exp(0.5 * chance.normal()))),
            ] {
                assert!(share < 0.01, "{share} of {name} sets of {count}");
            }
        }
    }

    #[test]
    fn two_states_of_a_machine_are_seen() {
        // A cache-line transfer inside one core complex and across two, as it flips in a virtual machine.
        for count in [12, 20, 40] {
            let share = share_called_two(count, |chance| {
                let centre = if chance.uniform() < 0.5 { 56.0 } else { 245.0 };
                centre + 4.0 * chance.normal()
            });
            assert!(share > 0.9, "{share} of sets of {count}");
        }
        let (low, high) = two_peaks(&[56.0, 241.0, 55.0, 57.0, 245.0, 243.0, 58.0, 250.0]).unwrap();
        assert!((55.0..59.0).contains(&low) && (240.0..250.0).contains(&high), "{low} {high}");
    }

    #[test]
    fn a_lone_outlier_is_not_a_peak() {
        assert_eq!(two_peaks(&[100.0, 101.0, 99.0, 100.5, 100.2, 99.5, 100.1, 99.9, 400.0, 401.0]), None);
    }

    #[test]
    fn peaks_too_close_to_matter_are_ignored() {
        assert_eq!(two_peaks(&[100.0, 100.0, 100.0, 100.0, 101.0, 101.0, 101.0, 101.0]), None);
        assert_eq!(two_peaks(&[100.0; 20]), None);
    }
}
