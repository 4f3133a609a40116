//! A home agent: its table, the requests that wait for room in it, and its slots.
//!
//! Class 0 is requests of cores of its own package, class 1 all others.

use crate::home_facts::HomeFacts;
use crate::outbound::Outbound;
use crate::pipeline::Pipeline;
use crate::time::{Fine, Ticks, of_tick, tick_after};
use crate::token::{Queue, State, Tokens};

/// The state of a home agent.
#[derive(Debug)]
pub(crate) struct Home {
    /// When it can look at the next packet.
    busy: Fine,
    /// Requests in its table, by class.
    used: [u32; 2],
    /// Requests that wait for room, by class.
    queues: [Queue; 2],
    /// The class that is served next.
    turn: usize,
    /// Request-ticks in the table, the time of the last change of occupancy, and ticks waited.
    occupied: u64,
    changed: Ticks,
    waited: Ticks,
    rejected: u64,
    /// Packets that wait for its next slot, where requests have priority.
    pipeline: Pipeline,
    /// Its own package's requests to memory elsewhere.
    outbound: Outbound,
}

impl Home {
    pub(crate) const IDLE: Self = Self {
        busy: 0,
        used: [0; 2],
        queues: [Queue::EMPTY; 2],
        turn: 0,
        occupied: 0,
        changed: 0,
        waited: 0,
        rejected: 0,
        pipeline: Pipeline::EMPTY,
        outbound: Outbound::NONE,
    };

    fn in_table(&self) -> u32 {
        self.used[0] + self.used[1]
    }

    /// Request-ticks in the table up to `now`.
    pub(crate) fn occupied(&self, now: Ticks) -> u64 {
        self.occupied + u64::from(self.in_table()) * (now - self.changed)
    }

    /// Request-ticks waited for room or for a slot up to `now`.
    pub(crate) fn waited(&self, now: Ticks) -> Ticks {
        let queues = self.queues.iter().map(|queue| u64::from(queue.length())).sum::<u64>();
        self.waited.wrapping_add((queues + self.pipeline.waiting()).wrapping_mul(now))
    }

    /// Requests that found no room and were retried.
    pub(crate) const fn rejected(&self) -> u64 {
        self.rejected
    }

    /// Its own package's requests to memory elsewhere.
    #[inline]
    pub(crate) const fn outbound(&mut self) -> &mut Outbound {
        &mut self.outbound
    }

    /// Brings the count of request-ticks up to `now`.
    #[inline]
    fn settle(&mut self, now: Ticks) {
        self.occupied += u64::from(self.in_table()) * (now - self.changed);
        self.changed = now;
    }

    /// Takes its next free slot from `now` on.
    #[inline]
    pub(crate) fn slot(&mut self, facts: &HomeFacts, now: Ticks) -> Fine {
        let start = self.busy.max(of_tick(now));
        self.busy = start + facts.slot;
        start
    }

    /// Lets a request of that class into the table, if there is room and none waits before it.
    #[inline(always)]
    pub(crate) fn try_enter(&mut self, facts: &HomeFacts, class: usize, now: Ticks) -> bool {
        if !self.has_room(facts, class) || !self.queues[class].is_empty() {
            return false;
        }
        self.settle(now);
        self.enter(class);
        true
    }

    #[inline(always)]
    fn has_room(&self, facts: &HomeFacts, class: usize) -> bool {
        self.in_table() < facts.table && self.used[class] < facts.limits[class]
    }

    #[inline(always)]
    fn enter(&mut self, class: usize) {
        self.used[class] += 1;
    }

    /// There is no room for a request, which will be retried.
    #[inline]
    pub(crate) const fn reject(&mut self) {
        self.rejected += 1;
    }

    /// There is no room for a request of that class, which waits.
    #[inline]
    pub(crate) fn wait(&mut self, class: usize, tokens: &mut Tokens, id: u32, now: Ticks) {
        self.waited = self.waited.wrapping_sub(now);
        self.queues[class].push(tokens, id);
    }

    /// A request of that class leaves the table; returns whether others wait for room.
    #[inline(always)]
    pub(crate) fn leave(&mut self, class: usize, now: Ticks) -> bool {
        self.settle(now);
        self.used[class] -= 1;
        !(self.queues[0].is_empty() && self.queues[1].is_empty())
    }

    /// Admits the next request for which there is room now; returns it and the time from which on it is looked at.
    /// Classes take turns.
    pub(crate) fn take_waiting(
        &mut self,
        facts: &HomeFacts,
        tokens: &Tokens,
        now: Ticks,
    ) -> Option<(u32, Fine)> {
        if self.in_table() >= facts.table {
            return None;
        }
        let can = |class: usize| !self.queues[class].is_empty() && self.used[class] < facts.limits[class];
        let class = if can(self.turn) { self.turn } else { 1 - self.turn };
        if !can(class) {
            return None;
        }
        let id = self.queues[class].pop(tokens)?;
        self.turn = 1 - class;
        self.waited = self.waited.wrapping_add(now);
        self.enter(class);
        Some((id, self.busy.max(of_tick(now))))
    }

