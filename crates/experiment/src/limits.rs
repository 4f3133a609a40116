//! How long the fewest visits may take.
//!
//! Every measurement should be visited a few times, however little time there is. On a busy host, a visit takes many times what was
//! planned for it, so that also needs a limit: a run that takes ten times its budget keeps no promise.

use std::time::Duration;

use crate::budget::{Budget, TourTime};
use crate::protocol::{FEWEST, FEWEST_BEYOND_BUDGET, Protocol, overrun};

/// When a tour gives up the fewest visits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limits {
    /// The end of the whole budget: memory that fills slowly moves the tour's end no further.
    pub(crate) latest: Duration,
    /// Until then, measurements are visited [`FEWEST`] times.
    full: Duration,
    /// Until then, [`FEWEST_BEYOND_BUDGET`] times.
    reduced: Duration,
}

impl Limits {
    /// The limits of a tour that begins now. A budget that the user set is a promise, kept within [`overrun`]. A time of our choice is
    /// a forecast, which may be exceeded three times for the sake of better intervals.
    pub(crate) fn new(protocol: &Protocol, budget: &Budget, time: &TourTime, now: Duration) -> Self {
        let latest = budget.ends();
        let part = time.ends.saturating_sub(now);
        match protocol.budget {
            Some(budget) => {
                let own = time.ends.saturating_add(overrun(part));
                Self { latest, full: now, reduced: own.min(latest.saturating_add(overrun(budget))) }
            }
            None => {
                Self { latest, full: time.ends + overrun(part) * 2, reduced: time.ends + overrun(part) * 4 }
            }
        }
    }

    /// The number of visits that every measurement gets at this time, even if the tour should have ended.
    pub(crate) fn fewest(self, now: Duration) -> u32 {
        let fewest = if now <= self.full {
            FEWEST
        } else if now <= self.reduced {
            FEWEST_BEYOND_BUDGET
        } else {
            0
        };
        fewest as u32
    }
}
