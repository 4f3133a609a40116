//! What fleets and sweeps share where a launcher starts their tasks: options of schedulers, and the wait for what was started.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use zerohop_app::Files;
use zerohop_launch::{LaunchError, Offer, Round, Setup, SlurmOptions, Tally, folded, node_list};
use zerohop_workload::StopFlag;

use crate::arguments::LaunchArguments;
use crate::atomic_file::WholeFile;
use crate::failure::Failure;
use crate::programs::{Check, Programs};
use crate::text_file::Disk;

/// The record of a round, in its directory.
const RECORD: &str = ".round.json";

/// How long to wait between two looks: at children, and at a scheduler, which others ask, too.
const CHILDREN: Duration = Duration::from_millis(50);
const SCHEDULER: Duration = Duration::from_secs(2);

/// Tasks of a scheduler that run or wait at once, by default.
pub(crate) const AT_ONCE: usize = 200;

/// Why a launcher could not do what it should, for the user.
pub(crate) fn launch_failure(error: LaunchError) -> Failure {
    let hint = error.hint();
    Failure::new(error).hint(hint)
}

/// The program on nodes that share this file system.
pub(crate) fn program(arguments: &LaunchArguments) -> Result<PathBuf, Failure> {
    match &arguments.program {
        Some(program) => Ok(program.clone()),
        None => std::env::current_exe().map_err(|error| {
            Failure::new(format_args!("cannot find the path of this program: {error}"))
                .hint("give its path with --program")
        }),
    }
}

/// Slurm as the user wants it, for tasks that begin with these words. Without `cpus`, each has its node for itself.
pub(crate) fn slurm(words: Vec<String>, arguments: &LaunchArguments, cpus: Option<usize>) -> SlurmOptions {
    let LaunchArguments { slurm, time, .. } = arguments;
    let allocated = || std::env::var("SLURM_JOB_NODELIST").ok();
    SlurmOptions {
        words,
        options: slurm.options(time.as_ref()),
        partition: slurm.partition.clone(),
        in_allocation: slurm.in_allocation,
        allocated: if slurm.in_allocation { allocated() } else { None },
        cpus,
    }
}

/// The nodes of a scheduler that are wanted. Those that take a task come first.
pub(crate) fn offers_of(setup: &Setup, count: Option<usize>) -> Result<Vec<Offer>, Failure> {
    let mut offers = setup.launcher().nodes(&Programs::whose_results(well_formed)).map_err(launch_failure)?;
    if let Some(count) = count {
        offers.sort_by_key(|offer| offer.refused.is_some());
        offers.truncate(count);
    }
    Ok(offers)
}

/// The nodes of a list.
pub(crate) fn named(list: &str) -> Result<Vec<String>, Failure> {
    node_list(list).map_err(|error| {
        Failure::new(error).hint("use the form `n[001-016,20],m3`, or names separated by commas")
    })
}

/// The record of the round in this directory.
pub(crate) fn record_of(directory: &Path) -> PathBuf {
    directory.join(RECORD)
}

/// The round in this directory.
///
/// # Errors
/// When there is none that this version reads; the hints say how to mend it.
pub(crate) fn read_round(directory: &Path, missing: &str, unread: &str) -> Result<Round, Failure> {
    let record = record_of(directory);
    let text = Disk.read_text(&record, missing)?;
    Round::read(&text)
        .map_err(|error| Failure::new(format_args!("`{}`: {error}", record.display())).hint(unread))
}

/// Checks that a text is whole: one document of JSON, whatever it says.
pub(crate) fn well_formed(text: &str) -> Result<(), String> {
    serde_json::from_str::<serde_json::Value>(text).map(drop).map_err(|error| error.to_string())
}

/// Names tasks of which the same is to be said together, in the order in which they come: the names folded, how many there are, and what is said.
pub(crate) fn named_together<'a>(
    said: impl IntoIterator<Item = (&'a str, String)>,
) -> Vec<(String, usize, String)> {
    let mut together: Vec<(Vec<&str>, String)> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for (name, what) in said {
        let place = *places.entry(what.clone()).or_insert(together.len());
        match together.get_mut(place) {
            Some((names, _)) => names.push(name),
            None => together.push((vec![name], what)),
        }
    }
    together.into_iter().map(|(names, what)| (folded(names.iter().copied()), names.len(), what)).collect()
}

/// Carries a round on until it is over or `stop` is raised, which cancels what was started. Results are checked so. Its record is saved after each change, and
/// `changed` is then called.
///
/// # Errors
/// When the launcher does not answer, the record cannot be saved, or `changed` fails.
pub(crate) fn carry_on(
    round: &mut Round,
    directory: &Path,
    stop: &StopFlag,
    check: Check,
    mut changed: impl FnMut(&mut Round) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let record = WholeFile::at(&record_of(directory))?;
    let is_new = !record_of(directory).exists();
    // From here on the round is gone on with, and not begun anew: this process may be killed before it has recorded what it starts.
    record.replace(round.text().into_bytes())?;
    let programs = Programs::whose_results(check);
    let pause = if round.setup.has_children() { CHILDREN } else { SCHEDULER };
    while !round.is_over() && !stop.is_raised() {
        match advance(round, directory, stop, &programs, &record) {
            Ok(false) => {}
            Ok(true) => changed(round)?,
            Err(failure) => {
                let Tally { started, done, .. } = round.tally();
                if is_new && started + done == 0 {
                    // Nothing was begun: the same command may be tried again.
                    let _ = fs::remove_file(record_of(directory));
                } else {
                    record.replace(round.text().into_bytes())?;
                }
                return Err(failure);
            }
        }
        if !round.is_over() && !stop.is_raised() {
            thread::sleep(pause);
        }
    }
    if stop.is_raised() {
        round.stop(&programs).map_err(launch_failure)?;
    }
    record.replace(round.text().into_bytes())
}

/// One step: looks after what was started, and starts what there is room for. Whether anything changed, which is then saved.
fn advance(
    round: &mut Round,
    directory: &Path,
    stop: &StopFlag,
    programs: &Programs,
    record: &WholeFile,
) -> Result<bool, Failure> {
    let save = |round: &Round| record.replace(round.text().into_bytes());
    // A job that is not in the record when this process is killed would be started again. Programs of this process end with it.
    let saves_each = !round.setup.has_children();
    let mut changed = round.look_after(directory, programs).map_err(launch_failure)?;
    while !stop.is_raised() && round.start_next(directory, programs).map_err(launch_failure)? {
        changed = true;
        if saves_each {
            save(round)?;
        }
    }
    if changed {
        save(round)?;
    }
    Ok(changed)
}
