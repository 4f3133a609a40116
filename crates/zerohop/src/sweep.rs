//! What a sweep asks, checked against its machine; and the computing of its points.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use zerohop_experiment::{Event, Executor, Observer, Options, catalogue};
use zerohop_insight::{Dimension, Outcome, Part, Points, Selection, Sweep, SweepFile, SweepRun};
use zerohop_machine::{MachineFile, MachineFileError, Setting, Settings};
use zerohop_result::{Completion, ExperimentName};

use crate::built_in::is_file;
use crate::command;
use crate::executor::Threads;
use crate::failure::Failure;
use crate::file_kind::{FileKind, mistaken};
use crate::journal::Journal;
use crate::library;
use crate::panic_report::caught;
use crate::subject::{Solver, model};
use crate::sweep_progress::SweepProgress;
use crate::text_file::read_text;

/// What is asked, and can be computed as far as that can be told beforehand.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) sweep: Sweep,
    pub(crate) machine_file: MachineFile,
    /// The runs' experiments.
    experiments: Vec<(ExperimentName, Options)>,
}

impl Asked {
    /// What was typed.
    ///
    /// # Errors
    /// When it makes no sweep, or nothing that the machine has.
    pub(crate) fn of_arguments(
        machine: String,
        set: Vec<Dimension>,
        experiments: &[String],
        measures: &[String],
    ) -> Result<Self, Failure> {
        let points = Points::grid(set)
            .map_err(|error| Failure::new(&error).hint("give --set fewer values, or each name once"))?;
        let runs = runs(experiments);
        let measures = measures.iter().map(|words| selection(words, &runs)).collect::<Result<_, _>>()?;
        Self::checked(Sweep { machine, points, runs, measures }, None)
    }

    /// What a file says.
    ///
    /// # Errors
    /// When it is no sweep, or says nothing that the machine has.
    pub(crate) fn of_file(path: &Path) -> Result<Self, Failure> {
        let name = path.display().to_string();
        const HINT: &str = "name a sweep file: docs/sweep.md shows one, `zerohop schema sweep` has its form";
        let text = read_text(path, HINT)?;
        if text.trim().is_empty() {
            return Err(Failure::new(format_args!("`{name}` is no sweep file: it is empty")).hint(HINT));
        }
        let file = SweepFile::parse(&name, &text).map_err(|problem| {
            let other = FileKind::of(path) != Some(FileKind::Sweep);
            let other = other.then(|| mistaken(path, FileKind::Sweep.name(), HINT)).flatten();
            other.unwrap_or_else(|| Failure::new(problem))
        })?;
        let mut sweep = file.sweep.clone();
        if is_file(&sweep.machine) {
            let beside = path.parent().unwrap_or(Path::new("")).join(&sweep.machine);
            sweep.machine = beside.display().to_string();
        }
        Self::checked(sweep, Some(&file))
    }

    /// Checks what only the machine and the experiments can tell.
    fn checked(sweep: Sweep, file: Option<&SweepFile>) -> Result<Self, Failure> {
        // Where it is written, if it is.
        let shown = |part: Part<'_>, failure: Failure| match file {
            None => failure,
            Some(file) => Failure::new(file.problem(part, failure.message()))
                .maybe_hint(failure.advice().map(str::to_owned)),
        };
        let machine_file = library::machine_file(&sweep.machine)?;
        check_settings(&machine_file, &sweep.points)
            .map_err(|(setting, error)| shown(Part::Setting(&setting), said(&error)))?;
        let experiments = sweep.runs.iter().enumerate().map(|(rank, run)| {
            command::parse(&run.command).map_err(|failure| shown(Part::Run(rank), failure))
        });
        let experiments = experiments.collect::<Result<_, _>>()?;
        Ok(Self { sweep, machine_file, experiments })
    }
}

/// Experiments as they are given: by name with commas between, or one with its options.
fn runs(experiments: &[String]) -> Vec<SweepRun> {
    let mut runs: Vec<SweepRun> = Vec::new();
    for given in experiments {
        let has_options = given.trim().contains(char::is_whitespace);
        let commands = if has_options { vec![given.as_str()] } else { given.split(',').collect() };
        for command in commands.into_iter().map(str::trim) {
            let experiment = command.split_whitespace().next().unwrap_or_default();
            let taken = |name: &str| runs.iter().any(|run: &SweepRun| run.name == name);
            let others = (2..).map(|rank| format!("{experiment}-{rank}"));
            let mut names = std::iter::once(experiment.to_owned()).chain(others);
            let name = names.find(|name| !taken(name)).unwrap_or_default();
            runs.push(SweepRun { name, command: command.to_owned() });
        }
    }
    runs
}

