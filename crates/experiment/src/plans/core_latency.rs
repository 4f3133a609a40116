//! Idle latency, every core by every target node, and summarized over cores for each target, as John McCalpin reports
//! his latency tests: minimum, mean, maximum and standard deviation over cores. Where several nodes have cores, local
//! and remote memory are summarized as well; nodes that only have memory are summarized separately.

use zerohop_machine::NodeId;

use crate::ExperimentError;
use crate::experiment::Experiment;
use crate::kernel_workers::Destination;
use crate::plan::{Plan, Summary};
use crate::planning::Planning;
use crate::scope::Scope;
use crate::shuffle::shuffled;
use zerohop_result::{
    Axis, By, Choice, Columns, Coordinates, Descriptor, Drawing, Headline, Layout, Measure, Of, Ranking,
    Survey, Topic,
};

pub(super) const EXPERIMENT: Experiment = Experiment {
    descriptor: Descriptor {
        name: "core-latency",
        summary: "idle latency, every core by every target node",
        about: "Every core in turn chases pointers through the memory of every node. Shows which cores are farther from a memory controller.",
        accepts: &[Choice::Chains, Choice::Buffer, Choice::Interleave],
        survey: Survey::Full,
        panel: 8,
        topic: Topic::Nodes,
        glance: None,
        headlines: &[Headline::new(Measure::Latency, Of::Everything, By::Distance)],
        layouts: &[
            // With the whole matrix shown, a summary would draw the same data twice.
            Layout::new(
                "idle latency over cores",
                Axis::Target,
                Columns::Along(Axis::Statistic),
                &[Measure::Latency],
            )
            .not_drawn(),
            Layout::new("idle latency by core", Axis::Cpu, Columns::Along(Axis::Target), &[Measure::Latency])
                .ranked(Ranking::EachColumn)
                .in_detail()
                .drawn(Drawing::HeatMap),
        ],
        remark: None,
        mlc: None,
    },
    plan,
};

pub(super) fn plan(scope: &Scope) -> Result<Plan, ExperimentError> {
    let cores: Vec<_> = scope
        .initiators
        .iter()
        .flat_map(|initiator| initiator.pus.iter().map(move |&pu| (initiator, pu)))
        .collect();
    let destinations = scope.destinations();
    let count = cores.len() * destinations.len();
    let mut planning = Planning::new(EXPERIMENT.descriptor.name());
    let mut order = Vec::with_capacity(count);
    let mut summaries = Vec::with_capacity(destinations.len());
    for (column, destination) in destinations.iter().enumerate() {
        // A column is about one target, so its name must not depend on the initiator.
        let target = destination.coordinate(scope, &[]);
        let at = Coordinates::new().with(Axis::Target, target);
        let first = planning.places();
        for &(initiator, pu) in &cores {
            let label = format!("CPU {pu}{}", destination.words());
            let at = at.clone().with(Axis::Cpu, pu.0);
            let from = (initiator.node, pu);
            let chase = scope.memory_chase(from, destination, destinations.len(), at, label.clone());
            planning.add(&label, chase)?;
        }
        // All cores chase through one target's memory before the next target's memory is touched.
        let seed = scope.options.seed.wrapping_add(column as u64);
        order.extend(shuffled(cores.len(), seed).into_iter().map(|rank| first + rank));
        summaries.push(Summary { at, over: (first..planning.places()).collect() });
    }
    let nodes: Vec<NodeId> = cores.iter().map(|(initiator, _)| initiator.node).collect();
    summaries.extend(near_and_far(scope, &destinations, &nodes));
    planning.with(Plan { order, summaries, ..Plan::default() })
}

/// Summaries over the cores of all nodes, in this order: of local memory, or of the nearest where a node has only memory, and
/// of all other memory. Measurements go target by target, and core by core.
fn near_and_far(scope: &Scope, destinations: &[Destination], cores: &[NodeId]) -> Vec<Summary> {
    let has_cores = |node: NodeId| scope.machine.node(node).is_some_and(|node| !node.pus.is_empty());
    let mut summaries = Vec::new();
    for (alone, words) in
        [(false, ["local", "remote"]), (true, ["local_memory_alone", "remote_memory_alone"])]
    {
        let of_sort: Vec<(usize, NodeId)> = destinations
            .iter()
            .enumerate()
            .filter_map(|(column, destination)| match destination {
                Destination::Node(node) if has_cores(*node) != alone => Some((column, *node)),
                _ => None,
            })
            .collect();
        let distance = |from: NodeId, to: NodeId| scope.machine.distances.as_ref()?.get(from, to);
        let nearest = |from: NodeId| of_sort.iter().map(|&(_, to)| distance(from, to)).min().flatten();
        let is_near = |from: NodeId, to: NodeId| {
            if alone { distance(from, to) == nearest(from) } else { from == to }
        };
        let over = |near: bool| -> Vec<usize> {
            let ranks = of_sort.iter().flat_map(|&(column, to)| {
                let of_column = cores.iter().enumerate().filter(move |&(_, &from)| is_near(from, to) == near);
                of_column.map(move |(core, _)| column * cores.len() + core)
            });
            ranks.collect()
        };
        let both = [over(true), over(false)];
        // With only one kind, the summaries by target suffice.
        if both.iter().all(|over| !over.is_empty()) {
            let at = words.map(|word| Coordinates::new().with(Axis::Target, word));
            summaries.extend(at.into_iter().zip(both).map(|(at, over)| Summary { at, over }));
        }
    }
    summaries
}
