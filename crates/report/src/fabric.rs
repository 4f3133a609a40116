//! Positions of a described machine's parts, and names of its links.

use std::collections::{BTreeMap, BTreeSet};

use zerohop_machine::{NodeId, PuId};
use zerohop_machine_file::{DirectedLink, Hardware, Link, NodeMemory};
use zerohop_units::GigabytesPerSecond;

use crate::number::significant;

/// The routers that a node's parts are attached to, by rank, ascending, each once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NodePlace {
    pub(crate) node: NodeId,
    /// Ranks of the routers of its cores; empty for a memory-only node.
    pub(crate) cores: Vec<usize>,
    /// Ranks of the routers of its home agents; empty without memory.
    pub(crate) homes: Vec<usize>,
    /// Ranks of the routers of its memory channels; empty without memory.
    pub(crate) channels: Vec<usize>,
}

/// The place of every node, in the order of the machine's nodes.
pub(crate) fn places(hardware: &Hardware) -> Vec<NodePlace> {
    let machine = &hardware.machine;
    // By node, the routers of its cores: a core belongs to the nodes of its CPUs.
    let node_of: BTreeMap<PuId, NodeId> = machine.pus.iter().map(|pu| (pu.id, pu.node)).collect();
    let mut cores: BTreeMap<NodeId, BTreeSet<usize>> = BTreeMap::new();
    for (core, place) in machine.cores.iter().zip(&hardware.cores) {
        for node in core.pus.iter().filter_map(|pu| node_of.get(&pu)) {
            cores.entry(*node).or_default().insert(place.router);
        }
    }
    let memories: BTreeMap<NodeId, &NodeMemory> =
        hardware.memories.iter().map(|memory| (memory.node, memory)).collect();
    let places = machine.nodes.iter().map(|node| {
        let memory = memories.get(&node.id);
        let homes = memory.map_or(&[][..], |memory| &memory.homes);
        let channels = memory.map_or(&[][..], |memory| &memory.channels);
        NodePlace {
            node: node.id,
            cores: cores.get(&node.id).into_iter().flatten().copied().collect(),
            homes: each_once(homes.iter().map(|&home| hardware.homes[home].router)),
            channels: each_once(channels.iter().map(|&channel| hardware.channels[channel].router)),
        }
    });
    places.collect()
}

fn each_once(routers: impl Iterator<Item = usize>) -> Vec<usize> {
    routers.collect::<BTreeSet<_>>().into_iter().collect()
}

/// The router where a link's direction starts.
pub(crate) fn start(hardware: &Hardware, link: DirectedLink) -> usize {
    hardware.links[link.link()].ends[link.direction()]
}

/// The router where a link's direction ends.
pub(crate) fn end(hardware: &Hardware, link: DirectedLink) -> usize {
    hardware.links[link.link()].ends[1 - link.direction()]
}

/// A direction's name, as in results: `0->1`.
pub(crate) fn direction_name(hardware: &Hardware, link: DirectedLink) -> String {
    let name = |rank: usize| hardware.routers[rank].name.as_str();
    format!("{}->{}", name(start(hardware, link)), name(end(hardware, link)))
}

/// The most hops from any router to any other.
pub(crate) fn diameter(hardware: &Hardware) -> usize {
    (0..hardware.routers.len()).flat_map(|to| hardware.hops_to(to)).max().unwrap_or(0)
}

/// Capacity of each direction of a link, in words.
pub(crate) fn each_way(link: &Link) -> String {
    match link.back {
        Some(back) => format!("{} there, {} back", rate(link.capacity), rate(back)),
        None => format!("{} each way", rate(link.capacity)),
    }
}

/// `12.8 GB/s`.
pub(crate) fn rate(rate: GigabytesPerSecond) -> String {
    format!("{} {}", significant(rate.get()), GigabytesPerSecond::UNIT)
}
