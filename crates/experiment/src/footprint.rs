//! How large buffers are.
//!
//! A buffer is wanted at 1 GiB, or four times the last-level caches in front of it if that is more. A cache of C bytes that
//! replaces lines at random keeps a line of a cycle through F bytes until it comes round again with the probability h
//! for which h = exp(-(1 - h) F/C): 2 % at four times the cache, 6 % at three times, 20 % at twice. (One that replaces the
//! least recently used line keeps none.) Below three times, a warning is due. What counts is what is used of the buffer: a
//! chase uses every other line, so its buffer has to be twice as large. The buffer is made smaller where memory is
//! short, and, down to that same four times, where so many buffers are filled one after the other that it would take the
//! time that measuring needs.

use zerohop_machine::{NodeId, PuId};
use zerohop_units::Bytes;
use zerohop_workload::Warning;

use crate::ExperimentError;
use crate::caches_in_front::CachesInFront;
use crate::protocol::prepared_within;
use crate::scope::Scope;

/// Buffers are wanted at least this many times as large as the caches in front of them.
const BEYOND_CACHE: u64 = 4;

/// Below this many times, hits in the cache are a noticeable part of the number.
const NEAR_CACHE: u64 = 3;

/// What is wanted where caches are small.
const WANTED: Bytes = Bytes::gib(1);

/// Never made smaller than this to save time.
const LEAST: Bytes = Bytes::mib(64);

/// Share of the time that may go to preparing one experiment's buffers: one part in this many.
const PREPARING: u32 = 8;

/// A size, and what is to be said of it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Footprint {
    /// Of all buffers on one node together.
    pub(crate) size: Bytes,
    /// If it should have been larger.
    pub(crate) warnings: Vec<Warning>,
}

impl Scope {
    /// The memory to use on `node`, seen through `caches`, in an experiment that fills `preparations` buffers one after
    /// the other.
    pub(crate) fn footprint(&self, node: NodeId, caches: CachesInFront, preparations: usize) -> Footprint {
        let capacity = self.capacity(node);
        if self.options.buffer.is_some() {
            return Footprint { size: capacity, warnings: near_cache(capacity, caches) };
        }
        let beyond_cache = caches.span() * BEYOND_CACHE;
        let wanted = WANTED.max(beyond_cache);
        let time = self.protocol.budget.unwrap_or(self.protocol.survey_time(self.nodes()));
        let affordable = prepared_within(time / PREPARING) / preparations.max(1) as u64;
        // A model fills nothing.
        let affordable = if self.simulated { wanted } else { affordable };
        let size = wanted.min(affordable.max(beyond_cache).max(LEAST)).min(capacity);
        let mut warnings = near_cache(size, caches);
        // Where caches are known, being well beyond them is all that matters.
        if caches.size == Bytes(0) && size == capacity && size < wanted {
            warnings.push(Warning::BufferReduced { wanted, used: size });
        }
        Footprint { size, warnings }
    }
}

/// AMD's synthetic test walks arrays of this size (application note 40555, section 2.1).
const ARRAY: Bytes = Bytes::mib(64);

impl Scope {
    /// The array of each of these threads, which have one each, on that node: 64 MiB, or four times the caches in front of it if
    /// that is more; smaller where memory is short.
    ///
    /// # Errors
    /// When there is too little memory for so many.
    pub(crate) fn arrays(&self, threads: &[(PuId, NodeId)]) -> Result<Vec<Footprint>, ExperimentError> {
        let array = |&(pu, node): &(PuId, NodeId)| {
            let sharers = threads.iter().filter(|(_, other)| *other == node).count();
            let part = self.capacity(node) / sharers as u64;
            let caches = self.caches_in_front(&[pu]);
            let wanted = ARRAY.max(caches.span() * BEYOND_CACHE);
            let most = if self.options.buffer.is_some() { part } else { wanted.min(part) };
            let whole = [Bytes::mib(2), Bytes::kib(64)].map(|unit| most.get() / unit.get() * unit.get());
            let size = whole.into_iter().find(|&size| size > 0).map(Bytes);
            let size = size.ok_or(ExperimentError::BufferTooSmall { available: part, workers: sharers })?;
            Ok(Footprint { size, warnings: near_cache(size, caches) })
        };
        threads.iter().map(array).collect()
    }
}

fn near_cache(buffer: Bytes, caches: CachesInFront) -> Vec<Warning> {
    let near = buffer < caches.span() * NEAR_CACHE;
    near.then_some(Warning::BufferNearCache { buffer, cache: caches.size }).into_iter().collect()
}

/// Each worker's buffer when `total` is shared by `workers` whose kernels cut it into as many as `arrays`.
///
/// Arrays of whole 2 MiB start at the start of a huge page. Where there is room for it, the share is a multiple of
/// 12 MiB, which both two and three arrays divide, so that buffers of all kernels are alike and can be used again.
/// Where memory is short, arrays are multiples of 64 KiB, which is the largest step of any kernel.
///
/// # Errors
/// When that is too little for every worker to have a step of each array.
pub(crate) fn share(total: Bytes, workers: usize, arrays: u32) -> Result<Bytes, ExperimentError> {
    let each = total.get() / workers.max(1) as u64;
    let arrays = u64::from(arrays);
    [Bytes::mib(12), Bytes::mib(2) * arrays, Bytes::kib(64) * arrays]
        .into_iter()
        .map(|unit| each / unit.get() * unit.get())
        .find(|&share| share > 0)
        .map(Bytes)
        .ok_or(ExperimentError::BufferTooSmall { available: total, workers })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn shares_of_all_kernels_are_alike_where_there_is_room() {
        for arrays in 1..=3 {
            assert_eq!(share(Bytes::gib(1), 2, arrays), Ok(Bytes::mib(504)));
        }
        assert_eq!(share(Bytes::mib(100), 10, 3), Ok(Bytes::mib(6)));
        assert_eq!(share(Bytes::mib(100), 60, 3), Ok(Bytes::kib(1536)));
        assert!(share(Bytes::mib(1), 64, 3).is_err());
    }

    proptest! {
        #[test]
        fn shares_fit_and_arrays_are_whole(total in 0u64..1 << 36, workers in 1usize..300, arrays in 1u32..4) {
            if let Ok(each) = share(Bytes(total), workers, arrays) {
                prop_assert!(each.get() * workers as u64 <= total);
                prop_assert_eq!(each.get() % (u64::from(arrays) * (64 << 10)), 0);
            }
        }
    }
}
