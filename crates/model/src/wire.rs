//! One direction of a link: bytes on the wire, virtual channels, and the receiver's buffers.
//!
//! Packets of one virtual channel leave in order; the channels take turns. A packet leaves when the wire is free and the
//! receiver has a buffer for it, which comes back when the packet has left the receiver. Word of that takes bytes of the
//! opposite direction: for nothing while that is idle, at the price of its packets while it is busy.

use std::hint::select_unpredictable;

use crate::time::{Fine, Ticks, of_tick, tick_after};
use crate::token::{Packet, Queue};
use crate::width::Width;

/// Buffers that one message can give back: a NOP of HyperTransport has two bits for each kind of buffer.
const CREDITS_TOGETHER: u64 = 3;

/// A wire's wake-ups: one when it takes the next packet, and one when a buffer becomes free. With a single one, packets
/// that wait for a buffer would hold up those of other virtual channels that have theirs.
pub(crate) const WAKE_UPS: usize = 2;
pub(crate) const WHEN_FREE: usize = 0;
pub(crate) const WHEN_BUFFERED: usize = 1;

/// One direction of a link.
#[derive(Debug)]
pub(crate) struct Wire {
    /// The router at its end.
    pub(crate) receiver: u16,
    /// From the last byte's departure to its arrival, the way through the sending router included.
    pub(crate) latency: Ticks,
    /// Time that each kind of packet takes on the wire as wide as it is now.
    pub(crate) send: [Fine; Packet::COUNT],
    /// It commits itself ahead by so much time: that of a line.
    pub(crate) ahead: Fine,
    /// How its width changes, if it does, and when that is to be looked at next.
    pub(crate) width: Option<Box<Width>>,
    pub(crate) next_look: Fine,
    /// Bytes of each kind of packet.
    pub(crate) bytes: [f64; Packet::COUNT],
    /// Time of the bytes by which a router knows where a packet is to go on to.
    pub(crate) head: Fine,
    /// What a packet takes longer, until all of it is there, because it is sent over one of several parallel wires.
    pub(crate) spread: [Ticks; Packet::COUNT],
    /// Whether the receiver passes a packet on only when all of it is there.
    pub(crate) passes_on_whole: bool,
    /// Time that giving one buffer back takes on the wire, and its bytes.
    pub(crate) credit: Fine,
    pub(crate) credit_bytes: f64,
    /// The wire is taken until then.
    pub(crate) busy: Fine,
    /// Whether packets without data are put into the middle of those with data; and until when such packets take the wire.
    pub(crate) inserts_control: bool,
    pub(crate) control_busy: Fine,
    /// Buffers yet to be given back.
    pub(crate) owed: u64,
    /// Whether its wake-ups are on the calendar: that for when it is free, and that for when a buffer is.
    pub(crate) armed: [bool; WAKE_UPS],
    /// Lanes in which packets wait.
    pub(crate) waiting: u64,
    /// The lane whose turn it is.
    pub(crate) turn: u32,
    /// Packets of each kind sent, orders of writes whose data went beside, messages that gave buffers back, ticks that
    /// packets waited.
    pub(crate) sent: [u64; Packet::COUNT],
    pub(crate) orders: u64,
    pub(crate) credits: u64,
    pub(crate) waited: Ticks,
}

impl Wire {
    /// The buffers of `count` packets that this direction's sender has consumed have to be given back by it.
    #[inline]
    pub(crate) fn owe(&mut self, count: u64) {
        self.owed += count;
    }

    /// Gives buffers back: one by one while the wire was idle, all that have gathered at once before the next packet.
    #[inline]
    fn give_back(&mut self, now: Fine) {
        if self.owed == 0 || self.credit == 0 {
            self.owed = 0;
            return;
        }
        // Mostly there was time for none or for all; a division is rarely needed.
        let idle = now.saturating_sub(self.busy);
        let alone = if idle < self.credit {
            0
        } else if idle >= self.owed * self.credit {
            self.owed
        } else {
            idle / self.credit
        };
        let together = (self.owed - alone).div_ceil(CREDITS_TOGETHER);
        self.owed = 0;
        self.busy = self.busy.max(now) + together * self.credit;
        self.credits += alone + together;
    }

    /// Puts a packet on the wire, not before `now`; gives the times at which its first bytes and its last have left.
    #[inline]
    pub(crate) fn put(&mut self, packet: Packet, now: Ticks) -> (Fine, Fine) {
        let now = of_tick(now);
        self.give_back(now);
        if now >= self.next_look {
            self.look_at_width(now);
        }
        let time = self.send[packet as usize];
        if self.inserts_control && packet.is_control() {
            // What is on the wire with data ends that much later.
            let start = now.max(self.control_busy);
            self.control_busy = start + time;
            self.busy = self.busy.max(start) + time;
            self.sent[packet as usize] += 1;
            return (self.control_busy, self.control_busy);
        }
        let start = now.max(self.busy);
        self.busy = start + time;
        self.sent[packet as usize] += 1;
        (start + self.head.min(time), self.busy)
    }

