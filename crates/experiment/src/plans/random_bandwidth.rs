//! Bandwidth of random accesses, initiator node by target node: the bandwidth of hash tables, graphs and embeddings, which touch one line here and
//! one there.
//!
//! Every access is to another line at random and independent of the others, and each counts as a whole line: memory moves lines.

use zerohop_workload::{Access, Activity, Kernel};

use super::latency_matrix::by_column;
use crate::ExperimentError;
use crate::experiment::Experiment;
use crate::plan::Plan;
use crate::planning::Planning;
use crate::scope::Scope;
use zerohop_result::{
    Axis, By, Choice, Columns, Coordinates, Descriptor, Headline, Layout, Measure, Of, Ranking, Survey, Topic,
};

pub(super) const EXPERIMENT: Experiment = Experiment {
    descriptor: Descriptor {
        name: "random-bandwidth",
        summary: "bandwidth of random accesses, initiator node by target node",
        about: "All cores of each node read one word per line, in random order, from the memory of every node. Shows what each pair of nodes sustains for programs without locality.",
        accepts: &[Choice::Kernel, Choice::Buffer, Choice::Interleave],
        survey: Survey::Full,
        panel: 8,
        topic: Topic::Bandwidth,
        glance: None,
        headlines: &[Headline::new(Measure::Bandwidth, Of::Everything, By::Distance)],
        layouts: &[
            Layout::new(
                "bandwidth of random accesses",
                Axis::Initiator,
                Columns::Along(Axis::Target),
                &[Measure::Bandwidth],
            )
            .ranked(Ranking::Whole),
            Layout::new("bus traffic", Axis::Initiator, Columns::Along(Axis::Target), &[Measure::BusTraffic])
                .in_detail(),
        ],
        remark: None,
        mlc: None,
    },
    plan,
};

pub(super) fn plan(scope: &Scope) -> Result<Plan, ExperimentError> {
    let kernel = scope.options.kernel.unwrap_or(Kernel::Read);
    if !matches!(kernel, Kernel::Read | Kernel::Write) {
        return Err(ExperimentError::Contradiction {
            one: format!("the kernel {kernel}"),
            other: "random accesses, which are `read` or `write`,".to_owned(),
        });
    }
    let destinations = scope.destinations();
    let mut planning = Planning::new(EXPERIMENT.descriptor.name());
    for initiator in &scope.initiators {
        for destination in &destinations {
            let kernel_workers = scope.kernel_workers(&[initiator], destination, kernel, destinations.len());
            let label = format!("node {}{}, {kernel} at random", initiator.node, destination.words());
            let at = Coordinates::new()
                .with(Axis::Initiator, initiator.node.0)
                .with(Axis::Target, destination.coordinate(scope, &[initiator]));
            let at = if kernel == Kernel::Read { at } else { at.with(Axis::Kernel, kernel.name()) };
            let measurement = kernel_workers.map(|mut kernel_workers| {
                for worker in &mut kernel_workers.workers {
                    worker.activity = Activity::Kernel { kernel, access: Access::Random };
                }
                kernel_workers.traffic(scope, at, &label)
            });
            planning.add(&label, measurement)?;
        }
    }
    let order = by_column(scope.initiators.len(), destinations.len(), scope.options.seed);
    planning.with(Plan { order, ..Plan::default() })
}
