//! The four STREAM kernels with regular and non-temporal stores, on each node's own memory, and on the whole machine.

use zerohop_workload::Kernel;

use crate::ExperimentError;
use crate::experiment::Experiment;
use crate::plan::Plan;
use crate::planning::Planning;
use crate::scope::{Initiator, Scope};
use zerohop_result::{
    Axis, By, Choice, Columns, Coordinate, Coordinates, Descriptor, Drawing, ExperimentName, Glance,
    Headline, Layout, Measure, Of, Ranking, Survey, Topic, When,
};

pub(super) const EXPERIMENT: Experiment = Experiment {
    descriptor: Descriptor {
        name: "stream",
        summary: "the four STREAM kernels, with regular and non-temporal stores",
        about: "Copy, scale, add and triad, on each node by itself and on the whole machine, all memory local.",
        accepts: &[Choice::Kernel, Choice::InstructionSet, Choice::Buffer, Choice::Interleave],
        survey: Survey::Every,
        panel: 4,
        topic: Topic::Bandwidth,
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
    on_groups(scope, EXPERIMENT.descriptor.name(), &groups(scope), Axis::Kernel, &rows)
}

/// Initiators that work at the same time.
pub(super) struct Group<'a> {
    /// Their place along the axis of initiators.
    place: Coordinate,
    name: String,
    initiators: Vec<&'a Initiator>,
    /// Number of threads on each core, if several numbers are compared.
    threads_per_core: Option<usize>,
}

impl<'a> Group<'a> {
    /// The same place with these initiators and that number of threads on each core.
    pub(super) fn with_threads(&self, initiators: Vec<&'a Initiator>, threads_per_core: usize) -> Self {
        Self {
            place: self.place.clone(),
            name: format!("{}, {threads_per_core} per core", self.name),
            initiators,
            threads_per_core: Some(threads_per_core),
        }
    }

    pub(super) fn initiators(&self) -> Vec<&'a Initiator> {
        self.initiators.clone()
    }
}

/// Every initiator by itself and, with several, all of them: the last is the whole machine.
pub(super) fn groups(scope: &Scope) -> Vec<Group<'_>> {
    let group = |place: Coordinate, name: String, initiators| Group {
        place,
        name,
        initiators,
        threads_per_core: None,
    };
    let each = scope
        .initiators
        .iter()
        .map(|initiator| group(initiator.node.0.into(), format!("node {}", initiator.node), vec![initiator]));
    let mut groups: Vec<Group<'_>> = each.collect();
    if groups.len() > 1 {
        groups.push(group("all".into(), "whole machine".to_owned(), scope.initiators.iter().collect()));
    }
    groups
}

/// Each of `rows` (a kernel, and its place along `axis`) on the local memory of each of these groups.
pub(super) fn on_groups(
    scope: &Scope,
    experiment: ExperimentName,
    groups: &[Group<'_>],
    axis: Axis,
    rows: &[(Kernel, &str)],
) -> Result<Plan, ExperimentError> {
    let destination = scope.local();
    let mut planning = Planning::new(experiment);
    for Group { place, name, initiators, threads_per_core } in groups {
        for &(kernel, word) in rows {
            // All kernels of a group use the same memory.
            let kernel_workers = scope.kernel_workers(initiators, &destination, kernel, groups.len());
            let label = format!("{name}{}, {word}", destination.words());
            let at = Coordinates::new()
                .with(Axis::Initiator, place.clone())
                .with(Axis::Target, destination.coordinate(scope, initiators))
                .with(axis, word);
            let at = match threads_per_core {
                Some(threads) => at.with(Axis::ThreadsPerCore, *threads),
                None => at,
            };
            planning.add(&label, kernel_workers.map(|workers| workers.traffic(scope, at, &label)))?;
        }
    }
    planning.in_order()
}
