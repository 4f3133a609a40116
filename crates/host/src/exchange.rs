//! Core-to-core latency: two workers bounce cache lines.
//!
//! The two take turns: one stores odd numbers and waits for the even ones in between, the other does the reverse. Relaxed
//! loads and stores suffice: the two only need to agree on the order of stores to one word, and no processor makes a
//! store visible before the load on which the store depends. A stronger store would add a fence to the measured time. The
//! wait loop has no pause instruction, which would add its own length, up to 140 cycles, to each turn.
//!
//! They use several lines, each for a few rounds, one after the other: how long a line takes depends on the slice of the
//! last-level cache, or the home agent, that its address belongs to.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::findings::{Findings, Times};
use crate::limit::Limit;
use crate::shared_lines::SharedLines;

/// The side that a worker plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// It begins every round.
    Server,
    Returner,
}

const LINES: usize = 16;

/// Rounds on one line before the next line's turn: enough that two readings of the clock cost little.
const ROUNDS: u64 = 32;

/// The lines that two workers bounce.
pub(crate) type Lines = SharedLines<LINES>;

/// One worker's side of the transfer.
#[derive(Debug)]
pub(crate) struct Exchange {
    lines: Arc<Lines>,
    side: Side,
    /// The last number of the last finished round.
    reached: u64,
    /// For each line, the times of [`ROUNDS`] rounds.
    times: Vec<Times>,
}

/// Loads between two checks of the clock: enough not to slow the answer, few enough to stop in time.
const POLLS: u32 = 256;

impl Exchange {
    /// One side of the lines.
    pub(crate) fn new(lines: Arc<Lines>, side: Side) -> Self {
        Self { lines, side, reached: 0, times: (0..LINES).map(|_| Times::new()).collect() }
    }

    /// Starts sample `number`. Samples use different numbers, so a number that an earlier sample left on a line is
    /// never taken for a turn.
    pub(crate) fn begin(&mut self, number: u64) {
        self.reached = number << 32;
        self.forget();
    }

    /// Forgets the times so far.
    pub(crate) fn forget(&mut self) {
        self.times.iter_mut().for_each(Times::clear);
    }

    /// Plays up to `rounds`; fewer when the limit is reached, because the other side may have stopped before.
    pub(crate) fn advance(&mut self, rounds: u64, limit: &Limit<'_>) -> u64 {
        let lines = Arc::clone(&self.lines);
        let mut played = 0;
        // When the current line's first round began, unless that was before this call.
        let mut began = None;
        while played < rounds {
            let round = self.reached % (1 << 32) / 2;
            let (line, left) = ((round / ROUNDS) as usize % LINES, ROUNDS - round % ROUNDS);
            if left == ROUNDS {
                began = Some(limit.clock.mark());
            }
            let here = left.min(rounds - played);
            let done = self.play(lines.word(line), here, limit);
            played += done;
            if done < here {
                return played;
            }
            if let Some(began) = began.take_if(|_| done == left) {
                self.times[line].push(began, limit.clock.mark());
            }
        }
        played
    }

    fn play(&mut self, word: &AtomicU64, rounds: u64, limit: &Limit<'_>) -> u64 {
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

    /// The mean time of a round over the lines, and how much they differ, if every line had its turn. A line counts with its median:
    /// if one of the two sides loses its CPU, that lengthens a turn or two, and neither number.
    pub(crate) fn findings(&mut self) -> Findings {
        let turns: Option<Vec<f64>> = self.times.iter().map(Times::median).collect();
        let Some(turns) = turns else { return Findings::default() };
        let ends =
            turns.iter().fold((f64::MAX, 0.0f64), |(low, high), &turn| (low.min(turn), high.max(turn)));
        let mean = turns.iter().sum::<f64>() / LINES as f64;
        Findings {
            step: Some(mean / ROUNDS as f64),
            spread: Some((ends.1 - ends.0) / (2 * ROUNDS) as f64),
            ..Findings::default()
        }
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
    use crate::arena::Slice;
    use crate::clock::Clock;
    use crate::memory::{Mapping, PageKind};
    use crate::numa_calls::{NumaCalls, Policy};
    use std::sync::atomic::AtomicBool;
    use std::time::Duration;

    fn lines() -> Arc<Lines> {
        let (mapping, _) = Mapping::new(4096, PageKind::Base, &Policy::Local, &NumaCalls::LIVE).unwrap();
        Arc::new(Lines::new(Slice::new(&Arc::new(mapping), 0..Lines::BYTES), 128))
    }

    /// Plays until `time` is over or `rounds` are played, and returns the number of rounds played.
    fn play(mut exchange: Exchange, rounds: u64, time: Duration) -> u64 {
        let clock = Clock::new(None).or_else(|_| Clock::new(Some("tsc"))).unwrap();
        let abort = AtomicBool::new(false);
        let limit =
            Limit { clock: &clock, tick: clock.mark().saturating_add(clock.ticks(time)), abort: &abort };
        exchange.begin(3);
        exchange.advance(rounds, &limit)
    }

    #[test]
    fn both_sides_play_the_same_rounds() {
        // Counters of a machine that was suspended may be far ahead when it goes on.
        const LONG: Duration = Duration::MAX;
        let lines = lines();
        let [server, returner] =
            [Side::Server, Side::Returner].map(|side| Exchange::new(Arc::clone(&lines), side));
        let other = std::thread::spawn(move || play(returner, 50, LONG));
        assert_eq!(play(server, 50, LONG), 50);
        assert_eq!(other.join().unwrap(), 50);
        // 32 rounds on the first line, the rest on the second.
        assert_eq!(lines.word(0).load(Ordering::Relaxed), (3 << 32) + 64);
        assert_eq!(lines.word(1).load(Ordering::Relaxed), (3 << 32) + 100);
    }

    #[test]
    fn every_line_has_its_turn_and_the_spread_is_over_all() {
        let lines = lines();
        let other = std::thread::spawn({
            let returner = Exchange::new(Arc::clone(&lines), Side::Returner);
            move || play(returner, 3 * 16 * ROUNDS, Duration::MAX)
        });
        let clock = Clock::new(None).or_else(|_| Clock::new(Some("tsc"))).unwrap();
        let abort = AtomicBool::new(false);
        let limit = Limit { clock: &clock, tick: u64::MAX, abort: &abort };
        let mut server = Exchange::new(Arc::clone(&lines), Side::Server);
        server.begin(3);
        // A chunk may end in the middle of a line's turn: that turn has no time.
        assert_eq!(server.advance(40, &limit), 40);
        assert_eq!(server.findings().spread, None);
        assert_eq!(server.advance(3 * 16 * ROUNDS - 40, &limit), 3 * 16 * ROUNDS - 40);
        assert_eq!(other.join().unwrap(), 3 * 16 * ROUNDS);
        let counts: Vec<usize> = server.times.iter().map(Times::count).collect();
        assert_eq!(counts, [[3, 2].as_slice(), &[3; 14]].concat());
        assert!(server.findings().spread.is_some_and(|spread| spread >= 0.0));
        server.forget();
        assert_eq!(server.findings().spread, None);
    }

    #[test]
    fn a_side_without_a_partner_stops_in_time() {
        for side in [Side::Server, Side::Returner] {
            assert_eq!(play(Exchange::new(lines(), side), 50, Duration::from_millis(5)), 0);
        }
    }
}
