//! `zerohop run`: one experiment.

use zerohop_experiment::catalogue;
use zerohop_report::{csv, json, mlc, svg, terminal as pages};

use super::Ending;
use super::measure::{Session, conclude};
use crate::arguments::RunFormatArgument;
use crate::failure::Failure;
use crate::request::RunTask;
use crate::root::Root;
use crate::terminal;

pub(super) fn run(task: RunTask, root: &Root, quiet: bool) -> Result<Ending, Failure> {
    let RunTask { experiment, subject, options, prefetchers, path, format } = task;
    let session = Session::open(subject, root, prefetchers, quiet)?;
    let outcome = session.measure(&options, path.clone(), |engine, observer| {
        zerohop_experiment::run(&experiment, engine, &options, observer)
    })?;
    let file = &outcome.result;
    let text = match (format, file.experiments.first()) {
        (RunFormatArgument::Json, _) => json::result_json(file),
        (RunFormatArgument::Csv, _) => csv::result_csv(file),
        (RunFormatArgument::Table, Some(result)) => {
            pages::experiment_page(file, result, catalogue(), &terminal::page_style())
        }
        (RunFormatArgument::Mlc, Some(result)) => mlc::block(result, &file.machine, catalogue())
            .map_err(|error| Failure::new(format_args!("cannot print {experiment} as MLC does: {error}")))?,
        (RunFormatArgument::Svg, Some(result)) => svg::experiment_picture(file, result, catalogue()),
        // Stopped before the first cell was done.
        (RunFormatArgument::Table | RunFormatArgument::Mlc | RunFormatArgument::Svg, None) => String::new(),
    };
    if !text.is_empty() {
        terminal::print(&text)?;
    }
    conclude(outcome, path.as_deref(), quiet)
}
