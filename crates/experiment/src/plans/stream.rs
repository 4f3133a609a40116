//! The four STREAM kernels with regular and non-temporal stores, on each node's own memory, and on the whole machine.

use zerohop_workload::{Kernel, Role};

use crate::ExperimentError;
use crate::experiment::Experiment;
use crate::plan::{Measurement, Plan, Reading};
use crate::planning::Planning;
use crate::protocol::Pace;
use crate::scope::{Initiator, Scope};
use zerohop_result::{
    Axis, By, Choice, Columns, Coordinate, Coordinates, Descriptor, Drawing, ExperimentName, Glance,
    Headline, Layout, Measure, Of, Ranking, Survey, When,
};

pub(super) const EXPERIMENT: Experiment = Experiment {
    descriptor: Descriptor {
        name: "stream",
        summary: "the four STREAM kernels, with regular and non-temporal stores",
        about: "Copy, scale, add and triad, on each node by itself and on the whole machine, all memory local.",
        accepts: &[Choice::Kernel, Choice::InstructionSet, Choice::Buffer, Choice::Interleave],
        survey: Survey::Every,
        panel: 4,
        glance: Some(Glance::BestBandwidth(Axis::Kernel)),
        headlines: &[Headline::new(Measure::Bandwidth, Of::Machine, By::Axis(Axis::Kernel))],
        layouts: &[
            Layout::new(
                "STREAM",
                Axis::Kernel,
                Columns::Measures,
                &[Measure::Bandwidth, Measure::BusTraffic],
            )
            .when(When::Fewer(2, Axis::Initiator))
            .drawn(Drawing::Bars),
            Layout::new("STREAM", Axis::Kernel, Columns::Along(Axis::Initiator), &[Measure::Bandwidth])
                .when(When::AtLeast(2, Axis::Initiator))
                .ranked(Ranking::EachRow)
                .drawn(Drawing::Bars),
            Layout::new(
                "STREAM, bus traffic",
                Axis::Kernel,
                Columns::Along(Axis::Initiator),
                &[Measure::BusTraffic],
            )
            .when(When::AtLeast(2, Axis::Initiator))
            .in_detail(),
        ],
        remark: None,
        mlc: None,
    },
    plan,
};

pub(super) fn plan(scope: &Scope) -> Result<Plan, ExperimentError> {
    let kernels: Vec<Kernel> = scope.options.kernel.map_or(Kernel::STREAM.to_vec(), |kernel| vec![kernel]);
    let rows: Vec<_> = kernels.into_iter().map(|kernel| (kernel, kernel.name())).collect();
    every_node_and_all(scope, EXPERIMENT.descriptor.name(), Axis::Kernel, &rows)
}

/// Each of `rows` (a kernel, and its place along `axis`) on every initiator's own memory and, with several initiators, on
/// all at once.
pub(super) fn every_node_and_all(
    scope: &Scope,
    experiment: ExperimentName,
    axis: Axis,
    rows: &[(Kernel, &str)],
) -> Result<Plan, ExperimentError> {
    let mut groups: Vec<(Coordinate, String, Vec<&Initiator>)> = scope
        .initiators
        .iter()
        .map(|initiator| (initiator.node.0.into(), format!("node {}", initiator.node), vec![initiator]))
        .collect();
    if groups.len() > 1 {
        groups.push(("all".into(), "whole machine".to_owned(), scope.initiators.iter().collect()));
    }
    let destination = scope.local();
    let mut planning = Planning::new(experiment);
    for (place, name, initiators) in &groups {
        for &(kernel, word) in rows {
            // All kernels of a group use the same memory.
            let kernel_workers = scope.kernel_workers(initiators, &destination, kernel, groups.len());
            let label = format!("{name}{}, {word}", destination.words());
            let measurement = kernel_workers.map(|kernel_workers| Measurement {
                at: Coordinates::new()
                    .with(Axis::Initiator, place.clone())
                    .with(Axis::Target, destination.coordinate(scope, initiators))
                    .with(axis, word),
                twin: None,
                label: label.clone(),
                workload: scope.workload(kernel_workers.workers),
                readings: vec![Reading::Bandwidth(Role::Foreground), Reading::BusTraffic(Role::Foreground)],
                fill_time: false,
                pace: Pace::Bandwidth,
                warnings: kernel_workers.warnings,
            });
            planning.add(&label, measurement)?;
        }
    }
    planning.in_order()
}
