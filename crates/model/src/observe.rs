//! Observations of the inside of a machine between two points in simulated time.

use std::sync::Arc;

use zerohop_machine_file::Hardware;
use zerohop_units::{Bytes, GigabytesPerSecond};
use zerohop_workload::{Carries, Inside, Measure, Part, Stage};

use crate::lane::Lane;
use crate::requester::Done;
use crate::simulation::Simulation;
use crate::stages::Stages;
use crate::time::{Fine, Ticks, fine_in_ticks, nanoseconds, seconds};
use crate::token::Packet;

/// The parts that have counters, by rank.
#[derive(Debug)]
pub(crate) struct Parts {
    /// Each direction of each link.
    pub(crate) links: Vec<Part>,
    pub(crate) channels: Vec<ChannelParts>,
    pub(crate) homes: Vec<Part>,
}

/// A channel, and each direction over it.
#[derive(Debug)]
pub(crate) struct ChannelParts {
    pub(crate) whole: Part,
    pub(crate) reads: Part,
    pub(crate) writes: Part,
}

impl Parts {
    pub(crate) fn new(hardware: &Hardware) -> Self {
        let routers: Vec<Arc<str>> =
            hardware.routers.iter().map(|router| router.name.as_str().into()).collect();
        let links = hardware.links.iter().flat_map(|link| {
            let name: Arc<str> = link.name.as_str().into();
            let [one, other] = link.ends.map(|rank| &routers[rank]);
            let direction = |from: &Arc<str>, to: &Arc<str>| Part::Link {
                name: Arc::clone(&name),
                ends: [Arc::clone(from), Arc::clone(to)],
            };
            [direction(one, other), direction(other, one)]
        });
        let channels = hardware.channels.iter().map(|channel| {
            let name: Arc<str> = channel.name.as_str().into();
            let bus = |carries| Part::ChannelBus { name: Arc::clone(&name), carries };
            let (reads, writes) = (bus(Carries::Reads), bus(Carries::Writes));
            ChannelParts { whole: Part::Channel { name }, reads, writes }
        });
        let homes = hardware.homes.iter().map(|home| Part::Home { name: home.name.as_str().into() });
        Self { links: links.collect(), channels: channels.collect(), homes: homes.collect() }
    }
}

/// All counters at one point in time.
#[derive(Debug)]
pub(crate) struct Snapshot {
    pub(crate) now: Ticks,
    pub(crate) workers: Vec<WorkerCount>,
    /// Those of the machine's inside, where anyone asks for them: a large machine has thousands.
    inside: Option<Counters>,
}

#[derive(Debug)]
struct Counters {
    stages: Stages,
    wires: Vec<WireCount>,
    channels: Vec<ChannelCount>,
    homes: Vec<HomeCount>,
}

#[derive(Debug)]
pub(crate) struct WorkerCount {
    pub(crate) done: Done,
    pub(crate) last_line: Ticks,
}

#[derive(Debug)]
struct WireCount {
    bytes: f64,
    lines: u64,
    carrying: Fine,
    /// Packet-ticks waited up to now.
    waited: Ticks,
}

#[derive(Debug)]
struct ChannelCount {
    read: u64,
    written: u64,
    carrying: Fine,
    waiting: Fine,
}

#[derive(Debug)]
struct HomeCount {
    occupied: u64,
    waited: Ticks,
    rejected: u64,
}

impl Snapshot {
    pub(crate) fn of(simulation: &Simulation, looks_inside: bool) -> Self {
        let workers = simulation.requesters().iter();
        Self {
            now: simulation.now(),
            workers: workers
                .map(|worker| WorkerCount { done: worker.done, last_line: worker.last_line })
                .collect(),
            inside: looks_inside.then(|| Counters::of(simulation)),
        }
    }

    /// Observations since an earlier snapshot, if both looked inside.
    pub(crate) fn inside_since(&self, before: &Self, parts: &Parts) -> Option<Inside> {
        let (now, then) = (self.inside.as_ref()?, before.inside.as_ref()?);
        Some(now.since(then, self.now - before.now, parts))
    }
}

