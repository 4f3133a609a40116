//! A machine as stations and the paths between them: all that does not change from one workload to the next.
//!
//! Times are in ns and rates in lines per ns throughout the solver. All of them come from the tables of the event
//! engine, with the same rounding, so that both engines model the same machine.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use num_integer::gcd;
use zerohop_machine::{
    Channel, Control, Hardware, HomeAgent, OutboundFrom, PackageId, PuId, Refresh, Spread,
};

use super::bank::Banks;
use crate::misses::SharedMisses;
use crate::observe::Parts;
use crate::tables::{Protocol, Tables};
use crate::time::{Fine, Ticks, fine_in_ticks, nanoseconds};
use crate::token::Packet;

/// Most lines of a memory that are located to find its share at each place.
const LOOKED_AT: u64 = 1 << 14;

/// A machine, ready for any number of workloads.
#[derive(Debug)]
pub(crate) struct Network {
    pub(crate) tables: Tables,
    pub(crate) parts: Parts,
    pub(crate) wires: Vec<Wire>,
    /// Lanes of all wires, wire by wire.
    pub(crate) lanes: Vec<Lane>,
    pub(crate) homes: Vec<Home>,
    pub(crate) channels: Vec<Channels>,
    /// Where each node's memory resides: portions of its lines, by home agents and channels.
    pub(crate) portions: Vec<Vec<Portion>>,
    /// Core and package of each PU.
    pub(crate) pus: BTreeMap<PuId, (usize, Option<PackageId>)>,
    /// Misses that cores share.
    pub(crate) misses: SharedMisses,
    /// The station of each home agent and of each channel.
    pub(crate) home_station: Vec<usize>,
    pub(crate) channel_station: Vec<usize>,
    /// Paths by kind of packet, first and last router; their legs in one list.
    paths: Vec<Path>,
    legs: Vec<Leg>,
    /// The probes of each home router: the tree's edges as paths, and for each router the edges that lead there.
    pub(crate) trees: Vec<Tree>,
}

/// One direction of a link.
#[derive(Debug, Clone)]
pub(crate) struct Wire {
    /// Time of the bytes by which the receiver knows a packet's destination, and from a byte's departure to its arrival.
    pub(crate) head: f64,
    pub(crate) latency: f64,
    /// Extra time, by kind of packet, until all of it has arrived.
    pub(crate) spread: [f64; Packet::COUNT],
    /// Whether the receiver waits for all of a packet before it passes it on.
    pub(crate) passes_on_whole: bool,
    /// Time to return credits for buffers in one message.
    pub(crate) credit: f64,
    pub(crate) credit_bytes: f64,
    pub(crate) inserts_control: bool,
    /// Share of its capacity above which all lanes are up, if it ever drops any.
    pub(crate) all_lanes_above: Option<f64>,
    /// Bytes of each kind of packet.
    pub(crate) bytes: [f64; Packet::COUNT],
}

/// One virtual channel of a wire.
#[derive(Debug, Clone)]
pub(crate) struct Lane {
    /// Buffers at the receiver, in packets.
    pub(crate) buffers: f64,
}

/// Home agents that are alike and share the work evenly.
#[derive(Debug, Clone)]
pub(crate) struct Home {
    pub(crate) count: f64,
    pub(crate) router: usize,
    pub(crate) latency: f64,
    pub(crate) slot: f64,
    pub(crate) table: f64,
    pub(crate) limits: [f64; 2],
    /// Whether requests that find no room are sent back and retried.
    pub(crate) retries: bool,
    /// Whether requests are served before everything else.
    pub(crate) prefers: bool,
    /// Whether a line keeps its entry in the table until it is on its first link.
    pub(crate) holds_until_sent: bool,
    /// Limit on outstanding requests to memory elsewhere, and whether it is for the cores at its router instead of its package's.
    pub(crate) outbound: Option<f64>,
    pub(crate) outbound_of_router: bool,
    pub(crate) package: Option<PackageId>,
}

/// Channels that are alike and share the work evenly.
#[derive(Debug, Clone)]
pub(crate) struct Channels {
    pub(crate) count: f64,
    pub(crate) router: usize,
    /// Time of a line on the bus, its part of refreshes included, and of a read from its arrival to its data.
    pub(crate) line: f64,
    pub(crate) access: f64,
    /// A batch of writes: lines, and the cost of its bus turnarounds.
    pub(crate) batch: f64,
    pub(crate) turning: f64,
    /// What the bus loses for a line that nobody has fetched, its part of refreshes included.
    pub(crate) store_gap: f64,
    /// Time of a refresh; without refreshes, none.
    pub(crate) refresh_takes: f64,
    /// Share of the time that refreshes leave.
    pub(crate) available: f64,
    pub(crate) banks: Banks,
}

