//! Which CPUs of each node the threads get.

use std::collections::BTreeMap;

use zerohop_machine::{Machine, NodeId, PuId};

use super::candidate::Candidate;
use super::program::{Program, Sensitivity};

/// A node's CPUs in the order in which threads take them: a core each before the second threads of cores. For bandwidth, neighbors
/// in the list have different last-level caches, so that few threads share one.
pub(crate) fn order(machine: &Machine, node: NodeId, sensitivity: Sensitivity) -> Vec<PuId> {
    let cores = machine.usable_cores(node);
    let siblings: Vec<PuId> = machine.usable_pus(node).iter().filter(|pu| !cores.contains(pu)).collect();
    let ordered = |pus: Vec<PuId>| match sensitivity {
        Sensitivity::Bandwidth => by_turns(machine, &pus),
        Sensitivity::Latency => pus,
    };
    let mut all = ordered(cores);
    all.extend(ordered(siblings));
    all
}

/// CPUs by turns from each last-level cache.
fn by_turns(machine: &Machine, pus: &[PuId]) -> Vec<PuId> {
    let mut caches: BTreeMap<Option<PuId>, Vec<PuId>> = BTreeMap::new();
    for &pu in pus {
        let cache = machine.data_caches(pu).last().and_then(|cache| cache.pus.first());
        caches.entry(cache).or_default().push(pu);
    }
    let longest = caches.values().map(Vec::len).max().unwrap_or(0);
    (0..longest).flat_map(|rank| caches.values().filter_map(move |pus| pus.get(rank).copied())).collect()
}

/// CPUs that are free for the program on each node where it may run.
pub(crate) fn capacity(machine: &Machine, program: &Program) -> BTreeMap<NodeId, usize> {
    let free = |node: NodeId| machine.usable_pus(node).len().saturating_sub(program.background_on(node));
    let nodes = machine.initiators().map(|node| node.id).filter(|&node| program.may_run_on(node));
    nodes.map(|node| (node, free(node))).filter(|(_, free)| *free > 0).collect()
}

/// The same, without second threads of cores.
pub(crate) fn cores(machine: &Machine, program: &Program) -> BTreeMap<NodeId, usize> {
    let free = |node: NodeId| machine.usable_cores(node).len().saturating_sub(program.background_on(node));
    capacity(machine, program)
        .into_keys()
        .map(|node| (node, free(node)))
        .filter(|(_, free)| *free > 0)
        .collect()
}

/// The CPUs of a placement's threads, by node.
pub(crate) fn of_threads(
    machine: &Machine,
    program: &Program,
    candidate: &Candidate,
) -> BTreeMap<NodeId, Vec<PuId>> {
    let first = |(&node, &threads): (&NodeId, &usize)| {
        (node, order(machine, node, program.sensitivity).into_iter().take(threads).collect())
    };
    candidate.threads.iter().map(first).collect()
}

/// The CPUs of background threads on a node: the last ones.
pub(crate) fn of_background(
    machine: &Machine,
    program: &Program,
    node: NodeId,
    taken: &[PuId],
    threads: usize,
) -> Vec<PuId> {
    let free = order(machine, node, program.sensitivity).into_iter().rev().filter(|pu| !taken.contains(pu));
    free.take(threads).collect()
}