impl Counters {
    fn of(simulation: &Simulation) -> Self {
        let now = simulation.now();
        let wires = simulation.links().iter().map(|(wire, lanes)| {
            let waiting = lanes.iter().map(Lane::waiting).sum();
            WireCount {
                bytes: wire.total_bytes(),
                lines: wire.sent(Packet::Write) + wire.sent(Packet::Data) + wire.sent(Packet::DataAndAnswer),
                carrying: wire.carrying(),
                waited: wire.waited(waiting, now),
            }
        });
        let channels = simulation.channels().iter().map(|channel| {
            let (read, written) = channel.lines();
            ChannelCount { read, written, carrying: channel.carrying(), waiting: channel.waiting() }
        });
        let homes = simulation.homes().iter().map(|home| HomeCount {
            occupied: home.occupied(now),
            waited: home.waited(now),
            rejected: home.rejected(),
        });
        Self {
            stages: simulation.stages(),
            wires: wires.collect(),
            channels: channels.collect(),
            homes: homes.collect(),
        }
    }

    /// Observations in the `between` ticks since then.
    fn since(&self, before: &Self, between: Ticks, parts: &Parts) -> Inside {
        let mut inside = Inside::default();
        self.links_since(before, between, parts, &mut inside);
        let ticks = between as f64;
        let time = seconds(between);
        let lines = |count: u64| Bytes(count * 64).per(time).get();
        let share = |carrying: Fine| fine_in_ticks(carrying) / ticks;
        for ((now, then), channel) in self.channels.iter().zip(&before.channels).zip(&parts.channels) {
            inside.observe(&channel.reads, [(Measure::BusTraffic, lines(now.read - then.read))]);
            inside.observe(&channel.writes, [(Measure::BusTraffic, lines(now.written - then.written))]);
            inside.observe(
                &channel.whole,
                [
                    (Measure::Utilization, share(now.carrying - then.carrying)),
                    (Measure::QueueLength, share(now.waiting - then.waiting)),
                ],
            );
        }
        for ((now, then), home) in self.homes.iter().zip(&before.homes).zip(&parts.homes) {
            inside.observe(
                home,
                [
                    (Measure::Occupancy, (now.occupied - then.occupied) as f64 / ticks),
                    (Measure::QueueLength, now.waited.wrapping_sub(then.waited) as f64 / ticks),
                    (Measure::Rejections, (now.rejected - then.rejected) as f64 / time.get()),
                ],
            );
        }
        self.stages_since(before, &mut inside);
        inside
    }

    fn links_since(&self, before: &Self, between: Ticks, parts: &Parts, inside: &mut Inside) {
        let ticks = between as f64;
        let time = seconds(between);
        let each = self.wires.iter().zip(&before.wires).map(|(now, then)| WireLoad {
            traffic: GigabytesPerSecond((now.bytes - then.bytes) / time.get() / 1e9),
            data: Bytes((now.lines - then.lines) * 64).per(time),
            utilization: fine_in_ticks(now.carrying - then.carrying) / ticks,
            queue: now.waited.wrapping_sub(then.waited) as f64 / ticks,
        });
        let each: Vec<WireLoad> = each.collect();
        let networks = each.len() / parts.links.len().max(1);
        for (wires, link) in each.chunks(networks.max(1)).zip(&parts.links) {
            let sum = |rate: fn(&WireLoad) -> GigabytesPerSecond| {
                wires.iter().map(rate).sum::<GigabytesPerSecond>().get()
            };
            inside.observe(
                link,
                [
                    (Measure::LinkTraffic, sum(|wire| wire.traffic)),
                    (Measure::LinkData, sum(|wire| wire.data)),
                    // Where kinds of packet have wires of their own, the utilization of a link is that of its busiest
                    // wire.
                    (Measure::Utilization, wires.iter().map(|wire| wire.utilization).fold(0.0, f64::max)),
                    (Measure::QueueLength, wires.iter().map(|wire| wire.queue).sum()),
                ],
            );
        }
    }

    fn stages_since(&self, before: &Self, inside: &mut Inside) {
        let fills = self.stages.fills - before.stages.fills;
        if fills == 0 {
            return;
        }
        let times = self.stages.times.iter().zip(&before.stages.times);
        for (stage, (now, then)) in Stage::ALL.into_iter().zip(times) {
            let mean = nanoseconds(now - then).get() / fills as f64;
            inside.observe(&Part::Stage(stage), [(Measure::Latency, mean)]);
        }
    }
}

/// The load of one wire of a link.
#[derive(Debug)]
struct WireLoad {
    traffic: GigabytesPerSecond,
    data: GigabytesPerSecond,
    utilization: f64,
    queue: f64,
}
