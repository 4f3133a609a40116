//! Nodes against comparable nodes.

use std::collections::{BTreeMap, BTreeSet};

use zerohop_expectation::{Comparable, OddOnes, apart, odd_ones};
use zerohop_machine::NodeId;
use zerohop_result::{Cell, ExperimentName, Measure, Query};

use super::PredicateResult;
use crate::facts::Facts;
use crate::finding::{Evidence, Size};
use crate::noise::Noise;
use crate::test_outcome::{Match, TestOutcome};
use crate::words::{figure, percent, way};

/// Up to every second node may be the exception: both nodes of a package lose channels together.
const SHARE: f64 = 0.5;

/// Own memory of healthy nodes differs by this share: by 1.5 % at most in published runs (docs/diagnosis.md), which is two deviations.
const SPREAD: f64 = 0.0075;

/// Nodes that do worse with their own memory than nodes with as many CPUs.
pub(crate) fn below_sisters(
    facts: &Facts<'_>,
    experiment: &str,
    query: &Query,
    least: f64,
) -> PredicateResult {
    let pairs = facts.pairs(experiment, query)?;
    let noise = Noise::of(facts);
    let mut alike: BTreeMap<Option<usize>, Vec<Comparable<'_, NodeId>>> = BTreeMap::new();
    for (node, cell) in pairs.local() {
        alike.entry(facts.pus(node)).or_default().push(Comparable { key: node, cell });
    }
    let mut found = Vec::new();
    let mut compared = false;
    for values in alike.into_values() {
        let Some(OddOnes { usual, odd, open }) = odd_ones(&values, least, SHARE) else { continue };
        compared = true;
        for Comparable { key: node, cell } in odd.into_iter().chain(open) {
            let mut place = at_node(node, cell.measure, cell.estimate.median, usual.median, least);
            place.apart = apart(cell.estimate, usual);
            // Values without intervals show by themselves how far they may be off.
            let noise = noise.filter(|_| place.apart.is_none() && cell.measure == Measure::Bandwidth);
            if noise.is_some_and(|noise| place.size.is_some_and(|size| size.loss < noise.least(least))) {
                continue;
            }
            place.evidence.push(shown(&pairs.experiment.experiment, &way(node, node), cell, usual.median));
            place.sisters = Some(values.len() - 1);
            place.error = Some(noise.map_or(SPREAD, |noise| libm::hypot(SPREAD, noise.deviation)));
            found.push(place);
        }
    }
    if compared {
        Ok(TestOutcome::of(found))
    } else {
        Err(format!("two comparable nodes with local memory in {experiment}"))
    }
}

/// Of more cells than this, those of one node move no median.
const MANY: usize = 10_000;

/// Nodes that do worse with other nodes' memory than comparable nodes do. Each pair of nodes is compared with its own kind, and a node is
/// named if all of its pairs are worse.
pub(crate) fn below_sisters_abroad(
    facts: &Facts<'_>,
    experiment: &str,
    query: &Query,
    least: f64,
) -> PredicateResult {
    let pairs = facts.pairs(experiment, query)?;
    let couples: BTreeSet<_> = pairs
        .cells
        .keys()
        .filter(|(from, to)| from != to)
        .map(|(from, to)| (*from.min(to), *from.max(to)))
        .collect();
    let mut losses: BTreeMap<NodeId, Vec<(f64, &Cell, f64)>> = BTreeMap::new();
    let mut compared = false;
    for group in facts.nodes.groups(couples) {
        let cell = |from, to| pairs.cells.get(&(from, to)).copied();
        let directed = group.iter().flat_map(|&(one, other)| [(one, other), (other, one)]);
        let cells: Vec<((NodeId, NodeId), &Cell)> =
            directed.filter_map(|(from, to)| Some(((from, to), cell(from, to)?))).collect();
        let nodes: BTreeSet<NodeId> = group.iter().flat_map(|(one, other)| [*one, *other]).collect();
        if nodes.len() < 3 {
            continue;
        }
        compared = true;
        let median = |mut values: Vec<f64>| {
            let middle = values.len() / 2;
            (!values.is_empty()).then(|| *values.select_nth_unstable_by(middle, f64::total_cmp).1)
        };
        let of_all = (cells.len() > MANY)
            .then(|| median(cells.iter().map(|(_, cell)| cell.estimate.median).collect()))
            .flatten();
        let mut of_initiator: BTreeMap<NodeId, Vec<&Cell>> = BTreeMap::new();
        for &((from, _), cell) in &cells {
            of_initiator.entry(from).or_default().push(cell);
        }
        for (node, own) in of_initiator {
            let touches = |way: &(NodeId, NodeId)| way.0 == node || way.1 == node;
            let others =
                || cells.iter().filter(|(way, _)| !touches(way)).map(|(_, cell)| cell.estimate.median);
            let Some(usual) = of_all.or_else(|| median(others().collect())) else { continue };
            for cell in own {
                let value = cell.estimate.median;
                let worse = if cell.measure.larger_is_better() { value < usual } else { value > usual };
                let loss = (value / usual - 1.0).abs();
                losses.entry(node).or_default().push((if worse { loss } else { -loss }, cell, usual));
            }
        }
    }
    if !compared {
        return Err(format!("three comparable nodes in {experiment}"));
    }
    let mut found = Vec::new();
    for (node, losses) in losses.iter().filter(|(_, losses)| losses.iter().all(|(loss, ..)| *loss >= least)) {
        let Some((_, cell, usual)) = losses.iter().min_by(|one, other| one.0.total_cmp(&other.0)) else {
            continue;
        };
        let mut place = at_node(*node, cell.measure, cell.estimate.median, *usual, least);
        let words = format!("node {node} → other nodes");
        place.evidence.push(shown(&pairs.experiment.experiment, &words, cell, *usual));
        place.sisters = Some(losses.len());
        found.push(place);
    }
    // If every second node is the exception, the machine is made of two kinds of node.
    let exceptions = found.len() * 2 <= losses.len();
    Ok(TestOutcome::of(if exceptions { found } else { Vec::new() }))
}

fn at_node(node: NodeId, measure: Measure, found: f64, expected: f64, least: f64) -> Match {
    let size = Size::new(measure, found, expected);
    let names = BTreeMap::from([
        ("node", node.to_string()),
        ("found", figure(found, measure)),
        ("expected", figure(expected, measure)),
        ("loss", percent(size.loss)),
    ]);
    Match { names, size: Some(size), margin: size.loss / least, ..Match::default() }.about([node])
}

/// A value next to that of comparable cells.
pub(crate) fn shown(experiment: &ExperimentName, words: &str, cell: &Cell, usual: f64) -> Evidence {
    beside(experiment, words, cell, ("comparable", usual))
}

/// A value next to another one, with the description of that one.
pub(crate) fn beside(
    experiment: &ExperimentName,
    words: &str,
    cell: &Cell,
    (other, usual): (&str, f64),
) -> Evidence {
    let value = cell.estimate.median;
    let sign = if value < usual { '-' } else { '+' };
    Evidence {
        words: format!(
            "{experiment}, {words}: {}; {other}: {} ({sign}{})",
            figure(value, cell.measure),
            figure(usual, cell.measure),
            percent((value / usual - 1.0).abs())
        ),
        experiment: Some(experiment.clone()),
        at: Some(cell.at.clone()),
        measure: Some(cell.measure),
        value: Some(value),
    }
}