/// A portion of a memory's lines, and where they reside.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Portion {
    pub(crate) home: usize,
    pub(crate) channel: usize,
    pub(crate) share: f64,
}

/// A packet's path from one router to another.
#[derive(Debug, Clone)]
pub(crate) struct Path {
    first_leg: u32,
    end: u32,
    /// Time without any waiting, from its departure until all of it has arrived.
    pub(crate) time: f64,
}

/// One wire of a path.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Leg {
    pub(crate) wire: usize,
    pub(crate) lane: usize,
    /// The queue that it waits in: packets that may interrupt others have queues of their own.
    pub(crate) queue: usize,
    /// Time on the wire.
    pub(crate) send: f64,
    /// From taking a buffer until the sender learns that it is free again, without waiting at the receiver.
    pub(crate) hold: f64,
}

/// Identifies a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PathId(pub(crate) u32);

/// The probes that a home agent sends out.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tree {
    /// The paths of all probes.
    pub(crate) edges: Vec<PathId>,
    /// Each router that answers, and the edges that lead there.
    pub(crate) reached: Vec<(usize, Vec<PathId>)>,
}

pub(crate) fn time(fine: Fine) -> f64 {
    fine_in_ticks(fine) * nanoseconds(1).get()
}

fn delay(ticks: Ticks) -> f64 {
    nanoseconds(ticks).get()
}

impl Network {
    pub(crate) fn new(hardware: &Hardware) -> Self {
        let mut tables = Tables::new(hardware);
        let probes = Arc::make_mut(&mut tables.probes);
        (0..tables.routers).for_each(|home| probes.lay(hardware, home as u16));
        let wires = tables.wires(hardware);
        let lanes = (0..wires.len()).flat_map(|wire| {
            let buffers = hardware.links[wire / 2].buffers;
            let channels = [buffers.request, buffers.write, buffers.probe, buffers.response];
            let each = tables.lanes as usize / Packet::VIRTUAL_CHANNELS;
            (0..tables.lanes as usize)
                .map(move |rank| Lane { buffers: f64::from(channels[rank / each].max(1)) })
        });
        let lanes = lanes.collect();
        let places: Vec<Vec<(usize, usize, f64)>> =
            (0..hardware.memories.len()).map(|rank| shares(hardware, &tables, rank)).collect();
        let homes = alike(hardware.homes.len(), |one, other| {
            like_homes(&hardware.homes[one], &hardware.homes[other])
                && tables.homes[one].package == tables.homes[other].package
                && same_share(&places, |place| place.0, one, other)
        });
        let channels = alike(hardware.channels.len(), |one, other| {
            like_channels(&hardware.channels[one], &hardware.channels[other])
                && same_share(&places, |place| place.1, one, other)
        });
        let mut network = Self {
            parts: Parts::new(hardware),
            wires: wires
                .iter()
                .enumerate()
                .map(|(rank, wire)| Wire {
                    all_lanes_above: hardware.links[rank / 2]
                        .parameters
                        .narrowing
                        .as_ref()
                        .map(|narrowing| narrowing.above.0),
                    head: time(wire.head()),
                    latency: delay(wire.latency()),
                    spread: Packet::ALL.map(|packet| delay(wire.spread(packet))),
                    passes_on_whole: wire.passes_on_whole(),
                    credit: time(wire.credit().0),
                    credit_bytes: wire.credit().1,
                    inserts_control: hardware.links[rank / 2].parameters.control == Control::Inserted,
                    bytes: Packet::ALL.map(|packet| wire.bytes(packet)),
                })
                .collect(),
            lanes,
            homes: homes.groups.iter().map(|group| home(hardware, &tables, group)).collect(),
            channels: channels.groups.iter().map(|group| channels_of(hardware, group)).collect(),
            portions: places.iter().map(|places| grouped(places, &homes.of, &channels.of)).collect(),
            pus: pus(hardware),
            misses: SharedMisses::new(hardware),
            home_station: homes.of,
            channel_station: channels.of,
            paths: Vec::new(),
            legs: Vec::new(),
            trees: Vec::new(),
            tables,
        };
        network.lay_paths(hardware, &wires);
        if matches!(network.tables.protocol, Protocol::Broadcast { .. }) {
            network.trees = (0..network.tables.routers).map(|home| network.tree(home)).collect();
        }
        network
    }

    /// Computes all paths of all packets.
    fn lay_paths(&mut self, hardware: &Hardware, wires: &[crate::wire::Wire]) {
        let routers = self.tables.routers;
        for packet in Packet::ALL {
            for (from, to) in (0..routers).flat_map(|from| (0..routers).map(move |to| (from, to))) {
                let path = self.path_over(hardware, wires, packet, from, to);
                self.paths.push(path);
            }
        }
    }

