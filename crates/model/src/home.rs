//! Home agents at work: room in the table, probes, memory, and what waits.

use crate::address_map::NOWHERE;
use crate::event::Event;
use crate::memory::READ;
use crate::outbound::Outbound;
use crate::pipeline::Pipeline;
use crate::simulation::Simulation;
use crate::stages;
use crate::tables::Protocol;
use crate::time::{Fine, Ticks, of_tick, tick_after};
use crate::token::{Intent, NONE, Packet, Queue, State};

/// A home agent at work. Classes are 0 for cores of its own package, 1 for others.
#[derive(Debug)]
pub(crate) struct Home {
    /// It looks at nothing else until then.
    pub(crate) busy: Fine,
    /// Requests in its table, by class.
    pub(crate) used: [u32; 2],
    /// Requests that wait for room, by class.
    pub(crate) queues: [Queue; 2],
    /// The class that is served next.
    pub(crate) turn: usize,
    /// Request-ticks in the table, since when the present number is there, and ticks waited.
    pub(crate) occupied: u64,
    pub(crate) changed: Ticks,
    pub(crate) waited: Ticks,
    pub(crate) rejected: u64,
    /// What waits for its next slot, where requests go first.
    pub(crate) pipeline: Pipeline,
    /// Its own package's requests to memory elsewhere.
    pub(crate) outbound: Outbound,
}

impl Home {
    pub(crate) const IDLE: Self = Self {
        busy: 0,
        used: [0; 2],
        queues: [Queue::EMPTY; 2],
        turn: 0,
        occupied: 0,
        changed: 0,
        waited: 0,
        rejected: 0,
        pipeline: Pipeline::EMPTY,
        outbound: Outbound::NONE,
    };

    pub(crate) fn in_table(&self) -> u32 {
        self.used[0] + self.used[1]
    }

    /// Everything that waits for room or for a slot.
    pub(crate) fn waiting(&self) -> u64 {
        let queues = self.queues.iter().map(|queue| u64::from(queue.length)).sum::<u64>();
        queues + self.pipeline.waiting()
    }

    /// Brings the count of request-ticks up to `now`.
    #[inline]
    pub(crate) fn settle(&mut self, now: Ticks) {
        self.occupied += u64::from(self.in_table()) * (now - self.changed);
        self.changed = now;
    }

    /// Its next free slot from `now` on, which it takes.
    #[inline]
    fn slot(&mut self, now: Ticks, slot: Fine) -> Fine {
        let start = self.busy.max(of_tick(now));
        self.busy = start + slot;
        start
    }
}

impl Simulation {
    /// A fill is at its home agent.
    #[inline]
    pub(crate) fn fill_at_home(&mut self, id: u32) {
        let now = self.wheel.now();
        let token = &mut self.tokens[id];
        let rank = token.home as usize;
        let table = &self.tables.homes[rank];
        let home = &mut self.homes[rank];
        self.stages.end(token, stages::REQUEST, now.wrapping_sub(table.latency));
        if !self.tables.plain && table.requests_in_a_row.is_some() {
            self.line_up(id, rank);
            return;
        }
        let start = home.slot(now, table.slot);
        self.look_at(id, start);
    }

    /// A home agent looks at a fill: there is room for it, or it waits, or it goes back.
    #[inline(always)]
    pub(crate) fn look_at(&mut self, id: u32, start: Fine) {
        let now = self.wheel.now();
        let token = &self.tokens[id];
        let class = usize::from(!token.local);
        let rank = token.home as usize;
        let table = &self.tables.homes[rank];
        let home = &mut self.homes[rank];
        let room = home.in_table() < table.table && home.used[class] < table.limits[class];
        if room && home.queues[class].is_empty() {
            home.settle(now);
            self.admit(id, start);
        } else if table.retry.is_some() {
            home.rejected += 1;
            let (from, to) = (table.router, self.requesters[token.worker as usize].router);
            self.consume(id);
            self.set_out(id, State::FillRejected, Packet::Response, from, to);
            let at = tick_after(start);
            self.schedule(id, at);
        } else if let Some(delay) = table.recirculation {
            home.rejected += 1;
            let ready = tick_after(start) + delay;
            if table.requests_in_a_row.is_some() {
                self.line_up_again(id, rank, ready);
            } else {
                self.tokens[id].state = State::FillRecirculates;
                self.schedule(id, ready);
            }
        } else {
            home.waited = home.waited.wrapping_sub(now);
            home.queues[class].push(&mut self.tokens, id);
        }
    }

