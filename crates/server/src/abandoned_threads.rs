//! Abandoned threads: a thread cannot be ended from outside, so a thread that continues without a waiting client is counted.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};

const RUNNING: u8 = 0;
const ENDED: u8 = 1;
const ABANDONED: u8 = 2;

/// Number of abandoned threads that are still running.
#[derive(Debug, Clone, Default)]
pub(crate) struct Abandoned(Arc<AtomicUsize>);

/// Work of a thread, as seen by the caller that waits for it.
#[derive(Debug, Clone)]
pub(crate) struct Work {
    state: Arc<AtomicU8>,
    abandoned: Arc<AtomicUsize>,
}

/// Work of a thread, as seen by the thread: it has ended once this is dropped.
#[derive(Debug)]
pub(crate) struct Running(Work);

impl Abandoned {
    pub(crate) fn count(&self) -> usize {
        self.0.load(Ordering::Acquire)
    }

    /// Work that is about to begin.
    pub(crate) fn work(&self) -> (Work, Running) {
        let work = Work { state: Arc::new(AtomicU8::new(RUNNING)), abandoned: Arc::clone(&self.0) };
        (work.clone(), Running(work))
    }
}

impl Work {
    pub(crate) fn has_ended(&self) -> bool {
        self.state.load(Ordering::Acquire) == ENDED
    }

    /// Abandons the thread.
    pub(crate) fn abandon(&self) {
        // Counted first, so that a thread that ends at this moment finds itself counted.
        self.abandoned.fetch_add(1, Ordering::AcqRel);
        let is_running =
            self.state.compare_exchange(RUNNING, ABANDONED, Ordering::AcqRel, Ordering::Acquire).is_ok();
        if !is_running {
            self.abandoned.fetch_sub(1, Ordering::AcqRel);
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.0.state.swap(ENDED, Ordering::AcqRel) == ABANDONED {
            self.0.abandoned.fetch_sub(1, Ordering::AcqRel);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_counts_from_when_it_is_abandoned_until_it_ends() {
        let abandoned = Abandoned::default();
        let (work, running) = abandoned.work();
        assert_eq!((abandoned.count(), work.has_ended()), (0, false));
        work.abandon();
        work.abandon();
        assert_eq!(abandoned.count(), 1);
        drop(running);
        assert_eq!((abandoned.count(), work.has_ended()), (0, true));
        work.abandon();
        assert_eq!(abandoned.count(), 0);
    }
}