    /// The path of a packet between two routers; its legs are appended to the list of all legs.
    fn path_over(
        &mut self,
        hardware: &Hardware,
        wires: &[crate::wire::Wire],
        packet: Packet,
        from: usize,
        to: usize,
    ) -> Path {
        let first_leg = self.legs.len();
        // When enough of the packet is at a router to pass it on, and when all of it is.
        let (mut ready, mut whole) = (0.0, 0.0_f64);
        let (mut at, mut hops) = (from as u16, 0_u8);
        while usize::from(at) != to && hardware.routes.next(usize::from(at), to).is_some() {
            let rank = self.tables.wire(at, to as u16, packet);
            let wire = &wires[rank as usize];
            let send = time(wire.send(packet));
            let inserted = wire.inserts(packet);
            let head = if inserted { send } else { time(wire.head()).min(send) };
            let (latency, spread) = (delay(wire.latency()), delay(wire.spread(packet)));
            let back = hardware.links[rank as usize / 2].parameters.latency.get();
            // As in the event engine, the last byte cannot leave before it has arrived.
            let sent = f64::max(ready + send, whole - spread);
            if let Some(before) = self.legs[first_leg..].last_mut() {
                // Its buffer here is free when its last byte has left.
                before.hold += sent;
            }
            whole = sent + spread + latency;
            let lane = (rank * self.tables.lanes + self.tables.lane(packet, hops)) as usize;
            // The next leg, or the end of the path, adds the time at which the buffer is free again.
            self.legs.push(Leg {
                wire: rank as usize,
                lane,
                queue: 2 * lane + usize::from(inserted),
                send,
                hold: back - ready,
            });
            ready = if wire.passes_on_whole() { whole } else { ready + head + latency };
            at = wire.receiver();
            hops = hops.saturating_add(1);
        }
        if let Some(last) = self.legs[first_leg..].last_mut() {
            last.hold += whole;
        }
        Path { first_leg: first_leg as u32, end: self.legs.len() as u32, time: whole }
    }

    /// The path of a packet; `None` where it is already at its destination.
    pub(crate) fn path(&self, packet: Packet, from: usize, to: usize) -> Option<PathId> {
        let routers = self.tables.routers;
        (from != to).then(|| PathId(((packet as usize * routers + from) * routers + to) as u32))
    }

    /// The kind of packet on a path.
    pub(crate) fn packet(&self, path: PathId) -> Packet {
        Packet::ALL[path.0 as usize / (self.tables.routers * self.tables.routers)]
    }

    pub(crate) fn paths(&self) -> usize {
        self.paths.len()
    }

    pub(crate) fn time(&self, path: PathId) -> f64 {
        self.paths[path.0 as usize].time
    }

    pub(crate) fn legs(&self, path: PathId) -> &[Leg] {
        let Path { first_leg, end, .. } = self.paths[path.0 as usize];
        &self.legs[first_leg as usize..end as usize]
    }

    /// The name of a home agent of that station.
    pub(crate) fn home_name(&self, station: usize) -> String {
        let home = self.home_station.iter().position(|&of| of == station);
        home.map_or_else(String::new, |home| self.parts.homes[home].to_string())
    }

    /// Lanes of a wire.
    pub(crate) fn lanes_of(&self, wire: usize) -> Range<usize> {
        let each = self.tables.lanes as usize;
        wire * each..(wire + 1) * each
    }

    fn tree(&self, home: usize) -> Tree {
        let mut tree = Tree::default();
        let mut open = vec![(home, Vec::new())];
        while let Some((at, path)) = open.pop() {
            for rank in self.tables.probes.children(home as u16, at as u16) {
                let child = usize::from(self.tables.probes.child(rank));
                let Some(edge) = self.path(Packet::Probe, at, child) else { continue };
                tree.edges.push(edge);
                let mut path: Vec<PathId> = path.clone();
                path.push(edge);
                if self.tables.probes.has_cores(child as u16) {
                    tree.reached.push((child, path.clone()));
                }
                open.push((child, path));
            }
        }
        tree
    }
}

/// Core and package of each PU.
fn pus(hardware: &Hardware) -> BTreeMap<PuId, (usize, Option<PackageId>)> {
    let cores = hardware.machine.cores.iter().enumerate();
    let pus = cores.flat_map(|(rank, core)| core.pus.iter().map(move |pu| (pu, rank)));
    pus.map(|(pu, core)| (pu, (core, hardware.machine.pu(pu).map(|pu| pu.package)))).collect()
}

