//! Latency of a cache-line transfer from core to core: half of a round trip, for pairs of cores, and summarized by the parts that the two cores
//! share; and the latency of one core's loads of lines that another core holds.
//!
//! Two cores pass several lines, because a single line only shows the distance to its slice of the last-level cache. The lines of a pair reside in
//! the memory of the first core's node. For one pair of cores of each relation, loads of clean and of modified lines are measured as well, with the
//! lines in the memory of either core's node and of a third one.
//!
//! On a machine with many cores, the measured pairs cover every relation between two cores.

use std::collections::{BTreeMap, BTreeSet};

use zerohop_machine::{NodeId, PuId};
use zerohop_units::Bytes;
use zerohop_workload::{Activity, Demand, LineState, Pages, Passing, Placement, Role, Worker, Workload};

use super::relation::Nearness;
use crate::experiment::Experiment;
use crate::plan::{Measurement, Plan, Reading, Summary};
use crate::protocol::Pace;
use crate::scope::Scope;
use crate::shuffle::shuffled;
use crate::{Effort, ExperimentError};
use zerohop_result::{
    Axis, By, Choice, Columns, Coordinates, Descriptor, Drawing, Headline, Layout, Measure, MlcBlock, Of,
    Ranking, Survey, Topic,
};

pub(super) const EXPERIMENT: Experiment = Experiment {
    descriptor: Descriptor {
        name: "core-to-core",
        summary: "latency of a cache-line transfer from core to core",
        about: "Two cores pass cache lines back and forth, for pairs of cores that share a cache, a node, a package or nothing. One pair of each kind also loads lines that the other core holds clean or modified.",
        accepts: &[Choice::AllPairs],
        survey: Survey::Every,
        panel: 6,
        topic: Topic::Cores,
        glance: None,
        headlines: &[Headline::new(Measure::Latency, Of::At(Axis::Statistic, "mean"), By::Axis(Axis::Level))],
        layouts: &[
            // With the whole matrix shown, a summary would draw the same data twice.
            Layout::new(
                "core-to-core latency, one way, by what two cores share",
                Axis::Level,
                Columns::Along(Axis::Statistic),
                &[Measure::Latency, Measure::LatencySpread],
            )
            .not_drawn(),
            Layout::new(
                "loads of lines that another core holds, by what two cores share",
                Axis::Level,
                Columns::Along(Axis::Scenario),
                &[Measure::Latency],
            )
            .by(Axis::Placement)
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
            Layout::new(
                "core-to-core latency, slowest minus fastest line",
                Axis::From,
                Columns::Along(Axis::To),
                &[Measure::LatencySpread],
            )
            .in_detail(),
        ],
        remark: None,
        mlc: Some(MlcBlock::CacheToCache),
    },
    plan,
};

/// The most cores that a quick run pairs: 66 pairs, about three seconds.
const QUICK_CORES: usize = 12;

/// The most cores that a full run pairs, unless all pairs are requested: 276 pairs, about half a minute. All pairs of 384
/// cores would take two hours.
const FULL_CORES: usize = 24;

/// The buffer of the lines: pages of their own.
const LINE_BUFFER: Bytes = Bytes::kib(32);

/// A core: its node, and its PU.
type Core = (NodeId, PuId);

