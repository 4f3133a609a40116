//! Executors run independent jobs, on one thread or several.

/// Runs independent jobs, sequentially or in parallel. The binary provides the threads, because a web page has none.
pub trait Executor {
    /// Calls `job` once with each number below `jobs`, in any order and on any thread, and returns when all are done.
    fn run(&self, jobs: usize, job: &(dyn Fn(usize) + Sync));

    /// The number of jobs that it runs in parallel.
    fn width(&self) -> usize;
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
