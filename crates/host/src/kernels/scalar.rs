//! Kernels with accesses of 8 or 4 bytes: they show the effect of access width.
//!
//! They are loops over volatile accesses, which the compiler may unroll but can neither merge nor drop. Non-temporal
//! stores of single values exist on x86-64 only.

#[cfg(target_arch = "x86_64")]
use std::arch::asm;
use std::ops::{Add, Mul};

use zerohop_workload::{Kernel, Traffic};

use super::code::{FACTOR, KernelCode, LINE, Run, numbered};

/// The code of `kernel` in accesses as wide as `N`.
pub(super) fn code<N: Number>(kernel: Kernel) -> Option<KernelCode> {
    let (run, [loads, stores, allocates], lines): (Run, _, _) = match kernel {
        Kernel::Read => (update::<N, 1, 0>, [1, 0, 0], 1),
        Kernel::Write => (write::<N, Regular>, [0, 1, 1], 1),
        Kernel::Copy => (copy::<N, Regular>, [1, 1, 1], 1),
        Kernel::Scale => (scale::<N, Regular>, [1, 1, 1], 1),
        Kernel::Add => (add::<N, Regular>, [2, 1, 1], 1),
        Kernel::Triad => (triad::<N, Regular>, [2, 1, 1], 1),
        Kernel::Mix8To1 => (update::<N, 8, 1>, [8, 1, 0], 8),
        Kernel::Mix4To1 => (update::<N, 4, 1>, [4, 1, 0], 4),
        Kernel::Mix3To1 => (update::<N, 3, 1>, [3, 1, 0], 3),
        Kernel::Mix2To1 => (update::<N, 2, 1>, [2, 1, 0], 2),
        Kernel::Mix3To2 => (update::<N, 3, 2>, [3, 2, 0], 3),
        Kernel::Mix1To1 => (update::<N, 1, 1>, [1, 1, 0], 1),
        #[cfg(target_arch = "x86_64")]
        Kernel::WriteNt => (write::<N, NonTemporal>, [0, 1, 0], 1),
        #[cfg(target_arch = "x86_64")]
        Kernel::CopyNt => (copy::<N, NonTemporal>, [1, 1, 0], 1),
        #[cfg(target_arch = "x86_64")]
        Kernel::ScaleNt => (scale::<N, NonTemporal>, [1, 1, 0], 1),
        #[cfg(target_arch = "x86_64")]
        Kernel::AddNt => (add::<N, NonTemporal>, [2, 1, 0], 1),
        #[cfg(target_arch = "x86_64")]
        Kernel::TriadNt => (triad::<N, NonTemporal>, [2, 1, 0], 1),
        #[cfg(not(target_arch = "x86_64"))]
        Kernel::WriteNt | Kernel::CopyNt | Kernel::ScaleNt | Kernel::AddNt | Kernel::TriadNt => return None,
    };
    let traffic = Traffic { loads, stores, allocates };
    Some(KernelCode { run, parts: 1, step: lines * LINE, ahead: None, traffic })
}

/// The type of value that one access moves.
pub(super) trait Number: Copy + Add<Output = Self> + Mul<Output = Self> {
    /// STREAM's scalar.
    const FACTOR: Self;

    /// The value to write at `index` of an array.
    fn at(index: usize) -> Self;

    /// Stores the value, bypassing the caches.
    ///
    /// # Safety
    /// `to` must be valid for a write, and aligned.
    #[cfg(target_arch = "x86_64")]
    unsafe fn store_nt(self, to: *mut Self);
}

impl Number for f64 {
    const FACTOR: Self = FACTOR;

    fn at(index: usize) -> Self {
        Self::from_bits(numbered(index))
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    unsafe fn store_nt(self, to: *mut Self) {
        // SAFETY: the caller vouches for `to`.
        unsafe {
            asm!(
                "movnti [{to}], {value}",
                to = in(reg) to,
                value = in(reg) self.to_bits(),
                options(nostack, preserves_flags),
            );
        }
    }
}

impl Number for f32 {
    const FACTOR: Self = FACTOR as Self;

