//! A file whose pages were moved to chosen nodes.

use zerohop_machine::NodeId;
use zerohop_placement::PlacedFile;

use crate::json::placed_file_json;
use crate::pages::placed_file_page;
use crate::render::{Document, Views};
use crate::table::Table;

impl Document for PlacedFile {
    const NAME: &'static str = "a placed file";
    const VIEWS: Views<Self> =
        Views { page: Some(placed_file_page), json: Some(placed_file_json), rows: Some(rows), ..Views::NONE };
}

/// One row per node: the share asked for, the bytes before and after, and the bytes asked for.
fn rows(file: &PlacedFile) -> Table {
    let mut nodes: Vec<NodeId> = file.wanted.keys().copied().collect();
    nodes.extend(file.before.bytes.iter().chain(file.after.bytes.iter()).map(|(node, _)| node));
    nodes.sort_unstable();
    nodes.dedup();
    let nodes = || nodes.iter();
    Table::new()
        .counts("node", nodes().map(|node| node.0.into()))
        .numbers("wanted_share", nodes().map(|node| Some(file.wanted.get(node).copied().unwrap_or(0.0))))
        .counts("bytes_before", nodes().map(|node| file.before.bytes.on(*node).get()))
        .counts("bytes_after", nodes().map(|node| file.after.bytes.on(*node).get()))
        .counts("bytes_wanted", nodes().map(|node| file.wanted_on(*node).get()))
}
