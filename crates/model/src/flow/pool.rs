//! Misses that cores share: the lines that a cache fetches at the same time for all cores behind it.
//!
//! Where these ask for more than it fetches, they take turns. So each gets as many lines per unit of time as every other one, or as many as
//! it wants, whichever is less. A worker that wants less waits until it is its turn.

use super::class::Class;
use super::solution::Times;
use super::solve::Solver;

/// Power of the share of misses that are taken with which it is likely that none is left.
const FULL: i32 = 8;

/// A cache's misses, and the classes whose workers share them.
#[derive(Debug, Clone)]
pub(crate) struct Pool {
    /// Lines in flight at most.
    limit: f64,
    /// By rank; all workers of a class share the same misses.
    classes: Vec<usize>,
}

impl Pool {
    /// The pools of classes, each of which shares the misses of that key with others, if any, and their number. What cannot run out is none.
    pub(super) fn all<K: PartialEq>(classes: &[Class], shared: &[Option<(K, u32)>]) -> Vec<Self> {
        let mut keys: Vec<&K> = Vec::new();
        let mut pools: Vec<Self> = Vec::new();
        for (rank, of) in shared.iter().enumerate() {
            let Some((key, limit)) = of else { continue };
            match keys.iter().position(|known| *known == key) {
                Some(known) => pools[known].classes.push(rank),
                None => {
                    keys.push(key);
                    pools.push(Self { limit: f64::from(*limit), classes: vec![rank] });
                }
            }
        }
        pools.retain(|pool| {
            let wanted: f64 =
                pool.classes.iter().map(|&rank| classes[rank].workers * classes[rank].window).sum();
            wanted > pool.limit
        });
        pools
    }
}

/// What a class would have alone.
#[derive(Debug, Clone, Copy)]
struct Wanted {
    class: usize,
    workers: f64,
    /// Fills of one worker per unit of time, and the time of a fill.
    rate: f64,
    time: f64,
}

impl Solver<'_> {
    /// Shares out misses, by the times of this round: how many fills a worker of each class may have, and how long it waits for one.
    pub(super) fn share_misses(&mut self) {
        for pool in self.pools {
            let wanted: Vec<Wanted> = pool.classes.iter().map(|&class| self.wanted(class)).collect();
            let each = equal_rate(&wanted, pool.limit);
            let sum = |of: fn(&Wanted) -> f64| wanted.iter().map(of).sum::<f64>();
            let taken: f64 = wanted.iter().map(|of| of.workers * of.rate.min(each) * of.time).sum();
            let rate: f64 = wanted.iter().map(|of| of.workers * of.rate.min(each)).sum();
            // When a place is free, the turn is anybody's of those who always want one, and each of them may come first.
            let before = (sum(|of| of.workers) / 2.0 - 1.0).max(0.0);
            let turn = (taken / pool.limit).powi(FULL) * before / rate;
            for of in &wanted {
                self.solution.most[of.class] = each;
                self.solution.times[of.class].turn = if of.rate > each { 0.0 } else { turn };
            }
        }
    }

    fn wanted(&self, rank: usize) -> Wanted {
        let class = &self.classes[rank];
        let times = Times { turn: 0.0, ..self.solution.times[rank] };
        let rate = self.throughput_of(rank, &times, f64::INFINITY) / class.workers * class.fills;
        Wanted { class: rank, workers: class.workers, rate, time: times.fill }
    }

    /// Fills of one worker in flight, at most.
    pub(super) fn window(&self, rank: usize) -> f64 {
        self.classes[rank].window.min(self.solution.most[rank] * self.solution.times[rank].fill)
    }
}

/// The rate at which workers get lines that want more than they can have, where `limit` lines may be in flight; infinite if all have what
/// they want.
fn equal_rate(wanted: &[Wanted], limit: f64) -> f64 {
    let mut least = 0.0;
    loop {
        let (mut left, mut time) = (limit, 0.0);
        for of in wanted {
            if of.rate <= least {
                left -= of.workers * of.rate * of.time;
            } else {
                time += of.workers * of.time;
            }
        }
        if time == 0.0 {
            return f64::INFINITY;
        }
        let each = left / time;
        // Whoever wants less than that leaves the rest to the others.
        let content = wanted.iter().filter(|of| of.rate > least && of.rate <= each);
        match content.map(|of| of.rate).reduce(f64::max) {
            Some(more) => least = more,
            None => return each,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn worker(rate: f64, time: f64) -> Wanted {
        Wanted { class: 0, workers: 1.0, rate, time }
    }

    #[test]
    fn workers_that_want_more_than_there_is_get_equally_many_lines() {
        // Lines of the second take twice as long, so it holds twice as many.
        let each = equal_rate(&[worker(1.0, 10.0), worker(1.0, 20.0)], 15.0);
        assert!((each - 0.5).abs() < 1e-12, "{each}");
    }

    #[test]
    fn what_a_worker_does_not_want_is_the_others() {
        let each = equal_rate(&[worker(0.1, 10.0), worker(2.0, 10.0), worker(0.3, 10.0)], 11.0);
        assert!((each - 0.7).abs() < 1e-12, "{each}");
    }

    #[test]
    fn there_is_no_rate_where_all_have_what_they_want() {
        assert_eq!(equal_rate(&[worker(0.1, 10.0), worker(0.2, 10.0)], 3.1), f64::INFINITY);
        assert_eq!(equal_rate(&[], 3.0), f64::INFINITY);
    }
}
