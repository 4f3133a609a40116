//! The whole machine against one of its nodes.

use std::collections::BTreeMap;

use zerohop_result::{Measure, Query};

use super::Told;
use super::proportions::median;
use crate::experiments::{BANDWIDTH_MATRIX, WHOLE};
use crate::facts::Facts;
use crate::finding::Size;
use crate::truth::{Match, Truth};
use crate::words::{figure, percent};

/// All nodes together read hardly more than one of them reads of its own memory.
pub(crate) fn like_one_node(facts: &Facts<'_>, most: f64) -> Told {
    let own = facts.pairs(BANDWIDTH_MATRIX, &Query::of(Measure::Bandwidth))?.local();
    let nodes = own.len();
    if nodes < 2 {
        return Err("two nodes with CPUs and memory in bandwidth-matrix".to_owned());
    }
    let one = median(own.iter().map(|(_, cell)| cell.estimate.median).collect());
    let one = one.ok_or("a node's own memory in bandwidth-matrix")?;
    let mut missing = String::new();
    for (experiment, text) in WHOLE {
        let Ok(query) = text.parse::<Query>() else { continue };
        let whole = match facts.value(experiment, &query) {
            Ok(whole) => whole,
            Err(what) => {
                missing = what;
                continue;
            }
        };
        if whole > one * most {
            return Ok(Truth::No);
        }
        let expected = one * nodes as f64;
        let names = BTreeMap::from([
            ("whole", figure(whole, Measure::Bandwidth)),
            ("one", figure(one, Measure::Bandwidth)),
            ("nodes", nodes.to_string()),
        ]);
        let words = format!(
            "{experiment}: all nodes read {}; bandwidth-matrix: one node alone reads {}",
            figure(whole, Measure::Bandwidth),
            figure(one, Measure::Bandwidth)
        );
        let size = Some(Size::new(Measure::Bandwidth, whole, expected));
        return Ok(Truth::one(Match { names, size, margin: 2.0, ..Match::default() }.shown_by(words)));
    }
    Err(missing)
}

/// All nodes together read more than the sum of what each reads alone: then one of these was disturbed.
pub(crate) fn exceeds_nodes(facts: &Facts<'_>, least: f64) -> Told {
    let own = facts.pairs(BANDWIDTH_MATRIX, &Query::of(Measure::Bandwidth))?.local();
    if own.len() < 2 {
        return Err("two nodes with CPUs and memory in bandwidth-matrix".to_owned());
    }
    let sum: f64 = own.iter().map(|(_, cell)| cell.estimate.median).sum();
    let mut missing = String::new();
    for (experiment, text) in WHOLE {
        let Ok(query) = text.parse::<Query>() else { continue };
        let whole = match facts.value(experiment, &query) {
            Ok(whole) => whole,
            Err(what) => {
                missing = what;
                continue;
            }
        };
        let excess = whole / sum - 1.0;
        if excess < least {
            return Ok(Truth::No);
        }
        let (whole, sum) = (figure(whole, Measure::Bandwidth), figure(sum, Measure::Bandwidth));
        let words = format!("{experiment}: all nodes read {whole}; bandwidth-matrix: {sum} one by one");
        let names = BTreeMap::from([("whole", whole), ("sum", sum), ("more", percent(excess))]);
        return Ok(Truth::one(Match { names, margin: excess / least, ..Match::default() }.shown_by(words)));
    }
    Err(missing)
}
