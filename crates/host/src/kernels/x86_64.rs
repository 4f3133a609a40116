//! Kernels of x86-64 in AVX-512, AVX2 and SSE2: one source for the three widths.
//!
//! A kernel walks one, two or eight consecutive parts of each array at the same time, two lines (a mix: as many lines as its
//! pattern has) of each part in turn, so that prefetchers and memory banks see that number of pages at a time. Some forms
//! prefetch: by `prefetchw` the lines that regular stores will write, or by `prefetcht0` the sources of non-temporal stores,
//! both 512 bytes ahead.
//!
//! No form is the fastest everywhere, so kernels have two to four, and a trial chooses, also between two widths. From alternating runs in 2-core virtual
//! machines:
//!
//! - On a Xeon of family 6, model 207, eight parts beat one by 1.2 for non-temporal copies, `prefetchw` is worth 1.3 for regular
//!   stores (the same for all distances from 256 to 2048), and `prefetcht0` 1.05 for a non-temporal triad.
//! - On an EPYC of family 26, model 2, one part without prefetches beats those forms by 1.2 for a copy and for a triad, and
//!   two parts without prefetches by 1.3 for a non-temporal triad.
//! - On an EPYC of family 25, model 17, one part without prefetches beats eight by 1.4 for a 1:1 mix, and vectors of 32 bytes beat those of
//!   64 by 1.1 to 1.2 for a read, a copy and a triad.
//! - Ice Lake and later Xeons turn a store that covers a line into one that does not fetch it (SpecI2M) when memory is busy, unless the
//!   line was prefetched for ownership.
//!
//! `prefetchnta` halves the bandwidth of a read.

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

