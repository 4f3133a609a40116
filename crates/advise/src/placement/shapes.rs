//! The placements that are worth looking at.

use std::collections::{BTreeMap, BTreeSet};

use zerohop_machine::{Machine, NodeId};
use zerohop_units::Bytes;

use super::candidate::{Candidate, Memory};
use super::cpus;
use super::nearest_memory::nearest;
use super::program::{DataUse, Program};

/// Numbers of threads on each node.
pub(crate) type Counts = BTreeMap<NodeId, usize>;

/// Up to so many numbers of threads on each node, all are looked at.
pub(crate) const ALL_COUNTS: usize = 300;

/// Up to so many nodes with memory, all sets of them are interleaved over.
const ALL_SETS: usize = 4;

/// The pages that the largest weight of an interleave gives in a turn.
const LARGEST_WEIGHT: f64 = 8.0;

/// How far weights may be from the ratio of two nodes' rates.
const NEAR_ENOUGH: f64 = 0.15;

/// Parts into which data is divided that overflows a node.
const PARTS: u32 = 16;

/// A machine's nodes as a program may use them.
#[derive(Debug)]
pub(crate) struct Room<'a> {
    pub(crate) machine: &'a Machine,
    pub(crate) program: &'a Program,
    /// CPUs that threads may have on each node: one of each core if that is enough.
    pub(crate) capacity: Counts,
    pub(crate) memory: Vec<NodeId>,
}

impl<'a> Room<'a> {
    pub(crate) fn new(machine: &'a Machine, program: &'a Program) -> Self {
        let cores = cpus::cores(machine, program);
        let enough = cores.values().sum::<usize>() >= program.threads;
        let capacity = if enough { cores } else { cpus::capacity(machine, program) };
        Self { machine, program, capacity, memory: machine.targets().map(|node| node.id).collect() }
    }

    /// Every number of threads on each node; `None` if they are too many to look at.
    pub(crate) fn all_counts(&self) -> Option<Vec<Counts>> {
        let nodes: Vec<(NodeId, usize)> = self.capacity.iter().map(|(&node, &free)| (node, free)).collect();
        let mut all = Vec::new();
        fill(&nodes, self.program.threads, &mut Counts::new(), &mut all).then_some(all)
    }

    /// Threads spread evenly over sets of nodes, and over nodes filled one after the other.
    pub(crate) fn some_counts(&self) -> Vec<Counts> {
        let mut all: BTreeSet<Counts> = BTreeSet::new();
        for set in self.sets() {
            all.extend(self.even(&set));
        }
        for &first in self.capacity.keys() {
            all.extend(self.filled_from(first));
        }
        all.into_iter().collect()
    }

    /// Sets of nodes with CPUs: all, if they are few; else each node with its nearest neighbors.
    fn sets(&self) -> Vec<Vec<NodeId>> {
        let nodes: Vec<NodeId> = self.capacity.keys().copied().collect();
        if nodes.len() <= 8 {
            return subsets(&nodes);
        }
        let mut sets = Vec::new();
        for &node in &nodes {
            let near = self.by_distance(node);
            sets.extend((1..=near.len()).map(|size| near[..size].to_vec()));
        }
        sets
    }

    fn by_distance(&self, node: NodeId) -> Vec<NodeId> {
        let mut near: Vec<NodeId> = nearest(self.machine, node);
        near.extend(self.capacity.keys().copied());
        let mut seen = BTreeSet::new();
        near.retain(|node| self.capacity.contains_key(node) && seen.insert(*node));
        near
    }

    /// As many threads on each node of a set as possible alike; `None` if they do not fit.
    pub(crate) fn even(&self, set: &[NodeId]) -> Option<Counts> {
        let mut counts: Counts = set.iter().map(|&node| (node, 0)).collect();
        for _ in 0..self.program.threads {
            let free = counts.iter().filter(|(node, threads)| **threads < self.capacity[node]);
            let node = free.min_by_key(|(node, threads)| (**threads, **node)).map(|(node, _)| *node)?;
            *counts.entry(node).or_default() += 1;
        }
        counts.retain(|_, threads| *threads > 0);
        Some(counts)
    }

    /// Node after node filled, the nearest to the first one next.
    pub(crate) fn filled_from(&self, first: NodeId) -> Option<Counts> {
        let mut left = self.program.threads;
        let mut counts = Counts::new();
        let start = std::iter::once(first);
        let rest = self.by_distance(first).into_iter().filter(|&node| node != first);
        for node in start.chain(rest) {
            let here = left.min(self.capacity.get(&node).copied().unwrap_or(0));
            if here > 0 {
                counts.insert(node, here);
                left -= here;
            }
        }
        (left == 0).then_some(counts)
    }

