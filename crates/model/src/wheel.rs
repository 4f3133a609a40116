//! The calendar of events: a timing wheel.
//!
//! One bucket per tick for the next microsecond, found through a bitmap; later events wait in a heap.
//! Each event is a number that is on the calendar at most once, so the lists are threaded through one array and
//! nothing is allocated after construction. Events of one tick happen in the order in which they were added.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::event::Event;
use crate::time::Ticks;

/// Ticks that the wheel spans: 1.024 us.
const SPAN: usize = 1 << 14;
const WORDS: usize = SPAN / 64;

/// Words of the bitmap that are looked at together where events are far apart.
const TOGETHER: usize = 8;

/// A calendar of events.
#[derive(Debug)]
pub(crate) struct Wheel {
    now: Ticks,
    /// The last event added to each bucket, or [`Event::NONE`].
    buckets: Box<[Event; SPAN]>,
    /// The event added to its bucket before it; of those that are due, the one that comes after it.
    next: Vec<Event>,
    /// The first of the events that happen now: those of a bucket that has been emptied.
    due: Event,
    /// Which buckets have events.
    words: [u64; WORDS],
    /// Events beyond the span; equal times in the order in which they were added.
    far: BinaryHeap<Reverse<(Ticks, u64, Event)>>,
    sequence: u64,
}

impl Wheel {
    /// An empty calendar for events `0..events`.
    ///
    /// # Panics
    /// When there are more of them than event numbers.
    pub(crate) fn new(events: usize) -> Self {
        assert!(events <= Event::NUMBERS, "{events} tokens, wires and home agents are too many");
        Self {
            now: 0,
            buckets: Box::new([Event::NONE; SPAN]),
            next: vec![Event::NONE; events],
            due: Event::NONE,
            words: [0; WORDS],
            far: BinaryHeap::with_capacity(events),
            sequence: 0,
        }
    }

    /// The time of the last event.
    pub(crate) const fn now(&self) -> Ticks {
        self.now
    }

    /// Schedules `event` at `at`.
    ///
    /// # Panics
    /// When that is in the past.
    #[inline(always)]
    pub(crate) fn push(&mut self, event: Event, at: Ticks) {
        if at.wrapping_sub(self.now) < SPAN as Ticks {
            self.insert(event, at);
        } else {
            self.push_far(event, at);
        }
    }

    #[cold]
    fn push_far(&mut self, event: Event, at: Ticks) {
        assert!(at >= self.now, "time runs backwards: {at} is before {}", self.now);
        self.far.push(Reverse((at, self.sequence, event)));
        self.sequence += 1;
    }

    /// The next event at `until` or before; `None` if there is none, and the time is then `until`.
    #[inline]
    pub(crate) fn pop(&mut self, until: Ticks) -> Option<Event> {
        if self.due != Event::NONE {
            let event = self.due;
            self.due = self.next[event.number() as usize];
            return Some(event);
        }
        loop {
            if !self.far.is_empty() {
                self.refill();
            }
            let slot = self.now as usize % SPAN;
            let Some(found) = self.occupied_from(slot) else {
                // Nothing within the span: skip to the next event beyond it.
                match self.far.peek() {
                    Some(&Reverse((at, ..))) if at <= until => self.now = at,
                    _ => {
                        self.now = until;
                        return None;
                    }
                }
                continue;
            };
            let at = self.now + (found.wrapping_sub(slot) % SPAN) as Ticks;
            if at > until {
                self.now = until;
                return None;
            }
            self.now = at;
            return Some(self.take(found));
        }
    }

    /// Puts an event before the others of its bucket. Branch-free, whether there are any or not.
    #[inline(always)]
    fn insert(&mut self, event: Event, at: Ticks) {
        let slot = at as usize % SPAN;
        self.next[event.number() as usize] = self.buckets[slot];
        self.buckets[slot] = event;
        self.words[slot / 64] |= 1 << (slot % 64);
    }

    /// Empties a bucket; returns the event added first, and keeps the others.
    #[inline]
    fn take(&mut self, slot: usize) -> Event {
        let mut event = std::mem::replace(&mut self.buckets[slot], Event::NONE);
        self.words[slot / 64] &= !(1 << (slot % 64));
        loop {
            let before = self.next[event.number() as usize];
            if before == Event::NONE {
                return event;
            }
            self.next[event.number() as usize] = std::mem::replace(&mut self.due, event);
            event = before;
        }
    }

