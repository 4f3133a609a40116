//! Finds the points that stand out: the best, and the Pareto front of two objectives.
//!
//! Two values tie unless one is better by more than both intervals, and by more than a solver's rounding.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Reason why a point is highlighted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Merit {
    /// No other point has a better first value or, at the same first value, a better second one. Points that tie are all best; no point is best if
    /// all tie.
    Best,
    /// No other point is better in one of the two values without being worse in the other.
    Pareto,
}

impl Merit {
    /// Name of the merit in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Best => "best",
            Self::Pareto => "pareto",
        }
    }
}

/// Values with a relative difference no larger than this tie: repeating a fixed-point search may change a value by that
/// much.
const ALIKE: f64 = 0.001;

/// A value to maximize or minimize, with its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Wish {
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) larger_is_better: bool,
}

/// The lower and upper bound on how good a value is: higher is better.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Span {
    least: f64,
    most: f64,
}

impl Span {
    /// The bounds of an objective; `None` for NaN.
    fn of(wish: Wish) -> Option<Self> {
        let margin = |end: f64| ALIKE / 2.0 * end.abs();
        let (least, most) = (wish.low - margin(wish.low), wish.high + margin(wish.high));
        let span =
            if wish.larger_is_better { Self { least, most } } else { Self { least: -most, most: -least } };
        (span.least.is_finite() && span.most.is_finite()).then_some(span)
    }
}

/// A point with its first value and its second, if there is one.
pub(super) type Candidate = (usize, Wish, Option<Wish>);

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Standing {
    /// The points that stand out: the best first, in their order, then along the front.
    pub(super) merits: Vec<(usize, Merit)>,
    /// The rank of every point: one more than the number of points whose first value is better.
    pub(super) ranks: Vec<(usize, usize)>,
}

/// Compares points, leaving out those whose values are NaN.
pub(super) fn standing(candidates: &[Candidate]) -> Standing {
    let spans: Vec<(usize, Span, Option<Span>)> = candidates
        .iter()
        .filter_map(|&(point, first, second)| {
            let second = match second {
                Some(second) => Some(Span::of(second)?),
                None => None,
            };
            Some((point, Span::of(first)?, second))
        })
        .collect();
    let mut leasts: Vec<f64> = spans.iter().map(|(_, first, _)| first.least).collect();
    leasts.sort_by(f64::total_cmp);
    let rank = |first: Span| 1 + leasts.len() - leasts.partition_point(|&least| least <= first.most);
    let ranks: Vec<(usize, usize)> = spans.iter().map(|&(point, first, _)| (point, rank(first))).collect();

    let leaders: Vec<_> =
        spans.iter().zip(&ranks).filter(|(_, (_, rank))| *rank == 1).map(|(span, _)| span).collect();
    let best_second = leaders
        .iter()
        .filter_map(|(.., second)| *second)
        .map(|second| second.least)
        .fold(f64::NEG_INFINITY, f64::max);
    let is_best = |second: Option<Span>| match second {
        Some(second) => second.most >= best_second,
        // A point without a second value ranks behind all that have one.
        None => best_second == f64::NEG_INFINITY,
    };
    let mut best: Vec<usize> =
        leaders.iter().filter(|(.., second)| is_best(*second)).map(|(point, ..)| *point).collect();
    let front = front(&spans);
    // If all tie, none is better than another.
    if best.len() > 1 && best.len() == spans.len() {
        best.clear();
        return Standing { merits: Vec::new(), ranks };
    }
    let along = front.into_iter().filter(|point| !best.contains(point)).map(|point| (point, Merit::Pareto));
    let merits = best.iter().map(|&point| (point, Merit::Best)).chain(along).collect();
    Standing { merits, ranks }
}

