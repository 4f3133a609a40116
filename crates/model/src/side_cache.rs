//! A memory-side cache at work: which lines it has.
//!
//! It is direct-mapped and far larger than what a simulation walks through, so that its tags are not simulated line by line. What
//! decides is how many lines of the memory in use share a place in it. If one does, it is always there. If several do, streams
//! that come round find it taken every time, and an access at random finds its line as often as it is the last of so many
//! that was wanted. Lines that were written and lost their place go back to memory, one for each that was written.

use zerohop_machine::SideCache as Description;

use crate::address_map::NOWHERE;
use crate::requester::{Order, below};
use crate::simulation::Simulation;
use crate::time::{Fine, fine, of_tick};
use crate::token::{Intent, Packet, State};

/// A cache in front of a memory.
#[derive(Debug)]
pub(crate) struct SideCache {
    size: u64,
    /// Bytes of the memory that are in use, from its start on.
    in_use: u64,
    /// What looking at the tag adds to a read.
    lookup: Fine,
    /// Lines that were written, whose place others want, and that have not gone back yet.
    dirty: u64,
}

impl SideCache {
    pub(crate) fn new(cache: &Description, in_use: u64) -> Self {
        Self { size: cache.size.get(), in_use, lookup: fine(cache.lookup), dirty: 0 }
    }

    /// How many lines in use share the place of this one, itself included.
    #[inline]
    fn sharers(&self, address: u64) -> u64 {
        if self.in_use <= self.size {
            return 1;
        }
        let within = address % self.size;
        (self.in_use.saturating_sub(within)).div_ceil(self.size).max(1)
    }
}

impl Simulation {
    /// Whether the cache in front of a memory has a line that a worker wants, or is about to write.
    pub(crate) fn is_cached(&mut self, worker: u16, intent: Intent, memory: u16, address: u64) -> bool {
        let Some(cache) = &mut self.side_caches[memory as usize] else { return true };
        let sharers = cache.sharers(address);
        if sharers == 1 {
            return true;
        }
        let requester = &mut self.requesters[worker as usize];
        match intent {
            // It was fetched not long ago.
            Intent::WriteBack => {
                cache.dirty += 1;
                return true;
            }
            Intent::StorePast => cache.dirty += 1,
            Intent::Handoff => return true,
            Intent::Load | Intent::Update | Intent::Store => {}
        }
        requester.order != Order::Ascending && below(&mut requester.random, sharers) == 0
    }

    /// The line that was looked for in a memory-side cache is not there: the fill goes on to the memory behind, and takes
    /// the place of another line. Both these lines' ways between cache and memory are left out but for the channels' time.
    pub(crate) fn go_behind(&mut self, id: u32) {
        let now = of_tick(self.wheel.now());
        let token = &mut self.tokens[id];
        let (front, behind) = (token.channel, token.behind);
        let (memory, address) = (token.memory, token.address);
        token.channel = behind;
        token.behind = NOWHERE;
        token.in_front = false;
        self.memories[front as usize].write(address, now);
        self.evict(memory, behind, address);
        let [from, to] = [front, behind].map(|channel| self.tables.channel_router[channel as usize]);
        if from == to {
            self.enter_memory(id, now);
        } else {
            self.set_out(id, State::FillToChannel, Packet::Onward, from, to);
            self.depart(id);
        }
    }

    /// A line is about to be written to a memory-side cache: its tag is read first, and another line may have to go.
    pub(crate) fn make_way(&mut self, id: u32, arrival: Fine) {
        let token = &mut self.tokens[id];
        let (front, behind) = (token.channel, token.behind);
        let (memory, address) = (token.memory, token.address);
        token.behind = NOWHERE;
        self.memories[front as usize].read(address, arrival);
        if behind != NOWHERE {
            self.evict(memory, behind, address);
        }
    }

    /// A line gives its place up; if it was written, it goes back.
    fn evict(&mut self, memory: u16, behind: u16, address: u64) {
        let now = of_tick(self.wheel.now());
        let Some(cache) = &mut self.side_caches[memory as usize] else { return };
        if cache.dirty > 0 {
            cache.dirty -= 1;
            self.memories[behind as usize].write(address, now);
        }
    }

    /// What looking at a fill's tag adds.
    #[inline]
    pub(crate) fn tag_lookup(&self, memory: u16) -> Fine {
        self.side_caches[memory as usize].as_ref().map_or(0, |cache| cache.lookup)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zerohop_machine::Spread;
    use zerohop_units::{Bytes, Nanoseconds};

    #[test]
    fn lines_a_cache_s_size_apart_share_a_place() {
        let description = Description {
            channels: vec![0],
            spread: Spread::Mixed,
            channels_of_home: Vec::new(),
            size: Bytes(1024),
            lookup: Nanoseconds(3.5),
        };
        let cache = |in_use| SideCache::new(&description, in_use);
        assert_eq!(cache(1024).sharers(64), 1);
        // One and a half times its size: the first half of its places is wanted twice.
        assert_eq!([0, 448, 512, 960, 1024].map(|at| cache(1536).sharers(at)), [2, 2, 1, 1, 2]);
        assert_eq!(cache(10 * 1024).sharers(700), 10);
    }
}