pub(super) fn plan(scope: &Scope) -> Result<Plan, ExperimentError> {
    let all: Vec<Core> = scope
        .initiators
        .iter()
        .flat_map(|initiator| initiator.pus.iter().map(|&pu| (initiator.node, pu)))
        .collect();
    if all.len() < 2 {
        let reason = "it needs two CPUs, but there is only one".to_owned();
        return Err(ExperimentError::Impossible { experiment: EXPERIMENT.descriptor.name(), reason });
    }
    let most = match scope.options.effort {
        _ if scope.options.all_pairs => all.len(),
        Effort::Quick => QUICK_CORES,
        Effort::Full => FULL_CORES,
    };
    let nearness = Nearness::of(&scope.machine);
    let cores = if all.len() > most { representatives(&nearness, &all, most) } else { all };
    let mut measurements = Vec::new();
    let mut by_relation: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    let mut examples: BTreeMap<String, (Core, Core)> = BTreeMap::new();
    for (rank, &from) in cores.iter().enumerate() {
        for &to in &cores[rank + 1..] {
            let relation = nearness.shared(from.1, to.1);
            examples.entry(relation.clone()).or_insert((from, to));
            by_relation.entry(relation).or_default().push(measurements.len());
            measurements.push(exchange(scope, from, to));
        }
    }
    for (relation, (reader, owner)) in examples {
        for (word, placement) in homes(scope, reader.0, owner.0) {
            for state in [LineState::Clean, LineState::Modified] {
                let at = Coordinates::new()
                    .with(Axis::Level, relation.as_str())
                    .with(Axis::Placement, word)
                    .with(Axis::Scenario, state.name());
                measurements.push(fetch((reader, owner), (placement.clone(), word), state, at));
            }
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

/// Two cores that bounce lines, in the memory of the first one's node.
fn exchange(scope: &Scope, from: Core, to: Core) -> Measurement {
    let placement = scope.local().placement(scope, from.0);
    Measurement {
        at: Coordinates::new().with(Axis::From, from.1.0).with(Axis::To, to.1.0),
        label: format!("CPU {} <-> CPU {}", from.1, to.1),
        readings: vec![Reading::LineTransfer],
        ..passing(&placement, [from, to], Passing::Exchange)
    }
}

/// A core that loads lines which another core holds in that state.
fn fetch(
    (reader, owner): (Core, Core),
    (placement, word): (Placement, &str),
    state: LineState,
    at: Coordinates,
) -> Measurement {
    let (from, to) = (owner.1, reader.1);
    Measurement {
        at,
        label: format!("CPU {to} loads {} lines of CPU {from}, homed {word}", state.name()),
        readings: vec![Reading::Latency],
        ..passing(&placement, [reader, owner], Passing::Fetch(state))
    }
}

fn passing(placement: &Placement, cores: [Core; 2], passing: Passing) -> Measurement {
    let worker = |core: Core| Worker {
        pu: core.1,
        role: Role::Foreground,
        placement: placement.clone(),
        buffer: LINE_BUFFER,
        activity: Activity::LineTransfer { line: 0, passing },
        demand: Demand::Unlimited,
    };
    Measurement {
        at: Coordinates::new(),
        twin: None,
        label: String::new(),
        workload: Workload {
            workers: cores.map(worker).to_vec(),
            // A few lines need few address translations, whatever the page size.
            pages: Pages::Base,
            instruction_set: None,
        },
        readings: Vec::new(),
        fill_time: false,
        pace: Pace::LineTransfer,
        warnings: Vec::new(),
    }
}

/// The memory that lines may reside in, each with its name: that of the two cores' nodes and, where there is one, of a third
/// node, the one nearest to both.
fn homes(scope: &Scope, reader: NodeId, owner: NodeId) -> Vec<(&'static str, Placement)> {
    let [reader_home, owner_home] = [reader, owner].map(|node| scope.own_memory(node));
    if reader_home == owner_home {
        return vec![("local", Placement::Node(reader_home))];
    }
    let others = scope.targets.iter().copied().filter(|node| ![reader_home, owner_home].contains(node));
    let distance =
        |node: &NodeId| u64::from(scope.distance(reader, *node)) + u64::from(scope.distance(owner, *node));
    let third = others.min_by_key(distance).map(|node| ("third_node", node));
    let sides = [("reader_node", reader_home), ("owner_node", owner_home)];
    sides.into_iter().chain(third).map(|(word, node)| (word, Placement::Node(node))).collect()
}

/// At most `most` cores that cover as many kinds of pairs as possible: each pick adds the most new kinds, where a kind is
/// what two cores share and the nodes that they belong to.
fn representatives(nearness: &Nearness, all: &[Core], most: usize) -> Vec<Core> {
    let kind =
        |one: Core, other: Core| (one.0.min(other.0), one.0.max(other.0), nearness.shared(one.1, other.1));
    let mut chosen: Vec<Core> = Vec::with_capacity(most);
    let mut kinds = BTreeSet::new();
    // Each candidate with the kinds of pairs that it makes with those chosen, except those that are covered.
    let mut left: Vec<(Core, BTreeSet<_>)> = all.iter().map(|&core| (core, BTreeSet::new())).collect();
    while chosen.len() < most && !left.is_empty() {
        let best = left.iter().map(|(_, new)| new.len()).max().unwrap_or(0);
        // If none adds a kind, spread out: pick the middle of those left.
        let place = if best == 0 && !chosen.is_empty() {
            left.len() / 2
        } else {
            left.iter().position(|(_, new)| new.len() == best).unwrap_or(0)
        };
        let (core, new) = left.remove(place);
        for (candidate, kinds_of_candidate) in &mut left {
            kinds_of_candidate.retain(|kind| !new.contains(kind));
            let with_core = kind(core, *candidate);
            if !kinds.contains(&with_core) && !new.contains(&with_core) {
                kinds_of_candidate.insert(with_core);
            }
        }
        kinds.extend(new);
        chosen.push(core);
    }
    chosen.sort_by_key(|&(_, pu)| pu);
    chosen
}
