//! Kernels of x86-64 in AVX-512, AVX2 and SSE2: one source for the three widths.
//!
//! All kernels have one shape. It was chosen by measurement in a 2-core virtual machine on a Xeon of family 6, model 207;
//! the speedups below are from alternating runs there.
//!
//! - A kernel walks eight consecutive parts of each array at the same time, two lines (a mix: as many lines as its pattern
//!   has) of each part in turn, so that prefetchers and memory banks see eight pages at a time: 1.2 for non-temporal
//!   copies.
//! - Lines that regular stores will write are prefetched 512 bytes ahead by `prefetchw`: 1.3, the same for all distances
//!   from 256 to 2048. Sources of non-temporal stores are prefetched by `prefetcht0`: 1.05 for triad.
//! - In-place mixes load what they store, so prefetching slows them down. `prefetchnta` halves the bandwidth of a read.
//! - Pure non-temporal writes are fastest as two parts: 1.01.

use std::arch::asm;

use zerohop_workload::{InstructionSet, Kernel, Traffic};

use super::code::{CONSTANTS, KernelCode, LINE};

/// Instruction sets that both the processor and the operating system support, widest first.
pub(super) fn instruction_sets() -> Vec<InstructionSet> {
    let detected = [
        (InstructionSet::Avx512, is_x86_feature_detected!("avx512f")),
        (InstructionSet::Avx2, is_x86_feature_detected!("avx2")),
        (InstructionSet::Sse2, true),
    ];
    detected.into_iter().filter_map(|(set, present)| present.then_some(set)).collect()
}

/// The code of `kernel` in `set`, if `set` belongs to this architecture.
pub(super) fn code(kernel: Kernel, set: InstructionSet) -> Option<KernelCode> {
    match set {
        InstructionSet::Avx512 => Some(avx512(kernel)),
        InstructionSet::Avx2 => Some(avx2(kernel)),
        InstructionSet::Sse2 => Some(sse2(kernel)),
        _ => None,
    }
}

/// The AVX instructions. Register 0 holds the loaded values, 1 STREAM's scalar, `$own` the values to write to this vector
/// of a line, and 6 the increment that is added to these after each line.
macro_rules! avx {
    (set $v:literal $register:literal $from:expr) => {
        concat!("vmovapd ", $v, $register, ", ", $from, "\n")
    };
    (load $v:literal $own:literal $at:expr) => {
        concat!("vmovapd ", $v, "0, ", $at, "\n")
    };
    (multiply $v:literal $own:literal) => {
        concat!("vmulpd ", $v, "0, ", $v, "0, ", $v, "1\n")
    };
    (add $v:literal $own:literal $at:expr) => {
        concat!("vaddpd ", $v, "0, ", $v, "0, ", $at, "\n")
    };
    (store $v:literal $own:literal $at:expr) => {
        concat!("vmovapd ", $at, ", ", $v, "0\n")
    };
    (store_nt $v:literal $own:literal $at:expr) => {
        concat!("vmovntpd ", $at, ", ", $v, "0\n")
    };
    (write $v:literal $own:literal $at:expr) => {
        concat!("vmovapd ", $at, ", ", $v, $own, "\n", "vpaddd ", $v, $own, ", ", $v, $own, ", ", $v, "6\n")
    };
    (write_nt $v:literal $own:literal $at:expr) => {
        concat!("vmovntpd ", $at, ", ", $v, $own, "\n", "vpaddd ", $v, $own, ", ", $v, $own, ", ", $v, "6\n")
    };
    // Without `vzeroupper`, SSE code that runs afterwards is slow.
    (leave) => {
        "vzeroupper\n"
    };
}

