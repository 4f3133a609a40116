//! The firmware's distances against measured latencies.

use std::collections::BTreeMap;

use zerohop_machine::{DistanceMatrix, NodeId};
use zerohop_result::{Measure, Query};

use super::Told;
use crate::experiments::LATENCY_MATRIX;
use crate::facts::{Facts, Pairs};
use crate::truth::{Match, Truth};
use crate::words::figure;

/// The distance that stands for a node's own memory.
const LOCAL: f64 = 10.0;

/// For some node, memory that is nearer by distance is farther by latency.
pub(crate) fn contradict(facts: &Facts<'_>, least: f64) -> Told {
    let distances = facts.machine().distances.as_ref().ok_or("the firmware's distances (SLIT)")?;
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
    let Some((ratio, [from, near, far])) = worst else { return Ok(Truth::No) };
    let of = |to: NodeId| {
        let value = latency.get(from, to).unwrap_or_default();
        (figure(value, Measure::Latency), distances.get(from, to).unwrap_or_default())
    };
    let ((near_value, near_distance), (far_value, far_distance)) = (of(near), of(far));
    let names = BTreeMap::from([
        ("from", from.to_string()),
        ("near", near.to_string()),
        ("far", far.to_string()),
        ("table", corrected(distances, &latency)),
    ]);
    let words = format!(
        "node {from} → node {near}: distance {near_distance}, {near_value}; node {from} → node {far}: distance {far_distance}, {far_value}"
    );
    Ok(Truth::one(Match { names, margin: ratio / least, ..Match::default() }.shown_by(words)))
}

/// Distances that follow from latencies: 10 for a node's own memory, in proportion elsewhere, the firmware's where nothing was
/// measured.
fn corrected(distances: &DistanceMatrix, latency: &Pairs<'_>) -> String {
    let row = |(rank, from): (usize, &NodeId)| {
        let own = latency.get(*from, *from);
        let distance = |(column, to): (usize, &NodeId)| {
            let stated =
                distances.rows.get(rank).and_then(|row| row.get(column)).copied().unwrap_or_default();
            let measured =
                own.zip(latency.get(*from, *to)).map(|(own, to)| (LOCAL * to / own).round() as u32);
            measured.unwrap_or(stated).clamp(10, 254).to_string()
        };
        distances.nodes.iter().enumerate().map(distance).collect::<Vec<_>>().join(" ")
    };
    distances.nodes.iter().enumerate().map(row).collect::<Vec<_>>().join(" / ")
}
