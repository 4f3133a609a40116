//! Workers issue lines, receive them, and write dirty ones back.

use std::hint::select_unpredictable;

use super::Simulation;
use crate::address_map::{Location, NOWHERE};
use crate::event::Event;
use crate::pattern::Step;
use crate::stages;
use crate::tables::Protocol;
use crate::time::Ticks;
use crate::token::{Entry, Intent, NONE, Packet, State, Token};

impl Simulation {
    /// A worker issues as many lines as it may, from the core's time `now` on.
    pub(super) fn ask(&mut self, worker: u16, now: Ticks) {
        if !self.asking {
            return;
        }
        loop {
            let requester = &mut self.requesters[worker as usize];
            let Step { intent, .. } = requester.pattern[requester.position];
            let slots =
                if intent == Intent::StorePast { &mut requester.combining } else { &mut requester.fills };
            if !slots.has_room() {
                return;
            }
            let far = requester.ahead.as_ref().is_some_and(|ahead| !ahead.has_room());
            if far && intent != Intent::StorePast {
                return;
            }
            slots.used += 1;
            let (step, line) = requester.advance();
            let (memory, address) = requester.locate(step.array, line);
            let start = requester.start(now);
            let takes_turns = requester.partner.is_some();
            self.send(worker, intent, memory, address, start);
            if takes_turns {
                return;
            }
        }
    }

    /// A fill, or a line for memory, leaves its core at `start`.
    #[inline(always)]
    fn send(&mut self, worker: u16, intent: Intent, memory: u16, address: u64, start: Ticks) {
        // Each part is looked up once and kept: nothing else is called in between.
        let Self { tables, tokens, requesters, side_caches, stages, .. } = self;
        let requester = &mut requesters[worker as usize];
        let Location { home, channel, behind, address: within } = tables.locate(memory, address);
        let in_front = behind != NOWHERE;
        let is_cached = in_front
            && side_caches[memory as usize]
                .as_mut()
                .is_none_or(|cache| cache.has(requester, intent, address));
        let behind = if is_cached { NOWHERE } else { behind };
        let fetches = !matches!(intent, Intent::StorePast | Intent::WriteBack);
        let facts = &tables.homes[home as usize];
        let at_router = start + requester.time_to_router();
        let id = tokens.take();
        let token = &mut tokens[id];
        token.worker = worker;
        token.intent = intent;
        token.home = home;
        token.channel = channel;
        token.behind = behind;
        token.cached = if in_front { memory } else { NOWHERE };
        token.address = within;
        token.parent = NONE;
        token.lane = NONE;
        token.not_before = 0;
        token.local = facts.package == requester.package;
        token.since = start;
        token.followed = fetches && requester.foreground;
        if let (Some(ahead), true) = (&mut requester.ahead, fetches) {
            token.sequence = ahead.ask();
        }
        stages.end(token, stages::CORE, at_router);
        let (from, to) = (requester.router, facts.router);
        let at = at_router + select_unpredictable(to == from, facts.latency, 0);
        let may_wait = !tables.plain && fetches;
        self.issued += 1;
        if may_wait && self.waits_to_leave(id, at_router) {
            return;
        }
        let (state, packet) =
            if fetches { (State::FillToHome, Packet::Request) } else { (State::WriteToHome, Packet::Write) };
        self.set_out_at(id, state, packet, [from, to], at);
    }

    /// A fill's data is at the requester's router at `at`, now or later.
    #[inline]
    pub(super) fn data_arrives(&mut self, id: u32, at: Ticks) {
        let token = &mut self.tokens[id];
        self.stages.end(token, stages::DATA, at);
        token.not_before = token.not_before.max(at);
        token.pending -= 1;
        if token.pending == 0 {
            self.finish(id);
        }
    }

    /// Data and answers are in, or will be at a known time.
    #[inline(always)]
    pub(super) fn finish(&mut self, id: u32) {
        let token = &mut self.tokens[id];
        if token.not_before > self.wheel.now() {
            token.state = State::FillComplete;
            self.wheel.push(Event::new(token.state, id), token.not_before);
        } else {
            self.complete(id);
        }
    }

    /// A fill is done: the core goes on.
    pub(super) fn complete(&mut self, id: u32) {
        let Self { wheel, tokens, requesters, stages, .. } = self;
        let now = wheel.now();
        let token = &mut tokens[id];
        let Token { worker, home, entry, intent, .. } = *token;
        let requester = &mut requesters[worker as usize];
        let at_core = now + requester.from_router;
        stages.end(token, stages::PROBES, now);
        stages.end(token, stages::CORE, at_core);
        stages.fills += u64::from(token.followed);
        requester.last_line = now;
        requester.done.count(intent);
        if let Some(ahead) = &mut requester.ahead {
            ahead.come(token.sequence);
        }
        self.completed += 1;
        let router = requester.router;
        if !self.tables.plain {
            self.came_back(worker, home);
        }
        if let Protocol::Broadcast { requester_collects: true, .. } = self.tables.protocol {
            let to = self.tables.homes[home as usize].router;
            if to == router {
                self.make_room(id);
                self.tokens.release(id);
            } else {
                self.leave(id, State::Done, Packet::Response, router, to);
            }
        } else {
            if entry != Entry::None {
                self.make_room(id);
            }
            self.tokens.release(id);
        }
        if !intent.dirties() {
            self.free_fill(worker, at_core);
            return;
        }
        let requester = &mut self.requesters[worker as usize];
        if requester.evictions.has_room() {
            requester.evictions.used += 1;
            self.write_back(worker, at_core);
            self.free_fill(worker, at_core);
        } else {
            requester.stalled += 1;
        }
    }

    /// A worker may have one more line in flight; in core-to-core transfers it is the other worker's turn.
    #[inline(always)]
    fn free_fill(&mut self, worker: u16, at_core: Ticks) {
        let requester = &mut self.requesters[worker as usize];
        requester.fills.used -= 1;
        let next = requester.partner.unwrap_or(worker);
        self.ask(next, at_core);
    }

    /// A dirty line that was fetched one cache size ago goes back to memory.
    fn write_back(&mut self, worker: u16, start: Ticks) {
        let requester = &mut self.requesters[worker as usize];
        // The store's array is the last one of the pattern.
        let array = requester.pattern.last().map_or(0, |step| step.array);
        let lines = requester.buffer.lines;
        let behind = requester.cursors[array as usize] + lines - requester.write_back_lag % lines;
        let line = if behind >= lines { behind - lines } else { behind };
        let (memory, address) = requester.locate(array, line);
        // It is first read from the cache.
        let start = start + requester.eviction;
        self.send(worker, Intent::WriteBack, memory, address, start);
    }

    /// The writer learns that memory has taken a line.
    pub(super) fn write_complete(&mut self, id: u32) {
        self.consume(id);
        let (worker, intent) = (self.tokens[id].worker, self.tokens[id].intent);
        self.tokens.release(id);
        self.completed += 1;
        let requester = &mut self.requesters[worker as usize];
        let at_core = self.wheel.now() + requester.from_router;
        if intent == Intent::StorePast {
            requester.combining.used -= 1;
            requester.last_line = self.wheel.now();
            requester.done.count(intent);
            self.ask(worker, at_core);
        } else if requester.stalled > 0 {
            requester.stalled -= 1;
            self.write_back(worker, at_core);
            self.free_fill(worker, at_core);
        } else {
            requester.evictions.used -= 1;
        }
    }
}
