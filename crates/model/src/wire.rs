//! One direction of a link: bytes on the wire, virtual channels, and the receiver's buffers.
//!
//! Packets of one virtual channel leave in order; the channels take turns. A packet leaves when the wire is free and
//! the receiver has a buffer for it, which is returned when the packet has left the receiver. Credits take bytes of
//! the opposite direction: at no cost while that is idle, at the cost of its packets while it is busy.

use std::hint::select_unpredictable;
use std::sync::Arc;

use zerohop_machine_file::{Control, Link, Networks, Packets, PassesOn, WireParameters};
use zerohop_units::Nanoseconds;

use crate::lane::{Lane, Rings};
use crate::time::{Fine, Ticks, fine, of_tick, tick_after, ticks};
use crate::token::Packet;
use crate::width::{Times, Width};

/// Buffers that one message can return: a NOP of HyperTransport has two bits for each kind of buffer.
const CREDITS_TOGETHER: u64 = 3;

/// A wire's wake-ups: one when it takes the next packet, and one when a buffer becomes free. With a single one,
/// packets that wait for a buffer would hold up those of other virtual channels that have theirs.
pub(crate) const WAKE_UPS: usize = 2;
pub(crate) const WHEN_FREE: usize = 0;
pub(crate) const WHEN_BUFFERED: usize = 1;

/// What wires of a kind have in common. It is apart from what changes with every packet, so that the thousands of wires of a
/// mesh take little of the host's caches.
#[derive(Debug, Clone, PartialEq)]
struct WireKind {
    /// From the last byte's departure to its arrival, including the sending router.
    latency: Ticks,
    /// Time of each kind of packet on the wire at its current width.
    send: [Fine; Packet::COUNT],
    /// How far ahead it commits itself: the time of a line.
    ahead: Fine,
    /// How its width changes, if it does, and when to check that next.
    width: Option<Box<Width>>,
    next_look: Fine,
    /// Bytes of each kind of packet.
    bytes: [f64; Packet::COUNT],
    /// Time of the bytes by which a router knows a packet's destination.
    head: Fine,
    /// Extra time until all of a packet has arrived, because it uses only one of several parallel wires.
    spread: [Ticks; Packet::COUNT],
    /// Whether the receiver is store-and-forward.
    passes_on_whole: bool,
    /// Time to return one buffer on the wire, and its bytes.
    credit: Fine,
    credit_bytes: f64,
    /// Whether packets without data may interrupt those with data.
    inserts_control: bool,
}

/// One direction of a link.
#[derive(Debug, Clone)]
#[repr(align(64))]
pub(crate) struct Wire {
    /// Shared with wires that are like it; a wire that changes its width gets one of its own.
    kind: Arc<WireKind>,
    /// The router at its end.
    receiver: u16,
    /// Whether its wake-ups are on the calendar: the one for when it is free, and the one for when a buffer is.
    armed: [bool; WAKE_UPS],
    /// The lane whose turn it is.
    turn: u32,
    /// When the wire is free again, and until when packets occupy it that may interrupt others.
    busy: Fine,
    control_busy: Fine,
    /// Credits yet to be returned.
    owed: u64,
    /// Lanes in which packets wait.
    waiting: u64,
    /// Packets of each kind sent, orders of writes whose data took a parallel wire, credit messages, ticks that
    /// packets waited.
    sent: [u64; Packet::COUNT],
    orders: u64,
    credits: u64,
    waited: Ticks,
}

// A wire fits two cache lines of the host.
const _: () = assert!(size_of::<Wire>() == 128);

/// How a packet leaves a wire.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Departure {
    /// The router at the wire's end.
    pub(crate) receiver: u16,
    /// When its last byte has left.
    pub(crate) sent: Ticks,
    /// Whether the wire's end is the packet's destination.
    pub(crate) arrives: bool,
    /// When all of it has arrived, or else enough of it for the receiver to forward it.
    pub(crate) at: Ticks,
    /// Whether the buffers that it takes are returned by messages that take time.
    pub(crate) is_owed: bool,
}

