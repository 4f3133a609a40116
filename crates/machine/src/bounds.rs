//! Bounds that no machine exceeds. A number beyond them is garbled, and would only cause an overflow later.

use zerohop_units::Bytes;

/// Bound on PU numbers: `NR_CPUS` in the largest configuration of Linux.
pub const MOST_PUS: usize = 8192;

/// Physical addresses of x86-64 and AArch64 have at most 52 bits.
const MOST_MEMORY: u64 = 1 << 52;

/// `count` units of `unit` bytes, if a machine can have that much memory.
pub(crate) fn memory(count: u64, unit: u64) -> Option<Bytes> {
    count.checked_mul(unit).filter(|&bytes| bytes <= MOST_MEMORY).map(Bytes)
}
