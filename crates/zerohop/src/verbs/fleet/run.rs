//! `zerohop fleet run` and `fleet resume`: a survey of each of many nodes.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

use uuid::Uuid;
use zerohop_app::Files;
use zerohop_launch::{
    KubernetesOptions, Local, NodeFaults, Offer, Round, RoundTask, Setup, SshOptions, Tally, TaskState,
};
use zerohop_workload::StopFlag;

use crate::arguments::{FleetResumeArguments, FleetRunArguments, KubernetesArguments, LauncherArgument};
use crate::atomic_file::WholeFile;
use crate::campaign_progress::CampaignProgress;
use crate::failure::Failure;
use crate::launching::{self, AT_ONCE, carry_on, named_together, offers_of, read_round, record_of};
use crate::signals::{Begun, watch};
use crate::terminal;
use crate::text_file::Disk;
use crate::verbs::VerbOutcome;

use super::command_line::check_words;
use super::hosts::tell_apart;
use super::leftovers::{DirectoryLock, lock, take_over, whole_survey};

/// How long a job of Kubernetes may take, by default: an hour, in seconds.
const JOB_SECONDS: u64 = 3600;

pub(super) fn run(arguments: &FleetRunArguments, quiet: bool) -> Result<VerbOutcome, Failure> {
    let begun = || {
        let directory = arguments.output.display();
        Failure::new(format_args!("`{directory}` contains an unfinished fleet run")).hint(format!(
            "continue it with `zerohop fleet resume {directory}`, or choose another directory with -o"
        ))
    };
    if record_of(&arguments.output).exists() {
        return Err(begun());
    }
    let faults = faults(arguments.faults.as_deref())?;
    let setup = setup(arguments)?;
    let offers = offers(arguments, &setup, &faults)?;
    let at_once = arguments.launch.max_at_once.unwrap_or(match setup {
        Setup::Local(_) => thread::available_parallelism().map_or(1, usize::from),
        Setup::Slurm(_) | Setup::Kubernetes(_) | Setup::Ssh(_) => AT_ONCE,
    });
    let is_local = matches!(setup, Setup::Local(_));
    let survey = |(rank, offer): (usize, Offer)| {
        let mut own = faults.of(&offer.node).to_vec();
        if is_local {
            // Models with the same seed are the same to the last digit.
            own.extend(["--seed".to_owned(), (rank + 1).to_string()]);
        }
        RoundTask::survey(offer, own)
    };
    let surveys = offers.into_iter().enumerate().map(survey).collect();
    let round = Round::new(setup, at_once, surveys);
    check_words(&round, &arguments.output)?;
    holds_none(&round, &arguments.output)?;
    fs::create_dir_all(arguments.output.join(".log")).map_err(|error| {
        Failure::new(format_args!("cannot make `{}`: {error}", arguments.output.display()))
    })?;
    let lock = lock(&arguments.output)?;
    if record_of(&arguments.output).exists() {
        return Err(begun());
    }
    holds_none(&round, &arguments.output)?;
    let stop = watch(None, Begun::already())?;
    carry_out(round, &arguments.output, &stop, &lock, quiet)
}

/// Checks that a directory has no result of the nodes yet: one of an earlier time would stand for a node that fails.
fn holds_none(round: &Round, directory: &Path) -> Result<(), Failure> {
    let mut results = round.tasks.iter().map(|task| Round::result_of(directory, &task.name));
    // A link that leads nowhere is there, too.
    let Some(earlier) = results.find(|path| path.symlink_metadata().is_ok()) else { return Ok(()) };
    Err(Failure::new(format_args!("`{}` already exists", earlier.display()))
        .hint("each run needs its own directory; choose another one with -o"))
}

pub(super) fn resume(arguments: &FleetResumeArguments, quiet: bool) -> Result<VerbOutcome, Failure> {
    let directory = &arguments.directory;
    let missing = "give the directory of `zerohop fleet run -o DIR`";
    let unread = "start a new run with `zerohop fleet run` in another directory";
    // A directory of something else gets no lock.
    read_round(directory, missing, unread)?;
    let lock = lock(directory)?;
    let mut round = read_round(directory, missing, unread)?;
    let stop = watch(None, Begun::already())?;
    round.try_again();
    take_over(&mut round, directory, &stop, quiet);
    carry_out(round, directory, &stop, &lock, quiet)
}

