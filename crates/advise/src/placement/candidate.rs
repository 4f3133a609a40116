//! A placement of threads and memory.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use zerohop_machine::{Machine, NodeId};
use zerohop_units::{Bytes, counted};

use super::program::{DataUse, Program};

/// A placement of threads and memory.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct Candidate {
    /// Number of threads on each node; nodes without threads are absent.
    pub threads: BTreeMap<NodeId, usize>,
    /// Location of the data.
    pub memory: Memory,
}

/// Location of a program's data.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(tag = "policy", rename_all = "snake_case")]
pub enum Memory {
    /// Each thread's own data on its own node, as by the kernel's default policy if each thread writes its data first.
    Local,
    /// All data on one node.
    OnNode {
        /// The node.
        node: NodeId,
    },
    /// On one node as far as it fits, and the rest on the nearest others.
    Preferred {
        /// The node.
        node: NodeId,
        /// Parts of the data on each node.
        parts: Vec<(NodeId, u32)>,
    },
    /// Data of half of one node's threads on another node; the rest is local.
    Apart {
        /// Node of the threads.
        threads_on: NodeId,
        /// Node of their data.
        node: NodeId,
    },
    /// Interleaved over these nodes, page by page.
    Interleaved {
        /// The nodes, ascending.
        nodes: Vec<NodeId>,
    },
    /// Interleaved over these nodes with weights: several pages in a turn.
    Weighted {
        /// The nodes, ascending, with the number of pages for each in a turn.
        weights: Vec<(NodeId, u32)>,
    },
}

/// Threads of one node whose data is in the same places.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Group {
    pub(crate) node: NodeId,
    pub(crate) threads: usize,
    /// Where their data is, a node for each equal part.
    pub(crate) homes: Vec<NodeId>,
}

impl Candidate {
    pub(crate) fn groups(&self) -> Vec<Group> {
        let mut groups = Vec::new();
        for (&node, &threads) in &self.threads {
            let repeated = |parts: &[(NodeId, u32)]| {
                parts.iter().flat_map(|&(node, part)| std::iter::repeat_n(node, part as usize)).collect()
            };
            let homes: Vec<NodeId> = match &self.memory {
                Memory::Local => vec![node],
                Memory::OnNode { node } => vec![*node],
                Memory::Preferred { parts, .. } => repeated(parts),
                Memory::Interleaved { nodes } => nodes.clone(),
                Memory::Weighted { weights } => repeated(weights),
                Memory::Apart { threads_on, node: other } if *threads_on == node => {
                    let moved = threads / 2;
                    groups.push(Group { node, threads: moved, homes: vec![*other] });
                    groups.push(Group { node, threads: threads - moved, homes: vec![node] });
                    continue;
                }
                Memory::Apart { .. } => vec![node],
            };
            groups.push(Group { node, threads, homes });
        }
        groups.retain(|group| group.threads > 0);
        groups
    }

    /// The bytes that it puts on each node.
    pub fn bytes(&self, program: &Program) -> BTreeMap<NodeId, Bytes> {
        if self.memory == Memory::Local && program.data == DataUse::Shared {
            return self.threads.keys().map(|&node| (node, program.bytes)).collect();
        }
        let mut on: BTreeMap<NodeId, f64> = BTreeMap::new();
        let each = program.bytes.get() as f64 / program.threads.max(1) as f64;
        for group in self.groups() {
            let part = each * group.threads as f64 / group.homes.len() as f64;
            for home in group.homes {
                *on.entry(home).or_default() += part;
            }
        }
        on.into_iter().map(|(node, bytes)| (node, Bytes(bytes.round() as u64))).collect()
    }

    /// The share of accesses that go to another node than the thread's.
    pub fn remote_share(&self) -> f64 {
        let threads: usize = self.threads.values().sum();
        let remote = |group: &Group| {
            let away = group.homes.iter().filter(|home| **home != group.node).count();
            group.threads as f64 * away as f64 / group.homes.len() as f64
        };
        self.groups().iter().map(remote).sum::<f64>() / threads.max(1) as f64
    }

    /// Whether its data fits.
    pub(crate) fn fits(&self, program: &Program, machine: &Machine) -> bool {
        let room = |node: NodeId| machine.node(node).map_or(Bytes(0), |node| node.memory);
        self.bytes(program).into_iter().all(|(node, bytes)| bytes <= room(node))
    }

