//! Running a bandwidth kernel over its arrays, at full speed, at a given rate, or with pauses.

use std::arch::asm;
use std::sync::Arc;

use zerohop_units::{Bytes, GigabytesPerSecond};
use zerohop_workload::{Access, Demand, Kernel};

use crate::arena::Slice;
use crate::clock::Clock;
use crate::forms::Forms;
use crate::kernels::{KernelCode, finish};
use crate::limit::Limit;

/// Traffic of a kernel per byte of one of its arrays.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PerByte {
    /// Bytes that the program asks for.
    pub(crate) asked: f64,
    /// Bytes that the bus carries.
    pub(crate) bus: f64,
}

impl PerByte {
    /// The traffic of this kernel.
    pub(crate) fn of(kernel: Kernel) -> Self {
        let traffic = kernel.traffic();
        // A mix walks one array. It loads each line once, and stores to some of the lines.
        let lines = if kernel.arrays() == 1 { traffic.loads.max(traffic.stores) } else { 1 };
        let per_line = |moved: u32| f64::from(moved) / f64::from(lines);
        Self { asked: per_line(traffic.asked()), bus: per_line(traffic.bus()) }
    }

    /// Bytes asked for in `length` bytes of each array.
    pub(crate) fn asked(self, length: f64) -> Bytes {
        Bytes((length * self.asked) as u64)
    }

    /// Bytes on the bus for `length` bytes of each array.
    pub(crate) fn bus(self, length: f64) -> Bytes {
        Bytes((length * self.bus) as u64)
    }
}

/// A kernel with its arrays and its pace.
#[derive(Debug)]
pub(crate) struct KernelTask {
    /// Keeps the arrays' memory alive.
    _slice: Slice,
    forms: Arc<Forms>,
    code: KernelCode,
    arrays: [*mut u8; 3],
    length: usize,
    block: Block,
    /// The largest block: parts of each array that are walked at the same time lie within one.
    largest: usize,
    chunks: (u64, u64),
    flow: Flow,
    /// Whether it ignores its flow.
    free: bool,
}

// SAFETY: the arrays are in the slice, which is valid on every thread. While this task works, no other uses the slice.
unsafe impl Send for KernelTask {}

/// A stretch of each array, whose parts the kernel walks at the same time. A pause between two pieces of a walk does not change
/// it: paced work is the same work.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Block {
    /// Where it starts in each array.
    start: usize,
    /// Bytes of each part.
    part: usize,
    /// Bytes of each part that are done.
    done: usize,
}

/// Timing of consecutive pieces. Lengths are in bytes of one array.
#[derive(Debug)]
enum Flow {
    Free,
    /// At moments set by a rate.
    Paced(Pace),
    /// With a pause of `rounds` loop rounds after each piece.
    Pausing {
        piece: usize,
        rounds: u64,
    },
}

/// Moments at which pieces are due. They count from one anchor, so that rounding errors do not add up.
#[derive(Debug)]
struct Pace {
    piece: usize,
    ticks: f64,
    anchor: u64,
    pieces: u64,
    /// A worker that is later than this skips the lost time: catching up would be a burst that nobody asked for.
    patience: u64,
}

/// Bytes asked for in one paced burst.
const PACED_BURST: f64 = 4096.0;

/// The size of the first chunk. It doubles while chunks are too short.
const FIRST_CHUNK: usize = 64 << 10;

/// The largest size of a chunk, and of a block.
const LAST_CHUNK: usize = 64 << 20;

/// The block of a random access order. The order is random within a block only: far larger than the caches nearest the core, and
/// some milliseconds of work at most.
const RANDOM_BLOCK: usize = 16 << 20;

/// The base page, in which the sets of a first-level cache repeat.
const PAGE: usize = 4096;

/// The distance by which arrays that would start at the same offset in a page are moved apart: lines at the same place in each
/// array then belong to different sets of a first-level cache.
const ARRAY_SKEW: usize = 192;

