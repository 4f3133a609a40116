//! What a text states of a machine without saying which parts they are: counts, sizes, messages, and what changed later.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zerohop_units::Bytes;

use crate::{CacheKind, NodeId, PuSet, Setting};

/// What a text states of a machine that nobody read part by part. A machine that was read whole has none of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StatedFacts {
    /// The number of packages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub packages: Option<u32>,
    /// Cores of each package.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cores_per_package: Option<u32>,
    /// Hardware threads of each core.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threads_per_core: Option<u32>,
    /// The number of CPUs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pus: Option<u32>,
    /// The CPUs that are online.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub online: Option<PuSet>,
    /// The number of NUMA nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u32>,
    /// CPUs of nodes whose memory the text does not show; such nodes are not among the machine's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub node_pus: Vec<StatedNode>,
    /// Nodes that distances name and that the text does not list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unlisted: Vec<NodeId>,
    /// Sizes of caches.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub caches: Vec<StatedCache>,
    /// All memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<Bytes>,
    /// What the kernel logged about nodes, a line each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kernel_messages: Vec<String>,
    /// Free memory of nodes when the text listed them again, in the order of the text. What the nodes themselves show came first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub later: Vec<MemoryState>,
    /// Memory of processes, by node.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub processes: Vec<StatedProcess>,
    /// Other fields of the text, with the names that it gives them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<Setting>,
}

/// The CPUs of a node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StatedNode {
    /// The node.
    pub node: NodeId,
    /// Its CPUs.
    pub pus: PuSet,
}

/// Caches of one level and kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StatedCache {
    /// 1 is nearest to the core.
    pub level: u8,
    /// Its content.
    pub kind: CacheKind,
    /// The capacity of one of them, where the text shows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub one: Option<Bytes>,
    /// The capacity of all of them, where the text shows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub all: Option<Bytes>,
    /// The number of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instances: Option<u32>,
}

/// The memory of a process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StatedProcess {
    /// Its number and name, as the text has them.
    pub name: String,
    /// Its memory on each node that was listed, ascending.
    pub nodes: Vec<UsedMemory>,
}

/// Memory on a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UsedMemory {
    /// The node.
    pub node: NodeId,
    /// The memory.
    pub memory: Bytes,
}

/// Free memory at one moment.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MemoryState {
    /// Of each node that was listed, ascending.
    pub nodes: Vec<FreeMemory>,
}

/// Free memory of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FreeMemory {
    /// The node.
    pub node: NodeId,
    /// Its free memory.
    pub free: Bytes,
}

impl StatedFacts {
    /// Whether nothing is stated.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
