//! Whoever watches a measurement on behalf of the user: shows progress, saves results, passes signals on.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use zerohop_experiment::{Event, Executor, Observer};
use zerohop_result::ResultFile;

use crate::executor::Threads;
use crate::failure::Failure;
use crate::panic_report;
use crate::progress::Progress;
use crate::record::Record;

/// Consumes a measurement's events.
#[derive(Debug)]
pub(crate) struct Watcher {
    progress: Progress,
    record: Record,
    interrupted: Arc<AtomicBool>,
    threads: Threads,
    started: Instant,
    begun: bool,
    /// Why the result cannot be kept, found out before anything was measured.
    refused: Option<Failure>,
}

/// What is left of a measurement.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// All that was measured.
    pub(crate) result: ResultFile,
    /// Why it could not be saved, if it could not.
    pub(crate) unsaved: Option<Failure>,
    /// Why the machine could not be left as it was found, if it could not.
    pub(crate) unrestored: Option<Failure>,
}

impl Watcher {
    /// Watches with `progress`, fills `record`, stops when `interrupted` becomes true, and lends `threads` to whatever can
    /// be done at the same time.
    pub(crate) fn new(
        progress: Progress,
        record: Record,
        interrupted: Arc<AtomicBool>,
        threads: Threads,
    ) -> Self {
        Self { progress, record, interrupted, threads, started: Instant::now(), begun: false, refused: None }
    }

    /// Closes the books.
    ///
    /// # Errors
    /// When the result could not be written to before anything was measured, so that nothing was.
    pub(crate) fn finish(mut self) -> Result<Outcome, Failure> {
        self.progress.clear();
        if let Some(failure) = self.refused {
            return Err(failure);
        }
        let (result, unsaved) = self.record.finish();
        Ok(Outcome { result, unsaved, unrestored: None })
    }

    /// Leaves nothing behind, where nothing could be measured.
    pub(crate) fn abandon(self) {
        self.progress.abandon();
        self.record.discard();
    }

    /// The first event tells that the request was found sound: from here on there is a file.
    fn begin(&mut self) {
        if std::mem::replace(&mut self.begun, true) {
            return;
        }
        match self.record.begin() {
            Ok(path) => panic_report::install(path),
            Err(failure) => self.refused = Some(failure),
        }
    }
}

impl Observer for Watcher {
    fn event(&mut self, event: Event<'_>) {
        self.begin();
        if self.refused.is_some() {
            return;
        }
        self.progress.event(&event);
        if let Event::ExperimentFinished { result } = event
            && let Err(failure) = self.record.add(result)
        {
            self.progress.warn(failure.message());
        }
    }

    fn now(&self) -> Duration {
        self.started.elapsed()
    }

    fn interrupted(&self) -> bool {
        self.refused.is_some() || self.interrupted.load(Ordering::Relaxed)
    }

    fn executor(&self) -> &dyn Executor {
        &self.threads
    }
}
