//! Packets on links: how they take one or wait for it, and what happens to them at its end.

use super::Simulation;
use crate::event::Event;
use crate::links::{Next, WakeUp};
use crate::time::Ticks;
use crate::token::{Entry, Intent, NONE, Packet, State, Token};
use crate::wire::Departure;

impl Simulation {
    /// Goes on towards its destination, now, over the next link.
    pub(super) fn depart(&mut self, id: u32) {
        let token = &self.tokens[id];
        let Token { state, packet, at, to, hops, .. } = *token;
        self.go_on(id, state, packet, [at, to], hops);
    }

    /// As [`Self::take_link`], for packets that are not so frequent as to have code of their own.
    #[inline(never)]
    pub(super) fn go_on(&mut self, id: u32, state: State, packet: Packet, ends: [u16; 2], hops: u8) {
        self.take_link(id, state, packet, ends, hops);
    }

    /// Takes the next link from one router towards another, or waits for it. Everything that decides is passed as an
    /// argument: a value just written to a token would have to be loaded again.
    #[inline(always)]
    pub(super) fn take_link(
        &mut self,
        id: u32,
        state: State,
        packet: Packet,
        [from, to]: [u16; 2],
        hops: u8,
    ) {
        let wire = self.tables.wire(from, to, packet);
        let rank = self.tables.lane(packet, hops);
        let lane = wire * self.tables.lanes + rank;
        let now = self.now();
        if packet == Packet::Write {
            if self.links.takes(wire, (lane, rank), packet, now) {
                self.transmit(id, wire, lane);
                return;
            }
        } else {
            let all_here = self.all_here(id);
            if let Some(departure) = self.links.send(wire, (lane, rank), (packet, to), now, all_here) {
                self.departed(id, (state, packet), (wire, lane), departure);
                return;
            }
        }
        if let Some(free) = self.links.wait(wire, (lane, rank), &mut self.tokens, id, now) {
            self.arm(wire, free);
        }
    }

    /// When all of a packet is at its router, where that may be later than its first bytes.
    #[inline(always)]
    fn all_here(&self, id: u32) -> Ticks {
        let comes_slowly = self.tables.speeds_differ && self.tokens[id].lane != NONE;
        if comes_slowly { self.tokens.all_here(id) } else { 0 }
    }

    /// Wakes a wire as soon as it can take a packet whose buffer is free at `buffer`. Not inlined: most packets do not wait, and
    /// the calendar's code would be repeated wherever a packet or a buffer moves.
    #[inline(never)]
    fn arm(&mut self, wire: u32, buffer: Ticks) {
        let now = self.now();
        if let Some(wake_up) = self.links.arm(wire, buffer, now) {
            self.wake_later(wake_up);
        }
    }

    /// Puts a wire's wake-up on the calendar.
    #[inline]
    fn wake_later(&mut self, wake_up: WakeUp) {
        self.wheel.push(Event::new(State::WireReady, self.first_wire + wake_up.number), wake_up.at);
    }

    /// A wire takes waiting packets, lane by lane in turn, as far ahead as it commits itself.
    pub(super) fn wake(&mut self, number: u32) {
        let now = self.now();
        let wire = self.links.woken(number);
        let mut sent = false;
        loop {
            match self.links.next(wire, sent, &self.tokens, now) {
                Next::Takes { id, lane } => {
                    self.transmit(id, wire, lane);
                    sent = true;
                    continue;
                }
                Next::Committed { at } => {
                    if let Some(wake_up) = self.links.arm_when_free(wire, at) {
                        self.wake_later(wake_up);
                    }
                }
                Next::NoBuffer { until } => self.arm(wire, until),
                Next::Nothing => {}
            }
            return;
        }
    }

