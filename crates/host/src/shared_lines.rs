//! Cache lines that two workers share.

use std::ops::Range;
use std::sync::atomic::AtomicU64;

use crate::arena::Slice;
use crate::memory::UNIT;

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

    /// Where the lines of this visit are: a part of the [`UNIT`] that begins with `range`, another one in each visit. The time of
    /// a line depends on the slice of a cache that its address belongs to, so the same lines in all visits would hide what another
    /// run, in other physical pages, finds.
    pub(crate) fn range(range: &Range<usize>, visit: u64) -> Range<usize> {
        let places = (UNIT / Self::BYTES) as u64;
        // The golden ratio spreads successive visits evenly.
        let place = (visit.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) % places;
        let start = range.start + place as usize * Self::BYTES;
        start..start + Self::BYTES
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// The lines of a run were the first ones of a page in every visit: two runs differed by where that page was.
    #[test]
    fn lines_that_cores_pass_on_are_others_in_each_visit() {
        fn check<const COUNT: usize>() {
            let bytes = SharedLines::<COUNT>::BYTES;
            let range = 2 * UNIT..2 * UNIT + bytes;
            let at = |visit| SharedLines::<COUNT>::range(&range, visit);
            let places: BTreeSet<_> = (0..40).map(|visit| at(visit).start).collect();
            assert!(places.len() > 20, "{places:?}");
            for moved in (0..1000).map(at) {
                assert!(moved.start >= 2 * UNIT && moved.end <= 3 * UNIT && moved.len() == bytes);
                assert!(moved.start.is_multiple_of(MOST_APART), "a line begins there");
            }
        }
        check::<16>();
        check::<128>();
    }
}
