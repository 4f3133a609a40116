//! Observations of the inside of the machine, from the solution.

use zerohop_units::GigabytesPerSecond;
use zerohop_workload::{Inside, Measure, Part, Stage};

use super::class::Class;
use super::excerpt::Named;
use super::solve::Solver;
use crate::token::Packet;

/// Bytes of a line.
const LINE: f64 = 64.0;

impl Solver<'_> {
    /// The loads of all parts, and where foreground fills spend their time.
    pub(crate) fn inside(&self, named: Named<'_>) -> Inside {
        let mut inside = Inside::default();
        self.links(named, &mut inside);
        self.channels(named, &mut inside);
        self.homes(named, &mut inside);
        self.stages(&mut inside);
        inside
    }

    fn links(&self, named: Named<'_>, inside: &mut Inside) {
        let mut lines = vec![0.0; self.stations.wires.len()];
        let mut bytes = vec![0.0; self.stations.wires.len()];
        for (&path, &rate) in self.paths.iter().zip(&self.solution.path_rates) {
            let packet = self.stations.packet(path);
            for leg in self.stations.legs(path) {
                bytes[leg.wire] += rate * self.stations.wires[leg.wire].bytes[packet as usize];
                if matches!(packet, Packet::Write | Packet::Data | Packet::DataAndAnswer) {
                    lines[leg.wire] += rate;
                }
            }
        }
        let of = |wire: usize| {
            let queues = self.stations.lanes_of(wire).flat_map(|lane| [2 * lane, 2 * lane + 1]);
            let (mut work, mut rate, mut queue) = (0.0, 0.0, 0.0);
            for place in queues {
                let load = &self.solution.loads[place];
                work += load.work;
                rate += load.rate;
                queue += load.rate * (self.solution.queues[place] + self.solution.buffer_waits[place / 2]);
            }
            let facts = &self.stations.wires[wire];
            // While packets follow one another, credits are returned together; otherwise one by one, in idle time.
            let credits = &self.solution.credits[wire];
            let together = if facts.credit > 0.0 { rate * credits.each / facts.credit } else { 0.0 };
            let alone = credits.owed * (1.0 - work).max(0.0);
            let messages = if facts.credit > 0.0 { together + alone } else { 0.0 };
            let traffic = GigabytesPerSecond(bytes[wire] + messages * facts.credit_bytes);
            let data = GigabytesPerSecond(lines[wire] * LINE);
            [traffic.get(), data.get(), (work + messages * facts.credit).min(1.0), queue]
        };
        for (link, wire) in named.links() {
            let [traffic, data, utilization, queue] = wire.map_or([0.0; 4], of);
            inside.observe(
                link,
                [
                    (Measure::LinkTraffic, traffic),
                    (Measure::LinkData, data),
                    (Measure::Utilization, utilization),
                    (Measure::QueueLength, queue),
                ],
            );
        }
    }

    fn channels(&self, named: Named<'_>, inside: &mut Inside) {
        let of = |station: usize| {
            let (state, facts) = (&self.solution.channels[station], &self.stations.channels[station]);
            let lines = |rate: f64| GigabytesPerSecond(rate * LINE).get();
            let utilization = ((state.reads + state.writes) * facts.line).min(1.0);
            let queue = state.reads * state.read_wait + state.writes * state.write_wait;
            [lines(state.reads), lines(state.writes), utilization, queue]
        };
        for (channel, station) in named.channels() {
            let [reads, writes, utilization, queue] = station.map_or([0.0; 4], of);
            inside.observe(&channel.reads, [(Measure::BusTraffic, reads)]);
            inside.observe(&channel.writes, [(Measure::BusTraffic, writes)]);
            inside.observe(
                &channel.whole,
                [(Measure::Utilization, utilization), (Measure::QueueLength, queue)],
            );
        }
    }

    fn homes(&self, named: Named<'_>, inside: &mut Inside) {
        let of = |station: usize| {
            let (state, facts) = (&self.solution.homes[station], &self.stations.homes[station]);
            let queue = (0..2).map(|which| state.arriving[which] * state.room_wait[which]).sum();
            [(state.held[0] + state.held[1]).min(facts.table), queue]
        };
        for (home, station) in named.homes() {
            let [occupancy, queue] = station.map_or([0.0; 2], of);
            inside.observe(
                home,
                [(Measure::Occupancy, occupancy), (Measure::QueueLength, queue), (Measure::Rejections, 0.0)],
            );
        }
    }

    /// Mean stages of the fills of the foreground.
    fn stages(&self, inside: &mut Inside) {
        let mut sums = [0.0; Stage::ALL.len()];
        let mut fills = 0.0;
        for (rank, class) in self.classes.iter().enumerate().filter(|(_, class)| class.foreground) {
            let rate = self.solution.throughput[rank] * class.fills;
            fills += rate;
            for (sum, time) in sums.iter_mut().zip(self.stages_of(rank, class)) {
                *sum += rate * time;
            }
        }
        if fills == 0.0 {
            return;
        }
        for (stage, sum) in Stage::ALL.into_iter().zip(sums) {
            inside.observe(&Part::Stage(stage), [(Measure::Latency, sum / fills)]);
        }
    }

    fn stages_of(&self, rank: usize, class: &Class) -> [f64; Stage::ALL.len()] {
        let times = &self.solution.times[rank];
        let mut stages = [0.0; Stage::ALL.len()];
        stages[0] = class.to_router + class.from_router;
        stages[2] = times.room;
        for &(route, share) in &class.routes {
            let of = &self.solution.route_times[route];
            stages[1] += share * of.request;
            stages[2] += share * of.home;
            stages[4] += share * of.data;
            stages[5] += share * of.probes;
        }
        // The remainder is mostly time at memory: a class waits less than an average arrival, and more for banks and
        // batches.
        let others: f64 = stages.iter().sum();
        stages[3] = (times.fill - others).max(0.0);
        stages
    }
}