    /// A rejected fill is back at its requester: it sets out again after a while.
    pub(crate) fn try_again(&mut self, id: u32) {
        self.consume(id);
        let token = &mut self.tokens[id];
        let table = &self.tables.homes[token.home as usize];
        let (from, to) = (self.requesters[token.worker as usize].router, table.router);
        let mut at = self.wheel.now() + table.retry.unwrap_or(0);
        self.stages.end(token, stages::HOME, at);
        if from == to {
            at += table.latency;
        }
        self.set_out(id, State::FillToHome, Packet::Request, from, to);
        self.schedule(id, at);
    }

    /// A home agent that had no room for a fill has it in its queue again.
    pub(crate) fn look_again(&mut self, id: u32) {
        let now = self.wheel.now();
        let token = &mut self.tokens[id];
        token.state = State::FillToHome;
        let rank = usize::from(token.home);
        let start = self.homes[rank].slot(now, self.tables.homes[rank].slot);
        self.look_at(id, start);
    }

    /// There is room for a fill at a home agent whose count is up to date: probes go out, and memory is asked.
    fn admit(&mut self, id: u32, start: Fine) {
        let now = self.wheel.now();
        let token = &mut self.tokens[id];
        let rank = token.home as usize;
        let home = &mut self.homes[rank];
        home.used[usize::from(!token.local)] += 1;
        self.stages.end(token, stages::HOME, now);
        token.pending = 1;
        token.not_before = 0;
        token.in_table = true;
        let (intent, channel, worker) = (token.intent, token.channel, token.worker);
        self.consume(id);
        if intent == Intent::Handoff {
            let partner = self.requesters[worker as usize].partner;
            let owner = partner.map_or(0, |partner| self.requesters[partner as usize].router);
            self.fetch_from_cache(id, owner, start);
            return;
        }
        let router = self.tables.homes[rank].router;
        let ready = match self.tables.protocol {
            Protocol::Directory { lookup } => start + lookup,
            Protocol::Broadcast { .. } => {
                self.send_probes(id, router);
                start
            }
        };
        let at = self.tables.channel_router[channel as usize];
        if at != router {
            // Not by the channel of requests: those wait for room in tables, which is made by what goes on to memory.
            self.set_out(id, State::FillToChannel, Packet::Onward, router, at);
            self.schedule(id, tick_after(ready));
        } else if self.tables.plain {
            self.read_memory(id, ready);
        } else {
            self.enter_memory(id, ready);
        }
    }

    /// The line's dirty copy is in a cache: the home agent asks for it, and the cache sends it to the requester.
    fn fetch_from_cache(&mut self, id: u32, owner: u16, start: Fine) {
        let token = &self.tokens[id];
        let router = self.tables.homes[token.home as usize].router;
        let probe = self.tokens.take();
        let blank = &mut self.tokens[probe];
        blank.parent = id;
        blank.intent = Intent::Handoff;
        self.set_out(probe, State::Answer, Packet::Probe, router, owner);
        self.schedule(probe, tick_after(start));
    }

    /// A fill's data is at the channel's router, which is not the requester's, or where the home agent collects answers.
    #[inline]
    pub(crate) fn data_read(&mut self, id: u32) {
        let token = &self.tokens[id];
        let (channel, behind) = (token.channel, token.behind);
        if !self.tables.plain {
            self.leave_memory(channel, READ);
            if behind != NOWHERE {
                self.go_behind(id);
                return;
            }
        }
        let from = self.tables.channel_router[channel as usize];
        let to = self.requesters[self.tokens[id].worker as usize].router;
        match self.tables.protocol {
            Protocol::Directory { .. } => {
                let home = usize::from(self.tokens[id].home);
                if !self.tables.plain && self.tables.homes[home].requests_in_a_row.is_some() {
                    self.line_up(id, home);
                } else {
                    self.send_line(id, from, to);
                }
            }
            Protocol::Broadcast { requester_collects: true, .. } if from == to => {
                self.data_arrives(id, self.wheel.now());
            }
            // The home node's own answer goes with the data.
            Protocol::Broadcast { requester_collects: true, .. } => {
                self.leave(id, State::FillToRequester, Packet::DataAndAnswer, from, to);
            }
            Protocol::Broadcast { .. } => self.answered(id, self.wheel.now()),
        }
    }

