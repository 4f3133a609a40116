//! Line-by-line simulation of a channel with few writers.
//!
//! Mean-value analysis would have a line arrive at any time. But the lines that wait for the end of a batch leave
//! together, and arrive together the next time; with few of them, a worker meets its own batches at the same point of
//! every round. So a walk simulates its lines for a while: cores and the channel as in the event engine, and
//! everything between them by the times of the solution.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use super::walker::{End, FollowedChannel, Gate, Waits, Walked, Walker};
use crate::token::Intent;

/// Batches of writes, and lines of the writers, until a walk has forgotten its initial state; and how many times as
/// many are then observed.
const FIRST_BATCHES: u32 = 3;
const FIRST_LINES: u32 = 100;
const THEN: u32 = 4;

/// Events after which a walk ends in any case.
const MOST_EVENTS: u32 = 40_000;

/// Ticks per ns of a walk.
const TICKS: f64 = 256.0;

/// Largest deviation of a line's time to the router, in ns: as in the event engine.
const JITTER: f64 = 2.0;

/// Workers begin within this time, in ns.
const BEGINNING: f64 = 500.0;

/// Lines that a paced worker may catch up with at once, as in the event engine.
const CATCHING_UP: f64 = 8.0;

/// The next event of a line, on one of the paths of its worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    Fill { path: u16, dirties: bool },
    Room { channel: u16 },
    Filled { dirties: bool },
    Write { path: u16, past: bool },
    Written { past: bool },
}

/// Ordered by time, and then by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Event {
    at: u64,
    number: u32,
    worker: u16,
    what: What,
}

#[derive(Debug, Clone, Default)]
struct Worker {
    sort: usize,
    position: usize,
    fills: u32,
    evictions: u32,
    combining: u32,
    stalled: u32,
    next_start: f64,
    next_allowed: f64,
    in_burst: f64,
    /// The path of its next lines, how many of them take it, and the number of its page.
    path: u16,
    left: u32,
    turn: u32,
}

/// The state of a followed channel.
#[derive(Debug, Clone)]
struct At {
    of: FollowedChannel,
    held: u32,
    /// Fills that wait for room: worker, path, whether they dirty a line, and since when.
    waiting: VecDeque<(usize, u16, bool, f64)>,
    home_busy: f64,
    busy: f64,
    gathered: f64,
    /// What the lines that nobody has fetched cost among those gathered.
    gaps: f64,
}

struct Walk<'a> {
    walkers: &'a [Walker],
    channels: Vec<At>,
    /// When each gate is free again.
    gates: Vec<f64>,
    workers: Vec<Worker>,
    events: BinaryHeap<Reverse<Event>>,
    number: u32,
    random: u64,
    /// Lines written to the channels; by kind of worker, its lines done and sums of waits by path.
    written: u32,
    counted: Vec<(u32, Vec<Waits>)>,
}

/// Simulates the walkers' lines.
pub(super) fn walk(walkers: &[Walker], channels: &[FollowedChannel], gates: usize) -> Vec<Walked> {
    let mut walk = Walk::new(walkers, channels, gates);
    let first_lines = walk.first_lines();
    let batches = FIRST_BATCHES * channels.iter().map(|channel| channel.batch as u32).sum::<u32>();
    let (mut begin, mut now) = (None, 0.0);
    for _ in 0..MOST_EVENTS {
        let Some(Reverse(event)) = walk.events.pop() else { break };
        now = event.at as f64 / TICKS;
        walk.happens(now, event);
        let times = if begin.is_some() { THEN } else { 1 };
        if walk.written >= times * batches && walk.lines() >= times * first_lines {
            if begin.is_some() {
                break;
            }
            begin = Some(now);
            walk.forget();
        }
    }
    let time = now - begin.unwrap_or_default();
    let walked = walk.counted.iter().map(|(lines, sums)| Walked {
        rate: f64::from(*lines) / time,
        waits: sums.iter().map(|sums| sums.means()).collect(),
    });
    walked.collect()
}

