//! Distribution of load latencies: median, 99th and 99.9th percentile, and a histogram, on an idle machine and while other cores read.
//!
//! A load is too short to be timed by itself, so every [`BATCH`] loads of a chase are timed together. A batch that contains an interrupt or another
//! tenant's turn is long, and counts: a program sees it, too.

use zerohop_workload::{Activity, Kernel, Role};

use super::loaded_latency::{Load, of_first};
use crate::experiment::Experiment;
use crate::kernel_workers::Destination;
use crate::plan::{Measurement, Plan, Quantile, Reading};
use crate::protocol::Pace;
use crate::scope::Scope;
use crate::{ExperimentError, LoadPlace};
use zerohop_result::{
    Axis, By, Choice, Columns, Coordinates, Descriptor, Drawing, Headline, Layout, Measure, Of, Survey, Topic,
};

pub(super) const EXPERIMENT: Experiment = Experiment {
    descriptor: Descriptor {
        name: "latency-distribution",
        summary: "median, 99th and 99.9th percentile of load latency, idle and under load",
        about: "One core chases pointers through its node's memory and times every 32 loads, alone and while the node's other cores read. Shows how much slower than the median the slowest loads are, and how often.",
        accepts: &[Choice::Buffer],
        survey: Survey::FullOfHost,
        panel: 3,
        topic: Topic::Load,
        glance: None,
        headlines: &[
            Headline::new(Measure::Latency, Of::At(Axis::Statistic, "p50"), By::Axis(Axis::Scenario)),
            Headline::new(Measure::Latency, Of::At(Axis::Statistic, "p99"), By::Axis(Axis::Scenario)),
        ],
        layouts: &[
            Layout::new(
                "distribution of latency",
                Axis::Scenario,
                Columns::Along(Axis::Statistic),
                &[Measure::Latency],
            )
            .not_drawn(),
            Layout::new(
                "histogram of latency",
                Axis::UpTo,
                Columns::Along(Axis::Scenario),
                &[Measure::ShareOfLoads],
            )
            .in_detail()
            .drawn(Drawing::Bars),
        ],
        remark: None,
        mlc: None,
    },
    plan,
};

/// Loads that are timed together: reading the clock takes less than a hundredth of their time.
const BATCH: u16 = 32;

/// What is reported of the distribution.
const QUANTILES: [Quantile; 3] = [Quantile::P50, Quantile::P99, Quantile::P999];

pub(super) fn plan(scope: &Scope) -> Result<Plan, ExperimentError> {
    if scope.simulated {
        return Err(ExperimentError::Impossible {
            experiment: EXPERIMENT.descriptor.name(),
            reason: "a model computes the mean latency of loads, not each latency".to_owned(),
        });
    }
    let load = Load { place: LoadPlace::Local, kernel: Kernel::Read, delay: 0 };
    let loaded = of_first(scope, load, 1).transpose()?;
    let idle = match &loaded {
        // The same core chases through the same memory.
        Some(loaded) => {
            let chase = loaded.workload.workers.iter().filter(|worker| worker.role == Role::Foreground);
            Measurement { workload: scope.workload(chase.cloned().collect()), ..loaded.clone() }
        }
        None => {
            let initiator = &scope.initiators[0];
            let from = (initiator.node, scope.quiet_pu(initiator));
            let at = Coordinates::new()
                .with(Axis::Initiator, initiator.node.0)
                .with(Axis::Target, Destination::Local.coordinate(scope, &[initiator]));
            scope.memory_chase(from, &Destination::Local, 1, at, String::new())?
        }
    };
    let idle = Measurement { pace: Pace::MemoryLatency, ..timed(idle, "idle") };
    let loaded = loaded.map(|loaded| timed(loaded, "loaded"));
    Ok(Plan::in_order(std::iter::once(idle).chain(loaded).collect()))
}

/// The same workload, whose chase times its loads.
fn timed(measurement: Measurement, scenario: &str) -> Measurement {
    let Measurement { at, mut workload, .. } = measurement.clone();
    for worker in &mut workload.workers {
        if matches!(worker.activity, Activity::Chase { .. }) {
            worker.activity = Activity::TimedChase { batch: BATCH };
        }
    }
    Measurement {
        at: at.without(Axis::Delay).with(Axis::Scenario, scenario),
        label: format!("{scenario} memory"),
        workload,
        readings: QUANTILES.map(Reading::Quantile).to_vec(),
        ..measurement
    }
}
