//! Where the search for the fixed point begins: all surplus lines of a class wait at its bottleneck.
//!
//! From above, the search comes down to the fixed point; from empty queues it would have to wait until they have
//! grown.

use super::solve::Solver;

/// The bottleneck of a class.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Bottleneck {
    Nothing,
    Wire(usize),
    Slot(usize),
    Table(usize),
    Channel(usize),
}

impl Solver<'_> {
    /// Begins with full queues.
    pub(super) fn begin(&mut self) {
        self.times_of_routes();
        self.throughputs();
        self.loads();
        self.waits_begin();
        self.rooms_begin();
    }

    /// Makes all surplus lines wait at the bottleneck of their class.
    fn waits_begin(&mut self) {
        let found: Vec<(Bottleneck, f64)> =
            (0..self.classes.len()).map(|rank| self.bottleneck_of(rank)).collect();
        for (rank, &(narrowest, asked)) in found.iter().enumerate() {
            let class = &self.classes[rank];
            let times = &self.solution.times[rank];
            let time = if class.fills > 0.0 { times.fill } else { times.past };
            // Among classes that wait at the same place, one with the longest wait is as good as any.
            let wait = (asked - 1.0) * time;
            let solution = &mut self.solution;
            match narrowest {
                Bottleneck::Nothing => {}
                Bottleneck::Wire(wire) => {
                    for &queue in &self.wires[wire].1 {
                        solution.queues[queue] = solution.queues[queue].max(wait);
                    }
                }
                Bottleneck::Slot(home) => {
                    let state = &mut solution.homes[home];
                    state.slot_wait = state.slot_wait.max(wait);
                }
                Bottleneck::Table(home) => {
                    let rooms = &mut solution.homes[home].room_wait;
                    *rooms = rooms.map(|room| room.max(wait));
                }
                Bottleneck::Channel(channel) => {
                    let state = &mut solution.channels[channel];
                    state.line_wait = state.line_wait.max(wait);
                    (state.read_wait, state.write_wait) = (state.line_wait, state.line_wait);
                }
            }
        }
        for (rank, (_, asked)) in found.into_iter().enumerate() {
            self.solution.throughput[rank] /= asked;
        }
        self.loads();
    }

    /// The bottleneck of a class, and the ratio of demand to its capacity; 1 where nothing limits the class.
    fn bottleneck_of(&self, rank: usize) -> (Bottleneck, f64) {
        let class = &self.classes[rank];
        let mut most = (Bottleneck::Nothing, 1.0);
        let mut look = |what: Bottleneck, asked: f64| {
            if asked > most.1 {
                most = (what, asked);
            }
        };
        for &(route, _) in &class.routes {
            let route = &self.routes[route];
            let (state, home) = (&self.solution.homes[route.home], &self.stations.homes[route.home]);
            look(Bottleneck::Slot(route.home), state.rate * home.slot);
            let [local, remote] = [0, 1].map(|which| state.held[which] / home.limits[which]);
            let own = if class.is_local_to(home) { local } else { remote };
            look(Bottleneck::Table(route.home), own.max((state.held[0] + state.held[1]) / home.table));
            if let Some(channel) = route.channel {
                let (state, facts) = (&self.solution.channels[channel], &self.stations.channels[channel]);
                let write = facts.line + facts.turning / facts.batch;
                let busy =
                    state.reads * facts.line + state.writes * write + state.unfetched * facts.store_gap;
                look(Bottleneck::Channel(channel), busy);
            }
            let fills = route.of_fill().filter(|_| class.fills > 0.0);
            let writes = route.of_write().filter(|_| class.dirty + class.past > 0.0);
            for leg in fills.chain(writes).flat_map(|path| self.stations.legs(path)) {
                if let Ok(wire) = self.wires.binary_search_by_key(&leg.wire, |wire| wire.0) {
                    let queues = &self.wires[wire].1;
                    let work = queues.iter().map(|&queue| self.solution.loads[queue].work).sum();
                    look(Bottleneck::Wire(wire), work);
                }
            }
        }
        most
    }

    /// Requests that a table cannot hold wait for room in it, not at the channel.
    fn rooms_begin(&mut self) {
        let solution = &mut self.solution;
        for route in self.routes {
            let Some(channel) = route.channel else { continue };
            let (home, facts) = (&mut solution.homes[route.home], &self.stations.homes[route.home]);
            let state = &mut solution.channels[channel];
            let arriving: f64 = home.arriving.iter().sum();
            let too_many = home.held.iter().sum::<f64>() + arriving * state.line_wait - facts.table;
            if arriving > 0.0 && too_many > 0.0 {
                let room = (too_many / arriving).min(state.line_wait);
                state.line_wait -= room;
                (state.read_wait, state.write_wait) = (state.line_wait, state.line_wait);
                home.room_wait = home.room_wait.map(|wait| wait.max(room));
            }
        }
    }
}
