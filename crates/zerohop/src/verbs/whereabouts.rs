//! `zerohop where`: where the memory and the threads of a process are, or the cached pages of a file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use zerohop_app::read_one;
use zerohop_experiment::catalogue;
use zerohop_host::PageCache;
use zerohop_machine::{FileTree, Machine, NodeId};
use zerohop_placement::{Process, ProcessError, ProcessId, family, maps_file, processes, processes_named};
use zerohop_placement::{Whereabouts, WhereaboutsFile};
use zerohop_report::{Form, watched_line};
use zerohop_units::{Bytes, counted};
use zerohop_workload::StopFlag;

use super::exit_status::VerbOutcome;
use super::place::of_cache;
use crate::arguments::WhereArguments;
use crate::failure::Failure;
use crate::kind::Kind;
use crate::machine_source::MachineSource;
use crate::output::Output;
use crate::signals::{self, Begun};
use crate::terminal;
use crate::text_file::Disk;

/// The pause between two looks for signals and the end of a command.
const TICK: Duration = Duration::from_millis(20);

/// A command is looked at about this often; where a look takes long, less often.
const LOOK: Duration = Duration::from_millis(200);

/// The share of the time that looking at a command may take: the kernel stops it for that long.
const LOOKING: u32 = 10;

/// What to look at.
enum Subject {
    Processes(Vec<ProcessId>),
    /// A file, by its name: it may grow, or another one may take its place.
    File(PathBuf),
}

impl Subject {
    /// In words, how it ended, if that is why it cannot be looked at any more.
    fn end(&self) -> Option<String> {
        match self {
            Self::Processes(ids) => match ids.as_slice() {
                [only] => Some(format!("process {only} has exited")),
                _ => Some("these processes have exited".to_owned()),
            },
            Self::File(path) => (!path.exists()).then(|| format!("`{}` was removed", path.display())),
        }
    }
}

/// Where things are looked up.
struct Scene {
    tree: Box<dyn FileTree>,
    machine: Machine,
}

pub(super) fn show_whereabouts(
    arguments: &WhereArguments,
    root: &MachineSource,
    quiet: bool,
) -> Result<VerbOutcome, Failure> {
    let kind = Kind::of::<WhereaboutsFile>();
    let output = Output::new(&kind, Form::Page, arguments.format, arguments.output.as_deref())?;
    arguments.survey.as_deref().map_or(Ok(()), |path| output.spares(path))?;
    output.prepare()?;
    let survey = match &arguments.survey {
        Some(path) => Some((path.as_path(), read_one(path, &Disk)?)),
        None => None,
    };
    let scene = Scene { tree: root.tree()?, machine: root.machine()? };
    if let Some((path, survey)) = &survey {
        scene.must_be_of(path, &survey.machine)?;
    }
    let (found, ending) = match (&arguments.subject, &arguments.watch) {
        (None, _) => {
            root.must_be_host()?;
            scene.of_command(&arguments.command)?
        }
        (Some(subject), pause) => {
            let subject = scene.subject(subject, root)?;
            if let Some(pause) = pause {
                return scene.watch(&subject, *pause, quiet);
            }
            (scene.look(&subject)?, VerbOutcome::Done)
        }
    };
    let mut file = WhereaboutsFile::new(&scene.machine, found);
    if let Some((path, survey)) = &survey {
        file.with_survey(&path.display().to_string(), survey, catalogue());
    }
    output.show(&file)?;
    Ok(ending)
}

impl Scene {
    /// Checks that a survey is of this machine: costs of another one say nothing about this one.
    fn must_be_of(&self, path: &Path, surveyed: &Machine) -> Result<(), Failure> {
        let model = |machine: &Machine| machine.processor.model.trim().to_owned();
        let nodes = |machine: &Machine| machine.nodes.iter().map(|node| node.id).collect::<Vec<NodeId>>();
        let (theirs, ours) = (model(surveyed), model(&self.machine));
        let is_other_model = !theirs.is_empty() && !ours.is_empty() && theirs != ours;
        let has_other_nodes = !surveyed.nodes.is_empty() && nodes(surveyed) != nodes(&self.machine);
        if !is_other_model && !has_other_nodes {
            return Ok(());
        }
        let in_words = |model: &str, machine: &Machine| {
            let model = if model.is_empty() { "an unknown processor" } else { model };
            format!("{model}, {}", counted(machine.nodes.len(), "node"))
        };
        Err(Failure::new(format_args!(
            "`{}` is from another machine: {} (here: {})",
            path.display(),
            in_words(&theirs, surveyed),
            in_words(&ours, &self.machine)
        ))
        .hint("`zerohop survey -o DIR` surveys this machine"))
    }

    /// What a word names: the number of a process, a file, or the name of processes.
    fn subject(&self, word: &str, root: &MachineSource) -> Result<Subject, Failure> {
        if let Ok(number) = word.parse() {
            return Ok(Subject::Processes(vec![ProcessId(number)]));
        }
        let path = Path::new(word);
        if path.exists() {
            root.must_be_host()?;
            return Ok(Subject::File(path.to_owned()));
        }
        let named = processes_named(&*self.tree, word);
        if named.is_empty() {
            return Err(Failure::new(format_args!("`{word}` is neither a file nor a running process")).hint(
                "give the number or name of a process, or the path of a file; to run a command, use `zerohop where -- COMMAND`",
            ));
        }
        Ok(Subject::Processes(named))
    }

