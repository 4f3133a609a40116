//! The confidence interval of a median between two order statistics.
//!
//! Of n independent samples, the number below the true median is binomial with p = 1/2 whatever the distribution, so
//! the interval from the k-th smallest to the k-th largest covers the median with probability
//! 1 - 2 P(B < k) (H. A. David and H. N. Nagaraja, *Order Statistics*, 3rd ed., Wiley 2003, section 7.1). The method
//! assumes nothing about the distribution and draws no random numbers. Because sampling stops when the interval is
//! narrow, its true coverage is a little below the nominal one.

/// An interval that covers the median.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MedianInterval {
    /// Its lower end: a sample.
    pub low: f64,
    /// Its upper end: a sample.
    pub high: f64,
    /// The probability with which it covers the median.
    pub confidence: f64,
}

/// The narrowest symmetric interval of at least `confidence`; with too few samples (below six for 95 %) the whole range,
/// whose confidence is less. `sorted` ascends. `None` without a sample.
pub fn median_interval(sorted: &[f64], confidence: f64) -> Option<MedianInterval> {
    let count = sorted.len();
    let tail_allowed = (1.0 - confidence) / 2.0;
    let mut cut = 0;
    let mut tail = 0.0;
    // In logarithms, because 2^-n underflows for a few thousand samples.
    let mut log_probability = -(count as f64) * std::f64::consts::LN_2;
    for below in 0..count.div_ceil(2) {
        let with_this = tail + libm::exp(log_probability);
        if below > 0 && with_this > tail_allowed {
            break;
        }
        (cut, tail) = (below, with_this);
        log_probability += libm::log((count - below) as f64 / (below + 1) as f64);
    }
    Some(MedianInterval {
        low: *sorted.get(cut)?,
        high: sorted[count - 1 - cut],
        confidence: (1.0 - 2.0 * tail).max(0.0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ascending;
    use proptest::prelude::*;
    use rand_core::{Rng, SeedableRng};
    use rand_pcg::Pcg64Mcg;

    /// Ranks from the tables of the sign test: samples, and the rank (from 1) of the lower end at 95 %.
    #[test]
    fn ranks_are_those_of_the_tables() {
        for (count, rank) in [(6, 1), (8, 1), (9, 2), (12, 3), (15, 4), (17, 5), (20, 6), (25, 8), (50, 18)] {
            let sorted: Vec<f64> = (1..=count).map(f64::from).collect();
            let interval = median_interval(&sorted, 0.95).unwrap();
            assert_eq!(interval.low, f64::from(rank), "{count} samples");
            assert_eq!(interval.high, f64::from(count + 1 - rank), "{count} samples");
            assert!(interval.confidence >= 0.95, "{count} samples: {}", interval.confidence);
        }
    }

    #[test]
    fn too_few_samples_give_the_whole_range_and_its_true_confidence() {
        let interval = median_interval(&[1.0, 2.0, 3.0, 4.0, 5.0], 0.95).unwrap();
        assert_eq!((interval.low, interval.high, interval.confidence), (1.0, 5.0, 0.9375));
    }

    #[test]
    fn thousands_of_samples_do_not_underflow() {
        let sorted: Vec<f64> = (0..5000).map(f64::from).collect();
        let interval = median_interval(&sorted, 0.95).unwrap();
        // The normal approximation: n/2 ± 1.96 sqrt(n)/2.
        assert!((interval.low - (2500.0 - 69.3)).abs() < 2.0, "{interval:?}");
    }

    /// Exponential samples: skewed like times, with a known median (ln 2).
    #[test]
    fn its_coverage_of_a_skewed_distribution_is_its_confidence() {
        let mut random = Pcg64Mcg::seed_from_u64(7);
        let mut uniform = || (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
        for count in [6, 7, 11, 20, 41] {
            let rounds = 4000;
            let mut covered = 0;
            let mut promised = 0.0;
            for _ in 0..rounds {
                let samples: Vec<f64> = (0..count).map(|_| -libm::log(1.0 - uniform())).collect();
                let interval = median_interval(&ascending(&samples), 0.95).unwrap();
                covered += u32::from((interval.low..=interval.high).contains(&std::f64::consts::LN_2));
                promised = interval.confidence;
            }
            let share = f64::from(covered) / f64::from(rounds);
            // Three standard errors of a share near 0.95 over 4000 rounds are 0.011.
            assert!(
                (share - promised).abs() < 0.011,
                "{count} samples: {share} where {promised} was promised"
            );
        }
    }

    proptest! {
        #[test]
        fn more_confidence_is_never_narrower(
            samples in proptest::collection::vec(0f64..100.0, 1..60), first in 0.5f64..0.99, more in 0f64..0.009
        ) {
            let sorted = ascending(&samples);
            let narrow = median_interval(&sorted, first).unwrap();
            let wide = median_interval(&sorted, first + more).unwrap();
            prop_assert!(wide.low <= narrow.low && narrow.high <= wide.high);
        }
    }
}
