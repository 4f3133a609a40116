//! The arithmetic behind a model's value, in one phrase: the limit that it comes nearest to.

use zerohop_machine::{NodeId, PuId};
use zerohop_machine_file::{Hardware, LINE};
use zerohop_result::{Axis, Cell, Relation};
use zerohop_units::GigabytesPerSecond;

use super::kind::Kind;
use super::model_prediction::Predicted;

/// Reason why a model predicts this value for a cell.
pub(super) fn reason(hardware: &Hardware, cell: &Cell, kind: Kind, predicted: Predicted) -> String {
    let pair = cell.at.between_nodes();
    match kind {
        Kind::IdleLatency(Relation::Local) => idle(hardware, pair).unwrap_or_else(of_model),
        Kind::IdleLatency(_) => way(hardware, pair).unwrap_or_else(of_model),
        Kind::ReadBandwidth(Relation::Local) => match pair {
            Some((initiator, target)) => {
                from_memory(hardware, &[initiator], &[target], predicted.value).unwrap_or_else(of_model)
            }
            None => of_model(),
        },
        Kind::ReadBandwidth(_) => pair
            .and_then(|(initiator, target)| over_links(hardware, initiator, target, predicted.value))
            .or_else(|| over_all_links(hardware, cell, predicted.value))
            .unwrap_or_else(of_model),
        Kind::Mixes | Kind::PeakUnderLoad => {
            let nodes = nodes(hardware, cell, kind);
            from_memory(hardware, &nodes, &nodes, predicted.value).unwrap_or_else(of_model)
        }
        Kind::LoadedLatency => match predicted.load {
            Some(load) => format!("the model's latency at {:.0} % of its peak", 100.0 * load),
            None => of_model(),
        },
        Kind::CacheLatency | Kind::CoreToCore => of_model(),
    }
}

fn of_model() -> String {
    "the model's value".to_owned()
}

/// The nodes whose cores and memory a cell is about. A curve of another tool loads the whole machine.
fn nodes(hardware: &Hardware, cell: &Cell, kind: Kind) -> Vec<NodeId> {
    let whole = cell.at.get(Axis::Load).is_some() && kind == Kind::PeakUnderLoad;
    match cell
        .at
        .number(Axis::Initiator)
        .and_then(|node| u32::try_from(node).ok())
        .map(NodeId)
        .filter(|_| !whole)
    {
        Some(node) => vec![node],
        None => {
            let with_cores = hardware.machine.nodes.iter().filter(|node| !node.pus.is_empty());
            with_cores.map(|node| node.id).filter(|node| hardware.memory(*node).is_some()).collect()
        }
    }
}

fn first_pu(hardware: &Hardware, node: NodeId) -> Option<PuId> {
    hardware.machine.node(node)?.pus.iter().next()
}

/// `81.0 ns from core to memory and back`.
fn idle(hardware: &Hardware, pair: Option<(NodeId, NodeId)>) -> Option<String> {
    let (initiator, target) = pair?;
    let read = hardware.idle_read(first_pu(hardware, initiator)?, target)?;
    Some(format!("{:.1} ns in the machine file", read.time().get()))
}

/// `80.9 ns local + 50.1 ns over 1 hop`.
fn way(hardware: &Hardware, pair: Option<(NodeId, NodeId)>) -> Option<String> {
    let (initiator, target) = pair?;
    let pu = first_pu(hardware, initiator)?;
    let far = hardware.idle_read(pu, target)?.time().get();
    // Memory without cores of its own, as of a CXL device, is held against the initiator's.
    let own = first_pu(hardware, target).unwrap_or(pu);
    let near_node = if first_pu(hardware, target).is_some() { target } else { initiator };
    let near = hardware.idle_read(own, near_node)?.time().get();
    let hops = zerohop_units::counted(hardware.hops(initiator, target)?, "hop");
    Some(format!("{near:.1} ns local + {:.1} ns over {hops}", far - near))
}

/// The memory of some nodes and the lines that their cores have in flight: whichever limits.
fn from_memory(hardware: &Hardware, initiators: &[NodeId], targets: &[NodeId], value: f64) -> Option<String> {
    let mut ranks: Vec<usize> = Vec::new();
    for target in targets {
        ranks.extend(&hardware.memory(*target)?.channels);
    }
    ranks.sort_unstable();
    ranks.dedup();
    let peak: f64 = ranks.iter().map(|&rank| hardware.channels[rank].bandwidth.get()).sum();
    let by_cores = from_cores(hardware, initiators)?;
    // Channels lose some of their peak to refresh and full banks: cores that could fill it are no limit.
    if by_cores.bandwidth.get() < 0.95 * peak && value > 0.85 * by_cores.bandwidth.get() {
        return Some(by_cores.words());
    }
    let first = hardware.channels.get(*ranks.first()?)?;
    let alike = ranks.iter().all(|&rank| hardware.channels[rank].kind == first.kind);
    let channels = if alike {
        format!("{} x {}", ranks.len(), kind_of_channel(hardware, first.bandwidth))
    } else {
        zerohop_units::counted(ranks.len(), "channel")
    };
    Some(format!("{channels} = {peak:.1} GB/s x {:.2}", value / peak))
}