/// Carries the surveys out, in a directory that is locked.
fn carry_out(
    mut round: Round,
    directory: &Path,
    stop: &StopFlag,
    _: &DirectoryLock,
    quiet: bool,
) -> Result<VerbOutcome, Failure> {
    let before = round.tally();
    let mut shown = before.done + before.failed;
    let mut progress = CampaignProgress::new(quiet, "nodes", round.tasks.len(), shown);
    let carried = carry_on(&mut round, directory, stop, whole_survey, |round| {
        let Tally { done, failed, .. } = round.tally();
        (shown..done + failed).for_each(|_| progress.advance());
        shown = done + failed;
        Ok(())
    });
    progress.clear();
    carried?;
    if stop.is_raised() {
        terminal::say(&terminal::warning_line(&format!(
            "interrupted: surveys were canceled; continue with `zerohop fleet resume {}`",
            directory.display()
        )));
        return Ok(VerbOutcome::Interrupted);
    }
    if tell_apart(&mut round, directory) {
        WholeFile::at(&record_of(directory))?.replace(round.text().into_bytes())?;
    }
    report(&round, directory)
}

/// Names the nodes without a result, and says what to do next.
fn report(round: &Round, directory: &Path) -> Result<VerbOutcome, Failure> {
    let Tally { done, failed, .. } = round.tally();
    let without = round.tasks.iter().filter_map(|RoundTask { name, state, .. }| match state {
        TaskState::Failed(why) => Some((name.as_str(), format!("failed: {why}"))),
        TaskState::Refused(why) => Some((name.as_str(), format!("was not started: {why}"))),
        TaskState::ToCome | TaskState::Started(_) | TaskState::Done => None,
    });
    for (names, count, what) in named_together(without) {
        let names = if count == 1 { names } else { format!("{names} ({count} nodes)") };
        terminal::say(&terminal::warning_line(&format!("{names} {what}")));
    }
    let directory = directory.display();
    terminal::print(&format!("{done} of {} nodes surveyed: {directory}", round.tasks.len()))?;
    terminal::print(&format!("next: zerohop fleet analyse {directory}"))?;
    if failed == 0 {
        return Ok(VerbOutcome::Done);
    }
    Err(Failure::new(format_args!("{failed} of {} nodes have no result", round.tasks.len()))
        .hint(format!("`zerohop fleet resume {directory}` surveys them again")))
}

fn setup(arguments: &FleetRunArguments) -> Result<Setup, Failure> {
    let launch = &arguments.launch;
    let program = match (&launch.program, arguments.launcher) {
        // A host that is logged in to has its own, and so has an image.
        (None, LauncherArgument::Ssh | LauncherArgument::Kubernetes) => PathBuf::from("zerohop"),
        _ => launching::program(launch)?,
    };
    let mut words: Vec<String> =
        [&program.display().to_string(), "survey", "--quiet"].map(ToString::to_string).into();
    if arguments.launcher == LauncherArgument::Local {
        let machine = arguments.on.as_deref().unwrap_or_default();
        words.extend(["--on", machine, "--solver", "auto"].map(str::to_owned));
    }
    words.extend(arguments.survey.iter().cloned());
    Ok(match arguments.launcher {
        LauncherArgument::Local => Setup::Local(Local { words }),
        LauncherArgument::Slurm => Setup::Slurm(launching::slurm(words, launch, None)),
        LauncherArgument::Kubernetes => {
            let KubernetesArguments { image, namespace, context } = &arguments.kubernetes;
            Setup::Kubernetes(KubernetesOptions {
                words,
                image: image.clone().unwrap_or_default(),
                fleet: distinct_name(),
                namespace: namespace.clone(),
                context: context.clone(),
                seconds: launch.time.as_deref().map_or(Ok(JOB_SECONDS), seconds)?,
            })
        }
        LauncherArgument::Ssh => {
            let (jump, configuration) = (arguments.jump.clone(), arguments.ssh_config.clone());
            Setup::Ssh(SshOptions { words, jump, configuration })
        }
    })
}

