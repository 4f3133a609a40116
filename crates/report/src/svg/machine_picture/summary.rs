//! Summarizes nodes that are too many to draw one by one.

use std::collections::BTreeMap;

use zerohop_machine::{Machine, NodeId, PuId};
use zerohop_units::Bytes;

use crate::number::counted;
use crate::svg::canvas::{Canvas, Point, at};
use crate::svg::sums::{alike, draw_alike, draw_bars};

/// Between two lists.
const GAP: f64 = 8.0;

/// Draws the kinds of nodes with their counts, and their distances. Returns the lower end of the drawing.
pub(super) fn draw(page: &mut Canvas, machine: &Machine, corner: Point) -> f64 {
    let cores = cores(machine);
    let nodes = machine.nodes.iter().map(|node| {
        let memory = match node.memory {
            Bytes(0) => "no memory".to_owned(),
            memory => memory.to_string(),
        };
        let cores = counted(cores.get(&node.id).copied().unwrap_or(0), "core");
        format!("{memory}, {cores}, {}", counted(node.pus.len(), "CPU"))
    });
    let mut y = draw_alike(page, corner, &counted(machine.nodes.len(), "NUMA node"), &alike(nodes));
    if let Some(distances) = machine.distances.as_ref().filter(|distances| distances.nodes.len() > 1) {
        let mut pairs: BTreeMap<u32, usize> = BTreeMap::new();
        for distance in distances.rows.iter().flatten() {
            *pairs.entry(*distance).or_default() += 1;
        }
        let bars: Vec<(String, usize)> =
            pairs.into_iter().map(|(distance, count)| (format!("distance {distance}"), count)).collect();
        y = draw_bars(page, at(corner.x, y + GAP), "pairs of nodes by distance (firmware's SLIT)", &bars);
    }
    y
}

/// Cores of each node.
fn cores(machine: &Machine) -> BTreeMap<NodeId, usize> {
    let node_of: BTreeMap<PuId, NodeId> = machine.pus.iter().map(|pu| (pu.id, pu.node)).collect();
    let mut cores: BTreeMap<NodeId, usize> = BTreeMap::new();
    for core in &machine.cores {
        if let Some(node) = core.pus.first().and_then(|pu| node_of.get(&pu)) {
            *cores.entry(*node).or_default() += 1;
        }
    }
    cores
}
