//! What the solution shows of the inside of the machine.

use zerohop_units::{GigabytesPerSecond, Nanoseconds};
use zerohop_workload::{ChannelLoad, HomeLoad, Inside, LinkLoad, Stage, StageTime};

use super::class::Class;
use super::network::Network;
use super::solve::Solver;
use crate::token::Packet;

/// Bytes of a line.
const LINE: f64 = 64.0;

impl Solver<'_> {
    /// The loads of all parts, and where the time of foreground fills goes.
    pub(crate) fn inside(&self, network: &Network) -> Inside {
        Inside {
            links: self.links(network),
            channels: self.channels(network),
            homes: self.homes(network),
            stages: self.stages(),
        }
    }

    fn links(&self, network: &Network) -> Vec<LinkLoad> {
        let mut lines = vec![0.0; network.wires.len()];
        let mut bytes = vec![0.0; network.wires.len()];
        for (&way, &rate) in self.ways.iter().zip(&self.solution.way_rates) {
            let packet = network.packet(way);
            for leg in network.legs(way) {
                bytes[leg.wire] += rate * network.wires[leg.wire].bytes[packet as usize];
                if matches!(packet, Packet::Write | Packet::Data | Packet::DataAndAnswer) {
                    lines[leg.wire] += rate;
                }
            }
        }
        let loads = network.names.wires.iter().enumerate().map(|(wire, name)| {
            let queues = network.lanes_of(wire).flat_map(|lane| [2 * lane, 2 * lane + 1]);
            let (mut work, mut rate, mut queue) = (0.0, 0.0, 0.0);
            for place in queues {
                let load = &self.solution.loads[place];
                work += load.work;
                rate += load.rate;
                queue += load.rate * (self.solution.queues[place] + self.solution.buffer_waits[place / 2]);
            }
            let facts = &network.wires[wire];
            // While packets follow one another, buffers are given back together; otherwise one by one, in idle time.
            let credits = &self.solution.credits[wire];
            let together = if facts.credit > 0.0 { rate * credits.each / facts.credit } else { 0.0 };
            let alone = credits.owed * (1.0 - work).max(0.0);
            let messages = if facts.credit > 0.0 { together + alone } else { 0.0 };
            LinkLoad {
                name: name.clone(),
                traffic: GigabytesPerSecond(bytes[wire] + messages * facts.credit_bytes),
                data: GigabytesPerSecond(lines[wire] * LINE),
                utilization: (work + messages * facts.credit).min(1.0),
                queue,
            }
        });
        loads.collect()
    }

    fn channels(&self, network: &Network) -> Vec<ChannelLoad> {
        let loads = network.names.channels.iter().zip(&network.channel_station).map(|(name, &station)| {
            let (state, facts) = (&self.solution.channels[station], &network.channels[station]);
            ChannelLoad {
                name: name.clone(),
                read: GigabytesPerSecond(state.reads * LINE),
                written: GigabytesPerSecond(state.writes * LINE),
                utilization: ((state.reads + state.writes) * facts.line).min(1.0),
                queue: state.reads * state.read_wait + state.writes * state.write_wait,
            }
        });
        loads.collect()
    }

    fn homes(&self, network: &Network) -> Vec<HomeLoad> {
        let loads = network.names.homes.iter().zip(&network.home_station).map(|(name, &station)| {
            let (state, facts) = (&self.solution.homes[station], &network.homes[station]);
            let occupancy = (state.held[0] + state.held[1]).min(facts.table);
            HomeLoad {
                name: name.clone(),
                occupancy,
                // What the mean allows to say of the most.
                peak: occupancy.ceil() as u32,
                queue: (0..2).map(|which| state.arriving[which] * state.room_wait[which]).sum(),
                rejected_per_second: 0.0,
            }
        });
        loads.collect()
    }

    /// Mean stages of the fills of the foreground.
    fn stages(&self) -> Vec<StageTime> {
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
            return Vec::new();
        }
        let mean = |sum: f64| Nanoseconds(sum / fills);
        Stage::ALL.into_iter().zip(sums).map(|(stage, sum)| StageTime { stage, time: mean(sum) }).collect()
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
        // What a class finds less before it than any arrival, and more of banks and batches, is at memory mostly.
        let others: f64 = stages.iter().sum();
        stages[3] = (times.fill - others).max(0.0);
        stages
    }
}
