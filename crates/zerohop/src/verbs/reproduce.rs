//! `zerohop reproduce`: published figures beside a model's predictions.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use zerohop_campaign::SimulatedMachine;
use zerohop_insight::{Reproduction, ReproductionFile, Study, Validation, Verdict};
use zerohop_machine::Settings;
use zerohop_model::Solver;
use zerohop_report::{Form, Studies};
use zerohop_workload::StopFlag;

use super::ending::Ending;
use super::measure::watch_signals;
use crate::arguments::ReproduceArguments;
use crate::campaign_progress::CampaignProgress;
use crate::executor::Threads;
use crate::failure::Failure;
use crate::kind::Kind;
use crate::ledger::{EnginePool, carry_out};
use crate::library;
use crate::models::Models;
use crate::output::Output;
use crate::signals::Begun;
use crate::studies;
use crate::study_agenda::{Case, RunAgenda, Todo};
use crate::templates;
use crate::terminal;

pub(super) fn reproduce_studies(arguments: ReproduceArguments, quiet: bool) -> Result<Ending, Failure> {
    if arguments.list {
        let output = Output::new(&Kind::of::<Studies<'_>>(), Form::Page, None, None)?;
        return output.show(&Studies(&studies::all()?)).map(|()| Ending::Done);
    }
    let ReproduceArguments {
        studies: names,
        list: _,
        validation,
        on,
        set,
        solver,
        threads,
        seed,
        seeds,
        output,
        format,
    } = arguments;
    let kind = if validation { Kind::of::<Validation>() } else { Kind::of::<ReproductionFile>() };
    let output = Output::new(&kind, Form::Page, format, output.as_deref())?;
    output.prepare()?;
    // A signal ends it from here on, also while machines are read.
    let begun = Begun::not_yet();
    let stop = watch_signals(None, &begun)?;
    let settings = set.settings()?;
    let studies = if names.is_empty() {
        // Studies of machines from spec sheets say how wrong such predictions are: they have a page of their own.
        let all = studies::all()?.into_iter();
        all.filter(|study| templates::is_generated(&study.machine) == validation).collect::<Vec<_>>()
    } else {
        names.iter().map(|name| studies::study(name)).collect::<Result<_, _>>()?
    };
    let reproducer = Reproducer {
        threads: threads.map_or_else(Threads::of_host, Threads::new),
        // Spread over many machines, errors say more than a simulation's last percent.
        solver: if validation && solver.solver.is_none() { Solver::Auto } else { solver.choice() },
        // Their page has no verdicts.
        repeats: !validation,
        stop,
        begun,
        quiet,
    };
    let mut reproductions = Vec::new();
    let mut failed = Vec::new();
    let seeds = Seeds { first: seed.unwrap_or(SimulatedMachine::SEED), several: seeds };
    for held in reproducer.reproductions(&studies, on.as_deref(), &settings, seeds)? {
        match held {
            Ok(Some(reproduction)) => {
                log(&reproduction, quiet);
                reproductions.push(reproduction);
            }
            // It was interrupted.
            Ok(None) => {}
            Err(failure) => failed.push(failure),
        }
    }
    let interrupted = reproducer.stop.is_raised() && reproductions.len() + failed.len() < studies.len();
    let file = ReproductionFile::new(reproductions);
    if validation && !interrupted && failed.is_empty() {
        output.show(&Validation::new(file.reproductions))?;
        return Ok(Ending::Done);
    }
    if !file.reproductions.is_empty() && !validation {
        output.show(&file)?;
    }
    if interrupted && !quiet {
        let done = file.reproductions.len();
        terminal::say(&format!("interrupted: {done} of {} studies are done", studies.len()));
    }
    // A study that fails does not stop the others.
    let last = failed.pop();
    failed.iter().for_each(terminal::say_failure);
    match last {
        Some(failure) if interrupted => terminal::say_failure(&failure),
        Some(failure) => return Err(failure),
        None => {}
    }
    Ok(match file.verdict() {
        _ if interrupted => Ending::Interrupted,
        Verdict::Ok | Verdict::Fitted => Ending::Done,
        Verdict::CannotTell => Ending::CannotTell,
        Verdict::Off => Ending::NotReproduced,
    })
}

/// Logs the verdict on a study.
fn log(reproduction: &Reproduction, quiet: bool) {
    if quiet || terminal::can_redraw() {
        return;
    }
    terminal::say(&format!("{}: {}", reproduction.study, reproduction.totals));
}

/// The seeds from which studies are reproduced: one, or several that follow it.
#[derive(Debug, Clone, Copy)]
struct Seeds {
    first: u64,
    several: Option<NonZeroU32>,
}

impl Seeds {
    fn iter(self) -> impl Iterator<Item = u64> {
        (0..self.several.map_or(1, NonZeroU32::get)).map(move |rank| self.first.wrapping_add(rank.into()))
    }
}

/// How many results of a run a verdict may rest on, each with a seed of its own: at first, and then while it is not certain.
const RESULTS: [usize; 3] = [1, 2, 4];

/// The verdict on a study, or why there is none; `None` if it was interrupted.
type Held = Result<Option<Reproduction>, Failure>;

/// Compares models with studies.
struct Reproducer {
    threads: Threads,
    solver: Solver,
    /// Whether runs are repeated for verdicts.
    repeats: bool,
    stop: StopFlag,
    begun: Begun,
    quiet: bool,
}

impl Reproducer {
    /// The predictions for each study of a model of its machine, or of the one they are all `on`: with several seeds, those of the first,
    /// and how often each verdict came out.
    ///
    /// # Errors
    /// When no results can be had at all.
    fn reproductions(
        &self,
        studies: &[Study],
        on: Option<&str>,
        settings: &Settings,
        seeds: Seeds,
    ) -> Result<Vec<Held>, Failure> {
        let mut engines = Models::default();
        let mut cases = Vec::new();
        let counts: Vec<Result<usize, Failure>> = studies
            .iter()
            .map(|study| {
                let machine = on.unwrap_or(&study.machine);
                let file = library::machine_file(machine)?;
                let case = |seed| Case::new(study, machine, &file, settings, seed);
                let of_study = seeds.iter().map(case).collect::<Result<Vec<_>, Failure>>()?;
                let count = of_study.len();
                cases.extend(of_study);
                engines.add(machine, file);
                Ok(count)
            })
            .collect();
        self.run(&mut cases, &engines)?;
        let mut cases = cases.into_iter();
        let mut over_seeds = |count: usize| {
            // All of them are taken, so that those of the next study follow.
            let each: Vec<_> = cases.by_ref().take(count).map(Case::reproduction).collect();
            let Some(each) = each.into_iter().collect::<Result<Option<Vec<_>>, _>>()? else {
                return Ok(None);
            };
            Ok(if seeds.several.is_some() { Reproduction::over_seeds(each) } else { each.into_iter().next() })
        };
        Ok(counts.into_iter().map(|count| count.and_then(&mut over_seeds)).collect())
    }

    /// Does the runs of all cases as one campaign, until interrupted. They are repeated with other seeds as long as the intervals of a
    /// verdict's values hardly decide it.
    fn run(&self, cases: &mut [Case<'_>], engines: &Models) -> Result<(), Failure> {
        let pool = EnginePool { engines, threads: self.threads, stop: &self.stop, begun: &self.begun };
        for wanted in RESULTS {
            let all: Vec<Vec<Todo>> =
                cases.iter().enumerate().map(|(rank, case)| case.todo(rank, wanted).collect()).collect();
            let todo = all.concat();
            if todo.is_empty() {
                break;
            }
            let progress = CampaignProgress::new(self.quiet, "runs", todo.len(), 0);
            for (case, todo) in cases.iter().zip(&all).filter(|(_, todo)| !todo.is_empty()) {
                progress.log(&case.announcement(todo.len()));
            }
            let agenda = RunAgenda { cases, todo: &todo, solver: self.solver };
            let kept = carry_out(&agenda, todo.len(), BTreeMap::new(), &mut |_, _| Ok(()), progress, &pool)?;
            let mut came = vec![0; cases.len()];
            for (rank, result) in kept {
                came[todo[rank].case] += 1;
                cases[todo[rank].case].take(todo[rank], result);
            }
            for ((case, todo), came) in cases.iter_mut().zip(&all).zip(came) {
                // Those of a case that was interrupted remain open.
                if !todo.is_empty() && came == todo.len() {
                    case.conclude(self.repeats && wanted < RESULTS[RESULTS.len() - 1]);
                }
            }
        }
        Ok(())
    }
}
