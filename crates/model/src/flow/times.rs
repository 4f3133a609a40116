//! From waiting times to the times of routes and of classes.

use super::class::Class;
use super::isolated_line::Met;
use super::route::{Probes, Route};
use super::solution::{Answers, RouteTimes, Times};
use super::solve::Solver;
use super::stations::{Leg, PathId};
use crate::tables::Protocol;

/// In classes of up to this many workers, a worker does not queue behind its own lines.
const FEW: f64 = 16.0;

impl Solver<'_> {
    /// Time of a packet on a path, waits included.
    pub(super) fn path_time(&self, path: Option<PathId>) -> f64 {
        let Some(path) = path else { return 0.0 };
        self.stations.time(path) + self.stations.legs(path).iter().map(|leg| self.leg_wait(leg)).sum::<f64>()
    }

    /// How long a fill of a class waits for room at a home agent.
    pub(super) fn room_wait(&self, class: &Class, home: usize) -> f64 {
        let is_remote = !class.is_local_to(&self.stations.homes[home]);
        self.solution.homes[home].room_wait[usize::from(is_remote)]
    }

    /// Wait before a leg.
    pub(super) fn leg_wait(&self, leg: &Leg) -> f64 {
        self.solution.queues[leg.queue] + self.solution.buffer_waits[leg.lane]
    }

    pub(super) fn times_of_routes(&mut self) {
        let is_alone = self.is_alone();
        for rank in 0..self.probes.len() {
            let probes = &self.probes[rank];
            let branch = |(paths, answer): &(Vec<PathId>, Option<PathId>)| {
                paths.iter().map(|&path| self.path_time(Some(path))).sum::<f64>()
                    + probes.lookup
                    + self.path_time(*answer)
            };
            let last = probes.branches.iter().map(branch).fold(0.0, f64::max);
            self.solution.answers[rank] = Answers { last, waits: last - probes.unloaded };
        }
        for rank in 0..self.routes.len() {
            let route = &self.routes[rank];
            self.solution.route_times[rank] = match route.probes {
                Some(probes) if is_alone => self.times_alone(route, &self.probes[probes]),
                _ => self.times_of(route),
            };
        }
    }

    fn times_of(&self, route: &Route) -> RouteTimes {
        let home = &self.stations.homes[route.home];
        let state = &self.solution.homes[route.home];
        let answers = route.probes.map_or(Answers::default(), |probes| self.solution.answers[probes]);
        let (access, write, varies) = route.channel.map_or((0.0, 0.0, 0.0), |channel| {
            let state = &self.solution.channels[channel];
            let access = self.stations.channels[channel].access + state.read_wait + state.penalty.mean;
            let waits = state.read_wait + state.penalty.varying;
            (access, state.write_wait, waits * waits + state.batch_square)
        });
        let request = self.path_time(route.request);
        let memory = state.slot_wait + route.lookup + self.path_time(route.onward) + access;
        let data = self.path_time(route.data);
        let (probes, hold) = match self.stations.protocol {
            Protocol::Directory { .. } => (0.0, memory + self.wait_in_table(route)),
            _ if route.probes.is_none_or(|probes| self.probes[probes].branches.is_empty()) => (
                0.0,
                memory + if self.collects_at_requester() { data + self.path_time(route.done) } else { 0.0 },
            ),
            Protocol::Broadcast { requester_collects: true, .. } => {
                let probes = longer(answers.last - memory - data, varies + answers.waits.powi(2));
                (probes, memory + data + probes + self.path_time(route.done))
            }
            Protocol::Broadcast { .. } => {
                let probes = longer(answers.last - memory, varies + answers.waits.powi(2));
                (probes, memory + probes)
            }
        };
        let write = self.path_time(route.write)
            + home.latency
            + state.slot_wait
            + self.path_time(route.write_onward)
            + write
            + self.path_time(route.acknowledgement);
        RouteTimes { request, home: home.latency, memory, data, probes, hold, write }
    }

    /// The same for a line that is alone: nothing waits but its own packets for one another.
    fn times_alone(&self, route: &Route, probes: &Probes) -> RouteTimes {
        let home = &self.stations.homes[route.home];
        let time = |path: Option<PathId>| path.map_or(0.0, |path| self.stations.time(path));
        let read = route.channel.map_or(0.0, |channel| {
            let facts = &self.stations.channels[channel];
            facts.access + facts.banks.wait_for_refresh() + self.solution.channels[channel].penalty.mean
        });
        let memory = route.lookup + time(route.onward) + read;
        let Met { last, data } = self.met(route, probes, memory);
        let collected = if self.collects_at_requester() { memory + data } else { memory };
        let waits = (last - collected).max(0.0);
        let hold = collected + waits + time(route.done);
        RouteTimes {
            request: time(route.request),
            home: home.latency,
            memory,
            data,
            probes: waits,
            hold,
            write: 0.0,
        }
    }

    /// How long a line that memory has read waits for its first link, where it keeps its place in the table meanwhile.
    pub(super) fn wait_in_table(&self, route: &Route) -> f64 {
        let first = route.data.and_then(|data| self.stations.legs(data).first());
        match self.stations.homes[route.home].holds_until_sent {
            true => first.map_or(0.0, |leg| self.leg_wait(leg)),
            false => 0.0,
        }
    }

    fn collects_at_requester(&self) -> bool {
        matches!(self.stations.protocol, Protocol::Broadcast { requester_collects: true, .. })
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
        let room = self.room_wait(class, home);
        if let Some(walked) = self.followed.of(rank, place) {
            let (fill, write) = self.without_waits(class, route);
            let (fill, write) = (fill + walked.fill, write + walked.write);
            return Times { fill, past: write, write_back: write, room };
        }
        let at_memory = self.routes[route].channel.map_or(0.0, |channel| {
            let of = &self.solution.channels[channel].penalty;
            if class.streams > 0.0 { of.streaming - of.mean } else { of.random - of.mean }
        });
        let at_memory = at_memory + self.refreshes_in_turn(rank, class, place);
        // A slow bank is hidden behind the probes.
        let hidden = of.probes.min(at_memory).max(0.0);
        let fill = of.request + of.home + room + of.memory + of.data + of.probes + at_memory - hidden;
        Times { fill, past: of.write, write_back: of.write, room }
    }

    /// How much longer a class's lines wait for refreshes than lines that arrive at any time.
    fn refreshes_in_turn(&self, rank: usize, class: &Class, place: usize) -> f64 {
        let (route, share) = class.routes[place];
        let Some(channel) = self.routes[route].channel.map(|channel| &self.stations.channels[channel]) else {
            return 0.0;
        };
        let fills = self.solution.throughput[rank] * class.fills;
        if channel.refresh_takes == 0.0 || fills == 0.0 {
            return 0.0;
        }
        let between = class.workers * class.window / fills;
        channel.banks.wait_in_turn(share / channel.count, between) - channel.banks.wait_for_refresh()
    }

    /// The part of the waits that is a worker's wait behind its own lines. These follow one another at equal
    /// distances, so they hardly meet as long as a station is not full; in a full one, each waits behind all lines
    /// but itself. Of fills, or of lines that bypass the caches.
    fn own_part(&self, rank: usize, class: &Class, past: bool) -> f64 {
        let (share, in_flight) =
            if past { (class.past, class.combining) } else { (class.fills, class.window) };
        if class.workers > FEW || share == 0.0 || self.is_alone() && !self.probes.is_empty() {
            return 0.0;
        }
        let rate = self.solution.throughput[rank] * share / class.workers;
        // Where its pages are in several places, a worker is in one place at a time, with all its lines.
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
            let paths = if past {
                [route.write, route.write_onward, None]
            } else {
                [route.request, route.onward, route.data]
            };
            for path in paths.into_iter().flatten() {
                for leg in self.stations.legs(path) {
                    let busy = self.solution.credits[leg.wire].busy;
                    behind(1.0, self.solution.queues[leg.queue], leg.send, busy);
                }
            }
            if self.followed.of(rank, place).is_some() {
                continue;
            }
            let home = &self.stations.homes[route.home];
            let state = &self.solution.homes[route.home];
            behind(home.count, state.slot_wait, home.slot, state.rate * home.slot);
            if let (Some(channel), false) = (route.channel, past) {
                let state = &self.solution.channels[channel];
                let channel = &self.stations.channels[channel];
                let busy = (state.reads + state.writes) * channel.line;
                let wait = state.read_wait - state.batch_end;
                behind(channel.count, wait.max(0.0), channel.line, busy);
            }
        }
        own
    }
}

/// Mean of the positive part of a difference with mean `apart`: how much later the second of two events is than the
/// first. Close to that of a normal variable.
fn longer(apart: f64, variance: f64) -> f64 {
    (apart + (apart * apart + 0.64 * variance).sqrt()) / 2.0
}
