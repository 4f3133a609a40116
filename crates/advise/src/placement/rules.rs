//! AMD's rules for placement (Performance Guidelines for AMD Athlon 64 and AMD Opteron ccNUMA Multiprocessor Systems, 40555, rev.
//! 3.00, sections 3.1 and 3.2): which of placements that are as good is taken, and what the figures say about each rule.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use zerohop_machine::NodeId;

use super::candidate::{Candidate, Memory};
use super::figure::Figure;
use super::program::{DataUse, Program};

/// Where the rules come from.
pub(crate) const AMD: &str = "AMD 40555, section 3";

/// Differences below this are no reason to leave a rule: models are no more exact.
pub(crate) const TIE: f64 = 0.03;

/// With overlapping intervals, differences below this may be none either.
const NEAR: f64 = 0.05;

/// What decides between placements that are as good, in this order; the lowest is preferred.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Preference {
    /// Whether threads are spread neither evenly nor by filling nodes.
    is_irregular: bool,
    /// How far threads are from how the rules want them: the most on a node, or the number of nodes.
    crowd: usize,
    /// The number of nodes, where many are better.
    spread: Reverse<usize>,
    /// Remote accesses, in thousandths.
    remote: u32,
    /// How much the policy asks for.
    policy: u8,
    /// Memories: where requests are spread at all, over many.
    places: Reverse<usize>,
    /// Low numbers, first for the most threads.
    nodes: Vec<NodeId>,
    candidate: Candidate,
}

/// What decides for or against a placement. `capacity` is the number of threads that each node takes.
pub(crate) fn preference(
    program: &Program,
    candidate: &Candidate,
    capacity: &BTreeMap<NodeId, usize>,
) -> Preference {
    let counts = candidate.threads.values().copied();
    let most = counts.clone().max().unwrap_or(0);
    let even =
        counts.min().is_some_and(|least| most - least <= usize::from(program.data == DataUse::Private));
    let partly = candidate.threads.iter().filter(|(node, threads)| capacity.get(node) != Some(*threads));
    let nodes = candidate.threads.len();
    let (crowd, spread) = match program.data {
        // Node by node: few threads on each.
        DataUse::Private => (most, Reverse(nodes)),
        // A node filled before the next: few nodes.
        DataUse::Shared => (nodes, Reverse(0)),
    };
    let (policy, places) = match &candidate.memory {
        Memory::Local => (0, 1),
        Memory::OnNode { .. } => (1, 1),
        Memory::Preferred { parts, .. } => (2, parts.len()),
        Memory::Apart { .. } => (3, 2),
        Memory::Interleaved { nodes } => (4, nodes.len()),
        Memory::Weighted { weights } => (5, weights.len()),
    };
    Preference {
        is_irregular: !even && partly.count() > 1,
        crowd,
        spread,
        remote: (candidate.remote_share() * 1000.0).round() as u32,
        policy,
        places: Reverse(places),
        nodes: candidate.nodes_by_threads(),
        candidate: candidate.clone(),
    }
}

/// Whether the first of two is as good as the second or better. A wide interval is no merit: what is farther behind is not chosen for it.
pub(crate) fn is_as_good(program: &Program, one: &Figure, other: &Figure) -> bool {
    program.sensitivity.times(one.value, other.value) >= 1.0 - TIE
}

/// Whether the first of two may be as good as the second or better, as far as their intervals tell.
pub(crate) fn may_be_as_good(program: &Program, one: &Figure, other: &Figure) -> bool {
    let times = program.sensitivity.times(one.value, other.value);
    is_as_good(program, one, other) || (one.overlaps(other) && times >= 1.0 - NEAR)
}
