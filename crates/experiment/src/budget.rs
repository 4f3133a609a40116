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
struct Expected {
    /// Putting memory and workers in place.
    preparing: Duration,
    /// Enough samples.
    sampling: Duration,
}

/// The time for a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PlanTime {
    /// The deadline, in the observer's time.
    pub(crate) ends: Duration,
    /// The expected time to put each measurement's memory in place, by its rank in the plan.
    pub(crate) preparing: Vec<Duration>,
    /// The sampling time of each measurement, by its rank in the plan.
    pub(crate) sampling: Vec<Duration>,
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

    /// A plan begins: its part of what is left.
    pub(crate) fn begin(&mut self, plan: &Plan, protocol: &Protocol, now: Duration) -> PlanTime {
        let expected = expected(plan, protocol);
        let own: Duration = expected.iter().copied().map(Expected::total).sum();
        let left = self.ends.saturating_sub(now);
        let part = if own.is_zero() { Duration::ZERO } else { share(left, own, self.expected.max(own)) };
        self.expected = self.expected.saturating_sub(own);
        let longest = expected.iter().fold(Duration::ZERO, |sum, cell| {
            sum.saturating_add(cell.preparing).saturating_add(protocol.cell_time)
        });
        let part = part.min(longest);
        let preparing: Duration = expected.iter().map(|cell| cell.preparing).sum();
        let sampling: Duration = expected.iter().map(|cell| cell.sampling).sum();
        let mut time = PlanTime {
            ends: now.saturating_add(part),
            preparing: vec![Duration::ZERO; expected.len()],
            sampling: vec![Duration::ZERO; expected.len()],
        };
        for (&which, cell) in plan.order.iter().zip(&expected) {
            time.preparing[which] = cell.preparing;
            time.sampling[which] =
                share(part.saturating_sub(preparing), cell.sampling, sampling).min(protocol.cell_time);
        }
        time
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

/// `one` of `all` parts of a time.
fn share(time: Duration, one: Duration, all: Duration) -> Duration {
    time.mul_f64(one.as_secs_f64() / all.as_secs_f64())
}

fn total(plan: &Plan, protocol: &Protocol) -> Duration {
    expected(plan, protocol).into_iter().map(Expected::total).sum()
}

/// The expected time of each of a plan's measurements in the order of the first round. Memory that the previous measurement used
/// in the same way is already filled; later rounds mostly find theirs as they left it.
fn expected(plan: &Plan, protocol: &Protocol) -> Vec<Expected> {
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
pub(crate) fn memory(workload: &Workload) -> BTreeMap<(String, bool), Bytes> {
    let mut memory = BTreeMap::new();
    for worker in &workload.workers {
        let chains = matches!(worker.activity, Activity::Chase { .. } | Activity::TimedChase { .. });
        *memory.entry((worker.placement.to_string(), chains)).or_default() += worker.buffer;
    }
    memory
}