impl WireKind {
    /// A direction of a link, from a router that a packet crosses in `traversal`.
    fn new(link: &Link, direction: usize, traversal: Nanoseconds) -> Self {
        let WireParameters { latency, passes_on, control, narrowing, networks, packets } = link.parameters;
        let Packets { request, probe, response, data, write, credit } = packets;
        let bytes = Packet::ALL.map(|packet| {
            let bytes = match packet {
                Packet::Request | Packet::Onward => request,
                Packet::Write => write,
                Packet::Probe => probe,
                Packet::Response => response,
                Packet::Data => data,
                Packet::DataAndAnswer => data + response,
            };
            bytes.get() as f64
        });
        let time = |bytes: f64| fine(Nanoseconds(bytes / link.capacity_of(direction).get()));
        let (send, spread) = (bytes.map(time), bytes.map(|bytes| ticks(link.slower_by(direction, bytes))));
        let width =
            narrowing.as_ref().map(|narrowing| Box::new(Width::new(narrowing, Times { send, spread })));
        Self {
            latency: ticks(latency + traversal),
            send,
            ahead: send[Packet::Data as usize],
            next_look: width.as_ref().map_or(Fine::MAX, |width| width.next_look()),
            width,
            bytes,
            // On a ring, a packet's slot travels as a whole: a hop's latency is all that it takes.
            head: if networks == Networks::Separate { 0 } else { time(Packets::HEAD.get() as f64) },
            spread,
            passes_on_whole: passes_on == PassesOn::Whole,
            credit: time(credit.0),
            credit_bytes: credit.0,
            inserts_control: control == Control::Inserted,
        }
    }
}

