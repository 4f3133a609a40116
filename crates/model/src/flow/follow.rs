//! Which channels are followed line by line, and what the solution takes from that.

use std::collections::BTreeSet;

use super::class::Class;

use super::network::{Leg, WayId};
use super::solve::Solver;
use super::walk::walk;
use super::walker::{End, Gate, Legs, Place, Waits, Walked, Walker, Way};
use crate::tables::Protocol;

/// Batches of writes that can be on their way at the same time, below which a channel is followed.
const FEW_BATCHES: f64 = 3.0;

/// Lines that can be written at the same time, below which it is followed in any case.
const FEW_LINES: f64 = 12.0;

/// What walks told changes by less than this share: they need not be repeated.
const STILL: f64 = 0.01;

/// What walks told.
#[derive(Debug, Default)]
pub(super) struct Follow {
    /// By class and its route, one after the other; empty if nothing is followed.
    walked: Vec<Option<Waits>>,
    first: Vec<usize>,
    /// By memory: means over all who use it.
    means: Vec<Option<Waits>>,
    /// By class: how much more lines it does than its times would give.
    pub(super) factors: Vec<f64>,
}

impl Follow {
    /// What a class met at the end of one of its routes.
    pub(super) fn of(&self, class: usize, place: usize) -> Option<&Waits> {
        let first = self.first.get(class)?;
        self.walked[first + place].as_ref()
    }

    /// What all who use a memory met.
    pub(super) fn mean(&self, memory: usize) -> Option<&Waits> {
        self.means.get(memory)?.as_ref()
    }
}

/// A queue of packets that walk, and the share of time that they take its wire.
#[derive(Debug, Clone, Copy)]
struct Walking {
    queue: usize,
    work: f64,
}

