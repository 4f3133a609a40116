//! The caches between a worker and its buffer, and how much of the buffer they can hold.

use zerohop_units::Bytes;

/// The caches in front of a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CachesInFront {
    /// All of them together; zero where they are not known.
    pub(crate) size: Bytes,
    /// One byte of the buffer in this many is used.
    one_in: u64,
}

impl CachesInFront {
    /// Caches in front of a buffer that is used as a whole.
    pub(crate) fn new(size: Bytes) -> Self {
        Self { size, one_in: 1 }
    }

    /// The same, where only one of `parts` parts of the buffer counts.
    pub(crate) fn of_one_part_in(self, parts: u64) -> Self {
        Self { one_in: self.one_in * parts, ..self }
    }

    /// The same, in front of a chase, which uses every other line.
    pub(crate) fn of_chase(self) -> Self {
        self.of_one_part_in(2)
    }

    /// What they can hold of the buffer, with what is not used in between.
    pub(crate) fn span(self) -> Bytes {
        self.size * self.one_in
    }
}
