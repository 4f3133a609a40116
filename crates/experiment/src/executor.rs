//! Who does independent pieces of work: a thread, or several.

/// Does independent jobs, one after the other or at the same time. Threads are handed in by the binary, because a web page
/// has none.
pub trait Executor {
    /// Calls `job` once with each number below `jobs`, in any order and on any thread, and returns when all are done.
    fn run(&self, jobs: usize, job: &(dyn Fn(usize) + Sync));

    /// How many jobs it does at the same time.
    fn width(&self) -> usize;
}

/// Does one job after the other on the thread that calls it.
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
