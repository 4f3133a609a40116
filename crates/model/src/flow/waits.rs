//! From the load of a station to how long one waits for it.

use super::batch::{Ahead, Batches};
use super::solve::Solver;
use super::station::{Load, all_taken, messages, turns};

/// What is asked for by more than so many times what a station does counts for no more: waiting times would run away before
/// throughputs follow.
const GROWTH: f64 = 1.25;

/// Packets that a wire has taken already when another queue gets its turn, at a backlog.
const COMMITTED: f64 = 2.0;

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
        let residual =
            |load: &Load| (load.square + 2.0 * load.work * extra + load.rate * extra * extra) / 2.0;
        let is_control = |queue: usize| facts.inserts_control && queue % 2 == 1;
        let control: f64 = queues
            .iter()
            .filter(|&&queue| is_control(queue))
            .map(|&queue| self.solution.loads[queue].work)
            .sum();
        let mut new = [0.0; 128];
        for (place, &queue) in queues.iter().enumerate() {
            let mut wait = 0.0;
            let own = self.waiting(queue);
            let own_wait = self.solution.queues[queue];
            for &other in queues {
                // Packets without data wait for one another only.
                if is_control(queue) && !is_control(other) {
                    continue;
                }
                let load = &self.solution.loads[other];
                let waiting = self.waiting(other);
                let before = if other == queue || other / 2 == queue / 2 || is_control(queue) {
                    waiting
                } else {
                    // Those that come meanwhile have their turn as well.
                    turns(waiting + load.rate * own_wait, own, COMMITTED)
                };
                wait += before * (load.service() + extra) + residual(load).min(load.service() + extra);
            }
            if facts.inserts_control && !is_control(queue) {
                wait /= 1.0 - control.min(0.9);
            }
            new[place] = wait * (GROWTH / all.work.max(1e-12)).min(1.0);
        }
        for (place, &queue) in queues.iter().enumerate() {
            let wait = &mut self.solution.queues[queue];
            *wait += self.pull * (new[place] - *wait);
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
            self.solution.buffer_waits[lane] += self.pull * (new - wait);
        }
    }

    /// Packets that wait for a wire in a queue.
    fn waiting(&self, queue: usize) -> f64 {
        self.solution.loads[queue].rate * self.solution.queues[queue]
    }

    fn home_waits(&mut self, rank: usize) {
        let home = &self.network.homes[rank];
        let state = &mut self.solution.homes[rank];
        if state.rate == 0.0 {
            return;
        }
        let busy = state.rate * home.slot;
        let new = (busy.min(GROWTH) * state.slot_wait) + busy.min(1.0) * home.slot / 2.0;
        state.slot_wait += self.pull * (new - state.slot_wait);
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
            state.room_wait[which] += self.pull * (wait.max(total) - state.room_wait[which]);
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
        state.read_wait += self.pull * (wait - state.read_wait);
        let (since, ahead) = if state.reads > 0.0 { (ahead - lead, ahead) } else { (0.0, 0.0) };
        let busy = (reading + writing).min(1.0);
        let longer = state.batches_before_writes.of_any - state.batches.of_any;
        state.ahead = Ahead { length: ahead, mean: since, idle: 1.0 - busy };
        let write = wait + longer + busy * ahead + (1.0 - busy) * since;
        state.write_wait += self.pull * (write - state.write_wait);
        state.users.batches = batches;
        state.users.batch_holds = state.write_wait + batch / 2.0;
        state.penalty = memory.banks.penalty(state.users, memory.batch).beside(state.read_wait);
    }
}

/// Wait for one of `servers` that are `held` on average, where `rate` come per ns and have waited so long.
fn bounded_wait(rate: f64, held: f64, servers: f64, wait: f64) -> f64 {
    bounded_wait_behind(rate * wait, rate, held, servers)
}

fn bounded_wait_behind(before: f64, rate: f64, held: f64, servers: f64) -> f64 {
    let each = (held / servers).min(GROWTH) / rate;
    before * each + all_taken(held / servers, servers) * each / 2.0
}