    /// The policies for threads in these places; `rates` are what the program achieves with all data on each node.
    pub(crate) fn policies(&self, counts: &Counts, rates: &BTreeMap<NodeId, f64>) -> Vec<Memory> {
        let mut policies = Vec::new();
        let users: Vec<NodeId> = counts.keys().copied().collect();
        let have_memory = users.iter().all(|node| self.memory.contains(node));
        if self.program.data == DataUse::Private && have_memory && users.len() > 1 {
            policies.push(Memory::Local);
        }
        policies.extend(self.memory.iter().map(|&node| self.on_node(node)));
        if self.program.data == DataUse::Private && have_memory {
            let crowded = counts.iter().filter(|(_, threads)| **threads > 1);
            for (&threads_on, _) in crowded {
                let idle =
                    nearest(self.machine, threads_on).into_iter().filter(|node| !counts.contains_key(node));
                policies.extend(idle.take(2).map(|node| Memory::Apart { threads_on, node }));
            }
        }
        let sets = if self.memory.len() <= ALL_SETS {
            subsets(&self.memory)
        } else {
            let mut sets = vec![users.clone(), self.memory.clone()];
            sets.extend(users.first().into_iter().flat_map(|&node| {
                let near = nearest(self.machine, node);
                (2..near.len()).map(move |size| near[..size].to_vec()).collect::<Vec<_>>()
            }));
            sets
        };
        for mut set in sets {
            set.retain(|node| self.memory.contains(node));
            set.sort_unstable();
            if set.len() > 1 {
                policies.extend(weighted(&set, rates).map(|weights| Memory::Weighted { weights }));
                policies.push(Memory::Interleaved { nodes: set });
            }
        }
        policies.sort();
        policies.dedup();
        policies
    }

    /// All data on one node, or what fits there if it is too much.
    pub(crate) fn on_node(&self, node: NodeId) -> Memory {
        let room = |node: NodeId| self.machine.node(node).map_or(Bytes(0), |node| node.memory);
        if self.program.bytes <= room(node) {
            return Memory::OnNode { node };
        }
        let mut left = self.program.bytes;
        let mut parts = Vec::new();
        let near = nearest(self.machine, node);
        for other in std::iter::once(node).chain(near.into_iter().filter(|&other| other != node)) {
            let here = left.min(room(other));
            let part =
                (here.get() as f64 / self.program.bytes.get() as f64 * f64::from(PARTS)).round() as u32;
            if part > 0 {
                parts.push((other, part));
            }
            left = left - here;
        }
        parts.sort_unstable();
        Memory::Preferred { node, parts }
    }

    /// Whether a candidate's data fits; data that prefers a node always does, where all nodes together have room.
    pub(crate) fn fits(&self, candidate: &Candidate) -> bool {
        matches!(candidate.memory, Memory::Preferred { .. }) || candidate.fits(self.program, self.machine)
    }
}

/// All ways to distribute threads; whether they are few enough to look at.
fn fill(nodes: &[(NodeId, usize)], left: usize, begun: &mut Counts, all: &mut Vec<Counts>) -> bool {
    let Some((&(node, capacity), rest)) = nodes.split_first() else {
        if left == 0 {
            all.push(begun.clone());
        }
        return all.len() <= ALL_COUNTS;
    };
    let room: usize = rest.iter().map(|(_, capacity)| capacity).sum();
    for here in left.saturating_sub(room)..=left.min(capacity) {
        if here > 0 {
            begun.insert(node, here);
        }
        let few = fill(rest, left - here, begun, all);
        begun.remove(&node);
        if !few {
            return false;
        }
    }
    true
}

/// All sets of nodes but the empty one.
fn subsets(nodes: &[NodeId]) -> Vec<Vec<NodeId>> {
    let count = 1u32 << nodes.len();
    let chosen = |bits: u32| {
        let ranks = (0..nodes.len()).filter(move |rank| bits >> rank & 1 == 1);
        ranks.map(|rank| nodes[rank]).collect()
    };
    (1..count).map(chosen).collect()
}

/// Small whole numbers in the ratio of the rates of nodes; `None` if all are alike.
fn weighted(nodes: &[NodeId], rates: &BTreeMap<NodeId, f64>) -> Option<Vec<(NodeId, u32)>> {
    let rates: Vec<f64> = nodes.iter().map(|node| rates.get(node).copied()).collect::<Option<_>>()?;
    let highest = rates.iter().copied().fold(0.0, f64::max);
    let scaled = |most: f64| -> Vec<u32> {
        rates.iter().map(|rate| (rate / highest * most).round().max(1.0) as u32).collect()
    };
    // The smallest numbers that are near enough to every ratio.
    let is_close = |weights: &Vec<u32>| {
        let most = weights.iter().copied().max().unwrap_or(1);
        let pairs = weights.iter().zip(&rates);
        pairs.into_iter().all(|(&weight, rate)| {
            (f64::from(weight) / f64::from(most) / (rate / highest) - 1.0).abs() < NEAR_ENOUGH
        })
    };
    let weights = (1..=LARGEST_WEIGHT as u32).map(|most| scaled(f64::from(most))).find(is_close);
    let weights = weights.unwrap_or_else(|| scaled(LARGEST_WEIGHT));
    let differ = weights.iter().any(|weight| *weight != weights[0]);
    (highest > 0.0 && differ).then(|| nodes.iter().copied().zip(weights).collect())
}
