//! What came of a sweep, one row a point.

use zerohop_insight::{SweepResult, SweepRow};

use super::push_row;

/// One row a point: its rank, what is set, what became of it, its numbers, and what is to be said of it. Those that stand out
/// come first. What is absent is empty.
pub fn sweep_csv(result: &SweepResult) -> String {
    let names = result.question.sweep.points.names();
    let mut text = String::new();
    let columns = result.columns.iter().map(|column| column.name.as_str());
    let heads = std::iter::once("point").chain(names.iter().copied()).chain(["outcome", "merit"]);
    push_row(&mut text, heads.chain(columns).chain(["notes"]).map(str::to_owned));
    for row in &result.rows {
        push_row(&mut text, fields(result, &names, row));
    }
    text
}

fn fields<'a>(
    result: &'a SweepResult,
    names: &'a [&str],
    row: &'a SweepRow,
) -> impl Iterator<Item = String> + 'a {
    let settings = names.iter().map(|name| row.settings.get(*name).cloned().unwrap_or_default());
    let merit = row.merit.map(|merit| merit.name().to_owned()).unwrap_or_default();
    let value = |name: &String| row.values.get(name).map(ToString::to_string).unwrap_or_default();
    std::iter::once(row.point.to_string())
        .chain(settings)
        .chain([row.outcome.name().to_owned(), merit])
        .chain(result.columns.iter().map(move |column| value(&column.name)))
        .chain([row.notes.join("; ")])
}
