//! The load of every station, from throughputs.

use super::bank::Users;
use super::solve::Solver;
use super::station::Load;
use super::stations::PathId;
use crate::token::Packet;

impl Solver<'_> {
    /// Computes the load of every station from throughputs.
    pub(super) fn loads(&mut self) {
        let solution = &mut self.solution;
        for values in [
            &mut solution.fills,
            &mut solution.writes,
            &mut solution.path_rates,
            &mut solution.path_ends,
            &mut solution.held,
        ] {
            values.fill(0.0);
        }
        solution.loads.fill(Load::default());
        for credits in &mut solution.credits {
            credits.owed = 0.0;
        }
        for home in &mut solution.homes {
            (home.rate, home.held, home.arriving) = (0.0, [0.0; 2], [0.0; 2]);
        }
        for channel in &mut solution.channels {
            (channel.reads, channel.writes, channel.unfetched) = (0.0, 0.0, 0.0);
            let Users { streams, hit, meets, .. } = channel.users;
            channel.users = Users { streams, hit, meets, ..Users::default() };
        }
        for (rank, class) in self.classes.iter().enumerate() {
            let lines = solution.throughput[rank];
            for (place, &(route, share)) in class.routes.iter().enumerate() {
                let (fills, writes) =
                    (lines * class.fills * share, lines * (class.dirty + class.past) * share);
                solution.fills[route] += fills;
                solution.writes[route] += writes;
                let home = self.routes[route].home;
                let facts = &self.stations.homes[home];
                let (count, which) = (facts.count, usize::from(!class.is_local_to(facts)));
                solution.homes[home].arriving[which] += fills / count;
                solution.homes[home].held[which] += fills * solution.route_times[route].hold / count;
                solution.homes[home].rate += (fills + writes) / count;
                if let Some(channel) = self.routes[route].channel {
                    let count = self.stations.channels[channel].count;
                    solution.channels[channel].unfetched += lines * class.past * share / count;
                    let users = &mut solution.channels[channel].users;
                    let lines = (fills + writes) / count;
                    if class.streams > 0.0 {
                        users.in_flight += fills * solution.times[rank].fill / count;
                        users.streaming += lines;
                    } else {
                        users.random += lines;
                        // Workers have buffers of their own: only the worker's own previous line leaves open the row
                        // that it wants.
                        users.reopened += lines * (lines / class.workers) * class.same_row[place];
                    }
                }
            }
        }
        self.loads_of_routes();
        self.loads_of_paths();
    }

    fn loads_of_routes(&mut self) {
        for (rank, route) in self.routes.iter().enumerate() {
            let (fills, writes) = (self.solution.fills[rank], self.solution.writes[rank]);
            let home = &self.stations.homes[route.home];
            let state = &self.solution.homes[route.home];
            let arriving: f64 = state.arriving.iter().sum();
            let room = if arriving > 0.0 {
                (0..2).map(|which| state.arriving[which] * state.room_wait[which]).sum::<f64>() / arriving
            } else {
                0.0
            };
            let slot = state.slot_wait;
            let write_wait = route.channel.map_or(0.0, |channel| self.solution.channels[channel].write_wait);
            if let Some(channel) = route.channel {
                let count = self.stations.channels[channel].count;
                self.solution.channels[channel].reads += fills / count;
                self.solution.channels[channel].writes += writes / count;
            }
            for path in route.of_fill() {
                let end = if Some(path) == route.request { home.latency + room } else { 0.0 };
                self.put_on(path, fills, end);
            }
            for path in route.of_write() {
                let end = if Some(path) == route.write {
                    home.latency + if route.write_onward.is_none() { slot + write_wait } else { 0.0 }
                } else if Some(path) == route.write_onward {
                    write_wait
                } else {
                    0.0
                };
                self.put_on(path, writes, end);
            }
            if let Some(probes) = route.probes {
                let of = &self.probes[probes];
                for edge in of.edges() {
                    self.put_on(edge, fills, 0.0);
                }
                for answer in of.branches.iter().filter_map(|branch| branch.1) {
                    self.put_on(answer, fills, 0.0);
                }
            }
        }
    }

    /// Adds packets at `rate` to a path, each of which holds its last buffer for `end` at the receiver.
    fn put_on(&mut self, path: PathId, rate: f64, end: f64) {
        if rate == 0.0 {
            return;
        }
        let rank = self.rank_of[path.0 as usize] as usize;
        self.solution.path_rates[rank] += rate;
        self.solution.path_ends[rank] += rate * end;
    }

    fn loads_of_paths(&mut self) {
        for (rank, &path) in self.paths.iter().enumerate() {
            let rate = self.solution.path_rates[rank];
            if rate == 0.0 {
                continue;
            }
            let owed = if self.stations.packet(path) == Packet::DataAndAnswer { 2.0 } else { 1.0 };
            let mut after = self.solution.path_ends[rank] / rate;
            for leg in self.stations.legs(path).iter().rev() {
                self.solution.loads[leg.queue].add(rate, leg.send);
                self.solution.held[leg.lane] += rate * (leg.hold + after);
                self.solution.credits[leg.wire ^ 1].owed += rate * owed;
                after = self.solution.queues[leg.queue] + self.solution.buffer_waits[leg.lane];
            }
        }
    }
}
