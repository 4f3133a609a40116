//! Evaluates a condition: which file of `predicate/` answers which test.

use crate::condition::Condition;
use crate::facts::Facts;
use crate::predicate::{
    common_cause, curve, devices, distances, distant_cores, evidence, expected, fleet, listing, machine,
    nodes, pairs, proportions, self_consistency, slow_readers, swapped_nodes, whole_machine,
};
use crate::resolved_values::Bounds;
use crate::test_outcome::{Match, TestOutcome};

impl Condition {
    /// Whether it holds, and where.
    pub(crate) fn evaluate(&self, facts: &Facts<'_>) -> TestOutcome {
        let told = match self {
            Self::All { of } => return all(of, facts),
            Self::Any { of } => return any(of, facts),
            Self::Not { of } => {
                return match of.evaluate(facts) {
                    TestOutcome::Holds(_) => TestOutcome::No,
                    TestOutcome::No => TestOutcome::one(Match::fact([])),
                    unknown => unknown,
                };
            }
            Self::NodeBelowSisters { experiment, query, least } => {
                nodes::below_sisters(facts, experiment, &query.0, *least)
            }
            Self::NodeBelowSistersAbroad { experiment, query, least } => {
                nodes::below_sisters_abroad(facts, experiment, &query.0, *least)
            }
            Self::ReaderBelowSisters { experiment, query, least, within } => {
                slow_readers::below_sisters(facts, experiment, &query.0, *least, *within)
            }
            Self::PairBelowSisters { experiment, query, least, ways } => {
                pairs::below_sisters(facts, experiment, &query.0, *least, *ways)
            }
            // Some machines are out of proportion as they are made.
            Self::FarRatio { query, .. } if expected::is_far_as_stated(facts, query.0.measure) => {
                Ok(TestOutcome::No)
            }
            Self::FarRatio { experiment, query, below, below_of, above, processors, at_most_packages } => {
                let processor = &facts.machine().processor.model;
                let own = below_of.iter().find(|(name, _)| processor.contains(name.as_str()));
                let below = own.map(|(_, bound)| *bound).or(*below);
                let bounds = Bounds { below, above: *above };
                proportions::far_ratio(facts, experiment, &query.0, bounds, processors, *at_most_packages)
            }
            Self::Ratio { experiment, of, to, below, above } => {
                let bounds = Bounds { below: *below, above: *above };
                proportions::ratio(facts, experiment, &of.0, &to.0, bounds)
            }
            Self::BandwidthBelow { experiment, query, gigabytes_per_second } => {
                proportions::below(facts, experiment, &query.0, *gigabytes_per_second)
            }
            Self::Flat { within } => proportions::flat(facts, *within),
            Self::OwnMemoryLimits { share, late } => proportions::own_memory_limits(facts, *share, *late),
            Self::TwoDistances { least } => distant_cores::two_distances(facts, *least),
            Self::OneDirection { below } => devices::one_direction(facts, *below),
            Self::RowsAlike { within, least } => proportions::rows_alike(facts, *within, *least),
            Self::Exchanged { least } => swapped_nodes::own(facts, *least),
            Self::WholeLikeOneNode { most } => whole_machine::like_one_node(facts, *most),
            Self::Falls { experiment, query, along, descending, least, most } => {
                let range = *least..most.unwrap_or(f64::INFINITY);
                curve::falls(facts, experiment, &query.0, along, *descending, &range)
            }
            Self::DistancesContradict { least } => distances::contradict(facts, *least),
            Self::AttributesContradict { least } => distances::attributes_contradict(facts, *least),
            Self::WholeExceedsNodes { least } => whole_machine::exceeds_nodes(facts, *least),
            Self::WorseThanExpected { values, stated } => expected::worse(facts, *values, *stated),
            Self::WorseAlike { values, least, within } => {
                common_cause::worse_alike(facts, values.as_deref(), *least, *within)
            }
            Self::OwnFeedsLinks {} => common_cause::own_feeds_links(facts),
            Self::LateAlike { within } => common_cause::late_alike(facts, *within),
            Self::BelowFleet { values, least } => fleet::below(facts, *values, *least),
            Self::NodesUnlikeFleet {} => fleet::nodes_unlike(facts),
            Self::DimmsBelowFleet { what } => fleet::dimms_below(facts, *what),
            Self::FitsFewer { fact, known } => expected::fits_fewer(facts, *fact, *known),
            Self::Machine { fact, least } => machine::fact(facts, *fact, least.unwrap_or(0.0)),
            Self::Warned { warnings, share, says } => {
                evidence::warned(facts, warnings, share.unwrap_or(0.0), says.as_deref())
            }
            Self::LostToNobody {} => evidence::lost_to_nobody(facts),
            Self::CpusKept {} => evidence::cpus_kept(facts),
            Self::OtherLoad { cpus } => evidence::other_load(facts, *cpus),
            Self::LocalLatencyAbove { nanoseconds } => evidence::local_latency_above(facts, *nanoseconds),
            Self::LocalLatencyBelow { nanoseconds } => evidence::local_latency_below(facts, *nanoseconds),
            Self::ContradictsItself { late, slow } => self_consistency::contradicts(facts, *late, *slow),
            Self::StreamsInCopy { within } => self_consistency::streams_in_copy(facts, *within),
            Self::FarLikeNear { within, threads } => {
                self_consistency::far_like_near(facts, *within, *threads)
            }
            Self::Command { holds } => self_consistency::command(facts, holds),
            Self::KernelSays { says } => listing::kernel_says(facts, says),
            Self::Processor { names } => machine::processor(facts, names),
            Self::Unfit {} => evidence::unfit(facts),
        };
        told.unwrap_or_else(TestOutcome::Unknown).decided()
    }
}

/// The places of the first condition, if all others hold as well, and about the same nodes if they are about nodes.
fn all(of: &[Condition], facts: &Facts<'_>) -> TestOutcome {
    let mut places: Option<Vec<Match>> = None;
    let mut unknown = None;
    for condition in of {
        match condition.evaluate(facts) {
            TestOutcome::No => return TestOutcome::No,
            TestOutcome::Unknown(what) => unknown = unknown.or(Some(what)),
            TestOutcome::Holds(found) => {
                places = Some(match places {
                    None => found,
                    Some(before) => common(before, &found),
                });
                if places.as_ref().is_some_and(Vec::is_empty) {
                    return TestOutcome::No;
                }
            }
        }
    }
    match (unknown, places) {
        (Some(what), _) => TestOutcome::Unknown(what),
        (None, places) => TestOutcome::of(places.unwrap_or_default()),
    }
}

/// The places of `before` that `found` has too, with the evidence of both.
fn common(before: Vec<Match>, found: &[Match]) -> Vec<Match> {
    let with = |mut place: Match| {
        let other = found.iter().find(|other| other.concerns(&place))?;
        place.evidence.extend(other.evidence.iter().cloned());
        for (name, value) in &other.names {
            place.names.entry(name).or_insert_with(|| value.clone());
        }
        Some(place)
    };
    before.into_iter().filter_map(with).collect()
}

fn any(of: &[Condition], facts: &Facts<'_>) -> TestOutcome {
    let mut unknown = None;
    for condition in of {
        match condition.evaluate(facts) {
            TestOutcome::No => {}
            TestOutcome::Unknown(what) => unknown = unknown.or(Some(what)),
            holds @ TestOutcome::Holds(_) => return holds,
        }
    }
    unknown.map_or(TestOutcome::No, TestOutcome::Unknown)
}
