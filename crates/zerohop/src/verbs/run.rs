//! `zerohop run`: one experiment.

use zerohop_experiment::catalogue;
use zerohop_report::Experiment;

use super::exit_status::VerbOutcome;
use super::measure::{Session, conclude};
use crate::failure::Failure;
use crate::machine_source::MachineSource;
use crate::request::RunTask;

pub(super) fn run(task: RunTask, root: &MachineSource, quiet: bool) -> Result<VerbOutcome, Failure> {
    let RunTask { experiment, subject, options, setup, demands, output } = task;
    output.prepare()?;
    let mut session = Session::open(subject, root, &setup, quiet)?;
    session.wait_quiet(demands.wait_quiet);
    // A JSON file grows as the result does.
    let growing = output.json_path().map(ToOwned::to_owned);
    let mut outcome = session.measure(&options, growing.clone(), |engine, observer| {
        zerohop_experiment::run(&experiment, engine, &options, observer)
    })?;
    let file = &outcome.result;
    // There is no result if it was stopped before the first cell was done.
    if let Some(result) = file.experiments.first() {
        let document = Experiment { file, result, experiments: catalogue() };
        let kept = if growing.is_some() { Ok(()) } else { output.keep(&document) };
        output.print(&document)?;
        outcome.unsaved = outcome.unsaved.or(kept.err());
    }
    conclude(outcome, output.path(), demands.strict, quiet)
}
