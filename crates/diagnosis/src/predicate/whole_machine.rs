//! The whole machine against one of its nodes.

use std::collections::BTreeMap;

use zerohop_result::{Axis, Measure, Query};

use super::PredicateResult;
use crate::experiments::{BANDWIDTH_MATRIX, MIXES, STREAM, WHOLE};
use crate::facts::Facts;
use crate::finding::Size;
use crate::test_outcome::{Match, TestOutcome};
use crate::words::{figure, percent};
use zerohop_statistics::median;

/// All nodes together read hardly more than one of them reads of its own memory.
pub(crate) fn like_one_node(facts: &Facts<'_>, most: f64) -> PredicateResult {
    let reads = || {
        let own = own(facts)?;
        let (experiment, whole) = whole(facts)?;
        Ok::<_, String>((own, BANDWIDTH_MATRIX, whole, experiment))
    };
    let found = reads().or_else(|missing| streams(facts).map_err(|_| missing));
    let (own, of_one, whole, experiment) = found?;
    let nodes = own.len();
    let one = median(own).ok_or("a node's local memory in bandwidth-matrix")?;
    // Of mixes, none exceeds what one node's memory gives, if all data is there.
    let mixes = facts.cells(MIXES, &Query::of(Measure::Bandwidth)).unwrap_or_default();
    let all = mixes.iter().filter(|cell| cell.at.is(Axis::Initiator, "all")).map(|cell| cell.estimate.median);
    if all.fold(whole, f64::max) > one * most {
        return Ok(TestOutcome::No);
    }
    let expected = one * nodes as f64;
    let size = Some(Size::new(Measure::Bandwidth, whole, expected));
    let (whole, one) = (figure(whole, Measure::Bandwidth), figure(one, Measure::Bandwidth));
    let words = format!("{experiment}: all nodes read {whole}; {of_one}: one node alone reads {one}");
    let names = BTreeMap::from([("whole", whole), ("one", one), ("nodes", nodes.to_string())]);
    Ok(TestOutcome::one(Match { names, size, margin: 2.0, ..Match::default() }.shown_by(words)))
}

/// The triad of each of at least two nodes alone, and that of all of them together.
fn streams(facts: &Facts<'_>) -> Result<(Vec<f64>, &'static str, f64, &'static str), String> {
    let query = |text: &str| text.parse::<Query>().map_err(|error| error.to_string());
    let own = facts.pairs(STREAM, &query("bandwidth kernel=triad")?)?.local();
    if own.len() < 2 {
        return Err("two nodes with CPUs and memory in stream".to_owned());
    }
    let all = facts.cells(STREAM, &query("bandwidth initiator=all target=local kernel=triad")?)?;
    let highest = all.iter().max_by(|one, other| one.estimate.median.total_cmp(&other.estimate.median));
    let whole = highest.ok_or("a triad of all nodes in stream")?;
    // As many threads as one node has may well run on one node.
    let threads = own.iter().map(|(_, cell)| cell.evidence.workers).max().unwrap_or_default();
    if threads > 0 && whole.evidence.workers <= threads {
        return Err("a triad of all nodes with more threads than one node has in stream".to_owned());
    }
    let own = own.iter().map(|(_, cell)| cell.estimate.median).collect();
    Ok((own, STREAM, whole.estimate.median, STREAM))
}

/// The read bandwidth of all nodes together exceeds the sum of the nodes' separate bandwidths: then one of these was disturbed.
pub(crate) fn exceeds_nodes(facts: &Facts<'_>, least: f64) -> PredicateResult {
    let sum: f64 = own(facts)?.iter().sum();
    let (experiment, whole) = whole(facts)?;
    let excess = whole / sum - 1.0;
    if excess < least {
        return Ok(TestOutcome::No);
    }
    let (whole, sum) = (figure(whole, Measure::Bandwidth), figure(sum, Measure::Bandwidth));
    let words = format!(
        "{experiment}: all nodes read {whole}; bandwidth-matrix: {sum} in total, measured one node at a time"
    );
    let names = BTreeMap::from([("whole", whole), ("sum", sum), ("more", percent(excess))]);
    Ok(TestOutcome::one(Match { names, margin: excess / least, ..Match::default() }.shown_by(words)))
}

/// What each of at least two nodes reads of its own memory, in GB/s.
fn own(facts: &Facts<'_>) -> Result<Vec<f64>, String> {
    let own = facts.pairs(BANDWIDTH_MATRIX, &Query::of(Measure::Bandwidth))?.local();
    if own.len() < 2 {
        return Err("two nodes with CPUs and memory in bandwidth-matrix".to_owned());
    }
    Ok(own.iter().map(|(_, cell)| cell.estimate.median).collect())
}

/// What all nodes together read of their own memory, in GB/s, and the experiment that measured it; or what is missing.
fn whole(facts: &Facts<'_>) -> Result<(&'static str, f64), String> {
    let mut missing = String::new();
    for (experiment, text) in WHOLE {
        let Ok(query) = text.parse::<Query>() else { continue };
        match facts.value(experiment, &query) {
            Ok(whole) => return Ok((experiment, whole.value)),
            Err(what) => missing = what,
        }
    }
    Err(missing)
}
