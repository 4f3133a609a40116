//! The result as it grows, and its file on the disk.

use std::path::PathBuf;

use uuid::Uuid;
use zerohop_app::{Occasion, PartialResult, Ran, host_identity};
use zerohop_host::HostTree;
use zerohop_report::json;
use zerohop_result::{ExperimentResult, MeasuringSettings, ResultFile, RunId, Timestamp};
use zerohop_workload::Engine;

use crate::atomic_file::{HeldFile, WholeFile, make_directory};
use crate::failure::Failure;

/// A result that is written to its file again after every experiment, and while long ones go on.
#[derive(Debug)]
pub(crate) struct Record {
    result: PartialResult,
    state: State,
}

/// The state of the file on the disk.
#[derive(Debug)]
enum State {
    /// The result is not saved.
    NotKept,
    /// Nothing yet; the path where it will be.
    Wanted(PathBuf),
    /// A file that is complete up to the last checkpoint.
    StoredResult(HeldFile),
}

impl Record {
    /// A result without experiments, to be saved at `path`. Nothing is written yet.
    pub(crate) fn new(engine: &dyn Engine, settings: MeasuringSettings, path: Option<PathBuf>) -> Self {
        Self {
            result: PartialResult::new(engine, settings, occasion),
            state: path.map_or(State::NotKept, State::Wanted),
        }
    }

    /// Writes the file for the first time, before the measurement: a failure to write should show before a long
    /// measurement.
    ///
    /// Returns the path if this created the file.
    ///
    /// # Errors
    /// When its directory cannot be created, the file cannot be written, or another run is writing it.
    pub(crate) fn begin(&mut self) -> Result<Option<PathBuf>, Failure> {
        let State::Wanted(path) = &self.state else { return Ok(None) };
        if let Some(directory) = path.parent() {
            make_directory(directory)?;
        }
        let file = WholeFile::at(path)?.hold(json::result_json(self.result.so_far()))?;
        let path = file.path().to_owned();
        self.state = State::StoredResult(file);
        Ok(Some(path))
    }

    /// Adds an experiment, and saves the result.
    ///
    /// # Errors
    /// When it could not be saved. The measurement may go on: saving is tried again after the next experiment.
    pub(crate) fn add(&mut self, experiment: &ExperimentResult) -> Result<(), Failure> {
        self.result.add(experiment);
        self.save()
    }

    /// Saves the result with what there is of the experiments in progress. It does not count yet: they go on.
    ///
    /// # Errors
    /// As for [`Record::add`].
    pub(crate) fn keep(&mut self, running: &[ExperimentResult]) -> Result<(), Failure> {
        let State::StoredResult(file) = &mut self.state else { return Ok(()) };
        self.result.with_running(running, |result| file.replace(json::result_json(result)))
    }

    /// Closes the result, whose time went into this, saves it for the last time, and returns it with the failure to save, if any.
    pub(crate) fn finish(mut self, ran: Ran) -> (ResultFile, Option<Failure>) {
        self.result.close(ran, now);
        let failure = self.save().err();
        (self.result.into_result(), failure)
    }

    /// Removes the file again: nothing could be measured.
    pub(crate) fn discard(self) {
        if let State::StoredResult(file) = self.state {
            file.remove();
        }
    }

    fn save(&mut self) -> Result<(), Failure> {
        match &mut self.state {
            State::NotKept | State::Wanted(_) => Ok(()),
            State::StoredResult(file) => file.replace(json::result_json(self.result.so_far())),
        }
    }
}

/// The measurement of this host that begins now.
fn occasion() -> Occasion {
    let variable = |name: &str| std::env::var(name).ok();
    // Ids of later runs are greater, so that they sort by time.
    Occasion {
        run: RunId(Uuid::now_v7()),
        started_at: now(),
        host: host_identity(&HostTree::live(), variable),
    }
}

/// What time it is.
pub(crate) fn now() -> Timestamp {
    Timestamp::to_the_second(jiff::Timestamp::now())
}
