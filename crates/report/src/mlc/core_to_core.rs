//! Core-to-core latency, by cache-to-cache transfers: `mlc --c2c_latency`.
//!
//! Within a socket, zerohop loads lines that another core has read ("HIT") or modified ("HITM"), as MLC does; results of
//! earlier versions have half of a round trip instead of a HITM, and no HIT. Between sockets, MLC distinguishes whether the
//! writer's or the reader's socket homes the line. zerohop's matrix is half of a round trip, which contains one transfer of
//! each kind: its heading says so.

use std::collections::BTreeMap;

use zerohop_machine::{Machine, NodeId, Pu, PuId};
use zerohop_result::{Axis, Cell, ExperimentResult, Measure};

use super::form::{NotMlc, missing};
use zerohop_statistics::median;

/// Latencies in ns: the median over the pairs of cores of one package, and, node by node, over the pairs between nodes.
pub(super) fn block(result: &ExperimentResult, machine: &Machine) -> Result<String, NotMlc> {
    let mut local = Vec::new();
    let mut between: BTreeMap<(NodeId, NodeId), Vec<f64>> = BTreeMap::new();
    for cell in result.cells.iter().filter(|cell| cell.measure == Measure::Latency) {
        let (Some(from), Some(to)) = (pu(machine, cell, Axis::From), pu(machine, cell, Axis::To)) else {
            continue;
        };
        let latency = cell.estimate.median;
        if from.core != to.core && from.package == to.package {
            local.push(latency);
        }
        if from.node != to.node {
            between.entry((from.node, to.node)).or_default().push(latency);
            between.entry((to.node, from.node)).or_default().push(latency);
        }
    }
    let fetched = |state: &str| {
        let here = |cell: &&Cell| {
            cell.measure == Measure::Latency
                && cell.at.is(Axis::Scenario, state)
                && cell.at.is(Axis::Placement, "local")
                && !cell.at.is(Axis::Level, "core")
        };
        median(result.cells.iter().filter(here).map(|cell| cell.estimate.median))
    };
    let (hit, hit_modified) = (fetched("clean"), fetched("modified").or_else(|| median(local)));
    if hit.is_none() && hit_modified.is_none() && between.is_empty() {
        return Err(missing(result, "a pair of CPUs on different cores"));
    }
    let mut text = String::new();
    if hit.is_none() {
        text.push_str("*** Unmodified lines (HIT) are not measured\n");
    }
    text.push_str("Measuring cache-to-cache transfer latency (in ns)...\n");
    if let Some(hit) = hit {
        text.push_str(&format!("Local Socket L2->L2 HIT  latency\t{hit:.1}\n"));
    }
    if let Some(local) = hit_modified {
        text.push_str(&format!("Local Socket L2->L2 HITM latency\t{local:.1}\n"));
    }
    if !between.is_empty() {
        text.push_str(
            "Remote Socket L2->L2 HITM latency (mean over data address homed in writer and reader socket)\n",
        );
        text.push_str(&matrix(between));
    }
    Ok(text)
}

fn pu<'a>(machine: &'a Machine, cell: &Cell, axis: Axis) -> Option<&'a Pu> {
    machine.pu(PuId(u32::try_from(cell.at.number(axis)?).ok()?))
}

fn matrix(between: BTreeMap<(NodeId, NodeId), Vec<f64>>) -> String {
    let mut nodes: Vec<NodeId> = between.keys().map(|&(writer, _)| writer).collect();
    nodes.dedup();
    let mut medians: BTreeMap<(NodeId, NodeId), f64> = BTreeMap::new();
    for (pair, latencies) in between {
        medians.extend(median(latencies).map(|latency| (pair, latency)));
    }
    let mut text = "\t\t\tReader Numa Node\nWriter Numa Node".to_owned();
    for (rank, reader) in nodes.iter().enumerate() {
        text.push_str(&if rank == 0 { format!("{reader:>6}") } else { format!("\t{reader:>6}") });
    }
    text.push('\n');
    for writer in &nodes {
        text.push_str(&format!("{writer:>13}"));
        for reader in &nodes {
            match medians.get(&(*writer, *reader)) {
                Some(latency) => text.push_str(&format!("\t{latency:>6.1}")),
                None => text.push_str(&format!("\t{:>6}", "-")),
            }
        }
        text.push('\n');
    }
    text
}