    fn at(index: usize) -> Self {
        Self::from_bits(numbered(index) as u32)
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    unsafe fn store_nt(self, to: *mut Self) {
        // SAFETY: the caller vouches for `to`.
        unsafe {
            asm!(
                "movnti [{to}], {value:e}",
                to = in(reg) to,
                value = in(reg) self.to_bits(),
                options(nostack, preserves_flags),
            );
        }
    }
}

/// How results are stored.
trait Store {
    /// Stores one value.
    ///
    /// # Safety
    /// `to` must be valid for a write, and aligned.
    unsafe fn store<N: Number>(to: *mut N, value: N);
}

struct Regular;

impl Store for Regular {
    #[inline(always)]
    unsafe fn store<N: Number>(to: *mut N, value: N) {
        // SAFETY: the caller vouches for `to`.
        unsafe { to.write_volatile(value) };
    }
}

#[cfg(target_arch = "x86_64")]
struct NonTemporal;

#[cfg(target_arch = "x86_64")]
impl Store for NonTemporal {
    #[inline(always)]
    unsafe fn store<N: Number>(to: *mut N, value: N) {
        // SAFETY: the caller vouches for `to`.
        unsafe { value.store_nt(to) };
    }
}

/// Calls `each` with the index of every value in `length` bytes, line by line so that the inner loop unrolls.
#[inline(always)]
fn each_number<N>(length: usize, mut each: impl FnMut(usize)) {
    let per_line = LINE / size_of::<N>();
    for line in 0..length / LINE {
        for number in 0..per_line {
            each(line * per_line + number);
        }
    }
}

/// Of every `LINES` lines, loads all and stores the last `STORED` as they were.
unsafe fn update<N: Number, const LINES: usize, const STORED: usize>(
    arrays: [*mut u8; 3],
    _stride: usize,
    length: usize,
) {
    let array = arrays[0].cast::<N>();
    for group in 0..length / (LINES * LINE) {
        for line in 0..LINES {
            each_number::<N>(LINE, |number| {
                // SAFETY: the caller vouches for `length` bytes, of which this number is within.
                unsafe {
                    let place = array.add((group * LINES + line) * (LINE / size_of::<N>()) + number);
                    let value = place.read_volatile();
                    if line >= LINES - STORED {
                        place.write_volatile(value);
                    }
                }
            });
        }
    }
}

unsafe fn write<N: Number, S: Store>([a, ..]: [*mut u8; 3], _stride: usize, length: usize) {
    let a = a.cast::<N>();
    // SAFETY: the caller vouches for `length` bytes of the array.
    each_number::<N>(length, |i| unsafe { S::store(a.add(i), N::at(i)) });
}

unsafe fn copy<N: Number, S: Store>([a, b, _]: [*mut u8; 3], _stride: usize, length: usize) {
    let (a, b) = (a.cast::<N>(), b.cast::<N>());
    // SAFETY: the caller vouches for `length` bytes of both arrays.
    each_number::<N>(length, |i| unsafe { S::store(b.add(i), a.add(i).read_volatile()) });
}

unsafe fn scale<N: Number, S: Store>([a, b, _]: [*mut u8; 3], _stride: usize, length: usize) {
    let (a, b) = (a.cast::<N>(), b.cast::<N>());
    // SAFETY: the caller vouches for `length` bytes of both arrays.
    each_number::<N>(length, |i| unsafe { S::store(b.add(i), N::FACTOR * a.add(i).read_volatile()) });
}

unsafe fn add<N: Number, S: Store>(arrays: [*mut u8; 3], _stride: usize, length: usize) {
    let [a, b, c] = arrays.map(<*mut u8>::cast::<N>);
    each_number::<N>(length, |i| {
        // SAFETY: the caller vouches for `length` bytes of all three arrays.
        unsafe { S::store(c.add(i), a.add(i).read_volatile() + b.add(i).read_volatile()) };
    });
}

unsafe fn triad<N: Number, S: Store>(arrays: [*mut u8; 3], _stride: usize, length: usize) {
    let [a, b, c] = arrays.map(<*mut u8>::cast::<N>);
    each_number::<N>(length, |i| {
        // SAFETY: the caller vouches for `length` bytes of all three arrays.
        unsafe { S::store(c.add(i), a.add(i).read_volatile() + N::FACTOR * b.add(i).read_volatile()) };
    });
}
