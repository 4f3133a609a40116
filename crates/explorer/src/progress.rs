//! How far an answer is.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use zerohop_app::Attendant;
use zerohop_experiment::{Event, Observer};

/// Learns how much is done, of how much.
pub type Progress<'a> = dyn Fn(usize, usize) + Sync + 'a;

/// Reports how far an experiment is.
pub(crate) struct Reporting<'a>(pub(crate) &'a Progress<'a>);

impl Observer for Reporting<'_> {
    fn event(&mut self, event: Event<'_>) {
        if let Event::CellStarted { rank, of, .. } = event {
            (self.0)(rank, of);
        }
    }

    /// A simulation has no use for time.
    fn now(&self) -> Duration {
        Duration::ZERO
    }

    /// A page ends the whole worker.
    fn interrupted(&self) -> bool {
        false
    }
}

/// Tells the page how many runs are done.
pub(crate) struct Told<'a> {
    progress: &'a Progress<'a>,
    done: AtomicUsize,
    of: AtomicUsize,
}

impl<'a> Told<'a> {
    /// Nothing is done yet.
    pub(crate) fn by(progress: &'a Progress<'a>) -> Self {
        Self { progress, done: AtomicUsize::new(0), of: AtomicUsize::new(0) }
    }
}

impl Attendant for Told<'_> {
    fn start(&self, requests: usize, _: usize) {
        self.of.fetch_add(requests, Ordering::Relaxed);
    }

    fn advance(&self) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        (self.progress)(done, self.of.load(Ordering::Relaxed));
    }
}