impl Solver<'_> {
    /// Follows those channels that few write to; whether that told anything new.
    pub(super) fn follow(&mut self) -> bool {
        let few: Vec<usize> = (0..self.network.memories.len()).filter(|&rank| self.is_few(rank)).collect();
        if few.is_empty() {
            return false;
        }
        let place_of = |route: usize| {
            let memory = self.routes[route].memory?;
            few.iter().position(|&of| of == memory)
        };
        let walking: Vec<usize> = (0..self.classes.len())
            .filter(|&rank| self.classes[rank].routes.iter().any(|of| place_of(of.0).is_some()))
            .collect();
        let gates = self.gates(&walking, &place_of);
        let walkers: Vec<Walker> = walking.iter().map(|&rank| self.walker(rank, &place_of, &gates)).collect();
        let places: Vec<Place> = few.iter().map(|&memory| self.place(memory)).collect();
        let walked = walk(&walkers, &places, gates.len());
        self.take(&few, &walking, &walked)
    }

    /// Whether so few write to a memory that its only channel is followed. Lines that go over several channels by chance meet
    /// batches by chance.
    fn is_few(&self, memory: usize) -> bool {
        let (state, facts) = (&self.solution.memories[memory], &self.network.memories[memory]);
        let few = (FEW_BATCHES * facts.batch).max(FEW_LINES);
        facts.count == 1.0 && state.writes > 0.0 && state.writers < few
    }

    /// Takes over what a walk told; whether that is anything new.
    fn take(&mut self, few: &[usize], walking: &[usize], walked: &[Walked]) -> bool {
        let mut follow = Follow {
            walked: Vec::new(),
            first: Vec::new(),
            means: vec![None; self.network.memories.len()],
            factors: vec![1.0; self.classes.len()],
        };
        for (rank, class) in self.classes.iter().enumerate() {
            follow.first.push(follow.walked.len());
            let of = walking.iter().position(|&walks| walks == rank);
            for (place, &(route, _)) in class.routes.iter().enumerate() {
                let memory = self.routes[route].memory.filter(|memory| few.contains(memory));
                let waits = memory.zip(of).map(|(memory, of)| {
                    let mut waits = walked[of].waits[place];
                    let sums = follow.means[memory].get_or_insert_with(Waits::default);
                    sums.read += waits.read * waits.fills;
                    sums.taken += waits.taken * waits.writes;
                    sums.fills += waits.fills;
                    sums.writes += waits.writes;
                    // What it waits for at other places is part of what it waits for on its way.
                    let (fill, write) = self.also_on_way(class, route);
                    waits.fill -= fill;
                    waits.write -= write;
                    waits
                });
                follow.walked.push(waits);
            }
        }
        for sums in follow.means.iter_mut().flatten() {
            *sums = sums.means();
        }
        self.follow = follow;
        let mut is_new = false;
        for (&rank, walked) in walking.iter().zip(walked) {
            let class = &self.classes[rank];
            let before = self.solution.throughput[rank];
            if class.dirty + class.past > 0.0 {
                self.solution.times[rank] = self.times_of_class(rank, class);
                self.follow.factors[rank] = walked.rate / self.throughput(rank, class);
                self.solution.throughput[rank] = walked.rate;
                is_new |= (walked.rate / before - 1.0).abs() > STILL;
            }
        }
        is_new
    }

    /// A memory's channel and its home agents.
    fn place(&self, memory: usize) -> Place {
        let facts = &self.network.memories[memory];
        let here = self.routes.iter().filter(|route| route.memory == Some(memory));
        let homes: BTreeSet<usize> = here.map(|route| route.home).collect();
        let homes = || homes.iter().map(|&home| &self.network.homes[home]);
        let table: f64 = homes().map(|home| home.table * home.count).sum();
        let asking: f64 = self.classes.iter().map(|class| class.workers * class.window).sum();
        Place {
            slot: homes().map(|home| home.slot / home.count).fold(0.0, f64::max),
            table: if asking > table { table as u32 } else { u32::MAX },
            line: facts.line,
            ahead: facts.access - facts.line,
            batch: facts.batch,
            turning: facts.turning,
        }
    }

    /// The wire of a way on which its packets take longest.
    fn narrowest(&self, way: Option<WayId>) -> Option<&Leg> {
        self.network.legs(way?).iter().max_by(|one, other| one.send.total_cmp(&other.send))
    }

    /// Waiting there.
    fn wait_at_gate(&self, way: Option<WayId>) -> f64 {
        self.narrowest(way).map_or(0.0, |leg| self.leg_wait(leg))
    }

    /// The wires that those who walk come out of one by one.
    fn gates(&self, walking: &[usize], place_of: &impl Fn(usize) -> Option<usize>) -> Vec<Walking> {
        let mut gates: Vec<Walking> = Vec::new();
        for &rank in walking {
            let class = &self.classes[rank];
            for &(route, share) in class.routes.iter().filter(|of| place_of(of.0).is_some()) {
                let rate = self.solution.throughput[rank] * share;
                let through = &self.routes[route];
                for (way, part) in [(through.data, class.fills), (through.write, class.dirty + class.past)] {
                    let Some(leg) = self.narrowest(way).filter(|_| part > 0.0) else { continue };
                    let work = rate * part * leg.send;
                    match gates.iter_mut().find(|gate| gate.queue == leg.queue) {
                        Some(gate) => gate.work += work,
                        None => gates.push(Walking { queue: leg.queue, work }),
                    }
                }
            }
        }
        gates
    }

    fn walker(&self, rank: usize, place_of: &impl Fn(usize) -> Option<usize>, gates: &[Walking]) -> Walker {
        let class = &self.classes[rank];
        let core = class.to_router + class.from_router;
        let ways = class.routes.iter().enumerate().map(|(which, &(route, share))| {
            let end = place_of(route).map_or_else(
                || {
                    let times = self.times_on(rank, class, which);
                    let write = if class.dirty > 0.0 { times.write_back } else { times.past };
                    End::Elsewhere { fill: times.fill + core, write: write + core }
                },
                |place| self.end(class, route, place, gates),
            );
            Way { share, end }
        });
        Walker {
            workers: class.workers as u16,
            pattern: class.pattern.clone(),
            window: class.window as u32,
            evictions: class.evictions as u32,
            combining: class.combining as u32,
            ways: ways.collect(),
            page: if class.streams > 0.0 { class.page } else { 1 },
            behind: (class.behind / f64::from(class.page)) as u32,
            eviction: class.eviction,
            spacing: class.pace.issue,
            paced: class.pace.paced,
            pause: class.pace.pause,
        }
    }

    /// The end of a class's lines at a followed place.
    fn end(&self, class: &Class, route: usize, place: usize, gates: &[Walking]) -> End {
        let of = &self.solution.route_times[route];
        let through = &self.routes[route];
        let probed = |probes: usize| {
            let last = self.solution.answers[probes].last;
            let protocol = self.network.tables.protocol;
            let at_requester = matches!(protocol, Protocol::Broadcast { requester_collects: true, .. });
            last - if at_requester { of.data } else { 0.0 }
        };
        let bank = through.memory.map_or(0.0, |memory| {
            let penalty = &self.solution.memories[memory].penalty;
            if class.streams > 0.0 { penalty.streaming } else { penalty.random }
        });
        let over = |way: Option<WayId>| {
            let leg = self.narrowest(way)?;
            let rank = gates.iter().position(|gate| gate.queue == leg.queue)?;
            let others = self.solution.credits[leg.wire].busy - gates[rank].work;
            Some(Gate { rank, service: leg.send / (1.0 - others.clamp(0.0, 0.9)) })
        };
        End::Place {
            place,
            data_over: over(through.data),
            write_over: over(through.write),
            fill: Legs {
                to_home: class.to_router + of.request + of.home,
                to_channel: through.lookup + self.way_time(through.onward),
                back: of.data - self.wait_at_gate(through.data) + class.from_router,
            },
            write: Legs {
                to_home: class.to_router + self.way_time(through.write) - self.wait_at_gate(through.write)
                    + of.home,
                to_channel: self.way_time(through.write_onward),
                back: self.way_time(through.acknowledgement) + class.from_router,
            },
            answers: through.probes.map_or(0.0, probed),
            bank,
            holds: match self.network.tables.protocol {
                Protocol::Broadcast { requester_collects: true, .. } => of.data + self.way_time(through.done),
                _ => 0.0,
            },
        }
    }

    /// What of a fill's and a write's waiting in a walk is also counted on its way: for the wires that it comes out of one by
    /// one, and for room in the table.
    fn also_on_way(&self, class: &Class, route: usize) -> (f64, f64) {
        let through = &self.routes[route];
        let home = &self.solution.homes[through.home];
        let room = home.room_wait[usize::from(!class.local[through.home])];
        (room + self.wait_at_gate(through.data), self.wait_at_gate(through.write))
    }

    /// A fill's and a write's time on a route beside what they wait at home agent and channel for, core included.
    pub(super) fn without_waits(&self, class: &Class, route: usize) -> (f64, f64) {
        let of = &self.solution.route_times[route];
        let through = &self.routes[route];
        let (access, write_wait) = through.memory.map_or((0.0, 0.0), |memory| {
            (self.network.memories[memory].access, self.solution.memories[memory].write_wait)
        });
        let home = &self.solution.homes[through.home];
        let room = home.room_wait[usize::from(!class.local[through.home])];
        let fill =
            of.request + of.home + room + through.lookup + self.way_time(through.onward) + access + of.data;
        (fill, of.write - write_wait - home.slot_wait)
    }
}