    /// A line that memory has read leaves for its requester, at once if that is here.
    #[inline(always)]
    pub(crate) fn send_line(&mut self, id: u32, from: u16, to: u16) {
        if from == to {
            self.make_room(id);
            self.data_arrives(id, self.wheel.now());
        } else {
            let token = &mut self.tokens[id];
            if self.tables.homes[token.home as usize].holds_until_sent {
                token.leaving = true;
            } else {
                self.make_room(id);
            }
            self.leave(id, State::FillToRequester, Packet::Data, from, to);
        }
    }

    /// Data and answers are in at the home agent: it sends the data.
    pub(crate) fn all_collected(&mut self, id: u32) {
        let at = self.wheel.now();
        let token = &mut self.tokens[id];
        self.stages.end(token, stages::PROBES, at);
        token.pending = 1;
        let (from, to) = (
            self.tables.channel_router[token.channel as usize],
            self.requesters[token.worker as usize].router,
        );
        self.make_room(id);
        if from == to {
            self.data_arrives(id, at);
        } else {
            self.leave(id, State::FillToRequester, Packet::Data, from, to);
        }
    }

    /// Probes the caches at all other routers.
    fn send_probes(&mut self, id: u32, home: u16) {
        self.tokens[id].pending += self.tables.others[home as usize];
        let collector = self.collector(id);
        self.forward_probes(id, home, home, collector);
    }

    /// Sends a fill's probes on from a router.
    fn forward_probes(&mut self, fill: u32, home: u16, at: u16, collector: u16) {
        for rank in self.tables.children(home, at) {
            let child = self.tables.child(rank);
            let probe = self.tokens.take();
            let blank = &mut self.tokens[probe];
            blank.parent = fill;
            blank.home = home;
            blank.collector = collector;
            blank.intent = Intent::Load;
            blank.lane = NONE;
            self.leave(probe, State::Probe, Packet::Probe, at, child);
        }
    }

    /// A probe is at a router.
    pub(crate) fn probe(&mut self, id: u32) {
        let token = &self.tokens[id];
        let (at, fill, home, collector) = (token.at, token.parent, token.home, token.collector);
        if self.tables.children(home, at).is_empty() {
            self.answer(id);
            return;
        }
        self.consume(id);
        self.forward_probes(fill, home, at, collector);
        if !self.tables.has_cores[at as usize] {
            self.tokens.release(id);
            return;
        }
        let looked_up = self.wheel.now() + self.tables.lookup();
        if collector == at {
            self.tokens.release(id);
            self.answered(fill, looked_up);
        } else {
            self.tokens[id].state = State::ProbeAnswered;
            self.schedule(id, looked_up);
        }
    }

    /// The router at which a fill's answers are collected.
    fn collector(&self, fill: u32) -> u16 {
        let token = &self.tokens[fill];
        match self.tables.protocol {
            Protocol::Broadcast { requester_collects: true, .. } => {
                self.requesters[token.worker as usize].router
            }
            _ => self.tables.homes[token.home as usize].router,
        }
    }

    /// A probe's answer is ready where the probe is.
    pub(crate) fn answer(&mut self, id: u32) {
        let token = &self.tokens[id];
        let (at, fill, to) = (token.at, token.parent, token.collector);
        if at == to {
            self.tokens.release(id);
            self.answered(fill, self.wheel.now());
        } else {
            self.leave(id, State::Answer, Packet::Response, at, to);
        }
    }