fn selection(words: &str, runs: &[SweepRun]) -> Result<Selection, Failure> {
    let split = shlex::split(words)
        .ok_or_else(|| Failure::new(format_args!("`{words}`: a quotation mark is not closed")))?;
    Selection::parse(&split, runs).map_err(|error| {
        Failure::new(format_args!("`{words}` is no measure: {error}"))
            .hint("write for example `stream bandwidth initiator=all kernel=triad`")
    })
}

/// Values of a number that are checked before anything is computed: there may be thousands, and each takes a reading of the file.
const CHECKED: usize = 16;

/// That options have their values, that numbers are there and can be what they are to be, and that not all values of a
/// number contradict the rest of the file. One that does is a point that fails, and the others are computed.
fn check_settings(file: &MachineFile, points: &Points) -> Result<(), (Setting, MachineFileError)> {
    let options = file.options();
    let mut paths: BTreeMap<String, usize> = BTreeMap::new();
    // By name, the first value that contradicts the file; nothing where another one does not.
    let mut contradictions: BTreeMap<String, Option<(Setting, MachineFileError)>> = BTreeMap::new();
    for setting in points.distinct() {
        let known = options.iter().find(|option| option.name == setting.name);
        if known.is_some_and(|option| option.values.contains(&setting.value)) {
            continue;
        }
        if known.is_none() {
            let checked = paths.entry(setting.name.clone()).or_default();
            *checked += 1;
            if *checked > CHECKED {
                continue;
            }
        }
        // A number may be there only with a certain choice: its first point makes it.
        let alone = Settings::none().with(setting.clone());
        let first = (0..points.count())
            .map(|point| points.settings(point))
            .find(|settings| settings.iter().any(|one| *one == setting));
        let tried: Vec<Settings> = [Some(alone), first].into_iter().flatten().collect();
        let read: Vec<_> = tried.iter().map(|settings| file.set(settings)).collect();
        let is_wrong = |error: &MachineFileError| !error.is_refusal();
        let unread: Vec<_> = read.iter().filter_map(|read| read.as_ref().err()).collect();
        if unread.len() == tried.len() && unread.iter().all(|error| is_wrong(error)) {
            return Err((setting, unread[0].clone()));
        }
        let resolved = read.into_iter().map(|read| read?.hardware().map(drop));
        let wrong: Vec<_> = resolved.filter_map(Result::err).filter(is_wrong).collect();
        let of_name = contradictions.entry(setting.name.clone());
        if wrong.len() < tried.len() {
            of_name.insert_entry(None);
        } else if let Some(error) = wrong.into_iter().next() {
            of_name.or_insert(Some((setting, error)));
        }
    }
    contradictions.into_values().flatten().next().map_or(Ok(()), Err)
}

/// What is wrong in a line, and what can be done about it.
fn said(error: &MachineFileError) -> Failure {
    match error.problems() {
        [problem] => Failure::new(&problem.message).maybe_hint(problem.hint.clone()),
        _ => Failure::new(reason(error)),
    }
}

/// What is wrong in a line.
fn reason(error: &MachineFileError) -> String {
    error.problems().iter().map(|problem| problem.message.as_str()).collect::<Vec<_>>().join("; ")
}

/// Computes points.
#[derive(Debug)]
pub(crate) struct Computer<'a> {
    /// What is asked.
    pub(crate) asked: &'a Asked,
    /// How a model comes to its numbers.
    pub(crate) solver: Solver,
    /// What decides on all that is left to chance.
    pub(crate) seed: u64,
    /// What a point may use for itself.
    pub(crate) threads: Threads,
    /// Whether to stop.
    pub(crate) interrupted: &'a AtomicBool,
}

impl Computer<'_> {
    /// What becomes of a point; nothing if it was interrupted.
    pub(crate) fn outcome(&self, point: usize) -> Option<Outcome> {
        let Asked { sweep, machine_file, experiments } = self.asked;
        if self.interrupted.load(Ordering::Relaxed) {
            return None;
        }
        let set = machine_file.set(&sweep.points.settings(point)).and_then(|file| file.hardware());
        let hardware = match set {
            Ok(hardware) => Arc::new(hardware),
            Err(error) if error.is_refusal() => return Some(Outcome::Refused { reason: reason(&error) }),
            Err(error) => return Some(Outcome::Failed { reason: reason(&error) }),
        };
        let mut results = Vec::new();
        for (run, (experiment, options)) in sweep.runs.iter().zip(experiments) {
            let mut engine = model(&hardware, self.solver, self.seed);
            let mut watch = Watch { threads: self.threads, interrupted: self.interrupted };
            match zerohop_experiment::run(experiment, engine.as_mut(), options, &mut watch) {
                Ok(result) if result.completion == Completion::Complete => results.push(Ok(result)),
                Ok(_) => return None,
                Err(error) => results.push(Err(format!("`{}`: {error}", run.command))),
            }
        }
        Some(sweep.outcome(&results, &hardware.machine, catalogue()))
    }
}

