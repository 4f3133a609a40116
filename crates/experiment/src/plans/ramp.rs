//! Bandwidth of one node's memory as more and more cores of other nodes use it: does it rise to a plateau, or fall again? Step
//! k runs k cores on each initiator, with all of their memory on the target.
//!
//! A survey also has a ramp of a node's cores with their own memory: it shows how many of them fill it.

use std::collections::BTreeSet;

use zerohop_machine::NodeId;
use zerohop_units::counted;
use zerohop_workload::{Kernel, Role};

use crate::cell_accumulator::skipped;
use crate::experiment::Experiment;
use crate::kernel_workers::Destination;
use crate::plan::{Curve, Measurement, Plan, Reading};
use crate::planning::Planning;
use crate::protocol::Pace;
use crate::scope::{Initiator, Scope};
use crate::{Effort, ExperimentError};
use zerohop_result::{
    Axis, By, Choice, Columns, Coordinate, Coordinates, Descriptor, Drawing, Headline, Layout, Measure, Of,
    Print, Survey, Topic, When,
};

pub(super) const EXPERIMENT: Experiment = Experiment {
    descriptor: Descriptor {
        name: "ramp",
        summary: "bandwidth as more and more cores use one node's memory",
        about: "One, two, … cores of every other node use one node's memory. Shows whether bandwidth stays at its peak or collapses. A survey of several nodes runs eight steps of it.",
        accepts: &[
            Choice::Kernel,
            Choice::InstructionSet,
            Choice::Buffer,
            Choice::Initiators,
            Choice::Targets,
        ],
        survey: Survey::SeveralNodes,
        panel: 11,
        topic: Topic::Sharing,
        glance: None,
        headlines: &[
            Headline::new(Measure::Bandwidth, Of::At(Axis::Statistic, "peak"), By::Name("peak")),
            Headline::new(Measure::RelativeBandwidth, Of::At(Axis::Statistic, "fall"), By::Name("end")),
        ],
        layouts: &[
            Layout::new(
                "ramp",
                Axis::CoresPerNode,
                Columns::Measures,
                &[Measure::Bandwidth, Measure::Latency],
            )
            .when(When::Fewer(2, Axis::Initiator))
            .drawn(Drawing::Rise),
            Layout::new(
                "ramp",
                Axis::CoresPerNode,
                Columns::Measures,
                &[Measure::Bandwidth, Measure::Latency],
            )
            .only(Axis::Initiator, "all")
            .when(When::AtLeast(2, Axis::Initiator))
            .drawn(Drawing::Rise),
            Layout::new(
                "turns",
                Axis::Statistic,
                Columns::Measures,
                &[Measure::Bandwidth, Measure::RelativeBandwidth],
            )
            .in_detail()
            .printed(Print::Turns),
            Layout::new(
                "share of each node",
                Axis::CoresPerNode,
                Columns::Along(Axis::Initiator),
                &[Measure::Bandwidth],
            )
            .when(When::AtLeast(2, Axis::Initiator))
            .in_detail(),
        ],
        remark: None,
        mlc: None,
    },
    plan,
};

/// Points of a quick ramp, and of a survey's.
const QUICK_POINTS: usize = 8;

pub(super) fn plan(scope: &Scope) -> Result<Plan, ExperimentError> {
    let destination = destination(scope);
    let mut warnings = Vec::new();
    let mut initiators: Vec<&Initiator> = scope.initiators.iter().collect();
    if scope.options.initiators.is_none() {
        let is_target = |initiator: &Initiator| matches!(&destination, Destination::Node(node) if *node == initiator.node);
        initiators.retain(|initiator| !is_target(initiator));
        if initiators.is_empty() {
            warnings
                .push(skipped("ramp of other nodes' cores".to_owned(), &"no other node's CPUs are in use"));
            initiators = scope.initiators.iter().collect();
        }
    }
    let kernel = scope.options.kernel.unwrap_or(Kernel::Triad);
    let mut planning = Planning::new(EXPERIMENT.descriptor.name());
    let steps = steps(scope, &initiators, |place| !is_own(place));
    for &cores in &steps {
        let label = format!("{cores} cores per node");
        let one = measurement(scope, &initiators, (&destination, kernel), cores, steps.len());
        planning.add(&label, one)?;
    }
    let over: Vec<usize> = (0..planning.places()).collect();
    let curves = if over.is_empty() { Vec::new() } else { vec![Curve { over }] };
    if let Some((node, own)) = own_memory(scope) {
        let kernel = scope.options.kernel.unwrap_or(Kernel::Read);
        let steps = self::steps(scope, &[node], is_own);
        for &cores in &steps {
            let label = format!("{cores} cores of node {}, local memory", node.node);
            let one = measurement(scope, &[node], (&own, kernel), cores, steps.len());
            // Without a look inside, the last point is that of the bandwidth matrix.
            planning.add(&label, one.map(|one| Measurement { fill_time: false, ..one }))?;
        }
    }
    let order = (0..planning.places()).collect();
    planning.with(Plan { order, curves, warnings, ..Plan::default() })
}

