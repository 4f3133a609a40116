//! A thread pool for independent jobs, and for jobs within these.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, Scope};

use zerohop_experiment::Executor;

use crate::panic_report::{Met, caught};

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

    /// A team of this many threads, one of which is the caller's.
    pub(crate) const fn team(self) -> Team {
        Team { width: self.0.get(), idle: AtomicUsize::new(self.0.get() - 1) }
    }
}

impl Executor for Threads {
    fn run(&self, jobs: usize, job: &(dyn Fn(usize) + Sync)) {
        self.team().run(jobs, job);
    }

    fn width(&self) -> usize {
        self.0.get()
    }
}

/// Threads that jobs share with the jobs within them: a thread that finds no job left helps with those of another.
#[derive(Debug)]
pub(crate) struct Team {
    width: usize,
    /// Threads without a job.
    idle: AtomicUsize,
}

/// Jobs of one run of a team.
struct Jobs<'a> {
    next: AtomicUsize,
    count: usize,
    job: &'a (dyn Fn(usize) + Sync),
    met: Mutex<Option<Met>>,
}

impl Team {
    /// Takes one of the threads without a job.
    fn take_idle(&self) -> bool {
        let one_less = |idle: usize| idle.checked_sub(1);
        self.idle.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less).is_ok()
    }

    /// Does jobs until none is left. Before each, threads without a job are called to help, as far as there are jobs for them.
    fn work<'scope, 'env>(&'env self, scope: &'scope Scope<'scope, 'env>, jobs: &'env Jobs<'env>) {
        let done = caught(move || {
            while let Some(rank) = jobs.take() {
                for _ in 0..jobs.left() {
                    if !self.take_idle() {
                        break;
                    }
                    let helping = move || {
                        self.work(scope, jobs);
                        self.idle.fetch_add(1, Ordering::Relaxed);
                    };
                    // Where the kernel starts no more threads, those that there are do all jobs.
                    if thread::Builder::new().spawn_scoped(scope, helping).is_err() {
                        self.idle.fetch_add(1, Ordering::Relaxed);
                        break;
                    }
                }
                (jobs.job)(rank);
            }
        });
        // The caller learns what a job met, and not only that a thread is gone.
        if let Err(met) = done {
            // The others need not go on.
            jobs.next.store(jobs.count, Ordering::Relaxed);
            *jobs.met.lock().unwrap_or_else(PoisonError::into_inner) = Some(met);
        }
    }
}

impl Jobs<'_> {
    fn take(&self) -> Option<usize> {
        let rank = self.next.fetch_add(1, Ordering::Relaxed);
        (rank < self.count).then_some(rank)
    }

    fn left(&self) -> usize {
        self.count.saturating_sub(self.next.load(Ordering::Relaxed))
    }
}

impl Executor for Team {
    fn run(&self, jobs: usize, job: &(dyn Fn(usize) + Sync)) {
        let jobs = Jobs { next: AtomicUsize::new(0), count: jobs, job, met: Mutex::new(None) };
        // The calling thread is one of them.
        thread::scope(|scope| self.work(scope, &jobs));
        if let Some(met) = jobs.met.into_inner().unwrap_or_else(PoisonError::into_inner) {
            met.go_on();
        }
    }

    fn width(&self) -> usize {
        self.width
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
    fn threads_without_a_job_help_within_the_jobs_of_others() {
        let team = threads(4).team();
        // If few jobs kept their jobs within to themselves, the first of these would wait forever.
        let all_there = Barrier::new(2);
        let done = AtomicUsize::new(0);
        team.run(2, &|outer| {
            let within = if outer == 0 { 0 } else { 6 };
            team.run(within, &|_| {
                all_there.wait();
                done.fetch_add(1, Ordering::Relaxed);
            });
        });
        assert_eq!(done.into_inner(), 6);
        assert_eq!(team.idle.into_inner(), 3, "everyone but the caller is idle again");
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
    fn a_team_that_met_a_bug_within_a_job_is_whole_again() {
        let team = threads(3).team();
        let run = || team.run(5, &|_| team.run(5, &|inner| assert!(inner != 2, "job {inner}")));
        assert!(caught(run).unwrap_err().message().contains("job 2"));
        assert_eq!(team.idle.load(Ordering::Relaxed), 2);
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
