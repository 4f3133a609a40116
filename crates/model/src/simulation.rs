//! A machine at work: the loop over events, and what each does.
//!
//! ```text
//! issue -> router -> links -> home agent -> memory -> links -> router -> complete -> issue …
//!                                 \-> probes -> answers -/
//! ```
//!
//! Steps between which nothing can get in a packet's way are one event. What serves several (a wire, a home agent, a
//! memory bus) is only ever asked when a packet is there, never ahead of time.

use std::hint::select_unpredictable;

use crate::event::Event;
use crate::home::Home;
use crate::memory::Memory;
use crate::requester::{Pool, Requester};
use crate::side_cache::SideCache;
use crate::stages::Stages;
use crate::tables::Tables;
use crate::time::{Ticks, tick_after};
use crate::token::{Intent, NONE, Packet, State, Tokens};
use crate::wheel::Wheel;
use crate::wire::{Lane, WAKE_UPS, WHEN_BUFFERED, WHEN_FREE, Wire};

/// A machine at work.
#[derive(Debug)]
pub(crate) struct Simulation {
    pub(crate) tables: Tables,
    pub(crate) wheel: Wheel,
    pub(crate) tokens: Tokens,
    pub(crate) wires: Vec<Wire>,
    pub(crate) lanes: Vec<Lane>,
    pub(crate) homes: Vec<Home>,
    pub(crate) memories: Vec<Memory>,
    /// By memory of a node, the cache in front of it.
    pub(crate) side_caches: Vec<Option<SideCache>>,
    pub(crate) requesters: Vec<Requester>,
    /// Misses that requesters share; none at first.
    pub(crate) pools: Vec<Pool>,
    /// Numbers on the calendar below this one are tokens, those from it on wires, then home agents.
    pub(crate) first_wire: u32,
    pub(crate) first_home: u32,
    pub(crate) stages: Stages,
    /// Whether workers go on asking; without it, what is on its way comes to its end.
    pub(crate) asking: bool,
    /// Events so far, and fills and writes issued and completed.
    pub(crate) events: u64,
    pub(crate) issued: u64,
    pub(crate) completed: u64,
    /// Packets that set out, by router, destination and kind: what the wires' counts are held against.
    #[cfg(debug_assertions)]
    pub(crate) set_out: Vec<[u64; Packet::COUNT]>,
}

impl Simulation {
    pub(crate) fn now(&self) -> Ticks {
        self.wheel.now()
    }

    /// Lets everything happen up to `until`.
    pub(crate) fn run_until(&mut self, until: Ticks) {
        while let Some(event) = self.wheel.pop(until) {
            self.events += 1;
            self.happen(event);
        }
    }

    #[inline(always)]
    fn happen(&mut self, event: Event) {
        let id = event.number();
        // One jump for everything: each that is hard to foresee costs as much as fifty instructions.
        match event.state() {
            State::OnItsWay => self.depart(id),
            State::WireReady => self.wake(id - self.first_wire),
            State::HomeReady => self.next_slot(id - self.first_home),
            State::Probe => self.probe(id),
            State::ProbeAnswered => self.answer(id),
            State::FillFromMemory => self.data_read(id),
            State::FillComplete => self.complete(id),
            State::FillCollected => self.all_collected(id),
            State::WriteTaken => self.acknowledge(id),
            State::FillToHome => self.fill_at_home(id),
            State::FillToChannel => self.fill_at_channel(id),
            State::FillRejected => self.try_again(id),
            State::FillRecirculates => self.look_again(id),
            State::Answer => self.cache_asked(id),
            State::Done => self.done_arrived(id),
            State::WriteToHome => self.write_at_home(id),
            State::WriteToChannel => self.write_at_channel(id),
            State::WriteAcknowledged => self.write_complete(id),
            State::Free | State::FillToRequester => unreachable!("it is not on the calendar"),
        }
    }

    /// Puts a token on the calendar: for where it is to go if it is there, otherwise for going on towards it.
    #[inline(always)]
    pub(crate) fn schedule(&mut self, id: u32, at: Ticks) {
        let token = &self.tokens[id];
        let state = select_unpredictable(token.at == token.to, token.state, State::OnItsWay);
        self.wheel.push(Event::new(state, id), at);
    }