/// The same instructions as in [`avx!`], in the two-operand forms of SSE2.
macro_rules! sse {
    (set $v:literal $register:literal $from:expr) => {
        concat!("movapd ", $v, $register, ", ", $from, "\n")
    };
    (load $v:literal $own:literal $at:expr) => {
        concat!("movapd ", $v, "0, ", $at, "\n")
    };
    (multiply $v:literal $own:literal) => {
        concat!("mulpd ", $v, "0, ", $v, "1\n")
    };
    (add $v:literal $own:literal $at:expr) => {
        concat!("addpd ", $v, "0, ", $at, "\n")
    };
    (store $v:literal $own:literal $at:expr) => {
        concat!("movapd ", $at, ", ", $v, "0\n")
    };
    (store_nt $v:literal $own:literal $at:expr) => {
        concat!("movntpd ", $at, ", ", $v, "0\n")
    };
    (write $v:literal $own:literal $at:expr) => {
        concat!("movapd ", $at, ", ", $v, $own, "\n", "paddd ", $v, $own, ", ", $v, "6\n")
    };
    (write_nt $v:literal $own:literal $at:expr) => {
        concat!("movntpd ", $at, ", ", $v, $own, "\n", "paddd ", $v, $own, ", ", $v, "6\n")
    };
    (leave) => {
        ""
    };
}

/// One vector at `$place` of each array, `place` being a part and an offset in it.
macro_rules! vector {
    ($isa:ident $v:literal $own:literal $place:expr, [$($instruction:ident $($array:literal)?),+]) => {
        concat!($($isa!($instruction $v $own $(concat!("[{", $array, "}", $place, "]"))?)),+)
    };
}

/// One line: its vectors, each given by its offset and its own register.
macro_rules! line {
    ($isa:ident $v:literal [$($offset:literal $own:literal),+] $place:expr, $ahead:tt $instructions:tt) => {
        concat!(
            ahead!($place, $ahead),
            $(vector!($isa $v $own concat!($place, "+", $offset), $instructions)),+
        )
    };
}

/// Prefetches the line 512 bytes ahead in the given arrays.
macro_rules! ahead {
    ($place:expr, [$($prefetch:ident $array:literal),*]) => {
        concat!($(stringify!($prefetch), " [{", $array, "}", $place, "+512]\n"),*)
    };
}

/// The lines that one step takes from one part, each given by its offset and its instructions.
macro_rules! part {
    ($part:literal $isa:ident $v:literal $vectors:tt, $ahead:tt, $($offset:literal $line:tt),+) => {
        concat!($(line!($isa $v $vectors concat!($part, "+", $offset), $ahead $line)),+)
    };
}

/// One step in each part. Registers 8 to 11 hold the length of 1, 3, 5 and 7 parts.
macro_rules! parts {
    (number in eighths) => { 8 };
    (number in halves) => { 2 };
    (eighths $($step:tt)+) => {
        concat!(
            part!("" $($step)+), part!("+r8" $($step)+), part!("+r8*2" $($step)+), part!("+r9" $($step)+),
            part!("+r8*4" $($step)+), part!("+r10" $($step)+), part!("+r9*2" $($step)+), part!("+r11" $($step)+),
        )
    };
    (halves $($step:tt)+) => { concat!(part!("" $($step)+), part!("+r8" $($step)+)) };
}

/// A kernel: its traffic, its walk, its prefetches, its instructions for each line of a step, and the end of a pass.
macro_rules! kernel {
    // Most kernels do the same in both lines of a step.
    (
        $isa:ident $v:literal $vectors:tt,
        $loads:literal $stores:literal $allocates:literal, $walk:ident $ahead:tt, each $line:tt $end:literal
    ) => {
        kernel!($isa $v $vectors, $loads $stores $allocates, $walk $ahead, 0 $line, 64 $line; $end)
    };
    (
        $isa:ident $v:literal [$($offset:literal $own:literal),+],
        $loads:literal $stores:literal $allocates:literal, $walk:ident $ahead:tt,
        $($at:literal $line:tt),+; $end:literal
    ) => {
        kernel!(
            @code $isa $v [$($offset $own),+], $walk $ahead, $($at $line),+;
            concat!($($isa!(set $v $own concat!("[{constants}+128+", $offset, "]"))),+);
            LINE * [$($at),+].len();
            Traffic { loads: $loads, stores: $stores, allocates: $allocates };
            $end
        )
    };
    (
        @code $isa:ident $v:literal $vectors:tt, $walk:ident $ahead:tt, $($at:literal $line:tt),+;
        $set_own:expr; $step:expr; $traffic:expr; $end:literal
    ) => {{
        const PARTS: usize = parts!(number in $walk);
        const STEP: usize = $step;

        unsafe fn run([a, b, c]: [*mut u8; 3], length: usize) {
            if length == 0 {
                return;
            }
            let part = length / PARTS;
            // SAFETY: the caller vouches for `length` bytes from each pointer that the kernel dereferences, and for
            // their alignment. The other pointers only advance, prefetches cannot fault.
            unsafe {
                asm!(
                    $isa!(set $v "1" "[{constants}]"),
                    $isa!(set $v "6" "[{constants}+64]"),
                    $set_own,
                    ".p2align 5",
                    "2:",
                    parts!($walk $isa $v $vectors, $ahead, $($at $line),+),
                    "add {a}, {step}",
                    "add {b}, {step}",
                    "add {c}, {step}",
                    "sub {left}, {step}",
                    "jnz 2b",
                    $end,
                    $isa!(leave),
                    a = inout(reg) a => _,
                    b = inout(reg) b => _,
                    c = inout(reg) c => _,
                    left = inout(reg) part => _,
                    in("r8") part,
                    in("r9") 3 * part,
                    in("r10") 5 * part,
                    in("r11") 7 * part,
                    constants = in(reg) &raw const CONSTANTS,
                    step = const STEP,
                    out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _,
                    out("xmm4") _, out("xmm5") _, out("xmm6") _,
                    options(nostack),
                );
            }
        }
        KernelCode { run, granule: PARTS * STEP, traffic: $traffic }
    }};
}

