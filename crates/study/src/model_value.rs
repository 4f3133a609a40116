//! A model's value with its interval, and the decision about a claim.
//!
//! A value on the edge of its tolerance is within it with one seed and beyond it with another. Only an interval on one side of the edge decides.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Amount, Difference};

/// Interval that contains the mean of a simulated value with 95 % confidence.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Interval {
    /// Lower end.
    pub low: Amount,
    /// Upper end.
    pub high: Amount,
}

/// A model's value, and the interval in which its mean lies with 95 % confidence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Simulated {
    pub(crate) value: Amount,
    /// Ends of the interval, in the unit of the value.
    low: f64,
    high: f64,
}

/// State of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Holding {
    /// It does not hold, wherever in their intervals the values are.
    Fails,
    /// It holds for a part of the intervals.
    Open,
    /// It holds, wherever in their intervals the values are.
    Holds,
}

impl Simulated {
    /// A value with the ends of its interval, in its unit.
    pub(crate) const fn new(value: Amount, low: f64, high: f64) -> Self {
        Self { value, low, high }
    }

    /// A value without noise.
    pub(crate) const fn exact(value: Amount) -> Self {
        Self { value, low: value.get(), high: value.get() }
    }

    /// The mean of independent values; `None` without any.
    pub(crate) fn mean(values: &[Self]) -> Option<Self> {
        let (first, count) = (values.first()?, values.len() as f64);
        let mean = values.iter().map(|one| one.value.get()).sum::<f64>() / count;
        let side =
            |of: fn(&Self) -> f64| values.iter().map(|one| of(one).powi(2)).sum::<f64>().sqrt() / count;
        Some(Self {
            value: Amount::with_unit_of(first.value, mean),
            low: mean - side(Self::below),
            high: mean + side(Self::above),
        })
    }

    /// Value with an interval that is wider by this factor.
    pub(crate) fn widened(self, times: f64) -> Self {
        let value = self.value.get();
        Self { low: value - times * self.below(), high: value + times * self.above(), ..self }
    }

    /// Percentage of another, independent value.
    pub(crate) fn share_of(&self, whole: &Self) -> Self {
        let (part, to) = (self.value.get(), whole.value.get());
        let share = 100.0 * part / to;
        // The whole's other side: the larger it is, the smaller is the share.
        let below = libm::hypot(self.below() / to, part * whole.above() / (to * to));
        let above = libm::hypot(self.above() / to, part * whole.below() / (to * to));
        Self { value: Amount::Percent(share), low: share - 100.0 * below, high: share + 100.0 * above }
    }

    /// Excess over another, independent value, in the unit of both.
    pub(crate) fn less(&self, other: &Self) -> Self {
        let difference = self.value.get() - other.value.get();
        Self {
            value: Amount::with_unit_of(self.value, difference),
            low: difference - libm::hypot(self.below(), other.above()),
            high: difference + libm::hypot(self.above(), other.below()),
        }
    }

    /// Whether it is above zero.
    pub(crate) fn is_positive(&self) -> Holding {
        if self.low > 0.0 {
            Holding::Holds
        } else if self.high > 0.0 {
            Holding::Open
        } else {
            // NaN is above nothing.
            Holding::Fails
        }
    }

    /// Whether it is no farther from `published` than this.
    pub(crate) fn is_near(&self, published: Amount, tolerance: Difference) -> Holding {
        let error = |end: f64| Amount::with_unit_of(self.value, end).above(published, Some(tolerance)).get();
        let (low, high, most) = (error(self.low), error(self.high), tolerance.get());
        if low.abs() <= most && high.abs() <= most {
            Holding::Holds
        } else if low <= most && high >= -most {
            Holding::Open
        } else {
            // NaN is near nothing.
            Holding::Fails
        }
    }

    /// Whether this and another, independent value differ by no more than the tolerance.
    pub(crate) fn is_like(&self, other: &Self, tolerance: Difference) -> Holding {
        let [small, large] = if self.value > other.value { [other, self] } else { [self, other] };
        match tolerance {
            Difference::Points(_) => {
                let apart = large.less(small);
                Self { value: Amount::Percent(apart.value.get()), ..apart }
                    .is_near(Amount::Percent(0.0), tolerance)
            }
            Difference::Percent(_) => large.share_of(small).is_near(Amount::Percent(100.0), tolerance),
        }
    }

