//! Watches a measurement for the user: shows progress, saves results, passes signals on.

use std::time::{Duration, Instant};

use zerohop_app::Ran;
use zerohop_experiment::{Event, Executor, Meter, Observer};
use zerohop_result::ResultFile;
use zerohop_workload::StopFlag;

use crate::executor::Threads;
use crate::failure::Failure;
use crate::panic_report;
use crate::progress::Progress;
use crate::record::Record;
use crate::signals::Begun;

/// Consumes a measurement's events.
#[derive(Debug)]
pub(crate) struct Watcher {
    progress: Progress,
    record: Record,
    stop: StopFlag,
    for_signals: Begun,
    threads: Threads,
    started: Instant,
    begun: bool,
    /// Why the result cannot be saved, if known before anything was measured.
    refused: Option<Failure>,
}

/// The outcome of a measurement.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) result: ResultFile,
    /// Why the result could not be saved, if so.
    pub(crate) unsaved: Option<Failure>,
    /// Why the machine's settings could not be restored, if so.
    pub(crate) unrestored: Option<Failure>,
}

impl Watcher {
    /// Shows `progress`, fills `record`, starts nothing new once `stop` is raised, and lends `threads` to parallel
    /// work. Marks when it begins to save. Its time counts from `started` on.
    pub(crate) fn new(
        progress: Progress,
        record: Record,
        (stop, for_signals): (StopFlag, Begun),
        threads: Threads,
        started: Instant,
    ) -> Self {
        Self { progress, record, stop, for_signals, threads, started, begun: false, refused: None }
    }

    /// Finishes the measurement, whose time went into this.
    ///
    /// # Errors
    /// When the result file could not be written before the measurement, which therefore did not start.
    pub(crate) fn finish(mut self, ran: Ran) -> Result<Outcome, Failure> {
        self.progress.clear();
        if let Some(failure) = self.refused {
            return Err(failure);
        }
        let (result, unsaved) = self.record.finish(ran);
        Ok(Outcome { result, unsaved, unrestored: None })
    }

    /// Removes the file again, if nothing could be measured.
    pub(crate) fn abandon(self) {
        self.progress.abandon();
        self.record.discard();
    }

    /// The first event means that the request is valid: from here on there is a file.
    fn begin(&mut self) {
        if std::mem::replace(&mut self.begun, true) {
            return;
        }
        self.for_signals.begin();
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
        let saved = match event {
            Event::ExperimentFinished { result } => self.record.add(result),
            Event::Checkpoint { results, .. } => self.record.keep(results),
            _ => Ok(()),
        };
        if let Err(failure) = saved {
            self.progress.warn(failure.message());
        }
    }

    fn preparing(&mut self) {
        self.progress.preparing();
    }

    fn now(&self) -> Duration {
        self.started.elapsed()
    }

    fn interrupted(&self) -> bool {
        self.refused.is_some() || self.stop.is_raised()
    }

    fn executor(&self) -> &dyn Executor {
        &self.threads
    }

    fn meter(&self) -> &dyn Meter {
        &self.progress
    }
}