    fn look(&self, subject: &Subject) -> Result<Vec<Whereabouts>, Failure> {
        match subject {
            Subject::Processes(ids) => {
                let read =
                    |id: &ProcessId| Process::read(&*self.tree, *id).map_err(|error| of_process(&error));
                let read = ids.iter().map(|id| Ok(Whereabouts::of_process(read(id)?, &self.machine)));
                // Of several, some may have ended or belong to others.
                let (found, mut failed): (Vec<_>, Vec<_>) = read.partition(Result::is_ok);
                match failed.pop() {
                    Some(failure) if found.is_empty() => failure.map(|one| vec![one]),
                    _ => Ok(found.into_iter().flatten().collect()),
                }
            }
            Subject::File(path) => {
                let cache = PageCache::open(path).map_err(|error| of_cache(&error))?;
                // Those who map it are looked for first: a look maps it, too.
                let path = cache.path().to_string_lossy().into_owned();
                let users =
                    processes(&*self.tree).into_iter().filter(|&id| maps_file(&*self.tree, id, &path));
                let users = users.filter_map(|id| Process::read(&*self.tree, id).ok()).collect();
                let file = cache.look().map_err(|error| of_cache(&error))?;
                Ok(vec![Whereabouts::of_file(file, users, &self.machine)])
            }
        }
    }

    /// A line for each look.
    fn watch(&self, subject: &Subject, pause: Duration, quiet: bool) -> Result<VerbOutcome, Failure> {
        let stop = watch_signals()?;
        let began = Instant::now();
        let mut ticks: BTreeMap<u32, u64> = BTreeMap::new();
        let mut seen = false;
        loop {
            let found = match self.look(subject) {
                Ok(found) => found,
                Err(failure) => {
                    let end = subject.end().filter(|_| seen).ok_or(failure)?;
                    if !quiet {
                        terminal::say(&end);
                    }
                    return Ok(VerbOutcome::Done);
                }
            };
            seen = true;
            for one in found {
                let now: Vec<(u32, u64)> =
                    one.threads.iter().map(|thread| (thread.id, thread.ticks)).collect();
                terminal::print(&watched_line(&one.since(&ticks, &self.machine), began.elapsed()))?;
                ticks.extend(now);
            }
            let until = Instant::now() + pause;
            while Instant::now() < until {
                if stop.is_raised() {
                    return Ok(VerbOutcome::Interrupted);
                }
                thread::sleep(TICK.min(until.saturating_duration_since(Instant::now())));
            }
        }
    }

    /// A command, and what it starts, at the moment at which their memory was largest.
    fn of_command(&self, command: &[String]) -> Result<(Vec<Whereabouts>, VerbOutcome), Failure> {
        let stop = watch_signals()?;
        let (program, arguments) =
            command.split_first().ok_or_else(|| Failure::new("no command to start"))?;
        let mut child = Command::new(program).args(arguments).spawn().map_err(|error| {
            Failure::new(format_args!("cannot start `{program}`: {error}"))
                .hint("give a program on the PATH, or its path")
        })?;
        let id = ProcessId(child.id());
        let mut largest: (Bytes, Vec<Process>) = (Bytes(0), Vec::new());
        let mut next = Instant::now();
        let mut asked = false;
        let status = loop {
            if let Some(status) = ended(&mut child)? {
                break status;
            }
            if stop.is_raised() && !asked {
                asked = true;
                // From a terminal it has had the signal already.
                let _ = Pid::from_raw(child.id().cast_signed()).map(|id| kill_process(id, Signal::TERM));
            }
            if Instant::now() >= next {
                let began = Instant::now();
                let ids = family(&*self.tree, id).into_iter();
                let now: Vec<Process> = ids.filter_map(|id| Process::read(&*self.tree, id).ok()).collect();
                let size = now.iter().map(|process| process.bytes().total()).sum();
                // Of equal ones the last: its threads have run longer.
                if size >= largest.0 {
                    largest = (size, now);
                }
                next = Instant::now() + LOOK.max(began.elapsed() * LOOKING);
            }
            thread::sleep(TICK);
        };
        if !status.success() {
            terminal::say(&terminal::warning_line(&format!("`{program}` ended with {status}")));
        }
        // One that has ended has no memory any more.
        largest.1.retain(|process| process.bytes().total() > Bytes(0));
        if largest.1.is_empty() {
            return Err(Failure::new(format_args!("`{program}` exited before it could be examined"))
                .hint("it must run for at least a few tenths of a second"));
        }
        let ending = if stop.is_raised() { VerbOutcome::Interrupted } else { VerbOutcome::Done };
        let found = largest.1.into_iter();
        Ok((found.map(|process| Whereabouts::of_process(process, &self.machine)).collect(), ending))
    }
}

fn ended(child: &mut Child) -> Result<Option<std::process::ExitStatus>, Failure> {
    child.try_wait().map_err(|error| Failure::new(format_args!("cannot wait for the command: {error}")))
}

fn watch_signals() -> Result<StopFlag, Failure> {
    signals::watch(None, Begun::already())
}

fn of_process(error: &ProcessError) -> Failure {
    let hint = error.hint();
    Failure::new(error).hint(hint)
}
