//! The limit on requests that a home agent's own package has out to other packages' memory.
//!
//! Lines are spread over the agents of every package by the same function, so a request that goes to the third agent
//! elsewhere leaves through the third at home. It counts as out until its data has come.

use crate::token::{Queue, Tokens};

/// Requests of an agent's own package that are out, and those that wait to leave.
#[derive(Debug)]
pub(crate) struct Outbound {
    out: u32,
    queue: Queue,
}

impl Outbound {
    pub(crate) const NONE: Self = Self { out: 0, queue: Queue::EMPTY };

    /// Lets a request out, if fewer than `limit` are; otherwise it waits.
    pub(crate) fn leave(&mut self, limit: u32, tokens: &mut Tokens, id: u32) -> bool {
        if self.out < limit {
            self.out += 1;
            return true;
        }
        self.queue.push(tokens, id);
        false
    }

    /// A request is back: gives the one that waits and may leave in its place, if any does.
    pub(crate) fn come_back(&mut self, tokens: &Tokens) -> Option<u32> {
        let next = self.queue.pop(tokens);
        self.out -= u32::from(next.is_none());
        next
    }

    /// Requests that are out.
    #[cfg(debug_assertions)]
    pub(crate) const fn out(&self) -> u32 {
        self.out
    }

    #[cfg(test)]
    pub(crate) const fn is_idle(&self) -> bool {
        self.out == 0 && self.queue.is_empty()
    }
}
