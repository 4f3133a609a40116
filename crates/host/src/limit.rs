//! When a worker stops: at a tick of the clock, or when the sample is aborted.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::clock::Clock;

/// Counters of the CPUs between which a hypervisor moves a worker may differ by less than this.
const SLACK: Duration = Duration::from_millis(1);

/// The end of a worker's sample.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limit<'a> {
    /// The clock of `tick`.
    pub(crate) clock: &'a Clock,
    /// The worker stops at this tick at the latest.
    pub(crate) tick: u64,
    /// The worker stops soon after this is set.
    pub(crate) abort: &'a AtomicBool,
}

impl Limit<'_> {
    /// Whether to stop now.
    #[inline]
    pub(crate) fn reached(&self) -> bool {
        self.clock.mark() >= self.tick || self.abort.load(Ordering::Relaxed)
    }

    /// Spins, without a system call, until then. Returns whether the clock went on all the time: a machine that was suspended may begin
    /// to count anew, and would never get there.
    #[inline]
    pub(crate) fn wait(&self) -> bool {
        spin(|| self.clock.mark(), self.tick, self.clock.ticks(SLACK), self.abort)
    }
}

#[inline]
fn spin(mark: impl Fn() -> u64, until: u64, slack: u64, abort: &AtomicBool) -> bool {
    let mut last = mark();
    while last < until && !abort.load(Ordering::Relaxed) {
        std::hint::spin_loop();
        let now = mark();
        if now.saturating_add(slack) < last {
            return false;
        }
        last = now;
    }
    true
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// Spins until tick 100 by a clock that shows these ticks. Returns whether it went on, and how many were left.
    fn spun(ticks: &[u64], abort: bool) -> (bool, usize) {
        let next = Cell::new(0);
        let mark = || {
            next.set(next.get() + 1);
            ticks[next.get() - 1]
        };
        let steady = spin(mark, 100, 10, &AtomicBool::new(abort));
        (steady, ticks.len() - next.get())
    }

    /// A worker spun on for as long as the machine had been up before it was suspended, and so did whoever waited for its end.
    #[test]
    fn nobody_waits_for_a_clock_that_began_anew_nor_after_an_abort() {
        assert_eq!(spun(&[10, 60, 55, 99, 100], false), (true, 0));
        assert_eq!(spun(&[10, 60, 3, 5, 7], false), (false, 2));
        assert_eq!(spun(&[10, 60, 70], true), (true, 2));
    }
}
