//! The part of a machine that a workload uses, numbered in the order in which the workload comes to it.
//!
//! Workloads that load like parts of a machine in the same way make equal parts: a node's cores that read its own memory, on every node.
//! So what was solved for one of them is the solution of all.

use std::collections::BTreeMap;

use zerohop_machine::PackageId;
use zerohop_workload::Part;

use super::network::{Network, delay, time};
use super::stations::{Leg, Path, PathId, Stations};
use crate::observe::ChannelParts;
use crate::token::Packet;

/// Stations and paths of a workload, as far as it has come.
#[derive(Debug)]
pub(crate) struct Excerpt<'a> {
    pub(super) network: &'a Network,
    pub(super) stations: Stations,
    names: Names,
    /// By rank in the machine.
    wires: BTreeMap<usize, usize>,
    /// By kind of packet, first and last router.
    paths: BTreeMap<(u8, usize, usize), PathId>,
    routers: Vec<usize>,
    packages: Vec<Option<PackageId>>,
}

/// Which parts of the machine the stations are.
#[derive(Debug, Default)]
pub(crate) struct Names {
    pub(crate) wires: Vec<usize>,
    /// By station: the station among all of the machine.
    pub(crate) homes: Vec<usize>,
    pub(crate) channels: Vec<usize>,
}

/// Stations by their names.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Named<'a> {
    pub(crate) network: &'a Network,
    pub(crate) names: &'a Names,
}

impl<'a> Named<'a> {
    /// One direction of a link.
    pub(crate) fn link(self, wire: usize) -> &'a Part {
        &self.network.parts.links[self.names.wires[wire]]
    }

    /// The first of the home agents of a station.
    pub(crate) fn home(self, station: usize) -> String {
        let station = self.names.homes[station];
        let home = self.network.home_station.iter().position(|&of| of == station);
        home.map_or_else(String::new, |home| self.network.parts.homes[home].to_string())
    }

    /// Each direction of each link of the machine, with its wire if it is in use.
    pub(crate) fn links(self) -> impl Iterator<Item = (&'a Part, Option<usize>)> {
        let wires = ranks(&self.names.wires, self.network.wires.len());
        self.network.parts.links.iter().zip(wires)
    }

    /// Each channel of the machine, with its station if that is in use.
    pub(crate) fn channels(self) -> impl Iterator<Item = (&'a ChannelParts, Option<usize>)> {
        let ranks = ranks(&self.names.channels, self.network.channels.len());
        let stations = self.network.channel_station.iter().map(move |&station| ranks[station]);
        self.network.parts.channels.iter().zip(stations)
    }

    /// Each home agent of the machine, with its station if that is in use.
    pub(crate) fn homes(self) -> impl Iterator<Item = (&'a Part, Option<usize>)> {
        let ranks = ranks(&self.names.homes, self.network.homes.len());
        let stations = self.network.home_station.iter().map(move |&station| ranks[station]);
        self.network.parts.homes.iter().zip(stations)
    }
}

/// Where in a list each of `count` things is.
fn ranks(list: &[usize], count: usize) -> Vec<Option<usize>> {
    let mut ranks = vec![None; count];
    list.iter().enumerate().for_each(|(rank, &thing)| ranks[thing] = Some(rank));
    ranks
}

impl<'a> Excerpt<'a> {
    pub(super) fn new(network: &'a Network) -> Self {
        let stations = Stations {
            protocol: network.tables.protocol,
            lanes_each: network.tables.lanes as usize,
            wires: Vec::new(),
            lanes: Vec::new(),
            homes: Vec::new(),
            channels: Vec::new(),
            paths: Vec::new(),
            legs: Vec::new(),
        };
        Self {
            network,
            stations,
            names: Names::default(),
            wires: BTreeMap::new(),
            paths: BTreeMap::new(),
            routers: Vec::new(),
            packages: Vec::new(),
        }
    }

    /// A station of home agents, by its rank in the machine.
    pub(super) fn home(&mut self, rank: usize) -> usize {
        if let Some(known) = self.names.homes.iter().position(|&home| home == rank) {
            return known;
        }
        let mut home = self.network.homes[rank].clone();
        home.router = self.router(home.router);
        home.package = self.package(home.package);
        self.stations.homes.push(home);
        self.names.homes.push(rank);
        self.names.homes.len() - 1
    }

