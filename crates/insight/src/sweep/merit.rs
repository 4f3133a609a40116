//! Which points stand out: the best, and those that no other betters in both of two numbers.

use std::cmp::Ordering;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Why a point stands out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Merit {
    /// It has the best first number; of several, the one with the best second.
    Best,
    /// No other point is as good in one of the two numbers and better in the other.
    Pareto,
}

impl Merit {
    /// Its name in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Best => "best",
            Self::Pareto => "pareto",
        }
    }
}

/// A number that is to be high or low.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Wish {
    pub(super) value: f64,
    pub(super) larger_is_better: bool,
}

impl Wish {
    /// `Less` where it is better than the other.
    fn order(self, other: Self) -> Ordering {
        let order = self.value.total_cmp(&other.value);
        if self.larger_is_better { order.reverse() } else { order }
    }
}

/// The points that stand out, the best first, then along the front. Each comes with its first number and its second, if
/// there is one. Without second numbers there is a best and no front.
pub(super) fn merits(points: &[(usize, Wish, Option<Wish>)]) -> Vec<(usize, Merit)> {
    let second = |one: Option<Wish>, other: Option<Wish>| match (one, other) {
        (Some(one), Some(other)) => one.order(other),
        (one, other) => other.is_some().cmp(&one.is_some()),
    };
    let mut sorted = points.to_vec();
    sorted.retain(|(_, first, second)| {
        first.value.is_finite() && second.is_none_or(|wish| wish.value.is_finite())
    });
    sorted.sort_by(|one, other| one.1.order(other.1).then(second(one.2, other.2)).then(one.0.cmp(&other.0)));
    let Some(&(best, ..)) = sorted.first() else { return Vec::new() };
    let mut found = vec![(best, Merit::Best)];
    // From the best first number on, a point is on the front if its second is better than all before it.
    let mut edge: Option<(Wish, Wish)> = None;
    for &(point, one, two) in &sorted {
        let Some(two) = two else { continue };
        let reached = edge.is_none_or(|(_, reached)| two.order(reached) == Ordering::Less);
        let twin = edge.is_some_and(|edge| edge == (one, two));
        if !reached && !twin {
            continue;
        }
        edge = Some((one, two));
        if point != best {
            found.push((point, Merit::Pareto));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Bandwidth against latency.
    fn points(numbers: &[(f64, f64)]) -> Vec<(usize, Wish, Option<Wish>)> {
        let wish = |value, larger_is_better| Wish { value, larger_is_better };
        numbers
            .iter()
            .enumerate()
            .map(|(point, &(high, low))| (point, wish(high, true), Some(wish(low, false))))
            .collect()
    }

    #[test]
    fn what_nothing_betters_stands_out() {
        let found =
            merits(&points(&[(10.0, 5.0), (20.0, 9.0), (20.0, 8.0), (15.0, 9.0), (12.0, 6.0), (20.0, 8.0)]));
        use Merit::{Best, Pareto};
        assert_eq!(found, [(2, Best), (5, Pareto), (4, Pareto), (0, Pareto)]);
        assert_eq!(merits(&points(&[(f64::NAN, 1.0)])), []);
    }

    #[test]
    fn one_number_has_a_best_and_no_front() {
        let alone: Vec<_> = points(&[(1.0, 0.0), (3.0, 0.0), (2.0, 0.0)])
            .into_iter()
            .map(|(point, first, _)| (point, first, None))
            .collect();
        assert_eq!(merits(&alone), [(1, Merit::Best)]);
    }

    proptest! {
        #[test]
        fn the_front_is_what_no_other_dominates(numbers in prop::collection::vec((0u8..6, 0u8..6), 0..12)) {
            let numbers: Vec<(f64, f64)> =
                numbers.into_iter().map(|(high, low)| (f64::from(high), f64::from(low))).collect();
            let mut found: Vec<usize> = merits(&points(&numbers)).into_iter().map(|(point, _)| point).collect();
            found.sort_unstable();
            let dominated = |point: usize| numbers.iter().any(|other| {
                let (high, low) = numbers[point];
                other.0 >= high && other.1 <= low && *other != (high, low)
            });
            let expected: Vec<usize> = (0..numbers.len()).filter(|&point| !dominated(point)).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
