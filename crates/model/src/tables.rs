//! A machine's description as tables that a simulation walks through without looking anything up by name.

use std::collections::BTreeMap;

use zerohop_machine::{Coherence, Collector, DirectedLink, Hardware, Link, PackageId, Routes};

use crate::address_map::{AddressMap, Location};
use crate::home_facts::HomeFacts;
use crate::lane::Lane;
use crate::probes::ProbeTrees;
use crate::time::{Fine, Ticks, fine, tick_after, ticks};
use crate::token::Packet;
use crate::wire::Wire;

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
    /// Which way probes go.
    pub(crate) probes: ProbeTrees,
    pub(crate) homes: Vec<HomeFacts>,
    /// Where lines of each memory lie.
    maps: Vec<AddressMap>,
    /// Router of each channel.
    pub(crate) channel_router: Vec<u16>,
    pub(crate) protocol: Protocol,
    /// Wires of a direction of a link: 1, or as many as there are networks where links have wires of their own for each.
    pub(crate) networks: u32,
    /// Whether nothing stands between home agents and channels, and nobody's requests wait to leave: no channel that limits
    /// how much it holds, no cache in front of one, no home agent that prefers requests or limits what leaves.
    pub(crate) plain: bool,
    /// Whether packets may come to a router slower than they can leave it.
    pub(crate) speeds_differ: bool,
    /// By link, whether they have.
    separate: Vec<bool>,
    /// Lanes of each wire: virtual channels times classes.
    pub(crate) lanes: u32,
    classes: u32,
    /// The home agents of each package's first memory, if any of them limits what it lets out.
    outbound: BTreeMap<PackageId, Vec<u16>>,
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
        let homes: Vec<HomeFacts> =
            (0..hardware.homes.len()).map(|rank| HomeFacts::new(hardware, rank)).collect();
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
            probes: ProbeTrees::new(hardware),
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
            speeds_differ: speeds_differ(hardware),
            networks: if separate.contains(&true) { Packet::NETWORKS } else { 1 },
            separate,
            lanes: Packet::VIRTUAL_CHANNELS as u32 * classes,
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

    /// The rank among a wire's lanes of that of a packet which has crossed so many links.
    #[inline]
    pub(crate) fn lane(&self, packet: Packet, hops: u8) -> u32 {
        let class = if self.classes == 1 { 0 } else { u32::from(hops).min(self.classes - 1) };
        packet.virtual_channel() as u32 * self.classes + class
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
            Wire::new(link, hardware.routers[sender].traversal, receiver)
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

    /// How many tokens one fill can become at most: itself, a probe for every router, an answer from each.
    pub(crate) fn tokens_per_fill(&self) -> usize {
        match self.protocol {
            // The last one is word to the home agent, which may be on its way when the next fill begins.
            Protocol::Directory { .. } => 1,
            Protocol::Broadcast { .. } => 2 + 2 * self.routers,
        }
    }
}

/// The home agents through which requests leave each package, where any limits how many.
fn outbound(hardware: &Hardware, homes: &[HomeFacts]) -> BTreeMap<PackageId, Vec<u16>> {
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

/// Whether packets may come to a router slower than they can leave it: two links differ, or one changes its width.
fn speeds_differ(hardware: &Hardware) -> bool {
    let speed = |link: &Link| (link.capacity, link.wires, link.packets);
    let changes = hardware.links.iter().any(|link| link.narrowing.is_some());
    changes || hardware.links.windows(2).any(|pair| speed(&pair[0]) != speed(&pair[1]))
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
