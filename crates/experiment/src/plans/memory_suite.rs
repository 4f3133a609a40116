//! Every placement of STREAM on a machine's nodes, each from one core per node to all: each node by itself, all on their own
//! memory, all on another node's, all or all others on one node's, one node over all nodes, and everything interleaved.
//!
//! A setting that improves one placement may hurt another. Their geometric mean shows whether it was worth it.

use std::collections::BTreeMap;

use zerohop_machine::NodeId;
use zerohop_units::counted;
use zerohop_workload::{Kernel, Role};

use crate::experiment::Experiment;
use crate::kernel_workers::Destination;
use crate::plan::{Measurement, Plan, Reading};
use crate::planning::Planning;
use crate::plans::ramp::even_steps;
use crate::protocol::Pace;
use crate::scope::{Initiator, Scope};
use crate::{Effort, ExperimentError};
use zerohop_result::{
    Axis, By, Choice, Columns, Coordinates, Descriptor, Headline, Layout, Measure, Of, Survey, Topic,
};

pub(super) const EXPERIMENT: Experiment = Experiment {
    descriptor: Descriptor {
        name: "memory-suite",
        summary: "STREAM in every local and remote placement, by cores per node",
        about: "One kernel in every local and remote placement, from one core per node to all. Its geometric mean shows whether a change of settings pays off overall.",
        accepts: &[Choice::Kernel, Choice::InstructionSet, Choice::Buffer],
        survey: Survey::None,
        panel: 12,
        topic: Topic::Bandwidth,
        glance: None,
        headlines: &[
            // With all cores, over all kernels.
            Headline::new(Measure::Bandwidth, Of::Most(Axis::CoresPerNode), By::Axis(Axis::Scenario)),
        ],
        layouts: &[
            Layout::new(
                "each node by itself, on local memory",
                Axis::CoresPerNode,
                Columns::Along(Axis::Initiator),
                &[Measure::Bandwidth],
            )
            .only(Axis::Scenario, "alone"),
            Layout::new(
                "all placements",
                Axis::CoresPerNode,
                Columns::Along(Axis::Scenario),
                &[Measure::Bandwidth],
            ),
        ],
        remark: None,
        mlc: None,
    },
    plan,
};

/// Points of each ramp of a quick suite.
const QUICK_POINTS: usize = 4;

/// Which initiators use whose memory.
struct Scenario<'a> {
    name: &'static str,
    initiators: Vec<&'a Initiator>,
    destination: Destination,
}

pub(super) fn plan(scope: &Scope) -> Result<Plan, ExperimentError> {
    let kernel = scope.options.kernel.unwrap_or(Kernel::Triad);
    let scenarios = scenarios(scope);
    let mut planning = Planning::new(EXPERIMENT.descriptor.name());
    for scenario in &scenarios {
        let most = scenario.initiators.iter().map(|initiator| initiator.pus.len()).max().unwrap_or(1);
        let steps = match scope.options.effort {
            Effort::Quick => even_steps(most, QUICK_POINTS),
            Effort::Full => (1..=most).collect(),
        };
        for &cores in &steps {
            let label = format!("{}, {cores} cores per node", scenario.name);
            let measurement = measurement(scope, scenario, kernel, cores, scenarios.len() * steps.len());
            planning.add(&label, measurement)?;
        }
    }
    planning.in_order()
}

/// All scenarios that are distinct on this machine.
fn scenarios(scope: &Scope) -> Vec<Scenario<'_>> {
    let all: Vec<&Initiator> = scope.initiators.iter().collect();
    let mut scenarios: Vec<Scenario<'_>> = all
        .iter()
        .map(|&one| Scenario { name: "alone", initiators: vec![one], destination: Destination::Local })
        .collect();
    let mut add = |name, initiators, destination| {
        scenarios.push(Scenario { name, initiators, destination });
    };
    if all.len() > 1 {
        add("all-local", all.clone(), Destination::Local);
    }
    let targets = &scope.targets;
    let Some(&last) = targets.last().filter(|_| targets.len() > 1) else { return scenarios };
    let next = |node| {
        let rank = targets.iter().position(|&target| target == scope.home(node));
        targets[rank.map_or(0, |rank| (rank + 1) % targets.len())]
    };
    let ring: BTreeMap<NodeId, NodeId> = all.iter().map(|one| (one.node, next(one.node))).collect();
    add("ring", all.clone(), Destination::Each(ring));
    if all.len() > 1 {
        add("all-to-one", all.clone(), Destination::Node(last));
    }
    let others: Vec<&Initiator> = all.iter().copied().filter(|one| one.node != last).collect();
    if !others.is_empty() && others.len() < all.len() {
        add("others-to-one", others, Destination::Node(last));
    }
    add("one-to-all", vec![all[0]], Destination::Interleaved(targets.clone()));
    if all.len() > 1 {
        add("interleaved", all, Destination::Interleaved(targets.clone()));
    }
    scenarios
}

/// The first `cores` cores of every initiator, or all of its cores if it has fewer.
fn measurement(
    scope: &Scope,
    scenario: &Scenario<'_>,
    kernel: Kernel,
    cores: usize,
    preparations: usize,
) -> Result<Measurement, ExperimentError> {
    let part = |initiator: &&Initiator| Initiator {
        pus: initiator.pus.iter().copied().take(cores).collect(),
        ..(*initiator).clone()
    };
    let parts: Vec<Initiator> = scenario.initiators.iter().map(part).collect();
    let kernel_workers = scope.kernel_workers(
        &parts.iter().collect::<Vec<_>>(),
        &scenario.destination,
        kernel,
        preparations,
    )?;
    let at = Coordinates::new()
        .with(Axis::Scenario, scenario.name)
        .with(Axis::Kernel, kernel.name())
        .with(Axis::CoresPerNode, cores);
    let (at, whose) = match (scenario.name, parts.as_slice()) {
        ("alone", [one]) => (at.with(Axis::Initiator, one.node.0), format!("node {} ", one.node)),
        _ => (at, String::new()),
    };
    Ok(Measurement {
        at,
        twin: None,
        label: format!("{whose}{}, {} per node, {kernel}", scenario.name, counted(cores, "core")),
        workload: scope.workload(kernel_workers.workers),
        readings: vec![Reading::Bandwidth(Role::Foreground)],
        fill_time: false,
        pace: Pace::Bandwidth,
        warnings: kernel_workers.warnings,
    })
}
