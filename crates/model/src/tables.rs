//! A machine's description as tables that a simulation walks through without looking anything up by name.

use std::collections::BTreeMap;
use std::ops::Range;

use zerohop_machine::{
    Coherence, Collector, DirectedLink, Hardware, NodeMemory, OnFull, PackageId, Release, Routes,
};
use zerohop_units::Bytes;

use crate::address_map::{AddressMap, Location};
use crate::memory::Memory;
use crate::time::{Fine, Ticks, fine, tick_after, ticks};
use crate::token::Packet;
use crate::width::{Times, Width};
use crate::wire::{Lane, Wire};

/// Bytes by which a router knows where a packet is to go on to: one double word of HyperTransport, one flit header
/// elsewhere.
const HEAD: Bytes = Bytes(4);

/// The most classes of buffers, so that a wire's lanes fit a word of bits.
const MOST_CLASSES: u32 = 16;

/// No wire: the way ends here.
pub(crate) const HERE: u16 = u16::MAX;

/// What does not change while a machine is simulated.
#[derive(Debug)]
pub(crate) struct Tables {
    pub(crate) routers: usize,
    /// The wire to take, by where one is and where one is to go.
    next: Vec<u16>,
    /// The routers to which probes go on, all in one list, and by home router and by where a probe is the part of it that
    /// is meant.
    children: Vec<u16>,
    tree: Vec<[u32; 2]>,
    /// Whether a router has cores, and how many others have.
    pub(crate) has_cores: Vec<bool>,
    pub(crate) others: Vec<u16>,
    pub(crate) homes: Vec<HomeTable>,
    /// Where lines of each memory lie.
    maps: Vec<AddressMap>,
    /// Router of each channel.
    pub(crate) channel_router: Vec<u16>,
    pub(crate) protocol: Protocol,
    /// Wires of a direction of a link: 1, or as many as there are networks where links have wires of their own for each.
    pub(crate) networks: u32,
    /// Whether nothing stands between home agents and channels, and nobody's requests wait to leave: no channel that holds only
    /// so many, no cache in front of one, no home agent that prefers requests or limits what leaves.
    pub(crate) plain: bool,
    /// By link, whether they have.
    separate: Vec<bool>,
    /// Lanes of each wire: virtual channels times classes.
    pub(crate) lanes: u32,
    classes: u32,
    /// The home agents of each package's first memory, if any of them limits what it lets out.
    outbound: BTreeMap<PackageId, Vec<u16>>,
}

/// A home agent's numbers.
#[derive(Debug)]
pub(crate) struct HomeTable {
    pub(crate) router: u16,
    pub(crate) latency: Ticks,
    pub(crate) slot: Fine,
    pub(crate) table: u32,
    /// By class: local, remote.
    pub(crate) limits: [u32; 2],
    /// Delay before a rejected request is repeated, where requests are rejected.
    pub(crate) retry: Option<Ticks>,
    /// Delay before it looks at one again that stays, where requests are.
    pub(crate) recirculation: Option<Ticks>,
    /// The package whose cores are local to it.
    pub(crate) package: Option<PackageId>,
    /// Whether a line has its place in the table until it is on its first link.
    pub(crate) holds_until_sent: bool,
    /// Requests in a row after which an answer or a write has its turn, where requests go first.
    pub(crate) requests_in_a_row: Option<u32>,
    /// Its rank among the home agents of its memory: the same rank elsewhere has the lines that hash alike.
    pub(crate) slice: usize,
    /// Requests to memory elsewhere that it has out at the same time.
    pub(crate) outbound_limit: u32,
}

/// How coherence is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Protocol {
    Directory { lookup: Fine },
    Broadcast { lookup: Ticks, requester_collects: bool },
}

