//! Bouncing one line between two workers.
//!
//! The two take turns: one stores odd numbers and waits for the even ones in between, the other the reverse. Relaxed
//! loads and stores suffice, because all there is to agree on is the order of stores to this one word, and a
//! processor makes no store visible before the load that decided upon it. A stronger store would add a fence to what is
//! measured. Waiting is done without a pause instruction, which would add its own length, up to 140 cycles, to each turn.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::arena::Slice;
use crate::limit::Limit;

/// Which turn is whose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// Begins every round.
    Server,
    /// Answers.
    Returner,
}

/// The line two workers share.
#[derive(Debug)]
pub(crate) struct Line {
    slice: Slice,
}

impl Line {
    /// The first line of a slice.
    pub(crate) fn new(slice: Slice) -> Arc<Self> {
        assert!(slice.length() >= 128, "a line and its neighbour");
        Arc::new(Self { slice })
    }

    fn word(&self) -> &AtomicU64 {
        // SAFETY: a slice starts at a page, is longer than a word, outlives `self`, and is used by nobody else.
        unsafe { &*self.slice.start().cast::<AtomicU64>() }
    }
}

/// One worker's part.
#[derive(Debug)]
pub(crate) struct Handoff {
    line: Arc<Line>,
    side: Side,
    /// The last number of the last round that was finished.
    reached: u64,
}

/// Loads between two looks at the clock: rare enough not to slow the answer, often enough to stop in time.
const POLLS: u32 = 256;

impl Handoff {
    /// One side of a line.
    pub(crate) fn new(line: Arc<Line>, side: Side) -> Self {
        Self { line, side, reached: 0 }
    }

    /// Begins anew in sample `number`: numbers of different samples differ, so what an earlier one has left on the line
    /// is never taken for a turn.
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

/// Whether `wanted` came before the limit did.
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

    /// Plays until `time` is over or `rounds` are played, and says how many were.
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
    fn who_is_left_alone_stops_in_time() {
        for side in [Side::Server, Side::Returner] {
            assert_eq!(play(Handoff::new(line(), side), 50, Duration::from_millis(5)), 0);
        }
    }
}