/// The numbers of cores: those that were asked for; all, or a few.
fn steps(scope: &Scope, initiators: &[&Initiator], is_of_it: impl Fn(&Coordinates) -> bool) -> Vec<usize> {
    let most = initiators.iter().map(|initiator| initiator.pus.len()).max().unwrap_or(1);
    if let Some(places) = &scope.options.places {
        let asked = places.iter().filter(|place| is_of_it(place));
        let asked = asked.filter_map(|place| usize::try_from(place.number(Axis::CoresPerNode)?).ok());
        let asked: BTreeSet<usize> = asked.filter(|cores| (1..=most).contains(cores)).collect();
        return asked.into_iter().collect();
    }
    match scope.options.effort {
        Effort::Full if !scope.in_survey => (1..=most).collect(),
        Effort::Quick | Effort::Full => even_steps(most, QUICK_POINTS),
    }
}

/// Whether a cell is of a node's cores with their own memory.
fn is_own(place: &Coordinates) -> bool {
    place.number(Axis::Initiator).is_some_and(|node| place.number(Axis::Target) == Some(node))
}

/// The first node whose cores have memory of their own, and that memory, where a ramp of them is wanted, too.
fn own_memory(scope: &Scope) -> Option<(&Initiator, Destination)> {
    let is_wanted = |node: NodeId| match &scope.options.places {
        Some(places) => {
            let of_node = |place: &Coordinates| place.number(Axis::Initiator) == Some(node.0.into());
            places.iter().any(|place| is_own(place) && of_node(place))
        }
        None => scope.in_survey,
    };
    let node =
        scope.initiators.iter().find(|one| scope.targets.contains(&one.node) && is_wanted(one.node))?;
    Some((node, Destination::Node(node.node)))
}

/// The named targets, or the last node that has memory.
fn destination(scope: &Scope) -> Destination {
    match (scope.options.targets.as_deref(), scope.targets.as_slice()) {
        (Some([node]), _) | (None, [.., node]) => Destination::Node(*node),
        (Some(nodes), _) => Destination::Interleaved(nodes.to_vec()),
        // A scope always has a target.
        (None, []) => Destination::Local,
    }
}

/// 1, `most`, and evenly spaced values between them, at most `points` in all.
pub(super) fn even_steps(most: usize, points: usize) -> Vec<usize> {
    if most <= points {
        return (1..=most).collect();
    }
    let last = points - 1;
    (0..points).map(|point| 1 + (point * (most - 1) + last / 2) / last).collect()
}

/// The first `cores` cores of every initiator, or all of its cores if it has fewer.
fn measurement(
    scope: &Scope,
    initiators: &[&Initiator],
    (destination, kernel): (&Destination, Kernel),
    cores: usize,
    preparations: usize,
) -> Result<Measurement, ExperimentError> {
    let parts: Vec<Initiator> = initiators
        .iter()
        .map(|initiator| Initiator {
            pus: initiator.pus.iter().copied().take(cores).collect(),
            ..(*initiator).clone()
        })
        .collect();
    let kernel_workers =
        scope.kernel_workers(&parts.iter().collect::<Vec<_>>(), destination, kernel, preparations)?;
    let mut readings = vec![Reading::Bandwidth(Role::Foreground)];
    let mut first = 0;
    for part in &parts {
        let workers = first..first + part.pus.len();
        first = workers.end;
        if parts.len() > 1 {
            readings.push(Reading::BandwidthOf { workers, initiator: part.node });
        }
    }
    let everyone: Coordinate = match parts.as_slice() {
        [only] => only.node.0.into(),
        _ => "all".into(),
    };
    Ok(Measurement {
        at: Coordinates::new()
            .with(Axis::Initiator, everyone)
            .with(Axis::Target, destination.coordinate(scope, initiators))
            .with(Axis::Kernel, kernel.name())
            .with(Axis::CoresPerNode, cores),
        twin: None,
        label: format!("{} per node{}, {kernel}", counted(cores, "core"), destination.words()),
        workload: scope.workload(kernel_workers.workers),
        readings,
        fill_time: true,
        pace: Pace::Bandwidth,
        warnings: kernel_workers.warnings,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quick_ramp_has_both_ends_and_even_steps() {
        assert_eq!(even_steps(5, 8), [1, 2, 3, 4, 5]);
        assert_eq!(even_steps(28, 8), [1, 5, 9, 13, 16, 20, 24, 28]);
        for most in 1..200 {
            let steps = even_steps(most, 8);
            assert_eq!((steps[0], *steps.last().unwrap()), (1, most));
            assert!(steps.len() <= 8 && steps.is_sorted_by(|one, other| one < other), "{steps:?}");
        }
    }
}
