//! Fills and writes at their home agents: room in the table, probes, memory, and waiting requests.

use super::Simulation;
use crate::address_map::NOWHERE;
use crate::channel::READ;
use crate::event::Event;
use crate::stages;
use crate::tables::Protocol;
use crate::time::{Fine, tick_after};
use crate::token::{Entry, Intent, NONE, Packet, State, Token};

impl Simulation {
    /// A fill is at its home agent.
    #[inline]
    pub(super) fn fill_at_home(&mut self, id: u32) {
        // Each part is looked up once and kept: nothing else is called in between.
        let Self { tables, wheel, tokens, homes, stages, .. } = self;
        let now = wheel.now();
        let token = &mut tokens[id];
        let rank = token.home as usize;
        let facts = &tables.homes[rank];
        stages.end(token, stages::REQUEST, now.wrapping_sub(facts.latency));
        if !tables.plain && facts.requests_in_a_row.is_some() {
            self.line_up(id, rank);
            return;
        }
        let home = &mut homes[rank];
        let start = home.slot(facts, now);
        if home.try_enter(facts, token.class(), now) {
            self.admit(id, start);
        } else {
            self.turn_away(id, start);
        }
    }

    /// A home agent looks at a fill: it is admitted, waits, or is rejected.
    #[inline(always)]
    pub(super) fn look_at(&mut self, id: u32, start: Fine) {
        let now = self.now();
        let token = &self.tokens[id];
        let class = token.class();
        let rank = token.home as usize;
        if self.homes[rank].try_enter(&self.tables.homes[rank], class, now) {
            self.admit(id, start);
        } else {
            self.turn_away(id, start);
        }
    }

    /// A home agent has no room for a fill: it waits, or is rejected.
    fn turn_away(&mut self, id: u32, start: Fine) {
        let now = self.now();
        let token = &self.tokens[id];
        let class = token.class();
        let rank = token.home as usize;
        let facts = &self.tables.homes[rank];
        let home = &mut self.homes[rank];
        if facts.retry.is_some() {
            home.reject();
            let (from, to) = (facts.router, self.router_of(token.worker));
            self.consume(id);
            self.set_out_at(id, State::FillRejected, Packet::Response, [from, to], tick_after(start));
        } else if let Some(delay) = facts.recirculation {
            home.reject();
            let ready = tick_after(start) + delay;
            if facts.requests_in_a_row.is_some() {
                self.line_up_again(id, rank, ready);
            } else {
                // The agent looks at it from its own router.
                self.tokens[id].state = State::FillRecirculates;
                self.wheel.push(Event::new(State::FillRecirculates, id), ready);
            }
        } else {
            home.wait(class, &mut self.tokens, id, now);
        }
    }

    /// A rejected fill is back at its requester: it is resent after a delay.
    pub(super) fn try_again(&mut self, id: u32) {
        self.consume(id);
        let token = &mut self.tokens[id];
        let facts = &self.tables.homes[token.home as usize];
        let (from, to) = (self.requesters[token.worker as usize].router, facts.router);
        let mut at = self.wheel.now() + facts.retry.unwrap_or(0);
        self.stages.end(token, stages::HOME, at);
        if from == to {
            at += facts.latency;
        }
        self.set_out_at(id, State::FillToHome, Packet::Request, [from, to], at);
    }

    /// A home agent that had no room for a fill puts it into its queue again.
    pub(super) fn look_again(&mut self, id: u32) {
        let now = self.now();
        let token = &mut self.tokens[id];
        token.state = State::FillToHome;
        let rank = usize::from(token.home);
        let start = self.homes[rank].slot(&self.tables.homes[rank], now);
        self.look_at(id, start);
    }

    /// A fill enters its home agent's table: probes go out, and memory is accessed.
    fn admit(&mut self, id: u32, start: Fine) {
        let now = self.now();
        let token = &mut self.tokens[id];
        self.stages.end(token, stages::HOME, now);
        token.pending = 1;
        token.not_before = 0;
        token.entry = Entry::Held;
        let lane = std::mem::replace(&mut token.lane, NONE);
        let Token { intent, channel, worker, home, .. } = *token;
        let rank = usize::from(home);
        if lane != NONE {
            self.give_back(lane, now);
        }
        if intent == Intent::Transfer {
            let owner = self.requesters[worker as usize].owner;
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
            // Not on the channel of requests: those wait for room in tables, which this fill makes once it reaches
            // memory.
            self.set_out_at(id, State::FillToChannel, Packet::Onward, [router, at], tick_after(ready));
        } else if self.tables.plain {
            self.read_line(id, ready);
        } else {
            self.enter_channel(id, ready);
        }
    }