impl Block {
    /// The block at `start` of arrays of `length`. Its parts start at different offsets in their pages, evenly apart (eight parts:
    /// 512 bytes), so that they do not share sets of a first-level cache and do not leave their pages at the same time.
    fn at(start: usize, length: usize, largest: usize, code: &KernelCode) -> Self {
        let most = largest.min(length - start) / code.parts;
        let skew = if code.parts > 1 { PAGE / code.parts } else { 0 };
        let skewed = if most >= PAGE + skew { (most - skew) / PAGE * PAGE + skew } else { most };
        Self { start, part: (skewed / code.step * code.step).max(code.step), done: 0 }
    }
}

impl KernelTask {
    /// Cuts a slice into the kernel's arrays; `None` if it is too small for them.
    pub(crate) fn new(
        slice: Slice,
        forms: &Arc<Forms>,
        (kernel, access): (Kernel, Access),
        demand: Demand,
        clock: &Clock,
    ) -> Option<Self> {
        let count = kernel.arrays() as usize;
        let granule = forms.granule();
        let length = slice.length().checked_sub(ARRAY_SKEW * (count - 1))? / count / granule * granule;
        if length == 0 {
            return None;
        }
        // SAFETY: `count` arrays of `length`, and the gaps between them, fit in the slice. Pointers to arrays that the
        // kernel does not have stay at the start and are never dereferenced.
        let arrays = [0, 1, 2].map(|rank| unsafe {
            slice.start().add(if rank < count { rank * (length + ARRAY_SKEW) } else { 0 })
        });
        let whole = |bytes: usize| bytes.next_multiple_of(granule);
        let largest = if access == Access::Random { RANDOM_BLOCK } else { LAST_CHUNK };
        let chunks = match access {
            Access::Sequential | Access::Strided => (whole(FIRST_CHUNK), whole(LAST_CHUNK)),
            Access::Random => {
                let chunk = length.min(whole(RANDOM_BLOCK));
                (chunk, chunk)
            }
        };
        let asked = PerByte::of(kernel).asked;
        let pieces_of = |bytes: f64| {
            let granules = (bytes / (granule as f64 * asked)).round().max(1.0);
            granules as usize * granule
        };
        let flow = match demand {
            Demand::Unlimited | Demand::Delay(0) => Flow::Free,
            Demand::Rate(rate) => Flow::Paced(Pace::new(pieces_of(PACED_BURST), asked, rate, clock)),
            Demand::Delay(cycles) => {
                // Where the kernel's smallest piece is more than a burst, the pause is longer in proportion.
                let burst = Demand::BURST.get() as f64;
                let piece = pieces_of(burst);
                let rounds = f64::from(cycles) * piece as f64 * asked / burst;
                Flow::Pausing { piece, rounds: rounds.round() as u64 }
            }
        };
        let chunks = (chunks.0 as u64, chunks.1 as u64);
        let code = forms.code();
        let block = Block::at(0, length, largest, &code);
        let forms = Arc::clone(forms);
        Some(Self { _slice: slice, forms, code, arrays, length, block, largest, chunks, flow, free: false })
    }

    /// The smallest and the largest chunk.
    pub(crate) fn chunks(&self) -> (u64, u64) {
        self.chunks
    }

    /// Takes over the form that is current, for the next sample.
    pub(crate) fn begin(&mut self) {
        let code = self.forms.code();
        if code.run as usize != self.code.run as usize {
            self.code = code;
            self.block = Block::at(0, self.length, self.largest, &code);
        }
        self.free = self.forms.on_trial();
    }

    /// Processes `chunk` bytes of each array, or fewer if the limit is reached while waiting.
    #[inline]
    pub(crate) fn advance(&mut self, chunk: u64, limit: &Limit<'_>) -> u64 {
        let done = self.advance_unfinished(chunk, limit);
        finish();
        done
    }

    /// As [`Self::advance`], but stores may still be under way.
    #[inline]
    fn advance_unfinished(&mut self, chunk: u64, limit: &Limit<'_>) -> u64 {
        let mut done = 0;
        while done < chunk {
            let left = (chunk - done) as usize;
            done += match &mut self.flow {
                _ if self.free => self.run(left),
                Flow::Free => self.run(left),
                Flow::Paced(pace) => {
                    if !pace.wait(limit) {
                        return done;
                    }
                    let piece = pace.piece;
                    self.run_all(piece)
                }
                Flow::Pausing { piece, rounds } => {
                    let (piece, rounds) = (*piece, *rounds);
                    let length = self.run_all(piece);
                    pause(rounds);
                    length
                }
            };
        }
        done
    }

