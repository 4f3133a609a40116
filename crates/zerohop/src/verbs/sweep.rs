//! `zerohop sweep`: many settings of a machine, a row of values for each.

mod chunk;
mod launched_chunks;

use std::collections::BTreeMap;
use std::path::Path;

use zerohop_app::{CheckedSweep, Head, Models, PRODUCED_BY, PointAgenda, REPORT, Sources};
use zerohop_experiment::campaign::SimulatedMachine;
use zerohop_report::Form;
use zerohop_study::{Outcome, PointOutcome, Question, SweepResult};
use zerohop_units::counted;

use super::exit_status::VerbOutcome;
use super::measure::watch_signals;
use crate::arguments::SweepArguments;
use crate::campaign_attendant::{Attended, User};
use crate::command;
use crate::executor::Threads;
use crate::failure::Failure;
use crate::journal::{Busy, Journal, Opened, is_failed, journal_path};
use crate::kind::Kind;
use crate::output::Output;
use crate::signals::Begun;
use crate::terminal;
use crate::text_file::Disk;

use chunk::Computed;
use launched_chunks::Plan;

pub(super) fn sweep(arguments: SweepArguments, quiet: bool) -> Result<VerbOutcome, Failure> {
    let SweepArguments {
        machine,
        file,
        set,
        experiment,
        measure,
        fault,
        solver,
        threads,
        seed,
        output,
        format,
        launcher,
        chunks,
        launch,
        chunk,
        of_journal,
    } = arguments;
    if let (Some(chunk), Some(of_journal), Some(output)) = (chunk, &of_journal, &output) {
        let output = Output::new(&Kind::of::<SweepResult>(), Form::Page, None, Some(output))?;
        output.prepare()?;
        let path = output.path().unwrap_or(of_journal);
        return match chunk::compute(chunk, of_journal, path, threads, quiet)? {
            Some(Computed { question, outcomes }) => {
                output.keep(&SweepResult::new(question, &outcomes)).map(|()| VerbOutcome::Done)
            }
            None => Ok(VerbOutcome::Interrupted),
        };
    }
    // A signal ends it from here on, also while the machine is read.
    let begun = Begun::not_yet();
    let stop = watch_signals(None, &begun)?;
    let from = Sources { files: &Disk, commands: &command::parse };
    let mut asked = match (file, machine) {
        (Some(file), _) => CheckedSweep::of_file(&file, &from)?,
        (None, machine) => {
            CheckedSweep::of_arguments(machine.unwrap_or_default(), set, &experiment, &measure, &from)?
        }
    };
    asked.sweep.faults = fault.all().iter().map(ToString::to_string).collect();
    let output = Output::new(&Kind::of::<SweepResult>(), Form::Page, format, output.as_deref())?;
    output.prepare()?;
    let seed = seed.unwrap_or(SimulatedMachine::SEED);
    let question = Question {
        produced_by: PRODUCED_BY.to_owned(),
        sweep: asked.sweep.clone(),
        solver: solver.solver().name().to_owned(),
        seed,
    };
    let head = Head::new(&question, asked.machine_file.to_toml());
    let (mut journal, mut before) = match output.path() {
        None => (None, BTreeMap::new()),
        Some(path) => {
            let Opened { journal, outcomes: before, damaged } =
                Journal::open(&journal_path(path), &head, Busy::Refused)?;
            if damaged > 0 && !quiet {
                let lines = counted(damaged, "line");
                terminal::say(&terminal::warning_line(&format!(
                    "{lines} damaged in the journal; recomputing their points"
                )));
            }
            (Some(journal), before)
        }
    };
    let points = question.sweep.points.count();
    // A failure may have been due to the host, and a user who starts again wants all points.
    before.retain(|_, outcome| !is_failed(outcome));
    let mut unfinished = None;
    let outcomes = match (launcher, &mut journal, output.path()) {
        (Some(launcher), Some(journal), Some(path)) => {
            let plan = Plan { launcher, launch: &launch, chunks, threads };
            let spread = launched_chunks::spread(&plan, &head, journal, path, before, &stop, &begun, quiet)?;
            unfinished = spread.unfinished;
            spread.outcomes
        }
        _ => {
            let threads = threads.map_or_else(Threads::of_host, Threads::new);
            let agenda = PointAgenda { asked: &asked, solver: solver.solver(), seed };
            let engines = Models::default().with(&asked.sweep.machine, asked.machine_file.clone());
            let engines = engines.with_faults(fault.all());
            let attended = Attended::new(threads, stop, User::new(quiet, "points", begun));
            let mut keep = |point: usize, outcome: &Outcome| match &mut journal {
                Some(journal) => journal.add(point, outcome),
                None => Ok(()),
            };
            attended.crew().carry_out(&agenda, points, before, &mut keep, &engines)?
        }
    };
    journal.map_or(Ok(()), Journal::close)?;
    let result = SweepResult::new(question, &outcomes);
    output.show(&result)?;
    unfinished.map_or_else(|| conclude(&result, &outcomes, output.path(), quiet), Err)
}

/// Reports the outcome of a sweep whose page has been printed.
///
/// # Errors
/// When points failed, or no point has a requested measure.
fn conclude(
    result: &SweepResult,
    outcomes: &BTreeMap<usize, Outcome>,
    path: Option<&Path>,
    quiet: bool,
) -> Result<VerbOutcome, Failure> {
    let points = result.question.sweep.points.count();
    if !quiet && let Some(path) = path {
        terminal::say(&format!("result: {}", path.display()));
    }
    if result.rows.len() < points {
        if !quiet {
            let goes_on = if path.is_some() { ": the same command resumes from there" } else { "" };
            terminal::say(&format!(
                "interrupted: {} of {points} points are complete{goes_on}",
                result.rows.len()
            ));
        }
        return Ok(VerbOutcome::Interrupted);
    }
    let failed = result.rows.iter().find(|row| row.outcome == PointOutcome::Failed);
    if let Some(row) = failed {
        let settings = result.question.sweep.points.settings(row.point);
        let reason = row.notes_in_words();
        let advice = match outcomes.get(&row.point) {
            Some(Outcome::Failed { bug: true, .. }) => REPORT,
            _ => "choose other settings, or make the machine file reject conflicting settings",
        };
        let again = if path.is_some() { "; the same command retries them" } else { "" };
        return Err(Failure::new(format_args!(
            "{} of {points} points failed, the first with {settings}: {reason}",
            result.count(PointOutcome::Failed),
        ))
        .hint(format!("{advice}{again}")));
    }
    if let Some(row) = result.rows.first()
        && result.count(PointOutcome::Done) == 0
    {
        let reason = row.notes_in_words();
        return Err(Failure::new(format_args!("no point was computed: {reason}"))
            .hint("`zerohop machine show MACHINE` lists its options and parts"));
    }
    if let Some(name) = result.missing().first() {
        return Err(Failure::new(format_args!("no point has `{name}`")).hint(
            "`zerohop run … --on MACHINE --format csv` shows an experiment's measures and their coordinates",
        ));
    }
    Ok(VerbOutcome::Done)
}