/// The Pareto front, the best first value first.
fn front(spans: &[(usize, Span, Option<Span>)]) -> Vec<usize> {
    let pairs: Vec<(usize, [Span; 2])> =
        spans.iter().filter_map(|&(point, first, second)| Some((point, [first, second?]))).collect();
    // The best second value of all points that are better in the first.
    let beaten_in = |number: usize| {
        let mut by_least: Vec<(f64, f64)> =
            pairs.iter().map(|(_, spans)| (spans[number].least, spans[1 - number].most)).collect();
        by_least.sort_by(|one, other| other.0.total_cmp(&one.0));
        let mut most = f64::NEG_INFINITY;
        let reached: Vec<(f64, f64)> = by_least
            .into_iter()
            .map(|(least, other)| {
                most = most.max(other);
                (least, most)
            })
            .collect();
        move |spans: &[Span; 2]| {
            let above = reached.partition_point(|(least, _)| *least > spans[number].most);
            above > 0 && reached[above - 1].1 >= spans[1 - number].least
        }
    };
    let (in_first, in_second) = (beaten_in(0), beaten_in(1));
    let mut front: Vec<_> = pairs.iter().filter(|(_, spans)| !in_first(spans) && !in_second(spans)).collect();
    front.sort_by(|one, other| other.1[0].most.total_cmp(&one.1[0].most).then(one.0.cmp(&other.0)));
    front.into_iter().map(|(point, _)| *point).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    impl Span {
        /// Better by more than both intervals.
        fn beats(self, other: Self) -> bool {
            self.least > other.most
        }
    }

    fn wish(low: f64, high: f64, larger_is_better: bool) -> Wish {
        Wish { low, high, larger_is_better }
    }

    fn points(numbers: &[(f64, f64)]) -> Vec<Candidate> {
        let points = numbers.iter().enumerate();
        points
            .map(|(point, &(one, two))| (point, wish(one, one, true), Some(wish(two, two, false))))
            .collect()
    }

    /// Latency alone, with its interval.
    fn latencies(intervals: &[(f64, f64)]) -> Vec<Candidate> {
        let points = intervals.iter().enumerate();
        points.map(|(point, &(low, high))| (point, wish(low, high, false), None)).collect()
    }

    fn ranks(candidates: &[Candidate]) -> Vec<usize> {
        standing(candidates).ranks.into_iter().map(|(_, rank)| rank).collect()
    }

    #[test]
    fn what_nothing_betters_stands_out_and_twins_are_both_best() {
        let numbers = [(10.0, 5.0), (20.0, 9.0), (20.0, 8.0), (15.0, 9.0), (12.0, 6.0), (20.0, 8.0)];
        use Merit::{Best, Pareto};
        assert_eq!(standing(&points(&numbers)).merits, [(2, Best), (5, Best), (4, Pareto), (0, Pareto)]);
        assert_eq!(standing(&points(&[(f64::NAN, 1.0)])).merits, []);
    }

    #[test]
    fn one_number_has_a_best_and_no_front() {
        assert_eq!(standing(&latencies(&[(3.0, 3.0), (1.0, 1.0), (2.0, 2.0)])).merits, [(1, Merit::Best)]);
    }

    /// 10 ns was ranked above 10.01 ns although their intervals overlap.
    #[test]
    fn points_that_differ_within_their_intervals_share_a_rank() {
        let latencies = latencies(&[(9.9, 10.1), (9.95, 10.12), (12.0, 12.1), (12.05, 12.3)]);
        assert_eq!(ranks(&latencies), [1, 1, 3, 3]);
        assert_eq!(standing(&latencies).merits, [(0, Merit::Best), (1, Merit::Best)]);
    }

    /// Two identical rows, one of them "best".
    #[test]
    fn where_all_tie_none_is_best() {
        let twins = points(&[(10.0, 5.0), (10.0, 5.0)]);
        assert_eq!(standing(&twins), Standing { merits: Vec::new(), ranks: vec![(0, 1), (1, 1)] });
        assert_eq!(ranks(&latencies(&[(10.0, 10.0), (10.005, 10.005)])), [1, 1]);
        assert_eq!(ranks(&latencies(&[(10.0, 10.0), (10.02, 10.02)])), [1, 2]);
        // One alone is the best there is.
        assert_eq!(standing(&latencies(&[(10.0, 10.0)])).merits, [(0, Merit::Best)]);
    }

    fn intervals() -> impl Strategy<Value = Vec<[(u8, u8); 2]>> {
        let interval = || (0u8..12, 0u8..4);
        prop::collection::vec((interval(), interval()).prop_map(|(one, two)| [one, two]), 0..12)
    }

    proptest! {
        #[test]
        fn every_point_is_where_comparing_it_with_each_other_puts_it(numbers in intervals()) {
            let of = |(low, wide): (u8, u8), larger| {
                wish(10.0 + f64::from(low), 10.0 + f64::from(low + wide), larger)
            };
            let candidates: Vec<Candidate> = numbers.iter().enumerate()
                .map(|(point, [one, two])| (point, of(*one, true), Some(of(*two, false)))).collect();
            let spans: Vec<[Span; 2]> = candidates.iter()
                .map(|(_, one, two)| [Span::of(*one).unwrap(), Span::of(two.unwrap()).unwrap()]).collect();
            let Standing { merits, ranks } = standing(&candidates);
            for (point, rank) in ranks {
                let better = spans.iter().filter(|other| other[0].beats(spans[point][0])).count();
                prop_assert_eq!(rank, 1 + better);
            }
            let is_beaten = |point: usize| spans.iter().any(|other| {
                let beats = |number: usize| other[number].beats(spans[point][number]);
                let is_worse = |number: usize| spans[point][number].beats(other[number]);
                beats(0) && !is_worse(1) || beats(1) && !is_worse(0)
            });
            for point in 0..spans.len() {
                let merit = merits.iter().find(|(known, _)| *known == point).map(|(_, merit)| *merit);
                match merit {
                    Some(Merit::Best) => prop_assert!(!spans.iter().any(|other| other[0].beats(spans[point][0]))),
                    Some(Merit::Pareto) => prop_assert!(!is_beaten(point)),
                    None => prop_assert!(merits.is_empty() || is_beaten(point)),
                }
            }
            // Some point is best unless all tie.
            let best = merits.iter().filter(|(_, merit)| *merit == Merit::Best).count();
            prop_assert!(best > 0 || spans.is_empty() || spans.iter().all(|one| spans.iter().all(|other| !one[0].beats(other[0]))));
        }
    }
}
