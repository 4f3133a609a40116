//! Output of an engine: the actual location of buffers, and the work done in each timed window.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zerohop_units::{Bytes, GigabytesPerSecond, Hertz, Nanoseconds, Seconds};

use crate::{Distribution, Inside, Meters};

/// Pages that actually back a worker's buffer, checked after they were touched and again after sampling.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Backing {
    /// Requested page size.
    pub page: Bytes,
    /// Share of the buffer that is backed by huge pages (smaps), 0 to 1; `None` if it cannot be read.
    pub huge_share: Option<f64>,
    /// Share of the checked pages that are on the requested node (`move_pages`), 0 to 1; `None` if the kernel does not report it.
    pub placed_share: Option<f64>,
    /// Number of pages checked.
    pub pages_checked: u64,
    /// Number of pages in the buffer: huge pages if they back all of it, otherwise base pages. Zero if unknown.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub pages: u64,
    /// Whether every check after samples found no page moved and at least one page on the requested node.
    #[serde(default, skip_serializing_if = "is_false")]
    pub confirmed: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_false(flag: &bool) -> bool {
    !*flag
}

/// Measurements of one timed window.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sample {
    /// Length of the window in which every foreground worker was running, without the gaps in which some worker did not run.
    pub window: Seconds,
    /// Share of the requested window that this is, 0 to 1; `None` where workers cannot lose their CPUs.
    pub kept: Option<f64>,
    /// Workers in the order of the workload.
    pub workers: Vec<WorkerSample>,
    /// Disturbances of the whole system in the window.
    pub noise: SystemNoise,
    /// Readings of the machine's own instruments.
    pub meters: Meters,
    /// Observations inside the machine, if the engine can see them.
    pub inside: Option<Inside>,
}

/// One worker's part of a sample.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WorkerSample {
    /// Work of the worker in the common window.
    pub in_window: Progress,
    /// The distribution of the time of its steps, if it counts steps and logged its progress often enough.
    pub step_times: Option<StepTimes>,
    /// The distribution of the times of its loads, if it timed them.
    pub loads: Option<Distribution>,
    /// Work of the worker from its own start to its own end.
    pub own: Progress,
    /// Run time of the worker.
    pub own_time: Seconds,
    pub noise: Noise,
}

/// Times of one step of a worker, over stretches of about half a millisecond.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepTimes {
    pub median: Nanoseconds,
    /// Tenth percentile of the stretches: on a machine where others work too, closer to the value of a quiet machine.
    pub quiet: Nanoseconds,
}

#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Progress {
    /// Bytes that the program asked for.
    pub bytes: Bytes,
    /// Bytes that the memory bus carries for them, write allocates and write-backs included.
    pub bus_bytes: Bytes,
    /// Steps of a chase, or round trips or loads of a cache line. Fractional, because a window may begin and end between two reads of
    /// the counter.
    pub steps: f64,
}

/// Disturbances of a worker, as far as the engine can see them.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Noise {
    /// CPU time over wall time, 0 to 1: below 1, something else ran on the PU.
    pub cpu_share: Option<f64>,
    /// Times it was preempted.
    pub involuntary_switches: u64,
    /// Times that it was seen on a PU other than its own: looked for about every half millisecond.
    pub migrations: u64,
    /// Clock rate of the worker's PU, if counters report it.
    pub clock: Option<Hertz>,
    /// Page table walks for its loads, per second of its CPU time, where counters report them.
    pub walks_per_second: Option<f64>,
}

/// Disturbances of the whole system, as far as the engine can see them.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct SystemNoise {
    /// Share of the PUs' time that a hypervisor gave to others, 0 to 1.
    pub steal_share: Option<f64>,
    /// CPU time of all other processes, in CPUs.
    pub other_load: Option<f64>,
    pub throttled: Option<u64>,
    /// On a virtual machine: the time in which one of two workers' PUs that are announced as sharing a cache reads a line that the other
    /// has just written. It shows where the hypervisor has placed them.
    pub apart: Option<Nanoseconds>,
}

impl SystemNoise {
    /// Ratio of [`Self::apart`] values beyond which a hypervisor must have placed the PUs differently. In 390 cells of repeated runs, it was 4 ns for
    /// threads of one core, 18 to 32 for one cache, or more than 97 ns.
    pub const PLACED_UNLIKE: f64 = 2.0;
}

impl Backing {
    /// Whether any page is known to be on the requested node: without one, there is nothing to confirm.
    pub fn is_any_placed(&self) -> bool {
        self.placed_share.is_some_and(|share| share > 0.0)
    }

    /// The worse of two readings of the same buffer, in each respect. Facts that one of them does not know are unknown. It is confirmed if both are.
    #[must_use]
    pub fn worse(&self, other: &Self) -> Self {
        let lower = |one: Option<f64>, other: Option<f64>| Some(one?.min(other?));
        Self {
            page: self.page.min(other.page),
            huge_share: lower(self.huge_share, other.huge_share),
            placed_share: lower(self.placed_share, other.placed_share),
            pages_checked: self.pages_checked.min(other.pages_checked),
            pages: self.pages.max(other.pages),
            confirmed: self.confirmed && other.confirmed,
        }
    }
}

impl Sample {
    /// If all workers ran together for a smaller share of the requested window ([`Self::kept`]), they took turns, as where a hypervisor
    /// provides fewer CPUs than it shows. Gaps are then not cut out, and the sample is doubtful.
    pub const LEAST_TOGETHER: f64 = 0.05;

    /// Aggregate bandwidth of these workers, in bytes that the program asked for.
    pub fn bandwidth(&self, workers: impl IntoIterator<Item = usize>) -> GigabytesPerSecond {
        self.total(workers, |progress| progress.bytes).per(self.window)
    }

    /// Aggregate bus traffic of these workers.
    pub fn bus_traffic(&self, workers: impl IntoIterator<Item = usize>) -> GigabytesPerSecond {
        self.total(workers, |progress| progress.bus_bytes).per(self.window)
    }

    /// Time of one step of that worker: a load of a chase, or a round trip or a load of a cache line. The median where its
    /// distribution is known, otherwise the mean.
    pub fn step_time(&self, worker: usize) -> Option<Nanoseconds> {
        let worker = self.workers.get(worker)?;
        let steps = worker.in_window.steps;
        let mean = || (steps > 0.0).then(|| self.window.per_step(steps));
        worker.step_times.map(|times| times.median).or_else(mean)
    }

    /// Time of one step of that worker in the quietest tenth of the time, where it is known.
    pub fn quiet_step_time(&self, worker: usize) -> Option<Nanoseconds> {
        self.workers.get(worker)?.step_times.map(|times| times.quiet)
    }

    fn total(&self, workers: impl IntoIterator<Item = usize>, what: impl Fn(&Progress) -> Bytes) -> Bytes {
        workers
            .into_iter()
            .filter_map(|rank| self.workers.get(rank))
            .map(|worker| what(&worker.in_window))
            .sum()
    }
}
