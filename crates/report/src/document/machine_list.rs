//! The machines that can be simulated.

use zerohop_machine_file::Hardware;

use crate::json::machine_list_json;
use crate::pages::machine_list;
use crate::render::{Document, Views};
use crate::table::Table;

/// Machines that can be simulated.
#[derive(Debug, Clone, Copy)]
pub struct MachineList<'a>(pub &'a [Hardware]);

impl Document for MachineList<'_> {
    const NAME: &'static str = "a list of machines";
    const VIEWS: Views<Self> = Views {
        page: Some(|list, style| machine_list(list.0, style)),
        json: Some(|list| machine_list_json(list.0)),
        rows: Some(|list| machines(list.0)),
        ..Views::NONE
    };
}

/// One row per machine.
fn machines(machines: &[Hardware]) -> Table {
    let each = || machines.iter();
    Table::new()
        .words("machine", each().map(|hardware| hardware.machine.name.clone()))
        .words("title", each().map(|hardware| hardware.title.clone()))
        .counts("nodes", each().map(|hardware| hardware.machine.nodes.len() as u64))
        .counts("cores", each().map(|hardware| hardware.machine.cores.len() as u64))
        .counts("routers", each().map(|hardware| hardware.routers.len() as u64))
        .counts("links", each().map(|hardware| hardware.links.len() as u64))
        .counts("parameters", each().map(|hardware| hardware.parameters.len() as u64))
        .counts("fitted", each().map(|hardware| hardware.fitted().count() as u64))
}
