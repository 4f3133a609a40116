//! What `survey` and `run` share: an engine, a watcher, and the report of the outcome.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use zerohop_app::Ran;
use zerohop_experiment::{ExperimentError, Observer, Options};
use zerohop_host::{HostEngine, HostLock};
use zerohop_model::Solved;
use zerohop_result::{Completion, Grade, MeasuringSettings, Quality, ResultFile};
use zerohop_units::counted;
use zerohop_workload::{Engine, EngineError, OptionNames, StopFlag, TimeSpent, Warning};

use super::exit_status::VerbOutcome;
use crate::arguments::PrefetchersArgument;
use crate::executor::Threads;
use crate::failure::Failure;
use crate::host_lock;
use crate::machine_source::MachineSource;
use crate::prefetchers::{self, HeldOff};
use crate::progress::Progress;
use crate::quiet_wait::{self, Waited};
use crate::record::Record;
use crate::request::HostSetup;
use crate::signals::{self, Begun};
use crate::subject::Subject;
use crate::terminal;
use crate::watcher::{Outcome, Watcher};

/// A machine, ready to be measured.
pub(super) struct Session {
    engine: Box<dyn Engine>,
    threads: Threads,
    stop: StopFlag,
    begun: Begun,
    prefetchers: HeldOff,
    options: OptionNames,
    /// Keeps others from measuring this host meanwhile.
    lock: Option<HostLock>,
    quiet: bool,
    /// When this began: the time of the budget counts from here on, besides what the user wanted to wait.
    began: Instant,
    opening: Duration,
}

impl Session {
    /// Prepares the engine: reads this host's machine, and switches prefetchers off on request; or takes the model's
    /// machine.
    ///
    /// # Errors
    /// When this host cannot be read, cannot be measured (for lack of a good enough clock), its prefetchers cannot
    /// be switched, or another process measures it for longer than this waits.
    pub(super) fn open(
        subject: Subject,
        root: &MachineSource,
        setup: &HostSetup,
        quiet: bool,
    ) -> Result<Self, Failure> {
        match subject {
            Subject::Host => Self::of_host(root, setup, quiet),
            Subject::Model { hardware, solver, seed, threads } => {
                let (began, opening) = (Instant::now(), Duration::ZERO);
                let begun = Begun::not_yet();
                let stop = watch_signals(None, &begun)?;
                let engine = solver.engine(hardware, seed, &Solved::default(), &stop);
                let prefetchers = HeldOff::default();
                let options = OptionNames::default();
                let lock = None;
                Ok(Self { engine, threads, stop, begun, prefetchers, options, lock, quiet, began, opening })
            }
        }
    }

    fn of_host(root: &MachineSource, setup: &HostSetup, quiet: bool) -> Result<Self, Failure> {
        let held = HeldOff::default();
        let asked = setup.prefetchers == PrefetchersArgument::Off;
        let begun = Begun::not_yet();
        let stop = watch_signals(asked.then(|| held.shared()), &begun)?;
        let lock = host_lock::hold(setup.wait, quiet)?;
        let began = Instant::now();
        let machine = root.machine()?;
        prefetchers::undo_leftover(&machine, quiet);
        let mut engine = HostEngine::new(machine, stop.shared())
            .map_err(|error| Failure::new(&error).hint(error.hint()))?;
        let unknown = engine.reuse_forms(&setup.forms);
        if !unknown.is_empty() && !quiet {
            terminal::say(&terminal::warning_line(&format!(
                "this processor does not support {} of the {} from --forms-from; trying their kernels again",
                unknown.len(),
                counted(setup.forms.len(), "form"),
            )));
        }
        if asked {
            held.switch_off(engine.machine())?;
        }
        let options = OptionNames::default();
        let threads = Threads::of_host();
        Ok(Self {
            engine: Box::new(engine),
            threads,
            stop,
            begun,
            prefetchers: held,
            options,
            lock,
            quiet,
            began,
            opening: began.elapsed(),
        })
    }

