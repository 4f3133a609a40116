//! Idle latency, initiator node by target node: one core of each initiator chases through each target's memory.

use crate::ExperimentError;
use crate::experiment::Experiment;
use crate::plan::Plan;
use crate::planning::Planning;
use crate::scope::Scope;
use crate::shuffle::shuffled;
use zerohop_result::{
    Axis, By, Choice, Columns, Coordinates, Descriptor, Glance, Headline, Layout, Measure, MlcBlock, Of,
    Ranking, Survey, Topic,
};

pub(super) const EXPERIMENT: Experiment = Experiment {
    descriptor: Descriptor {
        name: "latency-matrix",
        summary: "idle latency, initiator node by target node",
        about: "One core of each node chases pointers through the memory of every node. Shows the cost of each hop on an idle machine.",
        accepts: &[Choice::Chains, Choice::Buffer, Choice::Interleave],
        survey: Survey::Every,
        panel: 0,
        topic: Topic::Nodes,
        glance: Some(Glance::NearAndFar(Measure::Latency)),
        headlines: &[Headline::new(Measure::Latency, Of::Everything, By::Distance)],
        layouts: &[Layout::new(
            "idle latency",
            Axis::Initiator,
            Columns::Along(Axis::Target),
            &[Measure::Latency],
        )
        .ranked(Ranking::Whole)],
        remark: None,
        mlc: Some(MlcBlock::LatencyMatrix),
    },
    plan,
};

pub(super) fn plan(scope: &Scope) -> Result<Plan, ExperimentError> {
    let destinations = scope.destinations();
    let mut planning = Planning::new(EXPERIMENT.descriptor.name());
    for initiator in &scope.initiators {
        for destination in &destinations {
            let at = Coordinates::new()
                .with(Axis::Initiator, initiator.node.0)
                .with(Axis::Target, destination.coordinate(scope, &[initiator]));
            let label = format!("node {}{}", initiator.node, destination.words());
            let from = (initiator.node, scope.quiet_pu(initiator));
            let chase = scope.memory_chase(from, destination, destinations.len(), at, label.clone());
            planning.add(&label, chase)?;
        }
    }
    let order = by_column(scope.initiators.len(), destinations.len(), scope.options.seed);
    planning.with(Plan { order, ..Plan::default() })
}

/// The ranks of a matrix's cells, which are stored row by row, in running order: all initiators use one target's memory
/// before the next target's memory is touched. The columns and the rows of each column are shuffled.
pub(super) fn by_column(rows: usize, columns: usize, seed: u64) -> Vec<usize> {
    let of_column = |column: usize| {
        let own_seed = seed.wrapping_add(1 + column as u64);
        shuffled(rows, own_seed).into_iter().map(move |row| row * columns + column)
    };
    shuffled(columns, seed).into_iter().flat_map(of_column).collect()
}