    /// Runs over `length` bytes, wrapping around at the arrays' end.
    #[inline]
    fn run_all(&mut self, length: usize) -> u64 {
        let mut done = 0;
        while done < length {
            done += self.run(length - done) as usize;
        }
        done as u64
    }

    /// Runs over `most` bytes, at least one step, or up to the end of the block, and returns the number of bytes.
    #[inline]
    fn run(&mut self, most: usize) -> u64 {
        let KernelCode { run, parts, step, .. } = self.code;
        let Block { start, part, done } = self.block;
        let length = (most / parts / step * step).clamp(step, part - done);
        // SAFETY: the block is inside the arrays, and this piece of its parts inside the block. The parts' length and what
        // is done of it are multiples of the step, and so is the piece.
        unsafe {
            let arrays = self.arrays.map(|array| array.add(start + done));
            run(arrays, part, length);
        }
        self.block.done += length;
        if self.block.done == part {
            let next = start + part * parts;
            let next = if next == self.length { 0 } else { next };
            self.block = Block::at(next, self.length, self.largest, &self.code);
        }
        (length * parts) as u64
    }
}

impl Pace {
    fn new(piece: usize, asked: f64, rate: GigabytesPerSecond, clock: &Clock) -> Self {
        let seconds = piece as f64 * asked / (rate.get().max(f64::MIN_POSITIVE) * 1e9);
        Self {
            piece,
            ticks: seconds * clock.rate().get(),
            anchor: 0,
            pieces: 0,
            patience: clock.ticks(std::time::Duration::from_micros(200)),
        }
    }

    /// Waits until the next piece is due; returns false if the limit is reached first.
    #[inline]
    fn wait(&mut self, limit: &Limit<'_>) -> bool {
        let due = self.next(limit.clock.mark());
        while limit.clock.mark() < due {
            if limit.reached() {
                return false;
            }
            std::hint::spin_loop();
        }
        self.pieces += 1;
        true
    }

    /// The tick at which the next piece is due, as of `now`.
    fn next(&mut self, now: u64) -> u64 {
        let due = self.anchor.saturating_add((self.pieces as f64 * self.ticks) as u64);
        if now <= due.saturating_add(self.patience) {
            return due;
        }
        self.anchor = now;
        self.pieces = 0;
        now
    }
}

