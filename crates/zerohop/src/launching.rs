//! What fleets and sweeps share where a launcher starts their tasks: options of schedulers, and the wait for what was started.

use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use zerohop_app::Files;
use zerohop_fleet::{LaunchError, Offer, Round, Setup, SlurmOptions, node_list};
use zerohop_workload::StopFlag;

use crate::arguments::LaunchArguments;
use crate::failure::Failure;
use crate::programs::Programs;
use crate::text_file::Disk;
use crate::whole_file::WholeFile;

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
            Failure::new(format_args!("cannot find this program: {error}")).hint("name it with --program")
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
    let mut offers = setup.launcher().nodes(&Programs::default()).map_err(launch_failure)?;
    if let Some(count) = count {
        offers.sort_by_key(|offer| offer.refused.is_some());
        offers.truncate(count);
    }
    Ok(offers)
}

/// The nodes of a list.
pub(crate) fn named(list: &str) -> Result<Vec<String>, Failure> {
    node_list(list)
        .map_err(|error| Failure::new(error).hint("write `n[001-016,20],m3`, or names with commas"))
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

/// Carries a round on until it is over or `stop` is raised, which cancels what was started. Its record is saved after each change, and `changed` is
/// then called.
///
/// # Errors
/// When the launcher does not answer, the record cannot be saved, or `changed` fails.
pub(crate) fn carry_on(
    round: &mut Round,
    directory: &Path,
    stop: &StopFlag,
    mut changed: impl FnMut(&mut Round) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let record = WholeFile::at(&record_of(directory))?;
    let programs = Programs::default();
    let pause = match &round.setup {
        Setup::Slurm(options) if !options.in_allocation => SCHEDULER,
        Setup::Kubernetes(_) => SCHEDULER,
        Setup::Slurm(_) | Setup::Local(_) | Setup::Ssh(_) => CHILDREN,
    };
    while !round.is_over() && !stop.is_raised() {
        if round.advance(directory, &programs).map_err(launch_failure)? {
            record.replace(round.text().into_bytes())?;
            changed(round)?;
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
