//! All links of a machine: their wires, the lanes of each wire, and which packet a wire takes next.

use zerohop_machine_file::Hardware;

use crate::lane::{Lane, Rings};
use crate::tables::Tables;
use crate::time::{Fine, Ticks};
use crate::token::{Packet, Tokens};
use crate::wire::{Departure, WAKE_UPS, WHEN_BUFFERED, WHEN_FREE, Wire};

/// The state of all links of a machine.
#[derive(Debug, Clone)]
pub(crate) struct Links {
    wires: Vec<Wire>,
    lanes: Vec<Lane>,
    rings: Rings,
    each: u32,
}

/// A wake-up of a wire: its number among those of all wires, and when it is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WakeUp {
    pub(crate) number: u32,
    pub(crate) at: Ticks,
}

/// The next action of a wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    /// It takes this packet, for which there is a buffer in this lane.
    Takes { id: u32, lane: u32 },
    /// It has committed as far ahead as it may: it wakes at the time of the next packet.
    Committed { at: Ticks },
    /// No waiting packet has a buffer: the first buffer becomes free at this time.
    NoBuffer { until: Ticks },
    /// No packet waits, or it is unknown when a buffer becomes free.
    Nothing,
}

impl Links {
    /// The links of a machine, idle.
    pub(crate) fn new(hardware: &Hardware, tables: &Tables) -> Self {
        let (lanes, rings) = tables.lanes(hardware);
        Self { wires: tables.wires(hardware), lanes, rings, each: tables.lanes }
    }

