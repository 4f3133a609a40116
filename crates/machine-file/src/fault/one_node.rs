//! Memory interleaved over all nodes, which the system shows as one.

use zerohop_units::Bytes;

use crate::fault::FaultError;
use crate::{Hardware, NodeMemory, Spread};
use zerohop_machine::DistanceMatrix;

pub(super) fn merge(hardware: &mut Hardware) -> Result<(), FaultError> {
    let merged = merged_memory(hardware)?;
    let nodes = &hardware.machine.nodes;
    let mut node = nodes.iter().find(|node| node.id == merged.node).cloned().ok_or_else(alone)?;
    let sum = |of: fn(&zerohop_machine::NumaNode) -> Bytes| nodes.iter().map(of).sum::<Bytes>();
    (node.memory, node.free) = (sum(|node| node.memory), sum(|node| node.free));
    node.pus = hardware.machine.pus.iter().map(|pu| pu.id).collect();
    for pu in &mut hardware.machine.pus {
        pu.node = node.id;
    }
    hardware.machine.distances = Some(DistanceMatrix { nodes: vec![node.id], rows: vec![vec![10]] });
    hardware.machine.nodes = vec![node];
    hardware.memories = vec![merged];
    Ok(())
}

fn alone() -> FaultError {
    FaultError::NotWorse { what: "this machine has a single node".to_owned() }
}

/// The memory of all nodes, as that of the first: its lines go over all home agents, and from each to the channels of its own node.
fn merged_memory(hardware: &Hardware) -> Result<NodeMemory, FaultError> {
    let [first, others @ ..] = hardware.memories.as_slice() else { return Err(alone()) };
    if others.is_empty() {
        return Err(alone());
    }
    let odd = |memory: &&NodeMemory| {
        memory.cache.is_some() || hardware.machine.node(memory.node).is_none_or(|node| node.pus.is_empty())
    };
    if let Some(memory) = hardware.memories.iter().find(odd) {
        let node = memory.node;
        return Err(FaultError::Impossible(format!(
            "the memory of node {node} is not interleaved with that of others: it has a cache of its own, or no cores"
        )));
    }
    let alike = |other: &NodeMemory| {
        other.homes.len() == first.homes.len()
            && other.channels.len() == first.channels.len()
            && other.home_spread == first.home_spread
            && other.channel_spread == first.channel_spread
    };
    if !others.iter().all(alike) {
        return Err(FaultError::Impossible(
            "its nodes differ in their memory, which cannot be interleaved".to_owned(),
        ));
    }
    let all = || hardware.memories.iter();
    let together = first.homes.len() == first.channels.len()
        && first.channels_of_home.is_empty()
        && first.home_spread == first.channel_spread
        && matches!(first.home_spread, Spread::Interleaved(_));
    let unhashed = |spread: &Spread| match spread {
        // A hash names as many units as one node has.
        Spread::Hashed(_) => Spread::Mixed,
        spread => spread.clone(),
    };
    let of_homes = |memory: &NodeMemory| match memory.channels_of_home.as_slice() {
        [] => vec![memory.channels.clone(); memory.homes.len()],
        of_home => of_home.to_vec(),
    };
    Ok(NodeMemory {
        node: first.node,
        homes: all().flat_map(|memory| memory.homes.iter().copied()).collect(),
        home_spread: unhashed(&first.home_spread),
        channels: all().flat_map(|memory| memory.channels.iter().copied()).collect(),
        channel_spread: unhashed(&first.channel_spread),
        channels_of_home: if together { Vec::new() } else { all().flat_map(of_homes).collect() },
        cache: None,
    })
}
