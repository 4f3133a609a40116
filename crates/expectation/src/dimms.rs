//! Expectations from the DIMMs that the firmware lists, where no model of the processor is known.

use zerohop_machine::{Machine, NodeId};
use zerohop_machine_file::technology_efficiency;
use zerohop_result::{Axis, Cell, Coordinate, Relation, ResultFile};

use super::errors_by_kind::ErrorsByKind;
use super::expectations::{Basis, Expectation};
use super::kind::Kind;

/// Lines that a core has in flight, prefetched ones included: the fewest, the usual number and the most of the templates'
/// processors.
const LINES: [f64; 3] = [8.0, 12.0, 24.0];

/// Bytes of a line.
const LINE: f64 = 64.0;

/// Expected read bandwidth of local memory; `None` if the DIMMs do not determine it.
pub(super) fn from_dimms(
    file: &ResultFile,
    cell: &Cell,
    kind: Kind,
    errors: &ErrorsByKind,
) -> Option<Expectation> {
    let machine = &file.machine;
    let reads = match kind {
        Kind::ReadBandwidth(Relation::Local) => cell.at.get(Axis::Kernel).is_none(),
        Kind::Mixes => cell.at.is(Axis::Mix, "all_reads"),
        _ => false,
    };
    // A model's machine lists the DIMMs of its file: its values follow from them.
    if !reads || file.origin.as_model().is_some() {
        return None;
    }
    let nodes: Vec<NodeId> = match cell.at.get(Axis::Initiator)? {
        Coordinate::Number(node) => vec![NodeId(u32::try_from(*node).ok()?)],
        Coordinate::Word(_) => machine.initiators().map(|node| node.id).collect(),
    };
    let peak = machine.theoretical_bandwidth().ok()?;
    let of_nodes = share_of(machine, &nodes)?;
    let technology = machine.memory_devices.iter().find(|device| device.size.get() > 0)?;
    let efficiency = technology_efficiency(&technology.technology)?;
    let total = match (nodes.len(), peak.packages.as_slice()) {
        (1, [_, ..]) => {
            let package = machine.pus.iter().find(|pu| pu.node == nodes[0])?.package;
            let own = peak.packages.iter().find(|part| part.package == package)?;
            let beside = nodes_of_package(machine, package);
            (own.bandwidth.get() / beside as f64, own.channels as f64 / beside as f64)
        }
        _ => (peak.total.get() * of_nodes, peak.channels as f64 * of_nodes),
    };
    let (dimms, channels) = total;
    let rate = technology.configured.or(technology.rated)?.get() / 1e6;
    let name = &technology.technology;
    let value = dimms * efficiency;
    let (low, high, validated) = errors.interval(kind, value);
    let reason = format!("{channels} x {name}-{rate:.0} = {dimms:.1} GB/s x {efficiency:.2}");
    let basis = Basis::Dimms;
    let expected = Expectation { value, low, high, basis, reason, validated };
    Some(match by_cores(file, &nodes) {
        Some(cores) if cores.at(LINES[1]) < value => cores.limit(&expected),
        Some(cores) if cores.at(LINES[0]) < low => Expectation { low: cores.at(LINES[0]), ..expected },
        _ => expected,
    })
}

/// The share of the machine's nodes with memory and cores.
fn share_of(machine: &Machine, nodes: &[NodeId]) -> Option<f64> {
    let all = machine.initiators().count();
    (all > 0).then(|| nodes.len() as f64 / all as f64)
}

fn nodes_of_package(machine: &Machine, package: zerohop_machine::PackageId) -> usize {
    let is_there = |node: &&zerohop_machine::NumaNode| {
        machine.pus.iter().any(|pu| pu.node == node.id && pu.package == package)
    };
    machine.nodes.iter().filter(is_there).count().max(1)
}

/// Cores, and the latency of their memory as the result has it (Little's law).
struct Cores {
    cores: usize,
    latency: f64,
}

fn by_cores(file: &ResultFile, nodes: &[NodeId]) -> Option<Cores> {
    let first = u64::from(nodes.first()?.0);
    let local = |cell: &&Cell| {
        Kind::of(cell, &file.machine) == Some(Kind::IdleLatency(Relation::Local))
            && cell.at.number(Axis::Initiator) == Some(first)
    };
    let latency = file.experiments.iter().flat_map(|result| result.cells.iter()).find(local)?.estimate.median;
    let cores = nodes.iter().map(|node| file.machine.usable_cores(*node).len()).sum();
    (latency > 0.0 && cores > 0).then_some(Cores { cores, latency })
}

impl Cores {
    fn at(&self, lines: f64) -> f64 {
        self.cores as f64 * lines * LINE / self.latency
    }

    /// The same expectation, limited by the lines in flight.
    fn limit(&self, by_dimms: &Expectation) -> Expectation {
        let Self { cores, latency } = self;
        let value = self.at(LINES[1]);
        let reason = format!("{cores} cores x {} lines of {LINE} B / {latency:.1} ns", LINES[1]);
        Expectation {
            value,
            low: self.at(LINES[0]).min(by_dimms.low),
            high: self.at(LINES[2]).min(by_dimms.high),
            reason,
            ..by_dimms.clone()
        }
    }
}
