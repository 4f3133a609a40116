//! `zerohop report`: one page about a machine, or about several side by side.

use zerohop_app::{JudgeOptions, Judgement, NamedResult, read_any};
use zerohop_compare::{Configuration, Numbering, compare};
use zerohop_experiment::catalogue;
use zerohop_importers::KINDS;
use zerohop_report::{AssessedResult, Form, Report};

use super::exit_status::VerbOutcome;
use super::explore::tab;
use crate::arguments::ReportArguments;
use crate::campaign_attendant::judged;
use crate::failure::Failure;
use crate::kind::Kind;
use crate::output::Output;
use crate::program_points::program_points;
use crate::terminal;
use crate::text_file::Disk;

/// What to name instead of a file that cannot be read.
const HINT: &str = "give a result, a survey directory, a report, or the output of another tool";

pub(super) fn report(arguments: &ReportArguments, quiet: bool) -> Result<VerbOutcome, Failure> {
    let ReportArguments { results: paths, machine, explorer, points, output: path } = arguments;
    let points = program_points(points)?;
    let output = Output::new(&Kind::of::<Report<'_>>(), Form::Html, None, Some(path))?;
    paths.iter().try_for_each(|path| output.spares(path))?;
    if *explorer && !output.uses(Form::Html) {
        return Err(
            Failure::new("only an HTML report can contain the explorer").hint("use the extension .html")
        );
    }
    let each = paths.iter().map(|path| read_any(path, HINT, &Disk)).collect::<Result<Vec<_>, _>>()?;
    let explorer = match (paths.first(), each.first()) {
        (Some(path), Some(first)) if *explorer => Some(tab(path, first, machine.name.as_deref())?),
        _ => None,
    };
    let all: Vec<NamedResult> = each.into_iter().flatten().collect();
    let judge = |NamedResult { name, result, .. }: &NamedResult| {
        judged(
            name,
            result,
            JudgeOptions { stated: machine.name.as_deref(), ..JudgeOptions::default() },
            quiet,
        )
    };
    let judgements = all.iter().map(judge).collect::<Result<Vec<_>, _>>()?;
    let experiments = catalogue().with_imported(KINDS);
    let results: Vec<AssessedResult<'_>> = all
        .iter()
        .zip(&judgements)
        .map(|(NamedResult { result, .. }, Judgement { expectations, diagnosis })| AssessedResult {
            result,
            experiments,
            expectations: Some(expectations),
            diagnosis: Some(diagnosis),
            points: &points,
        })
        .collect();
    let named: Vec<Configuration<'_>> = all
        .iter()
        .map(|NamedResult { name, result, .. }| Configuration { name, result, repeats: &[] })
        .collect();
    let comparison = match named.len() {
        0 | 1 => None,
        _ => match compare(&named, Numbering::ByTopology) {
            Ok(comparison) => Some(comparison),
            // They stand side by side all the same.
            Err(error) => {
                terminal::say(&terminal::warning_line(&format!("cannot compare the results: {error}")));
                None
            }
        },
    };
    let report = Report { results: &results, comparison: comparison.as_ref() };
    match explorer {
        Some(tab) => output.keep_surrounded(&report, &tab.surroundings())?,
        None => output.show(&report)?,
    }
    if !quiet {
        terminal::say(&format!("report: {}", path.display()));
    }
    Ok(VerbOutcome::Done)
}
