//! Threads that do independent jobs.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use zerohop_experiment::Executor;

/// So many threads. Each takes the next job as soon as it is done with one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Threads(NonZeroUsize);

impl Threads {
    /// So many.
    pub(crate) const fn new(count: NonZeroUsize) -> Self {
        Self(count)
    }

    /// As many as there are CPUs for this process.
    pub(crate) fn of_host() -> Self {
        Self(thread::available_parallelism().unwrap_or(NonZeroUsize::MIN))
    }
}

impl Threads {
    /// What each of so many jobs may use for itself while all are under way.
    pub(crate) fn shared_by(self, jobs: usize) -> Self {
        Self(NonZeroUsize::new(self.0.get() / jobs.max(1)).unwrap_or(NonZeroUsize::MIN))
    }
}

impl Executor for Threads {
    fn run(&self, jobs: usize, job: &(dyn Fn(usize) + Sync)) {
        let next = AtomicUsize::new(0);
        let work = || {
            loop {
                let rank = next.fetch_add(1, Ordering::Relaxed);
                if rank >= jobs {
                    break;
                }
                job(rank);
            }
        };
        thread::scope(|scope| {
            // The calling thread is one of them.
            for _ in 1..self.0.get().min(jobs) {
                scope.spawn(work);
            }
            work();
        });
    }

    fn width(&self) -> usize {
        self.0.get()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;

    use super::*;

    fn threads(count: usize) -> Threads {
        Threads::new(NonZeroUsize::new(count).unwrap())
    }

    #[test]
    fn every_job_is_done_once() {
        for (count, jobs) in [(1, 5), (3, 100), (8, 2), (2, 0)] {
            let done: Vec<AtomicUsize> = (0..jobs).map(|_| AtomicUsize::new(0)).collect();
            threads(count).run(jobs, &|rank| {
                done[rank].fetch_add(1, Ordering::Relaxed);
            });
            assert!(done.iter().all(|count| count.load(Ordering::Relaxed) == 1), "{count} threads: {done:?}");
        }
    }

    #[test]
    fn few_jobs_have_several_threads_each() {
        let shares =
            [(8, 0), (8, 1), (8, 3), (8, 100)].map(|(count, jobs)| threads(count).shared_by(jobs).width());
        assert_eq!(shares, [8, 8, 2, 1]);
    }

    #[test]
    fn jobs_are_done_at_the_same_time() {
        // Were they done one after the other, the first would wait for ever.
        let all_there = Barrier::new(3);
        threads(3).run(3, &|_| {
            all_there.wait();
        });
    }
}
