//! Lines at their memory channel: they enter, wait, are read or written, and leave.

use std::hint::select_unpredictable;

use super::Simulation;
use crate::address_map::NOWHERE;
use crate::channel::{READ, WRITE};
use crate::event::Event;
use crate::side_cache::SideCache;
use crate::stages;
use crate::tables::Protocol;
use crate::time::{Fine, of_tick, tick_after};
use crate::token::{Intent, Packet, State};

impl Simulation {
    /// A fill is at its memory channel.
    pub(super) fn fill_at_channel(&mut self, id: u32) {
        let now = of_tick(self.now());
        self.enter_channel(id, now);
    }

    /// A fill enters its memory channel; without room it waits outside and keeps its buffer.
    #[inline]
    pub(super) fn enter_channel(&mut self, id: u32, ready: Fine) {
        let channel = &mut self.channels[self.tokens[id].channel as usize];
        if channel.is_limited() && !channel.enter(READ, &mut self.tokens, id) {
            return;
        }
        self.consume(id);
        self.read_line(id, ready);
    }

    /// A fill or a write has left a memory channel; if the channel limits how many it holds, the next one enters.
    pub(super) fn leave_channel(&mut self, channel: u16, sort: usize) {
        let channel = &mut self.channels[channel as usize];
        if !channel.is_limited() {
            return;
        }
        let Some(next) = channel.leave(sort, &self.tokens) else { return };
        let now = of_tick(self.now());
        if sort == READ {
            self.enter_channel(next, now);
        } else {
            self.write_line(next, now);
        }
    }

    /// Memory reads the line of a fill.
    #[inline(always)]
    pub(super) fn read_line(&mut self, id: u32, ready: Fine) {
        // Each part is looked up once and kept: nothing else is called in between.
        let Self { tables, wheel, tokens, channels, side_caches, requesters, stages, .. } = self;
        let plain = tables.plain;
        let token = &mut tokens[id];
        let lookup = if !plain && token.cached != NOWHERE {
            side_caches[token.cached as usize].as_ref().map_or(0, SideCache::lookup)
        } else {
            0
        };
        let channel = &mut channels[token.channel as usize];
        let read = tick_after(channel.read(token.address, ready) + lookup);
        stages.end(token, stages::MEMORY, read);
        let home_collects = matches!(tables.protocol, Protocol::Broadcast { requester_collects: false, .. });
        let here = requesters[token.worker as usize].router == tables.channel_router[token.channel as usize];
        let passes_home = || {
            matches!(tables.protocol, Protocol::Directory { .. })
                && tables.homes[token.home as usize].requests_in_a_row.is_some()
        };
        let stops = || channel.is_limited() || token.behind != NOWHERE || passes_home();
        let arrives = here & !home_collects & (plain || !stops());
        let is_probed = matches!(tables.protocol, Protocol::Broadcast { .. });
        if arrives && is_probed {
            self.data_arrives(id, read);
        } else {
            // Where nobody is probed, there is nothing else to wait for.
            token.state = select_unpredictable(arrives, State::FillComplete, State::FillFromMemory);
            wheel.push(Event::new(token.state, id), read);
        }
    }

    /// A write is at its memory channel.
    pub(super) fn write_at_channel(&mut self, id: u32) {
        let now = of_tick(self.now());
        self.write_line(id, now);
    }

    /// A write enters its memory channel. If the channel limits how many it holds, the write's buffer is free once it
    /// is in, and without room it waits outside; otherwise it keeps its buffer until the bus could take it.
    pub(super) fn write_line(&mut self, id: u32, arrival: Fine) {
        let channel = &mut self.channels[self.tokens[id].channel as usize];
        if channel.is_limited() {
            if !channel.enter(WRITE, &mut self.tokens, id) {
                return;
            }
            self.consume(id);
        }
        if self.tokens[id].cached != NOWHERE {
            self.make_way(id, arrival);
        }
        let token = &mut self.tokens[id];
        let channel = &mut self.channels[token.channel as usize];
        if token.intent == Intent::StorePast {
            channel.is_unfetched();
        }
        let taken = channel.write(token.address, arrival);
        token.state = State::WriteTaken;
        self.wheel.push(Event::new(token.state, id), tick_after(taken));
    }

    /// Memory has taken a write: its buffer is free, and the writer is notified.
    pub(super) fn acknowledge(&mut self, id: u32) {
        self.consume(id);
        self.leave_channel(self.tokens[id].channel, WRITE);
        let token = &self.tokens[id];
        let from = self.tables.channel_router[token.channel as usize];
        let to = self.router_of(token.worker);
        if from == to {
            self.write_complete(id);
        } else {
            self.leave(id, State::WriteAcknowledged, Packet::Response, from, to);
        }
    }
}
