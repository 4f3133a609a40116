//! Core-to-core latency by loads: one worker prepares cache lines, the other loads them, one after the other.
//!
//! Unlike two workers that bounce a line, this separates loads of lines that the last owner modified from loads of lines that
//! it only read. Only the loads are timed. The lines are chained in random order, so that each load waits for the one before.
//!
//! The owner stores to each line, or loads it; before that, the reader removes clean lines from all caches, so that the
//! owner's copy is the only one.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rand_core::Rng;
use rand_pcg::Pcg32;
use zerohop_workload::LineState;

use crate::arena::Slice;
use crate::findings::{Findings, Times};
use crate::limit::Limit;
use crate::shared_lines::SharedLines;

/// The side that a worker takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FetchSide {
    /// It loads the lines that the other one holds.
    Reader,
    /// It prepares the lines.
    Owner,
}

/// Number of lines in a round: enough that two readings of the clock cost less than half a percent of their loads, and few
/// enough for the sets of a first-level cache that even lines use.
const LINES: usize = 128;

/// The lines that two workers share.
#[derive(Debug)]
pub(crate) struct FetchedLines {
    /// The lines, and the line of the word by which the two take turns.
    lines: SharedLines<{ LINES + 1 }>,
    /// The lines in the order of their chain.
    order: [usize; LINES],
}

impl FetchedLines {
    /// Bytes that the lines take.
    pub(crate) const BYTES: usize = SharedLines::<{ LINES + 1 }>::BYTES;

    /// Where the lines of this visit are, in the memory that begins with `range`: see [`SharedLines::range`].
    pub(crate) fn range(range: &Range<usize>, visit: u64) -> Range<usize> {
        SharedLines::<{ LINES + 1 }>::range(range, visit)
    }

    /// The first lines of a slice.
    pub(crate) fn new(slice: Slice, spacing: usize) -> Arc<Self> {
        let mut order = std::array::from_fn(|line| line);
        let mut random = Pcg32::new(1, 1);
        for last in (1..LINES).rev() {
            order.swap(last, random.next_u32() as usize % (last + 1));
        }
        let lines = Arc::new(Self { lines: SharedLines::new(slice, spacing), order });
        lines.chain();
        lines
    }

    /// The first word of a line: the number of the next line in the chain. The last line's word is the turn.
    fn word(&self, line: usize) -> &AtomicU64 {
        self.lines.word(line)
    }

    fn turn(&self) -> &AtomicU64 {
        self.word(LINES)
    }

    /// Stores to every line the number of the next one.
    fn chain(&self) {
        for (rank, &line) in self.order.iter().enumerate() {
            self.word(line).store(self.order[(rank + 1) % LINES] as u64, Ordering::Relaxed);
        }
    }

    /// Loads every line, each after the one before it in the chain.
    #[inline(never)]
    fn follow(&self) -> u64 {
        let start = self.order[0] as u64;
        (0..LINES).fold(start, |line, _| self.word(line as usize).load(Ordering::Relaxed))
    }

    /// Removes every line from all caches.
    fn flush(&self) {
        for line in 0..LINES {
            flush(self.word(line));
        }
        fence();
    }
}

/// One worker's side of the transfer.
#[derive(Debug)]
pub(crate) struct Fetch {
    lines: Arc<FetchedLines>,
    side: FetchSide,
    state: LineState,
    /// The number of the last finished turn.
    reached: u64,
    times: Times,
}

/// Loads of the turn between two checks of the clock.
const POLLS: u32 = 256;

impl Fetch {
    /// One side of the transfer of lines in that state.
    pub(crate) fn new(lines: Arc<FetchedLines>, side: FetchSide, state: LineState) -> Self {
        Self { lines, side, state, reached: 0, times: Times::new() }
    }

    /// Starts sample `number`, with numbers that no earlier sample used.
    pub(crate) fn begin(&mut self, number: u64) {
        self.reached = number << 32;
        self.times.clear();
        if self.side == FetchSide::Reader {
            // The reader begins: it asks the owner to prepare the lines.
            self.pass_on();
        }
    }

    /// Forgets the times so far.
    pub(crate) fn forget(&mut self) {
        self.times.clear();
    }

    /// Plays up to `rounds`; fewer when the limit is reached. Each round loads all lines.
    pub(crate) fn advance(&mut self, rounds: u64, limit: &Limit<'_>) -> u64 {
        for round in 0..rounds {
            let awaited = match self.side {
                FetchSide::Owner => self.reached + 1,
                FetchSide::Reader => self.reached + 2,
            };
            if !self.wait_for(awaited, limit) {
                return round;
            }
            match self.side {
                FetchSide::Reader => {
                    let start = limit.clock.start();
                    let end = self.lines.follow();
                    std::hint::black_box(end);
                    self.times.push(start, limit.clock.stop());
                    self.reached += 2;
                    self.pass_on();
                }
                FetchSide::Owner => {
                    match self.state {
                        LineState::Modified => self.lines.chain(),
                        LineState::Clean => {
                            std::hint::black_box(self.lines.follow());
                        }
                    }
                    self.reached += 2;
                    self.lines.turn().store(self.reached, Ordering::Release);
                }
            }
        }
        rounds
    }

