//! A memory-side cache: which lines it holds.
//!
//! It is direct-mapped and far larger than what a simulation walks through, so its tags are not simulated line by
//! line. What matters is the number of lines in use that share a place in it. A line with a place of its own always
//! hits. Where several share a place, streams always miss when they come round, and a random access hits if its line
//! was the last one accessed among those that share the place. Dirty lines that are evicted go back to memory, one
//! for each line written.
//!
//! Where pages are placed anywhere in memory, each of the other lines with the same place is in use as probably as
//! any page is: their number follows the binomial distribution, and does not change during a simulation.

use zerohop_machine_file::{PagesInUse, SideCache as Description, SideCacheParameters, TagReadBy};

use crate::address_map::mixed;
use crate::pattern::Order;
use crate::requester::{Requester, below};
use crate::time::{Fine, fine};
use crate::token::Intent;

/// A cache in front of a memory.
#[derive(Debug)]
pub(crate) struct SideCache {
    size: u64,
    /// Bytes of the memory that are in use.
    in_use: u64,
    /// Set where they may be anywhere.
    scattered: Option<Scattered>,
    /// Time that a tag lookup adds to a read.
    lookup: Fine,
    /// Whether home agents ask for tags before they write.
    asks: bool,
    /// Dirty lines whose place other lines want, and that have not gone back yet.
    dirty: u64,
}

/// Pages in use that may be anywhere in a memory.
#[derive(Debug)]
struct Scattered {
    /// Bytes of a page.
    page: u64,
    /// Of a random number of 64 bits, values below the first have a place to themselves, values below the second
    /// share it with one other page, and so on.
    alone_below: Vec<u64>,
}

impl Scattered {
    /// In a cache of `size` bytes, with `in_use` bytes of the memory in use.
    fn new(size: u64, memory: u64, in_use: u64, page: u64) -> Self {
        let others = memory.div_ceil(size.max(1)).saturating_sub(1);
        let share = (in_use as f64 / memory.max(1) as f64).min(1.0);
        if share >= 1.0 {
            return Self { page, alone_below: vec![0; others as usize] };
        }
        let mut exactly = libm::pow(1.0 - share, others as f64);
        let mut at_most = 0.0;
        let mut alone_below = Vec::new();
        for number in 0..others {
            at_most += exactly;
            alone_below.push((at_most * 2f64.powi(64)) as u64);
            exactly *= (others - number) as f64 / (number + 1) as f64 * share / (1.0 - share);
        }
        Self { page, alone_below }
    }

    fn sharers(&self, address: u64) -> u64 {
        let random = mixed(address / self.page);
        1 + self.alone_below.partition_point(|&below| below <= random) as u64
    }
}

impl SideCache {
    /// A cache with `in_use` bytes of its memory in use, in pages of `page` bytes.
    pub(crate) fn new(cache: &Description, in_use: u64, page: u64) -> Self {
        let SideCacheParameters { size, lookup, tag_read_by, pages } = cache.parameters;
        let size = size.get();
        let scattered = match pages {
            PagesInUse::InOrder => None,
            PagesInUse::Scattered => Some(Scattered::new(size, cache.memory.get(), in_use, page)),
        };
        let asks = tag_read_by == TagReadBy::Request;
        Self { size, in_use, scattered, lookup: fine(lookup), asks, dirty: 0 }
    }

    /// The number of lines in use that share the place of this one, itself included.
    #[inline]
    fn sharers(&self, address: u64) -> u64 {
        if let Some(scattered) = &self.scattered {
            return scattered.sharers(address);
        }
        if self.in_use <= self.size {
            return 1;
        }
        let within = address % self.size;
        (self.in_use.saturating_sub(within)).div_ceil(self.size).max(1)
    }

    /// Whether it holds a line that a worker wants, or is about to write.
    pub(crate) fn has(&mut self, requester: &mut Requester, intent: Intent, address: u64) -> bool {
        let sharers = self.sharers(address);
        if sharers == 1 {
            return true;
        }
        match intent {
            // It was fetched recently.
            Intent::WriteBack => {
                self.dirty += 1;
                return true;
            }
            Intent::StorePast => self.dirty += 1,
            Intent::Transfer => return true,
            Intent::Load | Intent::Update | Intent::Store => {}
        }
        requester.order != Order::Ascending && below(&mut requester.random, sharers) == 0
    }

    /// Evicts a line; returns whether it is dirty and goes back.
    pub(crate) const fn evict(&mut self) -> bool {
        let was_written = self.dirty > 0;
        self.dirty -= was_written as u64;
        was_written
    }

    /// Time that a tag lookup adds to a read.
    pub(crate) const fn lookup(&self) -> Fine {
        self.lookup
    }

    /// Whether home agents ask for tags before they write.
    pub(crate) const fn asks(&self) -> bool {
        self.asks
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zerohop_machine_file::Spread;
    use zerohop_units::{Bytes, Nanoseconds};

    #[test]
    fn lines_a_cache_s_size_apart_share_a_place() {
        let description = Description {
            channels: vec![0],
            spread: Spread::Mixed,
            channels_of_home: Vec::new(),
            memory: Bytes(10 * 1024),
            parameters: SideCacheParameters {
                size: Bytes(1024),
                lookup: Nanoseconds(3.5),
                tag_read_by: TagReadBy::Write,
                pages: PagesInUse::InOrder,
            },
        };
        let cache = |in_use| SideCache::new(&description, in_use, 64);
        assert_eq!(cache(1024).sharers(64), 1);
        // One and a half times its size: two lines share each place in the first half.
        assert_eq!([0, 448, 512, 960, 1024].map(|at| cache(1536).sharers(at)), [2, 2, 1, 1, 2]);
        assert_eq!(cache(10 * 1024).sharers(700), 10);
    }

    #[test]
    fn scattered_pages_share_places_before_the_cache_is_full() {
        let pages = 1 << 16;
        let shares = |in_use: u64| {
            let scattered = Scattered::new(16 << 30, 96 << 30, in_use, 4096);
            let mut shares = [0.0; 7];
            (0..pages).for_each(|page| shares[scattered.sharers(page * 4096) as usize] += 1.0 / pages as f64);
            shares
        };
        // A sixth of memory, as much as the cache: with a probability of (5/6)^5, none of five others has the place.
        for (number, share) in [(1, 0.4019), (2, 0.4019), (3, 0.1608)] {
            assert!((shares(16 << 30)[number] - share).abs() < 0.01, "{number}: {:?}", shares(16 << 30));
        }
        assert!((shares(3 << 29)[1] - (1.0 - 1.5 / 96.0f64).powi(5)).abs() < 0.01);
        assert_eq!(shares(0)[1].round(), 1.0);
        assert_eq!(shares(96 << 30)[6].round(), 1.0, "all six are in use");
    }
}
