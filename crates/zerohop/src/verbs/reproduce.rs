//! `zerohop reproduce`: published figures beside a model's predictions.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use zerohop_campaign::SimulatedMachine;
use zerohop_insight::{
    ReproduceError, Reproduction, ReproductionFile, Study, Undecided, Validation, Verdict, reproduce,
    undecided,
};
use zerohop_machine::{Hardware, Settings};
use zerohop_model::Solver;
use zerohop_report::{Form, Studies};
use zerohop_result::ExperimentResult;
use zerohop_units::counted;
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
use crate::study_agenda::RunAgenda;
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
        seed: seed.unwrap_or(SimulatedMachine::SEED),
        // Their page has no verdicts.
        repeats: !validation,
        stop,
        begun,
        quiet,
    };
    let mut reproductions = Vec::new();
    let mut failed = Vec::new();
    for study in &studies {
        let machine = on.as_deref().unwrap_or(&study.machine);
        match reproducer.over_seeds(study, machine, &settings, seeds) {
            Some(Ok(reproduction)) => {
                log(&reproduction, quiet);
                reproductions.push(reproduction);
            }
            Some(Err(failure)) => failed.push(failure),
            None => break,
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

/// The verdict on a study, or why there is none.
type Held = Result<Reproduction, Failure>;

/// The results of each of a study's runs, and its variants of the machine.
type Runs = (Vec<Vec<ExperimentResult>>, Vec<Hardware>);

/// How many results of a run a verdict may rest on, each with a seed of its own: at first, and then while it is not certain.
const RESULTS: [usize; 3] = [1, 2, 4];

/// Compares models with studies.
struct Reproducer {
    threads: Threads,
    solver: Solver,
    seed: u64,
    /// Whether runs are repeated for verdicts.
    repeats: bool,
    stop: StopFlag,
    begun: Begun,
    quiet: bool,
}

impl Reproducer {
    /// The predictions of a model of `machine` for `study`; with several seeds, those of the first, and how often each verdict
    /// came out. `None` if interrupted.
    fn over_seeds(
        &self,
        study: &Study,
        machine: &str,
        settings: &Settings,
        seeds: Option<NonZeroU32>,
    ) -> Option<Held> {
        let Some(seeds) = seeds else { return self.reproduction(study, machine, settings, self.seed) };
        let mut each = Vec::new();
        for further in 0..seeds.get() {
            let seed = self.seed.wrapping_add(further.into());
            match self.reproduction(study, machine, settings, seed)? {
                Ok(reproduction) => each.push(reproduction),
                failed => return Some(failed),
            }
        }
        Reproduction::over_seeds(each).map(Ok)
    }

    /// The predictions of a model of `machine` for `study`; `None` if interrupted.
    fn reproduction(&self, study: &Study, machine: &str, settings: &Settings, seed: u64) -> Option<Held> {
        self.results(study, machine, settings, seed).transpose().map(|held| {
            let (results, machines) = held?;
            let machines: Vec<&Hardware> = machines.iter().collect();
            reproduce(study, &results, &machines).map_err(|error| of_study(study, &error))
        })
    }

    /// The results of the study's runs in their order, and its variants of the machine; `None` if interrupted. Runs are
    /// repeated with other seeds as long as the intervals of a verdict's values hardly decide it.
    fn results(
        &self,
        study: &Study,
        machine: &str,
        settings: &Settings,
        seed: u64,
    ) -> Result<Option<Runs>, Failure> {
        let file = library::machine_file(machine)?;
        // The user's settings override the study's.
        let all = |of_study: &Settings| of_study.iter().chain(settings.iter()).cloned().collect();
        let variants: Vec<Settings> = study.variants.iter().map(all).collect();
        let hardware = |settings: &Settings| library::hardware_of(&file, settings);
        let machines = variants.iter().map(hardware).collect::<Result<Vec<_>, _>>()?;
        let engines = Models::default().with(machine, file);
        let pool =
            EnginePool { engines: &engines, threads: self.threads, stop: &self.stop, begun: &self.begun };
        let mut agenda = RunAgenda::new(study, machine, &variants, self.solver)?;
        let mut results: Vec<Vec<ExperimentResult>> = vec![Vec::new(); study.runs().len()];
        let mut open = Undecided { runs: (0..results.len()).collect(), claims: Vec::new() };
        for wanted in RESULTS {
            let seeds = |run: usize| (results[run].len()..wanted).map(move |rank| (run, seed_of(seed, rank)));
            agenda = agenda.with(open.runs.iter().flat_map(|&run| seeds(run)).collect());
            let requests = agenda.todo().len();
            let progress = CampaignProgress::new(self.quiet, "runs", requests, 0);
            let runs = counted(requests, "run");
            progress.log(&match wanted {
                1 => format!("{}: {runs} on {machine}", study.name),
                _ => format!(
                    "{}: {runs} more, because intervals hardly decide {}",
                    study.name,
                    open.claims.join("; ")
                ),
            });
            let done = carry_out(&agenda, requests, BTreeMap::new(), &mut |_, _| Ok(()), progress, &pool)?;
            if done.len() < requests {
                return Ok(None);
            }
            for (rank, result) in done {
                results[agenda.todo()[rank].0].push(result?);
            }
            if !self.repeats {
                break;
            }
            let machines: Vec<&Hardware> = machines.iter().collect();
            open = undecided(study, &results, &machines).map_err(|error| of_study(study, &error))?;
            if open.runs.is_empty() {
                break;
            }
        }
        Ok(Some((results, machines)))
    }
}

fn of_study(study: &Study, error: &ReproduceError) -> Failure {
    Failure::new(format_args!("{}: {error}", study.name)).maybe_hint(error.hint())
}

/// The seed of a run's result of that rank; the first is the seed itself.
const fn seed_of(seed: u64, rank: usize) -> u64 {
    // Multiples of an odd number all differ. It is another one than that of replications, whose seeds these must not meet.
    seed.wrapping_add((rank as u64).wrapping_mul(0xd134_2543_de82_ef95))
}
