//! Lines at their memory channel: what comes in, waits, is read or taken, and leaves.

use std::hint::select_unpredictable;

use crate::address_map::NOWHERE;
use crate::event::Event;
use crate::memory::{READ, WRITE};
use crate::simulation::Simulation;
use crate::stages;
use crate::tables::Protocol;
use crate::time::{Fine, of_tick, tick_after};
use crate::token::{Packet, State};

impl Simulation {
    /// A fill is at its memory channel.
    pub(crate) fn fill_at_channel(&mut self, id: u32) {
        let now = of_tick(self.wheel.now());
        self.enter_memory(id, now);
    }

    /// A fill goes into its memory channel; without room it waits where it is, and holds its buffer.
    #[inline]
    pub(crate) fn enter_memory(&mut self, id: u32, ready: Fine) {
        let memory = &mut self.memories[self.tokens[id].channel as usize];
        if memory.is_limited() && !memory.try_enter(READ) {
            memory.outside[READ].push(&mut self.tokens, id);
            return;
        }
        self.consume(id);
        self.read_memory(id, ready);
    }

    /// A fill or a write has left a memory channel that holds only so many: the next one comes in.
    pub(crate) fn leave_memory(&mut self, channel: u16, sort: usize) {
        let memory = &mut self.memories[channel as usize];
        if !memory.is_limited() {
            return;
        }
        memory.leave(sort);
        let Some(next) = memory.outside[sort].pop(&self.tokens) else { return };
        let now = of_tick(self.wheel.now());
        if sort == READ {
            self.enter_memory(next, now);
        } else {
            self.write_memory(next, now);
        }
    }

    /// Memory reads the line of a fill.
    #[inline(always)]
    pub(crate) fn read_memory(&mut self, id: u32, ready: Fine) {
        let plain = self.tables.plain;
        let token = &self.tokens[id];
        let lookup = if !plain && token.in_front { self.tag_lookup(token.memory) } else { 0 };
        let token = &mut self.tokens[id];
        let memory = &mut self.memories[token.channel as usize];
        let read = tick_after(memory.read(token.address, ready) + lookup);
        self.stages.end(token, stages::MEMORY, read);
        let home_collects =
            matches!(self.tables.protocol, Protocol::Broadcast { requester_collects: false, .. });
        let here = self.requesters[token.worker as usize].router
            == self.tables.channel_router[token.channel as usize];
        let passes_home = || {
            matches!(self.tables.protocol, Protocol::Directory { .. })
                && self.tables.homes[token.home as usize].requests_in_a_row.is_some()
        };
        let stops = || memory.is_limited() || token.behind != NOWHERE || passes_home();
        let arrives = here & !home_collects & (plain || !stops());
        let is_probed = matches!(self.tables.protocol, Protocol::Broadcast { .. });
        if arrives && is_probed {
            self.data_arrives(id, read);
        } else {
            // Where nobody is probed nothing else is waited for.
            token.state = select_unpredictable(arrives, State::FillComplete, State::FillFromMemory);
            self.wheel.push(Event::new(token.state, id), read);
        }
    }

    /// A write is at its memory channel.
    pub(crate) fn write_at_channel(&mut self, id: u32) {
        let now = of_tick(self.wheel.now());
        self.write_memory(id, now);
    }

    /// A write goes into its memory channel. Where that holds only so many, its buffer is free then, and without room it waits
    /// where it is; elsewhere it keeps its buffer until the bus could take it.
    pub(crate) fn write_memory(&mut self, id: u32, arrival: Fine) {
        let memory = &mut self.memories[self.tokens[id].channel as usize];
        if memory.is_limited() {
            if !memory.try_enter(WRITE) {
                memory.outside[WRITE].push(&mut self.tokens, id);
                return;
            }
            self.consume(id);
        }
        if self.tokens[id].in_front {
            self.make_way(id, arrival);
        }
        let token = &mut self.tokens[id];
        let taken = self.memories[token.channel as usize].write(token.address, arrival);
        token.state = State::WriteTaken;
        self.wheel.push(Event::new(token.state, id), tick_after(taken));
    }

    /// Memory has taken a write: its buffer is free, and the writer hears of it.
    pub(crate) fn acknowledge(&mut self, id: u32) {
        self.consume(id);
        self.leave_memory(self.tokens[id].channel, WRITE);
        let token = &self.tokens[id];
        let from = self.tables.channel_router[token.channel as usize];
        let to = self.requesters[token.worker as usize].router;
        if from == to {
            self.write_complete(id);
        } else {
            self.leave(id, State::WriteAcknowledged, Packet::Response, from, to);
        }
    }
}
