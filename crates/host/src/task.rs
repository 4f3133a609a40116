//! What one worker does, in chunks that are short beside a window and long beside a look at the clock.

use crate::arena::Slice;
use crate::chase::{UNROLLED, follow};
use crate::cycle::SPACING;
use crate::handoff::Handoff;
use crate::kernel_task::KernelTask;
use crate::limit::Limit;

/// What a worker does.
#[derive(Debug)]
pub(crate) enum Task {
    /// Counts steps.
    Chase(Chase),
    /// Counts bytes of each array.
    Kernel(KernelTask),
    /// Counts rounds.
    Handoff(Handoff),
}

impl Task {
    /// Called before each sample.
    pub(crate) fn begin(&mut self, number: u64) {
        match self {
            Self::Chase(_) | Self::Kernel(_) => {}
            Self::Handoff(handoff) => handoff.begin(number),
        }
    }

    /// The smallest chunk that makes sense, and the largest, in what the task counts.
    pub(crate) fn chunks(&self) -> (u64, u64) {
        match self {
            Self::Chase(_) => (UNROLLED, 1 << 20),
            Self::Kernel(kernel) => kernel.chunks(),
            Self::Handoff(_) => (1, 1 << 16),
        }
    }

    /// Does a chunk, or less of it when the limit comes first, and says how much was done.
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
    /// Keeps the memory that the chains lead through.
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
        // SAFETY: nodes of the cycle lie in the slice.
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
