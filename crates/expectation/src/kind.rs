//! Kinds of cells: the ones whose predictions were validated against measured machines, and the rest.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zerohop_machine::Machine;
use zerohop_result::{Aspect, Axis, Cell, Coordinate, Coordinates, Measure, Relation};

/// A kind of value, as used to validate predictions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Idle latency of memory at this distance.
    IdleLatency(Relation),
    /// Bandwidth between a node's cores and memory at this distance.
    ReadBandwidth(Relation),
    /// Bandwidth of the cores of one or all nodes on their own memory, by kernel or by mix of reads and writes.
    Mixes,
    /// Latency under load.
    LoadedLatency,
    /// Highest bandwidth of a loaded-latency curve.
    PeakUnderLoad,
    /// Cache latency.
    CacheLatency,
    /// Core-to-core latency of a cache line.
    CoreToCore,
}

impl Kind {
    pub(super) const ALL: [Self; 11] = [
        Self::IdleLatency(Relation::Local),
        Self::IdleLatency(Relation::SamePackage),
        Self::IdleLatency(Relation::Remote),
        Self::ReadBandwidth(Relation::Local),
        Self::ReadBandwidth(Relation::SamePackage),
        Self::ReadBandwidth(Relation::Remote),
        Self::Mixes,
        Self::LoadedLatency,
        Self::PeakUnderLoad,
        Self::CacheLatency,
        Self::CoreToCore,
    ];

    /// The kind of a cell; `None` for a cell without an expectation.
    pub(super) fn of(cell: &Cell, machine: &Machine) -> Option<Self> {
        let at = &cell.at;
        let has = |axis| at.get(axis).is_some();
        if !at.is_whole() && !is_mean_by_level(at) {
            return None;
        }
        match cell.measure {
            Measure::Latency if has(Axis::Delay) => Some(Self::LoadedLatency),
            Measure::Latency if has(Axis::From) || has(Axis::To) || is_mean_by_level(at) => {
                Some(Self::CoreToCore)
            }
            Measure::Latency if at.is(Axis::Level, "memory") => Some(Self::IdleLatency(Relation::Local)),
            Measure::Latency if has(Axis::Level) || has(Axis::Footprint) => Some(Self::CacheLatency),
            Measure::Latency if at.0.keys().all(|axis| OF_PAIRS.contains(axis)) => {
                Some(Self::IdleLatency(relation(at, machine)?))
            }
            Measure::Bandwidth if has(Axis::Delay) => Some(Self::PeakUnderLoad),
            Measure::Bandwidth if has(Axis::Mix) || has(Axis::Kernel) => {
                (relation(at, machine)? == Relation::Local).then_some(Self::Mixes)
            }
            Measure::Bandwidth if has(Axis::Initiator) => {
                let relation = relation(at, machine)?;
                let all = at.is(Axis::Initiator, "all") && relation == Relation::Local;
                Some(if all { Self::Mixes } else { Self::ReadBandwidth(relation) })
            }
            _ => None,
        }
    }

    /// The label of the figures that validate it, before a comma and in full; `None` if none do.
    pub(super) const fn label(self) -> Option<(&'static str, &'static str)> {
        Some(match self {
            Self::IdleLatency(Relation::Local) => ("idle latency", "idle latency, local"),
            Self::IdleLatency(Relation::SamePackage) => ("idle latency", "idle latency, other cluster"),
            Self::IdleLatency(Relation::Remote) => ("idle latency", "idle latency, remote"),
            Self::ReadBandwidth(Relation::Local) => ("read bandwidth", "read bandwidth, local"),
            Self::ReadBandwidth(Relation::SamePackage) => ("read bandwidth", "read bandwidth, other cluster"),
            Self::ReadBandwidth(Relation::Remote) => ("read bandwidth", "read bandwidth, remote"),
            Self::Mixes | Self::PeakUnderLoad => ("mixes", "mixes"),
            Self::LoadedLatency => ("loaded latency", "loaded latency"),
            Self::CacheLatency | Self::CoreToCore => return None,
        })
    }
}

/// Whether a model can predict the cell: then it is required from the model.
pub fn is_predictable(cell: &Cell, machine: &Machine) -> bool {
    is_judged(cell) && Kind::of(cell, machine).is_some()
}

/// Whether a cell is compared with its expectation. The others restate these, or are about the inside of a model.
pub(super) fn is_judged(cell: &Cell) -> bool {
    cell.measure.aspect() == Aspect::Outcome
}

/// The axes of the idle latency of a pair.
const OF_PAIRS: [Axis; 3] = [Axis::Initiator, Axis::Cpu, Axis::Target];

/// A mean over pairs of cores by what they share.
fn is_mean_by_level(at: &Coordinates) -> bool {
    at.is(Axis::Statistic, "mean") && at.get(Axis::Level).is_some()
}

/// How far the memory of a cell is. A text of another tool may show no nodes: a matrix's diagonal is local even so.
fn relation(at: &Coordinates, machine: &Machine) -> Option<Relation> {
    match at.get(Axis::Target)? {
        Coordinate::Word(word) if word == "local" => Some(Relation::Local),
        Coordinate::Word(word) if word == "remote" => Some(Relation::Remote),
        Coordinate::Word(_) => None,
        Coordinate::Number(target) => match at.number(Axis::Initiator) {
            Some(initiator) if initiator == *target => Some(Relation::Local),
            _ if machine.pus.is_empty() => Some(Relation::Remote),
            _ => Relation::of(at, machine),
        },
    }
}
