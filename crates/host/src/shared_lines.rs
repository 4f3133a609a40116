//! Cache lines that two workers share.

use std::sync::atomic::AtomicU64;

use crate::arena::Slice;

/// The largest distance of lines: every other one of 128 bytes.
const MOST_APART: usize = 256;

/// `COUNT` lines, of which both workers use the first words.
#[derive(Debug)]
pub(crate) struct SharedLines<const COUNT: usize> {
    slice: Slice,
    /// Distance of the lines in bytes.
    spacing: usize,
}

impl<const COUNT: usize> SharedLines<COUNT> {
    /// Bytes that the lines take: every other line, because adjacent lines may be fetched in pairs.
    pub(crate) const BYTES: usize = COUNT * MOST_APART;

    /// The first lines of a slice.
    pub(crate) fn new(slice: Slice, spacing: usize) -> Self {
        assert!(spacing <= MOST_APART && slice.length() >= Self::BYTES, "each line and its neighbor");
        Self { slice, spacing }
    }

    /// The first word of a line.
    #[inline]
    pub(crate) fn word(&self, line: usize) -> &AtomicU64 {
        assert!(line < COUNT);
        // SAFETY: a slice starts at a line, is long enough for all lines and outlives `self`. While its two workers work, no
        // other code uses these words, and both workers access them only as atomics.
        unsafe { &*self.slice.start().add(line * self.spacing).cast::<AtomicU64>() }
    }
}
