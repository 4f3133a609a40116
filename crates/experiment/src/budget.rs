//! Shares the time there is out among the cells that are left: what one does not need, the others may have.

use std::time::Duration;

use crate::plan::{Measurement, Plan};
use crate::protocol::Protocol;

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
        let expected = plans.into_iter().map(|plan| plan_expected(plan, protocol)).sum();
        Self { ends: now.saturating_add(time), expected }
    }

    /// The time that this cell may take if it begins now: its part of what is left, but not more than a cell's ceiling.
    pub(crate) fn allow(
        &mut self,
        measurement: &Measurement,
        protocol: &Protocol,
        now: Duration,
    ) -> Duration {
        let own = measurement.expected(protocol);
        let left = self.ends.saturating_sub(now);
        let part = own.as_secs_f64() / self.expected.max(own).as_secs_f64();
        self.expected = self.expected.saturating_sub(own);
        left.mul_f64(part).min(protocol.ceiling(measurement.pace, measurement.buffers()))
    }

    /// The time that `plan` should take: half as much again as if its first samples were good, or its part of the
    /// budget if that is less.
    pub(crate) fn forecast(&self, plan: &Plan, protocol: &Protocol, now: Duration) -> Duration {
        let expected = plan_expected(plan, protocol);
        if expected.is_zero() {
            return expected;
        }
        let stretch = self.ends.saturating_sub(now).as_secs_f64() / self.expected.max(expected).as_secs_f64();
        expected.mul_f64(stretch.min(1.5))
    }
}

fn plan_expected(plan: &Plan, protocol: &Protocol) -> Duration {
    plan.measurements.iter().map(|measurement| measurement.expected(protocol)).sum()
}