    /// Sends the order of a write whose data goes over a wire beside this one, not before `now`; gives when it leaves. It
    /// needs no buffer of its own: the receiver has one for its data.
    #[inline]
    pub(crate) fn order(&mut self, now: Ticks) -> Fine {
        let start = of_tick(now).max(self.busy);
        self.busy = start + self.send[Packet::Request as usize];
        self.orders += 1;
        start
    }

    /// Time for which it carried bytes, or would have with all its lanes.
    pub(crate) fn carrying(&self) -> Fine {
        let send = self.width.as_ref().map_or(&self.send, |width| &width.all.send);
        let packets = self.sent.iter().zip(send).map(|(&count, &time)| count * time);
        let orders = self.orders * send[Packet::Request as usize];
        packets.sum::<Fine>() + orders + self.credits * self.credit
    }

    /// Drops lanes or takes them back.
    #[cold]
    fn look_at_width(&mut self, now: Fine) {
        let carried = self.carrying();
        let Some(width) = &mut self.width else { return };
        if let Some(change) = width.look(now, carried) {
            self.busy = self.busy.max(now) + change;
            self.send = width.all.send.map(|time| time << width.slower());
            self.spread = width.all.spread.map(|time| time << width.slower());
        }
        self.next_look = width.next_look();
    }

    /// All bytes that went over it.
    pub(crate) fn total_bytes(&self) -> f64 {
        let packets = self.sent.iter().zip(&self.bytes).map(|(&count, bytes)| count as f64 * bytes);
        let orders = self.orders as f64 * self.bytes[Packet::Request as usize];
        packets.sum::<f64>() + orders + self.credits as f64 * self.credit_bytes
    }

    /// The tick from which on it takes the next packet: it commits itself ahead, as a link's output
    /// stage does. An arbitration is made that much early, and most packets need no wake-up of their own.
    #[inline]
    pub(crate) fn takes_next_at(&self) -> Ticks {
        tick_after(self.busy.saturating_sub(self.ahead))
    }

    /// Whether it takes the next packet at `now` or before.
    #[inline]
    pub(crate) fn takes_next_by(&self, now: Ticks) -> bool {
        self.busy <= of_tick(now) + self.ahead
    }

    /// Whether it has packets for the time of two lines.
    #[inline]
    pub(crate) fn is_committed_for_two(&self, now: Ticks) -> bool {
        self.busy > of_tick(now) + 2 * self.ahead
    }

    /// The first tick at which it is free.
    pub(crate) fn free_at(&self) -> Ticks {
        tick_after(self.busy)
    }
}

/// Later than anything.
const UNKNOWN: Ticks = Ticks::MAX;

/// The packets of one virtual channel that wait for a wire, and the receiver's buffers for them.
#[derive(Debug)]
pub(crate) struct Lane {
    /// Packets that wait.
    pub(crate) queue: Queue,
    /// The wire it belongs to.
    pub(crate) wire: u32,
    /// Time for word of a free buffer to come back.
    latency: Ticks,
    /// When the sender next knows of a free buffer; [`UNKNOWN`] while nobody knows when one becomes free.
    next: Ticks,
    /// Buffers that are free, or known to become free: a ring of the ticks at which the sender hears of it, as long as the
    /// power of two that holds them.
    free: Box<[Ticks]>,
    first: usize,
    count: usize,
    /// Buffers in all.
    buffers: usize,
}

impl Lane {
    /// With so many buffers at the receiver, all free.
    pub(crate) fn new(wire: u32, buffers: u32, latency: Ticks) -> Self {
        let buffers = buffers.max(1) as usize;
        let free = vec![0; buffers.next_power_of_two()].into_boxed_slice();
        Self { queue: Queue::EMPTY, wire, latency, next: 0, free, first: 0, count: buffers, buffers }
    }

    #[inline]
    fn slot(&self, after: usize) -> usize {
        (self.first + after) & (self.free.len() - 1)
    }

    /// When the sender next knows of a free buffer; `None` while nobody knows when one becomes free.
    #[inline]
    pub(crate) fn next_free(&self) -> Option<Ticks> {
        (self.next != UNKNOWN).then_some(self.next)
    }

    /// Takes a buffer that is free by `now`.
    #[inline]
    pub(crate) fn try_take(&mut self, now: Ticks) -> bool {
        if self.next > now {
            return false;
        }
        self.first += 1;
        self.count -= 1;
        // Looked up now, so that nothing waits for it next time.
        let next = self.free[self.slot(0)];
        self.next = select_unpredictable(self.count > 0, next, UNKNOWN);
        true
    }

    /// A buffer becomes free at the receiver at `at`.
    #[inline]
    pub(crate) fn give_back(&mut self, at: Ticks) {
        debug_assert!(self.count < self.buffers, "more buffers come back than were taken");
        let end = self.slot(self.count);
        let known = at + self.latency;
        self.free[end] = known;
        self.next = select_unpredictable(self.count == 0, known, self.next);
        self.count += 1;
    }

    /// Buffers in all, and those that are free or known to become free.
    #[cfg(any(test, debug_assertions))]
    pub(crate) fn buffers(&self) -> (usize, usize) {
        (self.buffers, self.count)
    }
}