    /// Every wire with its lanes.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&Wire, &[Lane])> {
        self.wires.iter().zip(self.lanes.chunks(self.each.max(1) as usize))
    }

    /// All lanes, wire by wire.
    #[cfg(any(test, debug_assertions))]
    pub(crate) fn lanes(&self) -> &[Lane] {
        &self.lanes
    }

    /// Events that all wires together may have on the calendar.
    pub(crate) fn wake_ups(&self) -> usize {
        WAKE_UPS * self.wires.len()
    }

    /// Whether a wire takes such a packet at once, in the wire's lane `lane` with overall rank `rank`: nothing waits
    /// there, and the receiver has a buffer, which is taken.
    #[inline(always)]
    pub(crate) fn takes(&mut self, wire: u32, (lane, rank): (u32, u32), packet: Packet, now: Ticks) -> bool {
        self.wires[wire as usize].takes((&mut self.lanes[lane as usize], rank), &self.rings, packet, now)
    }

    /// Puts a packet to router `to` on a wire, if the wire takes it at once as [`Self::takes`] says; its last byte
    /// leaves no earlier than at `all_here`.
    #[inline(always)]
    pub(crate) fn send(
        &mut self,
        wire: u32,
        (lane, rank): (u32, u32),
        (packet, to): (Packet, u16),
        now: Ticks,
        all_here: Ticks,
    ) -> Option<Departure> {
        let out = &mut self.wires[wire as usize];
        let takes = out.takes((&mut self.lanes[lane as usize], rank), &self.rings, packet, now);
        takes.then(|| out.depart(packet, to, now, all_here))
    }

    /// A packet waits for a wire, in the wire's lane `lane` with overall rank `rank`. Returns when the first buffer
    /// becomes free for that lane, if that is known: the wire is to be armed for it.
    #[inline]
    pub(crate) fn wait(
        &mut self,
        wire: u32,
        (lane, rank): (u32, u32),
        tokens: &mut Tokens,
        id: u32,
        now: Ticks,
    ) -> Option<Ticks> {
        self.wires[wire as usize].starts_waiting(rank, now);
        let lane = &mut self.lanes[lane as usize];
        lane.push(tokens, id);
        lane.next_free()
    }

    /// Wakes a wire as soon as it can take a packet whose buffer is free at `buffer`.
    #[inline(always)]
    pub(crate) fn arm(&mut self, wire: u32, buffer: Ticks, now: Ticks) -> Option<WakeUp> {
        let out = &mut self.wires[wire as usize];
        let (wake_up, at) = if buffer <= out.free_at().max(now) {
            (WHEN_FREE, out.takes_next_at())
        } else {
            (WHEN_BUFFERED, buffer)
        };
        let number = wire * WAKE_UPS as u32 + wake_up as u32;
        out.arm(wake_up).then_some(WakeUp { number, at: at.max(now) })
    }

    /// Wakes a wire when it takes the next packet, at `at`.
    #[inline]
    pub(crate) fn arm_when_free(&mut self, wire: u32, at: Ticks) -> Option<WakeUp> {
        let number = wire * WAKE_UPS as u32 + WHEN_FREE as u32;
        self.wires[wire as usize].arm(WHEN_FREE).then_some(WakeUp { number, at })
    }

    /// The wire of that wake-up, which is now off the calendar.
    #[inline]
    pub(crate) fn woken(&mut self, number: u32) -> u32 {
        let (wire, wake_up) = (number / WAKE_UPS as u32, number as usize % WAKE_UPS);
        self.wires[wire as usize].disarm(wake_up);
        wire
    }

    /// The next action of a wire that is awake; `sent` is whether it has taken a packet since it woke.
    #[inline]
    pub(crate) fn next(&mut self, wire: u32, sent: bool, tokens: &Tokens, now: Ticks) -> Next {
        let first = wire * self.each;
        let out = &self.wires[wire as usize];
        let waiting = out.waiting();
        if waiting == 0 {
            return Next::Nothing;
        }
        let takes_next_at = out.takes_next_at();
        // A wake-up takes as many packets as fit into the time of two lines.
        let full = if sent { out.is_committed_for_two(now) } else { takes_next_at > now };
        if full {
            return Next::Committed { at: takes_next_at };
        }
        let start = out.free_at().max(now);
        // The lanes from the one whose turn it is, then the others.
        let after = waiting & out.lanes_from_turn();
        let ready = self.ready_lane(first, after, start);
        let Some(rank) = ready.or_else(|| self.ready_lane(first, waiting & !after, start)) else {
            return self.next_buffer(first, waiting).map_or(Next::Nothing, |until| Next::NoBuffer { until });
        };
        let lane = &mut self.lanes[(first + rank) as usize];
        let Some(id) = lane.pop(tokens) else { return Next::Nothing };
        let turn = if rank + 1 == self.each { 0 } else { rank + 1 };
        self.wires[wire as usize].stops_waiting(rank, lane.is_empty(), turn, now);
        Next::Takes { id, lane: first + rank }
    }

    /// The first of these lanes for which the receiver has a buffer at `start`, which is taken.
    #[inline]
    fn ready_lane(&mut self, first: u32, mut lanes: u64, start: Ticks) -> Option<u32> {
        while lanes != 0 {
            let rank = lanes.trailing_zeros();
            if self.lanes[(first + rank) as usize].try_take(&self.rings, start) {
                return Some(rank);
            }
            lanes &= lanes - 1;
        }
        None
    }

    /// When the first buffer becomes free for any packet that waits in these lanes; `None` while that is unknown.
    fn next_buffer(&self, first: u32, mut lanes: u64) -> Option<Ticks> {
        let mut soonest = None;
        while lanes != 0 {
            let rank = lanes.trailing_zeros();
            lanes &= lanes - 1;
            let free = self.lanes[(first + rank) as usize].next_free();
            soonest = match (soonest, free) {
                (Some(one), Some(other)) => Some(Ticks::min(one, other)),
                (one, other) => one.or(other),
            };
        }
        soonest
    }

    /// Puts a packet to router `to` on a wire, not before `now`; its last byte leaves no earlier than at `all_here`.
    #[inline(always)]
    pub(crate) fn put(
        &mut self,
        wire: u32,
        (packet, to): (Packet, u16),
        now: Ticks,
        all_here: Ticks,
    ) -> Departure {
        self.wires[wire as usize].depart(packet, to, now, all_here)
    }

    /// When a packet whose last byte leaves at `sent` has arrived completely.
    pub(crate) fn whole(&self, wire: u32, packet: Packet, sent: Ticks) -> Ticks {
        self.wires[wire as usize].whole(packet, sent)
    }

    /// Sends the order of a write over a wire, not before `now`; returns when it leaves.
    #[inline]
    pub(crate) fn order(&mut self, wire: u32, now: Ticks) -> Fine {
        self.wires[wire as usize].order(now)
    }

    /// A wire takes nothing before `at`.
    #[inline]
    pub(crate) fn hold(&mut self, wire: u32, at: Fine) {
        self.wires[wire as usize].hold(at);
    }

    /// Adds the credits of that many packets to what a wire owes.
    #[inline]
    pub(crate) fn owe(&mut self, wire: u32, buffers: u64) {
        self.wires[wire as usize].owe(buffers);
    }

    /// A buffer of a lane becomes free at its receiver at `at`. Returns the wire to arm, and for when, if packets wait.
    #[inline]
    pub(crate) fn give_back(&mut self, lane: u32, at: Ticks) -> Option<(u32, Ticks)> {
        let lane = &mut self.lanes[lane as usize];
        lane.give_back(&mut self.rings, at);
        if lane.is_empty() {
            return None;
        }
        Some((lane.wire(), lane.next_free().unwrap_or(at)))
    }
}