    /// Interval of the value; `None` if it has no noise.
    pub(crate) fn interval(&self) -> Option<Interval> {
        let end = |end| Amount::with_unit_of(self.value, end);
        (self.low < self.high).then(|| Interval { low: end(self.low), high: end(self.high) })
    }

    const fn below(&self) -> f64 {
        self.value.get() - self.low
    }

    const fn above(&self) -> f64 {
        self.high - self.value.get()
    }
}

impl Holding {
    /// State of a claim that holds if all of these hold.
    pub(crate) fn all(of: impl Iterator<Item = Self>) -> Self {
        of.min().unwrap_or(Self::Holds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn percent(value: f64, half: f64) -> Simulated {
        Simulated::new(Amount::Percent(value), value - half, value + half)
    }

    #[test]
    fn an_interval_on_the_edge_of_a_tolerance_decides_nothing() {
        let near =
            |value, half| percent(value, half).is_near(Amount::Percent(100.0), Difference::Points(6.0));
        assert_eq!(near(105.0, 0.9), Holding::Holds);
        assert_eq!(near(105.0, 1.1), Holding::Open, "its value is within");
        assert_eq!(near(106.5, 1.0), Holding::Open, "its value is beyond");
        assert_eq!(near(106.5, 0.4), Holding::Fails);
        assert_eq!(near(93.0, 0.9), Holding::Fails);
        assert_eq!(near(100.0, 20.0), Holding::Open, "beyond on both sides");
        assert_eq!(near(f64::NAN, 0.0), Holding::Fails);
    }

    #[test]
    fn what_is_exact_is_decided() {
        let zero = Simulated::exact(Amount::Count(0.0));
        assert_eq!(zero.is_positive(), Holding::Fails);
        assert_eq!(Simulated::exact(Amount::Count(f64::NAN)).is_positive(), Holding::Fails);
        assert_eq!(percent(1.0, 2.0).is_positive(), Holding::Open);
        assert_eq!(percent(3.0, 2.0).is_positive(), Holding::Holds);
        assert_eq!(zero.interval(), None);
    }

    #[test]
    fn intervals_of_independent_values_add_up_as_squares() {
        let (three, four) = (percent(50.0, 3.0), percent(20.0, 4.0));
        let less = three.less(&four);
        assert_eq!((less.value, less.low, less.high), (Amount::Percent(30.0), 25.0, 35.0));
        let mean = Simulated::mean(&[percent(10.0, 3.0), percent(20.0, 4.0)]).unwrap();
        assert_eq!((mean.value, mean.low, mean.high), (Amount::Percent(15.0), 12.5, 17.5));
        let share = percent(100.0, 3.0).share_of(&percent(100.0, 4.0));
        assert!((share.low - 95.0).abs() < 1e-9 && (share.high - 105.0).abs() < 1e-9);
    }

    #[test]
    fn equal_values_may_be_in_either_order() {
        let like = |one, other| percent(one, 0.5).is_like(&percent(other, 0.5), Difference::Percent(2.0));
        assert_eq!((like(100.0, 101.0), like(101.0, 100.0)), (Holding::Holds, Holding::Holds));
        assert_eq!((like(100.0, 102.0), like(102.0, 100.0)), (Holding::Open, Holding::Open));
        assert_eq!((like(100.0, 104.0), like(104.0, 100.0)), (Holding::Fails, Holding::Fails));
        let points = |one, other| percent(one, 0.5).is_like(&percent(other, 0.5), Difference::Points(2.0));
        assert_eq!((points(10.0, 11.0), points(10.0, 13.0)), (Holding::Holds, Holding::Fails));
    }

    proptest! {
        #[test]
        fn a_wider_interval_decides_no_more(value in 90.0..110.0f64, half in 0.0..5.0f64, times in 1.0..4.0f64) {
            let near = |of: Simulated| of.is_near(Amount::Percent(100.0), Difference::Points(3.0));
            let (narrow, wide) = (near(percent(value, half)), near(percent(value, half).widened(times)));
            prop_assert!(wide == narrow || wide == Holding::Open);
        }
    }
}
