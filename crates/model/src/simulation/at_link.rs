//! Packets on links: how they take one or wait for it, and what happens to them at its end.

use super::Simulation;
use crate::event::Event;
use crate::links::{Next, WakeUp};
use crate::time::Ticks;
use crate::token::{Entry, Intent, NONE, Packet, State};

impl Simulation {
    /// Goes on towards its destination, now, over the next link.
    pub(super) fn depart(&mut self, id: u32) {
        let token = &self.tokens[id];
        let (packet, at, to, hops) = (token.packet, token.at, token.to, token.hops);
        self.take_link(id, packet, at, to, hops);
    }

    /// Takes the next link from one router towards another, or waits for it. Everything that decides is passed as an
    /// argument: a value just written to a token would have to be loaded again.
    pub(super) fn take_link(&mut self, id: u32, packet: Packet, from: u16, to: u16, hops: u8) {
        let wire = self.tables.wire(from, to, packet);
        let rank = self.tables.lane(packet, hops);
        let lane = wire * self.tables.lanes + rank;
        let now = self.now();
        if self.links.takes(wire, (lane, rank), packet, now) {
            self.transmit(id, wire, lane);
        } else if let Some(free) = self.links.wait(wire, (lane, rank), &mut self.tokens, id, now) {
            self.arm(wire, free);
        }
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
        let packet = self.tokens[id].packet;
        if packet == Packet::Write {
            self.order_write(id, wire);
        }
        let token = &self.tokens[id];
        let (left, to) = (token.lane, token.to);
        let all_here = if self.tables.speeds_differ && left != NONE { self.tokens.all_here(id) } else { 0 };
        let departure = self.links.put(wire, (packet, to), now, all_here);
        let token = &mut self.tokens[id];
        token.lane = lane;
        token.at = departure.receiver;
        // Only the first few decide on its lane.
        token.hops = token.hops.saturating_add(1);
        let leaves_table = token.entry == Entry::HeldUntilSent;
        // The receiver's credit comes back over the opposite direction; data and an answer in one packet are two
        // credits.
        let buffers = if packet == Packet::DataAndAnswer { 2 } else { 1 };
        self.links.owe(self.tables.opposite(wire), buffers);
        if leaves_table {
            self.make_room(id);
        }
        if departure.arrives {
            self.arrive(id, lane, departure.at);
        } else {
            if self.tables.speeds_differ {
                let whole = self.links.whole(wire, packet, departure.sent);
                self.tokens.set_all_here(id, whole);
            }
            self.wheel.push(Event::new(State::OnItsWay, id), departure.at);
        }
        if left != NONE {
            self.give_back(left, departure.sent);
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

    /// A packet will be at its destination at `at`. A packet that is consumed there on the spot needs no event of its
    /// own.
    #[inline(always)]
    fn arrive(&mut self, id: u32, lane: u32, at: Ticks) {
        let token = &mut self.tokens[id];
        match token.state {
            State::FillToHome | State::WriteToHome => {
                let latency = self.tables.homes[token.home as usize].latency;
                self.wheel.push(Event::new(token.state, id), at + latency);
            }
            State::Probe => {
                if !self.tables.probes.ends_at(token.root, token.at) {
                    self.wheel.push(Event::new(State::Probe, id), at);
                    return;
                }
                let looked_up = at + self.tables.lookup();
                token.lane = NONE;
                if token.at == token.collector {
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
                self.data_arrives(id, at);
                self.give_back(lane, at);
            }
            state => self.wheel.push(Event::new(state, id), at),
        }
    }

    /// A buffer becomes free at its receiver at `at`, now or later.
    #[inline]
    fn give_back(&mut self, lane: u32, at: Ticks) {
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
