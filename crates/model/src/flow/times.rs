//! From waiting times to the times of routes and of classes.

use super::class::Class;
use super::cycle::Cycle;
use super::network::{Leg, WayId};
use super::route::Route;
use super::solution::{Answers, RouteTimes, Times};
use super::solve::Solver;
use crate::tables::Protocol;

/// Classes of up to so many workers look at queues without their own part.
const FEW: f64 = 16.0;

impl Solver<'_> {
    /// Time that a way takes with its waiting.
    fn way_time(&self, way: Option<WayId>) -> f64 {
        let Some(way) = way else { return 0.0 };
        self.network.time(way) + self.network.legs(way).iter().map(|leg| self.leg_wait(leg)).sum::<f64>()
    }

    /// Waiting time before a leg.
    fn leg_wait(&self, leg: &Leg) -> f64 {
        self.solution.queues[leg.queue] + self.solution.buffer_waits[leg.lane]
    }

    pub(super) fn times_of_routes(&mut self) {
        for rank in 0..self.probes.len() {
            let probes = &self.probes[rank];
            let branch = |(ways, answer): &(Vec<WayId>, Option<WayId>)| {
                ways.iter().map(|&way| self.way_time(Some(way))).sum::<f64>()
                    + probes.lookup
                    + self.way_time(*answer)
            };
            let last = probes.branches.iter().map(branch).fold(0.0, f64::max);
            self.solution.answers[rank] = Answers { last, waits: last - probes.unloaded };
        }
        for rank in 0..self.routes.len() {
            self.solution.route_times[rank] = self.times_of(&self.routes[rank]);
        }
    }

    fn times_of(&self, route: &Route) -> RouteTimes {
        let home = &self.network.homes[route.home];
        let state = &self.solution.homes[route.home];
        let answers = route.probes.map_or(Answers::default(), |probes| self.solution.answers[probes]);
        let (access, write, varies) = route.memory.map_or((0.0, 0.0, 0.0), |memory| {
            let state = &self.solution.memories[memory];
            let access = self.network.memories[memory].access + state.read_wait + state.penalty.mean;
            let waits = state.read_wait + state.penalty.mean;
            (access, state.write_wait, waits * waits + state.batches.square())
        });
        let request = self.way_time(route.request);
        let memory = state.slot_wait + route.lookup + self.way_time(route.onward) + access;
        let data = self.way_time(route.data);
        let (probes, hold) = match self.network.tables.protocol {
            Protocol::Directory { .. } => (0.0, memory),
            _ if route.probes.is_none_or(|probes| self.probes[probes].branches.is_empty()) => (
                0.0,
                memory + if self.collects_at_requester() { data + self.way_time(route.done) } else { 0.0 },
            ),
            Protocol::Broadcast { requester_collects: true, .. } => {
                let probes = longer(answers.last - memory - data, varies + answers.waits.powi(2));
                (probes, memory + data + probes + self.way_time(route.done))
            }
            Protocol::Broadcast { .. } => {
                let probes = longer(answers.last - memory, varies + answers.waits.powi(2));
                (probes, memory + probes)
            }
        };
        let write = self.way_time(route.write)
            + home.latency
            + state.slot_wait
            + self.way_time(route.write_onward)
            + write
            + self.way_time(route.acknowledgement);
        RouteTimes { request, home: home.latency, memory, data, probes, hold, write }
    }

    fn collects_at_requester(&self) -> bool {
        matches!(self.network.tables.protocol, Protocol::Broadcast { requester_collects: true, .. })
    }
    pub(super) fn times_of_class(&self, rank: usize, class: &Class) -> Times {
        let mut times = Times::default();
        for &(route, share) in &class.routes {
            let of = &self.solution.route_times[route];
            let home = self.routes[route].home;
            let room = self.solution.homes[home].room_wait[usize::from(!class.local[home])];
            let mut at_memory = 0.0;
            let mut written = 0.0;
            if let Some(memory) = self.routes[route].memory {
                let state = &self.solution.memories[memory];
                let of = &state.penalty;
                let of_mean = of.mean;
                let part = share / self.network.memories[memory].count;
                let old = &self.solution.times[rank];
                let lines = self.solution.throughput[rank] / class.workers;
                let fills = class.window / (lines * class.fills * part);
                let batch = state.batches.wait(fills, old.batch[0], f64::INFINITY);
                let past = class.combining / (lines * class.past * part);
                let written_past = if class.past > 0.0 {
                    state.batches_before_writes.wait(past, old.batch[1], class.combining * class.workers)
                } else {
                    0.0
                };
                let back = class.evictions / (lines * class.dirty * part);
                let written_back = if class.dirty > 0.0 {
                    state.batches_before_writes.wait(back, old.batch[2], f64::INFINITY)
                } else {
                    0.0
                };
                times.batch[0] += share * batch;
                times.batch[1] += share * written_past;
                times.batch[2] += share * written_back;
                if class.dirty > 0.0 {
                    times.write_back += share * (written_back - state.batches_before_writes.of_any);
                }
                at_memory = if class.streams > 0.0 { of.streaming } else { of.random };
                at_memory += batch - state.batches.of_any - of_mean;
                if class.past > 0.0 {
                    written = written_past - state.batches_before_writes.of_any
                        + state.ahead.longer(past, state.write_wait);
                    let write = self.solution.route_times[route].write;
                    let away = write - state.write_wait;
                    if let Some(round) = self.in_step(class, &self.routes[route], away) {
                        written = round - write - class.to_router - class.from_router;
                    }
                }
            }
            // Behind the probes, a slow bank does not show.
            let hidden = of.probes.min(at_memory).max(0.0);
            times.fill +=
                share * (of.request + of.home + room + of.memory + of.data + of.probes + at_memory - hidden);
            times.room += share * room;
            times.past += share * (of.write + written);
            times.write_back += share * of.write;
        }
        times.fill -= self.own_part(rank, class, false);
        times.past -= self.own_part(rank, class, true);
        times.fill += class.to_router + class.from_router;
        times.past += class.to_router + class.from_router;
        times.write_back += class.to_router + class.from_router + class.eviction;
        times
    }

    /// Time of a line written past the caches by a class that has its node's only channel to itself and writes only, where it takes so long
    /// beside the wait for the bus.
    pub(super) fn in_step(&self, class: &Class, route: &Route, away: f64) -> Option<f64> {
        let memory = route.memory?;
        let (channel, state) = (&self.network.memories[memory], &self.solution.memories[memory]);
        let alone = class.routes.len() == 1 && channel.count == 1.0 && class.fills == 0.0;
        let streams = class.workers * class.streams;
        if !alone || class.pace.pause.is_some() || state.users.streams > streams * 1.001 {
            return None;
        }
        // Reads and links bring lines out of step.
        if state.reads > 0.0 || route.write.is_some() || route.write_onward.is_some() {
            return None;
        }
        let cycle = Cycle {
            lines: class.combining * class.workers,
            batch: channel.batch,
            length: state.batches_before_writes.length,
            away: away + class.to_router + class.from_router,
            apart: self.network.homes[route.home].slot.max(class.pace.spacing / class.workers),
        };
        cycle.round()
    }

    /// Waiting that a worker's lines are counted for behind its own. They follow one another at equal distances, so that they
    /// hardly meet as long as a station is not full; then each waits behind all but itself. Of fills, or of lines written past
    /// the caches.
    fn own_part(&self, rank: usize, class: &Class, past: bool) -> f64 {
        let (share, in_flight) =
            if past { (class.past, class.combining) } else { (class.fills, class.window) };
        if class.workers > FEW || share == 0.0 {
            return 0.0;
        }
        let rate = self.solution.throughput[rank] * share / class.workers;
        let mut own = 0.0;
        let mut behind = |part: f64, wait: f64, service: f64, busy: f64| {
            let full = busy.min(1.0).powi(4);
            let alone = full / in_flight + 1.0 - full;
            own += part * part * rate * alone * (wait + service / 2.0) * service;
        };
        for &(route, part) in &class.routes {
            let route = &self.routes[route];
            let ways = if past {
                [route.write, route.write_onward, None]
            } else {
                [route.request, route.onward, route.data]
            };
            for way in ways.into_iter().flatten() {
                for leg in self.network.legs(way) {
                    let busy = self.solution.credits[leg.wire].busy;
                    behind(part, self.solution.queues[leg.queue], leg.send, busy);
                }
            }
            let home = &self.network.homes[route.home];
            let state = &self.solution.homes[route.home];
            behind(part / home.count, state.slot_wait, home.slot, state.rate * home.slot);
            if let (Some(memory), false) = (route.memory, past) {
                let channel = &self.network.memories[memory];
                let state = &self.solution.memories[memory];
                let busy = (state.reads + state.writes) * channel.line;
                let wait = state.read_wait - state.batches.of_any;
                behind(part / channel.count, wait.max(0.0), channel.line, busy);
            }
        }
        own
    }
}

/// How much later the second of two things is on average, whose means are so far apart, where the difference varies: close to
/// the mean of a normal variable's positive part.
fn longer(apart: f64, variance: f64) -> f64 {
    (apart + (apart * apart + 0.64 * variance).sqrt()) / 2.0
}