    /// A fill's data is at the channel's router, where the requester is elsewhere or the home agent collects answers.
    #[inline]
    pub(super) fn data_read(&mut self, id: u32) {
        let token = &self.tokens[id];
        let (channel, behind) = (token.channel, token.behind);
        if !self.tables.plain {
            self.leave_channel(channel, READ);
            if behind != NOWHERE {
                self.go_behind(id);
                return;
            }
        }
        let from = self.tables.channel_router[channel as usize];
        let to = self.router_of(self.tokens[id].worker);
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
                self.data_arrives(id, self.now());
            }
            // The home node's own answer travels with the data.
            Protocol::Broadcast { requester_collects: true, .. } => {
                self.leave(id, State::FillToRequester, Packet::DataAndAnswer, from, to);
            }
            Protocol::Broadcast { .. } => self.answered(id, self.now()),
        }
    }

    /// A line that memory has read leaves for its requester; if that is here, it arrives at once.
    #[inline(always)]
    pub(super) fn send_line(&mut self, id: u32, from: u16, to: u16) {
        if from == to {
            self.make_room(id);
            self.data_arrives(id, self.now());
        } else {
            let token = &mut self.tokens[id];
            if self.tables.homes[token.home as usize].holds_until_sent {
                token.entry = Entry::HeldUntilSent;
            } else {
                self.make_room(id);
            }
            self.leave(id, State::FillToRequester, Packet::Data, from, to);
        }
    }

    /// The message that a fill is done is at the home agent.
    pub(super) fn done_arrived(&mut self, id: u32) {
        let home = usize::from(self.tokens[id].home);
        if self.tables.homes[home].requests_in_a_row.is_some() {
            self.line_up(id, home);
        } else {
            self.close(id);
        }
    }

    /// A home agent learns that a fill is done.
    pub(super) fn close(&mut self, id: u32) {
        self.consume(id);
        self.make_room(id);
        self.tokens.release(id);
    }

    /// A fill leaves the table; those that wait for room are admitted, in turn.
    pub(super) fn make_room(&mut self, id: u32) {
        let now = self.now();
        let token = &mut self.tokens[id];
        debug_assert_ne!(token.entry, Entry::None, "it has no entry to give up");
        token.entry = Entry::None;
        let (rank, class) = (usize::from(token.home), token.class());
        let facts = &self.tables.homes[rank];
        if facts.recirculation.is_some() && self.homes[rank].catch_up(facts, &mut self.tokens, now) {
            // There is room now.
            self.homes[rank].leave(class, now);
            self.arm_home(rank);
        } else if self.homes[rank].leave(class, now) {
            self.fill_room(rank);
        }
    }

    /// Admits waiting requests of a home agent while there is room, in turn.
    fn fill_room(&mut self, rank: usize) {
        let now = self.now();
        while let Some((id, start)) =
            self.homes[rank].take_waiting(&self.tables.homes[rank], &self.tokens, now)
        {
            self.admit(id, start);
        }
    }

    /// A write is at its home agent.
    pub(super) fn write_at_home(&mut self, id: u32) {
        let now = self.now();
        let token = &self.tokens[id];
        let rank = token.home as usize;
        let facts = &self.tables.homes[rank];
        if facts.requests_in_a_row.is_some() {
            self.line_up(id, rank);
            return;
        }
        let start = self.homes[rank].slot(facts, now);
        self.pass_on(id, start);
    }

    /// A home agent looks at a write and forwards it to memory.
    #[inline]
    pub(super) fn pass_on(&mut self, id: u32, start: Fine) {
        let token = &self.tokens[id];
        let at = self.tables.channel_router[token.channel as usize];
        let router = self.tables.homes[token.home as usize].router;
        if at == router {
            self.write_line(id, start);
        } else {
            self.consume(id);
            self.set_out_at(id, State::WriteToChannel, Packet::Write, [router, at], tick_after(start));
        }
    }
}
