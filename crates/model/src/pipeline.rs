//! A home agent that prioritizes requests: the packets that wait for its next slot, and whose turn it is.
//!
//! Everything that a home agent looks at takes one of its slots: a request, even one that it then rejects; a line
//! that memory has read, which frees its place in the table; the message that a fill is done; a write. An agent that
//! prioritizes requests looks at the others only while no request waits, or after a fixed number of requests in a
//! row. While there is room in the table this is harmless, because every request that it looks at moves on. Where
//! rejected requests are retried, they can take nearly all slots, and the packets that would make room for them wait.

use crate::time::Ticks;
use crate::token::{Queue, Tokens};

/// A home agent's wake-ups: a new request must not wait until an older one may be looked at again.
pub(crate) const WAKE_UPS: usize = 2;
const SLOT: usize = 0;
const AGAIN: usize = 1;

/// The packets that wait for a home agent's next slot.
#[derive(Debug)]
pub(crate) struct Pipeline {
    requests: Queue,
    /// Requests that found no room and stay, in the order in which they may be looked at again.
    again: Queue,
    others: Queue,
    /// Requests looked at since another packet had its turn, or since one arrived.
    in_a_row: u32,
    /// Whether its wake-ups are on the calendar: the one for its next slot, and the one for the first request that
    /// may be looked at again.
    armed: [bool; WAKE_UPS],
}

impl Pipeline {
    pub(crate) const EMPTY: Self = Self {
        requests: Queue::EMPTY,
        again: Queue::EMPTY,
        others: Queue::EMPTY,
        in_a_row: 0,
        armed: [false; WAKE_UPS],
    };

    /// Adds a request that has just arrived.
    pub(crate) fn push_request(&mut self, tokens: &mut Tokens, id: u32, now: Ticks) {
        tokens[id].not_before = now;
        self.requests.push(tokens, id);
    }

    /// Adds a request that may be looked at again from `ready` on.
    pub(crate) fn push_again(&mut self, tokens: &mut Tokens, id: u32, ready: Ticks) {
        tokens[id].not_before = ready;
        self.again.push(tokens, id);
    }

    /// Adds a packet that is not a request.
    pub(crate) fn push_other(&mut self, tokens: &mut Tokens, id: u32) {
        self.others.push(tokens, id);
    }

    /// The next wake-up and its earliest time, if anything waits and it is not on the calendar yet; it counts as on
    /// the calendar from now on.
    pub(crate) fn arm(&mut self, tokens: &Tokens, now: Ticks) -> Option<(usize, Ticks)> {
        let (wake_up, ready) = self.next(tokens, now)?;
        let was_armed = std::mem::replace(&mut self.armed[wake_up], true);
        (!was_armed).then_some((wake_up, ready))
    }

    /// A wake-up is off the calendar.
    pub(crate) const fn disarm(&mut self, wake_up: usize) {
        self.armed[wake_up] = false;
    }

    #[cfg(test)]
    pub(crate) const fn is_empty(&self) -> bool {
        self.requests.is_empty() && self.again.is_empty() && self.others.is_empty()
    }

    pub(crate) fn waiting(&self) -> u64 {
        [self.requests, self.again, self.others].iter().map(|queue| u64::from(queue.length())).sum()
    }

    /// The queue whose first request may be looked at next, and since when: of the two queues, the earlier one.
    fn first_request(&self, tokens: &Tokens) -> Option<(bool, Ticks)> {
        let again = self.again.first().map(|id| (true, tokens[id].not_before));
        let fresh = self.requests.first().map(|id| (false, tokens[id].not_before));
        match (again, fresh) {
            (Some(again), Some(fresh)) => Some(if again.1 <= fresh.1 { again } else { fresh }),
            (again, fresh) => again.or(fresh),
        }
    }

    /// The next wake-up and its earliest time: a packet is ready, or will be.
    fn next(&self, tokens: &Tokens, now: Ticks) -> Option<(usize, Ticks)> {
        if !self.others.is_empty() || !self.requests.is_empty() {
            return Some((SLOT, now));
        }
        let ready = tokens[self.again.first()?].not_before;
        Some(if ready <= now { (SLOT, now) } else { (AGAIN, ready) })
    }

    /// The packet to look at now, if any.
    pub(crate) fn pop(&mut self, tokens: &Tokens, most_in_a_row: u32, now: Ticks) -> Option<u32> {
        let request = self.first_request(tokens).filter(|&(_, ready)| ready <= now);
        let Some((again, _)) = request.filter(|_| self.others.is_empty() || self.in_a_row < most_in_a_row)
        else {
            self.in_a_row = 0;
            return self.others.pop(tokens);
        };
        self.in_a_row = if self.others.is_empty() { 0 } else { self.in_a_row + 1 };
        if again { self.again.pop(tokens) } else { self.requests.pop(tokens) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pipeline with these requests and others in it.
    fn pipeline(
        tokens: &mut Tokens,
        requests: std::ops::Range<u32>,
        others: std::ops::Range<u32>,
    ) -> Pipeline {
        let mut pipeline = Pipeline::EMPTY;
        requests.for_each(|id| pipeline.requests.push(tokens, id));
        others.for_each(|id| pipeline.others.push(tokens, id));
        pipeline
    }

    #[test]
    fn others_get_their_turn_after_enough_requests_in_a_row() {
        let mut tokens = Tokens::new(16);
        let mut pipeline = pipeline(&mut tokens, 0..8, 8..11);
        let order: Vec<u32> = std::iter::from_fn(|| pipeline.pop(&tokens, 3, 0)).collect();
        assert_eq!(order, [0, 1, 2, 8, 3, 4, 5, 9, 6, 7, 10]);
        assert!(pipeline.is_empty());
    }

    #[test]
    fn requests_count_only_while_another_packet_waits() {
        let mut tokens = Tokens::new(16);
        let mut pipeline = pipeline(&mut tokens, 0..6, 0..0);
        assert_eq!((0..4).filter_map(|_| pipeline.pop(&tokens, 3, 0)).count(), 4);
        pipeline.others.push(&mut tokens, 9);
        assert_eq!(pipeline.pop(&tokens, 3, 0), Some(4), "the first request that the packet waits behind");
    }

    #[test]
    fn a_request_that_stays_takes_no_slot_before_its_time() {
        let mut tokens = Tokens::new(16);
        let mut pipeline = pipeline(&mut tokens, 0..0, 0..0);
        tokens[3].not_before = 20;
        pipeline.again.push(&mut tokens, 3);
        assert_eq!((pipeline.next(&tokens, 10), pipeline.pop(&tokens, 3, 10)), (Some((AGAIN, 20)), None));
        tokens[4].not_before = 15;
        pipeline.requests.push(&mut tokens, 4);
        let order: Vec<u32> = std::iter::from_fn(|| pipeline.pop(&tokens, 3, 20)).collect();
        assert_eq!(order, [4, 3], "the one that is ready first comes first");
    }
}
