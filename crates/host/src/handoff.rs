//! Core-to-core latency: two workers bounce one cache line.
//!
//! The two take turns: one stores odd numbers and waits for the even ones in between, the other does the reverse. Relaxed
//! loads and stores suffice: the two only need to agree on the order of stores to this one word, and no processor makes a
//! store visible before the load on which the store depends. A stronger store would add a fence to the measured time. The
//! wait loop has no pause instruction, which would add its own length, up to 140 cycles, to each turn.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::arena::Slice;
use crate::limit::Limit;

/// The side that a worker plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// It begins every round.
    Server,
    /// It answers.
    Returner,
}

/// The line that two workers share.
#[derive(Debug)]
pub(crate) struct Line {
    slice: Slice,
}

impl Line {
    /// The first line of a slice.
    pub(crate) fn new(slice: Slice) -> Arc<Self> {
        assert!(slice.length() >= 128, "a line and its neighbor");
        Arc::new(Self { slice })
    }

    fn word(&self) -> &AtomicU64 {
        // SAFETY: a slice starts at a page, is longer than a word and outlives `self`. While its two workers work, no other code uses it.
        unsafe { &*self.slice.start().cast::<AtomicU64>() }
    }
}

/// One worker's side of the transfer.
#[derive(Debug)]
pub(crate) struct Handoff {
    line: Arc<Line>,
    side: Side,
    /// The last number of the last finished round.
    reached: u64,
}

/// Loads between two checks of the clock: enough not to slow the answer, few enough to stop in time.
const POLLS: u32 = 256;

impl Handoff {
    /// One side of a line.
    pub(crate) fn new(line: Arc<Line>, side: Side) -> Self {
        Self { line, side, reached: 0 }
    }

    /// Starts sample `number`. Samples use different numbers, so a number that an earlier sample left on the line is
    /// never taken for a turn.
    pub(crate) fn begin(&mut self, number: u64) {
        self.reached = number << 32;
    }

    /// Plays up to `rounds`; fewer when the limit is reached, because the other side may have stopped before.
    pub(crate) fn advance(&mut self, rounds: u64, limit: &Limit<'_>) -> u64 {
        let line = Arc::clone(&self.line);
        let word = line.word();
        for round in 0..rounds {
            let (odd, even) = (self.reached + 1, self.reached + 2);
            let played = match self.side {
                Side::Server => {
                    word.store(odd, Ordering::Relaxed);
                    wait_for(word, even, limit)
                }
                Side::Returner => {
                    let served = wait_for(word, odd, limit);
                    if served {
                        word.store(even, Ordering::Relaxed);
                    }
                    served
                }
            };
            if !played {
                return round;
            }
            self.reached = even;
        }
        rounds
    }
}

/// Whether `wanted` arrived before the limit.
#[inline]
fn wait_for(word: &AtomicU64, wanted: u64, limit: &Limit<'_>) -> bool {
    loop {
        for _ in 0..POLLS {
            if word.load(Ordering::Relaxed) == wanted {
                return true;
            }
        }
        if limit.reached() {
            return false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Clock;
    use crate::memory::{Mapping, PageKind};
    use crate::numa_calls::{NumaCalls, Policy};
    use std::sync::atomic::AtomicBool;
    use std::time::Duration;

    fn line() -> Arc<Line> {
        let (mapping, _) = Mapping::new(4096, PageKind::Base, &Policy::Local, &NumaCalls::LIVE).unwrap();
        Line::new(Slice::new(&Arc::new(mapping), 0..128))
    }

    /// Plays until `time` is over or `rounds` are played, and returns the number of rounds played.
    fn play(mut handoff: Handoff, rounds: u64, time: Duration) -> u64 {
        let clock = Clock::new(None).or_else(|_| Clock::new(Some("tsc"))).unwrap();
        let abort = AtomicBool::new(false);
        let limit = Limit { clock: &clock, tick: clock.mark() + clock.ticks(time), abort: &abort };
        handoff.begin(3);
        handoff.advance(rounds, &limit)
    }

    #[test]
    fn both_sides_play_the_same_rounds() {
        const LONG: Duration = Duration::from_secs(60);
        let line = line();
        let [server, returner] =
            [Side::Server, Side::Returner].map(|side| Handoff::new(Arc::clone(&line), side));
        let other = std::thread::spawn(move || play(returner, 50, LONG));
        assert_eq!(play(server, 50, LONG), 50);
        assert_eq!(other.join().unwrap(), 50);
        assert_eq!(line.word().load(Ordering::Relaxed), (3 << 32) + 100);
    }

    #[test]
    fn a_side_without_a_partner_stops_in_time() {
        for side in [Side::Server, Side::Returner] {
            assert_eq!(play(Handoff::new(line(), side), 50, Duration::from_millis(5)), 0);
        }
    }
}
