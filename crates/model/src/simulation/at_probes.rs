//! Probes in flight to the caches of other routers, their answers, and lines that come from a cache.

use super::Simulation;
use crate::event::Event;
use crate::stages;
use crate::tables::Protocol;
use crate::time::{Fine, Ticks, tick_after};
use crate::token::{Intent, NONE, Packet, State};

impl Simulation {
    /// The line's dirty copy is in a cache: the home agent requests it, and the cache sends it to the requester.
    pub(super) fn fetch_from_cache(&mut self, id: u32, owner: u16, start: Fine) {
        let token = &self.tokens[id];
        let router = self.tables.homes[token.home as usize].router;
        let probe = self.tokens.take();
        let blank = &mut self.tokens[probe];
        blank.parent = id;
        blank.intent = Intent::Transfer;
        self.set_out_at(probe, State::Answer, Packet::Probe, [router, owner], tick_after(start));
    }

    /// Data and answers are in at the home agent: it sends the data.
    pub(super) fn all_collected(&mut self, id: u32) {
        let at = self.now();
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
    pub(super) fn send_probes(&mut self, id: u32, home: u16) {
        self.tokens[id].pending += self.tables.probes.answers(home);
        let collector = self.collector(id);
        self.forward_probes(id, home, home, collector);
    }

    /// Forwards a fill's probes from a router.
    fn forward_probes(&mut self, fill: u32, root: u16, at: u16, collector: u16) {
        for rank in self.tables.probes.children(root, at) {
            let child = self.tables.probes.child(rank);
            let probe = self.tokens.take();
            let blank = &mut self.tokens[probe];
            blank.parent = fill;
            blank.root = root;
            blank.collector = collector;
            blank.intent = Intent::Load;
            blank.lane = NONE;
            self.leave_often(probe, State::Probe, Packet::Probe, at, child);
        }
    }

    /// A probe is at a router.
    pub(super) fn probe(&mut self, id: u32) {
        let token = &self.tokens[id];
        let (at, fill, root, collector) = (token.at, token.parent, token.root, token.collector);
        if self.tables.probes.ends_at(root, at) {
            self.answer(id);
            return;
        }
        self.consume(id);
        self.forward_probes(fill, root, at, collector);
        if !self.tables.probes.has_cores(at) {
            self.tokens.release(id);
            return;
        }
        let looked_up = self.now() + self.tables.lookup();
        if collector == at {
            self.tokens.release(id);
            self.answered(fill, looked_up);
        } else {
            self.tokens[id].state = State::ProbeAnswered;
            self.wheel.push(Event::new(State::ProbeAnswered, id), looked_up);
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

    /// A probe's answer is ready at the probe's router.
    pub(super) fn answer(&mut self, id: u32) {
        let token = &self.tokens[id];
        let (at, fill, to) = (token.at, token.parent, token.collector);
        if at == to {
            self.tokens.release(id);
            self.answered(fill, self.now());
        } else {
            self.leave_often(id, State::Answer, Packet::Response, at, to);
        }
    }

    /// A request for a dirty copy is at the cache that holds it, which sends the line to the requester.
    pub(super) fn cache_asked(&mut self, id: u32) {
        self.consume(id);
        let (fill, at) = (self.tokens[id].parent, self.tokens[id].at);
        self.tokens.release(id);
        let found = self.now() + self.tables.lookup();
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
            self.wheel.push(Event::new(State::OnItsWay, fill), found);
        }
    }

    /// An answer of a fill is in at `when`, now or later.
    pub(super) fn answered(&mut self, fill: u32, when: Ticks) {
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
}