/// The forms of the code of `kernel` in `set`; none if `set` belongs to another architecture.
pub(super) fn codes(kernel: Kernel, set: InstructionSet) -> Vec<KernelCode> {
    match set {
        InstructionSet::Avx512 => avx512(kernel),
        InstructionSet::Avx2 => avx2(kernel),
        InstructionSet::Sse2 => sse2(kernel),
        _ => Vec::new(),
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

/// The prefetch in words.
macro_rules! ahead_in_words {
    ([]) => {
        None
    };
    ([prefetchw $($rest:tt)*]) => {
        Some("prefetched for ownership")
    };
    ([prefetcht0 $($rest:tt)*]) => {
        Some("sources prefetched")
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

/// One step in each part. Registers 8 to 11 hold the distance of the parts, 3 times, 5 times and 7 times.
macro_rules! parts {
    (number in eighths) => { 8 };
    (number in halves) => { 2 };
    (number in whole) => { 1 };
    (eighths $($step:tt)+) => {
        concat!(
            part!("" $($step)+), part!("+r8" $($step)+), part!("+r8*2" $($step)+), part!("+r9" $($step)+),
            part!("+r8*4" $($step)+), part!("+r10" $($step)+), part!("+r9*2" $($step)+), part!("+r11" $($step)+),
        )
    };
    (halves $($step:tt)+) => { concat!(part!("" $($step)+), part!("+r8" $($step)+)) };
    (whole $($step:tt)+) => { part!("" $($step)+) };
}

/// A form of a kernel: its traffic, its walk, its prefetches, and its instructions for each line of a step.
macro_rules! kernel {
    // Most kernels do the same in both lines of a step.
    (
        $isa:ident $v:literal $vectors:tt,
        $loads:literal $stores:literal $allocates:literal, $walk:ident $ahead:tt, each $line:tt
    ) => {
        kernel!($isa $v $vectors, $loads $stores $allocates, $walk $ahead, 0 $line, 64 $line)
    };
    (
        $isa:ident $v:literal [$($offset:literal $own:literal),+],
        $loads:literal $stores:literal $allocates:literal, $walk:ident $ahead:tt,
        $($at:literal $line:tt),+
    ) => {
        kernel!(
            @code $isa $v [$($offset $own),+], $walk $ahead, $($at $line),+;
            concat!($($isa!(set $v $own concat!("[{constants}+128+", $offset, "]"))),+);
            LINE * [$($at),+].len();
            Traffic { loads: $loads, stores: $stores, allocates: $allocates }
        )
    };
    (
        @code $isa:ident $v:literal $vectors:tt, $walk:ident $ahead:tt, $($at:literal $line:tt),+;
        $set_own:expr; $step:expr; $traffic:expr
    ) => {{
        const PARTS: usize = parts!(number in $walk);
        const STEP: usize = $step;

        unsafe fn run([a, b, c]: [*mut u8; 3], stride: usize, length: usize) {
            if length == 0 {
                return;
            }
            // SAFETY: the caller vouches for `length` bytes of each part of each array that the kernel dereferences, and
            // for their alignment. The other pointers only advance, prefetches cannot fault.
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
                    $isa!(leave),
                    a = inout(reg) a => _,
                    b = inout(reg) b => _,
                    c = inout(reg) c => _,
                    left = inout(reg) length => _,
                    in("r8") stride,
                    in("r9") 3 * stride,
                    in("r10") 5 * stride,
                    in("r11") 7 * stride,
                    constants = in(reg) &raw const CONSTANTS,
                    step = const STEP,
                    out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _,
                    out("xmm4") _, out("xmm5") _, out("xmm6") _, out("xmm7") _,
                    // `vzeroupper` changes these too. (`clobber_abi` would name them, but refuses operands without
                    // registers of their own.)
                    out("xmm8") _, out("xmm9") _, out("xmm10") _, out("xmm11") _,
                    out("xmm12") _, out("xmm13") _, out("xmm14") _, out("xmm15") _,
                    options(nostack),
                );
            }
        }
        KernelCode { run, parts: PARTS, step: STEP, ahead: ahead_in_words!($ahead), traffic: $traffic }
    }};
}

/// The forms of a kernel that does the same in both lines of a step: each a walk, and what it prefetches.
macro_rules! forms {
    (
        $isa:ident $v:literal $vectors:tt,
        $loads:literal $stores:literal $allocates:literal, $line:tt, $($walk:ident $ahead:tt),+
    ) => {
        vec![$(kernel!($isa $v $vectors, $loads $stores $allocates, $walk $ahead, each $line)),+]
    };
}

/// The forms of a mix, with its instructions for each line of its pattern. They load what they store, so prefetching slows them down.
macro_rules! mixes {
    ($isa:ident $v:literal $vectors:tt, $loads:literal $stores:literal, $($at:literal $line:tt),+) => {
        vec![
            kernel!($isa $v $vectors, $loads $stores 0, eighths [], $($at $line),+),
            kernel!($isa $v $vectors, $loads $stores 0, whole [], $($at $line),+),
        ]
    };
}

/// All kernels of one width, each in several forms.
macro_rules! instruction_set {
    ($set:ident, $isa:ident $v:literal $w:tt) => {
        fn $set(kernel: Kernel) -> Vec<KernelCode> {
            match kernel {
                // loads, stores, allocates; instructions; forms: walk, ahead
                Kernel::Read => forms!($isa $v $w, 1 0 0, [load "a"], eighths [], halves [], whole []),
                Kernel::Write => forms!($isa $v $w, 0 1 1, [write "a"], eighths [prefetchw "a"], halves [], whole []),
                Kernel::WriteNt => forms!($isa $v $w, 0 1 0, [write_nt "a"], halves [], whole []),
                Kernel::Copy => forms!(
                    $isa $v $w, 1 1 1, [load "a", store "b"], eighths [prefetchw "b"], whole []
                ),
                Kernel::CopyNt => forms!(
                    $isa $v $w, 1 1 0, [load "a", store_nt "b"], eighths [prefetcht0 "a"], halves [], whole []
                ),
                Kernel::Scale => forms!(
                    $isa $v $w, 1 1 1, [load "a", multiply, store "b"], eighths [prefetchw "b"], whole []
                ),
                Kernel::ScaleNt => forms!(
                    $isa $v $w, 1 1 0, [load "a", multiply, store_nt "b"],
                    eighths [prefetcht0 "a"], halves [], whole []
                ),
                Kernel::Add => forms!(
                    $isa $v $w, 2 1 1, [load "a", add "b", store "c"], halves [prefetchw "c"], whole []
                ),
                Kernel::AddNt => forms!(
                    $isa $v $w, 2 1 0, [load "a", add "b", store_nt "c"],
                    eighths [prefetcht0 "a", prefetcht0 "b"], eighths [], halves [], whole []
                ),
                Kernel::Triad => forms!(
                    $isa $v $w, 2 1 1, [load "b", multiply, add "a", store "c"], halves [prefetchw "c"], whole []
                ),
                Kernel::TriadNt => forms!(
                    $isa $v $w, 2 1 0, [load "b", multiply, add "a", store_nt "c"],
                    eighths [prefetcht0 "a", prefetcht0 "b"], eighths [], halves [], whole []
                ),
                Kernel::Mix8To1 => mixes!(
                    $isa $v $w, 8 1,
                    0 [load "a"], 64 [load "a"], 128 [load "a"], 192 [load "a"],
                    256 [load "a"], 320 [load "a"], 384 [load "a"], 448 [load "a", store "a"]
                ),
                Kernel::Mix4To1 => mixes!(
                    $isa $v $w, 4 1, 0 [load "a"], 64 [load "a"], 128 [load "a"], 192 [load "a", store "a"]
                ),
                Kernel::Mix3To1 => {
                    mixes!($isa $v $w, 3 1, 0 [load "a"], 64 [load "a"], 128 [load "a", store "a"])
                }
                Kernel::Mix2To1 => mixes!($isa $v $w, 2 1, 0 [load "a"], 64 [load "a", store "a"]),
                Kernel::Mix3To2 => mixes!(
                    $isa $v $w, 3 2, 0 [load "a"], 64 [load "a", store "a"], 128 [load "a", store "a"]
                ),
                Kernel::Mix1To1 => {
                    mixes!($isa $v $w, 1 1, 0 [load "a", store "a"], 64 [load "a", store "a"])
                }
            }
        }
    };
}

instruction_set!(avx512, avx "zmm" [0 "2"]);
instruction_set!(avx2, avx "ymm" [0 "2", 32 "3"]);
instruction_set!(sse2, sse "xmm" [0 "2", 16 "3", 32 "4", 48 "5"]);
