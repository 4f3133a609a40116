//! What a simulation shows of the inside of its machine between two points in time.

use zerohop_machine::Hardware;
use zerohop_units::{Bytes, GigabytesPerSecond, Nanoseconds};
use zerohop_workload::{ChannelLoad, HomeLoad, Inside, LinkLoad, Stage, StageTime};

use crate::lane::Lane;
use crate::requester::Done;
use crate::simulation::Simulation;
use crate::stages::Stages;
use crate::time::{Fine, Ticks, fine_in_ticks, nanoseconds, seconds};
use crate::token::Packet;

/// The parts' names.
#[derive(Debug)]
pub(crate) struct Names {
    pub(crate) wires: Vec<String>,
    pub(crate) channels: Vec<String>,
    pub(crate) homes: Vec<String>,
}

impl Names {
    pub(crate) fn new(hardware: &Hardware) -> Self {
        let router = |rank: usize| hardware.routers[rank].name.as_str();
        let wires = hardware.links.iter().flat_map(|link| {
            let [one, other] = link.ends.map(router);
            [format!("{one}->{other}"), format!("{other}->{one}")]
        });
        Self {
            wires: wires.collect(),
            channels: hardware.channels.iter().map(|channel| channel.name.clone()).collect(),
            homes: hardware.homes.iter().map(|home| home.name.clone()).collect(),
        }
    }
}

/// All counters at one point in time.
#[derive(Debug)]
pub(crate) struct Snapshot {
    pub(crate) now: Ticks,
    pub(crate) workers: Vec<WorkerCount>,
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
    peak: u32,
    waited: Ticks,
    rejected: u64,
}

impl Snapshot {
    pub(crate) fn of(simulation: &Simulation) -> Self {
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
            peak: home.peak(),
            waited: home.waited(now),
            rejected: home.rejected(),
        });
        Self {
            now,
            workers: simulation
                .requesters()
                .iter()
                .map(|worker| WorkerCount { done: worker.done, last_line: worker.last_line })
                .collect(),
            stages: simulation.stages(),
            wires: wires.collect(),
            channels: channels.collect(),
            homes: homes.collect(),
        }
    }

    /// What happened since an earlier one.
    pub(crate) fn inside_since(&self, before: &Self, names: &Names) -> Inside {
        let ticks = (self.now - before.now) as f64;
        let time = seconds(self.now - before.now);
        let lines = |count: u64| Bytes(count * 64).per(time);
        let share = |carrying: Fine| fine_in_ticks(carrying) / ticks;
        let each = self.wires.iter().zip(&before.wires).map(|(now, then)| LinkLoad {
            name: String::new(),
            traffic: GigabytesPerSecond((now.bytes - then.bytes) / time.get() / 1e9),
            data: lines(now.lines - then.lines),
            utilization: share(now.carrying - then.carrying),
            queue: now.waited.wrapping_sub(then.waited) as f64 / ticks,
        });
        let each: Vec<LinkLoad> = each.collect();
        // Of wires that kinds of packet have for themselves, the busiest tells how much of a link is used.
        let networks = each.len() / names.wires.len().max(1);
        let wires = each.chunks(networks.max(1)).zip(&names.wires).map(|(wires, name)| LinkLoad {
            name: name.clone(),
            traffic: wires.iter().map(|wire| wire.traffic).sum(),
            data: wires.iter().map(|wire| wire.data).sum(),
            utilization: wires.iter().map(|wire| wire.utilization).fold(0.0, f64::max),
            queue: wires.iter().map(|wire| wire.queue).sum(),
        });
        let channels =
            self.channels.iter().zip(&before.channels).zip(&names.channels).map(|((now, then), name)| {
                ChannelLoad {
                    name: name.clone(),
                    read: lines(now.read - then.read),
                    written: lines(now.written - then.written),
                    utilization: share(now.carrying - then.carrying),
                    queue: share(now.waiting - then.waiting),
                }
            });
        let homes =
            self.homes.iter().zip(&before.homes).zip(&names.homes).map(|((now, then), name)| HomeLoad {
                name: name.clone(),
                occupancy: (now.occupied - then.occupied) as f64 / ticks,
                peak: now.peak,
                queue: now.waited.wrapping_sub(then.waited) as f64 / ticks,
                rejected_per_second: (now.rejected - then.rejected) as f64 / time.get(),
            });
        Inside {
            links: wires.collect(),
            channels: channels.collect(),
            homes: homes.collect(),
            stages: self.stages_since(before),
        }
    }

    fn stages_since(&self, before: &Self) -> Vec<StageTime> {
        let fills = self.stages.fills - before.stages.fills;
        if fills == 0 {
            return Vec::new();
        }
        let times = self.stages.times.iter().zip(&before.stages.times);
        let mean = |(now, then): (&Ticks, &Ticks)| Nanoseconds(nanoseconds(now - then).get() / fills as f64);
        Stage::ALL.into_iter().zip(times.map(mean)).map(|(stage, time)| StageTime { stage, time }).collect()
    }
}