    /// It is the owner's turn.
    fn pass_on(&self) {
        if self.state == LineState::Clean {
            self.lines.flush();
        }
        self.lines.turn().store(self.reached + 1, Ordering::Release);
    }

    fn wait_for(&self, turn: u64, limit: &Limit<'_>) -> bool {
        loop {
            for _ in 0..POLLS {
                if self.lines.turn().load(Ordering::Acquire) == turn {
                    return true;
                }
            }
            if limit.reached() {
                return false;
            }
        }
    }

    /// The time of a load.
    pub(crate) fn findings(&mut self) -> Findings {
        Findings { step: self.times.median().map(|ticks| ticks / LINES as f64), ..Findings::default() }
    }
}

/// Removes a line from all caches; memory gets its data.
fn flush(word: &AtomicU64) {
    // SAFETY: flushing a line that is mapped changes no data. Every x86-64 processor has CLFLUSH (SSE2); Linux lets user
    // space clean and invalidate lines of aarch64 by address (SCTLR_EL1.UCI).
    unsafe {
        #[cfg(target_arch = "x86_64")]
        std::arch::x86_64::_mm_clflush(std::ptr::from_ref(word).cast());
        #[cfg(target_arch = "aarch64")]
        std::arch::asm!("dc civac, {}", in(reg) std::ptr::from_ref(word), options(nostack, preserves_flags));
    }
}

/// Waits until all lines are flushed.
fn fence() {
    // SAFETY: a fence changes no data.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        std::arch::x86_64::_mm_mfence();
        #[cfg(target_arch = "aarch64")]
        std::arch::asm!("dsb ish", options(nostack, preserves_flags));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Clock;
    use crate::memory::{Mapping, PageKind};
    use crate::numa_calls::{NumaCalls, Policy};
    use std::collections::BTreeSet;
    use std::sync::atomic::AtomicBool;
    use std::time::Duration;

    fn lines() -> Arc<FetchedLines> {
        let (mapping, _) = Mapping::new(32 << 10, PageKind::Base, &Policy::Local, &NumaCalls::LIVE).unwrap();
        FetchedLines::new(Slice::new(&Arc::new(mapping), 0..FetchedLines::BYTES), 128)
    }

    /// Plays until `time` is over or `rounds` are played; returns the rounds played and the time of a load.
    fn play(mut fetch: Fetch, rounds: u64, time: Duration) -> (u64, Option<f64>) {
        let clock = Clock::new(None).or_else(|_| Clock::new(Some("tsc"))).unwrap();
        let abort = AtomicBool::new(false);
        let limit =
            Limit { clock: &clock, tick: clock.mark().saturating_add(clock.ticks(time)), abort: &abort };
        fetch.begin(3);
        (fetch.advance(rounds, &limit), fetch.findings().step)
    }

    #[test]
    fn the_chain_visits_every_line_once() {
        let lines = lines();
        let mut at = lines.order[0];
        let mut visited = BTreeSet::new();
        for _ in 0..LINES {
            assert!(visited.insert(at));
            at = lines.word(at).load(Ordering::Relaxed) as usize;
        }
        assert_eq!((at, visited.len()), (lines.order[0], LINES));
        assert_eq!(lines.follow(), lines.order[0] as u64);
        lines.flush();
        assert_eq!(lines.follow(), lines.order[0] as u64);
    }

    #[test]
    fn both_play_the_same_rounds_and_only_the_reader_times_them() {
        // Counters of a machine that was suspended may be far ahead when it goes on.
        const LONG: Duration = Duration::MAX;
        for state in [LineState::Clean, LineState::Modified] {
            let lines = lines();
            let [reader, owner] =
                [FetchSide::Reader, FetchSide::Owner].map(|side| Fetch::new(Arc::clone(&lines), side, state));
            let other = std::thread::spawn(move || play(owner, 50, LONG));
            let (rounds, step) = play(reader, 50, LONG);
            assert_eq!((rounds, other.join().unwrap()), (50, (50, None)));
            assert!(step.is_some_and(|step| step > 0.0));
        }
    }

    #[test]
    fn a_part_without_its_counterpart_stops_in_time() {
        for side in [FetchSide::Reader, FetchSide::Owner] {
            let alone = Fetch::new(lines(), side, LineState::Modified);
            assert_eq!(play(alone, 50, Duration::from_millis(5)), (0, None));
        }
    }
}
