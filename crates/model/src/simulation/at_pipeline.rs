//! Slots of a home agent that prioritizes requests.

use super::Simulation;
use crate::event::Event;
use crate::pipeline::WAKE_UPS;
use crate::stages;
use crate::time::Ticks;
use crate::token::State;

impl Simulation {
    /// A token at its home agent waits for a slot.
    pub(super) fn line_up(&mut self, id: u32, rank: usize) {
        let now = self.now();
        self.homes[rank].catch_up(&self.tables.homes[rank], &mut self.tokens, now);
        self.homes[rank].line_up(&mut self.tokens, id, now);
        self.arm_home(rank);
    }

    /// A request that found no room stays, and may be looked at again from `ready` on.
    pub(super) fn line_up_again(&mut self, id: u32, rank: usize, ready: Ticks) {
        let now = self.now();
        self.homes[rank].line_up_again(&mut self.tokens, id, ready, now);
        self.arm_home(rank);
    }

    /// Puts a home agent's next slot on the calendar, if anything waits for it.
    pub(super) fn arm_home(&mut self, rank: usize) {
        let now = self.now();
        if let Some((wake_up, at)) = self.homes[rank].arm(&self.tables.homes[rank], &self.tokens, now) {
            let number = self.first_home + (rank * WAKE_UPS + wake_up) as u32;
            self.wheel.push(Event::new(State::HomeReady, number), at);
        }
    }

    /// A home agent may have a slot for a waiting packet.
    pub(super) fn next_slot(&mut self, event: u32) {
        let (rank, wake_up) = (event as usize / WAKE_UPS, event as usize % WAKE_UPS);
        let now = self.now();
        let facts = &self.tables.homes[rank];
        self.homes[rank].catch_up(facts, &mut self.tokens, now);
        if let Some((id, start)) = self.homes[rank].take_slot(facts, wake_up, &self.tokens, now) {
            match self.tokens[id].state {
                State::FillToHome => self.look_at(id, start),
                State::WriteToHome => self.pass_on(id, start),
                State::Done => self.close(id),
                _ => self.answer_read(id),
            }
        }
        self.arm_home(rank);
    }

    /// A home agent looks at a line that memory has read, and forwards it.
    fn answer_read(&mut self, id: u32) {
        let now = self.now();
        let token = &mut self.tokens[id];
        self.stages.end(token, stages::HOME, now);
        let from = self.tables.channel_router[token.channel as usize];
        let to = self.requesters[token.worker as usize].router;
        self.send_line(id, from, to);
    }
}