impl Tables {
    pub(crate) fn new(hardware: &Hardware) -> Self {
        let routers = hardware.routers.len();
        let mut next = vec![HERE; routers * routers];
        for from in 0..routers {
            for to in 0..routers {
                if let Some(link) = hardware.routes.next(from, to) {
                    next[from * routers + to] = link.0 as u16;
                }
            }
        }
        let mut has_cores = vec![false; routers];
        for core in &hardware.cores {
            has_cores[core.router] = true;
        }
        let with_cores = has_cores.iter().filter(|&&has| has).count() as u16;
        let others = has_cores.iter().map(|&has| with_cores - u16::from(has)).collect();
        let mut children = Vec::new();
        let mut tree = Vec::with_capacity(routers * routers);
        for onward in (0..routers).flat_map(|home| broadcast_tree(hardware, home)) {
            let first = children.len() as u32;
            children.extend(onward);
            tree.push([first, children.len() as u32]);
        }
        let homes: Vec<HomeTable> = (0..hardware.homes.len()).map(|rank| home(hardware, rank)).collect();
        let outbound = outbound(hardware, &homes);
        // With routes whose buffers can wait for one another in a circle, packets of different numbers of hops get
        // buffers of their own: a packet then only ever waits for one that is nearer to its end.
        let classes = if hardware.routes.are_free_of_cycles(&hardware.links) {
            1
        } else {
            longest(&hardware.routes, hardware).min(MOST_CLASSES)
        };
        let separate: Vec<bool> = hardware.links.iter().map(|link| link.separate_networks).collect();
        let plain = outbound.is_empty()
            && homes.iter().all(|home| home.requests_in_a_row.is_none())
            && hardware.channels.iter().all(|channel| channel.queue.is_none())
            && hardware.memories.iter().all(|memory| memory.cache.is_none());
        Self {
            routers,
            next,
            children,
            tree,
            has_cores,
            others,
            homes,
            plain,
            maps: hardware.memories.iter().map(AddressMap::new).collect(),
            channel_router: hardware.channels.iter().map(|channel| channel.router as u16).collect(),
            protocol: match hardware.coherence {
                Coherence::Directory { lookup } => Protocol::Directory { lookup: fine(lookup) },
                Coherence::Broadcast { lookup, collector } => Protocol::Broadcast {
                    lookup: ticks(lookup),
                    requester_collects: collector == Collector::Requester,
                },
            },
            networks: if separate.contains(&true) { Packet::NETWORKS } else { 1 },
            separate,
            lanes: Packet::CHANNELS as u32 * classes,
            classes,
            outbound,
        }
    }

    /// Where a line of a memory lies.
    #[inline]
    pub(crate) fn locate(&self, memory: u16, address: u64) -> Location {
        self.maps[memory as usize].locate(address)
    }

    /// The wire that such a packet takes at `from` towards `to`, which is another router.
    #[inline]
    pub(crate) fn wire(&self, from: u16, to: u16, packet: Packet) -> u32 {
        let direction = self.next[from as usize * self.routers + to as usize];
        if self.networks == 1 {
            return u32::from(direction);
        }
        let network = if self.separate[direction as usize / 2] { packet.network() } else { 0 };
        u32::from(direction) * self.networks + network
    }

    /// The same network's wire in the opposite direction.
    #[inline]
    pub(crate) fn opposite(&self, wire: u32) -> u32 {
        // Networks are one, or a power of two.
        wire ^ self.networks
    }

    /// The wire beside that one over which the orders of its writes go, if requests have wires of their own there.
    #[inline]
    pub(crate) fn wire_of_orders(&self, wire: u32) -> Option<u32> {
        let is_of_data = self.networks > 1 && wire % self.networks == Packet::Write.network();
        is_of_data.then(|| wire - Packet::Write.network() + Packet::Request.network())
    }

    /// The agent through which a package's request to that home agent elsewhere has to leave, if any keeps count.
    #[inline]
    pub(crate) fn way_out(&self, package: Option<PackageId>, home: u16) -> Option<u16> {
        if self.outbound.is_empty() {
            return None;
        }
        let agents = self.outbound.get(&package?)?;
        Some(agents[self.homes[home as usize].slice % agents.len()])
    }

    /// Ranks of the routers that a probe of `home` goes on to from `at`.
    #[inline]
    pub(crate) fn children(&self, home: u16, at: u16) -> Range<u32> {
        let [first, end] = self.tree[home as usize * self.routers + at as usize];
        first..end
    }

    /// One of these routers.
    #[inline]
    pub(crate) fn child(&self, rank: u32) -> u16 {
        self.children[rank as usize]
    }