/// Twelve characters that no other fleet has: the random end of an identifier.
fn distinct_name() -> String {
    Uuid::now_v7().simple().to_string().split_off(20)
}

/// The seconds of `90` (minutes) or `1:30:00`.
fn seconds(time: &str) -> Result<u64, Failure> {
    let parts: Option<Vec<u64>> = time.split(':').map(|part| part.parse().ok()).collect();
    let seconds = match parts.as_deref() {
        Some([minutes]) => minutes.checked_mul(60),
        Some([hours, minutes @ 0..60, seconds @ 0..60]) => {
            hours.checked_mul(3600).and_then(|hours| hours.checked_add(60 * minutes + seconds))
        }
        _ => None,
    };
    seconds.filter(|seconds| (1..=i64::MAX as u64).contains(seconds)).ok_or_else(|| {
        Failure::new(format_args!("invalid duration `{time}`"))
            .hint("--time takes minutes, or `hours:minutes:seconds`")
    })
}

fn faults(path: Option<&Path>) -> Result<NodeFaults, Failure> {
    let Some(path) = path else { return Ok(NodeFaults::default()) };
    let text = Disk.read_text(path, "write one line per node: `n03 slow-dimm:node0=3200`")?;
    NodeFaults::parse(&text).map_err(|error| {
        Failure::new(format_args!("`{}`, {error}", path.display()))
            .hint("write nodes, then faults and settings: `n[3-5] slow-dimm:node0=3200 links=2`")
    })
}

/// The nodes that the user names, or those of the scheduler.
fn offers(arguments: &FleetRunArguments, setup: &Setup, faults: &NodeFaults) -> Result<Vec<Offer>, Failure> {
    let count = arguments.launch.nodes;
    let named = match (&arguments.launch.nodelist, &arguments.hosts) {
        (Some(list), _) => launching::named(list)?,
        (None, Some(path)) => hosts(path)?,
        (None, None) => Vec::new(),
    };
    let known: BTreeSet<&str> = named.iter().map(String::as_str).collect();
    if known.len() < named.len() {
        return Err(Failure::new("a node is named twice").hint("name each node once"));
    }
    let offers: Vec<Offer> = match (setup, count) {
        _ if !named.is_empty() => {
            named.into_iter().map(Offer::named).take(count.unwrap_or(usize::MAX)).collect()
        }
        (Setup::Local(_), Some(count)) => {
            let width = count.saturating_sub(1).to_string().len().max(2);
            (0..count).map(|number| Offer::named(format!("n{number:0width$}"))).collect()
        }
        _ => offers_of(setup, count)?,
    };
    if let Some(odd) = offers.iter().find(|offer| !is_file_name(&offer.node)) {
        return Err(Failure::new(format_args!("invalid node name `{}`", odd.node.escape_debug()))
            .hint("node names are also file names; use letters, digits, dots, dashes and underscores"));
    }
    if matches!(setup, Setup::Local(_)) {
        let there: BTreeSet<&str> = offers.iter().map(|offer| offer.node.as_str()).collect();
        if let Some(missing) = faults.nodes().find(|node| !there.contains(node)) {
            return Err(Failure::new(format_args!(
                "--faults names the node `{missing}`, which the fleet does not have"
            ))
            .hint(format!(
                "the fleet's nodes are {} to {}",
                offers[0].node,
                offers[offers.len() - 1].node
            )));
        }
    }
    Ok(offers)
}

fn is_file_name(node: &str) -> bool {
    let plain = |character: char| character.is_ascii_alphanumeric() || ".-_@".contains(character);
    !node.is_empty() && !node.starts_with(['.', '-']) && node.chars().all(plain)
}

/// A host on each line; what follows `#` is a comment.
fn hosts(path: &Path) -> Result<Vec<String>, Failure> {
    let text = Disk.read_text(path, "write one host per line")?;
    let hosts = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
    let hosts: Vec<String> = hosts.filter(|host| !host.is_empty()).map(str::to_owned).collect();
    if hosts.is_empty() {
        return Err(Failure::new(format_args!("`{}` contains no hosts", path.display()))
            .hint("write one host per line"));
    }
    Ok(hosts)
}
