//! Read bandwidth of all cores over one large buffer, by access width and by placement of the buffer: first touched by
//! one thread (all of it on one node), first touched by its users (each part on its user's node), or interleaved.

use std::collections::BTreeSet;

use zerohop_machine::{NodeId, PuId};
use zerohop_units::Bytes;
use zerohop_workload::{Access, Activity, Demand, InstructionSet, Kernel, Placement, Role, Worker, Workload};

use crate::ExperimentError;
use crate::experiment::Experiment;
use crate::footprint::share;
use crate::plan::{Measurement, Plan, Reading};
use crate::protocol::Pace;
use crate::scope::Scope;
use zerohop_result::{
    Axis, By, Choice, Columns, Coordinates, Descriptor, Headline, Layout, Measure, Of, Ranking, Remark,
    Survey, Topic,
};

pub(super) const EXPERIMENT: Experiment = Experiment {
    descriptor: Descriptor {
        name: "global-bandwidth",
        summary: "read bandwidth by access width and placement of one large buffer",
        about: "All cores read one shared buffer that one thread touched first, that its users touched first, or that is interleaved. Shows the cost of first touch on one node.",
        accepts: &[Choice::Kernel, Choice::InstructionSet, Choice::Buffer, Choice::Interleave],
        survey: Survey::Full,
        panel: 7,
        topic: Topic::Bandwidth,
        glance: None,
        headlines: &[Headline::new(Measure::Bandwidth, Of::Everything, By::Axis(Axis::Placement)).highest()],
        layouts: &[Layout::new(
            "bandwidth of the machine",
            Axis::Width,
            Columns::Along(Axis::Placement),
            &[Measure::Bandwidth],
        )
        .ranked(Ranking::Whole)],
        remark: Some(Remark::FirstTouch),
        mlc: None,
    },
    plan,
};

pub(super) fn plan(scope: &Scope) -> Result<Plan, ExperimentError> {
    let kernel = scope.options.kernel.unwrap_or(Kernel::Read);
    let users: Vec<PuId> =
        scope.initiators.iter().flat_map(|initiator| initiator.pus.iter().copied()).collect();
    let placements = placements(scope, users[0]);
    let widths = widths(scope);
    if widths.is_empty() {
        let reason = "the processor decides the width of these instructions' accesses".to_owned();
        return Err(ExperimentError::Impossible { experiment: EXPERIMENT.descriptor.name(), reason });
    }
    let count = placements.len();
    let caches = scope.caches_in_front(&users);
    // All placements use one size, which fits even if all of the buffer is on one node.
    let footprint = scope.footprint_of(&Placement::FirstTouch(users[0]), caches, count);
    let each = share(footprint.size, users.len(), kernel.arrays())
        .ok_or_else(|| scope.too_small(footprint.size, users.len(), &Placement::FirstTouch(users[0])))?;
    let mut measurements = Vec::with_capacity(count * widths.len());
    for (word, placement_for) in &placements {
        for &(set, width) in &widths {
            let workers = users.iter().map(|&pu| Worker {
                pu,
                role: Role::Foreground,
                placement: placement_for.of(pu),
                buffer: each,
                activity: Activity::Kernel { kernel, access: Access::Sequential },
                demand: Demand::Unlimited,
            });
            let at = Coordinates::new().with(Axis::Width, width.get()).with(Axis::Placement, *word);
            measurements.push(Measurement {
                at: if kernel == Kernel::Read { at } else { at.with(Axis::Kernel, kernel.name()) },
                twin: None,
                label: format!("{kernel}, {width} per access, {}", word.replace('_', " ")),
                workload: Workload {
                    workers: workers.collect(),
                    pages: scope.options.pages,
                    instruction_set: Some(set),
                },
                readings: vec![Reading::Bandwidth(Role::Foreground)],
                fill_time: false,
                pace: Pace::Bandwidth,
                warnings: footprint.warnings.clone(),
            });
        }
    }
    Ok(Plan::in_order(measurements))
}

/// Which thread determines where a worker's part of the buffer resides.
enum Toucher {
    One(PuId),
    User,
    Nobody(Vec<NodeId>),
}

impl Toucher {
    /// The placement of the part that `user` reads.
    fn of(&self, user: PuId) -> Placement {
        match self {
            Self::One(pu) => Placement::FirstTouch(*pu),
            Self::User => Placement::FirstTouch(user),
            Self::Nobody(nodes) => Placement::Interleaved(nodes.clone()),
        }
    }
}

/// The placements, by name. Interleaving over one node is not a separate placement.
fn placements(scope: &Scope, first: PuId) -> Vec<(&'static str, Toucher)> {
    let nodes = scope.options.interleave.clone().unwrap_or_else(|| scope.targets.clone());
    let mut placements = vec![("first_touch_one", Toucher::One(first)), ("first_touch_users", Toucher::User)];
    if nodes.len() > 1 {
        placements.push(("interleaved", Toucher::Nobody(nodes)));
    }
    placements
}

/// One instruction set for each access width, narrowest first; or only the requested one.
fn widths(scope: &Scope) -> Vec<(InstructionSet, Bytes)> {
    let sets = match scope.options.instruction_set {
        Some(set) => vec![set],
        None => scope.instruction_sets.clone(),
    };
    let mut known = BTreeSet::new();
    let mut widths: Vec<_> = sets
        .into_iter()
        .filter_map(|set| set.width().map(|width| (set, width)))
        .filter(|&(_, width)| known.insert(width))
        .collect();
    widths.sort_by_key(|&(_, width)| width);
    widths
}
