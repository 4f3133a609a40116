//! What the solver works on: stations, where lines queue, and the paths of packets between them.

use std::ops::Range;

use zerohop_machine::PackageId;

use super::bank::Banks;
use crate::tables::Protocol;
use crate::token::Packet;

/// Stations and paths: of a whole machine, or those that the lines of a workload use.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Stations {
    pub(crate) protocol: Protocol,
    /// Lanes of each wire.
    pub(crate) lanes_each: usize,
    /// Two for each link: one direction, and the other.
    pub(crate) wires: Vec<Wire>,
    /// Lanes of all wires, wire by wire.
    pub(crate) lanes: Vec<Lane>,
    pub(crate) homes: Vec<Home>,
    pub(crate) channels: Vec<Channels>,
    pub(super) paths: Vec<Path>,
    pub(super) legs: Vec<Leg>,
}

/// One direction of a link.
#[derive(Debug, Clone, PartialEq)]
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
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Lane {
    /// Buffers at the receiver, in packets.
    pub(crate) buffers: f64,
}

/// Home agents that are alike and share the work evenly.
#[derive(Debug, Clone, PartialEq)]
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
#[derive(Debug, Clone, PartialEq)]
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

/// A packet's path from one router to another.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Path {
    pub(super) packet: Packet,
    pub(super) first_leg: u32,
    pub(super) end: u32,
    /// Time without any waiting, from its departure until all of it has arrived.
    pub(crate) time: f64,
}

/// One wire of a path.
#[derive(Debug, Clone, Copy, PartialEq)]
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

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PathId(pub(crate) u32);

impl Stations {
    /// The kind of packet on a path.
    pub(crate) fn packet(&self, path: PathId) -> Packet {
        self.paths[path.0 as usize].packet
    }

    pub(crate) fn time(&self, path: PathId) -> f64 {
        self.paths[path.0 as usize].time
    }

    pub(crate) fn legs(&self, path: PathId) -> &[Leg] {
        let Path { first_leg, end, .. } = self.paths[path.0 as usize];
        &self.legs[first_leg as usize..end as usize]
    }

    /// Lanes of a wire.
    pub(crate) fn lanes_of(&self, wire: usize) -> Range<usize> {
        wire * self.lanes_each..(wire + 1) * self.lanes_each
    }
}
