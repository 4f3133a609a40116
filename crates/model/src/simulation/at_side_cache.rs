//! Lines at a memory-side cache: hits, misses and evictions.

use super::Simulation;
use crate::address_map::NOWHERE;
use crate::side_cache::SideCache;
use crate::time::{Fine, of_tick};
use crate::token::{Intent, Packet, State};

impl Simulation {
    /// A lookup in a memory-side cache has missed: the fill goes on to the memory behind, and takes the place of
    /// another line. The paths of both lines between cache and memory are not modeled, except for the channels'
    /// time.
    pub(super) fn go_behind(&mut self, id: u32) {
        let now = of_tick(self.now());
        let token = &mut self.tokens[id];
        let (front, behind) = (token.channel, token.behind);
        let (memory, address) = (token.cached, token.address);
        token.channel = behind;
        token.behind = NOWHERE;
        token.cached = NOWHERE;
        self.channels[front as usize].write(address, now);
        self.evict(memory, behind, address);
        let [from, to] = [front, behind].map(|channel| self.tables.channel_router[channel as usize]);
        if from == to {
            self.enter_channel(id, now);
        } else {
            self.leave(id, State::FillToChannel, Packet::Onward, from, to);
        }
    }

    /// A line is about to be written to a memory-side cache: its tag is read first, and another line may be evicted.
    /// A line that was fetched is known to be there: home agents keep track of that (US patent 9418009).
    pub(super) fn make_way(&mut self, id: u32, arrival: Fine) {
        let token = &mut self.tokens[id];
        if token.intent == Intent::WriteBack {
            return;
        }
        let (front, behind) = (token.channel, token.behind);
        let (memory, address) = (token.cached, token.address);
        token.behind = NOWHERE;
        self.channels[front as usize].read(address, arrival);
        if behind != NOWHERE {
            self.evict(memory, behind, address);
        }
    }

    /// Whether a request for the tag went ahead of a write that is on a link.
    #[inline]
    pub(super) fn is_behind_a_request(&self, id: u32) -> bool {
        let token = &self.tokens[id];
        token.cached != NOWHERE
            && token.state == State::WriteToChannel
            && token.intent == Intent::StorePast
            && self.side_caches[token.cached as usize].as_ref().is_some_and(SideCache::asks)
    }

    /// Evicts a line; if it is dirty, it goes back.
    fn evict(&mut self, memory: u16, behind: u16, address: u64) {
        let now = of_tick(self.now());
        let Some(cache) = &mut self.side_caches[memory as usize] else { return };
        if cache.evict() {
            self.channels[behind as usize].write(address, now);
        }
    }
}