/// The share of a memory's lines at each place: home agent, channel, share.
fn shares(hardware: &Hardware, tables: &Tables, rank: usize) -> Vec<(usize, usize, f64)> {
    let memory = &hardware.memories[rank];
    let grains = [(&memory.home_spread, memory.homes.len()), (&memory.channel_spread, memory.channels.len())];
    // Where both are interleaved, the pattern repeats after as many bytes as both patterns fit into.
    let interleaved = grains.map(|(spread, units)| match spread {
        Spread::Interleaved(grain) => Some((grain.get(), grain.get() * units as u64)),
        Spread::Mixed | Spread::Hashed(_) => None,
    });
    let (step, count) = match interleaved {
        [Some((home, homes)), Some((channel, channels))] => {
            let step = home.min(channel).max(64);
            let together = (homes / gcd(homes, channels)).saturating_mul(channels);
            (step, (together / step).clamp(1, LOOKED_AT))
        }
        _ => (64, LOOKED_AT),
    };
    let mut places: Vec<(usize, usize, f64)> = Vec::new();
    for line in 0..count {
        let location = tables.locate(rank as u16, line * step);
        let (home, channel) = (usize::from(location.home), usize::from(location.channel));
        match places.iter_mut().find(|place| (place.0, place.1) == (home, channel)) {
            Some(place) => place.2 += 1.0 / count as f64,
            None => places.push((home, channel, 1.0 / count as f64)),
        }
    }
    places
}

/// Items grouped by likeness.
struct Groups {
    groups: Vec<Vec<usize>>,
    of: Vec<usize>,
}

fn alike(count: usize, like: impl Fn(usize, usize) -> bool) -> Groups {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut of = Vec::with_capacity(count);
    for rank in 0..count {
        let group = groups.iter().position(|group| like(group[0], rank));
        let group = group.unwrap_or_else(|| {
            groups.push(Vec::new());
            groups.len() - 1
        });
        groups[group].push(rank);
        of.push(group);
    }
    Groups { groups, of }
}

fn like_homes(one: &HomeAgent, other: &HomeAgent) -> bool {
    HomeAgent { name: other.name.clone(), ..one.clone() } == *other
}

fn like_channels(one: &Channel, other: &Channel) -> bool {
    Channel { name: other.name.clone(), ..one.clone() } == *other
}

/// Whether two parts carry the same share of every memory.
fn same_share(
    places: &[Vec<(usize, usize, f64)>],
    part: impl Fn(&(usize, usize, f64)) -> usize,
    one: usize,
    other: usize,
) -> bool {
    let share = |memory: &[(usize, usize, f64)], rank: usize| -> f64 {
        memory.iter().filter(|place| part(place) == rank).map(|place| place.2).sum()
    };
    places.iter().all(|memory| (share(memory, one) - share(memory, other)).abs() < 1e-3)
}

fn grouped(places: &[(usize, usize, f64)], homes: &[usize], channels: &[usize]) -> Vec<Portion> {
    let mut groups: Vec<Portion> = Vec::new();
    for &(home, channel, share) in places {
        let (home, channel) = (homes[home], channels[channel]);
        match groups.iter_mut().find(|portion| (portion.home, portion.channel) == (home, channel)) {
            Some(portion) => portion.share += share,
            None => groups.push(Portion { home, channel, share }),
        }
    }
    groups
}

fn home(hardware: &Hardware, tables: &Tables, group: &[usize]) -> Home {
    let agent = &tables.homes[group[0]];
    Home {
        count: group.len() as f64,
        router: usize::from(agent.router),
        latency: delay(agent.latency),
        slot: time(agent.slot),
        table: f64::from(agent.table),
        limits: agent.limits.map(f64::from),
        retries: agent.retry.is_some() || agent.recirculation.is_some(),
        prefers: agent.requests_in_a_row.is_some(),
        holds_until_sent: agent.holds_until_sent,
        outbound: hardware.homes[group[0]].parameters.outbound_limit.map(f64::from),
        outbound_of_router: agent.outbound_from == OutboundFrom::Router,
        package: agent.package,
    }
}

fn channels_of(hardware: &Hardware, group: &[usize]) -> Channels {
    let channel = &hardware.channels[group[0]];
    let turning = channel.parameters.turnaround.to_write.get() + channel.parameters.turnaround.to_read.get();
    let refresh = channel.parameters.refresh;
    let refresh_takes = refresh.map_or(0.0, |Refresh { every: _, takes }| takes.get());
    let available = 1.0 - refresh.map_or(0.0, |Refresh { every, takes }| takes.get() / every.get());
    Channels {
        count: group.len() as f64,
        router: channel.router,
        line: channel.line_time().get() / available,
        access: channel.parameters.access.get(),
        batch: f64::from(channel.parameters.write_batch.clamp(1, crate::channel::LARGEST_BATCH as u32)),
        turning,
        store_gap: channel.parameters.store_gap.get() / available,
        refresh_takes,
        available,
        banks: Banks::new(channel),
    }
}
