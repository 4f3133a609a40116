//! The time stamp counter of x86-64.

use std::arch::x86_64::{__cpuid, __rdtscp, _mm_lfence, _rdtsc};

use super::trust::Trust;

pub(super) const NAME: &str = "TSC";

/// What CPUID reports about it: Intel SDM volume 3, 19.17 "Time-stamp counter", and AMD APM volume 3, appendix E.
pub(super) fn trust() -> Trust {
    const RDTSCP: u32 = 1 << 27;
    const INVARIANT: u32 = 1 << 8;
    const HYPERVISOR: u32 = 1 << 31;
    let last = __cpuid(0x8000_0000).eax;
    let extended = |leaf: u32| if leaf <= last { __cpuid(leaf).edx } else { 0 };
    Trust {
        present: extended(0x8000_0001) & RDTSCP != 0,
        invariant: extended(0x8000_0007) & INVARIANT != 0,
        virtualized: __cpuid(1).ecx & HYPERVISOR != 0,
    }
}

#[inline]
pub(super) fn fenced_before() -> u64 {
    // SAFETY: neither instruction touches memory; SSE2 is part of x86-64.
    unsafe {
        _mm_lfence();
        let ticks = _rdtsc();
        _mm_lfence();
        ticks
    }
}

#[inline]
pub(super) fn fenced_after() -> u64 {
    let mut processor = 0;
    // SAFETY: RDTSCP waits for the instructions before it and is only used where `trust` found it.
    unsafe {
        let ticks = __rdtscp(&mut processor);
        _mm_lfence();
        ticks
    }
}

#[inline]
pub(super) fn unfenced() -> u64 {
    // SAFETY: reads a register.
    unsafe { _rdtsc() }
}
