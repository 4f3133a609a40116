//! What would bring pages and threads together.

use std::collections::BTreeMap;

use crate::{ProcessId, Spread};
use schemars::JsonSchema;
use serde::Serialize;
use zerohop_machine::{Machine, NodeId};
use zerohop_units::Bytes;

use super::owner::Whose;

/// From this share of the CPU time on, threads count as running on one node, and from this share of the bytes on, pages
/// count as being on one node.
const NEARLY_ALL: f64 = 0.9;

/// A remedy that brings pages and threads together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Remedy {
    /// Move the file's pages to these nodes, interleaved.
    PlaceFile {
        /// Path of the file.
        path: String,
        /// The nodes.
        nodes: Vec<NodeId>,
    },
    /// Move a process's pages to the node of its threads.
    MigratePages {
        /// The process.
        process: ProcessId,
        /// Present nodes of the pages.
        from: Vec<NodeId>,
        /// Node of the threads.
        to: NodeId,
    },
    /// Start the process with its memory interleaved over the nodes of its threads.
    Interleave {
        /// The nodes.
        nodes: Vec<NodeId>,
        /// Command line of the process.
        command: String,
    },
}

impl Remedy {
    /// The remedies for pages and threads of which many are apart.
    pub(super) fn of(
        subject: &Whose,
        bytes: &Spread,
        cpu: &BTreeMap<NodeId, f64>,
        machine: &Machine,
    ) -> Vec<Self> {
        // A thread of the kernel, or a file that is not cached, has no pages to move.
        if bytes.total() == Bytes(0) {
            return Vec::new();
        }
        let has_memory = |node: &NodeId| machine.node(*node).is_some_and(|node| node.memory > Bytes(0));
        let running: Vec<NodeId> =
            cpu.iter().filter(|(_, share)| **share >= 1.0 - NEARLY_ALL).map(|(node, _)| *node).collect();
        let targets: Vec<NodeId> = running.iter().copied().filter(has_memory).collect();
        let pages_on_one =
            bytes.iter().find(|(node, _)| bytes.share(*node) >= NEARLY_ALL).map(|(node, _)| node);
        let only = cpu.iter().find(|(_, share)| **share >= NEARLY_ALL).map(|(node, _)| *node);
        match (only, pages_on_one) {
            // All on one node: its pages belong there, unless they are.
            (Some(only), _) if bytes.share(only) < NEARLY_ALL && has_memory(&only) => match subject {
                Whose::File { path, .. } => vec![Self::PlaceFile { path: path.clone(), nodes: vec![only] }],
                Whose::Process { process, .. } => {
                    let from = bytes.iter().map(|(node, _)| node).filter(|node| *node != only).collect();
                    vec![Self::MigratePages { process: *process, from, to: only }]
                }
            },
            // Threads on several nodes whose pages are all on one: its memory and its links hold all of them up.
            (None, Some(_)) if targets.len() > 1 => match subject {
                Whose::File { path, .. } => vec![Self::PlaceFile { path: path.clone(), nodes: targets }],
                Whose::Process { command, .. } => {
                    vec![Self::Interleave { nodes: targets, command: command.clone() }]
                }
            },
            _ => Vec::new(),
        }
    }

    pub fn command(&self) -> String {
        match self {
            Self::PlaceFile { path, nodes } => {
                format!("zerohop place {} --nodes {}", quoted(path), list(nodes))
            }
            Self::MigratePages { process, from, to } => format!("migratepages {process} {} {to}", list(from)),
            Self::Interleave { nodes, command } => {
                format!("numactl --interleave={} {command}", list(nodes))
            }
        }
    }

    /// Why, and where the command comes from.
    pub const fn reason(&self) -> &'static str {
        match self {
            Self::PlaceFile { .. } => "moves the file's pages to the nodes of the threads that use them",
            Self::MigratePages { .. } => {
                "moves the pages to the node of the threads; migratepages is in the numactl package"
            }
            Self::Interleave { .. } => {
                "interleaves the pages at the next start; not needed if each thread first writes the data that it uses later, \
                                 because the kernel then places pages where they are used"
            }
        }
    }
}

fn list(nodes: &[NodeId]) -> String {
    let nodes: Vec<String> = nodes.iter().map(ToString::to_string).collect();
    nodes.join(",")
}

/// A path as one word of a shell. No path holds a NUL, the only letter that cannot be quoted.
fn quoted(path: &str) -> String {
    shlex::try_quote(path).map_or_else(|_| path.to_owned(), Into::into)
}