    /// The same, with hints that name options like this.
    pub(super) fn with_option_names(self, options: OptionNames) -> Self {
        Self { options, ..self }
    }

    /// The name of the machine, its settings and its faults.
    pub(super) fn machine_name(&self) -> String {
        let machine = self.engine.machine();
        let settings = machine.settings.iter().map(|setting| format!("-{setting}"));
        let faults = machine.faults.iter().map(|fault| format!("-{fault}"));
        std::iter::once(machine.name.clone()).chain(settings).chain(faults).collect()
    }

    /// What keeps others from measuring this host. Without it they may begin as soon as this has measured; whoever has it computes on all CPUs before.
    pub(super) fn take_lock(&mut self) -> Option<HostLock> {
        self.lock.take()
    }

    /// Whether the machine is simulated.
    pub(super) fn is_simulated(&self) -> bool {
        self.engine.origin().is_model()
    }

    /// Waits for a quiet machine, for that long at most. Nothing disturbs a simulation.
    pub(super) fn wait_quiet(&mut self, most: Option<Duration>) {
        let waiting = Instant::now();
        let Some(most) = most.filter(|_| !self.is_simulated()) else { return };
        if let Waited::InVain { busy } = quiet_wait::wait(most, &self.stop) {
            terminal::say(&terminal::warning_line(&format!(
                "other programs still use {busy:.1} CPUs: the machine did not become idle in time"
            )));
        }
        self.began += waiting.elapsed();
    }

    /// Measures with `work`, saving the result at `path`.
    ///
    /// # Errors
    /// When the request does not fit the machine, or the result cannot be written there; then nothing was measured.
    pub(super) fn measure<R>(
        mut self,
        options: &Options,
        path: Option<PathBuf>,
        work: impl FnOnce(&mut dyn Engine, &mut dyn Observer) -> Result<R, ExperimentError>,
    ) -> Result<Outcome, Failure> {
        let settings = MeasuringSettings { prefetchers_off: self.prefetchers.names(), ..options.settings() };
        let record = Record::new(&*self.engine, settings, path);
        let progress = Progress::new(self.quiet, self.is_simulated());
        let mut watcher = Watcher::new(progress, record, (self.stop, self.begun), self.threads, self.began);
        let done = work(&mut *self.engine, &mut watcher);
        let unrestored = self.prefetchers.put_back().err();
        let outcome = match done {
            Ok(_) => {
                let within =
                    |spent: TimeSpent| spent.within(self.began.elapsed().into(), self.opening.into());
                let time_spent = self.engine.time_spent().map(within);
                watcher.finish(Ran { time_spent, chosen_forms: self.engine.chosen_forms() })
            }
            Err(error) => {
                watcher.abandon();
                Err(Failure::new(&error).maybe_hint(error.hint(&self.options)))
            }
        };
        match (outcome, unrestored) {
            (Ok(outcome), unrestored) => Ok(Outcome { unrestored, ..outcome }),
            (Err(failure), None) => Err(failure),
            (Err(failure), Some(unrestored)) => {
                terminal::say_failure(&unrestored);
                Err(failure)
            }
        }
    }
}

/// A flag that a signal raises. If a signal ends the process, `prefetchers` are restored first.
pub(super) fn watch_signals(
    prefetchers: Option<prefetchers::Shared>,
    begun: &Begun,
) -> Result<StopFlag, Failure> {
    signals::watch(prefetchers, begun.clone())
}

