//! Parts that all kernel files share: the form of a kernel's code, and its constants.

use zerohop_workload::{InstructionSet, Traffic};

/// Length of a cache line in bytes: the unit of transfer between memory and caches.
pub(super) const LINE: usize = 64;

/// STREAM's scalar, used by scale and triad.
pub(super) const FACTOR: f64 = 3.0;

/// The word that scalar kernels write at `index`. Both as an `f64` and as two `f32` it is normal and below 2, and 2^23
/// consecutive words all differ.
pub(super) fn numbered(index: usize) -> u64 {
    let number = index as u64 & 0x007f_ffff;
    0x3f80_0000_3f80_0000 | number << 32 | number
}

/// One pass of a kernel.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KernelCode {
    /// Walks several parts of each array at the same time, sources first and destination last; a mix has one array and updates
    /// it.
    ///
    /// # Safety
    /// All arrays of the kernel must be valid for reads and writes of every part, must not overlap and must be aligned to
    /// 64 bytes. `stride` must be a multiple of 64, and `length`, which is at most `stride`, a multiple of `step`.
    pub(crate) run: Run,
    /// The number of parts of each array.
    pub(crate) parts: usize,
    /// Bytes of each part of which `length` is a multiple.
    pub(crate) step: usize,
    /// The prefetch that precedes its accesses, in words, if there is one.
    pub(crate) ahead: Option<&'static str>,
    /// The traffic of the code, counted from its instructions.
    pub(crate) traffic: Traffic,
}

/// Walks `length` bytes of each part of each array; the parts start `stride` bytes apart.
pub(crate) type Run = unsafe fn(arrays: [*mut u8; 3], stride: usize, length: usize);

impl KernelCode {
    /// Bytes of each array in one step.
    pub(crate) fn granule(&self) -> usize {
        self.parts * self.step
    }
}

/// A form of a kernel: its code in an instruction set.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Form {
    pub(crate) set: InstructionSet,
    pub(crate) code: KernelCode,
}

impl Form {
    /// Whether another form, of another set, visits memory in the same order.
    pub(crate) fn walks_as(&self, other: &Self) -> bool {
        (self.code.parts, self.code.ahead) == (other.code.parts, other.code.ahead)
    }

    /// What distinguishes it from other forms of the same kernel, in words.
    pub(crate) fn words(&self) -> String {
        let Self { set, code } = self;
        let streams = if code.parts == 1 { "1 stream".to_owned() } else { format!("{} streams", code.parts) };
        match code.ahead {
            Some(ahead) => format!("{set}, {streams} of each array, {ahead}"),
            None => format!("{set}, {streams} of each array"),
        }
    }
}

/// Makes the stores of earlier passes visible before anything that follows. The language's memory model knows nothing of
/// non-temporal stores.
pub(crate) fn finish() {
    // SAFETY: every x86-64 processor has SSE.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        std::arch::x86_64::_mm_sfence();
    }
}

/// Constants of the vector kernels, each repeated to fill one line.
#[repr(C, align(64))]
pub(super) struct Constants {
    pub(super) factor: [f64; 8],
    /// The increment that is added to each half of the written values after each line.
    pub(super) increment: [u32; 16],
    /// The values written first. They are never zero or the same from line to line, because memory systems may treat such
    /// values differently.
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
