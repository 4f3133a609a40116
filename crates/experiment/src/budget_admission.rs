//! Admission of measurements to a budget.
//!
//! A budget is a deadline. A value of one or two rounds is worth little, so a measurement is begun only if it and all begun ones get [`FEWEST`]
//! rounds before the deadline, at the pace of this host so far: four rounds of half of the cells are better than two of all.

use std::time::Duration;

use zerohop_statistics::median;

use crate::protocol::FEWEST;

/// Known times of one measurement's visits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Visits {
    /// Number of visits.
    pub(crate) count: u32,
    /// Expected time of a visit once memory is filled, and of filling it at first, on a quiet host.
    pub(crate) expected: Duration,
    pub(crate) expected_to_prepare: Duration,
    /// The time of all visits after the first.
    pub(crate) again: Duration,
}

/// Ratio of this host's times to the expected ones.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Pace {
    filling: f64,
    visiting: f64,
}

/// No host is much faster than what is expected of a quiet one.
const FASTEST: f64 = 0.5;

/// A cell wants twice the fewest rounds.
const WANTED: u32 = 2 * FEWEST as u32;

impl Visits {
    /// The expected time of another visit.
    pub(crate) fn next(&self, pace: Pace) -> Duration {
        match self.count {
            0 | 1 => self.expected.mul_f64(pace.visiting),
            count => self.again / (count - 1),
        }
    }

    /// The expected time until there are so many visits.
    pub(crate) fn until(&self, count: u32, pace: Pace) -> Duration {
        let filling =
            if self.count == 0 { self.expected_to_prepare.mul_f64(pace.filling) } else { Duration::ZERO };
        filling.saturating_add(self.next(pace).saturating_mul(count.saturating_sub(self.count)))
    }
}

impl Pace {
    /// Pace of the visits so far: `filling` are the expected and the actual time to fill all memory that was filled, and `first` the ratios of actual
    /// to expected time of first visits, which include trials of kernels.
    pub(crate) fn of(visits: &[Visits], filling: (Duration, Duration), first: &[f64]) -> Self {
        let again = visits.iter().filter(|visits| visits.count > 1);
        let again =
            again.map(|visits| visits.next(Self::EXPECTED).as_secs_f64() / visits.expected.as_secs_f64());
        let visiting = median(again).or_else(|| median(first.iter().copied())).unwrap_or(1.0);
        let filling = match filling.0.is_zero() {
            true => 1.0,
            false => filling.1.as_secs_f64() / filling.0.as_secs_f64(),
        };
        Self { filling: filling.max(FASTEST), visiting: visiting.max(FASTEST) }
    }

    const EXPECTED: Self = Self { filling: 1.0, visiting: 1.0 };
}

/// Whether the measurement at `rank` can begin, so that it and all begun ones get the minimum number of rounds in the remaining time.
pub(crate) fn has_room(visits: &[Visits], rank: usize, pace: Pace, left: Duration) -> bool {
    let begun = visits.iter().enumerate().filter(|(other, visits)| visits.count > 0 || *other == rank);
    begun.map(|(_, visits)| visits.until(FEWEST as u32, pace)).sum::<Duration>() <= left
}

/// The last of the measurements that have begun, if not all of them can get the fewest rounds in the time that is left.
pub(crate) fn last_without_room(visits: &[Visits], pace: Pace, left: Duration) -> Option<usize> {
    let short = |visits: &Visits| (1..FEWEST as u32).contains(&visits.count);
    let needed: Duration =
        visits.iter().filter(|visits| short(visits)).map(|visits| visits.until(FEWEST as u32, pace)).sum();
    let more_than_one = visits.iter().filter(|visits| visits.count > 0).count() > 1;
    (needed > left && more_than_one).then(|| visits.iter().rposition(short))?
}

/// The time that these measurements still need for twice the fewest rounds.
pub(crate) fn needed(visits: &[Visits], pace: Pace) -> Duration {
    visits.iter().map(|visits| visits.until(WANTED, pace)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    fn visits(count: u32) -> Visits {
        Visits {
            count,
            expected: 10 * MS,
            expected_to_prepare: 100 * MS,
            again: 20 * MS * count.saturating_sub(1),
        }
    }

    #[test]
    fn a_measurement_begins_only_if_all_that_have_begun_get_four_rounds() {
        let all = [visits(1), visits(0), visits(0)];
        // 3 visits of the first, and 4 with filling of another.
        assert!(has_room(&all, 1, Pace::EXPECTED, 170 * MS) && !has_room(&all, 1, Pace::EXPECTED, 169 * MS));
    }

    #[test]
    fn what_visits_took_counts_more_than_what_was_expected() {
        let all = [visits(3), visits(1), visits(0)];
        let pace = Pace::of(&all, (100 * MS, 200 * MS), &[9.0, 1.0]);
        assert_eq!(pace, Pace { filling: 2.0, visiting: 2.0 });
        assert_eq!(
            Pace::of(&all[1..], (Duration::ZERO, MS), &[9.0, 1.0, 1.5]),
            Pace { filling: 1.0, visiting: 1.5 }
        );
        assert_eq!(needed(&all, pace), (5 + 7) * 20 * MS + 200 * MS + 8 * 20 * MS);
    }

    #[test]
    fn the_last_makes_room_for_the_others() {
        let all = [visits(2), visits(2), visits(0)];
        assert_eq!(last_without_room(&all, Pace::EXPECTED, 80 * MS), None);
        assert_eq!(last_without_room(&all, Pace::EXPECTED, 79 * MS), Some(1));
        assert_eq!(last_without_room(&all[1..], Pace::EXPECTED, MS), None, "something is measured");
        assert_eq!(last_without_room(&[visits(4), visits(5)], Pace::EXPECTED, MS), None);
    }
}