/// Reports the outcome of a measurement whose page has been printed.
///
/// # Errors
/// When the result could not be saved, the machine's settings could not be restored, or nothing was measured.
pub(super) fn conclude(
    outcome: Outcome,
    path: Option<&Path>,
    strict: bool,
    quiet: bool,
) -> Result<VerbOutcome, Failure> {
    if let Some(failure) = outcome.unsaved.or(outcome.unrestored) {
        return Err(failure);
    }
    let quality = outcome.result.quality(&outcome.result.experiments);
    let not_good = quality.filter(|quality| strict && quality.grade != Grade::Good);
    let ending = match outcome.result.completion {
        Completion::Interrupted => VerbOutcome::Interrupted,
        Completion::Complete | Completion::Running if not_good.is_some() => VerbOutcome::CannotTell,
        Completion::Complete | Completion::Running => VerbOutcome::Done,
    };
    if let Some(failure) = nothing_measured(&outcome.result) {
        return Err(failure);
    }
    if let Some(Quality { grade, reason, .. }) = not_good {
        terminal::say(&terminal::warning_line(&format!("the measurement is {grade}: {reason}")));
    }
    if !quiet {
        if ending == VerbOutcome::Interrupted {
            terminal::say("interrupted: these are the results so far");
        }
        if let Some(path) = path {
            terminal::say(&format!("result: {}", path.display()));
        }
    }
    Ok(ending)
}

/// Why a measurement gave no value at all, if it was not interrupted.
pub(super) fn nothing_measured(result: &ResultFile) -> Option<Failure> {
    let is_empty = result.experiments.iter().all(|experiment| experiment.cells.is_empty());
    if !is_empty || result.completion != Completion::Complete {
        return None;
    }
    let reason = result.experiments.iter().flat_map(|experiment| &experiment.warnings).find_map(|warning| {
        let Warning::ExperimentSkipped { reason, .. } = warning else { return None };
        Some(format!(": {reason}"))
    });
    let failure =
        Failure::new(format_args!("could not measure anything{}", reason.as_deref().unwrap_or_default()));
    if reason.is_some_and(|reason| reason.ends_with(&EngineError::OutOfTime.to_string())) {
        return Some(failure.hint("allow more time with --budget, or use smaller buffers with --buffer"));
    }
    let limit = result.machine.system.process_memory_limit.or(result.machine.system.memory_limit);
    Some(failure.hint(match limit {
        Some(limit) => format!("memory is limited to {limit} here; raise the limit"),
        None => "`zerohop machine show` prints this machine's hardware and settings".to_owned(),
    }))
}

#[cfg(test)]
mod tests {
    use zerohop_machine::Machine;
    use zerohop_result::{Cells, ExperimentName, ExperimentResult, SCHEMA_VERSION};
    use zerohop_units::{Bytes, Seconds};
    use zerohop_workload::{EngineDescription, Origin};

    use super::*;

    fn without_cells(completion: Completion) -> ResultFile {
        let skipped = |name: &'static str| ExperimentResult {
            experiment: ExperimentName::known(name),
            completion,
            elapsed: Seconds(0.0),
            cells: Cells::default(),
            warnings: vec![Warning::ExperimentSkipped {
                experiment: name.to_owned(),
                reason: "no memory".to_owned(),
            }],
        };
        ResultFile {
            schema_version: SCHEMA_VERSION,
            produced_by: String::new(),
            started_at: None,
            finished_at: None,
            run: None,
            completion,
            origin: Origin::HOST,
            engine: EngineDescription::new(&Origin::HOST, "", Vec::new()),
            machine: Machine::default(),
            settings: MeasuringSettings::default(),
            experiments: vec![skipped("latency-matrix"), skipped("stream")],
            warnings: Vec::new(),
            unknown: Vec::new(),
        }
    }

    #[test]
    fn a_survey_in_which_nothing_could_be_measured_fails() {
        let mut result = without_cells(Completion::Complete);
        let failure = nothing_measured(&result).unwrap();
        assert_eq!(failure.message(), "could not measure anything: no memory");
        result.machine.system.process_memory_limit = Some(Bytes::mib(100));
        let failure = nothing_measured(&result).unwrap();
        assert!(failure.advice().is_some_and(|advice| advice.contains("100 MiB")), "{failure:?}");
        // An interruption has a status of its own.
        assert_eq!(nothing_measured(&without_cells(Completion::Interrupted)), None);
    }
}
