//! `zerohop reproduce`: published figures beside a model's predictions.

use zerohop_app::{Reproducer, Seeds, studies, templates};
use zerohop_experiment::campaign::SimulatedMachine;
use zerohop_model::Solver;
use zerohop_report::{Form, Studies};
use zerohop_study::{Reproduction, ReproductionFile, Validation, Verdict};

use super::exit_status::VerbOutcome;
use super::measure::watch_signals;
use crate::arguments::ReproduceArguments;
use crate::campaign_attendant::{Attended, User};
use crate::command;
use crate::executor::Threads;
use crate::failure::Failure;
use crate::kind::Kind;
use crate::output::Output;
use crate::signals::Begun;
use crate::terminal;
use crate::text_file::Disk;

pub(super) fn reproduce_studies(arguments: ReproduceArguments, quiet: bool) -> Result<VerbOutcome, Failure> {
    if arguments.list {
        let output = Output::new(&Kind::of::<Studies<'_>>(), Form::Page, None, None)?;
        return output.show(&Studies(&studies::all()?)).map(|()| VerbOutcome::Done);
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
        names.iter().map(|name| studies::study(name, &Disk)).collect::<Result<_, _>>()?
    };
    let threads = threads.map_or_else(Threads::of_host, Threads::new);
    let attended = Attended::new(threads, stop, User::new(quiet, "runs", begun));
    let reproducer = Reproducer {
        // Spread over many machines, errors say more than a simulation's last percent.
        solver: if validation && solver.solver.is_none() { Solver::Auto } else { solver.choice() },
        // Their page has no verdicts.
        repeats: !validation,
        files: &Disk,
        commands: &command::parse,
        crew: attended.crew(),
    };
    let mut reproductions = Vec::new();
    let mut failed = Vec::new();
    let seeds = Seeds { first: seed.unwrap_or(SimulatedMachine::SEED), several: seeds };
    for held in reproducer.reproductions(&studies, on.as_deref(), &settings, seeds) {
        match held {
            Ok(Some(reproduction)) => {
                log(&reproduction, quiet);
                reproductions.push(reproduction);
            }
            // It was interrupted.
            Ok(None) => {}
            Err(error) => failed.push(Failure::from(error)),
        }
    }
    let interrupted = attended.is_stopped() && reproductions.len() + failed.len() < studies.len();
    let file = ReproductionFile::new(reproductions);
    if validation && !interrupted && failed.is_empty() {
        output.show(&Validation::new(file.reproductions))?;
        return Ok(VerbOutcome::Done);
    }
    if !file.reproductions.is_empty() && !validation {
        output.show(&file)?;
    }
    if interrupted && !quiet {
        let done = file.reproductions.len();
        terminal::say(&format!("interrupted: {done} of {} studies are complete", studies.len()));
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
        _ if interrupted => VerbOutcome::Interrupted,
        Verdict::Ok | Verdict::Fitted => VerbOutcome::Done,
        Verdict::CannotTell => VerbOutcome::CannotTell,
        Verdict::Off => VerbOutcome::NotReproduced,
    })
}

/// Logs the verdict on a study.
fn log(reproduction: &Reproduction, quiet: bool) {
    if quiet || terminal::can_redraw() {
        return;
    }
    terminal::say(&format!("{}: {}", reproduction.study, reproduction.totals));
}
