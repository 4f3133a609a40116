//! The task of one worker. Its chunks are short compared to a window and long compared to a reading of the clock.

use crate::arena::Slice;
use crate::chase::{UNROLLED, follow};
use crate::cycle::SPACING;
use crate::handoff::Handoff;
use crate::kernel_task::KernelTask;
use crate::limit::Limit;

/// The task of a worker.
#[derive(Debug)]
pub(crate) enum Task {
    /// A pointer chase. It counts steps.
    Chase(Chase),
    /// A bandwidth kernel. It counts bytes of each array.
    Kernel(KernelTask),
    /// A core-to-core transfer. It counts rounds.
    Handoff(Handoff),
}

impl Task {
    /// Prepares for a sample. It is called before each one.
    pub(crate) fn begin(&mut self, number: u64) {
        match self {
            Self::Chase(_) | Self::Kernel(_) => {}
            Self::Handoff(handoff) => handoff.begin(number),
        }
    }

    /// The smallest sensible chunk and the largest, in the unit that the task counts.
    pub(crate) fn chunks(&self) -> (u64, u64) {
        match self {
            Self::Chase(_) => (UNROLLED, 1 << 20),
            Self::Kernel(kernel) => kernel.chunks(),
            Self::Handoff(_) => (1, 1 << 16),
        }
    }

    /// Does a chunk, or less if the limit comes first, and returns how much was done.
    #[inline]
    pub(crate) fn advance(&mut self, chunk: u64, limit: &Limit<'_>) -> u64 {
        match self {
            Self::Chase(chase) => chase.advance(chunk),
            Self::Kernel(kernel) => kernel.advance(chunk, limit),
            Self::Handoff(handoff) => handoff.advance(chunk, limit),
        }
    }
}

/// Chains of dependent loads through a cycle.
#[derive(Debug)]
pub(crate) struct Chase {
    /// Keeps the memory of the chains alive.
    _slice: Slice,
    chains: Vec<*const u8>,
}

// SAFETY: the chains point into the slice, which is valid on every thread.
unsafe impl Send for Chase {}

impl Chase {
    /// Chains that start at these nodes.
    ///
    /// # Safety
    /// The nodes must be on a cycle that has been written at the start of `slice`.
    pub(crate) unsafe fn new(slice: Slice, nodes: &[usize]) -> Self {
        // SAFETY: nodes of the cycle are in the slice.
        let at = |&node: &usize| unsafe { slice.start().add(node * SPACING) }.cast_const();
        let chains = nodes.iter().map(at).collect();
        Self { _slice: slice, chains }
    }

    #[inline]
    fn advance(&mut self, steps: u64) -> u64 {
        let loops = steps / UNROLLED;
        // SAFETY: every chain is at a node of a cycle, and nodes point at nodes.
        unsafe { follow(&mut self.chains, loops) };
        loops * UNROLLED
    }
}