    /// The rank among a wire's lanes of that of a packet which has crossed so many links.
    #[inline]
    pub(crate) fn lane(&self, packet: Packet, hops: u8) -> u32 {
        let class = if self.classes == 1 { 0 } else { u32::from(hops).min(self.classes - 1) };
        packet.channel() as u32 * self.classes + class
    }

    /// What looking a line up in a router's caches takes, where it is not overlapped with anything.
    #[inline]
    pub(crate) fn lookup(&self) -> Ticks {
        match self.protocol {
            Protocol::Directory { lookup } => tick_after(lookup),
            Protocol::Broadcast { lookup, .. } => lookup,
        }
    }

    /// Both directions of every link, and of each the wires of all networks.
    pub(crate) fn wires(&self, hardware: &Hardware) -> Vec<Wire> {
        let networks = self.networks as usize;
        let directions = (0..2 * hardware.links.len() * networks).map(|wire| DirectedLink(wire / networks));
        let wires = directions.map(|directed| {
            let link = &hardware.links[directed.link()];
            let (sender, receiver) = (link.ends[directed.direction()], link.ends[1 - directed.direction()]);
            let bytes = Packet::ALL.map(|packet| {
                let bytes = match packet {
                    Packet::Request | Packet::Onward => link.packets.request,
                    Packet::Write => link.packets.write,
                    Packet::Probe => link.packets.probe,
                    Packet::Response => link.packets.response,
                    Packet::Data => link.packets.data,
                    Packet::DataAndAnswer => link.packets.data + link.packets.response,
                };
                bytes.get() as f64
            });
            let time = |bytes: f64| fine(zerohop_units::Nanoseconds(bytes / link.capacity.get()));
            let (send, spread) = (bytes.map(time), bytes.map(|bytes| ticks(link.slower_by(bytes))));
            let width = link
                .narrowing
                .as_ref()
                .map(|narrowing| Box::new(Width::new(narrowing, Times { send, spread })));
            Wire {
                receiver: receiver as u16,
                latency: ticks(link.latency + hardware.routers[sender].traversal),
                send,
                ahead: send[Packet::Data as usize],
                next_look: width.as_ref().map_or(Fine::MAX, |width| width.next_look()),
                width,
                bytes,
                // On a ring a packet's slot goes on as a whole: a hop's latency is all that it takes.
                head: if link.separate_networks { 0 } else { time(HEAD.get() as f64) },
                spread,
                passes_on_whole: link.passes_on_whole,
                credit: time(link.packets.credit),
                credit_bytes: link.packets.credit,
                busy: 0,
                owed: 0,
                inserts_control: link.inserts_control,
                control_busy: 0,
                armed: [false; 2],
                waiting: 0,
                turn: 0,
                sent: [0; Packet::COUNT],
                orders: 0,
                credits: 0,
                waited: 0,
            }
        });
        wires.collect()
    }

    /// The lanes of all wires, wire by wire.
    pub(crate) fn lanes(&self, hardware: &Hardware) -> Vec<Lane> {
        let mut lanes = Vec::new();
        for wire in 0..2 * hardware.links.len() * self.networks as usize {
            let link = &hardware.links[wire / (2 * self.networks as usize)];
            let buffers = link.buffers;
            let by_channel = [buffers.request, buffers.write, buffers.probe, buffers.response];
            for rank in 0..self.lanes {
                let count = by_channel[(rank / self.classes) as usize];
                lanes.push(Lane::new(wire as u32, count, ticks(link.latency)));
            }
        }
        lanes
    }

    /// The channels, idle.
    pub(crate) fn memories(hardware: &Hardware) -> Vec<Memory> {
        hardware.channels.iter().enumerate().map(|(rank, channel)| Memory::new(channel, rank)).collect()
    }

    /// How many tokens one fill can become at most: itself, a probe for every router, an answer from each.
    pub(crate) fn tokens_per_fill(&self) -> usize {
        match self.protocol {
            // The last one is word to the home agent, which may be on its way when the next fill begins.
            Protocol::Directory { .. } => 1,
            Protocol::Broadcast { .. } => 2 + 2 * self.routers,
        }
    }
}