/// All kernels of one width. Non-temporal stores end in `sfence`, as the language's memory model knows nothing of them.
macro_rules! instruction_set {
    ($set:ident, $isa:ident $v:literal $w:tt) => {
        fn $set(kernel: Kernel) -> KernelCode {
            match kernel {
                // loads, stores, allocates; walk, ahead; instructions
                Kernel::Read => kernel!($isa $v $w, 1 0 0, eighths [], each [load "a"] ""),
                Kernel::Write => kernel!($isa $v $w, 0 1 1, eighths [prefetchw "a"], each [write "a"] ""),
                Kernel::WriteNt => kernel!($isa $v $w, 0 1 0, halves [], each [write_nt "a"] "sfence"),
                Kernel::Copy => kernel!(
                    $isa $v $w, 1 1 1, eighths [prefetchw "b"], each [load "a", store "b"] ""
                ),
                Kernel::CopyNt => kernel!(
                    $isa $v $w, 1 1 0, eighths [prefetcht0 "a"], each [load "a", store_nt "b"] "sfence"
                ),
                Kernel::Scale => kernel!(
                    $isa $v $w, 1 1 1, eighths [prefetchw "b"], each [load "a", multiply, store "b"] ""
                ),
                Kernel::ScaleNt => kernel!(
                    $isa $v $w, 1 1 0, eighths [prefetcht0 "a"], each [load "a", multiply, store_nt "b"] "sfence"
                ),
                Kernel::Add => kernel!(
                    $isa $v $w, 2 1 1, eighths [prefetchw "c"], each [load "a", add "b", store "c"] ""
                ),
                Kernel::AddNt => kernel!(
                    $isa $v $w, 2 1 0, eighths [prefetcht0 "a", prefetcht0 "b"],
                    each [load "a", add "b", store_nt "c"] "sfence"
                ),
                Kernel::Triad => kernel!(
                    $isa $v $w, 2 1 1, eighths [prefetchw "c"], each [load "b", multiply, add "a", store "c"] ""
                ),
                Kernel::TriadNt => kernel!(
                    $isa $v $w, 2 1 0, eighths [prefetcht0 "a", prefetcht0 "b"],
                    each [load "b", multiply, add "a", store_nt "c"] "sfence"
                ),
                Kernel::Mix3To1 => kernel!(
                    $isa $v $w, 3 1 0, eighths [], 0 [load "a"], 64 [load "a"], 128 [load "a", store "a"]; ""
                ),
                Kernel::Mix2To1 => kernel!(
                    $isa $v $w, 2 1 0, eighths [], 0 [load "a"], 64 [load "a", store "a"]; ""
                ),
                Kernel::Mix1To1 => kernel!($isa $v $w, 1 1 0, eighths [], each [load "a", store "a"] ""),
            }
        }
    };
}

instruction_set!(avx512, avx "zmm" [0 "2"]);
instruction_set!(avx2, avx "ymm" [0 "2", 32 "3"]);
instruction_set!(sse2, sse "xmm" [0 "2", 16 "3", 32 "4", 48 "5"]);
