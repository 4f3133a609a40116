//! Follows lines one by one through channels with few writers, and feeds what they meet back into the solution.

use std::collections::BTreeSet;

use super::class::Class;
use super::followed_channels::Followed;
use super::solve::Solver;
use super::stations::{Leg, PathId};
use super::walk::walk;
use super::walker::{End, FollowedChannel, Gate, Legs, Path, Waits, Walked, Walker};
use crate::tables::Protocol;

/// A channel is followed if fewer batches of writes than this can be in flight at the same time.
const FEW_BATCHES: f64 = 3.0;

/// A channel is followed in any case if fewer lines than this can be in flight as writes.
const FEW_LINES: f64 = 12.0;

/// Walks are not repeated once their results change by less than this share.
const STILL: f64 = 0.01;

/// A queue of packets that walk, and the share of time for which they occupy its wire.
#[derive(Debug, Clone, Copy)]
struct Walking {
    queue: usize,
    work: f64,
}

impl Solver<'_> {
    /// Follows the channels with few writers; returns whether the results are new.
    pub(super) fn follow(&mut self) -> bool {
        let few: Vec<usize> = (0..self.stations.channels.len()).filter(|&rank| self.is_few(rank)).collect();
        if few.is_empty() {
            return false;
        }
        let followed_of = |route: usize| {
            let channel = self.routes[route].channel?;
            few.iter().position(|&of| of == channel)
        };
        let walking: Vec<usize> = (0..self.classes.len())
            .filter(|&rank| self.classes[rank].routes.iter().any(|of| followed_of(of.0).is_some()))
            .collect();
        let gates = self.gates(&walking, &followed_of);
        let walkers: Vec<Walker> =
            walking.iter().map(|&rank| self.walker(rank, &followed_of, &gates)).collect();
        let channels: Vec<FollowedChannel> = few.iter().map(|&channel| self.channel(channel)).collect();
        let walked = walk(&walkers, &channels, gates.len());
        self.take(&few, &walking, &walked)
    }

    /// Whether a station's only channel has so few writers that it is followed. Lines that go to several channels at
    /// random meet batches at random.
    fn is_few(&self, channel: usize) -> bool {
        let (state, facts) = (&self.solution.channels[channel], &self.stations.channels[channel]);
        let few = (FEW_BATCHES * facts.batch).max(FEW_LINES);
        facts.count == 1.0 && state.writes > 0.0 && state.writers < few
    }

    /// Takes over the results of walks; returns whether they are new.
    fn take(&mut self, few: &[usize], walking: &[usize], walked: &[Walked]) -> bool {
        let mut followed = Followed::new(self.stations.channels.len(), self.classes.len());
        for (rank, class) in self.classes.iter().enumerate() {
            let of = walking.iter().position(|&walks| walks == rank);
            let paths = class.routes.iter().enumerate().map(|(path, &(route, _))| {
                let channel = self.routes[route].channel.filter(|channel| few.contains(channel))?;
                let mut waits = walked[of?].waits[path];
                followed.count(channel, &waits);
                // The waits at other places are part of the waits on its path.
                let (fill, write) = self.also_on_path(class, route);
                waits.fill -= fill;
                waits.write -= write;
                Some(waits)
            });
            let paths: Vec<Option<Waits>> = paths.collect();
            followed.push(paths);
        }
        followed.average();
        self.followed = followed;
        let mut is_new = false;
        for (&rank, walked) in walking.iter().zip(walked) {
            let class = &self.classes[rank];
            let before = self.solution.throughput[rank];
            if class.dirty + class.past > 0.0 {
                self.solution.times[rank] = self.times_of_class(rank, class);
                let factor = walked.rate / self.throughput(rank, class);
                self.followed.set_factor(rank, factor);
                self.solution.throughput[rank] = walked.rate;
                is_new |= (walked.rate / before - 1.0).abs() > STILL;
            }
        }
        is_new
    }

    /// A followed channel, with its home agents.
    fn channel(&self, channel: usize) -> FollowedChannel {
        let facts = &self.stations.channels[channel];
        let here = self.routes.iter().filter(|route| route.channel == Some(channel));
        let homes: BTreeSet<usize> = here.map(|route| route.home).collect();
        let homes = || homes.iter().map(|&home| &self.stations.homes[home]);
        let table: f64 = homes().map(|home| home.table * home.count).sum();
        let asking: f64 = self.classes.iter().map(|class| class.workers * class.window).sum();
        FollowedChannel {
            slot: homes().map(|home| home.slot / home.count).fold(0.0, f64::max),
            table: if asking > table { table as u32 } else { u32::MAX },
            line: facts.line,
            ahead: facts.access - facts.line,
            batch: facts.batch,
            turning: facts.turning,
            store_gap: facts.store_gap,
        }
    }

    /// The wire of a path on which its packets take longest.
    fn narrowest(&self, path: Option<PathId>) -> Option<&Leg> {
        self.stations.legs(path?).iter().max_by(|one, other| one.send.total_cmp(&other.send))
    }

    /// The wait at that wire.
    fn wait_at_gate(&self, path: Option<PathId>) -> f64 {
        self.narrowest(path).map_or(0.0, |leg| self.leg_wait(leg))
    }

    /// The wires that serialize the followed lines.
    fn gates(&self, walking: &[usize], followed_of: &impl Fn(usize) -> Option<usize>) -> Vec<Walking> {
        let mut gates: Vec<Walking> = Vec::new();
        for &rank in walking {
            let class = &self.classes[rank];
            for &(route, share) in class.routes.iter().filter(|of| followed_of(of.0).is_some()) {
                let rate = self.solution.throughput[rank] * share;
                let through = &self.routes[route];
                for (path, part) in [(through.data, class.fills), (through.write, class.dirty + class.past)] {
                    let Some(leg) = self.narrowest(path).filter(|_| part > 0.0) else { continue };
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

    fn walker(
        &self,
        rank: usize,
        followed_of: &impl Fn(usize) -> Option<usize>,
        gates: &[Walking],
    ) -> Walker {
        let class = &self.classes[rank];
        let core = class.to_router + class.from_router;
        let paths = class.routes.iter().enumerate().map(|(which, &(route, share))| {
            let end = followed_of(route).map_or_else(
                || {
                    let times = self.times_on(rank, class, which);
                    let write = if class.dirty > 0.0 { times.write_back } else { times.past };
                    End::Elsewhere { fill: times.fill + core, write: write + core }
                },
                |channel| self.end(class, route, channel, gates),
            );
            Path { share, end }
        });
        Walker {
            workers: class.workers as u16,
            pattern: class.pattern.clone(),
            window: class.window as u32,
            evictions: class.evictions as u32,
            combining: class.combining as u32,
            paths: paths.collect(),
            page: if class.streams > 0.0 { class.page } else { 1 },
            behind: (class.behind / f64::from(class.page)) as u32,
            eviction: class.eviction,
            spacing: class.pace.issue,
            paced: class.pace.paced,
            pause: class.pace.pause,
        }
    }

    /// The end of the path of a class's lines at a followed channel.
    fn end(&self, class: &Class, route: usize, channel: usize, gates: &[Walking]) -> End {
        let of = &self.solution.route_times[route];
        let through = &self.routes[route];
        let probed = |probes: usize| {
            let last = self.solution.answers[probes].last;
            let protocol = self.stations.protocol;
            let at_requester = matches!(protocol, Protocol::Broadcast { requester_collects: true, .. });
            last - if at_requester { of.data } else { 0.0 }
        };
        let bank = through.channel.map_or(0.0, |channel| {
            let penalty = &self.solution.channels[channel].penalty;
            let refreshed = self.stations.channels[channel].banks.wait_for_refresh();
            refreshed + if class.streams > 0.0 { penalty.streaming } else { penalty.random }
        });
        let over = |path: Option<PathId>| {
            let leg = self.narrowest(path)?;
            let rank = gates.iter().position(|gate| gate.queue == leg.queue)?;
            let others = self.solution.credits[leg.wire].busy - gates[rank].work;
            Some(Gate { rank, service: leg.send / (1.0 - others.clamp(0.0, 0.9)) })
        };
        End::Followed {
            channel,
            data_over: over(through.data),
            write_over: over(through.write),
            fill: Legs {
                to_home: class.to_router + of.request + of.home,
                to_channel: through.lookup + self.path_time(through.onward),
                back: of.data - self.wait_at_gate(through.data) + class.from_router,
            },
            write: Legs {
                to_home: class.to_router + self.path_time(through.write) - self.wait_at_gate(through.write)
                    + of.home,
                to_channel: self.path_time(through.write_onward),
                back: self.path_time(through.acknowledgement) + class.from_router,
            },
            answers: through.probes.map_or(0.0, probed),
            bank,
            holds: match self.stations.protocol {
                Protocol::Broadcast { requester_collects: true, .. } => {
                    of.data + self.path_time(through.done)
                }
                Protocol::Broadcast { .. } => 0.0,
                Protocol::Directory { .. } => self.wait_in_table(through),
            },
        }
    }

    /// The part of a fill's and a write's waits in a walk that is also counted on the path: for the wires that
    /// serialize them, and for room in the table.
    fn also_on_path(&self, class: &Class, route: usize) -> (f64, f64) {
        let through = &self.routes[route];
        let room = self.room_wait(class, through.home);
        (room + self.wait_at_gate(through.data), self.wait_at_gate(through.write))
    }

    /// A fill's and a write's time on a route without their waits at home agent and channel, core included.
    pub(super) fn without_waits(&self, class: &Class, route: usize) -> (f64, f64) {
        let of = &self.solution.route_times[route];
        let through = &self.routes[route];
        let (access, write_wait) = through.channel.map_or((0.0, 0.0), |channel| {
            (self.stations.channels[channel].access, self.solution.channels[channel].write_wait)
        });
        let home = &self.solution.homes[through.home];
        let room = self.room_wait(class, through.home);
        let fill =
            of.request + of.home + room + through.lookup + self.path_time(through.onward) + access + of.data;
        (fill, of.write - write_wait - home.slot_wait)
    }
}