impl Wire {
    /// An idle wire of a direction of a link: from a router that a packet crosses in `traversal` to `receiver`. It shares what it
    /// has in common with one of the `others`.
    pub(crate) fn new<'a>(
        link: &Link,
        direction: usize,
        traversal: Nanoseconds,
        receiver: usize,
        others: impl IntoIterator<Item = &'a Self>,
    ) -> Self {
        let kind = WireKind::new(link, direction, traversal);
        let alike = others.into_iter().find(|other| *other.kind == kind);
        Self {
            kind: alike.map_or_else(|| Arc::new(kind), |other| Arc::clone(&other.kind)),
            receiver: receiver as u16,
            armed: [false; WAKE_UPS],
            turn: 0,
            busy: 0,
            control_busy: 0,
            owed: 0,
            waiting: 0,
            sent: [0; Packet::COUNT],
            orders: 0,
            credits: 0,
            waited: 0,
        }
    }

    /// The router at its end.
    pub(crate) const fn receiver(&self) -> u16 {
        self.receiver
    }

    /// From the last byte's departure to its arrival, including the sending router.
    pub(crate) fn latency(&self) -> Ticks {
        self.kind.latency
    }

    /// Time of such a packet on the wire at its current width.
    pub(crate) fn send(&self, packet: Packet) -> Fine {
        self.kind.send[packet as usize]
    }

    /// Extra time until all of a packet has arrived, because it uses only one of several parallel wires.
    pub(crate) fn spread(&self, packet: Packet) -> Ticks {
        self.kind.spread[packet as usize]
    }

    /// Time of the bytes by which a router knows a packet's destination.
    pub(crate) fn head(&self) -> Fine {
        self.kind.head
    }

    /// Whether the receiver is store-and-forward.
    pub(crate) fn passes_on_whole(&self) -> bool {
        self.kind.passes_on_whole
    }

    /// Time to return one buffer on the wire, and its bytes.
    pub(crate) fn credit(&self) -> (Fine, f64) {
        (self.kind.credit, self.kind.credit_bytes)
    }

    /// Bytes of such a packet.
    pub(crate) fn bytes(&self, packet: Packet) -> f64 {
        self.kind.bytes[packet as usize]
    }

    /// Whether such a packet may interrupt those with data.
    #[inline]
    pub(crate) fn inserts(&self, packet: Packet) -> bool {
        self.kind.inserts_control && packet.is_control()
    }

    /// Packets of that kind that it has sent.
    pub(crate) const fn sent(&self, packet: Packet) -> u64 {
        self.sent[packet as usize]
    }

    /// Orders of writes whose data took a parallel wire.
    #[cfg(test)]
    pub(crate) const fn orders(&self) -> u64 {
        self.orders
    }

    /// Packet-ticks waited up to `now`, where `waiting` packets wait.
    pub(crate) const fn waited(&self, waiting: u64, now: Ticks) -> Ticks {
        self.waited.wrapping_add(waiting.wrapping_mul(now))
    }

    /// Lanes in which packets wait, a bit each.
    #[inline]
    pub(crate) const fn waiting(&self) -> u64 {
        self.waiting
    }

    /// Whether no packet waits in the lane of that rank.
    #[inline]
    pub(crate) const fn has_none_waiting(&self, rank: u32) -> bool {
        self.waiting & (1 << rank) == 0
    }

    /// The lanes from the one whose turn it is, one bit each.
    #[inline]
    pub(crate) const fn lanes_from_turn(&self) -> u64 {
        u64::MAX << self.turn
    }

    /// A packet waits in the lane of that rank from `now` on.
    #[inline]
    pub(crate) const fn starts_waiting(&mut self, rank: u32, now: Ticks) {
        self.waited = self.waited.wrapping_sub(now);
        self.waiting |= 1 << rank;
    }

    /// A packet has waited in the lane of that rank until `now`, perhaps as the last; then it is another lane's turn.
    #[inline]
    pub(crate) const fn stops_waiting(&mut self, rank: u32, is_last: bool, turn: u32, now: Ticks) {
        if is_last {
            self.waiting &= !(1 << rank);
        }
        self.turn = turn;
        self.waited = self.waited.wrapping_add(now);
    }

    /// Whether it takes such a packet at once, in its lane of that rank: none waits there, and the receiver has a
    /// buffer, which is taken.
    #[inline(always)]
    pub(crate) fn takes(
        &self,
        (lane, rank): (&mut Lane, u32),
        rings: &Rings,
        packet: Packet,
        now: Ticks,
    ) -> bool {
        self.has_none_waiting(rank)
            && (self.inserts(packet) && lane.try_take(rings, now)
                || self.takes_without_wake_up(now) && lane.try_take(rings, self.free_at().max(now)))
    }

    /// Whether it takes a packet at `now` or before without a wake-up.
    #[inline]
    pub(crate) fn takes_without_wake_up(&self, now: Ticks) -> bool {
        !self.armed[WHEN_FREE] && self.busy <= of_tick(now) + self.kind.ahead
    }

    /// Puts a wake-up on the calendar, unless it is there.
    #[inline]
    pub(crate) const fn arm(&mut self, wake_up: usize) -> bool {
        !std::mem::replace(&mut self.armed[wake_up], true)
    }

    /// A wake-up is off the calendar.
    #[inline]
    pub(crate) const fn disarm(&mut self, wake_up: usize) {
        self.armed[wake_up] = false;
    }

    /// It takes nothing before `at`.
    #[inline]
    pub(crate) fn hold(&mut self, at: Fine) {
        self.busy = self.busy.max(at);
    }

    /// Puts a packet to router `to` on the wire, not before `now`. All of it is here at `all_here`: its last byte
    /// leaves no earlier, however fast the wire is. Other packets use the gaps between its bytes.
    #[inline(always)]
    pub(crate) fn depart(&mut self, packet: Packet, to: u16, now: Ticks, all_here: Ticks) -> Departure {
        let (head, tail) = self.put(packet, now);
        let spread = self.kind.spread[packet as usize];
        let sent = tick_after(tail).max(all_here.saturating_sub(spread));
        let arrives = self.receiver == to;
        let at = self.kind.latency
            + if arrives || self.kind.passes_on_whole { spread + sent } else { tick_after(head) };
        let is_owed = self.kind.credit_bytes > 0.0;
        Departure { receiver: self.receiver, sent, arrives, at, is_owed }
    }

    /// When a packet whose last byte leaves at `sent` has arrived completely.
    pub(crate) fn whole(&self, packet: Packet, sent: Ticks) -> Ticks {
        self.kind.latency + self.kind.spread[packet as usize] + sent
    }

    /// Adds the credits of `count` packets that this direction's sender has consumed.
    #[inline]
    pub(crate) fn owe(&mut self, count: u64) {
        self.owed += count;
    }

    /// Returns credits: one by one while the wire is idle, all that have gathered at once before the next packet.
    #[inline(always)]
    fn give_back(&mut self, now: Fine) {
        if self.kind.credit == 0 {
            return;
        }
        // Mostly there was time for none or for all, which nothing predicts; a division is rarely needed.
        let idle = now.saturating_sub(self.busy);
        let all = idle >= self.owed * self.kind.credit;
        let alone = if all | (idle < self.kind.credit) {
            select_unpredictable(all, self.owed, 0)
        } else {
            idle / self.kind.credit
        };
        let together = (self.owed - alone).div_ceil(CREDITS_TOGETHER);
        self.owed = 0;
        self.busy = self.busy.max(now) + together * self.kind.credit;
        self.credits += alone + together;
    }

    /// Puts a packet on the wire, not before `now`; returns when its first bytes and its last have left.
    #[inline]
    pub(crate) fn put(&mut self, packet: Packet, now: Ticks) -> (Fine, Fine) {
        let now = of_tick(now);
        self.give_back(now);
        if now >= self.kind.next_look {
            self.look_at_width(now);
        }
        let time = self.kind.send[packet as usize];
        if self.inserts(packet) {
            // The interrupted packet with data ends that much later.
            let start = now.max(self.control_busy);
            self.control_busy = start + time;
            self.busy = self.busy.max(start) + time;
            self.sent[packet as usize] += 1;
            return (self.control_busy, self.control_busy);
        }
        let start = now.max(self.busy);
        self.busy = start + time;
        self.sent[packet as usize] += 1;
        (start + self.kind.head.min(time), self.busy)
    }

    /// Sends the order of a write whose data takes a parallel wire, not before `now`; returns when it leaves. It
    /// needs no buffer of its own: the receiver has one for its data.
    #[inline]
    pub(crate) fn order(&mut self, now: Ticks) -> Fine {
        let start = of_tick(now).max(self.busy);
        self.busy = start + self.kind.send[Packet::Request as usize];
        self.orders += 1;
        start
    }

    /// Time for which it carried bytes, or would have with all its lanes.
    pub(crate) fn carrying(&self) -> Fine {
        let send = self.kind.width.as_ref().map_or(&self.kind.send, |width| &width.all.send);
        let packets = self.sent.iter().zip(send).map(|(&count, &time)| count * time);
        let orders = self.orders * send[Packet::Request as usize];
        packets.sum::<Fine>() + orders + self.credits * self.kind.credit
    }

    /// Drops lanes or retrains them.
    #[cold]
    fn look_at_width(&mut self, now: Fine) {
        let carried = self.carrying();
        let kind = Arc::make_mut(&mut self.kind);
        let Some(width) = &mut kind.width else { return };
        if let Some(change) = width.look(now, carried) {
            self.busy = self.busy.max(now) + change;
            kind.send = width.all.send.map(|time| time << width.slower());
            kind.spread = width.all.spread.map(|time| time << width.slower());
        }
        kind.next_look = width.next_look();
    }

    /// All bytes that went over it.
    pub(crate) fn total_bytes(&self) -> f64 {
        let packets = self.sent.iter().zip(&self.kind.bytes).map(|(&count, bytes)| count as f64 * bytes);
        let orders = self.orders as f64 * self.kind.bytes[Packet::Request as usize];
        packets.sum::<f64>() + orders + self.credits as f64 * self.kind.credit_bytes
    }

    /// The tick from which on it takes the next packet: it commits itself ahead, as a link's output stage does.
    /// Arbitration happens that much early, and most packets need no wake-up of their own.
    #[inline]
    pub(crate) fn takes_next_at(&self) -> Ticks {
        tick_after(self.busy.saturating_sub(self.kind.ahead))
    }

    /// Whether it is committed for the time of two lines.
    #[inline]
    pub(crate) fn is_committed_for_two(&self, now: Ticks) -> bool {
        self.busy > of_tick(now) + 2 * self.kind.ahead
    }

    /// The first tick at which it is free.
    pub(crate) fn free_at(&self) -> Ticks {
        tick_after(self.busy)
    }
}
