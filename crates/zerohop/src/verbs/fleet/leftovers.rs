//! What an earlier run has left in the directory of a fleet, if it was killed: results that are no longer whole, programs that run still, or a run that goes
//! on.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use zerohop_launch::{NotWhole, Round, TaskState, folded};
use zerohop_result::{Completion, ResultFile};
use zerohop_units::counted;
use zerohop_workload::StopFlag;

use crate::failure::Failure;
use crate::guarded_path::GuardedPath;
use crate::programs::Programs;
use crate::terminal;

/// The file whose lock keeps a second run from the directory.
const LOCK: &str = ".lock";

/// How long to wait for programs of an earlier run, which end when that run does, and the time between two looks.
const ORPHANS: Duration = Duration::from_secs(60);
const LOOK: Duration = Duration::from_millis(50);

/// The directory of a fleet, in which no other run works until this is dropped.
#[derive(Debug)]
pub(super) struct DirectoryLock {
    _file: File,
}

/// Locks the directory of a fleet.
///
/// # Errors
/// When another run works in it, or nothing can be written there.
pub(super) fn lock(directory: &Path) -> Result<DirectoryLock, Failure> {
    let path = directory.join(LOCK);
    let file = GuardedPath::of_file(&path).map_err(Into::into).and_then(|place| place.open());
    let file =
        file.map_err(|error| Failure::new(format_args!("cannot write `{}`: {error}", path.display())))?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => {
            Err(Failure::new(format_args!("another run is surveying the fleet in `{}`", directory.display()))
                .hint("wait for it to finish, or choose another directory"))
        }
        // Some network file systems have no locks.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(DirectoryLock { _file: file }),
    }
}

/// Checks that a text is the result of a survey that came to its end.
pub(super) fn whole_survey(text: &str) -> Result<(), String> {
    let result = ResultFile::read(text).map_err(|error| error.to_string())?;
    match result.completion {
        Completion::Complete => Ok(()),
        Completion::Running | Completion::Interrupted => Err("the survey did not finish".to_owned()),
    }
}

/// Takes a round over from a run that may have been killed.
pub(super) fn take_over(round: &mut Round, directory: &Path, stop: &StopFlag, quiet: bool) {
    let programs = Programs::whose_results(whole_survey);
    for (node, why) in round.look_at_results(directory, &programs) {
        terminal::say(&terminal::warning_line(&match why {
            NotWhole::Absent => format!("the result of {node} is missing; surveying it again"),
            NotWhole::Otherwise(why) => format!(
                "the result of {node} is incomplete ({why}); renamed it to `{}`, and surveying {node} again",
                Round::cut_of(directory, &node).display()
            ),
        }));
    }
    let until = Instant::now() + ORPHANS;
    let mut announced = false;
    loop {
        let orphans = round.orphans(directory, &programs);
        if orphans.is_empty() || stop.is_raised() {
            return;
        }
        if Instant::now() >= until {
            for task in orphans {
                let why = "its survey from an earlier run is still running; end it, and resume again";
                task.state = TaskState::Failed(why.to_owned());
            }
            return;
        }
        if !announced && !quiet {
            announced = true;
            terminal::say(&format!(
                "waiting for {} of an earlier run to end: {}",
                counted(orphans.len(), "program"),
                folded(orphans.iter().map(|task| task.name.as_str()))
            ));
        }
        thread::sleep(LOOK);
    }
}
