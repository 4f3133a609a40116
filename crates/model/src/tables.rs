//! A machine's description as tables, so that a simulation looks nothing up by name.

use std::collections::BTreeMap;
use std::sync::Arc;

use zerohop_machine::PackageId;
use zerohop_machine_file::{
    Buffers, Coherence, Collector, DirectedLink, Hardware, Link, Networks, OutboundFrom,
};

use crate::address_map::{AddressMap, Location};
use crate::home_facts::HomeFacts;
use crate::lane::{Lane, Rings};
use crate::probes::ProbeTrees;
use crate::time::{Fine, Ticks, fine, tick_after, ticks};
use crate::token::Packet;
use crate::wire::Wire;

/// The most classes of buffers, so that the lanes of a wire fit a word of bits.
const MOST_CLASSES: u32 = 16;

/// No wire: the path ends here.
pub(crate) const HERE: u16 = u16::MAX;

/// The facts of a machine that do not change while it is simulated. Copies share them.
#[derive(Debug, Clone)]
pub(crate) struct Tables {
    pub(crate) routers: usize,
    /// The wire to take, by current router and destination.
    next: Arc<[u16]>,
    /// The paths of probes.
    pub(crate) probes: Arc<ProbeTrees>,
    pub(crate) homes: Arc<[HomeFacts]>,
    /// The places of each memory's lines.
    maps: Arc<[AddressMap]>,
    /// Router of each channel.
    pub(crate) channel_router: Arc<[u16]>,
    pub(crate) protocol: Protocol,
    /// Wires of a direction of a link: 1, or one per network where links have separate wires for each.
    pub(crate) networks: u32,
    /// Whether home agents and channels are plain, so that nothing can wait between them: no channel limits how much
    /// it holds, no memory has a cache in front of it, no home agent prioritizes requests or limits what leaves.
    pub(crate) plain: bool,
    /// Whether packets may arrive at a router slower than they can leave it.
    pub(crate) speeds_differ: bool,
    /// By link, whether they have.
    separate: Arc<[bool]>,
    /// Lanes of each wire: virtual channels times classes.
    pub(crate) lanes: u32,
    classes: u32,
    /// The home agents of the first memory of each package, or at each router, that limits outstanding requests.
    outbound: Arc<BTreeMap<Exit, Vec<u16>>>,
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
        let homes: Arc<[HomeFacts]> =
            (0..hardware.homes.len()).map(|rank| HomeFacts::new(hardware, rank)).collect();
        let outbound = outbound(hardware, &homes);
        // With routes whose buffers can wait for one another in a circle, packets with different numbers of hops get
        // buffers of their own: a packet then only ever waits for one that is nearer to its destination.
        let classes = if hardware.routes.are_free_of_cycles(&hardware.links) {
            1
        } else {
            longest(hardware).min(MOST_CLASSES)
        };
        let separate: Arc<[bool]> =
            hardware.links.iter().map(|link| link.parameters.networks == Networks::Separate).collect();
        let plain = outbound.is_empty()
            && homes.iter().all(|home| home.requests_in_a_row.is_none())
            && hardware.channels.iter().all(|channel| channel.parameters.queue.is_none())
            && hardware.memories.iter().all(|memory| memory.cache.is_none());
        Self {
            routers,
            next: next.into(),
            probes: Arc::new(ProbeTrees::new(hardware)),
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
            outbound: Arc::new(outbound),
        }
    }

    /// The place of a line of a memory.
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
        // The number of networks is one or another power of two.
        wire ^ self.networks
    }

    /// The parallel wire that carries the orders of its writes, if requests have wires of their own there.
    #[inline]
    pub(crate) fn wire_of_orders(&self, wire: u32) -> Option<u32> {
        let is_of_data = self.networks > 1 && wire % self.networks == Packet::Write.network();
        is_of_data.then(|| wire - Packet::Write.network() + Packet::Request.network())
    }

    /// The agent through which a request to a home agent elsewhere has to leave a package or a router, if any agent limits them.
    #[inline]
    pub(crate) fn exit_of(&self, package: Option<PackageId>, router: u16, home: u16) -> Option<u16> {
        if self.outbound.is_empty() {
            return None;
        }
        let to = &self.homes[home as usize];
        let of_package = || self.outbound.get(&Exit::Package(package?)).filter(|_| to.package != package);
        let of_router = || self.outbound.get(&Exit::Router(router)).filter(|_| to.router != router);
        let agents = of_package().or_else(of_router)?;
        Some(agents[to.slice % agents.len()])
    }

    /// The rank, within a wire, of the lane of a packet that has crossed `hops` links.
    #[inline]
    pub(crate) fn lane(&self, packet: Packet, hops: u8) -> u32 {
        let class = if self.classes == 1 { 0 } else { u32::from(hops).min(self.classes - 1) };
        packet.virtual_channel() as u32 * self.classes + class
    }

    /// Time to look a line up in a router's caches, where it is not overlapped with anything.
    #[inline]
    pub(crate) fn lookup(&self) -> Ticks {
        match self.protocol {
            Protocol::Directory { lookup } => tick_after(lookup),
            Protocol::Broadcast { lookup, .. } => lookup,
        }
    }

    /// Both directions of every link, each with the wires of all its networks.
    pub(crate) fn wires(&self, hardware: &Hardware) -> Vec<Wire> {
        let networks = self.networks as usize;
        let directions = (0..2 * hardware.links.len() * networks).map(|wire| DirectedLink(wire / networks));
        let mut wires = Vec::with_capacity(directions.len());
        for directed in directions {
            let link = &hardware.links[directed.link()];
            let direction = directed.direction();
            let (sender, receiver) = (link.ends[direction], link.ends[1 - direction]);
            wires.push(Wire::new(link, direction, hardware.routers[sender].traversal, receiver, &wires));
        }
        wires
    }

    /// The lanes of all wires, wire by wire, and their rings.
    pub(crate) fn lanes(&self, hardware: &Hardware) -> (Vec<Lane>, Rings) {
        let (mut lanes, mut rings) = (Vec::new(), Rings::new());
        for wire in 0..2 * hardware.links.len() * self.networks as usize {
            let link = &hardware.links[wire / (2 * self.networks as usize)];
            let Buffers { request, write, probe, response } = link.buffers;
            let by_channel = [request, write, probe, response];
            for rank in 0..self.lanes {
                let count = by_channel[(rank / self.classes) as usize];
                lanes.push(Lane::new(wire as u32, count, ticks(link.parameters.latency), &mut rings));
            }
        }
        (lanes, rings)
    }

    /// The most tokens that one fill can become: itself, and the request to the cache that it comes from, or a probe for every
    /// router and an answer from each.
    pub(crate) const fn tokens_per_fill(&self, from_cache: bool) -> usize {
        match self.protocol {
            Protocol::Directory { .. } => 1 + from_cache as usize,
            Protocol::Broadcast { .. } => 2 + 2 * self.routers,
        }
    }

    /// The most messages that fills are done, which may be in flight when the next fills have begun: one for every place in a
    /// table, where requesters send them.
    pub(crate) fn done_messages(&self) -> usize {
        match self.protocol {
            Protocol::Broadcast { requester_collects: true, .. } => {
                self.homes.iter().map(|home| home.table as usize).sum()
            }
            Protocol::Broadcast { .. } | Protocol::Directory { .. } => 0,
        }
    }
}

