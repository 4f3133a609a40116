//! Bandwidth, initiator node by target node: all cores of each initiator run one kernel on each target's memory.

use zerohop_workload::{Kernel, Role};

use super::latency_matrix::by_column;
use crate::ExperimentError;
use crate::experiment::Experiment;
use crate::plan::{Measurement, Plan, Reading};
use crate::planning::Planning;
use crate::protocol::Pace;
use crate::scope::Scope;
use zerohop_result::{
    Axis, By, Choice, Columns, Coordinates, Descriptor, Glance, Headline, Layout, Measure, MlcBlock, Of,
    Ranking, Survey, Topic, When,
};

pub(super) const EXPERIMENT: Experiment = Experiment {
    descriptor: Descriptor {
        name: "bandwidth-matrix",
        summary: "read bandwidth, initiator node by target node",
        about: "All cores of each node read the memory of every node. Shows what each pair of nodes can sustain.",
        accepts: &[Choice::Kernel, Choice::InstructionSet, Choice::Buffer, Choice::Interleave],
        survey: Survey::Every,
        panel: 1,
        topic: Topic::Nodes,
        glance: Some(Glance::NearAndFar(Measure::Bandwidth)),
        headlines: &[Headline::new(Measure::Bandwidth, Of::Everything, By::Distance)],
        layouts: &[
            // Reads do not name the kernel; any other kernel is named after the title.
            Layout::new(
                "read bandwidth",
                Axis::Initiator,
                Columns::Along(Axis::Target),
                &[Measure::Bandwidth],
            )
            .when(When::Fewer(1, Axis::Kernel))
            .ranked(Ranking::Whole),
            Layout::new("bandwidth", Axis::Initiator, Columns::Along(Axis::Target), &[Measure::Bandwidth])
                .when(When::AtLeast(1, Axis::Kernel))
                .ranked(Ranking::Whole),
            Layout::new("bus traffic", Axis::Initiator, Columns::Along(Axis::Target), &[Measure::BusTraffic])
                .in_detail(),
        ],
        remark: None,
        mlc: Some(MlcBlock::BandwidthMatrix),
    },
    plan,
};

pub(super) fn plan(scope: &Scope) -> Result<Plan, ExperimentError> {
    let kernel = scope.options.kernel.unwrap_or(Kernel::Read);
    let destinations = scope.destinations();
    let mut planning = Planning::new(EXPERIMENT.descriptor.name());
    for initiator in &scope.initiators {
        for destination in &destinations {
            let label = format!("node {}{}, {kernel}", initiator.node, destination.words());
            let at = Coordinates::new()
                .with(Axis::Initiator, initiator.node.0)
                .with(Axis::Target, destination.coordinate(scope, &[initiator]));
            let kernel_workers = scope.kernel_workers(&[initiator], destination, kernel, destinations.len());
            let measurement = kernel_workers.map(|kernel_workers| Measurement {
                at: if kernel == Kernel::Read { at } else { at.with(Axis::Kernel, kernel.name()) },
                twin: None,
                label: label.clone(),
                workload: scope.workload(kernel_workers.workers),
                readings: vec![Reading::Bandwidth(Role::Foreground)],
                fill_time: false,
                pace: Pace::Bandwidth,
                warnings: kernel_workers.warnings,
            });
            planning.add(&label, measurement)?;
        }
    }
    let order = by_column(scope.initiators.len(), destinations.len(), scope.options.seed);
    planning.with(Plan { order, ..Plan::default() })
}
