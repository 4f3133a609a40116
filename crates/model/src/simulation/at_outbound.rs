//! Requests to memory of another package, or at another router: they leave through an agent of their own, which limits how many
//! are outstanding.

use super::Simulation;
use crate::time::Ticks;
use crate::token::{Packet, State};

impl Simulation {
    /// Whether a fill that will be at its router at `ready` has to wait until another has come back; if not, it
    /// counts as outstanding.
    pub(super) fn waits_to_leave(&mut self, id: u32, ready: Ticks) -> bool {
        let Some(agent) = self.exit_of(self.tokens[id].worker, self.tokens[id].home) else { return false };
        let limit = self.tables.homes[agent as usize].outbound_limit;
        if self.homes[agent as usize].outbound().leave(limit, &mut self.tokens, id) {
            return false;
        }
        let token = &mut self.tokens[id];
        token.not_before = ready;
        token.state = State::FillToHome;
        true
    }

    /// The agent through which a worker's request to that home agent leaves, if any limits them.
    fn exit_of(&self, worker: u16, home: u16) -> Option<u16> {
        let requester = &self.requesters[worker as usize];
        self.tables.exit_of(requester.package, requester.router, home)
    }

    /// A worker's fill from that home agent is back: the next waiting request may leave.
    pub(super) fn came_back(&mut self, worker: u16, home: u16) {
        let Some(agent) = self.exit_of(worker, home) else { return };
        let Some(next) = self.homes[agent as usize].outbound().come_back(&self.tokens) else { return };
        let token = &self.tokens[next];
        let at = token.not_before.max(self.now());
        let (from, to) = (self.router_of(token.worker), self.tables.homes[token.home as usize].router);
        let at = if from == to { at + self.tables.homes[token.home as usize].latency } else { at };
        self.set_out_at(next, State::FillToHome, Packet::Request, [from, to], at);
    }
}
