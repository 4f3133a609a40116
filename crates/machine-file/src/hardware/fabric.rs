//! Routers and the links between them.

use zerohop_document::{FractionalBytes, Share, tables, words};
use zerohop_units::{Bytes, GigabytesPerSecond, Nanoseconds, TransfersPerSecond};

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
        /// What each direction carries, all bytes on the wire counted; instead of `lanes` and `rate`.
        capacity: Option<GigabytesPerSecond>,
        /// What the direction from the second of its ends to the first carries, if `capacity` or `lanes` and `rate` are those of
        /// the other direction alone.
        back: Option<GigabytesPerSecond>,
        /// Lanes of each direction, one bit wide.
        lanes: Option<u32>,
        /// Transfers a second on each lane.
        rate: Option<TransfersPerSecond>,
        /// Share of the transfers that carry packets, with `lanes` and `rate`. Without this key, all.
        encoding: Option<Share>,
    } => WireParameters {
        /// Time on the wire and in the transceivers, without the time to send a packet's bytes.
        latency: Nanoseconds,
        /// When the router at its end passes a packet on.
        passes_on: PassesOn = PassesOn::Head,
        /// What happens to a packet without data while one with data is on the wire.
        control: Control = Control::Waits,
        /// How each direction drops lanes while it carries little, to save power, and takes them back. Without this table, it
        /// keeps all of them.
        narrowing: Option<Narrowing>,
        /// Whether requests, data, acknowledgements and probes share a wire.
        networks: Networks = Networks::Shared,
        /// Bytes that packets take on the wire.
        packets: Packets,
    } + {
        /// Packets of each virtual channel that the receiver can hold until they go on.
        buffers: Buffers,
    }

    /// How a link drops lanes while it carries little, and takes them back. Each direction decides for itself.
    NarrowingTable => Narrowing {
        /// One in this many lanes is kept: 2 keeps a half, 4 a quarter.
        to_one_in: u32,
        /// It compares what it carried in each such period.
        window: Nanoseconds,
        /// It drops lanes if it carried less than this share of what all lanes can.
        below: Share,
        /// It takes them back if it carried more than this share of what the kept lanes can.
        above: Share,
        /// Time that it carries nothing while it changes its width.
        change: Nanoseconds,
    }

    /// Bytes that packets take on a link.
    PacketsTable => Packets {
        /// A request without data: a read, or an order to write a line without its data.
        request: Bytes,
        /// A probe (snoop).
        probe: Bytes,
        /// A response without data: a probe's answer, a write's completion, a rejection.
        response: Bytes,
        /// A line of data on its way to a requester, including its header.
        data: Bytes,
        /// A line of data on its way to memory, including its request.
        write: Bytes,
        /// What the opposite direction carries to return a packet's buffer; a fraction is an average.
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
