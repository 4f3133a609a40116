//! A simulation before its first event, and the check of its accounts.

use zerohop_machine_file::{Hardware, NodeMemory};
use zerohop_workload::{EngineError, StopFlag};

use super::Simulation;
use crate::blueprint::Blueprint;
use crate::home::Home;
use crate::pipeline;
use crate::requester::Requester;
use crate::side_cache::SideCache;
use crate::stages::Stages;
#[cfg(debug_assertions)]
use crate::token::Packet;
use crate::token::Tokens;
use crate::wheel::Wheel;
use crate::worker_roles::begins;

impl Simulation {
    /// A machine on which nothing has happened yet, from its description and its blueprint. The simulation ends once `stop` is raised.
    ///
    /// # Errors
    /// When `stop` is raised before everything is in place.
    pub(crate) fn new(
        hardware: &Hardware,
        blueprint: &Blueprint,
        requesters: Vec<Requester>,
        stop: &StopFlag,
    ) -> Result<Self, EngineError> {
        let in_use = |rank: usize| {
            let ends = requesters.iter().filter_map(|worker| worker.buffer.end(rank as u16));
            ends.max().unwrap_or(0)
        };
        let page = requesters.first().map_or(1, |worker| worker.buffer.page) * 64;
        let caches = hardware.memories.iter().enumerate();
        let cache = |(rank, memory): (usize, &NodeMemory)| {
            Some(SideCache::new(memory.cache.as_ref()?, in_use(rank), page))
        };
        let side_caches = caches.map(cache).collect();
        let used = (0..hardware.memories.len()).filter(|&rank| in_use(rank) > 0);
        let tables = blueprint.tables(hardware, used, stop)?;
        let each = |worker: &Requester| {
            worker.fills.limit as usize * tables.tokens_per_fill(worker.fetches_from_cache())
                + (worker.evictions.limit + worker.combining.limit) as usize
        };
        let tokens = requesters.iter().map(each).sum::<usize>() + tables.done_messages();
        let links = blueprint.links.clone();
        let first_home = tokens + links.wake_ups();
        Ok(Self {
            wheel: Wheel::new(first_home + pipeline::WAKE_UPS * hardware.homes.len()),
            tokens: Tokens::new(tokens),
            first_wire: tokens as u32,
            first_home: first_home as u32,
            homes: hardware.homes.iter().map(|_| Home::IDLE).collect(),
            channels: blueprint.channels.clone(),
            side_caches,
            #[cfg(debug_assertions)]
            set_out: vec![[0; Packet::COUNT]; tables.routers * tables.routers],
            tables,
            links,
            requesters,
            stages: Stages::default(),
            asking: true,
            events: 0,
            issued: 0,
            completed: 0,
            stop: stop.clone(),
        })
    }

    /// Lets the refreshes of all channels come later by a share of their interval, in parts of 2^64.
    pub(crate) fn put_off_refreshes(&mut self, share: u64) {
        for channel in &mut self.channels {
            channel.put_off_refreshes(share);
        }
    }

    /// Every worker starts to issue; of two that bounce a line, the first does.
    pub(crate) fn begin(&mut self) {
        for rank in 0..self.requesters.len() {
            let requester = &mut self.requesters[rank];
            if requester.partner.is_none_or(|partner| usize::from(partner) > rank) {
                let at = begins(requester);
                self.ask(rank as u16, at);
            }
        }
    }

    /// Requesters of the foreground, by rank.
    pub(crate) fn followed(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.requesters.len()).filter(|&rank| self.requesters[rank].foreground)
    }
}

#[cfg(debug_assertions)]
impl Simulation {
    /// Checks the accounts: nothing is lost, nothing is duplicated.
    ///
    /// # Panics
    /// When they do not balance.
    pub(crate) fn audit(&self) {
        use crate::token::{NONE, State};
        let lines = self.tokens.iter().filter(|token| token.parent == NONE && token.state != State::Done);
        let in_flight = lines.count() as u64;
        assert_eq!(
            self.issued,
            self.completed + in_flight,
            "every issued line must be completed or in flight"
        );
        let lanes = self.links.lanes();
        // One pass: counting anew for each lane of a mesh took longer than simulating it.
        let mut held = vec![0; lanes.len()];
        for token in self.tokens.iter().filter(|token| token.lane != NONE) {
            held[token.lane as usize] += 1;
        }
        for (rank, (lane, held)) in lanes.iter().zip(held).enumerate() {
            let (buffers, free) = lane.buffers();
            assert_eq!(buffers, free + held, "every buffer of lane {rank} must be free or hold a packet");
        }
        for (rank, home) in self.homes.iter().enumerate() {
            home.audit(&self.tables.homes[rank], rank);
        }
    }
}
