//! The topology: the parts of a machine and how they are arranged.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zerohop_units::{Bytes, Hertz};

use crate::memory::MemorySideCache;
use crate::system::HugePagePool;
use crate::{CoreId, NodeId, PackageId, PuId, PuSet};

/// A package: the processor in one socket.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Package {
    /// Number of the package in the kernel.
    pub id: PackageId,
    /// Online PUs of the package.
    pub pus: PuSet,
}

/// A NUMA node: memory, PUs, or both.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NumaNode {
    /// Number of the node in the kernel.
    pub id: NodeId,
    /// Online PUs of the node; empty for a memory-only node (HBM, CXL).
    pub pus: PuSet,
    /// Memory of the node, in bytes; zero for a node with PUs only.
    pub memory: Bytes,
    /// Free memory when the machine was read, in bytes.
    pub free: Bytes,
    /// Reserved huge pages, by page size.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub huge_pages: Vec<HugePagePool>,
    /// Caches in front of the node's memory (MCDRAM or DRAM used as cache).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub memory_side_caches: Vec<MemorySideCache>,
    /// Whether this process's cpuset lets it allocate memory on the node.
    pub allowed: bool,
}

/// A core: PUs that share an execution engine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Core {
    /// Rank of the core in the whole machine.
    pub id: CoreId,
    /// Package of the core.
    pub package: PackageId,
    /// Number of the core's die in the kernel, if packages have several dies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub die: Option<u32>,
    /// Online PUs of the core; more than one with SMT.
    pub pus: PuSet,
    /// Highest clock rate that the kernel will set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_clock: Option<Hertz>,
}

/// A processing unit that is online.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Pu {
    /// Number of the PU in the kernel.
    pub id: PuId,
    /// Core of the PU.
    pub core: CoreId,
    /// Package of the PU.
    pub package: PackageId,
    /// NUMA node of the PU.
    pub node: NodeId,
    /// Whether this process may run on the PU (cpuset, affinity).
    pub allowed: bool,
}

/// Content of a cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CacheKind {
    /// Data.
    Data,
    /// Instructions.
    Instruction,
    /// Data and instructions.
    Unified,
}

/// A cache, with the PUs that share it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cache {
    /// Cache level; 1 is nearest to the core.
    pub level: u8,
    /// Content of the cache.
    pub kind: CacheKind,
    /// Capacity, in bytes.
    pub size: Bytes,
    /// Line size, in bytes.
    pub line: Bytes,
    /// Ways of associativity; zero or absent if unknown or fully associative.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ways: Option<u32>,
    /// Online PUs that share the cache.
    pub pus: PuSet,
}

/// Node distances from the firmware (SLIT): relative distance from every node's PUs to every node's memory, 10 for local.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DistanceMatrix {
    /// Nodes of the rows and columns, ascending.
    pub nodes: Vec<NodeId>,
    /// `rows[i][j]` is the distance from `nodes[i]` to `nodes[j]`.
    pub rows: Vec<Vec<u32>>,
}

impl DistanceMatrix {
    /// The firmware's value for memory that the node's PUs cannot reach (ACPI 6.5, 5.2.17).
    pub const UNREACHABLE: u32 = 255;

    /// Whether any memory is unreachable from some node.
    pub fn has_unreachable(&self) -> bool {
        self.rows.iter().flatten().any(|&distance| distance == Self::UNREACHABLE)
    }

    /// The distance from `initiator` to `target`, if both are in the matrix.
    pub fn get(&self, initiator: NodeId, target: NodeId) -> Option<u32> {
        let rank = |id: NodeId| {
            // Mostly, nodes are numbered without gaps.
            let at_its_number = id.0 as usize;
            (self.nodes.get(at_its_number) == Some(&id))
                .then_some(at_its_number)
                .or_else(|| self.nodes.iter().position(|&node| node == id))
        };
        self.rows.get(rank(initiator)?)?.get(rank(target)?).copied()
    }

    /// Whether every distance is the same in both directions.
    pub fn is_symmetric(&self) -> bool {
        (0..self.rows.len()).all(|i| (0..i).all(|j| self.rows[i].get(j) == self.rows[j].get(i)))
    }
}
