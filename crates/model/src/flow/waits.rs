//! Waiting times, from the load of each station.

use super::solve::Solver;
use super::station::{Load, all_taken, messages, turns};
use super::turns::{Before, Turns};

/// Load above this multiple of a station's capacity counts no further: waiting times would diverge before throughputs
/// follow.
const GROWTH: f64 = 1.25;

/// Upper limit of the share of a bus that reads take, where their wait behind batches is computed.
const FULL: f64 = 0.95;

/// Share of its time above which lines must wait for a channel; and share of a table that no equilibrium exceeds.
const BUSY: f64 = 0.97;
const OVERFULL: f64 = 1.02;

/// The queue before a channel never empties for this power of its bus's load, as a share of the time.
const EMPTIES: i32 = 32;

/// Variability of the arrivals at a table or a link's buffers: 0.5 would be that of random arrivals, but all of them
/// come from cores with a fixed number of lines in flight.
const VARIES: f64 = 0.2;

impl Solver<'_> {
    /// Computes new waiting times.
    pub(super) fn waits(&mut self) {
        for rank in 0..self.wires.len() {
            self.wire_waits(rank);
        }
        for rank in 0..self.stations.homes.len() {
            self.home_waits(rank);
        }
        for rank in 0..self.stations.channels.len() {
            self.channel_waits(rank);
        }
        self.tables_and_channels();
    }

    /// Lines that wait before a saturated channel hold places in a table, and requests that the table cannot hold
    /// wait for room in it. The search alone would find slowly how the two share the unavoidable wait, because the
    /// split changes no throughput.
    fn tables_and_channels(&mut self) {
        for route in self.routes {
            let Some(channel) = route.channel else { continue };
            let (home, facts) = (&mut self.solution.homes[route.home], &self.stations.homes[route.home]);
            let state = &mut self.solution.channels[channel];
            let (held, arriving) = (home.held[0] + home.held[1], home.arriving[0] + home.arriving[1]);
            let busy = (state.reads + state.writes) * self.stations.channels[channel].line;
            // Writes need no room: where demand exceeds capacity, the writes may be what waits for the channel.
            let by_writes = state.writes > 0.0 && busy > OVERFULL;
            if by_writes || arriving == 0.0 || busy < BUSY || held < OVERFULL * facts.table {
                continue;
            }
            // Half of it at a time: both change by themselves as well.
            let moved = ((held - facts.table) / arriving).min(state.line_wait) / 2.0;
            home.room_wait = home.room_wait.map(|wait| wait + moved);
            home.held = home.held.map(|of| of * (1.0 - moved * arriving / held));
            state.line_wait -= moved;
            state.read_wait = (state.read_wait - moved).max(0.0);
            state.write_wait = (state.write_wait - moved).max(0.0);
        }
    }

    fn wire_waits(&mut self, rank: usize) {
        let (wire, ref queues) = self.wires[rank];
        let facts = &self.stations.wires[wire];
        let mut all = Load::default();
        for &queue in queues {
            let load = &self.solution.loads[queue];
            all.rate += load.rate;
            all.work += load.work;
            all.square += load.square;
        }
        if all.rate == 0.0 {
            return;
        }
        // At a backlog, two packets are taken at a time: the credits owed by then are returned together.
        let credits = &mut self.solution.credits[wire];
        let together = messages(2.0 * credits.owed / all.rate) / 2.0;
        credits.each = facts.credit * together * (all.work + all.rate * credits.each).min(1.0);
        credits.busy = all.work;
        let extra = credits.each;
        let mut before = std::mem::take(&mut self.before);
        before.clear();
        before.extend(queues.iter().map(|&queue| {
            let load = &self.solution.loads[queue];
            let service = load.service() + extra;
            let residual = (load.square + 2.0 * load.work * extra + load.rate * extra * extra) / 2.0;
            let wait = self.solution.queues[queue];
            Before {
                lane: queue / 2,
                is_control: facts.inserts_control && queue % 2 == 1,
                rate: load.rate,
                wait,
                waiting: load.rate * wait,
                service,
                residual: residual.min(service),
            }
        }));
        let growth = (GROWTH / all.work.max(1e-12)).min(1.0);
        let in_turn = Turns::new(&before);
        for (place, &queue) in queues.iter().enumerate() {
            self.solution.queues[queue] = in_turn.wait(&before, place) * growth;
        }
        self.before = before;
        // Buffers of each lane.
        let mut last = usize::MAX;
        for &queue in queues {
            let lane = queue / 2;
            if lane == last {
                continue;
            }
            last = lane;
            let rate = self.solution.loads[2 * lane].rate + self.solution.loads[2 * lane + 1].rate;
            if rate == 0.0 {
                continue;
            }
            let wait = self.solution.buffer_waits[lane];
            let held = self.solution.held[lane];
            let new = bounded_wait(rate, held, self.stations.lanes[lane].buffers, wait);
            self.solution.buffer_waits[lane] = new;
        }
    }

    fn home_waits(&mut self, rank: usize) {
        let home = &self.stations.homes[rank];
        let state = &mut self.solution.homes[rank];
        if state.rate == 0.0 {
            return;
        }
        let busy = state.rate * home.slot;
        let new = (busy.min(GROWTH) * state.slot_wait) + busy.min(1.0) * home.slot / 2.0;
        state.slot_wait = new;
        let (arriving, held) = (state.arriving, state.held);
        let [local, remote] = arriving;
        let all = local + remote;
        let waiting: f64 = (0..2).map(|which| arriving[which] * state.room_wait[which]).sum();
        for which in 0..2 {
            if arriving[which] == 0.0 {
                continue;
            }
            let own = arriving[which] * state.room_wait[which];
            let of_class = home.limits[which];
            let mut wait = 0.0;
            if of_class < home.table {
                wait = bounded_wait(arriving[which], held[which], of_class, state.room_wait[which]);
            }
            let total = bounded_wait_behind(
                own + turns(waiting - own + (all - arriving[which]) * state.room_wait[which], own, 1.0),
                all,
                held[0] + held[1],
                home.table,
            );
            state.room_wait[which] = wait.max(total);
        }
    }

    fn channel_waits(&mut self, rank: usize) {
        let channel = &self.stations.channels[rank];
        let state = &mut self.solution.channels[rank];
        if state.reads + state.writes == 0.0 {
            return;
        }
        if let Some(walked) = self.followed.mean(rank) {
            (state.read_wait, state.write_wait) = (walked.read, walked.taken);
            return;
        }
        let batches = state.writes / channel.batch;
        let gaps = if batches > 0.0 { state.unfetched / batches * channel.store_gap } else { 0.0 };
        let batch = channel.batch * channel.line + channel.turning + gaps;
        let (reading, writing) = (state.reads * channel.line, batches * batch);
        // Reads reserve the bus ahead of time; the part of that left when a write arrives.
        let ahead = if state.reads > 0.0 { channel.access - channel.line } else { 0.0 };
        let none = libm::exp(-state.reads * ahead);
        let lead = if state.reads > 0.0 { (1.0 - none) / state.reads } else { 0.0 };
        let since = ahead - lead;
        let scale = 1.0 / (reading + writing).max(1.0);
        // A batch begins after the reads that have arrived; reads that arrive after it are on the bus that much
        // later.
        let before_reads = (batch - lead).max(0.0);
        let end = |length: f64| batches * length * length / 2.0 * scale;
        state.batch_end = end(before_reads);
        state.batch_square = batches * before_reads.powi(3) / 3.0;
        // Batches arrive at even distances: reads that have queued behind one are gone before the next, as far as
        // time permits; only the number of lines present varies otherwise.
        let waiting = (reading + writing) * state.line_wait * (GROWTH / (reading + writing)).min(1.0);
        state.line_wait = waiting + (reading + writing / channel.batch) * scale * channel.line / 2.0;
        let left = 1.0 - (reading * scale).min(FULL);
        let for_bus = state.line_wait + state.batch_end / left;
        // Reads queue behind a refresh in the same way, but none has reserved the bus during one, and once it is over, the bus has
        // all of its time for them.
        let refreshed = channel.banks.wait_for_refresh();
        let after = 1.0 - (reading * scale * channel.available).min(FULL);
        state.batch_square += refreshed * channel.refresh_takes * 2.0 / 3.0;
        // A queue that never empties is served for all of the time between refreshes: they make its lines longer, not its waits.
        // How rarely it empties shows in its own length, which follows the load slowly: so does the search.
        let ahead_of_it = 2.0 * state.line_wait;
        let empties = 1.0 - (ahead_of_it / (ahead_of_it + channel.line)).powi(EMPTIES);
        state.read_wait = for_bus + refreshed / after * empties;
        // Reads that arrive meanwhile wait behind it as well.
        let behind_reads = (since / (1.0 - (reading + writing)).max(1e-3)).min(ahead);
        state.write_wait = state.read_wait + end(batch) - state.batch_end + behind_reads;
        state.users.batches = batches;
        state.users.batch_holds = state.write_wait + batch / 2.0;
        state.penalty = channel.banks.penalty(state.users).beside(for_bus);
    }
}

/// Wait for one of `servers`, of which `held` are in use on average, where arrivals come at `rate` per ns and have
/// waited `wait` so far.
fn bounded_wait(rate: f64, held: f64, servers: f64, wait: f64) -> f64 {
    bounded_wait_behind(rate * wait, rate, held, servers)
}

fn bounded_wait_behind(before: f64, rate: f64, held: f64, servers: f64) -> f64 {
    let each = (held / servers).min(GROWTH) / rate;
    before * each + all_taken(held / servers, servers) * each * VARIES
}
