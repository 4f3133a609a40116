//! Expectations in words: ranges, places, kinds, and their basis.

use std::collections::HashMap;

use zerohop_expectation::{Expectations, ExpectedCell, Kind, Knowledge, Stated};
use zerohop_result::{Axis, Coordinate, Coordinates, ExperimentName, Measure, Relation};

use crate::place::place_in_full;
use zerohop_statistics::median;

/// Ends of expected intervals; if a fact is unknown and another value of it fits best, the ends for that value.
#[derive(Default)]
pub(crate) struct Ends<'a>(HashMap<(&'a ExperimentName, Measure, &'a Coordinates), (f64, f64)>);

impl<'a> Ends<'a> {
    /// Ends for all cells.
    pub(crate) fn of(expectations: &'a Expectations) -> Self {
        let telling = expectations.telling();
        let telling = telling.filter(|reading| reading.known == Stated::Assumed && reading.node.is_none());
        let mut ends = HashMap::new();
        for read in telling.flat_map(|reading| &reading.cells) {
            ends.entry((&read.experiment, read.measure, &read.at)).or_insert((read.low, read.high));
        }
        Self(ends)
    }

    /// Ends for a cell.
    pub(crate) fn around(&self, cell: &ExpectedCell) -> (f64, f64) {
        let read = self.0.get(&(&cell.experiment, cell.measure, &cell.at));
        read.copied().unwrap_or((cell.expected.low, cell.expected.high))
    }
}

/// The medians of lower and upper ends: `73–93`.
pub(crate) fn range(ends: impl Iterator<Item = (f64, f64)>) -> Option<String> {
    let (lows, highs): (Vec<f64>, Vec<f64>) = ends.unzip();
    let (low, high) = (median(lows)?, median(highs)?);
    let digits = |value: f64| if high < 20.0 { format!("{value:.1}") } else { format!("{value:.0}") };
    Some(format!("{}–{}", digits(low), digits(high)))
}

/// A kind of value.
pub(crate) const fn words_of(kind: Kind) -> &'static str {
    match kind {
        Kind::IdleLatency(Relation::Local) => "idle latency, local",
        Kind::IdleLatency(Relation::SamePackage) => "idle latency, same package",
        Kind::IdleLatency(Relation::Remote) => "idle latency, remote",
        Kind::ReadBandwidth(Relation::Local) => "read bandwidth, local",
        Kind::ReadBandwidth(Relation::SamePackage) => "read bandwidth, same package",
        Kind::ReadBandwidth(Relation::Remote) => "read bandwidth, remote",
        Kind::Mixes => "bandwidth of local memory",
        Kind::LoadedLatency => "latency under load",
        Kind::PeakUnderLoad => "highest bandwidth under load",
        Kind::CacheLatency => "cache",
        Kind::CoreToCore => "core to core",
    }
}

/// Place of a cell: `node 0 → node 1, all reads`.
pub(crate) fn place(at: &Coordinates) -> String {
    let end = |axis| {
        at.get(axis).map(|place| match place {
            Coordinate::Number(node) => format!("node {node}"),
            Coordinate::Word(word) if word == "all" => "all nodes".to_owned(),
            Coordinate::Word(word) => format!("{word} memory"),
        })
    };
    let ends = match (end(Axis::Initiator), end(Axis::Target)) {
        (Some(initiator), Some(target)) => Some(format!("{initiator} → {target}")),
        (one, other) => one.or(other),
    };
    let others = at.0.iter().filter(|(axis, _)| !matches!(axis, Axis::Initiator | Axis::Target));
    let others = others.map(|(axis, place)| match axis {
        Axis::Mix | Axis::Kernel | Axis::Level => place_in_full(*axis, place),
        axis => format!("{} {place}", axis.name().replace('_', " ")),
    });
    ends.into_iter().chain(others).collect::<Vec<_>>().join(", ")
}

/// Basis of the expectations.
pub(crate) fn knowledge(knowledge: &Knowledge) -> String {
    match knowledge {
        Knowledge::Model { machine, stated, .. } => {
            let how = if *stated { "stated" } else { "from the machine's recorded hardware" };
            format!("by the model {machine} ({how})")
        }
        Knowledge::Dimms { reason } => format!("from the DIMMs only: {reason}"),
        Knowledge::Nothing { reason } => format!("nothing: {reason}"),
    }
}
