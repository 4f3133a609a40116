//! Threads that use each other's memory, or do not: AMD's two-thread test (application note 40555, sections 2 and 3.4). It
//! reports the time per line of each thread and of all together, relative to as many local readers, each on its own node
//! of an idle machine, with or without background threads that read their local memory at a given rate.

use std::collections::BTreeMap;

use zerohop_machine::NodeId;
use zerohop_units::counted;
use zerohop_workload::{Role, Worker};

use super::cases::{Listed, base, foreground, listed, pu_of};
use super::subscription::{Load, background};
use crate::cell_accumulator::skipped;
use crate::experiment::Experiment;
use crate::plan::{Measurement, Plan, Ratio, Reading};
use crate::planning::Planning;
use crate::protocol::Pace;
use crate::scope::Scope;
use crate::{Case, ExperimentError};
use zerohop_result::{
    Axis, By, Choice, Columns, Coordinates, Descriptor, Headline, Layout, Measure, Of, Survey, Topic,
};

pub(super) const EXPERIMENT: Experiment = Experiment {
    descriptor: Descriptor {
        name: "crossfire",
        summary: "time per line of two threads that use each other's memory",
        about: "AMD's two-thread test: two threads use local memory or each other's, with or without background load.",
        accepts: &[
            Choice::InstructionSet,
            Choice::Buffer,
            Choice::Cases,
            Choice::Background,
            Choice::Subscription,
        ],
        survey: Survey::None,
        panel: 10,
        topic: Topic::Sharing,
        glance: None,
        headlines: &[Headline::new(Measure::TimePerLine, Of::Everything, By::Scenario)],
        layouts: &[Layout::new(
            "time per line",
            Axis::Case,
            Columns::MeasuresAndThreads,
            &[Measure::RelativeTime, Measure::TimePerLine, Measure::Bandwidth],
        )],
        remark: None,
        mlc: None,
    },
    plan,
};

/// The name of the base among scenarios.
const BASE: &str = "base";

pub(super) fn plan(scope: &Scope) -> Result<Plan, ExperimentError> {
    let load = Load::of(&scope.options)?;
    let (listed, warnings) = listed(scope, &EXPERIMENT.descriptor.name())?;
    let mut rest = Plan { warnings, ..Plan::default() };
    let mut planning = Planning::new(EXPERIMENT.descriptor.name());
    let mut bases = BTreeMap::new();
    for threads in listed.iter().map(|listed| listed.case.threads().len()) {
        bases.entry(threads).or_insert_with(|| base(scope, threads));
    }
    // A base that is also one of the cases is measured only once.
    let is_listed = |base: &Case| load == Load::IDLE && listed.iter().any(|listed| listed.case == *base);
    let mut ranks = BTreeMap::new();
    // The number of foreground threads at each place.
    let mut foreground = Vec::new();
    for (&threads, base) in &bases {
        let Some(base) = base else {
            let what = format!("crossfire, relative times of {}", counted(threads, "thread"));
            rest.warnings.push(skipped(what, &"too few cores have local memory"));
            continue;
        };
        if !is_listed(base) {
            ranks.insert(threads, planning.places());
            foreground.push(threads);
            let at = Coordinates::new().with(Axis::Scenario, BASE);
            planning.add(&base.to_string(), measurement(scope, base, at, Load::IDLE))?;
        }
    }
    let mut alone = 0;
    for Listed { scenario, case, twin } in &listed {
        let at = scenario.map_or_else(Coordinates::new, |scenario| {
            Coordinates::new().with(Axis::Scenario, scenario.name())
        });
        let with_twin = |mut measurement: Measurement| {
            measurement.twin =
                twin.as_ref().map(|twin| measurement.at.clone().with(Axis::Case, twin.to_string()));
            alone += usize::from(measurement.workload.workers.len() == case.threads().len());
            measurement
        };
        let measurement = measurement(scope, case, at, load).map(with_twin);
        if bases.get(&case.threads().len()).is_some_and(|base| base.as_ref() == Some(case))
            && load == Load::IDLE
        {
            ranks.insert(case.threads().len(), planning.places());
        }
        foreground.push(case.threads().len());
        planning.add(&case.to_string(), measurement)?;
    }
    if load != Load::IDLE && alone > 0 {
        let what = format!("crossfire, background threads of {}", counted(alone, "case"));
        rest.warnings.push(skipped(what, &"no core is free for them"));
    }
    let ratios = foreground.iter().enumerate();
    let ratios = ratios.filter_map(|(of, threads)| ranks.get(threads).map(|&base| Ratio { of, base }));
    rest.ratios = ratios.collect();
    rest.order = (0..planning.places()).collect();
    planning.with(rest)
}

/// The threads of `case` under that load.
fn measurement(
    scope: &Scope,
    case: &Case,
    at: Coordinates,
    load: Load,
) -> Result<Measurement, ExperimentError> {
    let mut foreground_places = Vec::with_capacity(case.threads().len());
    for thread in case.threads() {
        foreground_places.push((thread.node, pu_of(scope, thread)?));
    }
    let background_places: Vec<(NodeId, _)> = load.places(scope, &foreground_places);
    let mut places: Vec<_> =
        foreground_places.iter().zip(case.threads()).map(|(&(_, pu), thread)| (pu, thread.memory)).collect();
    places.extend(background_places.iter().map(|&(node, pu)| (pu, scope.own_memory(node))));
    let arrays = scope.arrays(&places)?;
    let mut workers: Vec<Worker> = Vec::with_capacity(places.len());
    let mut warnings = Vec::new();
    for (rank, (&(pu, memory), array)) in places.iter().zip(arrays).enumerate() {
        workers.extend(match case.threads().get(rank) {
            Some(&thread) => Some(foreground(pu, thread, array.size)),
            None => load.background.rate().map(|rate| background(pu, memory, array.size, rate)),
        });
        warnings.extend(array.warnings);
    }
    let threads = case.threads().iter().enumerate();
    let mut readings: Vec<Reading> =
        threads.map(|(worker, thread)| Reading::TimePerLine { worker, thread: thread.to_string() }).collect();
    readings.push(Reading::TotalTimePerLine);
    if !background_places.is_empty() {
        readings.push(Reading::Bandwidth(Role::Background));
    }
    let beside = if load == Load::IDLE {
        String::new()
    } else {
        format!(", {} background, {} subscription", load.background, load.subscription)
    };
    Ok(Measurement {
        at: at
            .with(Axis::Case, case.to_string())
            .with(Axis::Background, load.background.to_string())
            .with(Axis::Subscription, load.subscription.name()),
        twin: None,
        label: format!("{case}{beside}"),
        workload: scope.workload(workers),
        readings,
        fill_time: false,
        pace: Pace::Bandwidth,
        warnings,
    })
}