    /// A token sets out for another place, as a packet of that kind.
    #[inline]
    pub(crate) fn set_out(&mut self, id: u32, state: State, packet: Packet, from: u16, to: u16) {
        let token = &mut self.tokens[id];
        token.state = state;
        token.packet = packet;
        token.at = from;
        token.to = to;
        token.hops = 0;
        #[cfg(debug_assertions)]
        {
            let rank = usize::from(from) * self.tables.routers + usize::from(to);
            self.set_out[rank][packet as usize] += 1;
        }
    }

    /// Sets out, now, for another router, as a packet of that kind.
    #[inline(always)]
    pub(crate) fn leave(&mut self, id: u32, state: State, packet: Packet, from: u16, to: u16) {
        self.set_out(id, state, packet, from, to);
        self.take_link(id, packet, from, to, 0);
    }

    /// Goes on towards its destination, now, over the next link.
    fn depart(&mut self, id: u32) {
        let token = &self.tokens[id];
        let (packet, at, to, hops) = (token.packet, token.at, token.to, token.hops);
        self.take_link(id, packet, at, to, hops);
    }

    /// Takes the next link from one router towards another, or waits for it. All that decides is handed over: what has just
    /// been written into a token takes its time to come back.
    fn take_link(&mut self, id: u32, packet: Packet, from: u16, to: u16, hops: u8) {
        let wire = self.tables.wire(from, to, packet);
        let rank = self.tables.lane(packet, hops);
        let lane = wire * self.tables.lanes + rank;
        let now = self.wheel.now();
        let out = &mut self.wires[wire as usize];
        let queues = &mut self.lanes[lane as usize];
        if out.waiting & (1 << rank) == 0 {
            let inserted = out.inserts_control && packet.is_control();
            if inserted && queues.try_take(now)
                || !out.armed[WHEN_FREE] && out.takes_next_by(now) && queues.try_take(out.free_at().max(now))
            {
                self.transmit(id, wire, lane);
                return;
            }
        }
        out.waited = out.waited.wrapping_sub(now);
        out.waiting |= 1 << rank;
        let lane = &mut self.lanes[lane as usize];
        lane.queue.push(&mut self.tokens, id);
        if let Some(free) = lane.next_free() {
            self.arm(wire, free);
        }
    }

    /// Wakes a wire as soon as it can take a packet whose buffer is free at `buffer`.
    #[inline(never)]
    fn arm(&mut self, wire: u32, buffer: Ticks) {
        let now = self.wheel.now();
        let out = &mut self.wires[wire as usize];
        let (wake_up, at) = if buffer <= out.free_at().max(now) {
            (WHEN_FREE, out.takes_next_at())
        } else {
            (WHEN_BUFFERED, buffer)
        };
        if !out.armed[wake_up] {
            out.armed[wake_up] = true;
            let number = self.first_wire + wire * WAKE_UPS as u32 + wake_up as u32;
            self.wheel.push(Event::new(State::WireReady, number), at.max(now));
        }
    }

    /// A wire takes packets that wait, lane by lane in turn, as far ahead as it commits itself.
    fn wake(&mut self, event: u32) {
        let (wire, wake_up) = (event / WAKE_UPS as u32, event as usize % WAKE_UPS);
        let now = self.wheel.now();
        let count = self.tables.lanes;
        let first = wire * count;
        self.wires[wire as usize].armed[wake_up] = false;
        let mut sent = false;
        loop {
            let out = &mut self.wires[wire as usize];
            if out.waiting == 0 {
                return;
            }
            let takes_next_at = out.takes_next_at();
            // A wake-up takes what fits into the time of two lines.
            let full = if sent { out.is_committed_for_two(now) } else { takes_next_at > now };
            if full {
                if !out.armed[WHEN_FREE] {
                    out.armed[WHEN_FREE] = true;
                    let number = self.first_wire + wire * WAKE_UPS as u32 + WHEN_FREE as u32;
                    self.wheel.push(Event::new(State::WireReady, number), takes_next_at);
                }
                return;
            }
            let start = out.free_at().max(now);
            // Those from the one whose turn it is on, then the others.
            let after = out.waiting & (u64::MAX << out.turn);
            let Some(rank) = self.ready_lane(first, after, start).or_else(|| {
                let before = self.wires[wire as usize].waiting & !after;
                self.ready_lane(first, before, start)
            }) else {
                if let Some(at) = self.next_buffer(wire) {
                    self.arm(wire, at);
                }
                return;
            };
            let lane = &mut self.lanes[(first + rank) as usize];
            let Some(id) = lane.queue.pop(&self.tokens) else { return };
            let out = &mut self.wires[wire as usize];
            if lane.queue.is_empty() {
                out.waiting &= !(1 << rank);
            }
            out.turn = if rank + 1 == count { 0 } else { rank + 1 };
            out.waited = out.waited.wrapping_add(now);
            self.transmit(id, wire, first + rank);
            sent = true;
        }
    }

