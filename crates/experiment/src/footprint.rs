//! The size of buffers.
//!
//! A buffer should be 1 GiB, or four times the last-level caches in front of it if that is more: all caches of the CPUs that use
//! it together, however large they are (504 MiB of a Granite Rapids, 1,152 MiB of a node of Genoa-X). Only the memory that is free,
//! and the limits of the cgroup and the process, make it smaller. With random replacement, a
//! cache of C bytes still holds a line when a cycle through F bytes returns to it with a probability h that satisfies
//! h = exp(-(1 - h) F/C): 2 % at four times the cache, 6 % at three times, 20 % at twice. (With LRU replacement, h is zero.)
//! Below three times, a warning is due. Only the used part of the buffer counts: a chase uses every other line, so its
//! buffer has to be twice as large. Down to the same four times, the buffer is smaller if filling many buffers
//! one after another would take the time that measuring needs, or if a quick run would take more than a quarter of a node's free
//! memory. Where caches are unknown, a buffer of less than 1 GiB may be near them, and so it is called.

use zerohop_machine::{NodeId, PuId};
use zerohop_units::Bytes;
use zerohop_workload::{Placement, Warning};

use crate::caches_in_front::CachesInFront;
use crate::scope::Scope;
use crate::{Effort, ExperimentError};

/// Buffers should be at least this many times as large as the caches in front of them.
pub(crate) const BEYOND_CACHE: u64 = 4;

/// Below this ratio, cache hits are a noticeable part of the result.
const NEAR_CACHE: u64 = 3;

/// The buffer size where caches are small.
const WANTED: Bytes = Bytes::gib(1);

/// Buffers are never made smaller than this to save time.
const LEAST: Bytes = Bytes::mib(64);

/// One part in this many of the time may go to preparing one experiment's buffers.
const PREPARING: u32 = 8;

/// A size, with warnings about it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Footprint {
    /// The size of all buffers on one node together.
    pub(crate) size: Bytes,
    /// Warnings if it should have been larger.
    pub(crate) warnings: Vec<Warning>,
}

impl Scope {
    /// The memory to use on `node`, behind `caches`, in an experiment that fills `preparations` buffers one after
    /// another.
    pub(crate) fn footprint(&self, node: NodeId, caches: CachesInFront, preparations: usize) -> Footprint {
        let capacity = self.capacity(node);
        if self.options.buffer.is_some() {
            return Footprint { size: capacity, warnings: self.near_cache(capacity, caches) };
        }
        let beyond_cache = caches.span() * BEYOND_CACHE;
        let wanted = WANTED.max(beyond_cache);
        let time = self.protocol.budget.unwrap_or(self.protocol.survey_time(self.nodes()));
        let affordable = self.protocol.prepared_within(time / PREPARING) / preparations.max(1) as u64;
        // A model fills nothing.
        let affordable = if self.simulated { wanted } else { affordable };
        let modest = match self.options.effort {
            Effort::Quick if !self.simulated => capacity / 2,
            Effort::Quick | Effort::Full => capacity,
        };
        let least = beyond_cache.max(LEAST);
        let size = wanted.min(affordable.max(least)).min(modest.max(beyond_cache)).min(capacity);
        Footprint { size, warnings: self.near_cache(size, caches) }
    }
}

/// AMD's synthetic test walks arrays of this size (application note 40555, section 2.1).
const ARRAY: Bytes = Bytes::mib(64);

impl Scope {
    /// The array of each of these threads, one per thread, on its node: 64 MiB, or four times the caches in front of it if that is
    /// more; smaller where memory is short.
    ///
    /// # Errors
    /// When there is too little memory for that many threads.
    pub(crate) fn arrays(&self, threads: &[(PuId, NodeId)]) -> Result<Vec<Footprint>, ExperimentError> {
        let array = |&(pu, node): &(PuId, NodeId)| {
            let sharers = threads.iter().filter(|(_, other)| *other == node).count();
            let part = self.capacity(node) / sharers as u64;
            let caches = self.caches_in_front(&[pu]);
            let wanted = ARRAY.max(caches.span() * BEYOND_CACHE);
            let most = if self.options.buffer.is_some() { part } else { wanted.min(part) };
            let whole = [Bytes::mib(2), Bytes::kib(64)].map(|unit| most.get() / unit.get() * unit.get());
            let size = whole.into_iter().find(|&size| size > 0).map(Bytes);
            let size =
                size.ok_or_else(|| self.too_small(self.capacity(node), sharers, &Placement::Node(node)))?;
            Ok(Footprint { size, warnings: self.near_cache(size, caches) })
        };
        threads.iter().map(array).collect()
    }

    /// The error that memory with this placement is too small for its workers.
    pub(crate) fn too_small(
        &self,
        available: Bytes,
        workers: usize,
        placement: &Placement,
    ) -> ExperimentError {
        let why = self.why_so_much_memory(placement);
        ExperimentError::BufferTooSmall { available, workers, why }
    }

    /// The warning about a buffer that does not leave the caches, or may not. A model decides itself what its caches hold.
    fn near_cache(&self, buffer: Bytes, caches: CachesInFront) -> Vec<Warning> {
        let warning = if self.simulated {
            None
        } else if caches.size == Bytes(0) {
            (buffer < WANTED).then_some(Warning::CachesUnknown { buffer })
        } else {
            let near = buffer < caches.span() * NEAR_CACHE;
            near.then_some(Warning::BufferNearCache { buffer, cache: caches.size })
        };
        warning.into_iter().collect()
    }
}

/// Each worker's buffer when `workers` share `total` and their kernels split it into up to `arrays` arrays.
///
/// Arrays that are multiples of 2 MiB start at huge-page boundaries. Where there is room, the share is a multiple of
/// 12 MiB, divisible into two or three such arrays, so that buffers of all kernels have one size and can be reused.
/// Where memory is short, arrays are multiples of 64 KiB, the largest step of any kernel.
/// `None` if a worker's share is too small for one step of each array.
pub(crate) fn share(total: Bytes, workers: usize, arrays: u32) -> Option<Bytes> {
    let each = total.get() / workers.max(1) as u64;
    let arrays = u64::from(arrays);
    [Bytes::mib(12), Bytes::mib(2) * arrays, Bytes::kib(64) * arrays]
        .into_iter()
        .map(|unit| each / unit.get() * unit.get())
        .find(|&share| share > 0)
        .map(Bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn shares_of_all_kernels_are_equal_where_there_is_room() {
        for arrays in 1..=3 {
            assert_eq!(share(Bytes::gib(1), 2, arrays), Some(Bytes::mib(504)));
        }
        assert_eq!(share(Bytes::mib(100), 10, 3), Some(Bytes::mib(6)));
        assert_eq!(share(Bytes::mib(100), 60, 3), Some(Bytes::kib(1536)));
        assert_eq!(share(Bytes::mib(1), 64, 3), None);
    }

    proptest! {
        #[test]
        fn shares_fit_and_arrays_are_whole(total in 0u64..1 << 36, workers in 1usize..300, arrays in 1u32..4) {
            if let Some(each) = share(Bytes(total), workers, arrays) {
                prop_assert!(each.get() * workers as u64 <= total);
                prop_assert_eq!(each.get() % (u64::from(arrays) * (64 << 10)), 0);
            }
        }
    }
}
