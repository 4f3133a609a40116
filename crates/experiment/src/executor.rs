//! Executors run independent jobs, on one thread or several.

use std::sync::{Mutex, PoisonError};

/// Runs independent jobs, sequentially or in parallel. The binary provides the threads, because a web page has none.
pub trait Executor {
    /// Calls `job` once with each number below `jobs`, in any order and on any thread, and returns when all are done.
    fn run(&self, jobs: usize, job: &(dyn Fn(usize) + Sync));

    /// The number of jobs that it runs in parallel.
    fn width(&self) -> usize;
}

/// Return values of independent jobs, in the order of their numbers. A job that did not run because another one panicked has none.
pub fn parallel_map<T: Send>(
    executor: &dyn Executor,
    jobs: usize,
    job: impl Fn(usize) -> T + Sync,
) -> Vec<Option<T>> {
    let slots: Vec<Mutex<Option<T>>> = (0..jobs).map(|_| Mutex::new(None)).collect();
    executor.run(jobs, &|rank| {
        let result = job(rank);
        *slots[rank].lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
    });
    slots.into_iter().map(|slot| slot.into_inner().unwrap_or_else(PoisonError::into_inner)).collect()
}

/// Runs one job after another on the calling thread.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sequential;

impl Executor for Sequential {
    fn run(&self, jobs: usize, job: &(dyn Fn(usize) + Sync)) {
        (0..jobs).for_each(job);
    }

    fn width(&self) -> usize {
        1
    }
}
