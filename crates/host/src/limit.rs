//! When a worker stops: at a tick of the clock, or when the sample is aborted.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::clock::Clock;

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
}
