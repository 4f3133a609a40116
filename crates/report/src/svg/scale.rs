//! Axes: from values to pixels, with ticks at round numbers.

/// A linear or logarithmic axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Scale {
    low: f64,
    high: f64,
    logarithmic: bool,
    from: f64,
    to: f64,
}

/// The ends of what is drawn: values beyond them are drawn at them. A file may hold any finite value, and the distance of two, or a tenth of
/// one, must be one, too.
const LARGEST: f64 = 1e300;
const LEAST: f64 = 1e-300;

/// No two values are closer together, in relation to the larger one, and yet apart on an axis.
const CLOSEST: f64 = 1e-12;

/// No more ticks along a logarithmic axis.
const MOST_TICKS: usize = 24;

/// A length of an axis: above zero, and neither too large nor too small to be divided.
fn length(value: f64) -> Option<f64> {
    (value >= LEAST).then_some(value.min(LARGEST))
}

impl Scale {
    /// From zero to the round number that covers `most`, between two pixels.
    pub(crate) fn from_zero(most: f64, from: f64, to: f64) -> Self {
        let most = length(most).unwrap_or(1.0);
        let step = step(most);
        Self { low: 0.0, high: (most / step).ceil() * step, logarithmic: false, from, to }
    }

    /// From the round number below `least` to that above `most`, between two pixels.
    pub(crate) fn between(least: f64, most: f64, from: f64, to: f64) -> Self {
        let [least, most] = [least, most].map(|end| end.clamp(-LARGEST, LARGEST));
        let apart = length(most - least).filter(|span| *span > CLOSEST * least.abs().max(most.abs()));
        let Some(span) = apart else { return Self::from_zero(most, from, to) };
        let step = step(span);
        let (low, high) = ((least / step).floor() * step, (most / step).ceil() * step);
        Self { low, high, logarithmic: false, from, to }
    }

    /// Logarithmic from the power of `base` below `least` to `most`, between two pixels.
    pub(crate) fn powers(base: f64, least: f64, most: f64, from: f64, to: f64) -> Self {
        let positive = |value: f64| length(value).unwrap_or(1.0);
        let low = libm::pow(base, (libm::log(positive(least)) / libm::log(base)).floor());
        let high = positive(most).max(low * base);
        Self { low, high, logarithmic: true, from, to }
    }

    /// The position of a value; values beyond the ends are clamped to the ends.
    pub(crate) fn at(&self, value: f64) -> f64 {
        let share = if self.logarithmic {
            libm::log(value.clamp(self.low, self.high) / self.low) / libm::log(self.high / self.low)
        } else {
            (value.clamp(-LARGEST, LARGEST) - self.low) / (self.high - self.low)
        };
        let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
        self.from + share * (self.to - self.from)
    }

    /// Round values along a linear axis, four to eight of them.
    pub(crate) fn ticks(&self) -> Vec<f64> {
        let step = step(self.high - self.low);
        // An end that a tick just reaches must not be lost to rounding.
        let (first, last) = ((self.low / step - 1e-9).ceil(), (self.high / step + 1e-9).floor());
        (0..=(last - first).max(0.0) as usize).map(|rank| (first + rank as f64) * step).collect()
    }

    /// Whole powers of `base` along a logarithmic axis: each, or one of several where they are many.
    pub(crate) fn power_ticks(&self, base: f64) -> Vec<f64> {
        // A last power that the axis just reaches must not be lost to rounding.
        let powers = (libm::log(self.high) - libm::log(self.low)) / libm::log(base);
        let count = (powers + 1e-9).floor() as usize;
        let every = (count + 1).div_ceil(MOST_TICKS);
        let tick = |rank: usize| match libm::pow(base, rank as f64) {
            power if power.is_finite() => self.low * power,
            // From near the smallest value to near the largest, the power alone is beyond both.
            _ => self.low * libm::pow(base, (rank / 2) as f64) * libm::pow(base, (rank - rank / 2) as f64),
        };
        (0..=count).step_by(every).map(|rank| tick(rank).min(f64::MAX)).collect()
    }
}

/// The spacing of ticks: 1, 2 or 5 times a power of ten, so that four to eight of them cover `most`.
fn step(most: f64) -> f64 {
    let magnitude = libm::pow(10.0, libm::log10(most).floor());
    let lead = most / magnitude;
    let factor = match lead {
        lead if lead < 1.6 => 0.2,
        lead if lead < 4.0 => 0.5,
        lead if lead < 8.0 => 1.0,
        _ => 2.0,
    };
    magnitude * factor
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ticks_are_round() {
        assert_eq!(
            Scale::from_zero(290.0, 0.0, 100.0).ticks(),
            [0.0, 50.0, 100.0, 150.0, 200.0, 250.0, 300.0]
        );
        assert_eq!(Scale::between(171.0, 189.0, 0.0, 1.0).ticks(), [170.0, 175.0, 180.0, 185.0, 190.0]);
        assert_eq!(Scale::between(45.0, 181.0, 0.0, 1.0).ticks(), [50.0, 100.0, 150.0, 200.0]);
        assert_eq!(Scale::between(7.0, 7.0, 0.0, 1.0).ticks().len(), 8);
        assert_eq!(Scale::powers(10.0, 1.08, 100.0, 0.0, 1.0).power_ticks(10.0), [1.0, 10.0, 100.0]);
    }

    /// What a file may hold, however absurd.
    const EXTREME: [f64; 14] = [
        0.0,
        5e-324,
        -5e-324,
        1e-300,
        1.0,
        1.0 + f64::EPSILON,
        90.0,
        1e18,
        -1.0,
        1.7e308,
        -1.7e308,
        f64::MAX,
        f64::NAN,
        f64::INFINITY,
    ];

    proptest! {
        /// A latency of 1.7e308 ns beside others, or of 5e-324 ns, asked for more ticks than memory has room for.
        #[test]
        fn any_values_have_a_few_finite_ticks(
            least in proptest::sample::select(&EXTREME[..]),
            most in proptest::sample::select(&EXTREME[..]),
            value in proptest::sample::select(&EXTREME[..]),
        ) {
            let scales =
                [Scale::from_zero(most, 5.0, 90.0), Scale::between(least, most, 5.0, 90.0), Scale::powers(4.0, least, most, 5.0, 90.0)];
            for scale in scales {
                prop_assert!((5.0..=90.0).contains(&scale.at(value)), "{scale:?} {value}");
                let ticks = if scale.logarithmic { scale.power_ticks(4.0) } else { scale.ticks() };
                prop_assert!((1..=MOST_TICKS).contains(&ticks.len()) && ticks.iter().all(|tick| tick.is_finite()), "{scale:?} {ticks:?}");
            }
        }

        #[test]
        fn values_lie_between_the_ends(most in 1e-3..1e7f64, share in 0.0..1.0f64) {
            let scale = Scale::from_zero(most, 10.0, 20.0);
            prop_assert!((10.0..=20.0).contains(&scale.at(most * share)));
            prop_assert!((3..=10).contains(&scale.ticks().len()), "{:?}", scale.ticks());
            let scale = Scale::between(most * share, most, 10.0, 20.0);
            prop_assert!(scale.ticks().len() <= 11, "{:?}", scale.ticks());
        }
    }
}