    /// A request for a dirty copy is at the cache that has it, which sends it to the requester.
    pub(crate) fn cache_asked(&mut self, id: u32) {
        self.consume(id);
        let (fill, at) = (self.tokens[id].parent, self.tokens[id].at);
        self.tokens.release(id);
        let found = self.wheel.now() + self.tables.lookup();
        let token = &mut self.tokens[fill];
        self.stages.end(token, stages::MEMORY, found);
        let to = self.requesters[token.worker as usize].router;
        self.set_out(fill, State::FillToRequester, Packet::Data, at, to);
        if !matches!(self.tables.protocol, Protocol::Broadcast { requester_collects: true, .. }) {
            self.make_room(fill);
        }
        if at == to {
            self.data_arrives(fill, found);
        } else {
            self.schedule(fill, found);
        }
    }

    /// An answer of a fill is in at `when`, now or later.
    pub(crate) fn answered(&mut self, fill: u32, when: Ticks) {
        let token = &mut self.tokens[fill];
        token.not_before = token.not_before.max(when);
        token.pending -= 1;
        if token.pending > 0 {
            return;
        }
        if let Protocol::Broadcast { requester_collects: false, .. } = self.tables.protocol {
            if token.not_before > self.wheel.now() {
                // It keeps its place in the table until then.
                token.state = State::FillCollected;
                self.wheel.push(Event::new(token.state, fill), token.not_before);
            } else {
                self.all_collected(fill);
            }
        } else {
            self.finish(fill);
        }
    }

    /// Word of a fill's end is at the home agent.
    pub(crate) fn done_arrived(&mut self, id: u32) {
        let home = usize::from(self.tokens[id].home);
        if self.tables.homes[home].requests_in_a_row.is_some() {
            self.line_up(id, home);
        } else {
            self.close(id);
        }
    }

    /// A home agent hears of a fill's end.
    pub(crate) fn close(&mut self, id: u32) {
        self.consume(id);
        self.make_room(id);
        self.tokens.release(id);
    }

    /// A fill leaves the table; those that waited for room take it, in turn.
    pub(crate) fn make_room(&mut self, id: u32) {
        let now = self.wheel.now();
        let token = &mut self.tokens[id];
        debug_assert!(token.in_table, "it has no place to give up");
        token.in_table = false;
        let (rank, local) = (usize::from(token.home), token.local);
        let agent = &mut self.homes[rank];
        agent.settle(now);
        agent.used[usize::from(!local)] -= 1;
        if agent.queues[0].is_empty() && agent.queues[1].is_empty() {
            return;
        }
        self.fill_room(rank);
    }

    /// Those that wait at a home agent take what room there is, in turn.
    fn fill_room(&mut self, rank: usize) {
        let now = self.wheel.now();
        loop {
            let table = &self.tables.homes[rank];
            let agent = &mut self.homes[rank];
            if agent.in_table() >= table.table {
                return;
            }
            let can =
                |class: usize| !agent.queues[class].is_empty() && agent.used[class] < table.limits[class];
            let class = if can(agent.turn) { agent.turn } else { 1 - agent.turn };
            if !can(class) {
                return;
            }
            let Some(id) = agent.queues[class].pop(&self.tokens) else { return };
            agent.turn = 1 - class;
            agent.waited = agent.waited.wrapping_add(now);
            let start = agent.busy.max(of_tick(now));
            self.admit(id, start);
        }
    }

    /// A write is at its home agent.
    pub(crate) fn write_at_home(&mut self, id: u32) {
        let now = self.wheel.now();
        let token = &self.tokens[id];
        let rank = token.home as usize;
        let table = &self.tables.homes[rank];
        if table.requests_in_a_row.is_some() {
            self.line_up(id, rank);
            return;
        }
        let start = self.homes[rank].slot(now, table.slot);
        self.pass_on(id, start);
    }

    /// A home agent looks at a write: it goes on to memory.
    #[inline]
    pub(crate) fn pass_on(&mut self, id: u32, start: Fine) {
        let token = &self.tokens[id];
        let at = self.tables.channel_router[token.channel as usize];
        let router = self.tables.homes[token.home as usize].router;
        if at == router {
            self.write_memory(id, start);
        } else {
            self.consume(id);
            self.set_out(id, State::WriteToChannel, Packet::Write, router, at);
            self.schedule(id, tick_after(start));
        }
    }
}
