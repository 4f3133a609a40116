//! The distribution of the times of loads.

use zerohop_units::Nanoseconds;

/// Times and how often each occurred, ascending. A time stands for all that are close to it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Distribution(pub Vec<(Nanoseconds, u64)>);

/// The longest times of the bars of a histogram, in ns: ten per decade, as in Renard's series.
pub const HISTOGRAM_NS: [u64; 51] = [
    10, 12, 16, 20, 25, 32, 40, 50, 63, 80, //
    100, 125, 160, 200, 250, 315, 400, 500, 630, 800, //
    1000, 1250, 1600, 2000, 2500, 3150, 4000, 5000, 6300, 8000, //
    10_000, 12_500, 16_000, 20_000, 25_000, 31_500, 40_000, 50_000, 63_000, 80_000, //
    100_000, 125_000, 160_000, 200_000, 250_000, 315_000, 400_000, 500_000, 630_000, 800_000, //
    1_000_000,
];

impl Distribution {
    /// Number of times in the distribution.
    pub fn count(&self) -> u64 {
        self.0.iter().map(|(_, count)| count).sum()
    }

    /// The time that this share of all times, 0 to 1, does not exceed; `None` without any.
    pub fn quantile(&self, share: f64) -> Option<Nanoseconds> {
        // Rounding error must not turn exactly 99 % into one more.
        let wanted = (share * self.count() as f64 - 1e-6).max(0.0);
        let mut below = 0;
        let reached = self.0.iter().find(|(_, count)| {
            below += count;
            below as f64 >= wanted
        });
        reached.or(self.0.last()).map(|(time, _)| *time)
    }

    /// For each bar of [`HISTOGRAM_NS`], the share of times in it. Times beyond the last bar count in it.
    pub fn histogram(&self) -> [f64; HISTOGRAM_NS.len()] {
        let mut bars = [0.0; HISTOGRAM_NS.len()];
        let all = self.count() as f64;
        for (time, count) in &self.0 {
            let bar = HISTOGRAM_NS.partition_point(|&longest| (longest as f64) < time.get());
            bars[bar.min(HISTOGRAM_NS.len() - 1)] += *count as f64 / all;
        }
        bars
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distribution(times: &[(f64, u64)]) -> Distribution {
        Distribution(times.iter().map(|&(time, count)| (Nanoseconds(time), count)).collect())
    }

    #[test]
    fn a_quantile_is_the_time_that_its_share_does_not_exceed() {
        let times = distribution(&[(90.0, 500), (100.0, 490), (300.0, 9), (5000.0, 1)]);
        let at = |share| times.quantile(share).map(Nanoseconds::get);
        assert_eq!(
            [0.0, 0.5, 0.51, 0.99, 0.999, 1.0].map(at),
            [90.0, 90.0, 100.0, 100.0, 300.0, 5000.0].map(Some)
        );
        assert_eq!(Distribution::default().quantile(0.5), None);
    }

    #[test]
    fn every_time_is_in_one_bar() {
        let bars = distribution(&[(3.0, 1), (100.0, 2), (100.1, 4), (2e9, 1)]).histogram();
        let filled: Vec<(u64, f64)> =
            HISTOGRAM_NS.into_iter().zip(bars).filter(|(_, share)| *share > 0.0).collect();
        assert_eq!(filled, [(10, 0.125), (100, 0.25), (125, 0.5), (1_000_000, 0.125)]);
        assert!(HISTOGRAM_NS.is_sorted());
    }
}
