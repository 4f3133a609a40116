//! Facts that a text states about a machine without naming the parts: counts, sizes, messages, and later changes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zerohop_units::Bytes;

use crate::{CacheKind, NodeId, PuSet, Setting};

/// Facts that a text states about a machine that was not read part by part. Empty for a machine that was.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StatedFacts {
    /// Number of packages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub packages: Option<u32>,
    /// Number of cores per package.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cores_per_package: Option<u32>,
    /// Number of hardware threads per core.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threads_per_core: Option<u32>,
    /// Number of CPUs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pus: Option<u32>,
    /// CPUs that are online.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub online: Option<PuSet>,
    /// Number of NUMA nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u32>,
    /// CPUs of nodes whose memory the text does not show; these nodes are not in the machine's list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub node_pus: Vec<StatedNode>,
    /// Nodes that appear in the distances but not in the text's list of nodes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unlisted: Vec<NodeId>,
    /// Cache sizes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub caches: Vec<StatedCache>,
    /// Total memory, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<Bytes>,
    /// Kernel messages about nodes, one line each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kernel_messages: Vec<String>,
    /// Free memory of nodes in later listings of the same text, in order. The nodes themselves hold the first listing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub later: Vec<MemoryState>,
    /// Memory of processes, by node.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub processes: Vec<StatedProcess>,
    /// Other fields of the text, under the names used there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<Setting>,
}

/// CPUs of a node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StatedNode {
    /// The node.
    pub node: NodeId,
    /// CPUs of the node.
    pub pus: PuSet,
}

/// Caches of one level and kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StatedCache {
    /// Cache level; 1 is nearest to the core.
    pub level: u8,
    /// Content of the caches.
    pub kind: CacheKind,
    /// Capacity of one cache, in bytes, if the text shows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub one: Option<Bytes>,
    /// Total capacity of these caches, in bytes, if the text shows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub all: Option<Bytes>,
    /// Number of caches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instances: Option<u32>,
}

/// Memory of a process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StatedProcess {
    /// Number and name of the process, as in the text.
    pub name: String,
    /// Memory of the process on each listed node, ascending.
    pub nodes: Vec<UsedMemory>,
}

/// Memory that a process uses on a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UsedMemory {
    /// The node.
    pub node: NodeId,
    /// Memory used, in bytes.
    pub memory: Bytes,
}

/// Free memory at one moment.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MemoryState {
    /// Free memory of each listed node, ascending.
    pub nodes: Vec<FreeMemory>,
}

/// Free memory of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FreeMemory {
    /// The node.
    pub node: NodeId,
    /// Free memory, in bytes.
    pub free: Bytes,
}

impl StatedFacts {
    /// Whether nothing is stated.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
