//! A chunk of a sweep, as a launcher starts it: the journal of the sweep says all that determines its points.

use std::collections::BTreeMap;
use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;

use zerohop_app::{CheckedSweep, Head, Models, PRODUCED_BY, PointAgenda, SomePoints};
use zerohop_machine_file::Fault;
use zerohop_model::Solver;
use zerohop_study::{Outcome, Question};

use crate::arguments::ChunkArgument;
use crate::campaign_attendant::{Attended, User};
use crate::command;
use crate::executor::Threads;
use crate::failure::Failure;
use crate::journal::{Busy, Journal, Opened, is_failed, journal_path};
use crate::signals::Begun;
use crate::verbs::measure::watch_signals;

/// The points of a chunk, and the question that they answer.
pub(super) struct Computed {
    pub(super) question: Question,
    pub(super) outcomes: BTreeMap<usize, Outcome>,
}

/// Computes the points of a chunk that the journal `of` lacks, and keeps them in a journal beside `output`. Even a point that failed has an outcome;
/// without all of them, a signal came.
pub(super) fn compute(
    chunk: ChunkArgument,
    of: &Path,
    output: &Path,
    threads: Option<NonZeroUsize>,
    quiet: bool,
) -> Result<Option<Computed>, Failure> {
    let begun = Begun::not_yet();
    let stop = watch_signals(None, &begun)?;
    let wrong = |problem: &dyn std::fmt::Display| {
        Failure::new(format_args!("`{}` {problem}", of.display())).hint(
            "all nodes must see the directory of the output; choose a file in a shared directory with -o",
        )
    };
    let text = fs::read(of).map_err(|error| wrong(&format_args!("cannot be read: {error}")))?;
    let head = Head::of(&text).map_err(|error| wrong(&error))?;
    let question = head.question().clone();
    if question.produced_by != PRODUCED_BY {
        return Err(Failure::new(format_args!(
            "`{}` was started by {}, but this is {PRODUCED_BY}",
            of.display(),
            question.produced_by
        ))
        .hint("nodes must run the same version; give its path with --program"));
    }
    let asked = CheckedSweep::of_question(&question, head.machine_file(), &command::parse)?;
    let solver = Solver::named(&question.solver)
        .ok_or_else(|| wrong(&format_args!("names an unknown solver `{}`", question.solver)))?;
    let faults: Result<Vec<Fault>, _> = question.sweep.faults.iter().map(|fault| fault.parse()).collect();
    let faults = faults.map_err(|error| wrong(&format_args!("names an invalid fault: {error}")))?;

    let before = head.read(&text).map_err(|error| wrong(&error))?.outcomes;
    // Whoever started this chunk before may have been killed, and left it running.
    let Opened { mut journal, mut outcomes, .. } =
        Journal::open(&journal_path(output), &head, Busy::Awaited)?;
    outcomes.retain(|_, outcome| !is_failed(outcome));
    let is_there = |point: &usize| {
        outcomes.contains_key(point) || before.get(point).is_some_and(|outcome| !is_failed(outcome))
    };
    let missing: Vec<usize> =
        chunk.points(question.sweep.points.count()).filter(|point| !is_there(point)).collect();
    let all = PointAgenda { asked: &asked, solver, seed: question.seed };
    let agenda = SomePoints { all, points: &missing };
    let engines = Models::default().with(&asked.sweep.machine, asked.machine_file.clone());
    let engines = engines.with_faults(&faults);
    let threads = threads.map_or_else(Threads::of_host, Threads::new);
    let attended = Attended::new(threads, stop, User::new(quiet, "points", begun));
    let mut keep = |rank: usize, outcome: &Outcome| journal.add(missing[rank], outcome);
    let computed = attended.crew().carry_out(&agenda, missing.len(), BTreeMap::new(), &mut keep, &engines)?;
    journal.close()?;
    if computed.len() < missing.len() {
        return Ok(None);
    }
    outcomes.extend(computed.into_iter().map(|(rank, outcome)| (missing[rank], outcome)));
    Ok(Some(Computed { question, outcomes }))
}
