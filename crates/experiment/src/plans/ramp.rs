//! Bandwidth of one node's memory as more and more cores of other nodes use it: does it rise to a plateau, or fall again? Step
//! k runs k cores on each initiator, with all of their memory on the target.

use zerohop_units::counted;
use zerohop_workload::{Kernel, Role};

use crate::experiment::Experiment;
use crate::kernel_workers::Destination;
use crate::ledger::skipped;
use crate::plan::{Curve, Measurement, Plan, Reading};
use crate::planning::Planning;
use crate::protocol::Pace;
use crate::scope::{Initiator, Scope};
use crate::{Effort, ExperimentError};
use zerohop_result::{
    Axis, By, Choice, Columns, Coordinate, Coordinates, Descriptor, Drawing, Headline, Layout, Measure, Of,
    Print, Survey, When,
};

pub(super) const EXPERIMENT: Experiment = Experiment {
    descriptor: Descriptor {
        name: "ramp",
        summary: "bandwidth as more and more cores use one node's memory",
        about: "One, two, … cores of every other node use one node's memory. Shows whether bandwidth stays at its peak or collapses.",
        accepts: &[
            Choice::Kernel,
            Choice::InstructionSet,
            Choice::Buffer,
            Choice::Initiators,
            Choice::Targets,
        ],
        survey: Survey::None,
        panel: 11,
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

/// Points of a quick ramp.
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
                .push(skipped("ramp of other nodes' cores".to_owned(), &"no other node's CPUs take part"));
            initiators = scope.initiators.iter().collect();
        }
    }
    let most = initiators.iter().map(|initiator| initiator.pus.len()).max().unwrap_or(1);
    let steps = match scope.options.effort {
        Effort::Quick => even_steps(most, QUICK_POINTS),
        Effort::Full => (1..=most).collect(),
    };
    let mut planning = Planning::new(EXPERIMENT.descriptor.name());
    for &cores in &steps {
        let label = format!("{cores} cores per node");
        planning.add(&label, measurement(scope, &initiators, &destination, cores, steps.len()))?;
    }
    let order: Vec<usize> = (0..planning.places()).collect();
    let curves = vec![Curve { over: order.clone() }];
    planning.with(Plan { order, curves, warnings, ..Plan::default() })
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
    destination: &Destination,
    cores: usize,
    preparations: usize,
) -> Result<Measurement, ExperimentError> {
    let kernel = scope.options.kernel.unwrap_or(Kernel::Triad);
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
