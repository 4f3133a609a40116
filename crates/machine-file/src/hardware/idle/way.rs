//! Travel time of a packet when nothing else is in flight.

use std::ops::AddAssign;

use zerohop_units::Nanoseconds;

use crate::hardware::fabric::Link;
use crate::{Control, DirectedLink, Hardware, Networks, Packets, PassesOn};

/// A kind of packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Packet {
    Request,
    Probe,
    Response,
    Data,
    /// A line, and the answer of the caches where it comes from.
    DataAndAnswer,
}

impl Packet {
    fn bytes(self, link: &Link) -> f64 {
        let packets = &link.parameters.packets;
        let bytes = match self {
            Self::Request => packets.request,
            Self::Probe => packets.probe,
            Self::Response => packets.response,
            Self::Data => packets.data,
            Self::DataAndAnswer => packets.data + packets.response,
        };
        bytes.get() as f64
    }

    const fn has_data(self) -> bool {
        matches!(self, Self::Data | Self::DataAndAnswer)
    }
}

/// Time on the way, by what takes it.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Way {
    pub(super) wires: Nanoseconds,
    pub(super) routers: Nanoseconds,
    /// Until the packet's bytes are sent, as far as that is waited for.
    pub(super) bytes: Nanoseconds,
}

impl AddAssign for Way {
    fn add_assign(&mut self, other: Self) {
        self.wires = self.wires + other.wires;
        self.routers = self.routers + other.routers;
        self.bytes = self.bytes + other.bytes;
    }
}

/// Travel time of a packet over links, some of which carry packets over fewer lanes while the machine is idle. `between` is the time between two
/// packets of its kind.
pub(super) fn way(hardware: &Hardware, path: &[DirectedLink], packet: Packet, between: Nanoseconds) -> Way {
    let mut way = Way::default();
    // When its head is at the next router, and when all of it is.
    let (mut head, mut whole): (f64, f64) = (0.0, 0.0);
    for &directed in path {
        let link = &hardware.links[directed.link()];
        let traversal = hardware.routers[hardware.start(directed)].traversal;
        way.wires = way.wires + link.parameters.latency;
        way.routers = way.routers + traversal;
        let latency = (link.parameters.latency + traversal).get();
        let bytes = packet.bytes(link);
        let capacity = link.capacity_of(directed.direction()).get();
        let sent = bytes / capacity;
        let slower = f64::from(narrowed(link, sent, between));
        let (send, spread) = (sent * slower, link.slower_by(directed.direction(), bytes).get() * slower);
        let known = match (
            link.parameters.control == Control::Inserted && !packet.has_data(),
            link.parameters.networks == Networks::Separate,
        ) {
            (true, _) => send,
            (false, true) => 0.0,
            (false, false) => (Packets::HEAD.get() as f64 / capacity).min(send),
        };
        // The tail leaves no earlier than it arrives.
        whole = latency + (head + send + spread).max(whole);
        head = if link.parameters.passes_on == PassesOn::Whole { whole } else { latency + head + known };
    }
    way.bytes = Nanoseconds(whole - way.wires.get() - way.routers.get());
    way
}

/// How many times as long packets take over the lanes that an idle link keeps.
fn narrowed(link: &Link, sent: f64, between: Nanoseconds) -> u32 {
    let narrowing = link.parameters.narrowing.filter(|narrowing| sent < narrowing.below.0 * between.get());
    narrowing.map_or(1, |narrowing| narrowing.to_one_in)
}
