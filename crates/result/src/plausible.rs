//! Range of times that a correctly set clock may show.

/// The start of the year 2000, in milliseconds since 1970: a clock that was never set says 1970.
const EARLIEST: i64 = 946_684_800_000;

/// The start of the year 2026, in which the first version of zerohop was written: nothing that it measured can be older. Texts of other tools
/// can.
const FIRST_VERSION: i64 = 1_767_225_600_000;

/// How far two clocks may be apart, in milliseconds: a day, as much as a wrong time zone makes.
const TOLERANCE: i64 = 24 * 60 * 60 * 1000;

/// The times at which something may have begun, as seen from a time: from 2000 on, until a day later than that. In milliseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlausibleTimes {
    latest: i64,
}

impl PlausibleTimes {
    /// The first time that can be right.
    pub const EARLIEST: i64 = EARLIEST;

    /// The first time at which zerohop can have measured.
    pub const FIRST_VERSION: i64 = FIRST_VERSION;

    /// Range as seen at this time; without an upper end if that clock was never set.
    pub const fn seen_at(now: i64) -> Self {
        Self { latest: if now < EARLIEST { i64::MAX } else { now.saturating_add(TOLERANCE) } }
    }

    /// The last time that can be right.
    pub const fn latest(self) -> i64 {
        self.latest
    }

    /// Whether a time can be right.
    pub const fn hold(self, time: i64) -> bool {
        EARLIEST <= time && time <= self.latest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_before_2000_or_more_than_a_day_ahead_is_no_time() {
        let (now, day) = (1_795_000_000_000, 86_400_000);
        let holds = |time| PlausibleTimes::seen_at(now).hold(time);
        assert!(holds(now) && holds(now + day) && holds(EARLIEST));
        assert!(!holds(now + day + 1) && !holds(0) && !holds(EARLIEST - 1));
        assert!(PlausibleTimes::seen_at(0).hold(now), "a clock that was never set");
    }
}
