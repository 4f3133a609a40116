//! `zerohop reproduce`: published figures beside what a model says.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget};
use zerohop_experiment::{Event, Executor, Observer};
use zerohop_insight::{Reproduction, ReproductionFile, Run, Study, reproduce};
use zerohop_machine::{Hardware, Settings};
use zerohop_report::{Form, Studies};
use zerohop_result::{Completion, ExperimentResult};

use super::Ending;
use crate::arguments::ReproduceArguments;
use crate::command::run_command;
use crate::executor::Threads;
use crate::failure::Failure;
use crate::kind::Kind;
use crate::library;
use crate::output::Output;
use crate::signals;
use crate::studies;
use crate::subject::{SEED, Solver, model};
use crate::terminal;

pub(super) fn reproduce_studies(arguments: ReproduceArguments, quiet: bool) -> Result<Ending, Failure> {
    if arguments.list {
        let output = Output::new(&Kind::of::<Studies<'_>>(), Form::Page, None, None)?;
        return output.show(&Studies(&studies::all()?)).map(|()| Ending::Done);
    }
    let ReproduceArguments { studies: names, list: _, on, set, solver, threads, seed, output, format } =
        arguments;
    let output = Output::new(&Kind::of::<ReproductionFile>(), Form::Page, format, output.as_deref())?;
    output.prepare()?;
    let settings = set.settings()?;
    let studies = if names.is_empty() {
        studies::all()?
    } else {
        names.iter().map(|name| studies::study(name)).collect::<Result<_, _>>()?
    };
    let simulator = Simulator {
        threads: threads.map_or_else(Threads::of_host, Threads::new),
        solver: solver.choice(),
        seed: seed.unwrap_or(SEED),
        interrupted: signals::watch(None)
            .map_err(|error| Failure::new(format_args!("cannot watch for signals: {error}")))?,
        quiet,
    };
    let mut reproductions = Vec::new();
    for study in &studies {
        let machine = on.as_deref().unwrap_or(&study.machine);
        match simulator.reproduction(study, machine, &settings)? {
            Some(reproduction) => reproductions.push(reproduction),
            None => return Ok(Ending::Interrupted),
        }
    }
    let file = ReproductionFile::new(reproductions);
    output.show(&file)?;
    Ok(if file.all_reproduced() { Ending::Done } else { Ending::NotReproduced })
}

/// Does the runs of studies.
struct Simulator {
    threads: Threads,
    solver: Solver,
    seed: u64,
    interrupted: Arc<AtomicBool>,
    quiet: bool,
}

impl Simulator {
    /// What a model of `machine` says to `study`; nothing if it was interrupted.
    fn reproduction(
        &self,
        study: &Study,
        machine: &str,
        settings: &Settings,
    ) -> Result<Option<Reproduction>, Failure> {
        let file = library::machine_file(machine)?;
        // What was asked for counts before what the study asks for.
        let variant = |of_study: &Settings| {
            let all = of_study.iter().chain(settings.iter()).cloned().collect();
            library::hardware_of(&file, &all).map(Arc::new)
        };
        let machines = study.variants.iter().map(variant).collect::<Result<Vec<_>, _>>()?;
        let Some(results) = self.results(study.runs(), &machines)? else { return Ok(None) };
        let machines: Vec<&Hardware> = machines.iter().map(|machine| &**machine).collect();
        let reproduction = reproduce(study, &results, &machines);
        reproduction
            .map(Some)
            .map_err(|error| Failure::new(format_args!("{}: {error}", study.name)).maybe_hint(error.hint()))
    }

    /// The runs' results in their order. Each run has an engine of its own, and none knows of the others. `machines` are
    /// the study's variants.
    fn results(
        &self,
        runs: &[Run],
        machines: &[Arc<Hardware>],
    ) -> Result<Option<Vec<ExperimentResult>>, Failure> {
        let progress = self.progress(runs.len());
        let slots: Vec<OnceLock<Result<ExperimentResult, Failure>>> =
            runs.iter().map(|_| OnceLock::new()).collect();
        self.threads.run(runs.len(), &|rank| {
            if self.interrupted.load(Ordering::Relaxed) {
                return;
            }
            let mut engine = model(&machines[runs[rank].variant], self.solver, self.seed);
            let mut watch = Watch(&self.interrupted);
            let result = run_command(&runs[rank].command, engine.as_mut(), &mut watch);
            // Each job has a slot of its own: it is empty.
            let _ = slots[rank].set(result);
            progress.inc(1);
        });
        progress.finish_and_clear();
        let mut results = Vec::new();
        for slot in slots {
            match slot.into_inner().transpose()? {
                Some(result) if result.completion == Completion::Complete => results.push(result),
                Some(_) | None => return Ok(None),
            }
        }
        Ok(Some(results))
    }

    fn progress(&self, runs: usize) -> ProgressBar {
        if self.quiet || !terminal::can_redraw() {
            return ProgressBar::hidden();
        }
        ProgressBar::with_draw_target(Some(runs as u64), ProgressDrawTarget::stderr())
    }
}

/// Looks out for an interruption, and for nothing else: a run is one of many.
struct Watch<'a>(&'a AtomicBool);

impl Observer for Watch<'_> {
    fn event(&mut self, _: Event<'_>) {}

    fn now(&self) -> Duration {
        Duration::ZERO
    }

    fn interrupted(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
