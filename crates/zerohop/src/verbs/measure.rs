//! What `survey` and `run` share: an engine, a watcher, and what comes of them.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use zerohop_experiment::{Completion, ExperimentError, Observer, Options};
use zerohop_host::HostEngine;
use zerohop_workload::Engine;

use super::Ending;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::record::Record;
use crate::root::Root;
use crate::signals;
use crate::terminal;
use crate::watcher::{Outcome, Watcher};

/// The machine this runs on, ready to be measured.
#[derive(Debug)]
pub(super) struct Session {
    engine: HostEngine,
    interrupted: Arc<AtomicBool>,
    quiet: bool,
}

impl Session {
    /// Reads the machine and makes the engine ready.
    ///
    /// # Errors
    /// When it cannot be read, or not be measured (no clock that is good enough).
    pub(super) fn open(root: &Root, quiet: bool) -> Result<Self, Failure> {
        let machine = root.machine()?;
        let interrupted = signals::watch()
            .map_err(|error| Failure::new(format_args!("cannot watch for signals: {error}")))?;
        let engine = HostEngine::new(machine, Arc::clone(&interrupted))
            .map_err(|error| Failure::new(&error).hint(error.hint()))?;
        Ok(Self { engine, interrupted, quiet })
    }

    /// The name of the machine.
    pub(super) fn machine_name(&self) -> &str {
        &self.engine.machine().name
    }

    /// Measures with `work`, keeping the result at `path`.
    ///
    /// # Errors
    /// When the request does not fit the machine, or the result cannot be written there; then nothing was measured.
    pub(super) fn measure<R>(
        mut self,
        options: &Options,
        path: Option<PathBuf>,
        work: impl FnOnce(&mut dyn Engine, &mut dyn Observer) -> Result<R, ExperimentError>,
    ) -> Result<Outcome, Failure> {
        let record = Record::new(&self.engine, options.settings(), path);
        let mut watcher = Watcher::new(Progress::new(self.quiet), record, self.interrupted);
        match work(&mut self.engine, &mut watcher) {
            Ok(_) => watcher.finish(),
            Err(error) => {
                watcher.abandon();
                Err(Failure::new(&error).maybe_hint(error.hint()))
            }
        }
    }
}

/// Says what became of a measurement whose page has been printed.
///
/// # Errors
/// When the result could not be saved.
pub(super) fn conclude(outcome: Outcome, path: Option<&Path>, quiet: bool) -> Result<Ending, Failure> {
    if let Some(failure) = outcome.unsaved {
        return Err(failure);
    }
    let ending = match outcome.result.completion {
        Completion::Interrupted => Ending::Interrupted,
        Completion::Complete | Completion::Running => Ending::Done,
    };
    if !quiet {
        if ending == Ending::Interrupted {
            terminal::say("interrupted: this is what was measured until then");
        }
        if let Some(path) = path {
            terminal::say(&format!("result: {}", path.display()));
        }
    }
    Ok(ending)
}
