//! Shares the time there is out among the cells that are left: what one does not need, the others may have.

use std::collections::BTreeMap;
use std::time::Duration;

use zerohop_units::Bytes;
use zerohop_workload::{Activity, Workload};

use crate::plan::Plan;
use crate::protocol::{Protocol, preparation};

/// Time for cells yet to be measured.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Budget {
    /// The observer's time at which everything should be done.
    ends: Duration,
    /// What the cells that are left are expected to take, if their first samples are good.
    expected: Duration,
}

impl Budget {
    /// So much time from `now` on for these plans.
    pub(crate) fn new<'a>(
        now: Duration,
        time: Duration,
        plans: impl IntoIterator<Item = &'a Plan>,
        protocol: &Protocol,
    ) -> Self {
        let expected = plans.into_iter().flat_map(|plan| expected(plan, protocol)).sum();
        Self { ends: now.saturating_add(time), expected }
    }

    /// The time that a cell may take that begins now and is expected to take `own`: its part of what is left, but not
    /// more than the protocol allows one cell beside.
    pub(crate) fn allow(&mut self, own: Duration, protocol: &Protocol, now: Duration) -> Duration {
        let left = self.ends.saturating_sub(now);
        let part = own.as_secs_f64() / self.expected.max(own).as_secs_f64();
        self.expected = self.expected.saturating_sub(own);
        left.mul_f64(part).min(own + protocol.cell_time)
    }

    /// The time that `plan` should take: half as much again as if its first samples were good, or its part of the
    /// budget if that is less.
    pub(crate) fn forecast(&self, plan: &Plan, protocol: &Protocol, now: Duration) -> Duration {
        let own: Duration = expected(plan, protocol).into_iter().sum();
        let left = self.ends.saturating_sub(now);
        let stretch = left.as_secs_f64() / self.expected.max(own).as_secs_f64();
        // A plan without measurements takes no time, and stretching it would be a division by zero.
        if own.is_zero() { own } else { own.mul_f64(stretch.min(1.5)) }
    }
}

/// What each of a plan's measurements is expected to take, in the order in which they run: its samples, and the filling
/// of its memory unless the measurement before used the same.
pub(crate) fn expected(plan: &Plan, protocol: &Protocol) -> Vec<Duration> {
    let mut before = BTreeMap::new();
    let times = plan.order.iter().map(|&which| {
        let measurement = &plan.measurements[which];
        let memory = memory(&measurement.workload);
        // Nodes are filled side by side.
        let fresh = memory.iter().filter(|(place, bytes)| before.get(*place) != Some(*bytes));
        let filling = fresh.map(|(_, &bytes)| preparation(bytes)).max().unwrap_or_default();
        before = memory;
        filling + protocol.sampling(measurement.pace)
    });
    times.collect()
}

/// How much memory a workload takes, by where it lies and whether chains run through it.
fn memory(workload: &Workload) -> BTreeMap<(String, bool), Bytes> {
    let mut memory = BTreeMap::new();
    for worker in &workload.workers {
        let chains = matches!(worker.activity, Activity::Chase { .. });
        *memory.entry((worker.placement.to_string(), chains)).or_default() += worker.buffer;
    }
    memory
}
