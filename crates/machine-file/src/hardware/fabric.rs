//! Routers and the links between them.

use zerohop_document::{FractionalBytes, Share, tables, words};
use zerohop_units::{Bytes, GigabytesPerSecond, Nanoseconds, TransfersPerSecond};

/// Where links meet: a node's crossbar, a mesh stop, an I/O die's switch.
#[derive(Debug, Clone, PartialEq)]
pub struct Router {
    /// Its name in the machine file.
    pub name: String,
    /// Column and row, if it is part of a mesh.
    pub position: Option<[i32; 2]>,
    /// Time through it, from a link or an attached unit to the queue of the next link.
    pub traversal: Nanoseconds,
}

/// A link between two routers. Its directions do not disturb each other.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    /// Its name in the machine file.
    pub name: String,
    /// The name of its kind in the machine file.
    pub kind: String,
    /// The routers that it joins, by rank. Direction 0 leads from the first to the second.
    pub ends: [usize; 2],
    /// Capacity of each direction, over all its wires, in bytes on the wire; of direction 0 alone, if `back` differs.
    pub capacity: GigabytesPerSecond,
    /// Capacity of direction 1, if it is another one.
    pub back: Option<GigabytesPerSecond>,
    /// Parallel wires, over which packets are spread: each packet takes one of them, at its part of the capacity. At least 1.
    pub wires: u32,
    /// Packets of each virtual channel that the receiver can hold: from all its wires together.
    pub buffers: Buffers,
    /// The parameters of its kind.
    pub parameters: WireParameters,
}

tables! {
    /// A kind of link. Either `capacity`, or `lanes`, `rate` and perhaps `encoding`.
    WireTable + {
        /// Capacity of each direction, including all bytes on the wire; instead of `lanes` and `rate`.
        capacity: Option<GigabytesPerSecond>,
        /// Capacity of the direction from the second end to the first, if `capacity` or `lanes` and `rate` apply only to the other direction.
        back: Option<GigabytesPerSecond>,
        /// Lanes of each direction, one bit wide.
        lanes: Option<u32>,
        /// Transfers per second on each lane.
        rate: Option<TransfersPerSecond>,
        /// With `lanes` and `rate`: share of the transfers that carry packets (default: all).
        encoding: Option<Share>,
    } => WireParameters {
        /// Time on the wire and in the transceivers, without the time to send a packet's bytes.
        latency: Nanoseconds,
        /// When the router at its end forwards a packet.
        passes_on: PassesOn = PassesOn::Head,
        /// What happens to a packet without data while one with data is on the wire.
        control: Control = Control::Waits,
        /// How each direction drops lanes under low load to save power, and restores them. Without this table, it keeps all lanes.
        narrowing: Option<Narrowing>,
        /// Whether requests, data, acknowledgements and probes share a wire.
        networks: Networks = Networks::Shared,
        /// Bytes that packets take on the wire.
        packets: Packets,
    } + {
        /// Packets of each virtual channel that the receiver can buffer.
        buffers: Buffers,
    }

    /// How a link drops lanes while it carries little, and takes them back. Each direction decides for itself.
    NarrowingTable => Narrowing {
        /// One of this many lanes is kept: 2 keeps a half, 4 a quarter.
        to_one_in: u32,
        /// Period over which the load is measured.
        window: Nanoseconds,
        /// Lanes are dropped below this share of the capacity of all lanes.
        below: Share,
        /// Lanes are restored above this share of the capacity of the kept lanes.
        above: Share,
        /// Time without traffic while the width changes.
        change: Nanoseconds,
    }

    /// Bytes that packets take on a link.
    PacketsTable => Packets {
        /// A request without data: a read, or an order to write a line without its data.
        request: Bytes,
        /// A probe (snoop).
        probe: Bytes,
        /// A response without data: a probe response, a write completion, a rejection.
        response: Bytes,
        /// A line of data on its way to a requester, including its header.
        data: Bytes,
        /// A line of data on its way to memory, including its request.
        write: Bytes,
        /// Bytes in the opposite direction to return a packet's buffer; a fraction is an average.
        credit: FractionalBytes,
    }

    /// Packets of each virtual channel that a receiver can hold until they go on.
    BuffersTable => Buffers {
        /// Requests without data.
        request: u32,
        /// Writes.
        write: u32,
        /// Probes.
        probe: u32,
        /// Responses, with data or without.
        response: u32,
    }
}

words! {
    /// When a router passes a packet on.
    pub PassesOn {
        /// As soon as its head has arrived.
        Head = "head",
        /// When all of it has arrived, as a link must that checks packets.
        Whole = "whole",
    }

    /// What happens to a packet without data while one with data is on the wire.
    pub Control {
        /// It waits for the end of the other.
        Waits = "waits",
        /// It is inserted into the other, as HyperTransport allows.
        Inserted = "inserted",
    }

    /// Whether kinds of packet have wires of their own.
    pub Networks {
        /// They share one wire.
        Shared = "shared",
        /// Requests, data, acknowledgements and probes each have a wire of this capacity, as on a mesh of rings. A hop then takes
        /// `latency` and no time for a packet's head, and the order of a write travels as a request beside its data.
        Separate = "separate",
    }
}

impl Packets {
    /// Bytes after which a router knows the next hop of a packet: one double word of HyperTransport, one flit header
    /// elsewhere.
    pub const HEAD: Bytes = Bytes(4);
}
