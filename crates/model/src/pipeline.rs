//! A home agent that prefers requests: what waits for its next slot, and whose turn it is.
//!
//! Everything that a home agent looks at takes one of its slots: a request, also one that it then sends back; a line that
//! memory has read, which gives its place in the table up; word of a fill's end; a write. An agent that prefers requests
//! looks at the others only while no request waits, or after so many requests in a row. While there is room in the table
//! that is harmless, for every request that is looked at is one that goes on. Where rejected requests come again, they can
//! take nearly all slots, and what would make room for them waits.

use crate::event::Event;
use crate::simulation::Simulation;
use crate::stages;
use crate::time::{Ticks, of_tick, tick_after};
use crate::token::{Queue, State, Tokens};

/// A home agent's wake-ups: what is new must not wait until a request may be looked at again.
pub(crate) const WAKE_UPS: usize = 2;
const SLOT: usize = 0;
const AGAIN: usize = 1;

/// What waits for a home agent's next slot.
#[derive(Debug)]
pub(crate) struct Pipeline {
    requests: Queue,
    /// Requests that were looked at in vain and stay, in the order in which they may be looked at again.
    again: Queue,
    others: Queue,
    /// Requests looked at since another had its turn, or was there at all.
    in_a_row: u32,
    /// Whether its wake-ups are on the calendar: that for its next slot, and that for the first request that may be
    /// looked at again.
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

    #[cfg(test)]
    pub(crate) const fn is_empty(&self) -> bool {
        self.requests.is_empty() && self.again.is_empty() && self.others.is_empty()
    }

    pub(crate) fn waiting(&self) -> u64 {
        [self.requests, self.again, self.others].iter().map(|queue| u64::from(queue.length)).sum()
    }

    /// The queue of requests whose first may be looked at next, and since when: of both, the one that could be first.
    fn first_request(&self, tokens: &Tokens) -> Option<(bool, Ticks)> {
        let again = self.again.first().map(|id| (true, tokens[id].not_before));
        let fresh = self.requests.first().map(|id| (false, tokens[id].not_before));
        match (again, fresh) {
            (Some(again), Some(fresh)) => Some(if again.1 <= fresh.1 { again } else { fresh }),
            (again, fresh) => again.or(fresh),
        }
    }

    /// The wake-up that comes next, and not before when: there is something to look at, or there will be again.
    fn next(&self, tokens: &Tokens, now: Ticks) -> Option<(usize, Ticks)> {
        if !self.others.is_empty() || !self.requests.is_empty() {
            return Some((SLOT, now));
        }
        let ready = tokens[self.again.first()?].not_before;
        Some(if ready <= now { (SLOT, now) } else { (AGAIN, ready) })
    }

    /// What is looked at now, if anything can be.
    fn pop(&mut self, tokens: &Tokens, most_in_a_row: u32, now: Ticks) -> Option<u32> {
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

impl Simulation {
    /// A token at its home agent waits for a slot.
    pub(crate) fn line_up(&mut self, id: u32, rank: usize) {
        let now = self.wheel.now();
        let home = &mut self.homes[rank];
        home.waited = home.waited.wrapping_sub(now);
        let pipeline = &mut home.pipeline;
        if self.tokens[id].state == State::FillToHome {
            self.tokens[id].not_before = now;
            pipeline.requests.push(&mut self.tokens, id);
        } else {
            pipeline.others.push(&mut self.tokens, id);
        }
        self.arm_home(rank);
    }

    /// A request for which there was no room stays, and may be looked at again from `ready` on.
    pub(crate) fn line_up_again(&mut self, id: u32, rank: usize, ready: Ticks) {
        let now = self.wheel.now();
        self.tokens[id].not_before = ready;
        let home = &mut self.homes[rank];
        home.waited = home.waited.wrapping_sub(now);
        home.pipeline.again.push(&mut self.tokens, id);
        self.arm_home(rank);
    }

    /// Puts a home agent's next slot on the calendar, if anything waits for it.
    fn arm_home(&mut self, rank: usize) {
        let now = self.wheel.now();
        let home = &mut self.homes[rank];
        let Some((wake_up, ready)) = home.pipeline.next(&self.tokens, now) else { return };
        if !home.pipeline.armed[wake_up] {
            home.pipeline.armed[wake_up] = true;
            let at = tick_after(home.busy).max(ready);
            let number = self.first_home + (rank * WAKE_UPS + wake_up) as u32;
            self.wheel.push(Event::new(State::HomeReady, number), at);
        }
    }

    /// A home agent may have a slot for what waits.
    pub(crate) fn next_slot(&mut self, event: u32) {
        let (rank, wake_up) = (event as usize / WAKE_UPS, event as usize % WAKE_UPS);
        let now = self.wheel.now();
        let table = &self.tables.homes[rank];
        let home = &mut self.homes[rank];
        home.pipeline.armed[wake_up] = false;
        let most = table.requests_in_a_row.unwrap_or(u32::MAX);
        let free = tick_after(home.busy) <= now;
        let Some(id) = free.then(|| home.pipeline.pop(&self.tokens, most, now)).flatten() else {
            self.arm_home(rank);
            return;
        };
        home.waited = home.waited.wrapping_add(now);
        // With what has waited for the slot the next follows at once; otherwise it begins now.
        let start = if tick_after(home.busy) == now { home.busy } else { home.busy.max(of_tick(now)) };
        home.busy = start + table.slot;
        match self.tokens[id].state {
            State::FillToHome => self.look_at(id, start),
            State::WriteToHome => self.pass_on(id, start),
            State::Done => self.close(id),
            _ => self.answer_read(id),
        }
        self.arm_home(rank);
    }

    /// A home agent looks at the line that memory has read, and it goes on.
    fn answer_read(&mut self, id: u32) {
        let now = self.wheel.now();
        let token = &mut self.tokens[id];
        self.stages.end(token, stages::HOME, now);
        let from = self.tables.channel_router[token.channel as usize];
        let to = self.requesters[token.worker as usize].router;
        self.send_line(id, from, to);
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
    fn requests_go_first_until_others_have_waited_for_enough_of_them() {
        let mut tokens = Tokens::new(16);
        let mut pipeline = pipeline(&mut tokens, 0..8, 8..11);
        let order: Vec<u32> = std::iter::from_fn(|| pipeline.pop(&tokens, 3, 0)).collect();
        assert_eq!(order, [0, 1, 2, 8, 3, 4, 5, 9, 6, 7, 10]);
        assert!(pipeline.is_empty());
    }

    #[test]
    fn requests_that_nothing_waits_behind_do_not_count() {
        let mut tokens = Tokens::new(16);
        let mut pipeline = pipeline(&mut tokens, 0..6, 0..0);
        assert_eq!((0..4).filter_map(|_| pipeline.pop(&tokens, 3, 0)).count(), 4);
        pipeline.others.push(&mut tokens, 9);
        assert_eq!(pipeline.pop(&tokens, 3, 0), Some(4), "the first that it waits behind");
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
        assert_eq!(order, [4, 3], "the one that could be looked at first");
    }
}
