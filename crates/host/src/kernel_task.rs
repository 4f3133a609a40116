//! Running a bandwidth kernel over its arrays, at full speed, at a given rate, or with pauses.

use std::arch::asm;

use zerohop_units::{Bytes, GigabytesPerSecond};
use zerohop_workload::{Access, Demand, Kernel};

use crate::arena::Slice;
use crate::clock::Clock;
use crate::kernels::KernelCode;
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
    code: KernelCode,
    arrays: [*mut u8; 3],
    length: usize,
    position: usize,
    chunks: (u64, u64),
    flow: Flow,
}

// SAFETY: the arrays are in the slice, which is valid on every thread. While this task works, no other uses the slice.
unsafe impl Send for KernelTask {}

/// Timing of consecutive pieces. Lengths are in bytes of one array.
#[derive(Debug)]
enum Flow {
    /// Back to back.
    Free,
    /// At moments set by a rate.
    Paced(Pace),
    /// With a pause of `rounds` loop rounds after each piece.
    Pausing { piece: usize, rounds: u64 },
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

/// The largest size of a chunk.
const LAST_CHUNK: usize = 64 << 20;

/// The chunk of a random access order. The order is random within a chunk only, so all chunks have this one size: far
/// larger than the caches nearest the core, and some milliseconds of work at most.
const RANDOM_CHUNK: usize = 16 << 20;

impl KernelTask {
    /// Cuts a slice into the kernel's arrays; `None` if it is too small for them.
    pub(crate) fn new(
        slice: Slice,
        code: KernelCode,
        (kernel, access): (Kernel, Access),
        demand: Demand,
        clock: &Clock,
    ) -> Option<Self> {
        let count = kernel.arrays() as usize;
        let length = slice.length() / count / code.granule * code.granule;
        if length == 0 {
            return None;
        }
        // SAFETY: `count` arrays of `length` fit in the slice. Pointers to arrays that the kernel does not have stay
        // at the start and are never dereferenced.
        let arrays =
            [0, 1, 2].map(|rank| unsafe { slice.start().add(if rank < count { rank * length } else { 0 }) });
        let whole = |bytes: usize| bytes.next_multiple_of(code.granule);
        let chunks = match access {
            Access::Sequential | Access::Strided => (whole(FIRST_CHUNK), whole(LAST_CHUNK)),
            Access::Random => {
                let chunk = length.min(whole(RANDOM_CHUNK));
                (chunk, chunk)
            }
        };
        let asked = PerByte::of(kernel).asked;
        let pieces_of = |bytes: f64| {
            let granules = (bytes / (code.granule as f64 * asked)).round().max(1.0);
            granules as usize * code.granule
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
        Some(Self { _slice: slice, code, arrays, length, position: 0, chunks, flow })
    }

    /// The smallest and the largest chunk.
    pub(crate) fn chunks(&self) -> (u64, u64) {
        self.chunks
    }

    /// Processes `chunk` bytes of each array, or fewer if the limit is reached while waiting.
    #[inline]
    pub(crate) fn advance(&mut self, chunk: u64, limit: &Limit<'_>) -> u64 {
        let mut done = 0;
        while done < chunk {
            let left = (chunk - done) as usize;
            done += match &mut self.flow {
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

    /// Runs over `most` bytes or up to the arrays' end, and returns the number of bytes.
    #[inline]
    fn run(&mut self, most: usize) -> u64 {
        let length = most.min(self.length - self.position);
        // SAFETY: the position and the end of this piece are inside the arrays. Chunks, pieces, positions and the
        // arrays' length are multiples of the granule, and so is their minimum.
        unsafe {
            let arrays = self.arrays.map(|array| array.add(self.position));
            (self.code.run)(arrays, length);
        }
        self.position += length;
        if self.position == self.length {
            self.position = 0;
        }
        length as u64
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
    use proptest::prelude::*;

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