    /// The first of these lanes for which the receiver has a buffer at `start`, which is taken.
    #[inline]
    fn ready_lane(&mut self, first: u32, mut lanes: u64, start: Ticks) -> Option<u32> {
        while lanes != 0 {
            let rank = lanes.trailing_zeros();
            if self.lanes[(first + rank) as usize].try_take(start) {
                return Some(rank);
            }
            lanes &= lanes - 1;
        }
        None
    }

    /// When the first buffer becomes free for any packet that waits for a wire; `None` while nobody knows.
    fn next_buffer(&self, wire: u32) -> Option<Ticks> {
        let mut waiting = self.wires[wire as usize].waiting;
        let mut soonest = None;
        while waiting != 0 {
            let rank = waiting.trailing_zeros();
            waiting &= waiting - 1;
            let free = self.lanes[(wire * self.tables.lanes + rank) as usize].next_free();
            soonest = match (soonest, free) {
                (Some(one), Some(other)) => Some(Ticks::min(one, other)),
                (one, other) => one.or(other),
            };
        }
        soonest
    }

    /// Puts a packet on a free wire; it has a buffer of that lane at the receiver.
    #[inline]
    fn transmit(&mut self, id: u32, wire: u32, lane: u32) {
        let now = self.wheel.now();
        let packet = self.tokens[id].packet;
        if packet == Packet::Write {
            let beside = self.tables.wire_of_orders(wire);
            if self.is_behind_a_request(id) {
                self.wires[beside.unwrap_or(wire) as usize].order(now);
            }
            if let Some(beside) = beside {
                // A line follows its order.
                let ordered = self.wires[beside as usize].order(now);
                let out = &mut self.wires[wire as usize];
                out.busy = out.busy.max(ordered);
            }
        }
        let token = &mut self.tokens[id];
        let out = &mut self.wires[wire as usize];
        let (head, tail) = out.put(packet, now);
        let left = std::mem::replace(&mut token.lane, lane);
        token.at = out.receiver;
        token.hops += 1;
        let arrived = token.at == token.to;
        let sent = tick_after(tail);
        let at = out.latency
            + if arrived || out.passes_on_whole {
                out.spread[packet as usize] + sent
            } else {
                tick_after(head)
            };
        // The receiver's word of a free buffer comes back over the opposite direction; data and an answer in one are two.
        let buffers = if packet == Packet::DataAndAnswer { 2 } else { 1 };
        self.wires[self.tables.opposite(wire) as usize].owe(buffers);
        if token.leaving {
            token.leaving = false;
            self.make_room(id);
        }
        if arrived {
            self.arrive(id, lane, at);
        } else {
            self.wheel.push(Event::new(State::OnItsWay, id), at);
        }
        if left != NONE {
            self.give_back(left, sent);
        }
    }

    /// A packet will be at its destination at `at`. What is consumed there on the spot needs no event of its own.
    #[inline(always)]
    fn arrive(&mut self, id: u32, lane: u32, at: Ticks) {
        let token = &mut self.tokens[id];
        match token.state {
            State::FillToHome | State::WriteToHome => {
                let latency = self.tables.homes[token.home as usize].latency;
                self.wheel.push(Event::new(token.state, id), at + latency);
            }
            State::Probe => {
                if !self.tables.children(token.home, token.at).is_empty() {
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
            State::Answer if token.intent != Intent::Handoff => {
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
    pub(crate) fn give_back(&mut self, lane: u32, at: Ticks) {
        let lane = &mut self.lanes[lane as usize];
        lane.give_back(at);
        if !lane.queue.is_empty() {
            let (wire, known) = (lane.wire, lane.next_free().unwrap_or(at));
            self.arm(wire, known);
        }
    }

    /// A packet has been consumed where it is: its buffer is free.
    #[inline(always)]
    pub(crate) fn consume(&mut self, id: u32) {
        let lane = std::mem::replace(&mut self.tokens[id].lane, NONE);
        if lane != NONE {
            self.give_back(lane, self.wheel.now());
        }
    }
}
