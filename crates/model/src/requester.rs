//! A worker as the memory system sees it: a pattern of lines, a limit on lines in flight, and a pace.

use rand_core::Rng;
use rand_pcg::Pcg64Mcg;
use zerohop_machine::PackageId;

use crate::buffer::Buffer;
use crate::pattern::{Order, Step};
use crate::run_ahead::Ahead;
use crate::stream_pieces::Pieces;
use crate::time::Ticks;
use crate::token::Intent;

/// A worker in a simulation.
#[derive(Debug)]
pub(crate) struct Requester {
    pub(crate) package: Option<PackageId>,
    pub(crate) router: u16,
    /// Whether its fills are timed stage by stage.
    pub(crate) foreground: bool,
    /// Time between core and router, each way, in ticks.
    pub(crate) to_router: Ticks,
    pub(crate) from_router: Ticks,
    pub(crate) pattern: Vec<Step>,
    pub(crate) order: Order,
    pub(crate) buffer: Buffer,
    /// For a stream through a buffer in several places.
    pub(crate) pieces: Option<Pieces>,
    /// Distance in lines at which a store's line is written back.
    pub(crate) write_back_lag: u64,
    /// Time to read such a line from its cache.
    pub(crate) eviction: Ticks,
    /// Limits, and how much of each is in use.
    pub(crate) fills: Slots,
    /// For a stream with a limited run-ahead.
    pub(crate) ahead: Option<Ahead>,
    pub(crate) evictions: Slots,
    pub(crate) combining: Slots,
    /// Dirty lines whose fill has arrived, and that hold its slot until there is room to write back.
    pub(crate) stalled: u32,
    /// Least time between two lines; and the time between two that the demand allows.
    pub(crate) spacing: Ticks,
    pub(crate) pace: Ticks,
    /// The pause after every burst of lines, if any.
    pub(crate) pause: Option<Pause>,
    /// The partner in core-to-core transfers with whom it takes turns.
    pub(crate) partner: Option<u16>,
    /// The router of the cache that holds the lines of core-to-core transfers.
    pub(crate) owner: u16,
    /// Largest deviation of a line's start, in either direction.
    pub(crate) jitter: Ticks,
    pub(crate) random: Pcg64Mcg,
    pub(crate) done: Done,
    /// When the last line was done.
    pub(crate) last_line: Ticks,
    pub(crate) position: usize,
    /// The current line of each array.
    pub(crate) cursors: [u64; 4],
    /// The earliest start of the next line.
    pub(crate) next_start: Ticks,
    pub(crate) next_allowed: Ticks,
}

/// A number of slots, some of them in use.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Slots {
    pub(crate) limit: u32,
    pub(crate) used: u32,
}

impl Slots {
    pub(crate) const fn new(limit: u32) -> Self {
        Self { limit, used: 0 }
    }

    pub(crate) const fn has_room(self) -> bool {
        self.used < self.limit
    }
}

/// A pause after every burst of lines.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pause {
    pub(crate) time: Ticks,
    pub(crate) every: u32,
    pub(crate) since: u32,
}

/// A worker's progress, in lines of its pattern by intent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Done {
    lines: [u64; Intent::COUNT],
}

impl Done {
    /// One more line is done.
    #[inline]
    pub(crate) const fn count(&mut self, intent: Intent) {
        self.lines[intent as usize] += 1;
    }

    const fn of(&self, intent: Intent) -> u64 {
        self.lines[intent as usize]
    }

    /// Lines of any intent.
    pub(crate) fn steps(&self) -> u64 {
        self.lines.iter().sum()
    }

    /// Lines that the program asked for: an update loads one and stores one.
    pub(crate) fn asked(&self) -> u64 {
        self.steps() + self.of(Intent::Update)
    }

    /// Lines that the memory bus carries for them.
    pub(crate) fn bus(&self) -> u64 {
        self.asked() + self.of(Intent::Store)
    }
}

impl Requester {
    /// Takes the next line of the pattern; returns its step and its number.
    #[inline]
    pub(crate) fn advance(&mut self) -> (Step, u64) {
        let step = self.pattern[self.position];
        self.position = if self.position + 1 == self.pattern.len() { 0 } else { self.position + 1 };
        let line = match self.order {
            Order::Ascending => {
                let cursor = &mut self.cursors[step.array as usize];
                let line = *cursor;
                *cursor = if line + 1 == self.buffer.lines { 0 } else { line + 1 };
                line
            }
            Order::Random => below(&mut self.random, self.buffer.lines),
            Order::Chase => 2 * below(&mut self.random, self.buffer.lines.div_ceil(2)),
        };
        (step, line)
    }

    /// Whether its lines come from another core's cache.
    pub(crate) fn fetches_from_cache(&self) -> bool {
        self.pattern.iter().any(|step| step.intent == Intent::Transfer)
    }

    /// Memory of a line of an array, and its address there.
    #[inline]
    pub(crate) fn locate(&self, array: u8, line: u64) -> (u16, u64) {
        let Some(pieces) = &self.pieces else { return self.buffer.locate(array, line) };
        let (place, line) = pieces.locate(u64::from(array) * self.buffer.lines + line);
        let (memory, base) = self.buffer.places[place];
        (memory, base + line * 64)
    }

    /// The earliest time at which a line may start that is ready at `now`; takes its share of the pace.
    #[inline]
    pub(crate) fn start(&mut self, now: Ticks) -> Ticks {
        let start = now.max(self.next_start).max(self.next_allowed);
        self.next_start = start + self.spacing;
        if self.pace > 0 {
            // A worker that has fallen behind may catch up by one burst, as a paced loop on a host does.
            let behind = now.saturating_sub(BURST * self.pace);
            self.next_allowed = self.next_allowed.max(behind) + self.pace;
        }
        if let Some(pause) = &mut self.pause {
            pause.since += 1;
            if pause.since == pause.every {
                pause.since = 0;
                // Anywhere between half and one and a half times as long: bursts at equal distances would fall into
                // lockstep with a chase beside them.
                let time = pause.time / 2 + below(&mut self.random, pause.time + 1);
                self.next_start = start + self.spacing.max(time);
            }
        }
        start
    }

    /// A line's time to the router, with its deviation from the mean.
    #[inline]
    pub(crate) fn time_to_router(&mut self) -> Ticks {
        if self.jitter == 0 {
            return self.to_router;
        }
        let deviation = (u64::from(self.random.next_u32()) * (2 * self.jitter + 1)) >> 32;
        self.to_router - self.jitter + deviation
    }
}

/// A random number below `limit`: the high bits of a product, which are uniform enough for any number of lines.
#[inline]
pub(crate) fn below(random: &mut Pcg64Mcg, limit: u64) -> u64 {
    ((u128::from(random.next_u64()) * u128::from(limit)) >> 64) as u64
}

/// Lines that a paced worker may catch up with at once.
const BURST: u64 = 8;
