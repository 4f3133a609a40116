//! A running simulation: the event loop, and which step each event takes.
//!
//! ```text
//! issue -> router -> links -> home agent -> memory -> links -> router -> complete -> issue …
//!                                 \-> probes -> answers -/
//! ```
//!
//! Each part of the machine (a link, a home agent, a channel) keeps its state in a file of its own; the steps that
//! packets take there are in the files below this one, `at_link.rs`, `at_home.rs` and so on.
//!
//! Steps that nothing can interleave with are one event. A shared server (a wire, a home agent, a memory bus) is used
//! only when a packet is there, never ahead of time.

mod at_channel;
mod at_core;
mod at_home;
mod at_link;
mod at_outbound;
mod at_pipeline;
mod at_probes;
mod at_side_cache;
mod start;
#[cfg(test)]
mod tests;

use std::hint::select_unpredictable;

use zerohop_workload::{EngineError, StopFlag};

use crate::channel::Channel;
use crate::event::Event;
use crate::home::Home;
use crate::links::Links;
use crate::requester::Requester;
use crate::side_cache::SideCache;
use crate::stages::Stages;
use crate::tables::Tables;
use crate::time::Ticks;
use crate::token::{Packet, State, Tokens};
use crate::wheel::Wheel;

/// Events between two checks of the stop flag: a fraction of a millisecond, and few enough checks to cost nothing.
const EVENTS_BETWEEN_LOOKS: u64 = 1 << 13;

#[derive(Debug)]
pub(crate) struct Simulation {
    tables: Tables,
    wheel: Wheel,
    tokens: Tokens,
    links: Links,
    homes: Vec<Home>,
    channels: Vec<Channel>,
    /// By memory of a node, the cache in front of it.
    side_caches: Vec<Option<SideCache>>,
    requesters: Vec<Requester>,
    /// Numbers on the calendar below this one are tokens; above are wires, then home agents.
    first_wire: u32,
    first_home: u32,
    stages: Stages,
    /// Whether workers still issue lines; when they do not, everything in flight drains.
    asking: bool,
    /// Events so far, and fills and writes issued and completed.
    events: u64,
    issued: u64,
    completed: u64,
    stop: StopFlag,
    /// Packets sent, by router, destination and kind: the wires' counts are checked against these.
    #[cfg(debug_assertions)]
    set_out: Vec<[u64; Packet::COUNT]>,
}

impl Simulation {
    #[inline(always)]
    pub(crate) fn now(&self) -> Ticks {
        self.wheel.now()
    }

    /// Events that have happened so far.
    pub(crate) const fn events(&self) -> u64 {
        self.events
    }

    /// Fills and writes completed so far.
    pub(crate) const fn completed(&self) -> u64 {
        self.completed
    }

    pub(crate) const fn links(&self) -> &Links {
        &self.links
    }

    pub(crate) fn homes(&self) -> &[Home] {
        &self.homes
    }

    pub(crate) fn channels(&self) -> &[Channel] {
        &self.channels
    }

    /// All workers that access memory.
    pub(crate) fn requesters(&self) -> &[Requester] {
        &self.requesters
    }

    /// Where the time of the foreground's fills went so far.
    pub(crate) const fn stages(&self) -> Stages {
        self.stages
    }

    /// Runs all events up to `until`.
    ///
    /// # Errors
    /// When the stop flag is raised before that.
    pub(crate) fn run_until(&mut self, until: Ticks) -> Result<(), EngineError> {
        while let Some(event) = self.wheel.pop(until) {
            self.events += 1;
            self.happen(event);
            if self.events.is_multiple_of(EVENTS_BETWEEN_LOOKS) {
                self.stop.check()?;
            }
        }
        for (home, facts) in self.homes.iter_mut().zip(self.tables.homes.iter()) {
            home.catch_up(facts, &mut self.tokens, until + 1);
        }
        Ok(())
    }

    #[inline(always)]
    fn happen(&mut self, event: Event) {
        let id = event.number();
        // A single jump for everything: each unpredictable one costs as much as fifty instructions.
        match event.state() {
            State::OnItsWay => self.depart(id),
            State::WireReady => self.wake(id - self.first_wire),
            State::HomeReady => self.next_slot(id - self.first_home),
            State::Probe => self.probe(id),
            State::ProbeAnswered => self.answer(id),
            State::FillFromMemory => self.data_read(id),
            State::FillComplete => self.complete(id),
            State::FillCollected => self.all_collected(id),
            State::WriteTaken => self.acknowledge(id),
            State::FillToHome => self.fill_at_home(id),
            State::FillToChannel => self.fill_at_channel(id),
            State::FillRejected => self.try_again(id),
            State::FillRecirculates => self.look_again(id),
            State::Answer => self.cache_asked(id),
            State::Done => self.done_arrived(id),
            State::WriteToHome => self.write_at_home(id),
            State::WriteToChannel => self.write_at_channel(id),
            State::WriteAcknowledged => self.write_complete(id),
            State::Free | State::FillToRequester => unreachable!("it is not on the calendar"),
        }
    }

    /// Sends a token to another router, as a packet of that kind, at `at`; it may still be at its own.
    #[inline(always)]
    fn set_out_at(&mut self, id: u32, state: State, packet: Packet, [from, to]: [u16; 2], at: Ticks) {
        self.set_out(id, state, packet, from, to);
        let next = select_unpredictable(from == to, state, State::OnItsWay);
        self.wheel.push(Event::new(next, id), at);
    }

    /// Sends a token to another router, as a packet of that kind; it may still be at its own.
    #[inline]
    fn set_out(&mut self, id: u32, state: State, packet: Packet, from: u16, to: u16) {
        let token = &mut self.tokens[id];
        token.state = state;
        token.packet = packet;
        token.at = from;
        token.to = to;
        token.hops = 0;
        #[cfg(debug_assertions)]
        {
            let rank = usize::from(from) * self.tables.routers + usize::from(to);
            self.set_out[rank][packet as usize] += 1;
        }
    }

    /// Sends a token to another router now, as a packet of that kind.
    #[inline]
    fn leave(&mut self, id: u32, state: State, packet: Packet, from: u16, to: u16) {
        self.set_out(id, state, packet, from, to);
        self.go_on(id, state, packet, [from, to], 0);
    }

    /// Sends a probe or an answer, as [`Self::leave`] does. These are most of the packets of a broadcast: code of
    /// their own, in which the step and the kind of packet are constants, is worth its room.
    #[inline(always)]
    fn leave_often(&mut self, id: u32, state: State, packet: Packet, from: u16, to: u16) {
        self.set_out(id, state, packet, from, to);
        self.take_link(id, state, packet, [from, to], 0);
    }

    /// The router of a worker's core.
    #[inline]
    fn router_of(&self, worker: u16) -> u16 {
        self.requesters[worker as usize].router
    }
}
