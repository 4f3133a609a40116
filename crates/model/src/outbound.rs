//! The limit on outstanding requests of a home agent's own package to other packages' memory.
//!
//! Lines are spread over the agents of every package by the same function, so a request to the third agent elsewhere
//! leaves through the third at home. It counts as outstanding until its data has arrived.

use crate::token::{Queue, Tokens};

/// Outstanding requests of an agent's own package, and those that wait to leave.
#[derive(Debug)]
pub(crate) struct Outbound {
    out: u32,
    queue: Queue,
}

impl Outbound {
    pub(crate) const NONE: Self = Self { out: 0, queue: Queue::EMPTY };

    /// Lets a request out, if fewer than `limit` are outstanding; otherwise it waits.
    pub(crate) fn leave(&mut self, limit: u32, tokens: &mut Tokens, id: u32) -> bool {
        if self.out < limit {
            self.out += 1;
            return true;
        }
        self.queue.push(tokens, id);
        false
    }

    /// A request is back: returns the waiting request that may leave in its place, if any.
    pub(crate) fn come_back(&mut self, tokens: &Tokens) -> Option<u32> {
        let next = self.queue.pop(tokens);
        self.out -= u32::from(next.is_none());
        next
    }

    #[cfg(debug_assertions)]
    pub(crate) const fn out(&self) -> u32 {
        self.out
    }

    #[cfg(test)]
    pub(crate) const fn is_idle(&self) -> bool {
        self.out == 0 && self.queue.is_empty()
    }
}
