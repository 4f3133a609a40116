//! Distance between memory and initiator.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zerohop_machine::{Machine, NodeId, PackageId, PuId};

use crate::{Axis, Coordinate, Coordinates};

/// Distance between memory and initiator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Relation {
    /// Memory of the same node.
    Local,
    /// Memory of another node in the same package.
    SamePackage,
    /// Memory of another package.
    Remote,
}

impl Relation {
    /// All relations, nearest first.
    pub const ALL: [Self; 3] = [Self::Local, Self::SamePackage, Self::Remote];

    /// Name of the relation in files and column heads.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Local => "local",
            Self::SamePackage => "same_package",
            Self::Remote => "remote",
        }
    }

    /// Name of the relation in queries.
    pub const fn word(self) -> &'static str {
        match self {
            Self::SamePackage => "same-package",
            other => other.name(),
        }
    }

    /// Distance between the memory and the initiator of a cell, if the cell has both.
    pub fn of(at: &Coordinates, machine: &Machine) -> Option<Self> {
        let target = match at.get(Axis::Target)? {
            Coordinate::Word(word) => return (word == "local").then_some(Self::Local),
            Coordinate::Number(node) => node_id(*node)?,
        };
        let initiator = match (at.number(Axis::Initiator), at.number(Axis::Cpu)) {
            (Some(node), _) => node_id(node)?,
            (None, Some(cpu)) => machine.pu(PuId(u32::try_from(cpu).ok()?))?.node,
            (None, None) => return None,
        };
        if initiator == target {
            return Some(Self::Local);
        }
        let packages = |node: NodeId| -> Vec<PackageId> {
            machine.pus.iter().filter(|pu| pu.node == node).map(|pu| pu.package).collect()
        };
        let (near, far) = (packages(initiator), packages(target));
        // A node without CPUs may be in any package; with only one package, it is in that one.
        let alone = machine.packages.len() <= 1;
        let shared = alone || far.iter().any(|package| near.contains(package));
        Some(if shared { Self::SamePackage } else { Self::Remote })
    }
}

fn node_id(number: u64) -> Option<NodeId> {
    u32::try_from(number).ok().map(NodeId)
}
