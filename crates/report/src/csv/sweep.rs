//! What came of a sweep, one row a point.

use zerohop_insight::{Column, SweepResult, SweepRow};

use super::push_row;

/// One row a point: its number, what is set, what became of it, its values and its notes; then its rank, and the ends of intervals of
/// columns that have any. Points that stand out come first. What is absent is empty.
pub fn sweep_csv(result: &SweepResult) -> String {
    let names = result.question.sweep.points.names();
    let wide: Vec<&Column> =
        result.columns.iter().filter(|column| result.has_intervals(&column.name)).collect();
    let mut text = String::new();
    let columns = result.columns.iter().map(|column| column.name.as_str());
    let heads = std::iter::once("point").chain(names.iter().copied()).chain(["outcome", "merit"]);
    let heads = heads.chain(columns).chain(["notes", "rank"]).map(str::to_owned);
    let ends = wide.iter().flat_map(|column| ["low", "high"].map(|end| format!("{}.{end}", column.name)));
    push_row(&mut text, heads.chain(ends));
    for row in &result.rows {
        push_row(&mut text, fields(result, &names, &wide, row));
    }
    text
}

fn fields<'a>(
    result: &'a SweepResult,
    names: &'a [&str],
    wide: &'a [&Column],
    row: &'a SweepRow,
) -> impl Iterator<Item = String> + 'a {
    let settings = names.iter().map(|name| row.settings.get(*name).cloned().unwrap_or_default());
    let merit = row.merit.map(|merit| merit.name().to_owned()).unwrap_or_default();
    let value = |name: &String| row.values.get(name).map(ToString::to_string).unwrap_or_default();
    let ends = |name: &String| {
        let interval = row.intervals.get(name);
        [0, 1].map(|end| interval.map(|ends| ends[end].to_string()).unwrap_or_default())
    };
    std::iter::once(row.point.to_string())
        .chain(settings)
        .chain([row.outcome.name().to_owned(), merit])
        .chain(result.columns.iter().map(move |column| value(&column.name)))
        .chain([row.notes.join("; "), row.rank.map(|rank| rank.to_string()).unwrap_or_default()])
        .chain(wide.iter().flat_map(move |column| ends(&column.name)))
}
