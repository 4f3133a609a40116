//! Observations of the inside of the machine, from the solution.

use zerohop_units::GigabytesPerSecond;
use zerohop_workload::{Inside, Measure, Part, Stage};

use super::class::Class;
use super::network::Network;
use super::solve::Solver;
use crate::token::Packet;

/// Bytes of a line.
const LINE: f64 = 64.0;

impl Solver<'_> {
    /// The loads of all parts, and where foreground fills spend their time.
    pub(crate) fn inside(&self, network: &Network) -> Inside {
        let mut inside = Inside::default();
        self.links(network, &mut inside);
        self.channels(network, &mut inside);
        self.homes(network, &mut inside);
        self.stages(&mut inside);
        inside
    }

    fn links(&self, network: &Network, inside: &mut Inside) {
        let mut lines = vec![0.0; network.wires.len()];
        let mut bytes = vec![0.0; network.wires.len()];
        for (&path, &rate) in self.paths.iter().zip(&self.solution.path_rates) {
            let packet = network.packet(path);
            for leg in network.legs(path) {
                bytes[leg.wire] += rate * network.wires[leg.wire].bytes[packet as usize];
                if matches!(packet, Packet::Write | Packet::Data | Packet::DataAndAnswer) {
                    lines[leg.wire] += rate;
                }
            }
        }
        for (wire, link) in network.parts.links.iter().enumerate() {
            let queues = network.lanes_of(wire).flat_map(|lane| [2 * lane, 2 * lane + 1]);
            let (mut work, mut rate, mut queue) = (0.0, 0.0, 0.0);
            for place in queues {
                let load = &self.solution.loads[place];
                work += load.work;
                rate += load.rate;
                queue += load.rate * (self.solution.queues[place] + self.solution.buffer_waits[place / 2]);
            }
            let facts = &network.wires[wire];
            // While packets follow one another, credits are returned together; otherwise one by one, in idle time.
            let credits = &self.solution.credits[wire];
            let together = if facts.credit > 0.0 { rate * credits.each / facts.credit } else { 0.0 };
            let alone = credits.owed * (1.0 - work).max(0.0);
            let messages = if facts.credit > 0.0 { together + alone } else { 0.0 };
            let traffic = GigabytesPerSecond(bytes[wire] + messages * facts.credit_bytes);
            let data = GigabytesPerSecond(lines[wire] * LINE);
            inside.observe(
                link,
                [
                    (Measure::LinkTraffic, traffic.get()),
                    (Measure::LinkData, data.get()),
                    (Measure::Utilization, (work + messages * facts.credit).min(1.0)),
                    (Measure::QueueLength, queue),
                ],
            );
        }
    }

    fn channels(&self, network: &Network, inside: &mut Inside) {
        for (channel, &station) in network.parts.channels.iter().zip(&network.channel_station) {
            let (state, facts) = (&self.solution.channels[station], &network.channels[station]);
            let lines = |rate: f64| GigabytesPerSecond(rate * LINE).get();
            inside.observe(&channel.reads, [(Measure::BusTraffic, lines(state.reads))]);
            inside.observe(&channel.writes, [(Measure::BusTraffic, lines(state.writes))]);
            inside.observe(
                &channel.whole,
                [
                    (Measure::Utilization, ((state.reads + state.writes) * facts.line).min(1.0)),
                    (Measure::QueueLength, state.reads * state.read_wait + state.writes * state.write_wait),
                ],
            );
        }
    }

    fn homes(&self, network: &Network, inside: &mut Inside) {
        for (home, &station) in network.parts.homes.iter().zip(&network.home_station) {
            let (state, facts) = (&self.solution.homes[station], &network.homes[station]);
            let queue = (0..2).map(|which| state.arriving[which] * state.room_wait[which]).sum();
            inside.observe(
                home,
                [
                    (Measure::Occupancy, (state.held[0] + state.held[1]).min(facts.table)),
                    (Measure::QueueLength, queue),
                    (Measure::Rejections, 0.0),
                ],
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
