//! Compares the firmware's distances and memory attributes with the measurement.

use std::collections::BTreeMap;

use zerohop_machine::{AccessClass, NodeAccess, NodeId};
use zerohop_result::{Measure, Query};

use super::PredicateResult;
use crate::experiments::{BANDWIDTH_MATRIX, LATENCY_MATRIX};
use crate::facts::Facts;
use crate::test_outcome::{Match, TestOutcome};
use crate::words::figure;

/// For some node, memory that is nearer by distance is farther by latency.
pub(crate) fn contradict(facts: &Facts<'_>, least: f64) -> PredicateResult {
    // No firmware states the distances of a machine that a template describes: they are counted in hops, of which CXL memory has as many
    // as another cluster.
    let machine = Some(facts.machine()).filter(|machine| machine.prediction.is_none());
    let distances =
        machine.and_then(|machine| machine.distances.as_ref()).ok_or("the firmware's distances (SLIT)")?;
    let latency = facts.pairs(LATENCY_MATRIX, &Query::of(Measure::Latency))?;
    let mut worst: Option<(f64, [NodeId; 3])> = None;
    let mut compared = false;
    for (&(from, near), near_cell) in &latency.cells {
        for (&(_, far), far_cell) in latency.cells.range((from, NodeId(0))..=(from, NodeId(u32::MAX))) {
            let (Some(nearer), Some(farther)) = (distances.get(from, near), distances.get(from, far)) else {
                continue;
            };
            compared = true;
            let ratio = near_cell.estimate.median / far_cell.estimate.median - 1.0;
            let certain = near_cell.estimate.low > far_cell.estimate.high
                || near_cell.estimate.low == near_cell.estimate.high;
            if nearer < farther && ratio >= least && certain && worst.is_none_or(|(known, _)| ratio > known) {
                worst = Some((ratio, [from, near, far]));
            }
        }
    }
    if !compared {
        return Err("two nodes in both latency-matrix and the firmware's distances".to_owned());
    }
    let Some((ratio, [from, near, far])) = worst else { return Ok(TestOutcome::No) };
    let of = |to: NodeId| {
        let value = latency.get(from, to).unwrap_or_default();
        (figure(value, Measure::Latency), distances.get(from, to).unwrap_or_default())
    };
    let ((near_value, near_distance), (far_value, far_distance)) = (of(near), of(far));
    let names =
        BTreeMap::from([("from", from.to_string()), ("near", near.to_string()), ("far", far.to_string())]);
    let words = format!(
        "node {from} → node {near}: distance {near_distance}, {near_value}; node {from} → node {far}: distance {far_distance}, {far_value}"
    );
    Ok(TestOutcome::one(Match { names, margin: ratio / least, ..Match::default() }.shown_by(words)))
}

/// The firmware says that one memory answers sooner, or gives more, than another one; measured from where it is best reached, it is the
/// other way round.
pub(crate) fn attributes_contradict(facts: &Facts<'_>, least: f64) -> PredicateResult {
    if facts.machine().access.is_empty() {
        return Err("the firmware's memory attributes (HMAT)".to_owned());
    }
    let of_latency = |access: &NodeAccess| access.read_latency.map(zerohop_units::Nanoseconds::get);
    let of_bandwidth =
        |access: &NodeAccess| access.read_bandwidth.map(zerohop_units::GigabytesPerSecond::get);
    let latency = Attribute { experiment: LATENCY_MATRIX, measure: Measure::Latency, stated: &of_latency };
    let bandwidth =
        Attribute { experiment: BANDWIDTH_MATRIX, measure: Measure::Bandwidth, stated: &of_bandwidth };
    let mut missing = Err("two nodes in both the matrices and the firmware's memory attributes".to_owned());
    for attribute in [latency, bandwidth] {
        match attribute.contradiction(facts, least) {
            Ok(TestOutcome::No) => missing = Ok(TestOutcome::No),
            Ok(truth) => return Ok(truth),
            Err(what) if missing.is_err() => missing = Err(what),
            Err(_) => {}
        }
    }
    missing
}

/// An attribute of memory: what the firmware states, and what measures it.
struct Attribute<'a> {
    experiment: &'static str,
    measure: Measure,
    stated: &'a dyn Fn(&NodeAccess) -> Option<f64>,
}

impl Attribute<'_> {
    fn contradiction(&self, facts: &Facts<'_>, least: f64) -> PredicateResult {
        let Self { experiment, measure, stated } = *self;
        let pairs = facts.pairs(experiment, &Query::of(measure))?;
        let larger = measure.larger_is_better();
        // Better is larger here, for both.
        let merit = |value: f64| if larger { value } else { -value };
        let mut values: BTreeMap<NodeId, (AccessClass, f64, f64)> = BTreeMap::new();
        for access in &facts.machine().access {
            let reached = access.initiators.iter().filter_map(|&from| pairs.get(from, access.target));
            let best = reached.max_by(|one, other| merit(*one).total_cmp(&merit(*other)));
            let Some((stated, best)) = stated(access).zip(best) else { continue };
            let known = values.get(&access.target);
            if known.is_none_or(|(class, ..)| *class < access.class) {
                values.insert(access.target, (access.class, stated, best));
            }
        }
        if values.len() < 2 {
            return Err(format!(
                "two nodes in both {experiment} and the firmware's memory attributes (HMAT)"
            ));
        }
        let mut worst: Option<(f64, NodeId, NodeId)> = None;
        for (&one, &(_, of_one, found_one)) in &values {
            for (&other, &(_, of_other, found_other)) in &values {
                let ratio = if larger { found_other / found_one } else { found_one / found_other } - 1.0;
                let contradicts = merit(of_one) > merit(of_other) && ratio >= least;
                if contradicts && worst.is_none_or(|(known, ..)| ratio > known) {
                    worst = Some((ratio, one, other));
                }
            }
        }
        let Some((ratio, better, worse)) = worst else { return Ok(TestOutcome::No) };
        let of = |node: NodeId| {
            let (_, stated, found) = values[&node];
            format!(
                "node {node}: {} according to firmware, {} measured",
                figure(stated, measure),
                figure(found, measure)
            )
        };
        let names = BTreeMap::from([
            ("better", better.to_string()),
            ("worse", worse.to_string()),
            ("what", if larger { "has more bandwidth" } else { "has less latency" }.to_owned()),
        ]);
        let words = format!("{experiment}, {}; {}", of(better), of(worse));
        Ok(TestOutcome::one(Match { names, margin: ratio / least, ..Match::default() }.shown_by(words)))
    }
}
