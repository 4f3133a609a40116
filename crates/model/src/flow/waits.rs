//! From the load of a station to how long one waits for it.

use super::batch::{Ahead, Batches};
use super::solve::Solver;
use super::station::{Load, all_taken, messages, turns};

/// What is asked for by more than so many times what a station does counts for no more: waiting times would run away before
/// throughputs follow.
const GROWTH: f64 = 1.25;

/// Packets that a wire has taken already when another queue gets its turn, at a backlog.
const COMMITTED: f64 = 2.0;

/// Queues that a wire can have: two for each virtual channel.
const MOST_QUEUES: usize = 128;

/// A queue before a wire, and what those wait for that have it before them.
#[derive(Debug, Clone, Copy, Default)]
struct Before {
    rate: f64,
    /// Packets in it.
    waiting: f64,
    /// Time of a packet, and what is left of the one on the wire.
    service: f64,
    residual: f64,
}

impl Solver<'_> {
    /// New waiting times.
    pub(super) fn waits(&mut self) {
        for rank in 0..self.wires.len() {
            self.wire_waits(rank);
        }
        for rank in 0..self.network.homes.len() {
            self.home_waits(rank);
        }
        for rank in 0..self.network.memories.len() {
            self.memory_waits(rank);
        }
    }

    fn wire_waits(&mut self, rank: usize) {
        let (wire, ref queues) = self.wires[rank];
        let facts = &self.network.wires[wire];
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
        // Two packets are taken at a time at a backlog: what is owed by then is given back together.
        let credits = &mut self.solution.credits[wire];
        let together = messages(2.0 * credits.owed / all.rate) / 2.0;
        credits.each = facts.credit * together * (all.work + all.rate * credits.each).min(1.0);
        credits.busy = all.work;
        let extra = credits.each;
        let is_control = |queue: usize| facts.inserts_control && queue % 2 == 1;
        let mut before = [Before::default(); MOST_QUEUES];
        let before = &mut before[..queues.len()];
        let mut control = 0.0;
        for (before, &queue) in before.iter_mut().zip(queues) {
            let load = &self.solution.loads[queue];
            let service = load.service() + extra;
            let residual = (load.square + 2.0 * load.work * extra + load.rate * extra * extra) / 2.0;
            let waiting = load.rate * self.solution.queues[queue];
            *before = Before { rate: load.rate, waiting, service, residual: residual.min(service) };
            control += if is_control(queue) { load.work } else { 0.0 };
        }
        let behind_control = if facts.inserts_control { 1.0 / (1.0 - control.min(0.9)) } else { 1.0 };
        let growth = (GROWTH / all.work.max(1e-12)).min(1.0);
        for (place, &queue) in queues.iter().enumerate() {
            let mut wait = 0.0;
            let own = before[place].waiting;
            let own_wait = self.solution.queues[queue];
            for (of, &other) in before.iter().zip(queues) {
                // Packets without data wait for one another only.
                if of.rate == 0.0 || is_control(queue) != is_control(other) {
                    continue;
                }
                let first = if other / 2 == queue / 2 || is_control(queue) {
                    of.waiting
                } else {
                    // Those that come meanwhile have their turn as well.
                    turns(of.waiting + of.rate * own_wait, own, COMMITTED)
                };
                wait += first * of.service + of.residual;
            }
            let behind = if is_control(queue) { 1.0 } else { behind_control };
            self.solution.queues[queue] = wait * behind * growth;
        }
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
            let new = bounded_wait(rate, held, self.network.lanes[lane].buffers, wait);
            self.solution.buffer_waits[lane] = new;
        }
    }

    fn home_waits(&mut self, rank: usize) {
        let home = &self.network.homes[rank];
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

    fn memory_waits(&mut self, rank: usize) {
        let memory = &self.network.memories[rank];
        let state = &mut self.solution.memories[rank];
        if state.reads + state.writes == 0.0 {
            return;
        }
        let batch = memory.batch * memory.line + memory.turning;
        let batches = state.writes / memory.batch;
        let (reading, writing) = (state.reads * memory.line, batches * batch);
        // A batch begins where reads that have come leave off; those that come after it are that much later on the bus.
        let ahead = memory.access - memory.line;
        let none = (-state.reads * ahead).exp();
        let lead = if state.reads > 0.0 { (1.0 - none) / state.reads } else { 0.0 };
        let scale = 1.0 / (reading + writing).max(1.0);
        // Batches wait for one another where there are enough writes for a second.
        let many = (1.0 - memory.batch / state.writers.max(1.0)).max(0.0);
        // A batch among reads waits for those before it in any case.
        let among_reads = (2.0 * reading / (reading + writing)).min(1.0);
        let batches_of = |length: f64| {
            // Lines do not come at any time where the bus is full: they come when it lets others go.
            let any = 1.0 - among_reads * (1.0 - (1.0 - (reading + writing).min(1.0).powi(8)).sqrt());
            let of_any = batches * length * length / 2.0 * scale * any;
            Batches { rate: batches, length, of_any, many }
        };
        state.batches = batches_of((batch - lead).max(0.0));
        state.batches_before_writes = batches_of(batch);
        // Reads that wait, batches that wait, and what is on the bus.
        let queues = many + (1.0 - many) * among_reads;
        let waiting = (reading + queues * writing) * state.read_wait;
        let waiting = waiting * (GROWTH / (reading + writing)).min(1.0);
        let wait = waiting + reading * scale * memory.line / 2.0 + state.batches.of_any;
        state.read_wait = wait;
        let (since, ahead) = if state.reads > 0.0 { (ahead - lead, ahead) } else { (0.0, 0.0) };
        let busy = (reading + writing).min(1.0);
        let longer = state.batches_before_writes.of_any - state.batches.of_any;
        state.ahead = Ahead { length: ahead, mean: since, idle: 1.0 - busy };
        let write = wait + longer + busy * ahead + (1.0 - busy) * since;
        state.write_wait = write;
        state.users.batches = batches;
        state.users.batch_holds = state.write_wait + batch / 2.0;
        state.penalty = memory.banks.penalty(state.users).beside(state.read_wait);
    }
}

/// Wait for one of `servers` that are `held` on average, where `rate` come per ns and have waited so long.
fn bounded_wait(rate: f64, held: f64, servers: f64, wait: f64) -> f64 {
    bounded_wait_behind(rate * wait, rate, held, servers)
}

fn bounded_wait_behind(before: f64, rate: f64, held: f64, servers: f64) -> f64 {
    let each = (held / servers).min(GROWTH) / rate;
    before * each + all_taken(held / servers, servers) * each * crate::flow::tune(0, 0.5)
}
