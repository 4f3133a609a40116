//! Routers and the links between them.

use zerohop_document::{FractionalBytes, Share, tables, words};
use zerohop_units::{Bytes, GigabytesPerSecond, Nanoseconds, TransfersPerSecond};

/// A router, which connects links: a node's crossbar, a mesh stop, an I/O die's switch.
#[derive(Debug, Clone, PartialEq)]
pub struct Router {
    /// Name of the router in the machine file.
    pub name: String,
    /// Column and row, if the router is part of a mesh.
    pub position: Option<[i32; 2]>,
    /// Latency through the router, from a link or an attached unit to the queue of the next link.
    pub traversal: Nanoseconds,
}

/// A link between two routers. Its directions are independent.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    /// Name of the link in the machine file.
    pub name: String,
    /// Name of the link's kind in the machine file.
    pub kind: String,
    /// Ranks of the routers at the ends. Direction 0 leads from the first to the second.
    pub ends: [usize; 2],
    /// Capacity of each direction over all wires, in bytes on the wire; of direction 0 alone, if `back` differs.
    pub capacity: GigabytesPerSecond,
    /// Capacity of direction 1, if it differs.
    pub back: Option<GigabytesPerSecond>,
    /// Number of parallel wires that packets are distributed over: each packet uses one of them, at its part of the capacity. At least 1.
    pub wires: u32,
    /// Receive buffer for each virtual channel, in packets, over all wires.
    pub buffers: Buffers,
    /// Parameters of the link's kind.
    pub parameters: WireParameters,
}

tables! {
    /// A kind of link. Either `capacity`, or `lanes`, `rate` and optionally `encoding`.
    WireTable + {
        /// Capacity of each direction, including all bytes on the wire; instead of `lanes` and `rate`.
        capacity: Option<GigabytesPerSecond>,
        /// Capacity of the direction from the second end to the first, if `capacity` or `lanes` and `rate` apply only to the other direction.
        back: Option<GigabytesPerSecond>,
        /// Number of lanes of each direction, one bit wide.
        lanes: Option<u32>,
        /// Transfers per second on each lane.
        rate: Option<TransfersPerSecond>,
        /// With `lanes` and `rate`: share of the transfers that carry packets (default: all).
        encoding: Option<Share>,
    } => WireParameters {
        /// Latency of the wire and the transceivers, without the time to send a packet's bytes.
        latency: Nanoseconds,
        /// Event at which the router at the end forwards a packet.
        passes_on: PassesOn = PassesOn::Head,
        /// Handling of a packet without data while one with data is on the wire.
        control: Control = Control::Waits,
        /// Reduction of lanes under low load to save power, in each direction. Without this table, all lanes stay in use.
        narrowing: Option<Narrowing>,
        /// Whether requests, data, acknowledgements and probes share a wire.
        networks: Networks = Networks::Shared,
        /// Sizes of packets on the wire.
        packets: Packets,
    } + {
        /// Packets of each virtual channel that the receiver can buffer.
        buffers: Buffers,
    }

    /// Reduction of a link's lanes under low load. Each direction decides independently.
    NarrowingTable => Narrowing {
        /// Reduction factor: 2 keeps one of two lanes, 4 one of four.
        to_one_in: u32,
        /// Period over which the load is measured.
        window: Nanoseconds,
        /// Share of the capacity of all lanes below which lanes are dropped.
        below: Share,
        /// Share of the capacity of the kept lanes above which lanes are restored.
        above: Share,
        /// Time without traffic while the width changes.
        change: Nanoseconds,
    }

    /// Sizes of packets on a link.
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

    /// Size of the receive buffer for each virtual channel, in packets.
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
    /// Event at which a router forwards a packet.
    pub PassesOn {
        /// The head of the packet has arrived.
        Head = "head",
        /// The whole packet has arrived, as required for a link that checks packets.
        Whole = "whole",
    }

    /// Handling of a packet without data while one with data is on the wire.
    pub Control {
        /// The packet waits for the end of the other one.
        Waits = "waits",
        /// The packet is inserted into the other one, as HyperTransport allows.
        Inserted = "inserted",
    }

    /// Whether kinds of packets have separate wires.
    pub Networks {
        /// All packets share one wire.
        Shared = "shared",
        /// Requests, data, acknowledgements and probes each have a wire of this capacity, as on a mesh of rings. A hop then takes `latency` and no
        /// time for a packet's head, and a write's command travels as a request alongside its data.
        Separate = "separate",
    }
}

impl Packets {
    /// Number of bytes after which a router knows the next hop of a packet: one double word of HyperTransport, one flit header elsewhere.
    pub const HEAD: Bytes = Bytes(4);
}
