//! When a worker stops: at a tick of the clock, or when the crew is called off.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::clock::Clock;

/// When to stop.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limit<'a> {
    /// Tells the time.
    pub(crate) clock: &'a Clock,
    /// Not after this tick.
    pub(crate) tick: u64,
    /// Not after this was set.
    pub(crate) abort: &'a AtomicBool,
}

impl Limit<'_> {
    /// Whether to stop now.
    #[inline]
    pub(crate) fn reached(&self) -> bool {
        self.clock.mark() >= self.tick || self.abort.load(Ordering::Relaxed)
    }
}
