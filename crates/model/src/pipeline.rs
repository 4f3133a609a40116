//! A home agent that prioritizes requests: the packets that wait for its next slot, and whose turn it is.
//!
//! Everything that a home agent looks at takes one of its slots: a request, even one that it then rejects; a line
//! that memory has read, which frees its place in the table; the message that a fill is done; a write. An agent that
//! prioritizes requests looks at the others only while no request waits, or after a fixed number of requests in a
//! row. While there is room in the table this is harmless, because every request that it looks at moves on. Where
//! rejected requests are retried, they can take nearly all slots, and the packets that would make room for them wait.

//!
//! While there is no room for any of the requests that wait, each slot only moves one of them to the end of its queue. Such slots are not
//! events: the agent takes them all at once when something reaches it, or when another packet gets its turn.

use crate::time::{Fine, Ticks, of_tick, tick_after};
use crate::token::{Queue, Tokens};

/// A home agent's wake-ups: a new request must not wait until an older one may be looked at again, nor until another packet has its turn.
pub(crate) const WAKE_UPS: usize = 3;
const SLOT: usize = 0;
const AGAIN: usize = 1;
const TURN: usize = 2;

/// The packets that wait for a home agent's next slot.
#[derive(Debug)]
pub(crate) struct Pipeline {
    requests: Queue,
    /// Requests that found no room and stay, in the order in which they may be looked at again.
    again: Queue,
    others: Queue,
    /// Requests that wait, by class.
    requests_of: [u32; 2],
    /// Requests looked at since another packet had its turn, or since one arrived.
    in_a_row: u32,
    /// Whether its wake-ups are on the calendar: the one for its next slot, the one for the first request that may be looked at again,
    /// and the one for the turn of another packet.
    armed: [bool; WAKE_UPS],
}

impl Pipeline {
    pub(crate) const EMPTY: Self = Self {
        requests: Queue::EMPTY,
        again: Queue::EMPTY,
        others: Queue::EMPTY,
        requests_of: [0; 2],
        in_a_row: 0,
        armed: [false; WAKE_UPS],
    };

    /// Adds a request that has just arrived.
    pub(crate) fn push_request(&mut self, tokens: &mut Tokens, id: u32, now: Ticks) {
        tokens[id].not_before = now;
        self.requests_of[tokens[id].class()] += 1;
        self.requests.push(tokens, id);
    }

    /// Adds a request that may be looked at again from `ready` on.
    pub(crate) fn push_again(&mut self, tokens: &mut Tokens, id: u32, ready: Ticks) {
        tokens[id].not_before = ready;
        self.requests_of[tokens[id].class()] += 1;
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

    /// The wake-up for the turn of another packet, and how many requests are looked at before it, if one waits and the wake-up is not on
    /// the calendar yet; it counts as on the calendar from now on. One that is, from an earlier time, is not later than that.
    pub(crate) fn arm_turn(&mut self, most_in_a_row: u32) -> Option<(usize, u32)> {
        if self.others.is_empty() || std::mem::replace(&mut self.armed[TURN], true) {
            return None;
        }
        Some((TURN, most_in_a_row.saturating_sub(self.in_a_row)))
    }

    /// Whether its next slot is on the calendar.
    pub(crate) const fn has_slot(&self) -> bool {
        self.armed[SLOT]
    }

    /// Requests of that class that wait.
    pub(crate) const fn requests_of(&self, class: usize) -> u32 {
        self.requests_of[class]
    }

    /// A wake-up is off the calendar.
    pub(crate) const fn disarm(&mut self, wake_up: usize) {
        self.armed[wake_up] = false;
    }

    /// Whether only requests get slots as long as each of them stays: no other packet waits, or they take one slot after the other. They do
    /// where the first may be looked at again by the time that all have been looked at.
    pub(crate) fn keeps_to_requests(&self, slot: Fine, delay: Ticks) -> bool {
        let requests = u64::from(self.requests_of[0] + self.requests_of[1]);
        requests > 0 && (self.others.is_empty() || requests * slot >= of_tick(delay))
    }

    /// Looks at requests without room for them in all slots before `now`, from `busy` on; returns how many, and when the agent is free.
    pub(crate) fn pass_over(
        &mut self,
        tokens: &mut Tokens,
        [busy, slot]: [Fine; 2],
        delay: Ticks,
        now: Ticks,
    ) -> (u64, Fine) {
        let (mut looks, mut free) = (0, busy);
        while let Some((again, ready)) = self.first_request(tokens) {
            let at = tick_after(free).max(ready);
            if at >= now {
                break;
            }
            let queue = if again { &mut self.again } else { &mut self.requests };
            let Some(id) = queue.pop(tokens) else { break };
            tokens[id].not_before = at + delay;
            self.again.push(tokens, id);
            looks += 1;
            let start = if tick_after(free) == at { free } else { of_tick(at) };
            free = start + slot;
        }
        self.in_a_row = if self.others.is_empty() { 0 } else { self.in_a_row + looks as u32 };
        (looks, free)
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
        let id = if again { self.again.pop(tokens) } else { self.requests.pop(tokens) }?;
        self.requests_of[tokens[id].class()] -= 1;
        Some(id)
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
        requests.for_each(|id| pipeline.push_request(tokens, id, 0));
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
        pipeline.push_again(&mut tokens, 3, 20);
        assert_eq!((pipeline.next(&tokens, 10), pipeline.pop(&tokens, 3, 10)), (Some((AGAIN, 20)), None));
        pipeline.push_request(&mut tokens, 4, 15);
        let order: Vec<u32> = std::iter::from_fn(|| pipeline.pop(&tokens, 3, 20)).collect();
        assert_eq!(order, [4, 3], "the one that is ready first comes first");
    }
}
