//! Content of an archive: its results, or its machines.

use schemars::JsonSchema;
use serde::Serialize;
use zerohop_result::{ListedMachine, ListedResult, Timestamp};

use crate::html::WIDE;
use crate::markdown::page_markdown;
use crate::page::Page;
use crate::pages::{Style, archived_machines_page, archived_results_page};
use crate::pretty::pretty;
use crate::render::{Document, Views};
use crate::table::Table;

/// Results of an archive.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ArchivedResults {
    /// Name of the archive.
    pub archive: String,
    /// Size of the archive, in bytes.
    pub bytes: u64,
    /// Total number of results in the archive.
    pub of: u64,
    /// The listed results, the latest first.
    pub results: Vec<ListedResult>,
}

/// Machines of an archive.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ArchivedMachines {
    /// Name of the archive.
    pub archive: String,
    /// Size of the archive, in bytes.
    pub bytes: u64,
    /// The machines, ordered by name.
    pub machines: Vec<ListedMachine>,
}

impl Document for ArchivedResults {
    const NAME: &'static str = "a list of results";
    const VIEWS: Views<Self> = Views {
        page: Some(page_of_results),
        json: Some(pretty),
        rows: Some(results),
        markdown: Some(|list| page_markdown(&page_of_results(list, &WIDE))),
        ..Views::NONE
    };
}

impl Document for ArchivedMachines {
    const NAME: &'static str = "a list of the machines of an archive";
    const VIEWS: Views<Self> = Views {
        page: Some(page_of_machines),
        json: Some(pretty),
        rows: Some(machines),
        markdown: Some(|list| page_markdown(&page_of_machines(list, &WIDE))),
        ..Views::NONE
    };
}

fn page_of_results(list: &ArchivedResults, style: &Style) -> Page {
    archived_results_page((&list.archive, list.bytes), list.of, &list.results, style)
}

fn page_of_machines(list: &ArchivedMachines, style: &Style) -> Page {
    archived_machines_page((&list.archive, list.bytes), &list.machines, style)
}

fn when(time: Option<Timestamp>) -> String {
    time.map(|time| time.to_string()).unwrap_or_default()
}

/// One row per result.
fn results(list: &ArchivedResults) -> Table {
    let each = || list.results.iter();
    Table::new()
        .words("id", each().map(|one| one.id.clone()))
        .words("machine", each().map(|one| one.machine.clone()))
        .words("began_at", each().map(|one| when(one.began_at)))
        .words("stated_at", each().map(|one| when(one.stated_at)))
        .words("origin", each().map(|one| one.origin.clone()))
        .words("completion", each().map(|one| one.completion.clone()))
        .words("grade", each().map(|one| one.grade.clone().unwrap_or_default()))
        .words("unusable", each().map(|one| one.unusable.clone().unwrap_or_default()))
        .words("experiments", each().map(|one| one.experiments.join(" ")))
        .counts("cells", each().map(|one| one.cells))
        .words("produced_by", each().map(|one| one.produced_by.clone()))
}

/// One row per machine.
fn machines(list: &ArchivedMachines) -> Table {
    let each = || list.machines.iter();
    Table::new()
        .words("machine", each().map(|one| one.name.clone()))
        .counts("results", each().map(|one| one.results))
        .counts("usable", each().map(|one| one.usable))
        .counts("wrong_clocks", each().map(|one| one.wrong_clocks))
        .words("first", each().map(|one| when(one.first)))
        .words("last", each().map(|one| when(one.last)))
        .words("latest_usable", each().map(|one| one.latest.clone().unwrap_or_default()))
}
