//! The task of one worker. Its chunks are short compared to a window and long compared to a reading of the clock.

use crate::arena::Slice;
use crate::batches::Batches;
use crate::chase::{UNROLLED, follow};
use crate::cycle::Landmarks;
use crate::exchange::Exchange;
use crate::fetch::Fetch;
use crate::findings::Findings;
use crate::kernel_task::KernelTask;
use crate::limit::Limit;

/// The task of a worker.
#[derive(Debug)]
pub(crate) enum Task {
    /// A pointer chase. It counts steps.
    Chase(Chase),
    /// A pointer chase that times its loads. It counts steps.
    TimedChase(Chase, Batches),
    /// A bandwidth kernel. It counts bytes of each array.
    Kernel(KernelTask),
    /// A core-to-core transfer. It counts rounds.
    Exchange(Exchange),
    /// Loads of lines that another core holds. It counts rounds over all of them.
    Fetch(Fetch),
}

impl Task {
    /// Prepares for a sample. It is called before each one.
    pub(crate) fn begin(&mut self, number: u64) {
        match self {
            Self::Chase(chase) => chase.begin(),
            Self::TimedChase(chase, batches) => {
                chase.begin();
                batches.clear();
            }
            Self::Kernel(kernel) => kernel.begin(),
            Self::Exchange(exchange) => exchange.begin(number),
            Self::Fetch(fetch) => fetch.begin(number),
        }
    }

    /// Work so far was only to warm up.
    pub(crate) fn forget(&mut self) {
        match self {
            Self::Chase(_) | Self::Kernel(_) => {}
            Self::TimedChase(_, batches) => batches.clear(),
            Self::Exchange(exchange) => exchange.forget(),
            Self::Fetch(fetch) => fetch.forget(),
        }
    }

    /// What it timed by itself since then.
    pub(crate) fn findings(&mut self) -> Findings {
        match self {
            Self::Chase(_) | Self::Kernel(_) => Findings::default(),
            Self::TimedChase(_, batches) => {
                Findings { batches: Some(batches.clone()), ..Findings::default() }
            }
            Self::Exchange(exchange) => exchange.findings(),
            Self::Fetch(fetch) => fetch.findings(),
        }
    }

    /// The smallest sensible chunk and the largest, in the unit that the task counts.
    pub(crate) fn chunks(&self) -> (u64, u64) {
        match self {
            Self::Chase(_) => (UNROLLED, 1 << 20),
            Self::TimedChase(_, batches) => (batches.loads().next_multiple_of(UNROLLED), 1 << 20),
            Self::Kernel(kernel) => kernel.chunks(),
            Self::Exchange(_) => (1, 1 << 16),
            Self::Fetch(_) => (1, 1 << 10),
        }
    }

    /// Does a chunk, or less if the limit comes first, and returns how much was done.
    #[inline]
    pub(crate) fn advance(&mut self, chunk: u64, limit: &Limit<'_>) -> u64 {
        match self {
            Self::Chase(chase) => chase.advance(chunk),
            Self::TimedChase(chase, batches) => chase.advance_timed(chunk, batches, limit),
            Self::Kernel(kernel) => kernel.advance(chunk, limit),
            Self::Exchange(exchange) => exchange.advance(chunk, limit),
            Self::Fetch(fetch) => fetch.advance(chunk, limit),
        }
    }
}

/// Chains of dependent loads through a cycle.
#[derive(Debug)]
pub(crate) struct Chase {
    /// Keeps the memory of the chains alive.
    slice: Slice,
    chains: Vec<*const u8>,
    landmarks: Landmarks,
    /// How far it has come by the trail.
    reached: u64,
}

// SAFETY: the chains point into the slice, which is valid on every thread.
unsafe impl Send for Chase {}

impl Chase {
    /// A chase that starts where the last one on its cycle stopped; `None` if the cycle is too short for that number of chains.
    ///
    /// # Safety
    /// The landmarks must be those of a cycle that has been written at the start of `slice`.
    pub(crate) unsafe fn new(slice: Slice, landmarks: Landmarks, chains: usize) -> Option<Self> {
        landmarks.suffice_for(chains).then(|| {
            let mut chase = Self { chains: vec![slice.start(); chains], slice, landmarks, reached: 0 };
            chase.place();
            chase
        })
    }

    /// Moves on if other chases have come by since its last sample, so that it does not read what they have just read.
    fn begin(&mut self) {
        if self.reached != self.landmarks.reached() {
            self.place();
        }
    }

    fn place(&mut self) {
        let starts = self.landmarks.starts(self.chains.len());
        for (chain, node) in self.chains.iter_mut().zip(starts) {
            // SAFETY: nodes of the cycle are in the slice.
            *chain = unsafe { self.slice.start().add(node * self.landmarks.spacing()) }.cast_const();
        }
        self.reached = self.landmarks.reached();
    }

    #[inline]
    fn advance(&mut self, steps: u64) -> u64 {
        let loops = steps / UNROLLED;
        // SAFETY: every chain is at a node of a cycle, and nodes point at nodes.
        unsafe { follow(&mut self.chains, loops) };
        self.landmarks.advance(loops * UNROLLED);
        self.reached += loops * UNROLLED;
        loops * UNROLLED
    }
}

impl Chase {
    /// The same, and times each batch. Reading the clock waits for the batch's last load, so that the times add up.
    #[inline]
    fn advance_timed(&mut self, steps: u64, batches: &mut Batches, limit: &Limit<'_>) -> u64 {
        let batch = batches.loads().next_multiple_of(UNROLLED);
        let mut done = 0;
        let mut tick = limit.clock.stop();
        while done < steps {
            done += self.advance(batch);
            let now = limit.clock.stop();
            batches.push(now.saturating_sub(tick));
            tick = now;
        }
        done
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Arc;

    use super::*;
    use crate::cycle::{Cycle, SPACING};
    use crate::memory::{Mapping, PageKind};
    use crate::numa_calls::{NumaCalls, Policy};

    #[test]
    fn a_chase_that_is_sampled_again_passes_by_what_others_read_meanwhile() {
        const BYTES: usize = 16 << 20;
        let (mapping, _) = Mapping::new(BYTES, PageKind::Base, &Policy::Local, &NumaCalls::LIVE).unwrap();
        let mapping = Arc::new(mapping);
        let cycle = Cycle::over(BYTES, (SPACING, None), 1, || true).unwrap();
        // SAFETY: the mapping is as long as the cycle was made for, and nothing else uses it.
        unsafe { cycle.write(mapping.start(), 0..cycle.nodes()) };
        let landmarks = cycle.landmarks();
        let chase = || {
            let slice = Slice::new(&mapping, 0..BYTES);
            // SAFETY: the cycle has been written to the slice.
            unsafe { Chase::new(slice, landmarks.clone(), 1) }.unwrap()
        };
        let mut visited = BTreeSet::new();
        let mut sample = |chase: &mut Chase| {
            chase.begin();
            for _ in 0..1000 {
                assert!(visited.insert(chase.chains[0]), "a node is visited twice");
                chase.advance(UNROLLED);
            }
        };
        let (mut one, mut other) = (chase(), chase());
        for _ in 0..3 {
            sample(&mut one);
            sample(&mut one);
            sample(&mut other);
            sample(&mut chase());
        }
    }
}