    /// A token waits for a slot of an agent that prioritizes requests.
    pub(crate) fn line_up(&mut self, tokens: &mut Tokens, id: u32, now: Ticks) {
        self.waited = self.waited.wrapping_sub(now);
        if tokens[id].state == State::FillToHome {
            self.pipeline.push_request(tokens, id, now);
        } else {
            self.pipeline.push_other(tokens, id);
        }
    }

    /// A request that found no room stays, and may be looked at again from `ready` on.
    pub(crate) fn line_up_again(&mut self, tokens: &mut Tokens, id: u32, ready: Ticks, now: Ticks) {
        self.waited = self.waited.wrapping_sub(now);
        self.pipeline.push_again(tokens, id, ready);
    }

    /// The delay with which requests circulate, if that is all that happens: they take one slot after the other, and there is no room
    /// for any of them. That changes only when something reaches the agent, or with the turn of another packet.
    fn rejects_all(&self, facts: &HomeFacts) -> Option<Ticks> {
        let delay =
            facts.recirculation.filter(|&delay| self.pipeline.keeps_to_requests(facts.slot, delay))?;
        let finds_room = |class| self.pipeline.requests_of(class) > 0 && self.has_room(facts, class);
        (!finds_room(0) && !finds_room(1)).then_some(delay)
    }

    /// Takes the slots before `now` in which requests only circulated; returns whether that is still all that happens. Of what happens in
    /// one tick, such a slot comes last.
    pub(crate) fn catch_up(&mut self, facts: &HomeFacts, tokens: &mut Tokens, now: Ticks) -> bool {
        let circulate = if self.pipeline.has_slot() { None } else { self.rejects_all(facts) };
        let Some(delay) = circulate else { return false };
        let slots = [self.busy, facts.slot];
        let (rejected, busy) = self.pipeline.pass_over(tokens, slots, delay, now);
        self.rejected += rejected;
        self.busy = busy;
        true
    }

    /// The wake-up to put on the calendar and when it is due, if anything waits for a slot and it is not there yet.
    pub(crate) fn arm(&mut self, facts: &HomeFacts, tokens: &Tokens, now: Ticks) -> Option<(usize, Ticks)> {
        if self.rejects_all(facts).is_some() {
            let most = facts.requests_in_a_row.unwrap_or(u32::MAX);
            let (wake_up, looks) = self.pipeline.arm_turn(most)?;
            return Some((wake_up, tick_after(self.busy + u64::from(looks) * facts.slot).max(now)));
        }
        let (wake_up, ready) = self.pipeline.arm(tokens, now)?;
        Some((wake_up, tick_after(self.busy).max(ready)))
    }

    /// Takes the packet for the slot that begins now, if the agent has one and anything waits; returns it and the
    /// start of the slot.
    pub(crate) fn take_slot(
        &mut self,
        facts: &HomeFacts,
        wake_up: usize,
        tokens: &Tokens,
        now: Ticks,
    ) -> Option<(u32, Fine)> {
        self.pipeline.disarm(wake_up);
        if tick_after(self.busy) > now {
            return None;
        }
        let most = facts.requests_in_a_row.unwrap_or(u32::MAX);
        let id = self.pipeline.pop(tokens, most, now)?;
        self.waited = self.waited.wrapping_add(now);
        // If a packet has waited for the slot, the next slot follows at once; otherwise it begins now.
        let start = if tick_after(self.busy) == now { self.busy } else { self.busy.max(of_tick(now)) };
        self.busy = start + facts.slot;
        Some((id, start))
    }

    /// Checks that it holds no more than it may.
    ///
    /// # Panics
    /// When it does.
    #[cfg(debug_assertions)]
    pub(crate) fn audit(&self, facts: &HomeFacts, rank: usize) {
        assert!(self.in_table() <= facts.table, "home agent {rank} holds more than its table");
        assert!(self.used[0] <= facts.limits[0] && self.used[1] <= facts.limits[1]);
        let out = self.outbound.out();
        assert!(out <= facts.outbound_limit, "home agent {rank} lets out more than it may");
    }

    /// Checks that it is empty and nobody waits.
    ///
    /// # Panics
    /// If it is not.
    #[cfg(test)]
    pub(crate) fn assert_is_idle(&self) {
        assert_eq!(self.used, [0, 0], "every table must be empty");
        assert!(self.queues.iter().all(Queue::is_empty));
        assert!(self.pipeline.is_empty());
        assert!(self.outbound.is_idle(), "no request may be outstanding");
    }
}
