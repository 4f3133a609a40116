//! What the kernels' files share: the form of a kernel's code, and the constants that it works with.

use zerohop_workload::Traffic;

/// What is moved between memory and caches, in bytes.
pub(super) const LINE: usize = 64;

/// STREAM's scalar, in scale and triad.
pub(super) const FACTOR: f64 = 3.0;

/// What scalar kernels write in place `index`: as an `f64` or as two `f32` a normal number below 2, and not the same in
/// 2^23 neighbours.
pub(super) fn numbered(index: usize) -> u64 {
    let number = index as u64 & 0x007f_ffff;
    0x3f80_0000_3f80_0000 | number << 32 | number
}

/// One pass of a kernel.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KernelCode {
    /// Runs over `length` bytes of each array, sources first and destination last; a mix has one array and updates it.
    ///
    /// # Safety
    /// As many arrays as the kernel has must be valid for reads and writes of `length` bytes, not overlap and be
    /// aligned to 64 bytes; `length` must be a multiple of `granule`.
    pub(crate) run: unsafe fn(arrays: [*mut u8; 3], length: usize),
    /// What `length` is a multiple of, in bytes.
    pub(crate) granule: usize,
    /// What the code moves, counted from its instructions.
    pub(super) traffic: Traffic,
}

/// Constants of the vector kernels, each repeated to fill one line.
#[repr(C, align(64))]
pub(super) struct Constants {
    pub(super) factor: [f64; 8],
    /// Added to what is written after each line, to each half of a number.
    pub(super) increment: [u32; 16],
    /// What is written first. Neither zero nor the same from line to line, as memory systems may treat that differently.
    pub(super) first_line: [u32; 16],
}

pub(super) static CONSTANTS: Constants = Constants {
    factor: [FACTOR; 8],
    increment: [1; 16],
    first_line: [
        0x3fb2_4a91,
        0x3f8d_13c7,
        0x3fe1_790b,
        0x3f97_c56d,
        0x3fc8_2f43,
        0x3ff3_b01f,
        0x3fa9_e6d5,
        0x3fdc_5379,
        0x3f85_9f2b,
        0x3fbe_6ce1,
        0x3fd4_087d,
        0x3fa0_d135,
        0x3feb_4259,
        0x3f91_fa83,
        0x3fc3_8e67,
        0x3ff9_27ad,
    ],
};
