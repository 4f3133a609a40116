//! Time limit for the minimum number of visits.
//!
//! Every measurement should be visited a few times, however little time there is. On a busy host, a visit takes many times its planned time, so that
//! also needs a limit. A budget that the user set is a deadline: measurements that do not fit are not begun.

use std::time::Duration;

use crate::budget::{Budget, TourTime};
use crate::protocol::{FEWEST, Protocol, overrun};

/// Limits at which a tour gives up the minimum number of visits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limits {
    /// The end of the whole budget: memory that fills slowly moves the tour's end no further.
    pub(crate) latest: Duration,
    /// Until then, measurements are visited [`FEWEST`] times.
    full: Duration,
}

impl Limits {
    /// The limits of a tour that begins now. A time of our choice is a forecast, which may be exceeded three times for the sake of better
    /// intervals.
    pub(crate) fn new(protocol: &Protocol, budget: &Budget, time: &TourTime, now: Duration) -> Self {
        let part = time.ends.saturating_sub(now);
        let full = match protocol.budget {
            Some(_) => Duration::ZERO,
            None => time.ends + overrun(part) * 4,
        };
        Self { latest: budget.ends(), full }
    }

    /// The number of visits that every measurement gets at this time, even if the tour should have ended.
    pub(crate) const fn fewest(self, now: Duration) -> u32 {
        if now.as_nanos() <= self.full.as_nanos() && !self.full.is_zero() { FEWEST as u32 } else { 0 }
    }
}
