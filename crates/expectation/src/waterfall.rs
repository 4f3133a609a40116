//! Breakdown of a node's bandwidth: from the theoretical bandwidth of its channels to the measured bandwidth of its cores.

use zerohop_machine::NodeId;
use zerohop_machine_file::{Channel, Hardware};
use zerohop_result::{Axis, Measure};

use super::expectations::{Basis, ExpectedCell, Waterfall};

/// Breakdown for each node whose local bandwidth a model predicts.
pub(super) fn waterfalls(cells: &[ExpectedCell], hardware: &Hardware) -> Vec<Waterfall> {
    let of = |cell: &ExpectedCell| {
        let is_model = matches!(cell.expected.basis, Basis::Machine | Basis::Template);
        let node = cell.at.number(Axis::Initiator)?;
        let is_own = cell.at.number(Axis::Target) == Some(node) && cell.at.0.len() == 2;
        if !is_model || !is_own || cell.measure != Measure::Bandwidth {
            return None;
        }
        let node = NodeId(u32::try_from(node).ok()?);
        let memory = hardware.memory(node)?;
        let channels = || memory.channels.iter().map(|&rank| &hardware.channels[rank]);
        let theoretical = channels().map(|channel| channel.bandwidth.get()).sum();
        let sustained: f64 = channels().map(sustained).sum();
        Some(Waterfall {
            node,
            theoretical,
            sustained,
            // The cores may be predicted to do better than overheads that are known roughly leave.
            expected: cell.expected.value.min(sustained),
            found: cell.value,
            standing: cell.standing,
        })
    };
    cells.iter().filter_map(of).collect()
}

/// A channel's bandwidth without its overheads and its refreshes, in GB/s.
fn sustained(channel: &Channel) -> f64 {
    let refresh = channel.parameters.refresh;
    let lost = refresh.map_or(0.0, |refresh| refresh.takes.get() / refresh.every.get());
    channel.sustained().get() * (1.0 - lost)
}
