//! Kernels of aarch64: all in NEON, and reads in SVE too if the processor has it.
//!
//! Each kernel walks its arrays from end to end by pairs of vectors, two lines per step (a mix: as many lines as its
//! pattern has). There is no software prefetching: hardware prefetchers follow such a walk, and prefetching lines that are
//! about to be stored would defeat write streaming, by which many cores avoid reading lines that are fully overwritten.

use std::arch::{asm, is_aarch64_feature_detected};

use zerohop_workload::{InstructionSet, Kernel, Traffic};

use super::code::{CONSTANTS, KernelCode, LINE};

/// Instruction sets that both the processor and the operating system support, widest first.
pub(super) fn instruction_sets() -> Vec<InstructionSet> {
    let mut sets = vec![InstructionSet::Neon];
    if sve_fits() {
        sets.insert(0, InstructionSet::Sve);
    }
    sets
}

/// The forms of the code of `kernel` in `set`: one, or none.
pub(super) fn codes(kernel: Kernel, set: InstructionSet) -> Vec<KernelCode> {
    match (set, kernel) {
        (InstructionSet::Neon, _) => vec![neon(kernel)],
        (InstructionSet::Sve, Kernel::Read) => vec![SVE_READ],
        _ => Vec::new(),
    }
}

/// A pair of vectors at `$at` of an array. Registers 0 and 1 hold the loaded values, 2 and 3 a second source, 4 STREAM's
/// scalar, `$own` and `$next` the values to write, and 5 the increment that is added to these.
macro_rules! pair {
    (load $array:literal $at:expr, $own:literal $next:literal) => {
        concat!("ldp q0, q1, [{", $array, "}, #", $at, "]\n")
    };
    (multiply $at:expr, $own:literal $next:literal) => {
        "fmul v0.2d, v0.2d, v4.2d\n fmul v1.2d, v1.2d, v4.2d\n"
    };
    (add $array:literal $at:expr, $own:literal $next:literal) => {
        concat!(
            "ldp q2, q3, [{", $array, "}, #", $at, "]\n",
            "fadd v0.2d, v0.2d, v2.2d\n fadd v1.2d, v1.2d, v3.2d\n"
        )
    };
    (store $array:literal $at:expr, $own:literal $next:literal) => {
        concat!("stp q0, q1, [{", $array, "}, #", $at, "]\n")
    };
    (store_nt $array:literal $at:expr, $own:literal $next:literal) => {
        concat!("stnp q0, q1, [{", $array, "}, #", $at, "]\n")
    };
    (write $array:literal $at:expr, $own:literal $next:literal) => {
        concat!("stp q", $own, ", q", $next, ", [{", $array, "}, #", $at, "]\n", pair!(count $own $next))
    };
    (write_nt $array:literal $at:expr, $own:literal $next:literal) => {
        concat!("stnp q", $own, ", q", $next, ", [{", $array, "}, #", $at, "]\n", pair!(count $own $next))
    };
    (count $own:literal $next:literal) => {
        concat!(
            "add v", $own, ".4s, v", $own, ".4s, v5.4s\n",
            "add v", $next, ".4s, v", $next, ".4s, v5.4s\n"
        )
    };
}

/// The two pairs of one line, which starts at `$at` of each array.
macro_rules! line {
    ($at:literal [$($instruction:ident $($array:literal)?),+]) => {
        concat!(
            $(pair!($instruction $($array)? concat!($at, "+0"), "6" "7")),+,
            $(pair!($instruction $($array)? concat!($at, "+32"), "16" "17")),+
        )
    };
}

/// A kernel: its traffic, and its instructions for each line of a step.
macro_rules! kernel {
    // Most kernels do the same in both lines of a step.
    ($loads:literal $stores:literal $allocates:literal, each $line:tt) => {
        kernel!($loads $stores $allocates, 0 $line, 64 $line)
    };
    ($loads:literal $stores:literal $allocates:literal, $($at:literal $line:tt),+) => {{
        const STEP: usize = LINE * [$($at),+].len();

        unsafe fn run([a, b, c]: [*mut u8; 3], _stride: usize, length: usize) {
            if length == 0 {
                return;
            }
            // SAFETY: the caller guarantees `length` bytes from each pointer that the kernel dereferences; the other
            // pointers only advance.
            unsafe {
                asm!(
                    "ldr q4, [{constants}]",
                    "ldr q5, [{constants}, #64]",
                    "ldp q6, q7, [{constants}, #128]",
                    "ldp q16, q17, [{constants}, #160]",
                    ".p2align 5",
                    "2:",
                    $(line!($at $line)),+,
                    "add {a}, {a}, {step}",
                    "add {b}, {b}, {step}",
                    "add {c}, {c}, {step}",
                    "subs {left}, {left}, {step}",
                    "b.ne 2b",
                    a = inout(reg) a => _,
                    b = inout(reg) b => _,
                    c = inout(reg) c => _,
                    left = inout(reg) length => _,
                    constants = in(reg) &raw const CONSTANTS,
                    step = const STEP,
                    out("v0") _, out("v1") _, out("v2") _, out("v3") _, out("v4") _,
                    out("v5") _, out("v6") _, out("v7") _, out("v16") _, out("v17") _,
                    options(nostack),
                );
            }
        }
        KernelCode {
            run,
            parts: 1,
            step: STEP,
            ahead: None,
            traffic: Traffic { loads: $loads, stores: $stores, allocates: $allocates },
        }
    }};
}

