//! Nodes whose CPUs read all memory slowly, including their own.
//!
//! Channels serve all initiators, and links connect two nodes. So if all memory is slower by the same share for the CPUs of one node only, the cause
//! is these CPUs.

use std::collections::BTreeMap;

use zerohop_machine::NodeId;
use zerohop_result::{Cell, Measure, Query};

use super::PredicateResult;
use super::nodes::{beside, shown};
use crate::facts::{Facts, Pairs};
use crate::finding::Size;
use crate::noise::Noise;
use crate::test_outcome::{Match, TestOutcome};
use crate::words::{figure, percent, way};

/// A node that reads slowly.
pub(crate) struct Reader<'a> {
    node: NodeId,
    own: &'a Cell,
    /// Value of comparable nodes with their own memory.
    usual: f64,
    /// Values of the node with other nodes' memory, and of these nodes with their own.
    others: Vec<(NodeId, &'a Cell, f64)>,
}

/// The nodes that read their own memory worse than comparable nodes read theirs, by `least`, and other nodes' memory worse than these read
/// theirs, by the same share but for `within`.
pub(crate) fn below_sisters(
    facts: &Facts<'_>,
    experiment: &str,
    query: &Query,
    least: f64,
    within: f64,
) -> PredicateResult {
    let pairs = facts.pairs(experiment, query)?;
    let at_least = match Noise::of(facts).filter(|_| query.measure == Measure::Bandwidth) {
        Some(noise) => noise.least(least),
        None => least,
    };
    let all = readers(facts, &pairs);
    if all.is_empty() {
        return Err(format!(
            "two comparable nodes with local memory, and both directions between them, in {experiment}"
        ));
    }
    let found = all.iter().filter(|reader| reader.is_slow(at_least, within)).map(|reader| {
        let (node, value) = (reader.node, reader.own.estimate.median);
        let size = Size::new(reader.own.measure, value, reader.usual);
        let names = BTreeMap::from([
            ("node", node.to_string()),
            ("found", figure(value, reader.own.measure)),
            ("expected", figure(reader.usual, reader.own.measure)),
            ("loss", percent(size.loss)),
        ]);
        let name = &pairs.experiment.experiment;
        let mut evidence = vec![shown(name, &way(node, node), reader.own, reader.usual)];
        evidence.extend(
            reader
                .others
                .iter()
                .map(|(to, cell, back)| beside(name, &way(node, *to), cell, ("opposite direction", *back))),
        );
        let sisters = Some(all.len() - 1);
        Match { names, size: Some(size), margin: size.loss / at_least, evidence, sisters, ..Match::default() }
            .about([node])
    });
    let found: Vec<Match> = found.collect();
    // If every second node is the exception, the machine is made of two kinds of node.
    Ok(TestOutcome::of(if 2 * found.len() <= all.len() { found } else { Vec::new() }))
}

/// Whether the CPUs of a node read all memory slowly.
pub(crate) fn is_slow(readers: &[Reader<'_>], node: NodeId, least: f64, within: f64) -> bool {
    readers.iter().any(|reader| reader.node == node && reader.is_slow(least, within))
}

/// Nodes with all values that show how their CPUs read.
pub(crate) fn readers<'a>(facts: &Facts<'_>, pairs: &Pairs<'a>) -> Vec<Reader<'a>> {
    let own: Vec<(NodeId, &Cell)> = pairs.local();
    let reader = |&(node, cell): &(NodeId, &'a Cell)| {
        let mut sisters: Vec<f64> = own
            .iter()
            .filter(|(other, _)| *other != node && facts.pus(*other) == facts.pus(node))
            .map(|(_, cell)| cell.estimate.median)
            .collect();
        sisters.sort_by(f64::total_cmp);
        let usual = *sisters.get(sisters.len() / 2)?;
        let other = |&(to, _): &(NodeId, &'a Cell)| {
            let back = pairs.get(to, node)?;
            (to != node).then_some((to, *pairs.cells.get(&(node, to))?, back))
        };
        let others: Vec<_> = own.iter().filter_map(other).collect();
        (others.len() + 1 == own.len()).then_some(Reader { node, own: cell, usual, others })
    };
    own.iter().filter_map(reader).collect()
}

impl Reader<'_> {
    fn is_slow(&self, least: f64, within: f64) -> bool {
        let lost = |cell: &Cell, usual: f64| 1.0 - cell.estimate.median / usual;
        let others = self.others.iter().map(|(_, cell, back)| lost(cell, *back));
        let losses: Vec<f64> = std::iter::once(lost(self.own, self.usual)).chain(others).collect();
        let smallest = losses.iter().copied().fold(f64::INFINITY, f64::min);
        let largest = losses.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        smallest >= least && largest - smallest <= within
    }
}
