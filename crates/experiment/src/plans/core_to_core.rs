//! Latency of a cache-line transfer from core to core: half of a round trip, for every pair of cores, and summarized by
//! what the two cores share.
//!
//! A quick run on a machine with many cores picks cores that cover every relation between two cores. The line resides in
//! the memory of the first core's node.

use std::collections::{BTreeMap, BTreeSet};

use zerohop_machine::{NodeId, PuId};
use zerohop_units::Bytes;
use zerohop_workload::{Activity, Demand, Pages, Role, Worker, Workload};

use super::relation::shared;
use crate::experiment::Experiment;
use crate::plan::{Measurement, Plan, Reading, Summary};
use crate::protocol::Pace;
use crate::scope::Scope;
use crate::shuffle::shuffled;
use crate::{Effort, ExperimentError};
use zerohop_result::{
    Axis, By, Columns, Coordinates, Descriptor, Drawing, Headline, Layout, Measure, MlcBlock, Of, Ranking,
    Survey,
};

pub(super) const EXPERIMENT: Experiment = Experiment {
    descriptor: Descriptor {
        name: "core-to-core",
        summary: "latency of a cache-line transfer from core to core",
        about: "Two cores pass one cache line back and forth, for pairs of cores that share a cache, a node, a package or nothing.",
        accepts: &[],
        survey: Survey::Every,
        panel: 6,
        glance: None,
        headlines: &[Headline::new(Measure::Latency, Of::At(Axis::Statistic, "mean"), By::Axis(Axis::Level))],
        layouts: &[
            // With the whole matrix shown, a summary would draw the same data twice.
            Layout::new(
                "core-to-core latency, one way, by what two cores share",
                Axis::Level,
                Columns::Along(Axis::Statistic),
                &[Measure::Latency],
            )
            .not_drawn(),
            Layout::new(
                "core-to-core latency, one way",
                Axis::From,
                Columns::Along(Axis::To),
                &[Measure::Latency],
            )
            .ranked(Ranking::Whole)
            .in_detail()
            .drawn(Drawing::HeatMap),
        ],
        remark: None,
        mlc: Some(MlcBlock::CacheToCache),
    },
    plan,
};

/// The most cores that a quick run pairs: 66 pairs, about three seconds.
const QUICK_CORES: usize = 12;

/// The buffer of the line: one page of its own.
const LINE_BUFFER: Bytes = Bytes::kib(4);

pub(super) fn plan(scope: &Scope) -> Result<Plan, ExperimentError> {
    let all: Vec<(NodeId, PuId)> = scope
        .initiators
        .iter()
        .flat_map(|initiator| initiator.pus.iter().map(|&pu| (initiator.node, pu)))
        .collect();
    if all.len() < 2 {
        let reason = "it takes two CPUs, and there is one".to_owned();
        return Err(ExperimentError::Impossible { experiment: EXPERIMENT.descriptor.name(), reason });
    }
    let cores = match scope.options.effort {
        Effort::Quick if all.len() > QUICK_CORES => representatives(scope, &all, QUICK_CORES),
        Effort::Quick | Effort::Full => all,
    };
    let mut measurements = Vec::new();
    let mut by_relation: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (rank, &from) in cores.iter().enumerate() {
        for &to in &cores[rank + 1..] {
            by_relation.entry(shared(&scope.machine, from.1, to.1)).or_default().push(measurements.len());
            measurements.push(measurement(scope, from, to));
        }
    }
    let summaries = by_relation.into_iter().map(|(relation, over)| Summary {
        at: Coordinates::new().with(Axis::Level, relation.as_str()),
        over,
    });
    Ok(Plan {
        summaries: summaries.collect(),
        order: shuffled(measurements.len(), scope.options.seed),
        measurements,
        ..Plan::default()
    })
}

fn measurement(scope: &Scope, from: (NodeId, PuId), to: (NodeId, PuId)) -> Measurement {
    let placement = scope.local().placement(scope, from.0);
    let worker = |pu| Worker {
        pu,
        role: Role::Foreground,
        placement: placement.clone(),
        buffer: LINE_BUFFER,
        activity: Activity::Handoff { line: 0 },
        demand: Demand::Unlimited,
    };
    Measurement {
        at: Coordinates::new().with(Axis::From, from.1.0).with(Axis::To, to.1.0),
        twin: None,
        label: format!("CPU {} <-> CPU {}", from.1, to.1),
        workload: Workload {
            workers: vec![worker(from.1), worker(to.1)],
            // One line needs one address translation, whatever the page size.
            pages: Pages::Base,
            instruction_set: None,
        },
        readings: vec![Reading::Handoff],
        fill_time: false,
        pace: Pace::Handoff,
        warnings: Vec::new(),
    }
}

/// At most `most` cores that cover as many kinds of pairs as possible: each pick adds the most new kinds, where a kind is
/// what two cores share and the nodes that they belong to.
fn representatives(scope: &Scope, all: &[(NodeId, PuId)], most: usize) -> Vec<(NodeId, PuId)> {
    let kind = |one: (NodeId, PuId), other: (NodeId, PuId)| {
        (one.0.min(other.0), one.0.max(other.0), shared(&scope.machine, one.1, other.1))
    };
    let mut chosen: Vec<(NodeId, PuId)> = Vec::with_capacity(most);
    let mut kinds = BTreeSet::new();
    let mut left = all.to_vec();
    while chosen.len() < most && !left.is_empty() {
        let added = |candidate: (NodeId, PuId)| {
            let with_chosen = chosen.iter().map(|&core| kind(core, candidate));
            with_chosen.filter(|kind| !kinds.contains(kind)).collect::<BTreeSet<_>>().len()
        };
        let gains: Vec<usize> = left.iter().map(|&candidate| added(candidate)).collect();
        let best = gains.iter().copied().max().unwrap_or(0);
        // If none adds a kind, spread out: pick the middle of those left.
        let place = if best == 0 && !chosen.is_empty() {
            left.len() / 2
        } else {
            gains.iter().position(|&gain| gain == best).unwrap_or(0)
        };
        let core = left.remove(place);
        kinds.extend(chosen.iter().map(|&other| kind(other, core)));
        chosen.push(core);
    }
    chosen.sort_by_key(|&(_, pu)| pu);
    chosen
}
