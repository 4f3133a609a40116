//! Nodes whose own memory is, by its number, that of another node.

use std::collections::{BTreeMap, BTreeSet};

use zerohop_machine::NodeId;
use zerohop_result::{Cell, Measure};

use super::PredicateResult;
use super::nodes::beside;
use crate::experiments::{BANDWIDTH_MATRIX, LATENCY_MATRIX};
use crate::facts::Facts;
use crate::finding::Size;
use crate::test_outcome::{Match, TestOutcome};
use crate::words::{figure, listed, way};
use zerohop_statistics::median;

/// Nodes that reach each other's memory better than their own, by `least`. A node that reaches another one's memory better without being reached so
/// in return has slow memory.
pub(crate) fn own(facts: &Facts<'_>, least: f64) -> PredicateResult {
    let mut missing = String::new();
    let mut seen = false;
    for (experiment, measure) in [(LATENCY_MATRIX, Measure::Latency), (BANDWIDTH_MATRIX, Measure::Bandwidth)]
    {
        let result = match facts.experiment(experiment) {
            Ok(result) => result,
            Err(what) => {
                missing = what;
                continue;
            }
        };
        // Values that contradict each other are marked as doubtful, and that is what is looked for.
        let of_measure = result.cells.iter().filter(|cell| cell.measure == measure);
        let cells: BTreeMap<(NodeId, NodeId), &Cell> =
            of_measure.filter_map(|cell| Some((cell.at.between_nodes()?, cell))).collect();
        let nodes: BTreeSet<NodeId> =
            facts.initiators().filter(|node| cells.contains_key(&(*node, *node))).collect();
        if nodes.len() < 2 {
            missing = format!("two nodes with CPUs and memory in {experiment}");
            continue;
        }
        seen = true;
        let better = better(&cells, &nodes, measure, least);
        let targets: BTreeSet<NodeId> = better.values().copied().collect();
        if better.len() < 2
            || targets.len() < better.len()
            || targets.iter().any(|to| !better.contains_key(to))
        {
            continue;
        }
        let middle = |of: &dyn Fn(NodeId) -> NodeId| {
            let values = better.keys().filter_map(|from| cells.get(&(*from, of(*from))));
            median(values.map(|cell| cell.estimate.median)).unwrap_or_default()
        };
        let (near, far) = (middle(&|node| node), middle(&|node| better[&node]));
        let named: Vec<String> = better.keys().map(ToString::to_string).collect();
        let size = Size::new(measure, near, far);
        let names = BTreeMap::from([
            ("nodes", listed(&named)),
            ("near", figure(near, measure)),
            ("far", figure(far, measure)),
        ]);
        let mut place = Match { names, size: Some(size), margin: size.loss / least, ..Match::default() };
        for (from, to) in &better {
            let own = ("own memory", cells[&(*from, *from)].estimate.median);
            place.evidence.push(beside(&result.experiment, &way(*from, *to), cells[&(*from, *to)], own));
        }
        place.sisters = Some(nodes.len());
        return Ok(TestOutcome::one(place.about(better.keys().copied())));
    }
    if seen { Ok(TestOutcome::No) } else { Err(missing) }
}

/// Nodes that reach another node's memory better than their own, each with the one that they reach best.
fn better(
    cells: &BTreeMap<(NodeId, NodeId), &Cell>,
    nodes: &BTreeSet<NodeId>,
    measure: Measure,
    least: f64,
) -> BTreeMap<NodeId, NodeId> {
    // How many times as good as own memory.
    let times = |from: NodeId, to: NodeId| {
        let (own, other) =
            (cells.get(&(from, from))?.estimate.median, cells.get(&(from, to))?.estimate.median);
        Some(if measure.larger_is_better() { other / own } else { own / other })
    };
    let best = |from: &NodeId| {
        let others = nodes.iter().filter(|to| *to != from);
        let all = others.filter_map(|to| Some((*to, times(*from, *to)?)));
        let (to, times) = all.max_by(|one, other| one.1.total_cmp(&other.1))?;
        (times >= 1.0 + least).then_some((*from, to))
    };
    nodes.iter().filter_map(best).collect()
}