    /// Moves events that are now within the span onto the wheel.
    fn refill(&mut self) {
        while let Some(&Reverse((at, _, event))) = self.far.peek()
            && at - self.now < SPAN as Ticks
        {
            self.far.pop();
            self.insert(event, at);
        }
    }

    /// The first bucket with events, from `slot` on and around.
    #[inline(always)]
    fn occupied_from(&self, slot: usize) -> Option<usize> {
        let word = slot / 64;
        let ahead = self.words[word] & (u64::MAX << (slot % 64));
        if ahead != 0 {
            return Some(word * 64 + ahead.trailing_zeros() as usize);
        }
        // On a busy machine the next event is rarely farther away than one word.
        let next = (word + 1) % WORDS;
        if self.words[next] != 0 {
            return Some(self.first_in(next));
        }
        self.occupied_beyond(next)
    }

    /// The first bucket with events after an empty word, and around: up to the words before it, and the first bits of
    /// the last of those.
    fn occupied_beyond(&self, empty: usize) -> Option<usize> {
        let groups = self.words.as_chunks::<TOGETHER>().0;
        let (first, within) = (empty / TOGETHER, empty % TOGETHER);
        let in_group = |rank: usize, mut words: std::ops::Range<usize>| {
            words.find(|&word| groups[rank][word] != 0).map(|word| self.first_in(rank * TOGETHER + word))
        };
        in_group(first, within..TOGETHER)
            .or_else(|| {
                // A wheel without events is rare, and an empty group is passed over at once.
                let around = (first + 1..groups.len()).chain(0..first);
                let mut occupied =
                    around.filter(|&rank| groups[rank].iter().fold(0, |all, word| all | word) != 0);
                occupied.next().and_then(|rank| in_group(rank, 0..TOGETHER))
            })
            .or_else(|| in_group(first, 0..within))
    }

    fn first_in(&self, word: usize) -> usize {
        word * 64 + self.words[word].trailing_zeros() as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::token::State;
    use proptest::prelude::*;

    fn event(number: u32) -> Event {
        Event::new(State::Probe, number)
    }

    fn drain(wheel: &mut Wheel) -> Vec<(Ticks, u32)> {
        std::iter::from_fn(|| wheel.pop(Ticks::MAX >> 1).map(|event| (wheel.now(), event.number()))).collect()
    }

    #[test]
    fn events_of_one_tick_keep_their_order() {
        let mut wheel = Wheel::new(4);
        for number in [2, 0, 3, 1] {
            wheel.push(event(number), 5);
        }
        assert_eq!(drain(&mut wheel), [(5, 2), (5, 0), (5, 3), (5, 1)]);
    }

    #[test]
    fn it_stops_at_the_given_time_and_continues_from_there() {
        let mut wheel = Wheel::new(2);
        wheel.push(event(0), 100);
        wheel.push(event(1), 5_000_000);
        assert_eq!(wheel.pop(99), None);
        assert_eq!(wheel.now(), 99);
        assert_eq!(wheel.pop(100), Some(event(0)));
        assert_eq!(wheel.pop(4_999_999), None);
        assert_eq!((wheel.pop(5_000_000), wheel.now()), (Some(event(1)), 5_000_000));
    }

    #[test]
    #[should_panic(expected = "time runs backwards")]
    fn nothing_happens_in_the_past() {
        let mut wheel = Wheel::new(1);
        assert_eq!(wheel.pop(10), None);
        wheel.push(event(0), 9);
    }

    proptest! {
        /// Near and far events, added while others happen: sorted by time, and by order of addition at equal times if
        /// all were added from equally far.
        #[test]
        fn it_sorts(delays in proptest::collection::vec(0u64..40_000, 1..300), again in 0u64..40_000) {
            let mut wheel = Wheel::new(delays.len());
            for (number, &delay) in delays.iter().enumerate() {
                wheel.push(event(number as u32), delay);
            }
            let mut expected: Vec<Ticks> = Vec::new();
            let mut times = Vec::new();
            let mut repeated = vec![false; delays.len()];
            while let Some(event) = wheel.pop(Ticks::MAX >> 1) {
                let number = event.number() as usize;
                times.push(wheel.now());
                if !std::mem::replace(&mut repeated[number], true) {
                    expected.extend([delays[number], delays[number] + again]);
                    wheel.push(event, wheel.now() + again);
                }
            }
            expected.sort_unstable();
            prop_assert_eq!(times, expected);
        }
    }
}