    /// A station of channels, by its rank in the machine.
    pub(super) fn channel(&mut self, rank: usize) -> usize {
        if let Some(known) = self.names.channels.iter().position(|&channel| channel == rank) {
            return known;
        }
        let mut channel = self.network.channels[rank].clone();
        channel.router = self.router(channel.router);
        self.stations.channels.push(channel);
        self.names.channels.push(rank);
        self.names.channels.len() - 1
    }

    /// A router's number here.
    pub(super) fn router(&mut self, rank: usize) -> usize {
        number(&mut self.routers, rank)
    }

    /// A package's number here.
    pub(super) fn package(&mut self, package: Option<PackageId>) -> Option<PackageId> {
        Some(PackageId(number(&mut self.packages, package) as u32))
    }

    /// One direction of a link, by its rank in the machine; both directions come together.
    fn wire(&mut self, rank: usize) -> usize {
        if let Some(&known) = self.wires.get(&rank) {
            return known;
        }
        for wire in [rank, rank ^ 1] {
            self.wires.insert(wire, self.names.wires.len());
            self.stations.wires.push(self.network.wire(wire));
            self.stations.lanes.extend(self.network.lanes(wire));
            self.names.wires.push(wire);
        }
        self.names.wires.len() - 2
    }

    /// The path of a packet between two routers of the machine; `None` where it is already at its destination.
    pub(super) fn path(&mut self, packet: Packet, from: usize, to: usize) -> Option<PathId> {
        if from == to {
            return None;
        }
        let key = (packet as u8, from, to);
        if let Some(&known) = self.paths.get(&key) {
            return Some(known);
        }
        let path = self.lay(packet, from, to);
        self.stations.paths.push(path);
        let path = PathId(self.stations.paths.len() as u32 - 1);
        self.paths.insert(key, path);
        Some(path)
    }

    /// Lays a path; its legs are appended to the list of all legs.
    fn lay(&mut self, packet: Packet, from: usize, to: usize) -> Path {
        let network = self.network;
        let hardware = &network.hardware;
        let first_leg = self.stations.legs.len();
        // When enough of the packet is at a router to pass it on, and when all of it is.
        let (mut ready, mut whole) = (0.0, 0.0_f64);
        let (mut at, mut hops) = (from as u16, 0_u8);
        while usize::from(at) != to && hardware.routes.next(usize::from(at), to).is_some() {
            let rank = network.tables.wire(at, to as u16, packet) as usize;
            let here = self.wire(rank);
            let wire = &network.wires[rank];
            let send = time(wire.send(packet));
            let inserted = wire.inserts(packet);
            let head = if inserted { send } else { time(wire.head()).min(send) };
            let (latency, spread) = (delay(wire.latency()), delay(wire.spread(packet)));
            let back = hardware.links[rank / 2].parameters.latency.get();
            // As in the event engine, the last byte cannot leave before it has arrived.
            let sent = f64::max(ready + send, whole - spread);
            if let Some(before) = self.stations.legs[first_leg..].last_mut() {
                // Its buffer here is free when its last byte has left.
                before.hold += sent;
            }
            whole = sent + spread + latency;
            let lane = here * self.stations.lanes_each + network.tables.lane(packet, hops) as usize;
            // The next leg, or the end of the path, adds the time at which the buffer is free again.
            self.stations.legs.push(Leg {
                wire: here,
                lane,
                queue: 2 * lane + usize::from(inserted),
                send,
                hold: back - ready,
            });
            ready = if wire.passes_on_whole() { whole } else { ready + head + latency };
            at = wire.receiver();
            hops = hops.saturating_add(1);
        }
        if let Some(last) = self.stations.legs[first_leg..].last_mut() {
            last.hold += whole;
        }
        Path { packet, first_leg: first_leg as u32, end: self.stations.legs.len() as u32, time: whole }
    }

    /// Adds the home agents that limit what workers at that router of that package ask of memory elsewhere.
    pub(super) fn let_out(&mut self, router: usize, package: Option<PackageId>) {
        let homes = &self.network.homes;
        if homes.iter().all(|home| home.outbound.is_none()) {
            return;
        }
        for (rank, home) in homes.iter().enumerate() {
            if home.package == package || home.router == router {
                self.home(rank);
            }
        }
    }

    pub(super) fn end(self) -> (Stations, Names) {
        (self.stations, self.names)
    }
}

/// The rank of a thing among those known, of which it is the last if it was not.
fn number<T: PartialEq>(known: &mut Vec<T>, thing: T) -> usize {
    known.iter().position(|one| *one == thing).unwrap_or_else(|| {
        known.push(thing);
        known.len() - 1
    })
}