impl<'a> Walk<'a> {
    fn new(walkers: &'a [Walker], channels: &[FollowedChannel], gates: usize) -> Self {
        let sorts = walkers.iter().enumerate();
        let workers = sorts.flat_map(|(sort, walker)| {
            let worker = Worker { sort, ..Worker::default() };
            std::iter::repeat_n(worker, usize::from(walker.workers))
        });
        let at = |&of: &FollowedChannel| At {
            of,
            held: 0,
            waiting: VecDeque::new(),
            home_busy: 0.0,
            busy: 0.0,
            gathered: 0.0,
            gaps: 0.0,
        };
        let mut walk = Self {
            walkers,
            channels: channels.iter().map(at).collect(),
            gates: vec![0.0; gates],
            workers: workers.collect(),
            events: BinaryHeap::new(),
            number: 0,
            random: 0x9e37_79b9_7f4a_7c15,
            written: 0,
            counted: walkers.iter().map(|walker| (0, vec![Waits::default(); walker.paths.len()])).collect(),
        };
        for rank in 0..walk.workers.len() {
            let (turn, left) = (walk.chance(), walk.chance());
            let worker = &mut walk.workers[rank];
            worker.turn = (turn * 256.0) as u32 + 256;
            worker.left = (left * f64::from(walkers[worker.sort].page)) as u32;
            worker.path = (worker.turn % walkers[worker.sort].paths.len() as u32) as u16;
            let start = walk.chance() * BEGINNING;
            walk.ask(rank, start);
        }
        walk
    }

    /// Discards the counts so far.
    fn forget(&mut self) {
        self.written = 0;
        for (lines, waits) in &mut self.counted {
            *lines = 0;
            waits.fill(Waits::default());
        }
    }

    /// Lines after which the writers are in steady state: each has been at all its places.
    fn first_lines(&self) -> u32 {
        let of = |walker: &Walker| {
            let pages = if walker.page > 1 { walker.page * walker.paths.len() as u32 / THEN } else { 0 };
            u32::from(walker.workers) * pages.max(FIRST_LINES)
        };
        let writers = self.walkers.iter().filter(|walker| walker.writes());
        writers.map(of).sum::<u32>()
    }

    /// Lines of the writers.
    fn lines(&self) -> u32 {
        let of = self.walkers.iter().zip(&self.counted).filter(|(walker, _)| walker.writes());
        of.map(|(_, counted)| counted.0).sum()
    }

