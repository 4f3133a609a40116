//! Nodes of memory alone, and how much of it a program should use.

use std::collections::BTreeMap;

use zerohop_machine::NodeId;
use zerohop_result::{Measure, Query};

use super::PredicateResult;
use crate::experiments::{BANDWIDTH_MATRIX, LATENCY_MATRIX};
use crate::facts::{Facts, Pairs};
use crate::finding::Size;
use crate::test_outcome::{Match, TestOutcome};
use crate::words::{figure, listed, significant};

/// The kernel's largest weight.
const LARGEST: u32 = 255;

/// Weights are simple enough if all of them are within this share of the bandwidths.
const TOLERATED: f64 = 0.06;

/// Nodes that have memory and no CPUs, and whose memory is slower than the others' by `least`.
pub(crate) fn slow_memory_node(facts: &Facts<'_>, least: f64) -> PredicateResult {
    let latency = facts.pairs(LATENCY_MATRIX, &Query::of(Measure::Latency))?;
    let bandwidth = facts.pairs(BANDWIDTH_MATRIX, &Query::of(Measure::Bandwidth))?;
    let best = |pairs: &Pairs<'_>, to: NodeId| {
        let larger = pairs.cells.values().next().is_some_and(|cell| cell.measure.larger_is_better());
        let values =
            pairs.cells.iter().filter(|((_, target), _)| *target == to).map(|(_, cell)| cell.estimate.median);
        values.reduce(|one, other| if larger { one.max(other) } else { one.min(other) })
    };
    let targets: std::collections::BTreeSet<NodeId> = bandwidth.cells.keys().map(|(_, to)| *to).collect();
    let (with_cpus, alone): (Vec<NodeId>, Vec<NodeId>) =
        targets.iter().copied().partition(|node| facts.has_cpus(*node));
    if alone.is_empty() {
        return Ok(TestOutcome::No);
    }
    let near = |pairs: &Pairs<'_>| {
        zerohop_statistics::median(with_cpus.iter().filter_map(|node| best(pairs, *node)))
    };
    let (near_latency, near_bandwidth) = (near(&latency), near(&bandwidth));
    let near_latency = near_latency.ok_or("a node's local memory in latency-matrix")?;
    let near_bandwidth = near_bandwidth.ok_or("a node's local memory in bandwidth-matrix")?;
    let slow: Vec<NodeId> = alone
        .into_iter()
        .filter(|node| best(&latency, *node).is_some_and(|value| value >= near_latency * (1.0 + least)))
        .collect();
    let Some(&first) = slow.first() else { return Ok(TestOutcome::No) };
    let rates: BTreeMap<NodeId, f64> =
        with_cpus.iter().chain(&slow).filter_map(|node| Some((*node, best(&bandwidth, *node)?))).collect();
    let weights = weights(&rates);
    let lines: Vec<String> = weights
        .iter()
        .map(|(node, weight)| {
            format!("echo {weight} > /sys/kernel/mm/mempolicy/weighted_interleave/node{node}")
        })
        .collect();
    let named: Vec<String> = slow.iter().map(ToString::to_string).collect();
    let (latency_there, bandwidth_there) =
        (best(&latency, first).unwrap_or_default(), best(&bandwidth, first).unwrap_or_default());
    let names = BTreeMap::from([
        ("node", listed(&named)),
        ("weights", lines.join("; ")),
        ("latency", figure(latency_there, Measure::Latency)),
        ("bandwidth", figure(bandwidth_there, Measure::Bandwidth)),
        ("times", significant(latency_there / near_latency)),
    ]);
    let words = format!(
        "node {first}, which has no CPUs: {} and {}; nodes with CPUs: {} and {}",
        figure(latency_there, Measure::Latency),
        figure(bandwidth_there, Measure::Bandwidth),
        figure(near_latency, Measure::Latency),
        figure(near_bandwidth, Measure::Bandwidth)
    );
    let size = Some(Size::new(Measure::Bandwidth, bandwidth_there, near_bandwidth));
    Ok(TestOutcome::one(Match { names, size, margin: 2.0, ..Match::default() }.shown_by(words)))
}

/// The smallest whole numbers that are nearly in the proportion of these rates.
fn weights(rates: &BTreeMap<NodeId, f64>) -> BTreeMap<NodeId, u32> {
    let least = rates.values().copied().fold(f64::INFINITY, f64::min);
    let scaled = |factor: u32| -> BTreeMap<NodeId, u32> {
        let weight =
            |rate: f64| (rate / least * f64::from(factor)).round().clamp(1.0, f64::from(LARGEST)) as u32;
        rates.iter().map(|(node, rate)| (*node, weight(*rate))).collect()
    };
    let is_near = |factor: &u32| {
        let exact = |rate: f64| rate / least * f64::from(*factor);
        scaled(*factor)
            .iter()
            .all(|(node, weight)| (f64::from(*weight) / exact(rates[node]) - 1.0).abs() <= TOLERATED)
    };
    (1..=8).find(is_near).map_or_else(|| scaled(8), scaled)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(rates: &[f64]) -> Vec<u32> {
        let rates = rates.iter().enumerate().map(|(node, rate)| (NodeId(node as u32), *rate)).collect();
        weights(&rates).into_values().collect()
    }

    #[test]
    fn weights_are_small_and_in_proportion() {
        assert_eq!(of(&[100.0, 101.0, 17.6]), [6, 6, 1]);
        assert_eq!(of(&[143.0, 143.0, 19.5]), [7, 7, 1]);
        assert_eq!(of(&[30.0, 20.0]), [3, 2]);
    }
}
