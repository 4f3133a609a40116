//! An axis of time: a place for each moment, and ticks at round ones.

use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};

/// Free room at both ends, in percent of the width: a dot at an end is whole.
const MARGIN: f64 = 2.0;

const HOUR: i64 = 3_600_000;
const DAY: i64 = 24 * HOUR;

/// Steps of ticks up to some weeks, in milliseconds.
const STEPS: [i64; 9] = [HOUR, 2 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 4 * DAY, 7 * DAY, 14 * DAY];

/// Steps of ticks beyond that, in months.
const MONTHS: [i64; 6] = [1, 2, 3, 6, 12, 60];

/// Ticks of an axis, at most: their labels have room on a phone.
const MOST: i64 = 5;

/// Ticks of years, at most: no calendar goes on for ever.
const MOST_MONTHS: usize = 24;

/// From one moment to another, in milliseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TimeAxis {
    from: i64,
    to: i64,
}

impl TimeAxis {
    /// An axis that has room for all of these moments, and for at least two hours.
    pub(crate) fn over(times: impl Iterator<Item = i64>) -> Self {
        let (from, to) = times.fold((i64::MAX, i64::MIN), |(from, to), time| (from.min(time), to.max(time)));
        if from > to {
            return Self { from: 0, to: DAY };
        }
        let short = (2 * HOUR).saturating_sub(to.saturating_sub(from)).max(0) / 2;
        Self { from: from.saturating_sub(short), to: to.saturating_add(short) }
    }

    /// The place of a moment, in percent of the width.
    pub(crate) fn at(self, time: i64) -> f64 {
        let share = time.saturating_sub(self.from) as f64 / self.to.saturating_sub(self.from).max(1) as f64;
        MARGIN + share.clamp(0.0, 1.0) * (100.0 - 2.0 * MARGIN)
    }

    /// Round moments with their labels.
    pub(crate) fn ticks(self) -> Vec<(i64, String)> {
        let span = self.to.saturating_sub(self.from);
        if let Some(step) = STEPS.into_iter().find(|step| span / step < MOST) {
            let pattern = if step < DAY { "%b %-d, %H:%M" } else { "%b %-d" };
            // A week begins on a Monday; 1970 began on a Thursday.
            let offset = if step >= 7 * DAY { 4 * DAY } else { 0 };
            let first = (self.from - offset).div_euclid(step) * step + offset;
            let all = (0..=MOST + 1).map(|rank| first + rank * step);
            let inside = all.filter(|time| (self.from..=self.to).contains(time));
            return inside.filter_map(|time| Some((time, label(time, pattern)?))).collect();
        }
        self.months().unwrap_or_default()
    }

    fn months(self) -> Option<Vec<(i64, String)>> {
        let span = self.to.saturating_sub(self.from);
        let step = MONTHS.into_iter().find(|months| span / (months * 30 * DAY) < MOST)?;
        let first = Timestamp::from_millisecond(self.from).ok()?.to_zoned(TimeZone::UTC).date();
        let mut day = jiff::civil::date(first.year(), 1, 1);
        let mut ticks = Vec::new();
        while ticks.len() < MOST_MONTHS {
            let time = day.to_zoned(TimeZone::UTC).ok()?.timestamp().as_millisecond();
            if time > self.to {
                break;
            }
            if time >= self.from {
                ticks.push((time, label(time, if step < 12 { "%b %Y" } else { "%Y" })?));
            }
            day = day.checked_add(step.months()).ok()?;
        }
        Some(ticks)
    }
}

fn label(time: i64, pattern: &str) -> Option<String> {
    Some(Timestamp::from_millisecond(time).ok()?.strftime(pattern).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> i64 {
        text.parse::<Timestamp>().unwrap().as_millisecond()
    }

    fn labels(from: &str, to: &str) -> Vec<String> {
        let ticks = TimeAxis::over([at(from), at(to)].into_iter()).ticks();
        ticks.into_iter().map(|(_, label)| label).collect()
    }

    #[test]
    fn ticks_are_at_round_moments() {
        assert_eq!(labels("2026-11-03T04:10:00Z", "2026-11-06T04:10:00Z"), ["Nov 4", "Nov 5", "Nov 6"]);
        // Mondays.
        assert_eq!(
            labels("2026-11-01T00:00:00Z", "2026-11-30T00:00:00Z"),
            ["Nov 2", "Nov 9", "Nov 16", "Nov 23", "Nov 30"]
        );
        assert_eq!(
            labels("2026-05-10T00:00:00Z", "2026-11-30T00:00:00Z"),
            ["Jul 2026", "Sep 2026", "Nov 2026"]
        );
        assert_eq!(labels("2026-11-03T04:10:00Z", "2026-11-03T04:10:00Z"), ["Nov 3, 04:00", "Nov 3, 05:00"]);
    }

    #[test]
    fn any_moments_have_few_ticks_inside() {
        for ends in [[0, i64::MAX], [i64::MIN, i64::MAX], [0, 0], [0, 1], [-1, 4_000_000_000_000]] {
            let axis = TimeAxis::over(ends.into_iter());
            assert!(axis.ticks().len() <= MOST_MONTHS, "{ends:?}");
            assert!(ends.into_iter().all(|time| (0.0..=100.0).contains(&axis.at(time))), "{ends:?}");
        }
        assert_eq!(TimeAxis::over(std::iter::empty()).ticks().len(), 5);
    }
}