/// What requests leave through home agents that limit their number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Exit {
    Package(PackageId),
    Router(u16),
}

/// The home agents through which requests leave each package or router, where any limits their number.
fn outbound(hardware: &Hardware, homes: &[HomeFacts]) -> BTreeMap<Exit, Vec<u16>> {
    let mut outbound: BTreeMap<Exit, Vec<u16>> = BTreeMap::new();
    for memory in &hardware.memories {
        let limits = memory.homes.iter().any(|&rank| homes[rank].outbound_limit < u32::MAX);
        let exit = memory.homes.first().and_then(|&rank| match homes[rank].outbound_from {
            OutboundFrom::Package => homes[rank].package.map(Exit::Package),
            OutboundFrom::Router => Some(Exit::Router(homes[rank].router)),
        });
        if let Some(exit) = exit.filter(|_| limits) {
            outbound.entry(exit).or_insert_with(|| memory.homes.iter().map(|&rank| rank as u16).collect());
        }
    }
    outbound
}

/// Whether packets may arrive at a router slower than they can leave it: two links differ, or one changes its width.
fn speeds_differ(hardware: &Hardware) -> bool {
    let speed = |link: &Link| (link.capacity, link.back, link.wires, link.parameters.packets);
    let changes = hardware.links.iter().any(|link| link.parameters.narrowing.is_some());
    let uneven = hardware.links.iter().any(|link| link.back.is_some());
    changes || uneven || hardware.links.windows(2).any(|pair| speed(&pair[0]) != speed(&pair[1]))
}

/// The most links that any packet crosses.
fn longest(hardware: &Hardware) -> u32 {
    let farthest = (0..hardware.routers.len()).filter_map(|to| hardware.hops_to(to).into_iter().max());
    farthest.max().map_or(1, |hops| hops.max(1) as u32)
}
