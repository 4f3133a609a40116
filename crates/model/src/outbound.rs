//! Requests to memory of another package leave through an agent of their own, which may let only so many out at a time.
//!
//! Lines are spread over the agents of every package by the same function, so a request that goes to the third agent
//! elsewhere leaves through the third at home. It counts as out until its data has come.

use zerohop_machine::PackageId;

use crate::simulation::Simulation;
use crate::time::Ticks;
use crate::token::{Packet, Queue, State};

/// Requests of an agent's own package that are out, and those that wait to leave.
#[derive(Debug)]
pub(crate) struct Outbound {
    pub(crate) out: u32,
    queue: Queue,
}

impl Outbound {
    pub(crate) const NONE: Self = Self { out: 0, queue: Queue::EMPTY };

    #[cfg(test)]
    pub(crate) const fn is_idle(&self) -> bool {
        self.out == 0 && self.queue.is_empty()
    }
}

impl Simulation {
    /// Whether a fill that will be at its router at `ready` has to wait until another has come back; if not, it is out.
    pub(crate) fn waits_to_leave(&mut self, id: u32, ready: Ticks) -> bool {
        let token = &mut self.tokens[id];
        let package = self.requesters[token.worker as usize].package;
        let Some(agent) = self.tables.way_out(package, token.home) else { return false };
        let limit = self.tables.homes[agent as usize].outbound_limit;
        let outbound = &mut self.homes[agent as usize].outbound;
        if outbound.out < limit {
            outbound.out += 1;
            return false;
        }
        token.not_before = ready;
        token.state = State::FillToHome;
        outbound.queue.push(&mut self.tokens, id);
        true
    }

    /// A package's fill from that home agent is back: the next one that waits may leave.
    pub(crate) fn came_back(&mut self, package: Option<PackageId>, home: u16) {
        let Some(agent) = self.tables.way_out(package, home) else { return };
        let outbound = &mut self.homes[agent as usize].outbound;
        let Some(next) = outbound.queue.pop(&self.tokens) else {
            outbound.out -= 1;
            return;
        };
        let token = &self.tokens[next];
        let at = token.not_before.max(self.wheel.now());
        let (from, to) =
            (self.requesters[token.worker as usize].router, self.tables.homes[token.home as usize].router);
        let at = if from == to { at + self.tables.homes[token.home as usize].latency } else { at };
        self.set_out(next, State::FillToHome, Packet::Request, from, to);
        self.schedule(next, at);
    }
}
