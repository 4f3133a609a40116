//! The caches between a worker and its buffer, and how much of the buffer they can hold.

use zerohop_units::Bytes;

/// The caches in front of a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CachesInFront {
    /// Their total size; zero where unknown.
    pub(crate) size: Bytes,
    /// The buffer uses one byte in this many.
    one_in: u64,
}

impl CachesInFront {
    /// Caches in front of a buffer that is used as a whole.
    pub(crate) fn new(size: Bytes) -> Self {
        Self { size, one_in: 1 }
    }

    /// The same caches, where only one of `parts` parts of the buffer is used.
    pub(crate) fn of_one_part_in(self, parts: u64) -> Self {
        Self { one_in: self.one_in * parts, ..self }
    }

    /// The same caches, in front of a chase, which uses every other line.
    pub(crate) fn of_chase(self) -> Self {
        self.of_one_part_in(2)
    }

    /// The stretch of the buffer that they can cover, including the unused parts in between.
    pub(crate) fn span(self) -> Bytes {
        self.size * self.one_in
    }
}