/// A chain of dependent decrements. Each takes one cycle on any processor of the last twenty years.
#[inline]
fn pause(rounds: u64) {
    if rounds == 0 {
        return;
    }
    // SAFETY: the code only counts a register down.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        asm!("2:", "dec {0}", "jnz 2b", inout(reg) rounds => _, options(nostack, nomem));
        #[cfg(target_arch = "aarch64")]
        asm!("2:", "subs {0}, {0}, #1", "b.ne 2b", inout(reg) rounds => _, options(nostack, nomem));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::{codes, instruction_sets, on_trial};
    use crate::memory::{Mapping, PageKind};
    use crate::numa_calls::{NumaCalls, Policy};
    use proptest::prelude::*;
    use std::sync::atomic::AtomicBool;
    use zerohop_workload::InstructionSet;

    #[test]
    fn kernels_move_their_declared_traffic() {
        for (kernel, asked, bus) in [
            (Kernel::Read, 1.0, 1.0),
            (Kernel::Write, 1.0, 2.0),
            (Kernel::WriteNt, 1.0, 1.0),
            (Kernel::Copy, 2.0, 3.0),
            (Kernel::TriadNt, 3.0, 3.0),
            (Kernel::Triad, 3.0, 4.0),
            (Kernel::Mix3To1, 4.0 / 3.0, 4.0 / 3.0),
            (Kernel::Mix2To1, 1.5, 1.5),
            (Kernel::Mix1To1, 2.0, 2.0),
        ] {
            assert_eq!(PerByte::of(kernel), PerByte { asked, bus }, "{kernel}");
        }
        assert_eq!(PerByte::of(Kernel::Mix3To1).asked(3.0 * 64.0), Bytes(256));
    }

    fn code(parts: usize, step: usize) -> KernelCode {
        let read = codes(Kernel::Read, Access::Strided, InstructionSet::Scalar64, 64)[0];
        KernelCode { parts, step, ..read }
    }

    proptest! {
        #[test]
        fn blocks_cover_an_array_and_their_parts_are_skewed(
            granules in 1usize..1 << 16,
            (parts, step) in prop::sample::select(vec![(1, 64), (1, 128), (2, 128), (8, 128), (8, 192)]),
            largest in prop::sample::select(vec![1usize << 16, 1 << 20, 64 << 20]),
        ) {
            let code = code(parts, step);
            let length = granules * code.granule();
            let mut at = 0;
            let mut blocks = 0;
            while at < length {
                let block = Block::at(at, length, largest, &code);
                prop_assert!(block.part > 0 && block.part.is_multiple_of(step));
                if block.part > 2 * PAGE && step == 128 && parts > 1 {
                    prop_assert_eq!(block.part % PAGE, PAGE / parts);
                }
                at += block.part * parts;
                blocks += 1;
            }
            prop_assert_eq!(at, length);
            prop_assert!(blocks <= length / largest * 2 + 16, "{} blocks", blocks);
        }
    }

    #[test]
    fn a_paced_walk_visits_the_same_bytes_in_the_same_order_as_a_free_one() {
        let (mapping, _) = Mapping::new(2 << 20, PageKind::Base, &Policy::Local, &NumaCalls::LIVE).unwrap();
        let mapping = Arc::new(mapping);
        let clock = Clock::new(None).or_else(|_| Clock::new(Some("tsc"))).unwrap();
        let abort = AtomicBool::new(false);
        let limit = Limit { clock: &clock, tick: u64::MAX, abort: &abort };
        for set in instruction_sets() {
            for kernel in [Kernel::Read, Kernel::TriadNt] {
                let forms = on_trial(kernel, Access::Sequential, &[set], 64);
                if forms.is_empty() {
                    continue;
                }
                let forms = Arc::new(Forms::new(forms));
                let parts = forms.code().parts;
                let task = |demand| {
                    let slice = Slice::new(&mapping, 0..1 << 20);
                    KernelTask::new(slice, &forms, (kernel, Access::Sequential), demand, &clock).unwrap()
                };
                let mut free = task(Demand::Unlimited);
                let whole = free.block;
                free.advance(free.length as u64, &limit);
                let mut paced = task(Demand::Delay(2));
                let mut done = 0;
                while done < (whole.part * parts) as u64 {
                    assert_eq!(
                        (paced.block.start, paced.block.part),
                        (whole.start, whole.part),
                        "{kernel} {set}"
                    );
                    assert_eq!(paced.block.done * parts, done as usize, "all parts advance together");
                    done += paced.advance(1, &limit);
                }
            }
        }
    }

    fn pace(ticks: f64) -> Pace {
        Pace { piece: 4096, ticks, anchor: 0, pieces: 0, patience: 1000 }
    }

    #[test]
    fn no_burst_follows_a_pause() {
        let mut pace = pace(100.0);
        assert_eq!(pace.next(50_000), 50_000);
        pace.pieces += 1;
        assert_eq!(pace.next(50_900), 50_100, "a little late is caught up");
        pace.pieces += 1;
        assert_eq!(pace.next(60_000), 60_000, "much too late is forgotten");
        pace.pieces += 1;
        assert_eq!(pace.next(60_010), 60_100);
    }

    proptest! {
        #[test]
        fn pieces_that_are_never_late_keep_the_rate(ticks in 0.3f64..1e6, start in 0u64..1 << 60) {
            let mut pace = pace(ticks);
            let first = pace.next(start.max(2000));
            let mut due = first;
            for _ in 0..1000 {
                pace.pieces += 1;
                due = pace.next(due);
            }
            prop_assert!(((due - first) as f64 - 1000.0 * ticks).abs() <= 1.0);
        }
    }
}
