//! One virtual channel of a wire: the packets that wait for the wire, and the receiver's buffers for them.

use std::hint::select_unpredictable;

use crate::time::Ticks;
use crate::token::{Queue, Tokens};

/// Later than any time.
const UNKNOWN: Ticks = Ticks::MAX;

/// The packets of one virtual channel that wait for a wire, and the receiver's buffers for them.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(crate) struct Lane {
    queue: Queue,
    /// The wire it belongs to.
    wire: u32,
    /// Latency of a credit back to the sender.
    latency: Ticks,
    /// When the sender next learns of a free buffer; [`UNKNOWN`] while it is unknown when one becomes free.
    next: Ticks,
    /// Where the ring of its free buffers begins among those of all lanes, and its length less one: that is a power of two.
    ring: u32,
    mask: u32,
    /// Buffers that are free, or known to become free: the place of the first in the ring, and their number.
    first: u32,
    count: u32,
    buffers: u32,
}

/// The rings of all lanes, one after the other: the ticks at which senders learn of free buffers.
pub(crate) type Rings = Vec<Ticks>;

impl Lane {
    /// A lane with that many buffers at the receiver, all free. Its ring is added to the others.
    pub(crate) fn new(wire: u32, buffers: u32, latency: Ticks, rings: &mut Rings) -> Self {
        let buffers = buffers.max(1);
        let (ring, length) = (rings.len(), buffers.next_power_of_two());
        rings.resize(ring + length as usize, 0);
        let (ring, mask) = (ring as u32, length - 1);
        Self { queue: Queue::EMPTY, wire, latency, next: 0, ring, mask, first: 0, count: buffers, buffers }
    }

    /// The rank, among those of all rings, of the slot that comes that much after the first.
    #[inline]
    const fn slot(&self, after: u32) -> usize {
        (self.ring + (self.first.wrapping_add(after) & self.mask)) as usize
    }

    /// The wire it belongs to.
    #[inline]
    pub(crate) const fn wire(&self) -> u32 {
        self.wire
    }

    pub(crate) fn waiting(&self) -> u64 {
        u64::from(self.queue.length())
    }

    /// Whether any packet waits.
    #[inline]
    pub(crate) const fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// A packet waits behind the others.
    #[inline]
    pub(crate) fn push(&mut self, tokens: &mut Tokens, id: u32) {
        self.queue.push(tokens, id);
    }

    /// Removes the packet that has waited longest.
    #[inline]
    pub(crate) fn pop(&mut self, tokens: &Tokens) -> Option<u32> {
        self.queue.pop(tokens)
    }

    /// When the sender next learns of a free buffer; `None` while it is unknown when one becomes free.
    #[inline]
    pub(crate) fn next_free(&self) -> Option<Ticks> {
        (self.next != UNKNOWN).then_some(self.next)
    }

    /// Takes a buffer that is free by `now`.
    #[inline]
    pub(crate) fn try_take(&mut self, rings: &Rings, now: Ticks) -> bool {
        if self.next > now {
            return false;
        }
        self.first = self.first.wrapping_add(1);
        self.count -= 1;
        // Computed now, so that the next lookup does not wait for it.
        let next = rings[self.slot(0)];
        self.next = select_unpredictable(self.count > 0, next, UNKNOWN);
        true
    }

    /// A buffer becomes free at the receiver at `at`.
    #[inline]
    pub(crate) fn give_back(&mut self, rings: &mut Rings, at: Ticks) {
        debug_assert!(self.count < self.buffers, "more buffers were returned than taken");
        let end = self.slot(self.count);
        let known = at + self.latency;
        rings[end] = known;
        self.next = select_unpredictable(self.count == 0, known, self.next);
        self.count += 1;
    }

    /// Number of buffers, and of those that are free or known to become free.
    #[cfg(any(test, debug_assertions))]
    pub(crate) fn buffers(&self) -> (usize, usize) {
        (self.buffers as usize, self.count as usize)
    }
}