/// Computes `missing` points, and enters them as they are done. A point that meets a bug has failed; the others go on.
pub(crate) fn compute(
    missing: &[usize],
    threads: Threads,
    ledger: &Mutex<Ledger>,
    outcome: &(dyn Fn(usize) -> Option<Outcome> + Sync),
) {
    let held = || ledger.lock().unwrap_or_else(PoisonError::into_inner);
    threads.run(missing.len(), &|job| {
        if held().is_broken() {
            return;
        }
        let point = missing[job];
        // A point has its own engines: nothing that others use is left half changed.
        let outcome = caught(|| outcome(point))
            .unwrap_or_else(|met| Some(Outcome::Failed { reason: met.message().to_owned() }));
        if let Some(outcome) = outcome {
            held().enter(point, outcome);
        }
    });
}

/// Looks out for an interruption, and for nothing else: a run is one of many.
struct Watch<'a> {
    threads: Threads,
    interrupted: &'a AtomicBool,
}

impl Observer for Watch<'_> {
    fn event(&mut self, _: Event<'_>) {}

    fn now(&self) -> Duration {
        Duration::ZERO
    }

    fn interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    fn executor(&self) -> &dyn Executor {
        &self.threads
    }
}

/// What has become of points so far.
#[derive(Debug)]
pub(crate) struct Ledger {
    journal: Option<Journal>,
    outcomes: BTreeMap<usize, Outcome>,
    progress: SweepProgress,
    /// Why points can no longer be kept, if they cannot.
    broken: Option<Failure>,
}

impl Ledger {
    /// With what was done before, of so many points.
    pub(crate) fn new(
        journal: Option<Journal>,
        before: BTreeMap<usize, Outcome>,
        points: usize,
        quiet: bool,
    ) -> Self {
        let progress = SweepProgress::new(quiet, points, before.len());
        Self { journal, outcomes: before, progress, broken: None }
    }

    /// Takes a point in, and keeps it.
    pub(crate) fn enter(&mut self, point: usize, outcome: Outcome) {
        if self.broken.is_none()
            && let Some(journal) = &mut self.journal
        {
            self.broken = journal.add(point, &outcome).err();
        }
        self.outcomes.insert(point, outcome);
        self.progress.advance();
    }

    /// Whether it is of no use to go on.
    pub(crate) const fn is_broken(&self) -> bool {
        self.broken.is_some()
    }

    /// All points, which are on the disk, if they are to be kept.
    ///
    /// # Errors
    /// When they could not be kept.
    pub(crate) fn close(self) -> Result<BTreeMap<usize, Outcome>, Failure> {
        self.progress.clear();
        if let Some(failure) = self.broken {
            return Err(failure);
        }
        self.journal.map_or(Ok(()), Journal::close)?;
        Ok(self.outcomes)
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use super::*;

    #[test]
    fn a_point_that_meets_a_bug_has_failed_and_the_others_go_on() {
        let missing: Vec<usize> = (0..40).collect();
        for threads in [1, 3] {
            let ledger = Mutex::new(Ledger::new(None, BTreeMap::new(), missing.len(), true));
            compute(&missing, Threads::new(NonZeroUsize::new(threads).unwrap()), &ledger, &|point| {
                assert!(point % 10 != 3, "point {point} has no queue");
                Some(Outcome::Done { numbers: Vec::new(), warnings: Vec::new() })
            });
            let outcomes = ledger.into_inner().unwrap().close().unwrap();
            assert_eq!(outcomes.len(), missing.len());
            let failed: Vec<_> = outcomes
                .iter()
                .filter_map(|(point, outcome)| match outcome {
                    Outcome::Failed { reason } => {
                        Some((*point, reason.contains(&format!("point {point} has"))))
                    }
                    _ => None,
                })
                .collect();
            assert_eq!(failed, [(3, true), (13, true), (23, true), (33, true)], "{threads} threads");
        }
    }

    #[test]
    fn experiments_have_names_of_their_own() {
        let given = ["stream,hops", "ramp --initiators 0,1 --target 3", "stream --kernel triad"];
        let runs = runs(&given.map(str::to_owned));
        let named: Vec<_> = runs.iter().map(|run| (run.name.as_str(), run.command.as_str())).collect();
        assert_eq!(
            named,
            [
                ("stream", "stream"),
                ("hops", "hops"),
                ("ramp", "ramp --initiators 0,1 --target 3"),
                ("stream-2", "stream --kernel triad"),
            ]
        );
    }
}
