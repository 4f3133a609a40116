//! A thread pool for independent jobs.

use std::num::NonZeroUsize;
use std::panic;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use zerohop_experiment::Executor;

use crate::panic_report::caught;

/// A number of threads; each takes the next job as soon as it finishes one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Threads(NonZeroUsize);

impl Threads {
    /// With this many threads.
    pub(crate) const fn new(count: NonZeroUsize) -> Self {
        Self(count)
    }

    /// One thread per CPU available to this process.
    pub(crate) fn of_host() -> Self {
        Self(thread::available_parallelism().unwrap_or(NonZeroUsize::MIN))
    }
}

impl Threads {
    /// The threads that each job may use for itself while `jobs` of them run.
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
        // The caller learns what a job met, and not only that a thread is gone.
        let work = || {
            caught(work).inspect_err(|_| {
                // The others need not go on.
                next.store(jobs, Ordering::Relaxed);
            })
        };
        let met = thread::scope(|scope| {
            // The calling thread is one of them.
            let others: Vec<_> = (1..self.0.get().min(jobs)).map(|_| scope.spawn(work)).collect();
            let own = work();
            let others =
                others.into_iter().map(|other| other.join().unwrap_or_else(|met| panic::resume_unwind(met)));
            others.fold(own, Result::and)
        });
        if let Err(met) = met {
            met.go_on();
        }
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
    fn what_a_job_meets_reaches_who_waits_for_it() {
        for count in [1, 2, 5] {
            let done = AtomicUsize::new(0);
            let run = || {
                threads(count).run(1000, &|rank| {
                    assert!(rank != 3, "job {rank}");
                    done.fetch_add(1, Ordering::Relaxed);
                });
            };
            let met = caught(run).unwrap_err();
            assert!(met.message().contains("job 3"), "{count} threads: {}", met.message());
            // Other threads may finish all the rest before they see the stop; one thread alone goes no further.
            assert!(count > 1 || done.load(Ordering::Relaxed) == 3, "{done:?}");
        }
    }

    #[test]
    fn jobs_are_done_at_the_same_time() {
        // If jobs ran one after the other, the first would wait forever.
        let all_there = Barrier::new(3);
        threads(3).run(3, &|_| {
            all_there.wait();
        });
    }
}