    /// A number from 0 to 1; the constants are those of D. E. Knuth's MMIX.
    fn chance(&mut self) -> f64 {
        self.random =
            self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.random >> 40) as f64 / f64::from(1u32 << 24)
    }

    /// A line's deviation from the mean time to the router.
    fn deviation(&mut self) -> f64 {
        (2.0 * self.chance() - 1.0) * JITTER
    }

    fn push(&mut self, at: f64, worker: usize, what: What) {
        self.number += 1;
        let at = (at * TICKS) as u64;
        self.events.push(Reverse(Event { at, number: self.number, worker: worker as u16, what }));
    }

    fn happens(&mut self, now: f64, event: Event) {
        let rank = usize::from(event.worker);
        match event.what {
            What::Fill { path, dirties } => self.fill(now, rank, path, dirties),
            What::Room { channel } => self.make_room(now, channel),
            What::Filled { dirties } => self.filled(now, rank, dirties),
            What::Write { path, past } => self.write(now, rank, path, past),
            What::Written { past } => self.written(now, rank, past),
        }
    }

    /// A worker issues as many lines as it may.
    fn ask(&mut self, rank: usize, now: f64) {
        let walkers = self.walkers;
        loop {
            let worker = &mut self.workers[rank];
            let of = &walkers[worker.sort];
            let intent = of.pattern[worker.position];
            let past = intent == Intent::StorePast;
            let (used, limit) =
                if past { (&mut worker.combining, of.combining) } else { (&mut worker.fills, of.window) };
            if *used >= limit {
                return;
            }
            *used += 1;
            worker.position = (worker.position + 1) % of.pattern.len();
            let path = self.path_of_next(rank);
            let start = self.start(rank, now);
            if past {
                self.send(start, rank, path, true);
                continue;
            }
            let dirties = intent.dirties();
            let (time, what) = match of.paths[usize::from(path)].end {
                End::Followed { fill, .. } => (fill.to_home, What::Fill { path, dirties }),
                End::Elsewhere { fill, .. } => (fill, What::Filled { dirties }),
            };
            let at = start + time + self.deviation();
            self.push(at, rank, what);
        }
    }

    /// The path of a worker's next line: page by page in turn, or at random.
    fn path_of_next(&mut self, rank: usize) -> u16 {
        let chance = self.chance();
        let worker = &mut self.workers[rank];
        let of = &self.walkers[worker.sort];
        if of.page > 1 {
            if worker.left == 0 {
                worker.left = of.page;
                worker.turn = worker.turn.wrapping_add(1);
                worker.path = (worker.turn % of.paths.len() as u32) as u16;
            }
            worker.left -= 1;
        } else if of.paths.len() > 1 {
            let mut before = 0.0;
            let last = of.paths.len() - 1;
            let path = of.paths[..last].iter().position(|path| {
                before += path.share;
                chance < before
            });
            worker.path = path.unwrap_or(last) as u16;
        }
        worker.path
    }

    /// The path of a worker's next dirty line.
    fn path_back(&self, rank: usize) -> u16 {
        let worker = &self.workers[rank];
        let of = &self.walkers[worker.sort];
        if of.page > 1 {
            (worker.turn.wrapping_sub(of.behind) % of.paths.len() as u32) as u16
        } else {
            worker.path
        }
    }

    /// When a packet that arrives at a gate at `at` starts to pass it.
    fn pass(&mut self, gate: Option<Gate>, at: f64) -> f64 {
        let Some(Gate { rank, service }) = gate else { return at };
        let start = self.gates[rank].max(at);
        self.gates[rank] = start + service;
        start
    }

    /// When a worker's next line may start.
    fn start(&mut self, rank: usize, now: f64) -> f64 {
        let longer = 0.5 + self.chance();
        let worker = &mut self.workers[rank];
        let of = &self.walkers[worker.sort];
        let start = now.max(worker.next_start).max(worker.next_allowed);
        worker.next_start = start + of.spacing;
        if of.paced > 0.0 {
            let behind = now - CATCHING_UP * of.paced;
            worker.next_allowed = worker.next_allowed.max(behind) + of.paced;
        }
        if let Some((pause, every)) = of.pause {
            worker.in_burst += 1.0;
            if worker.in_burst >= every {
                worker.in_burst = 0.0;
                worker.next_start = start + of.spacing.max(pause * longer);
            }
        }
        start
    }

    /// A fill is at its home agent.
    fn fill(&mut self, now: f64, rank: usize, path: u16, dirties: bool) {
        let End::Followed { channel, .. } = self.end(rank, path) else { return };
        let at = &mut self.channels[channel];
        let start = at.slot(now);
        if at.held < at.of.table {
            at.held += 1;
            self.admit(now, start, rank, path, dirties);
        } else {
            at.waiting.push_back((rank, path, dirties, now));
        }
    }

    /// There is room for a fill that arrived at `came`.
    fn admit(&mut self, came: f64, start: f64, rank: usize, path: u16, dirties: bool) {
        let End::Followed { channel, fill, answers, bank, holds, data_over, .. } = self.end(rank, path)
        else {
            return;
        };
        let at = &mut self.channels[channel];
        let first = start + fill.to_channel + at.of.ahead;
        let begins = first.max(at.busy);
        at.busy = begins + at.of.line;
        let read = begins.max(first + bank) + at.of.line;
        let unloaded = fill.to_channel + at.of.ahead + at.of.line;
        let is_limited = at.of.table < u32::MAX;
        let collected = read.max(start + answers);
        let ready = self.pass(data_over, collected);
        let waits = &mut self.counted[self.workers[rank].sort].1[usize::from(path)];
        waits.fills += 1.0;
        waits.fill += ready - (came + unloaded);
        waits.read += read - (start + unloaded);
        if is_limited {
            let left = if holds > 0.0 { ready + holds } else { collected };
            self.push(left, rank, What::Room { channel: channel as u16 });
        }
        self.push(ready + fill.back, rank, What::Filled { dirties });
    }

    /// A fill has left the table.
    fn make_room(&mut self, now: f64, channel: u16) {
        let at = &mut self.channels[usize::from(channel)];
        match at.waiting.pop_front() {
            Some((rank, path, dirties, came)) => {
                let start = at.home_busy.max(now);
                self.admit(came, start, rank, path, dirties);
            }
            None => at.held -= 1,
        }
    }

    fn end(&self, rank: usize, path: u16) -> End {
        self.walkers[self.workers[rank].sort].paths[usize::from(path)].end
    }

    fn filled(&mut self, now: f64, rank: usize, dirties: bool) {
        let worker = &mut self.workers[rank];
        let of = &self.walkers[worker.sort];
        self.counted[worker.sort].0 += 1;
        if dirties && worker.evictions >= of.evictions {
            worker.stalled += 1;
            return;
        }
        if dirties {
            worker.evictions += 1;
            let path = self.path_back(rank);
            self.send(now + of.eviction, rank, path, false);
        }
        self.workers[rank].fills -= 1;
        self.ask(rank, now);
    }

    /// A line leaves the core for memory.
    fn send(&mut self, start: f64, rank: usize, path: u16, past: bool) {
        let sort = self.workers[rank].sort;
        let start = start + self.deviation();
        let (at, what) = match self.end(rank, path) {
            End::Followed { write, write_over, .. } => {
                let passed = self.pass(write_over, start);
                self.counted[sort].1[usize::from(path)].write += passed - start;
                (passed + write.to_home, What::Write { path, past })
            }
            End::Elsewhere { write, .. } => (start + write, What::Written { past }),
        };
        self.push(at, rank, what);
    }

    fn write(&mut self, now: f64, rank: usize, path: u16, past: bool) {
        let sort = self.workers[rank].sort;
        let End::Followed { channel, write, .. } = self.end(rank, path) else { return };
        let at = &mut self.channels[channel];
        let first = at.slot(now) + write.to_channel;
        let taken = first.max(at.busy);
        at.gathered += 1.0;
        at.gaps += if past { at.of.store_gap } else { 0.0 };
        if at.gathered >= at.of.batch {
            at.gathered = 0.0;
            at.busy = taken + at.of.batch * at.of.line + at.of.turning + std::mem::take(&mut at.gaps);
        }
        self.written += 1;
        let waits = &mut self.counted[sort].1[usize::from(path)];
        waits.writes += 1.0;
        waits.write += taken - (now + write.to_channel);
        waits.taken += taken - first;
        self.push(taken + write.back, rank, What::Written { past });
    }

    fn written(&mut self, now: f64, rank: usize, past: bool) {
        let worker = &mut self.workers[rank];
        let of = &self.walkers[worker.sort];
        if past {
            worker.combining -= 1;
            self.counted[worker.sort].0 += 1;
            self.ask(rank, now);
        } else if worker.stalled > 0 {
            worker.stalled -= 1;
            let path = self.path_back(rank);
            self.send(now + of.eviction, rank, path, false);
            self.workers[rank].fills -= 1;
            self.ask(rank, now);
        } else {
            worker.evictions -= 1;
        }
    }
}

impl At {
    /// The home agent's next slot.
    fn slot(&mut self, now: f64) -> f64 {
        let start = self.home_busy.max(now);
        self.home_busy = start + self.of.slot;
        start
    }
}
