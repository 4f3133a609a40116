//! Divides the remaining time among the remaining cells: time that one cell does not need goes to the others.

use std::collections::BTreeMap;
use std::time::Duration;

use zerohop_units::Bytes;
use zerohop_workload::{Activity, Workload};

use crate::plan::Plan;
use crate::protocol::{Protocol, preparation};

/// Time for the cells not yet measured.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Budget {
    /// The deadline, in the observer's time.
    ends: Duration,
    /// The expected time of the cells that have not started.
    expected: Duration,
}

/// The expected time of a cell whose first samples are good.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Expected {
    /// Putting memory and workers in place.
    pub(crate) preparing: Duration,
    /// Enough samples.
    pub(crate) sampling: Duration,
}

impl Expected {
    fn total(self) -> Duration {
        self.preparing + self.sampling
    }
}

impl Budget {
    /// A budget of this much time, from `now` on, for these plans.
    pub(crate) fn new<'a>(
        now: Duration,
        time: Duration,
        plans: impl IntoIterator<Item = &'a Plan>,
        protocol: &Protocol,
    ) -> Self {
        let expected = plans.into_iter().map(|plan| total(plan, protocol)).sum();
        Self { ends: now.saturating_add(time), expected }
    }

    /// A cell begins.
    pub(crate) fn begin(&mut self, cell: Expected) {
        self.expected = self.expected.saturating_sub(cell.total());
    }

    /// The sampling time of a cell that has started and is prepared: its part of what is left, but no more than the
    /// protocol allows for a cell.
    pub(crate) fn sampling_time(&self, cell: Expected, protocol: &Protocol, now: Duration) -> Duration {
        let left = self.ends.saturating_sub(now);
        let part = cell.sampling.as_secs_f64() / (cell.sampling + self.expected).as_secs_f64();
        left.mul_f64(part).min(protocol.cell_time)
    }

    /// The forecast time of `plan`: one and a half times its time if all first samples are good, or its part of the
    /// budget if that is less.
    pub(crate) fn forecast(&self, plan: &Plan, protocol: &Protocol, now: Duration) -> Duration {
        let own = total(plan, protocol);
        let left = self.ends.saturating_sub(now);
        let stretch = left.as_secs_f64() / self.expected.max(own).as_secs_f64();
        // A plan without measurements takes no time, and stretching it would be a division by zero.
        if own.is_zero() { own } else { own.mul_f64(stretch.min(1.5)) }
    }
}

fn total(plan: &Plan, protocol: &Protocol) -> Duration {
    expected(plan, protocol).into_iter().map(Expected::total).sum()
}

/// The expected time of each of a plan's measurements, in the order in which they run. Memory that the previous
/// measurement used in the same way is already filled.
pub(crate) fn expected(plan: &Plan, protocol: &Protocol) -> Vec<Expected> {
    let mut before = BTreeMap::new();
    let times = plan.order.iter().map(|&which| {
        let measurement = &plan.measurements[which];
        let memory = memory(&measurement.workload);
        // Nodes are filled in parallel.
        let fresh = memory.iter().filter(|(place, bytes)| before.get(*place) != Some(*bytes));
        let preparing = fresh.map(|(_, &bytes)| preparation(bytes)).max().unwrap_or_default();
        before = memory;
        Expected { preparing, sampling: protocol.sampling(measurement.pace) }
    });
    times.collect()
}

/// The memory that a workload uses, by placement and by whether chains run through it.
fn memory(workload: &Workload) -> BTreeMap<(String, bool), Bytes> {
    let mut memory = BTreeMap::new();
    for worker in &workload.workers {
        let chains = matches!(worker.activity, Activity::Chase { .. });
        *memory.entry((worker.placement.to_string(), chains)).or_default() += worker.buffer;
    }
    memory
}
