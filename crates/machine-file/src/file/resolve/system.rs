//! A machine as an operating system shows it.

use zerohop_document::Problems;
use zerohop_units::Bytes;

use crate::Hardware;
use crate::file::tables::MachineTable;
use zerohop_machine::{DistanceMatrix, OperatingSystem};

/// The distance from a node to itself.
const LOCAL: u32 = 10;
/// The distance that each hop adds, as firmware of HyperTransport machines reports it: 16 to a neighbor, 22 over two
/// hops.
const HOP: u32 = 6;
/// A node with a route is reachable, however long the route is.
const FARTHEST: u32 = DistanceMatrix::UNREACHABLE - 1;

pub(super) fn system(tables: &MachineTable, problems: &mut Problems) -> Option<OperatingSystem> {
    let page = &tables.system.page;
    if !page.value.get().is_power_of_two() || page.value < Bytes::kib(4) {
        let message =
            format!("invalid page size {}: page sizes are powers of two, at least 4 KiB", page.value);
        problems.add(page.place, message);
        return None;
    }
    Some(OperatingSystem { base_page: Some(page.value), ..OperatingSystem::default() })
}

/// Distances of the firmware: from the file, otherwise derived from the hops between nodes.
pub(super) fn distances(
    tables: &MachineTable,
    hardware: &Hardware,
    problems: &mut Problems,
) -> Option<DistanceMatrix> {
    let nodes: Vec<_> = hardware.machine.nodes.iter().map(|node| node.id).collect();
    let Some(said) = &tables.system.distances else {
        let far = |hops: usize| (LOCAL + HOP * hops as u32).min(FARTHEST);
        let rows = hardware.hop_matrix();
        let rows = rows.into_iter().map(|row| row.into_iter().map(far).collect()).collect();
        return Some(DistanceMatrix { nodes, rows });
    };
    let rows = &said.value.0;
    if rows.len() != nodes.len() || rows.iter().any(|row| row.len() != nodes.len()) {
        let message = format!("distances between {0} nodes must be {0} rows of {0}", nodes.len());
        problems.add(said.place, message);
        return None;
    }
    if let Some(at) = (0..rows.len()).find(|&at| rows[at][at] != LOCAL) {
        let message =
            format!("the distance of node {} to itself must be {LOCAL}, not {}", nodes[at], rows[at][at]);
        problems.add(said.place, message);
        return None;
    }
    Some(DistanceMatrix { nodes, rows: rows.clone() })
}
