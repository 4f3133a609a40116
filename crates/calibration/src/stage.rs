//! What is fitted in each step of a calibration, and to which values.

use zerohop_result::{Axis, Cell, Measure};
use zerohop_study::Stage;

/// Parameters of one kind of part that change by the same factor, each as a pattern of its path.
pub(crate) type Patterns = &'static [&'static str];

/// Parameters that mean the same, of which the first that a machine file has is fitted.
pub(crate) type Alternatives = &'static [Patterns];

/// The mix that bandwidths show already.
const ALL_READS: &str = "all_reads";

/// Whether a cell of the stage's experiment belongs to it.
pub(crate) fn has(stage: Stage, cell: &Cell) -> bool {
    let nodes = cell.at.number(Axis::Initiator).zip(cell.at.number(Axis::Target));
    let is =
        |measure, local| cell.measure == measure && nodes.is_some_and(|(from, to)| (from == to) == local);
    cell.at.is_whole()
        && match stage {
            Stage::LocalLatency => is(Measure::Latency, true),
            Stage::RemoteLatency => is(Measure::Latency, false),
            Stage::LocalBandwidth => is(Measure::Bandwidth, true),
            Stage::RemoteBandwidth => is(Measure::Bandwidth, false),
            Stage::Mixes => {
                cell.measure == Measure::Bandwidth
                    && cell.at.get(Axis::Mix).is_some()
                    && !cell.at.is(Axis::Mix, ALL_READS)
            }
            Stage::LoadedLatency => cell.measure == Measure::Latency && cell.at.get(Axis::Delay).is_some(),
        }
}

/// The parameters that are fitted in a stage.
pub(crate) const fn patterns(stage: Stage) -> &'static [Alternatives] {
    const LINE: Patterns = &["wire.*.packets.data", "wire.*.packets.write"];
    match stage {
        Stage::LocalLatency => &[&[&["core.*.to_router", "core.*.from_router"]]],
        Stage::RemoteLatency => &[&[&["wire.*.latency"]]],
        // Chiplets reach their own node's memory over wires too.
        Stage::LocalBandwidth => &[&[&["channel.*.efficiency"], &["channel.*.rate"]], &[LINE]],
        Stage::RemoteBandwidth => &[&[LINE]],
        Stage::Mixes => &[&[&["channel.*.turnaround.to_write", "channel.*.turnaround.to_read"]]],
        // How long a refresh takes depends on the DIMMs' devices, which no machine shows.
        Stage::LoadedLatency => &[&[&["channel.*.refresh.takes"]]],
    }
}
