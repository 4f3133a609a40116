//! A machine, as far as an operating system shows it.

use zerohop_machine::{Machine, NodeId, hwloc_xml};

use crate::json::machine_json;
use crate::pages::machine_page;
use crate::render::{Document, Views};
use crate::svg::machine_picture;
use crate::table::Table;

impl Document for Machine {
    const NAME: &'static str = "a machine";
    const VIEWS: Views<Self> = Views {
        page: Some(machine_page),
        json: Some(machine_json),
        rows: Some(nodes),
        picture: Some(|machine| Ok(machine_picture(machine))),
        hwloc: Some(hwloc_xml),
        ..Views::NONE
    };
}

/// One row per node: its CPUs, its memory, and the firmware's distance to every node that has one.
pub(super) fn nodes(machine: &Machine) -> Table {
    let nodes = || machine.nodes.iter();
    let cores = |pus| machine.cores.iter().filter(|core| !core.pus.intersection(pus).is_empty()).count();
    let table = Table::new()
        .counts("node", nodes().map(|node| node.id.0.into()))
        .words("cpus", nodes().map(|node| node.pus.to_string()))
        .counts("cpu_count", nodes().map(|node| node.pus.len() as u64))
        .counts("core_count", nodes().map(|node| cores(&node.pus) as u64))
        .counts("memory_bytes", nodes().map(|node| node.memory.get()))
        .counts("free_bytes", nodes().map(|node| node.free.get()))
        .words("memory_allowed", nodes().map(|node| node.allowed.to_string()));
    let targets: &[NodeId] = machine.distances.as_ref().map_or(&[], |distances| &distances.nodes);
    let distance = |from, to| machine.distances.as_ref().and_then(|distances| distances.get(from, to));
    targets.iter().fold(table, |table, &target| {
        let distances = nodes().map(|node| distance(node.id, target).map(f64::from));
        table.numbers(format!("distance_to_{target}"), distances)
    })
}
