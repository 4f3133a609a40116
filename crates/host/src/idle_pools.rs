//! Crews that wait for the next visit to their workload.
//!
//! A measurement visits each workload several times. Starting its threads and finding the length of their chunks anew would
//! cost more than the sample, so a crew is parked after its visit and resumed at the next. A parked crew's threads sleep and
//! touch no memory. Its tasks keep their buffers' mapping alive, so the pool must be cleared before memory is given back.

use zerohop_workload::Workload;

use crate::forms::Choices;
use crate::worker_pool::WorkerPool;

/// A crew that waits.
#[derive(Debug)]
pub(crate) struct IdlePools {
    pub(crate) workload: Workload,
    /// The address of each worker's buffer: its tasks work there and nowhere else.
    pub(crate) buffers: Vec<usize>,
    pub(crate) crew: WorkerPool,
    /// The forms of its kernels, which its tasks share.
    pub(crate) choices: Choices,
    /// The factor on all times that lets its workers run at the same time.
    pub(crate) stretch: u32,
}

/// All crews that wait.
#[derive(Debug)]
pub(crate) struct ParkingLot {
    /// The one parked last at the end.
    crews: Vec<IdlePools>,
    /// The most threads that wait.
    most: usize,
}

/// The most threads that wait, unless the kernel allows fewer. Each takes a stack and a log: about 100 KiB.
const MOST_THREADS: usize = 1024;

impl Default for ParkingLot {
    fn default() -> Self {
        Self { crews: Vec::new(), most: MOST_THREADS }
    }
}

impl ParkingLot {
    /// Parks a crew. Those that were parked first make room for it.
    pub(crate) fn park(&mut self, parked: IdlePools) {
        self.crews.push(parked);
        while self.crews.len() > 1 && self.threads() > self.most {
            self.crews.remove(0);
        }
    }

    /// Takes the crew of a workload out, if one is parked and its buffers are at these addresses.
    pub(crate) fn take(&mut self, workload: &Workload, buffers: &[usize]) -> Option<IdlePools> {
        let at = self.crews.iter().position(|parked| parked.workload == *workload)?;
        Some(self.crews.remove(at)).filter(|parked| parked.buffers == buffers)
    }

    pub(crate) fn clear(&mut self) {
        self.crews.clear();
    }

    /// Ends all threads, and from now on lets half of so many wait: they were too many.
    pub(crate) fn keep_fewer_than(&mut self, threads: usize) {
        self.clear();
        self.most = threads / 2;
    }

    /// The number of threads that wait.
    pub(crate) fn threads(&self) -> usize {
        self.crews.iter().map(|parked| parked.workload.workers.len()).sum()
    }
}