/// `DDR4-2933`, or the channel's bandwidth.
fn kind_of_channel(hardware: &Hardware, bandwidth: GigabytesPerSecond) -> String {
    let of_it = hardware.machine.memory_devices.iter().find_map(|device| {
        let rate = device.configured.or(device.rated)?;
        let width = device.channel_width.or(device.data_width)?;
        let carries = rate.get() * f64::from(width) / 8e9;
        let technology = device.technology.as_str();
        ((carries / bandwidth.get() - 1.0).abs() < 0.01)
            .then(|| format!("{technology}-{:.0}", rate.get() / 1e6))
    });
    of_it.unwrap_or_else(|| format!("{:.1} GB/s", bandwidth.get()))
}

/// What cores can have with their lines in flight (Little's law).
struct FromCores {
    cores: usize,
    lines: u32,
    time: f64,
    bandwidth: GigabytesPerSecond,
}

impl FromCores {
    fn words(&self) -> String {
        let Self { cores, lines, time, bandwidth } = self;
        let size = LINE.get();
        format!("{cores} cores x {lines} lines of {size} B / {time:.1} ns = {:.1} GB/s", bandwidth.get())
    }
}

fn from_cores(hardware: &Hardware, initiators: &[NodeId]) -> Option<FromCores> {
    let mut sum = FromCores { cores: 0, lines: 0, time: 0.0, bandwidth: GigabytesPerSecond(0.0) };
    for initiator in initiators {
        let pu = first_pu(hardware, *initiator)?;
        let kind = &hardware.core_kinds[hardware.cores[hardware.core_of(pu)?].kind];
        let read = hardware.idle_read(pu, *initiator)?;
        let lines = kind.parameters.in_flight.sequential;
        let cores = hardware.machine.usable_cores(*initiator).len();
        sum.cores += cores;
        sum.lines = lines;
        sum.time = zerohop_machine_file::CoreKind::stream_time(&read).get();
        let each = kind.stream_ceiling(lines, &read).get();
        sum.bandwidth = GigabytesPerSecond(sum.bandwidth.get() + each * cores as f64);
    }
    Some(sum)
}

/// `2 x 17.1 GB/s of data`, for the narrowest part of the way.
fn over_links(hardware: &Hardware, initiator: NodeId, target: NodeId, value: f64) -> Option<String> {
    let core = hardware.core_of(first_pu(hardware, initiator)?)?;
    let from = hardware.cores[core].router;
    let memory = hardware.memory(target)?;
    let to = hardware.homes[*memory.homes.first()?].router;
    let links = hardware.path(to, from).into_iter().map(|directed| &hardware.links[directed.link()]);
    let narrowest = links.min_by(|one, other| one.read_peak().get().total_cmp(&other.read_peak().get()))?;
    let (peak, wires) = (narrowest.read_peak().get(), f64::from(narrowest.wires));
    let share = value / peak;
    let words = format!("{} x {:.1} GB/s of data", narrowest.wires, peak / wires);
    Some(match share {
        share if share > 0.97 && share < 1.03 => words,
        share if share > 1.0 => format!("more than one path: {words} on the narrowest link"),
        share => format!("{words} x {share:.2}"),
    })
}

/// `102.6 GB/s of data over all links, both ways, x 0.94`, for all nodes that read each other's memory.
fn over_all_links(hardware: &Hardware, cell: &Cell, value: f64) -> Option<String> {
    if !cell.at.is(Axis::Initiator, "all") || hardware.links.is_empty() {
        return None;
    }
    let nodes: Vec<NodeId> = hardware.memories.iter().map(|memory| memory.node).collect();
    let pairs = || nodes.iter().flat_map(|one| nodes.iter().map(move |other| (*one, *other)));
    let hops: Vec<usize> = pairs()
        .filter(|(one, other)| one != other)
        .filter_map(|(one, other)| hardware.hops(one, other))
        .collect();
    if hops.is_empty() {
        return None;
    }
    let mean = hops.iter().sum::<usize>() as f64 / hops.len() as f64;
    let all: f64 = hardware.links.iter().map(|link| 2.0 * link.read_peak().get()).sum();
    let over = if mean > 1.0 { format!(" / {mean:.2} hops") } else { String::new() };
    Some(format!(
        "{all:.1} GB/s of data over all links, in both directions,{over} x {:.2}",
        value * mean / all
    ))
}
