//! Location of the pages and threads of a process or a file.

use zerohop_machine::NodeId;
use zerohop_placement::{Whereabouts, WhereaboutsFile, Whose};

use crate::json::whereabouts_json;
use crate::pages::whereabouts_page;
use crate::render::{Document, Views};
use crate::table::Table;

impl Document for WhereaboutsFile {
    const NAME: &'static str = "whereabouts";
    const VIEWS: Views<Self> =
        Views { page: Some(whereabouts_page), json: Some(whereabouts_json), rows: Some(rows), ..Views::NONE };
}

/// One row per subject and node: its bytes there, its threads, and their share of CPU time.
fn rows(file: &WhereaboutsFile) -> Table {
    let found = file.found.iter();
    let rows: Vec<(&Whereabouts, NodeId)> =
        found.flat_map(|one| file.nodes_of(one).into_iter().map(move |node| (one, node))).collect();
    let rows = || rows.iter();
    let process = |one: &Whereabouts| match one.subject {
        Whose::Process { process, .. } => Some(u64::from(process.0)),
        Whose::File { .. } => None,
    };
    let name = |one: &Whereabouts| match &one.subject {
        Whose::Process { command, .. } => command.clone(),
        Whose::File { path, .. } => path.clone(),
    };
    Table::new()
        .ranks("process", rows().map(|(one, _)| process(one)))
        .words("name", rows().map(|(one, _)| name(one)))
        .counts("node", rows().map(|(_, node)| node.0.into()))
        .counts("bytes", rows().map(|(one, node)| one.bytes.on(*node).get()))
        .counts(
            "threads",
            rows().map(|(one, node)| one.threads_by_node.get(node).map_or(0, |threads| *threads as u64)),
        )
        .numbers("cpu_share", rows().map(|(one, node)| one.cpu_shares.get(node).copied()))
        .numbers("remote_share", rows().map(|(one, _)| one.remote_share))
}