    /// The same with every node replaced.
    pub(crate) fn mapped(&self, to: impl Fn(NodeId) -> NodeId) -> Self {
        let threads = self.threads.iter().map(|(&node, &threads)| (to(node), threads)).collect();
        let pairs = |pairs: &[(NodeId, u32)]| {
            let mut pairs: Vec<(NodeId, u32)> = pairs.iter().map(|&(node, part)| (to(node), part)).collect();
            pairs.sort_unstable();
            pairs
        };
        let memory = match &self.memory {
            Memory::Local => Memory::Local,
            Memory::OnNode { node } => Memory::OnNode { node: to(*node) },
            Memory::Preferred { node, parts } => Memory::Preferred { node: to(*node), parts: pairs(parts) },
            Memory::Apart { threads_on, node } => {
                Memory::Apart { threads_on: to(*threads_on), node: to(*node) }
            }
            Memory::Interleaved { nodes } => {
                let mut nodes: Vec<NodeId> = nodes.iter().map(|&node| to(node)).collect();
                nodes.sort_unstable();
                Memory::Interleaved { nodes }
            }
            Memory::Weighted { weights } => Memory::Weighted { weights: pairs(weights) },
        };
        Self { threads, memory }
    }

    /// Its threads in few words: `2 on 0,1`.
    pub fn threads_in_short(&self) -> String {
        let parts = self.by_count().into_iter().rev();
        parts.map(|(threads, nodes)| format!("{threads} on {}", list(&nodes))).collect::<Vec<_>>().join(", ")
    }

    /// Its nodes, those with most threads first, and of those with as many the lowest number.
    pub(crate) fn nodes_by_threads(&self) -> Vec<NodeId> {
        self.by_count().into_iter().rev().flat_map(|(_, nodes)| nodes).collect()
    }

    /// Its nodes by the number of their threads.
    fn by_count(&self) -> BTreeMap<usize, Vec<NodeId>> {
        let mut by_count: BTreeMap<usize, Vec<NodeId>> = BTreeMap::new();
        for (&node, &threads) in &self.threads {
            by_count.entry(threads).or_default().push(node);
        }
        by_count
    }

    /// Its threads in words.
    pub fn threads_in_words(&self) -> String {
        let parts = self.by_count().into_iter().rev().map(|(threads, nodes)| {
            let each = if nodes.len() > 1 { "each of nodes" } else { "node" };
            format!("{} on {each} {}", counted(threads, "thread"), list(&nodes))
        });
        parts.collect::<Vec<_>>().join(", ")
    }
}

impl Memory {
    /// In words, for data that threads use like this.
    pub fn in_words(&self, data: DataUse) -> String {
        match self {
            Self::Local => match data {
                DataUse::Private => "each thread's data on its own node".to_owned(),
                DataUse::Shared => "a copy of the data on each node".to_owned(),
            },
            Self::OnNode { node } => format!("all data on node {node}"),
            Self::Preferred { node, .. } => format!("data on node {node} until it is full, then on others"),
            Self::Apart { threads_on, node } => {
                format!("data of half of node {threads_on}'s threads on node {node}, the rest local")
            }
            Self::Interleaved { nodes } => format!("data interleaved over nodes {}", list(nodes)),
            Self::Weighted { weights } => {
                let weights: Vec<String> =
                    weights.iter().map(|(node, weight)| format!("{weight} on node {node}")).collect();
                format!("data interleaved, in each round {}", weights.join(", "))
            }
        }
    }
}

impl Memory {
    /// In few words: `interleaved 0,1`.
    pub fn in_short(&self) -> String {
        match self {
            Self::Local => "own node".to_owned(),
            Self::OnNode { node } => format!("node {node}"),
            Self::Preferred { node, .. } => format!("node {node} first"),
            Self::Apart { threads_on, node } => format!("half of {threads_on}'s on {node}"),
            Self::Interleaved { nodes } => format!("interleaved {}", list(nodes)),
            Self::Weighted { weights } => {
                let weights: Vec<String> =
                    weights.iter().map(|(node, weight)| format!("{node}:{weight}")).collect();
                format!("weighted {}", weights.join(","))
            }
        }
    }
}

/// Nodes as the kernel lists them, without ranges.
pub(crate) fn list<T: ToString>(items: &[T]) -> String {
    items.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}
