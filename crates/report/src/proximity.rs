//! Proximity of two places in a machine, for summaries of matrices that are too large to print.

use zerohop_machine::{DistanceMatrix, Machine, NodeId, PuId};
use zerohop_result::Axis;

use crate::sheet::Head;

/// A kind of pair. Nearer kinds sort first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Proximity {
    /// A node and its own memory.
    Local,
    /// Two nodes at this distance by the firmware's SLIT.
    Distance(u32),
    /// Two nodes without a distance between them.
    Remote,
    /// Two PUs of one core.
    SameCore,
    /// Two PUs behind one cache of that level.
    SameCache(u8),
    /// Two PUs of one node that share no cache.
    SameNode,
    /// Two PUs of one package, on different nodes.
    SamePackage,
    /// Two PUs of different packages.
    OtherPackage,
    Unknown,
}

impl Proximity {
    pub(crate) fn words(&self) -> String {
        match self {
            Self::Local => "local".to_owned(),
            Self::Distance(DistanceMatrix::UNREACHABLE) => "remote, unreachable by firmware (255)".to_owned(),
            Self::Distance(distance) => format!("remote, distance {distance}"),
            Self::Remote => "remote".to_owned(),
            Self::SameCore => "same core".to_owned(),
            Self::SameCache(level) => format!("same L{level}"),
            Self::SameNode => "same node".to_owned(),
            Self::SamePackage => "same package".to_owned(),
            Self::OtherPackage => "other package".to_owned(),
            Self::Unknown => "all".to_owned(),
        }
    }
}

/// Proximity of the places of a row and a column.
pub(crate) fn proximity(machine: &Machine, row: &Head<'_>, column: &Head<'_>) -> Proximity {
    let (Head::Place(row_axis, _), Head::Place(column_axis, _)) = (row, column) else {
        return Proximity::Unknown;
    };
    let (Some(from), Some(to)) = (number(row), number(column)) else { return Proximity::Unknown };
    match (row_axis, column_axis) {
        (Axis::Initiator, Axis::Target) => between_nodes(machine, NodeId(from), NodeId(to)),
        (Axis::Cpu, Axis::Target) => machine
            .pu(PuId(from))
            .map_or(Proximity::Unknown, |pu| between_nodes(machine, pu.node, NodeId(to))),
        (Axis::From, Axis::To) => between_pus(machine, PuId(from), PuId(to)),
        _ => Proximity::Unknown,
    }
}

fn number(head: &Head<'_>) -> Option<u32> {
    head.number().and_then(|number| u32::try_from(number).ok())
}

/// Proximity of a node's memory to a node.
pub(crate) fn between_nodes(machine: &Machine, initiator: NodeId, target: NodeId) -> Proximity {
    if initiator == target {
        return Proximity::Local;
    }
    let distance = machine.distances.as_ref().and_then(|distances| distances.get(initiator, target));
    distance.map_or(Proximity::Remote, Proximity::Distance)
}

fn between_pus(machine: &Machine, from: PuId, to: PuId) -> Proximity {
    let (Some(one), Some(other)) = (machine.pu(from), machine.pu(to)) else { return Proximity::Unknown };
    if one.core == other.core {
        return Proximity::SameCore;
    }
    if let Some(cache) = machine.data_caches(from).into_iter().find(|cache| cache.pus.contains(to)) {
        return Proximity::SameCache(cache.level);
    }
    if one.node == other.node {
        Proximity::SameNode
    } else if one.package == other.package {
        Proximity::SamePackage
    } else {
        Proximity::OtherPackage
    }
}
