//! Routers and the links between them.

use schemars::JsonSchema;
use serde::Serialize;
use zerohop_units::{Bytes, GigabytesPerSecond, Nanoseconds};

/// Where links meet: a node's crossbar, a mesh stop, an I/O die's switch.
#[derive(Debug, Clone, PartialEq)]
pub struct Router {
    /// Its name in the machine file.
    pub name: String,
    /// Column and row, where it is part of a mesh.
    pub position: Option<[i32; 2]>,
    /// Time through it, from a link or an attached unit to the queue of the next link.
    pub traversal: Nanoseconds,
}

/// A link between two routers. Both directions have the same capacity and do not disturb each other.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    /// Its name in the machine file.
    pub name: String,
    /// The routers that it joins, by rank. Direction 0 leads from the first to the second.
    pub ends: [usize; 2],
    /// What each direction carries, all bytes on the wire counted.
    pub capacity: GigabytesPerSecond,
    /// Parallel wires, over which packets are spread: each takes one of them, at its part of the capacity. At least 1.
    pub wires: u32,
    /// Time on the wire and in the transceivers, without the time to send a packet's bytes.
    pub latency: Nanoseconds,
    /// Whether packets without data are put into the middle of packets with data, as HyperTransport does; otherwise they
    /// wait for the end of these.
    pub inserts_control: bool,
    /// Whether the receiving router passes a packet on only when all of it has come, as it has to where it checks it
    /// first; otherwise as soon as its head has.
    pub passes_on_whole: bool,
    /// How it drops lanes while it carries little, if it does.
    pub narrowing: Option<Narrowing>,
    /// Whether requests, data, acknowledgements and probes each have wires of their own, as in a mesh of rings, each with
    /// that capacity.
    pub separate_networks: bool,
    /// What packets take on the wire.
    pub packets: Packets,
    /// How many packets of each channel the receiver can hold.
    pub buffers: Buffers,
}

/// How a link drops lanes while it carries little, and takes them back. Each direction decides for itself.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct Narrowing {
    /// One in so many lanes is kept.
    pub to_one_in: u32,
    /// It looks at what it carried in each such time.
    pub window: Nanoseconds,
    /// It drops lanes if that was less than this share of what all lanes carry.
    pub below: f64,
    /// It takes them back if that was more than this share of what the kept ones carry.
    pub above: f64,
    /// Time that it carries nothing while it changes its width.
    pub change: Nanoseconds,
}

/// Bytes that packets take on a link.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct Packets {
    /// A request (a read, an order to write a line without its data).
    pub request: Bytes,
    /// A probe (snoop).
    pub probe: Bytes,
    /// A response without data: a probe's answer, a write's completion, a rejection.
    pub response: Bytes,
    /// What a line of data takes, its header included, on the way to a requester.
    pub data: Bytes,
    /// What a line of data takes, its request included, on the way to memory.
    pub write: Bytes,
    /// What the opposite direction carries to give a packet's buffer back.
    pub credit: f64,
}

/// Packets of each virtual channel that a receiver can hold until they go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Buffers {
    /// Requests without data.
    pub request: u32,
    /// Writes.
    pub write: u32,
    /// Probes.
    pub probe: u32,
    /// Responses, with data or without.
    pub response: u32,
}