/// Where a probe that starts at `home` goes on to from each router: over the links of the routes to every router with
/// cores, each link once. Routers on the way that have no cores pass it on.
fn broadcast_tree(hardware: &Hardware, home: usize) -> Vec<Vec<u16>> {
    let routers = hardware.routers.len();
    let mut children = vec![Vec::new(); routers];
    let mut reached = vec![false; routers];
    reached[home] = true;
    let mut wanted = vec![false; routers];
    for core in &hardware.cores {
        wanted[core.router] = true;
    }
    for to in (0..routers).filter(|&to| wanted[to]) {
        // Walk towards it; a router that another probe reaches already is where this branch leaves the tree.
        let mut path = vec![home];
        let mut at = home;
        while let Some(link) = hardware.routes.next(at, to) {
            at = hardware.links[link.link()].ends[1 - link.direction()];
            path.push(at);
        }
        let last = path.iter().rposition(|&router| reached[router]).unwrap_or(0);
        for step in path[last..].windows(2) {
            reached[step[1]] = true;
            children[step[0]].push(step[1] as u16);
        }
    }
    children
}

fn home(hardware: &Hardware, rank: usize) -> HomeTable {
    let agent = &hardware.homes[rank];
    let of_node = |memory: &&NodeMemory| memory.homes.contains(&rank);
    let memory = hardware.memories.iter().find(of_node);
    let node = memory.map(|memory| memory.node);
    // A node may lie in several packages: its own is that of the nearest of the node's cores.
    let cores = hardware.machine.cores.iter().zip(&hardware.cores);
    let of_node = cores.filter(|(core, _)| {
        node.is_some_and(|node| hardware.machine.pus.iter().any(|pu| pu.node == node && pu.core == core.id))
    });
    let nearest = of_node.min_by_key(|(_, place)| hardware.path(place.router, agent.router).len());
    HomeTable {
        router: agent.router as u16,
        latency: ticks(agent.latency),
        slot: fine(agent.slot),
        table: agent.table.max(1),
        limits: [agent.local_limit.max(1), agent.remote_limit.max(1)],
        retry: match agent.on_full {
            OnFull::Wait => None,
            OnFull::Retry { delay } => Some(ticks(delay)),
            OnFull::Recirculate { .. } => None,
        },
        // Time has to pass, or one request could be looked at for ever.
        recirculation: match agent.on_full {
            OnFull::Recirculate { delay } => Some(ticks(delay).max(1)),
            OnFull::Wait | OnFull::Retry { .. } => None,
        },
        package: nearest.map(|(core, _)| core.package),
        holds_until_sent: agent.release == Release::Sent,
        requests_in_a_row: agent.requests_in_a_row.map(|count| count.max(1)),
        slice: memory.and_then(|memory| memory.homes.iter().position(|&home| home == rank)).unwrap_or(0),
        outbound_limit: agent.outbound_limit.map_or(u32::MAX, |count| count.max(1)),
    }
}

/// The home agents through which requests leave each package, where any limits how many.
fn outbound(hardware: &Hardware, homes: &[HomeTable]) -> BTreeMap<PackageId, Vec<u16>> {
    let mut outbound: BTreeMap<PackageId, Vec<u16>> = BTreeMap::new();
    for memory in &hardware.memories {
        let limits = memory.homes.iter().any(|&rank| homes[rank].outbound_limit < u32::MAX);
        let package = memory.homes.first().and_then(|&rank| homes[rank].package);
        if let Some(package) = package.filter(|_| limits) {
            outbound.entry(package).or_insert_with(|| memory.homes.iter().map(|&rank| rank as u16).collect());
        }
    }
    outbound
}

/// The most links that any packet crosses.
fn longest(routes: &Routes, hardware: &Hardware) -> u32 {
    let routers = hardware.routers.len();
    let hops = |from: usize, to: usize| {
        let mut at = from;
        let mut hops = 0;
        while let Some(link) = routes.next(at, to) {
            at = hardware.links[link.link()].ends[1 - link.direction()];
            hops += 1;
        }
        hops
    };
    (0..routers)
        .flat_map(|from| (0..routers).map(move |to| (from, to)))
        .map(|(from, to)| hops(from, to))
        .max()
        .unwrap_or(0)
        .max(1)
}
