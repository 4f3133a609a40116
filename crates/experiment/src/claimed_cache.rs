//! Whether a cache is as large as a virtual machine says.
//!
//! A hypervisor shows its guests the host's last-level cache, of which a guest has a part: other guests use the rest, or way masks
//! keep it away. A curve of latency by size shows where hits end.

use zerohop_units::Bytes;
use zerohop_workload::Warning;

use crate::plan::CacheClaim;

/// The largest of the buffers that should fit is this part of the advertised cache. The other sizes are halves of each other.
const LARGEST_PART: u64 = 2;

/// The number of sizes.
const SIZES: usize = 6;

/// The claim is not disputed unless the cache behaves like one of this part of its size or less.
const DISPUTED_PART: u64 = 4;

/// Sizes of buffers that should fit a cache of `advertised` and not the `nearer` one, ascending.
pub(crate) fn sizes_within(advertised: Bytes, nearer: Bytes) -> Vec<Bytes> {
    let halves = std::iter::successors(Some(advertised / LARGEST_PART), |&size| Some(size / 2));
    let mut sizes: Vec<Bytes> = halves.take(SIZES).take_while(|&size| size >= nearer * 2).collect();
    sizes.reverse();
    sizes
}

impl CacheClaim {
    /// The warning that the cache behaves like a much smaller one, from the latency of each measurement by its rank.
    ///
    /// A load through a buffer is a hit in the cache or a miss. The smallest buffer shows a hit, memory a miss. If a buffer takes
    /// longer than the geometric mean of both, most of its loads miss, and the cache behaves like the buffer before it.
    pub(crate) fn disputed(&self, latency: impl Fn(usize) -> Option<f64>) -> Option<Warning> {
        let &(first, smallest) = self.within.first()?;
        let (hit, miss) = (latency(first)?, latency(self.memory)?);
        let middle = (hit * miss).sqrt();
        let sizes = self.within.iter();
        let known = sizes.filter_map(|&(rank, size)| Some((size, latency(rank)?)));
        let mut behaves_like = smallest;
        for (size, latency) in known {
            if latency > middle {
                let disputed = behaves_like * DISPUTED_PART <= self.advertised;
                return disputed
                    .then_some(Warning::CacheSmaller { advertised: self.advertised, behaves_like });
            }
            behaves_like = size;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEMORY: usize = 99;

    fn claim(advertised: Bytes) -> CacheClaim {
        let within = sizes_within(advertised, Bytes::mib(2)).into_iter().enumerate().collect();
        CacheClaim { advertised, within, memory: MEMORY }
    }

    /// The verdict where the cache really has `real` bytes: 20 ns for a hit and 120 ns for a miss.
    fn verdict(advertised: Bytes, real: Bytes) -> Option<Warning> {
        let claim = claim(advertised);
        claim.disputed(|rank| {
            let size = claim.within.get(rank).map_or(Bytes::gib(4), |&(_, size)| size);
            let hits = (real.get() as f64 / size.get() as f64).min(1.0);
            Some(20.0 * hits + 120.0 * (1.0 - hits))
        })
    }

    #[test]
    fn sizes_are_halves_between_two_caches() {
        assert_eq!(sizes_within(Bytes::mib(32), Bytes::mib(1)), [2, 4, 8, 16].map(Bytes::mib));
        assert_eq!(sizes_within(Bytes::mib(480), Bytes::mib(2)).len(), SIZES);
        assert!(sizes_within(Bytes::mib(4), Bytes::mib(2)).is_empty());
    }

    #[test]
    fn a_host_s_cache_of_480_mib_that_behaves_like_8_is_found_out() {
        let expected = Warning::CacheSmaller { advertised: Bytes::mib(480), behaves_like: Bytes(7_864_320) };
        assert_eq!(verdict(Bytes::mib(480), Bytes::mib(8)), Some(expected));
    }

    #[test]
    fn a_cache_that_is_as_large_as_it_says_is_not_disputed() {
        for mib in [32, 96, 480] {
            assert_eq!(verdict(Bytes::mib(mib), Bytes::mib(mib)), None);
            // Others use some of it.
            assert_eq!(verdict(Bytes::mib(mib), Bytes::mib(mib * 2 / 3)), None);
        }
        assert_eq!(claim(Bytes::mib(32)).disputed(|_| None), None);
    }
}
