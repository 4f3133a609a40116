//! Which nodes and CPUs of two machines are alike, by what the machines are rather than by their numbers.

use std::collections::BTreeMap;

use zerohop_machine::{Machine, NodeId, NumaNode, PuId};

/// Nodes of two machines in pairs: the base's first, in its order.
pub(super) type Pairs = Vec<(NodeId, NodeId)>;

/// No more correspondences than this are looked at.
const MOST: usize = 2000;

/// Steps of the search: symmetric machines of many nodes have more correspondences than anyone can look at.
const STEPS: usize = 200_000;

/// Nodes whose memory differs by more than this share are not alike. The kernel keeps a different part of each node's for itself.
const UNLIKE: f64 = 0.15;

/// All correspondences in which nodes agree in their CPUs, memory, packages and distances, those that keep numbers first.
pub(super) fn correspondences(base: &Machine, other: &Machine) -> Vec<Pairs> {
    if base.nodes.is_empty() || base.nodes.len() != other.nodes.len() {
        return Vec::new();
    }
    let mut search = Search { base, other, found: Vec::new(), steps: 0 };
    search.extend(&mut Vec::with_capacity(base.nodes.len()));
    search.found
}

/// The CPUs of the other machine by those of the base, node by node: the n-th thread of the n-th core is alike.
pub(super) fn cpus(base: &Machine, other: &Machine, pairs: &Pairs) -> BTreeMap<PuId, PuId> {
    let ordered = |machine: &Machine, node: NodeId| -> Vec<PuId> {
        let cores = machine.cores.iter().flat_map(|core| core.pus.iter());
        cores.filter(|&pu| machine.pu(pu).is_some_and(|pu| pu.node == node)).collect()
    };
    let cpus = pairs.iter().flat_map(|&(one, another)| {
        let (ours, theirs) = (ordered(base, one), ordered(other, another));
        let alike = ours.len() == theirs.len();
        theirs.into_iter().zip(ours).filter(move |_| alike)
    });
    cpus.collect()
}

struct Search<'a> {
    base: &'a Machine,
    other: &'a Machine,
    found: Vec<Pairs>,
    steps: usize,
}

impl Search<'_> {
    /// Pairs the next node of the base with each node that suits it.
    fn extend(&mut self, pairs: &mut Pairs) {
        let (base, other) = (self.base, self.other);
        let Some(node) = base.nodes.get(pairs.len()) else { return self.found.push(pairs.clone()) };
        let namesake = other.nodes.iter().filter(|candidate| candidate.id == node.id);
        let others = other.nodes.iter().filter(|candidate| candidate.id != node.id);
        for candidate in namesake.chain(others) {
            self.steps += 1;
            if self.steps > STEPS || self.found.len() >= MOST {
                return;
            }
            let is_free = pairs.iter().all(|(_, taken)| *taken != candidate.id);
            if is_free && are_alike(node, candidate) && self.suits(node.id, candidate.id, pairs) {
                pairs.push((node.id, candidate.id));
                self.extend(pairs);
                pairs.pop();
            }
        }
    }

    /// Whether a pair is related to all others as these nodes are in both machines.
    fn suits(&self, node: NodeId, candidate: NodeId, pairs: &Pairs) -> bool {
        let distance =
            |machine: &Machine, from, to| machine.distances.as_ref().and_then(|all| all.get(from, to));
        let both_have = self.base.distances.is_some() && self.other.distances.is_some();
        let itself = (node, candidate);
        pairs.iter().chain([&itself]).all(|&(known, partner)| {
            let together = share_a_package(self.base, node, known);
            let as_far = |from: (NodeId, NodeId), to: (NodeId, NodeId)| {
                distance(self.base, from.0, to.0) == distance(self.other, from.1, to.1)
            };
            together == share_a_package(self.other, candidate, partner)
                && (!both_have || as_far(itself, (known, partner)) && as_far((known, partner), itself))
        })
    }
}

fn are_alike(one: &NumaNode, another: &NumaNode) -> bool {
    let [one_memory, other_memory] = [one, another].map(|node| node.memory.get() as f64);
    let apart = (one_memory - other_memory).abs();
    one.pus.len() == another.pus.len() && apart <= UNLIKE * one_memory.max(other_memory)
}

fn share_a_package(machine: &Machine, one: NodeId, another: NodeId) -> bool {
    let package = |id| {
        let pu = machine.node(id)?.pus.iter().next()?;
        machine.pu(pu).map(|pu| pu.package)
    };
    package(one).is_some() && package(one) == package(another)
}
