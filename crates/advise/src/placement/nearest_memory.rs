//! Which memory is near.

use zerohop_machine::{Machine, NodeId};

/// The node itself, or the nearest one with memory.
pub(crate) fn nearest_memory(machine: &Machine, node: NodeId) -> NodeId {
    nearest(machine, node).first().copied().unwrap_or(node)
}

/// All nodes with memory, nearest first by the firmware's distances.
pub(crate) fn nearest(machine: &Machine, node: NodeId) -> Vec<NodeId> {
    let mut targets: Vec<NodeId> = machine.targets().map(|target| target.id).collect();
    let distance = |target: NodeId| {
        let known = machine.distances.as_ref().and_then(|matrix| matrix.get(node, target));
        known.unwrap_or(if target == node { 10 } else { 20 })
    };
    targets.sort_by_key(|&target| (distance(target), target != node, target));
    targets
}
