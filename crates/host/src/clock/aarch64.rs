//! The generic timer's virtual count of aarch64.

use std::arch::asm;

use super::trust::Trust;

pub(super) const NAME: &str = "CNTVCT_EL0";

/// The architecture promises a system-wide count at a constant rate (Arm ARM, D12.1 "The Generic Timer").
pub(super) fn trust() -> Trust {
    Trust { present: true, invariant: true, virtualized: false }
}

#[inline]
pub(super) fn fenced_before() -> u64 {
    let ticks;
    // SAFETY: Linux lets user space read the virtual count.
    unsafe { asm!("isb", "mrs {}, cntvct_el0", "isb", out(reg) ticks, options(nostack)) };
    ticks
}

#[inline]
pub(super) fn fenced_after() -> u64 {
    let ticks;
    // SAFETY: as above; the barrier waits for the loads and stores before it.
    unsafe { asm!("dsb ish", "isb", "mrs {}, cntvct_el0", out(reg) ticks, options(nostack)) };
    ticks
}

#[inline]
pub(super) fn unfenced() -> u64 {
    let ticks;
    // SAFETY: as above.
    unsafe { asm!("mrs {}, cntvct_el0", out(reg) ticks, options(nostack)) };
    ticks
}
