//! Cost of distance for one thread: a reader, then a writer, on the first core of a node, one access per line, with its array on each node in turn;
//! as time per line, and relative to the local read (AMD application note 40555, figures 3 to 5).

use super::cases::foreground;
use crate::cell_accumulator::skipped;
use crate::experiment::Experiment;
use crate::plan::{Measurement, Plan, Ratio, Reading};
use crate::planning::Planning;
use crate::protocol::Pace;
use crate::scope::{Initiator, Scope};
use crate::{Effort, ExperimentError, ForegroundThread, ThreadMode};
use zerohop_result::{
    Axis, By, Choice, Columns, Coordinates, Descriptor, Headline, Layout, Measure, Of, Survey, Topic,
};

pub(super) const EXPERIMENT: Experiment = Experiment {
    descriptor: Descriptor {
        name: "hops",
        summary: "time per line of one reader and one writer, by the node of the memory",
        about: "One thread reads, then writes, an array on each node in turn, as in AMD's application note 40555. Shows the cost of distance for one thread.",
        accepts: &[Choice::InstructionSet, Choice::Buffer, Choice::Initiators, Choice::Targets],
        survey: Survey::None,
        panel: 9,
        topic: Topic::Nodes,
        glance: None,
        headlines: &[Headline::new(Measure::TimePerLine, Of::Everything, By::AxisAndDistance(Axis::Kernel))],
        layouts: &[
            Layout::new("time per line", Axis::Kernel, Columns::Along(Axis::Target), &[Measure::TimePerLine]),
            Layout::new(
                "relative time",
                Axis::Kernel,
                Columns::Along(Axis::Target),
                &[Measure::RelativeTime],
            ),
        ],
        remark: None,
        mlc: None,
    },
    plan,
};

pub(super) fn plan(scope: &Scope) -> Result<Plan, ExperimentError> {
    let options = &scope.options;
    let named = options.nodes.is_some() || options.cpus.is_some() || options.initiators.is_some();
    let one = options.effort == Effort::Quick && !named;
    let initiators = if one { &scope.initiators[..1] } else { &scope.initiators };
    let mut planning = Planning::new(EXPERIMENT.descriptor.name());
    let mut rest = Plan::default();
    for initiator in initiators {
        add(scope, initiator, &mut planning, &mut rest)?;
    }
    let mut plan = planning.with(rest)?;
    let remote = initiators.iter().any(|initiator| {
        let own = scope.own_memory(initiator.node);
        scope.targets.iter().chain([&own]).any(|&memory| memory != initiator.node)
    });
    if !remote {
        plan.warnings.push(skipped("hops to other nodes".to_owned(), &"no other node's memory is in use"));
    }
    Ok(plan)
}

/// A reader and a writer on the first core of `initiator`, on every target and, as the base, its own memory.
fn add(
    scope: &Scope,
    initiator: &Initiator,
    planning: &mut Planning,
    rest: &mut Plan,
) -> Result<(), ExperimentError> {
    let own = scope.own_memory(initiator.node);
    let mut memories = scope.targets.clone();
    if !memories.contains(&own) {
        memories.insert(0, own);
    }
    let first = planning.places();
    for mode in ThreadMode::ALL {
        for &memory in &memories {
            let thread = ForegroundThread { node: initiator.node, core: 0, mode, memory };
            planning.add(&thread.to_string(), measurement(scope, initiator, thread))?;
        }
    }
    let local_read = first + memories.iter().position(|&memory| memory == own).unwrap_or(0);
    rest.ratios.extend((first..planning.places()).map(|of| Ratio { of, base: local_read }));
    // The writer uses the reader's array.
    let columns = 0..memories.len();
    rest.order.extend(columns.flat_map(|column| [first + column, first + memories.len() + column]));
    Ok(())
}

fn measurement(
    scope: &Scope,
    initiator: &Initiator,
    thread: ForegroundThread,
) -> Result<Measurement, ExperimentError> {
    let ForegroundThread { mode, memory, .. } = thread;
    let pu = initiator.pus[0];
    let array = scope.arrays(&[(pu, memory)])?.remove(0);
    Ok(Measurement {
        at: Coordinates::new()
            .with(Axis::Initiator, initiator.node.0)
            .with(Axis::Target, memory.0)
            .with(Axis::Kernel, mode.kernel().name()),
        twin: None,
        label: thread.to_string(),
        workload: scope.workload(vec![foreground(pu, thread, array.size)]),
        readings: vec![Reading::TotalTimePerLine],
        fill_time: false,
        pace: Pace::Bandwidth,
        warnings: array.warnings,
    })
}
