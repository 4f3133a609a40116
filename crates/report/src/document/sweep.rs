//! The result of a sweep.

use zerohop_study::{SweepResult, SweepRow};

use crate::json::sweep_json;
use crate::origin::described;
use crate::pages::sweep_page;
use crate::render::{Document, Views};
use crate::table::Table;

/// The key under which a Parquet file stores the question, as JSON.
const QUESTION: &str = "zerohop.question";

impl Document for SweepResult {
    const NAME: &'static str = "a sweep";
    const VIEWS: Views<Self> =
        Views { page: Some(sweep_page), json: Some(sweep_json), rows: Some(points), ..Views::NONE };
}

/// One row per point: its number, settings, outcome, values and notes; then its rank, the interval ends of columns
/// that have intervals, and where the values come from. Points that stand out come first.
fn points(result: &SweepResult) -> Table {
    let rows = || result.rows.iter();
    let table = Table::new().counts("point", rows().map(|row| row.point as u64));
    let names = result.question.sweep.points.names();
    let table = names
        .into_iter()
        .fold(table, |table, name| table.given(name, rows().map(|row| row.settings.get(name).cloned())));
    let merit = rows().map(|row| row.merit.map(|merit| merit.name().to_owned()).unwrap_or_default());
    let table = table.words("outcome", rows().map(|row| row.outcome.name().to_owned())).words("merit", merit);
    let table = result.columns.iter().fold(table, |table, column| {
        table.numbers(&column.name, rows().map(|row| row.values.get(&column.name).copied()))
    });
    let table = table
        .words("notes", rows().map(SweepRow::notes_in_words))
        .ranks("rank", rows().map(|row| row.rank.map(|rank| rank as u64)));
    let wide = result.columns.iter().map(|column| &column.name).filter(|name| result.has_intervals(name));
    let table = wide.flat_map(|name| [(name, 0, "low"), (name, 1, "high")]).fold(
        table,
        |table, (name, rank, end)| {
            let ends = rows().map(|row| row.intervals.get(name).map(|ends| ends[rank]));
            table.numbers(format!("{name}.{end}"), ends)
        },
    );
    let question = &result.question;
    let machine = |row: &SweepRow| {
        let settings = question.sweep.points.settings(row.point);
        described(&question.sweep.machine, settings.iter())
    };
    let table = table
        .words("origin", rows().map(|_| format!("model ({})", question.solver)))
        .words("machine", rows().map(machine))
        // A model's results have no time.
        .words("started_at", rows().map(|_| String::new()))
        .words("produced_by", rows().map(|_| question.produced_by.clone()));
    match serde_json::to_string(question) {
        Ok(question) => table.fact(QUESTION, question),
        Err(_) => table,
    }
}