/// All kernels in NEON.
fn neon(kernel: Kernel) -> KernelCode {
    match kernel {
        // loads, stores, allocates; instructions
        Kernel::Read => kernel!(1 0 0, each [load "a"]),
        Kernel::Write => kernel!(0 1 1, each [write "a"]),
        Kernel::WriteNt => kernel!(0 1 0, each [write_nt "a"]),
        Kernel::Copy => kernel!(1 1 1, each [load "a", store "b"]),
        Kernel::CopyNt => kernel!(1 1 0, each [load "a", store_nt "b"]),
        Kernel::Scale => kernel!(1 1 1, each [load "a", multiply, store "b"]),
        Kernel::ScaleNt => kernel!(1 1 0, each [load "a", multiply, store_nt "b"]),
        Kernel::Add => kernel!(2 1 1, each [load "a", add "b", store "c"]),
        Kernel::AddNt => kernel!(2 1 0, each [load "a", add "b", store_nt "c"]),
        Kernel::Triad => kernel!(2 1 1, each [load "b", multiply, add "a", store "c"]),
        Kernel::TriadNt => kernel!(2 1 0, each [load "b", multiply, add "a", store_nt "c"]),
        Kernel::Mix8To1 => kernel!(
            8 1 0,
            0 [load "a"], 64 [load "a"], 128 [load "a"], 192 [load "a"],
            256 [load "a"], 320 [load "a"], 384 [load "a"], 448 [load "a", store "a"]
        ),
        Kernel::Mix4To1 => {
            kernel!(4 1 0, 0 [load "a"], 64 [load "a"], 128 [load "a"], 192 [load "a", store "a"])
        }
        Kernel::Mix3To1 => kernel!(3 1 0, 0 [load "a"], 64 [load "a"], 128 [load "a", store "a"]),
        Kernel::Mix2To1 => kernel!(2 1 0, 0 [load "a"], 64 [load "a", store "a"]),
        Kernel::Mix3To2 => {
            kernel!(3 2 0, 0 [load "a"], 64 [load "a", store "a"], 128 [load "a", store "a"])
        }
        Kernel::Mix1To1 => kernel!(1 1 0, each [load "a", store "a"]),
    }
}

/// Four of the longest possible vectors (2048 bits), hence a multiple of four vectors of any length.
const SVE_STEP: usize = 4 * 256;

const SVE_READ: KernelCode = KernelCode {
    run: sve_read,
    parts: 1,
    step: SVE_STEP,
    ahead: None,
    traffic: Traffic { loads: 1, stores: 0, allocates: 0 },
};

/// Whether the processor has SVE with vectors whose length is a power of two: early versions of the architecture allow
/// other lengths, but no processor has them.
fn sve_fits() -> bool {
    if !is_aarch64_feature_detected!("sve") {
        return false;
    }
    let length: usize;
    // SAFETY: the processor has SVE, and the code only reads its vector length.
    unsafe {
        asm!(
            ".arch_extension sve",
            "rdvl {length}, #1",
            length = out(reg) length,
            options(nostack, nomem, preserves_flags),
        );
    }
    length.is_power_of_two()
}

unsafe fn sve_read([array, ..]: [*mut u8; 3], _stride: usize, length: usize) {
    if length == 0 {
        return;
    }
    // SAFETY: the caller guarantees `length` bytes, and this code is only offered on processors with SVE. Its registers
    // overlap with NEON's, whose numbers are given as clobbers.
    unsafe {
        asm!(
            ".arch_extension sve",
            "rdvl {step}, #4",
            ".p2align 5",
            "2:",
            "ldr z0, [{array}]",
            "ldr z1, [{array}, #1, mul vl]",
            "ldr z2, [{array}, #2, mul vl]",
            "ldr z3, [{array}, #3, mul vl]",
            "add {array}, {array}, {step}",
            "subs {left}, {left}, {step}",
            "b.ne 2b",
            array = inout(reg) array => _,
            left = inout(reg) length => _,
            step = out(reg) _,
            out("v0") _, out("v1") _, out("v2") _, out("v3") _,
            options(nostack),
        );
    }
}
