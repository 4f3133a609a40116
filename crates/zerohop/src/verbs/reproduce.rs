//! `zerohop reproduce`: published figures beside what a model says.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget};
use zerohop_experiment::{Event, Executor, Observer};
use zerohop_insight::{Reproduction, ReproductionFile, Run, Study, reproduce};
use zerohop_machine::{Hardware, Settings};
use zerohop_model::Solver;
use zerohop_report::{csv, json, markdown, terminal as pages};
use zerohop_result::{Completion, ExperimentResult};
use zerohop_workload::StopFlag;

use super::Ending;
use crate::arguments::{ReproduceArguments, ReproductionFormatArgument};
use crate::command::run_command;
use crate::executor::Threads;
use crate::failure::Failure;
use crate::library;
use crate::signals;
use crate::studies;
use crate::subject::SEED;
use crate::terminal;

pub(super) fn reproduce_studies(arguments: ReproduceArguments, quiet: bool) -> Result<Ending, Failure> {
    if arguments.list {
        let page = pages::studies_page(&studies::all()?, &terminal::page_style());
        return terminal::print(&page).map(|()| Ending::Done);
    }
    let ReproduceArguments { studies: names, list: _, on, set, solver, threads, seed, format } = arguments;
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
        stop: signals::watch(None)
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
    terminal::print(&text(&file, format))?;
    Ok(if file.all_reproduced() { Ending::Done } else { Ending::NotReproduced })
}

fn text(file: &ReproductionFile, format: ReproductionFormatArgument) -> String {
    match format {
        ReproductionFormatArgument::Json => json::reproduction_json(file),
        ReproductionFormatArgument::Csv => csv::reproduction_csv(file),
        ReproductionFormatArgument::Markdown => markdown::reproduction_markdown(file),
        ReproductionFormatArgument::Table => {
            let style = terminal::page_style();
            let pages: Vec<String> =
                file.reproductions.iter().map(|one| pages::reproduction_page(one, &style)).collect();
            pages.join("\n")
        }
    }
}

/// Does the runs of studies.
struct Simulator {
    threads: Threads,
    solver: Solver,
    seed: u64,
    stop: StopFlag,
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
            if self.stop.is_raised() {
                return;
            }
            let mut engine =
                self.solver.engine(Arc::clone(&machines[runs[rank].variant]), self.seed, &self.stop);
            let mut watch = Watch(&self.stop);
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
struct Watch<'a>(&'a StopFlag);

impl Observer for Watch<'_> {
    fn event(&mut self, _: Event<'_>) {}

    fn now(&self) -> Duration {
        Duration::ZERO
    }

    fn interrupted(&self) -> bool {
        self.0.is_raised()
    }
}
