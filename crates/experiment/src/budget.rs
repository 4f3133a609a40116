//! Divides the remaining time among the remaining cells: time that one cell does not need goes to the others.

use std::collections::BTreeMap;
use std::time::Duration;

use zerohop_units::Bytes;
use zerohop_workload::{Activity, Workload};

use crate::plan::{Measurement, Plan};
use crate::protocol::Protocol;

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

/// The time for a tour.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TourTime {
    /// The deadline, in the observer's time.
    pub(crate) ends: Duration,
    /// The expected time to put each measurement's memory in place.
    pub(crate) preparing: Vec<Duration>,
    /// The sampling time of each measurement.
    pub(crate) sampling: Vec<Duration>,
}

impl Expected {
    fn total(self) -> Duration {
        self.preparing + self.sampling
    }
}

impl Budget {
    /// A budget of this much time, from `now` on, for these tours. Each visits the measurements of some plans together.
    pub(crate) fn new<'a, Tour: IntoIterator<Item = &'a Plan>>(
        now: Duration,
        time: Duration,
        tours: impl IntoIterator<Item = Tour>,
        protocol: &Protocol,
    ) -> Self {
        let of_tour = |tour: Tour| total(tour.into_iter().flat_map(Plan::in_running_order), protocol);
        let expected = tours.into_iter().map(of_tour).sum();
        Self { ends: now.saturating_add(time), expected }
    }

    /// The deadline, in the observer's time.
    pub(crate) const fn ends(&self) -> Duration {
        self.ends
    }

    /// Starts a tour of these measurements with its part of the remaining budget.
    pub(crate) fn begin<'a>(
        &mut self,
        measurements: impl IntoIterator<Item = &'a Measurement>,
        protocol: &Protocol,
        now: Duration,
    ) -> TourTime {
        let expected = expected(measurements, protocol);
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
        let own_sampling = |cell: &Expected| {
            share(part.saturating_sub(preparing), cell.sampling, sampling).min(protocol.cell_time)
        };
        TourTime {
            ends: now.saturating_add(part),
            preparing: expected.iter().map(|cell| cell.preparing).collect(),
            sampling: expected.iter().map(own_sampling).collect(),
        }
    }

    /// The forecast time of `plan`: one and a half times its time if all first samples are good, or its part of the
    /// budget if that is less.
    pub(crate) fn forecast(&self, plan: &Plan, protocol: &Protocol, now: Duration) -> Duration {
        let own = total(plan.in_running_order(), protocol);
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

fn total<'a>(measurements: impl IntoIterator<Item = &'a Measurement>, protocol: &Protocol) -> Duration {
    expected(measurements, protocol).into_iter().map(Expected::total).sum()
}

/// The time that these measurements need for the fewest visits, with the shortest samples.
pub(crate) fn least<'a>(
    measurements: impl IntoIterator<Item = &'a Measurement>,
    protocol: &Protocol,
) -> Duration {
    let measurements: Vec<&Measurement> = measurements.into_iter().collect();
    let visits: Duration =
        measurements.iter().map(|measurement| protocol.fewest_visits(measurement.pace)).sum();
    expected(measurements, protocol).into_iter().map(|cell| cell.preparing).sum::<Duration>() + visits
}

/// The expected time of each of these measurements in the order of the first round. Memory that the previous measurement used
/// in the same way is already filled; later rounds mostly find theirs as they left it.
fn expected<'a>(
    measurements: impl IntoIterator<Item = &'a Measurement>,
    protocol: &Protocol,
) -> Vec<Expected> {
    let mut before = BTreeMap::new();
    let times = measurements.into_iter().map(|measurement| {
        let memory = memory(&measurement.workload);
        // Nodes are filled in parallel.
        let fresh = memory.iter().filter(|(place, bytes)| before.get(*place) != Some(*bytes));
        let preparing = fresh.map(|(_, &bytes)| protocol.preparation(bytes)).max().unwrap_or_default();
        before = memory;
        Expected { preparing, sampling: protocol.sampling(measurement.pace) }
    });
    times.collect()
}

/// Contents of memory for a workload.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Contents {
    Values,
    /// A chain of pointers; with a number, one that visits that many pages at a time.
    Chains(Option<u16>),
}

/// The memory that a workload uses, by placement and contents.
pub(crate) fn memory(workload: &Workload) -> BTreeMap<(String, Contents), Bytes> {
    let mut memory = BTreeMap::new();
    for worker in &workload.workers {
        let contents = match worker.activity {
            Activity::Chase { pages, .. } => Contents::Chains(pages),
            Activity::TimedChase { .. } => Contents::Chains(None),
            Activity::Kernel { .. } | Activity::LineTransfer { .. } => Contents::Values,
        };
        *memory.entry((worker.placement.to_string(), contents)).or_default() += worker.buffer;
    }
    memory
}
