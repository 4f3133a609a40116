//! From waiting times to the times of routes and of classes.

use super::class::Class;
use super::network::{Leg, WayId};
use super::route::Route;
use super::solution::{Answers, RouteTimes, Times};
use super::solve::Solver;
use crate::tables::Protocol;

/// Classes of up to this many workers look at queues without their own part.
const FEW: f64 = 16.0;

impl Solver<'_> {
    /// Time that a way takes with its waiting.
    pub(super) fn way_time(&self, way: Option<WayId>) -> f64 {
        let Some(way) = way else { return 0.0 };
        self.network.time(way) + self.network.legs(way).iter().map(|leg| self.leg_wait(leg)).sum::<f64>()
    }

    /// Waiting time before a leg.
    pub(super) fn leg_wait(&self, leg: &Leg) -> f64 {
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
        let (access, write, varies) = route.channel.map_or((0.0, 0.0, 0.0), |channel| {
            let state = &self.solution.channels[channel];
            let access = self.network.channels[channel].access + state.read_wait + state.penalty.mean;
            let waits = state.read_wait + state.penalty.varying;
            (access, state.write_wait, waits * waits + state.batch_square)
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
        for (place, &(_, share)) in class.routes.iter().enumerate() {
            times.add(share, self.times_on(rank, class, place));
        }
        times.fill -= self.own_part(rank, class, false);
        times.past -= self.own_part(rank, class, true);
        times.fill += class.to_router + class.from_router;
        times.past += class.to_router + class.from_router;
        times.write_back += class.to_router + class.from_router + class.eviction;
        times
    }

    /// Times of a class's lines on one of its routes, from router to router.
    pub(super) fn times_on(&self, rank: usize, class: &Class, place: usize) -> Times {
        let (route, _) = class.routes[place];
        let of = &self.solution.route_times[route];
        let home = self.routes[route].home;
        let room = self.solution.homes[home].room_wait[usize::from(!class.local[home])];
        if let Some(walked) = self.followed.of(rank, place) {
            let (fill, write) = self.without_waits(class, route);
            let (fill, write) = (fill + walked.fill, write + walked.write);
            return Times { fill, past: write, write_back: write, room };
        }
        let at_memory = self.routes[route].channel.map_or(0.0, |channel| {
            let of = &self.solution.channels[channel].penalty;
            if class.streams > 0.0 { of.streaming - of.mean } else { of.random - of.mean }
        });
        // Behind the probes, a slow bank does not show.
        let hidden = of.probes.min(at_memory).max(0.0);
        let fill = of.request + of.home + room + of.memory + of.data + of.probes + at_memory - hidden;
        Times { fill, past: of.write, write_back: of.write, room }
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
        // Where its pages are in several places, a worker is in one of them at a time, with all its lines.
        let by_page = class.page > 1 && class.routes.len() > 1;
        let core = class.to_router + class.from_router;
        let time = |route: usize| {
            let of = &self.solution.route_times[route];
            core + if past { of.write } else { of.request + of.home + of.memory + of.data + of.probes }
        };
        let mean = if by_page {
            class.routes.iter().map(|&(route, part)| part * time(route)).sum::<f64>()
        } else {
            1.0
        };
        let mut own = 0.0;
        for (place, &(route, part)) in class.routes.iter().enumerate() {
            let there = if by_page { mean / time(route) } else { part };
            let mut behind = |count: f64, wait: f64, service: f64, busy: f64| {
                let (all, there) = (part / count * rate, there / count * rate);
                let full = (busy + (there - all) * service).clamp(0.0, 1.0).powi(4);
                let seen = full * (1.0 - 1.0 / in_flight);
                let others = wait - all * (wait + service / 2.0) * service;
                let alike = (wait + service / 2.0) * service;
                let met = if by_page {
                    let work = (seen * there * service).min(0.95);
                    (others + work * service / 2.0) / (1.0 - work)
                } else {
                    others + seen * there * alike
                };
                own += part * (wait - met);
            };
            let route = &self.routes[route];
            let ways = if past {
                [route.write, route.write_onward, None]
            } else {
                [route.request, route.onward, route.data]
            };
            for way in ways.into_iter().flatten() {
                for leg in self.network.legs(way) {
                    let busy = self.solution.credits[leg.wire].busy;
                    behind(1.0, self.solution.queues[leg.queue], leg.send, busy);
                }
            }
            if self.followed.of(rank, place).is_some() {
                continue;
            }
            let home = &self.network.homes[route.home];
            let state = &self.solution.homes[route.home];
            behind(home.count, state.slot_wait, home.slot, state.rate * home.slot);
            if let (Some(channel), false) = (route.channel, past) {
                let state = &self.solution.channels[channel];
                let channel = &self.network.channels[channel];
                let busy = (state.reads + state.writes) * channel.line;
                let wait = state.read_wait - state.batch_end;
                behind(channel.count, wait.max(0.0), channel.line, busy);
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
