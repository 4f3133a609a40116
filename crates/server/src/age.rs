//! How long ago something was, in words that stay true for some minutes.

use std::time::{SystemTime, UNIX_EPOCH};

use zerohop_result::Timestamp;

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
pub(crate) const DAY: i64 = 24 * HOUR;

/// A page that tells ages is made again after this time, in seconds.
const FRESH: i64 = 10 * MINUTE;

/// The present time, in seconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Now(i64);

impl Now {
    pub(crate) fn of_clock() -> Self {
        Self::at(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs() as i64)
    }

    pub(crate) const fn at(seconds: i64) -> Self {
        Self(seconds)
    }

    /// A number that changes when pages that tell ages are no longer true.
    pub(crate) const fn period(self) -> i64 {
        self.0.div_euclid(FRESH)
    }

    /// Seconds since that time.
    pub(crate) fn since(self, time: Timestamp) -> i64 {
        self.0.saturating_sub(time.get().as_second())
    }

    /// The date so many days ago, as addresses have it.
    pub(crate) fn days_ago(self, days: i64) -> String {
        let then = jiff::Timestamp::from_second(self.0 - days * DAY).unwrap_or_default();
        then.strftime("%Y-%m-%d").to_string()
    }
}

/// `3 hours ago`.
pub(crate) fn age(now: Now, time: Option<Timestamp>) -> String {
    let Some(time) = time else { return "unknown".to_owned() };
    let some = |count: i64, what: &str| format!("{count} {what}{} ago", if count == 1 { "" } else { "s" });
    match now.since(time) {
        ..HOUR => "within the hour".to_owned(),
        seconds @ HOUR..DAY => some(seconds / HOUR, "hour"),
        seconds => some(seconds / DAY, "day"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_rounded_down() {
        let now = Now::at("2026-11-22T10:15:00Z".parse::<jiff::Timestamp>().unwrap().as_second());
        for (time, words) in [
            ("2026-11-22T10:15:00Z", "within the hour"),
            ("2026-11-23T10:15:00Z", "within the hour"),
            ("2026-11-22T09:15:00Z", "1 hour ago"),
            ("2026-11-21T10:15:01Z", "23 hours ago"),
            ("2026-11-21T10:15:00Z", "1 day ago"),
            ("2025-11-21T10:15:00Z", "366 days ago"),
        ] {
            assert_eq!(age(now, Some(time.parse().unwrap())), words, "{time}");
        }
        assert_eq!(age(now, None), "unknown");
        assert_eq!(now.days_ago(30), "2026-10-23");
    }
}
