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
    /// The kernel's number of it.
    pub id: PackageId,
    /// Its PUs that are online.
    pub pus: PuSet,
}

/// A NUMA node: memory, PUs, or both.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NumaNode {
    /// The kernel's number of it.
    pub id: NodeId,
    /// Its PUs that are online; empty for a node of memory alone (HBM, CXL).
    pub pus: PuSet,
    /// Its memory; zero for a node of PUs alone.
    pub memory: Bytes,
    /// Free memory when the machine was read.
    pub free: Bytes,
    /// Reserved huge pages, by page size.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub huge_pages: Vec<HugePagePool>,
    /// Caches in front of its memory (MCDRAM or DRAM used as cache).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub memory_side_caches: Vec<MemorySideCache>,
    /// Whether this process's cpuset lets it take memory here.
    pub allowed: bool,
}

/// A core: PUs that share an execution engine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Core {
    /// Its rank in the whole machine.
    pub id: CoreId,
    /// The package that it is in.
    pub package: PackageId,
    /// The kernel's number of its die, if packages have several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub die: Option<u32>,
    /// Its PUs that are online; more than one with SMT.
    pub pus: PuSet,
    /// The highest clock that the kernel will set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_clock: Option<Hertz>,
}

/// A processing unit that is online.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Pu {
    /// The kernel's number of it.
    pub id: PuId,
    /// Its core.
    pub core: CoreId,
    /// Its package.
    pub package: PackageId,
    /// The node it belongs to.
    pub node: NodeId,
    /// Whether this process may run on it (cpuset, affinity).
    pub allowed: bool,
}

/// The content of a cache.
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
    /// 1 is nearest to the core.
    pub level: u8,
    /// Its content.
    pub kind: CacheKind,
    /// Capacity.
    pub size: Bytes,
    /// The size of its line.
    pub line: Bytes,
    /// Ways of associativity; zero or absent if unknown or fully associative.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ways: Option<u32>,
    /// The online PUs behind it.
    pub pus: PuSet,
}

/// The firmware's SLIT: relative distance of every node's PUs to every node's memory, 10 for local.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DistanceMatrix {
    /// The nodes of rows and columns, ascending.
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
