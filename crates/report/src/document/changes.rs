//! Changes of machines over time.

use zerohop_compare::{Change, ChangedValue, ChangesFile, MachineChanges};

use crate::html::WIDE;
use crate::json::changes_json;
use crate::markdown::page_markdown;
use crate::pages::changes_page;
use crate::render::{Document, Views};
use crate::table::Table;

impl Document for ChangesFile {
    const NAME: &'static str = "changes";
    const VIEWS: Views<Self> = Views {
        page: Some(changes_page),
        json: Some(changes_json),
        rows: Some(values),
        markdown: Some(|file| page_markdown(&changes_page(file, &WIDE))),
        ..Views::NONE
    };
}

/// A value that stepped, with its change and its machine.
type Row<'a> = (&'a str, &'a Change, &'a ChangedValue);

fn rows_of<'a>(machine: &'a MachineChanges) -> impl Iterator<Item = Row<'a>> {
    let of_change = move |change: &'a Change| {
        change.values.iter().map(move |value| (machine.machine.as_str(), change, value))
    };
    machine.changes.iter().flat_map(of_change)
}

/// One row per value that stepped.
fn values(file: &ChangesFile) -> Table {
    let rows: Vec<Row<'_>> = file.machines.iter().flat_map(rows_of).collect();
    let values = || rows.iter().map(|row| row.2);
    let when =
        |time: Option<zerohop_result::Timestamp>| time.map(|time| time.to_string()).unwrap_or_default();
    let traits = |change: &Change| {
        let words = change.traits.iter().map(|one| format!("{}: {} → {}", one.what, one.from, one.to));
        words.collect::<Vec<_>>().join("; ")
    };
    Table::new()
        .words("machine", rows.iter().map(|row| row.0.to_owned()))
        .words("before", rows.iter().map(|row| when(row.1.before.began_at)))
        .words("after", rows.iter().map(|row| when(row.1.after.began_at)))
        .words("experiment", values().map(|value| value.value.experiment.clone()))
        .words("measure", values().map(|value| value.value.measure.name().to_owned()))
        .words("place", values().map(|value| value.value.place.clone()))
        .words("headline", values().map(|value| value.value.headline.to_string()))
        .numbers("ratio", values().map(|value| Some(value.ratio)))
        .numbers("low", values().map(|value| Some(value.low)))
        .numbers("high", values().map(|value| Some(value.high)))
        .words("better", values().map(|value| value.better.to_string()))
        .numbers("p", values().map(|value| Some(value.p)))
        .words("changed", rows.iter().map(|row| traits(row.1)))
}