    /// Puts a packet on a free wire; it has a buffer of that lane at the receiver.
    #[inline]
    fn transmit(&mut self, id: u32, wire: u32, lane: u32) {
        let now = self.now();
        if self.tokens[id].packet == Packet::Write {
            self.order_write(id, wire);
        }
        let all_here = self.all_here(id);
        let Token { state, packet, to, .. } = self.tokens[id];
        let departure = self.links.put(wire, (packet, to), now, all_here);
        self.departed(id, (state, packet), (wire, lane), departure);
    }

    /// A packet is on a wire: the buffer that it leaves becomes free, and it arrives at the wire's end.
    #[inline(always)]
    fn departed(
        &mut self,
        id: u32,
        (state, packet): (State, Packet),
        (wire, lane): (u32, u32),
        departure: Departure,
    ) {
        let Departure { receiver, sent, arrives, at, is_owed } = departure;
        let token = &mut self.tokens[id];
        let left = std::mem::replace(&mut token.lane, lane);
        token.at = receiver;
        // Only the first few decide on its lane.
        token.hops = token.hops.saturating_add(1);
        // The receiver's credit comes back over the opposite direction; data and an answer in one packet are two
        // credits.
        if is_owed {
            let buffers = if packet == Packet::DataAndAnswer { 2 } else { 1 };
            self.links.owe(self.tables.opposite(wire), buffers);
        }
        let leaves_table = token.entry == Entry::HeldUntilSent;
        match state {
            _ if !arrives => {
                if self.tables.speeds_differ {
                    let whole = self.links.whole(wire, packet, sent);
                    self.tokens.set_all_here(id, whole);
                }
                if leaves_table {
                    self.make_room(id);
                }
                self.wheel.push(Event::new(State::OnItsWay, id), at);
            }
            // A packet that is consumed on the spot, once it is at its destination, needs no event of its own.
            State::FillToHome | State::WriteToHome => {
                let latency = self.tables.homes[token.home as usize].latency;
                self.wheel.push(Event::new(state, id), at + latency);
            }
            State::Probe if !self.tables.probes.ends_at(token.root, receiver) => {
                self.wheel.push(Event::new(State::Probe, id), at);
            }
            State::Probe => {
                let looked_up = at + self.tables.lookup();
                token.lane = NONE;
                if receiver == token.collector {
                    let fill = token.parent;
                    self.tokens.release(id);
                    self.answered(fill, looked_up);
                } else {
                    self.wheel.push(Event::new(State::Probe, id), looked_up);
                }
                self.give_back(lane, at);
            }
            State::Answer if token.intent != Intent::Transfer => {
                let fill = token.parent;
                token.lane = NONE;
                self.tokens.release(id);
                self.answered(fill, at);
                self.give_back(lane, at);
            }
            State::FillToRequester => {
                token.lane = NONE;
                if leaves_table {
                    self.make_room(id);
                }
                self.data_arrives(id, at);
                self.give_back(lane, at);
            }
            state => self.wheel.push(Event::new(state, id), at),
        }
        if left != NONE {
            self.give_back(left, sent);
        }
    }

    /// A line follows its order, where the order takes a wire of its own.
    fn order_write(&mut self, id: u32, wire: u32) {
        let now = self.now();
        let beside = self.tables.wire_of_orders(wire);
        if self.is_behind_a_request(id) {
            self.links.order(beside.unwrap_or(wire), now);
        }
        if let Some(beside) = beside {
            let ordered = self.links.order(beside, now);
            self.links.hold(wire, ordered);
        }
    }

    /// A buffer becomes free at its receiver at `at`, now or later.
    #[inline]
    pub(super) fn give_back(&mut self, lane: u32, at: Ticks) {
        if let Some((wire, free)) = self.links.give_back(lane, at) {
            self.arm(wire, free);
        }
    }

    /// A packet has been consumed at its router: its buffer is free.
    #[inline(always)]
    pub(super) fn consume(&mut self, id: u32) {
        let lane = std::mem::replace(&mut self.tokens[id].lane, NONE);
        if lane != NONE {
            self.give_back(lane, self.now());
        }
    }
}
