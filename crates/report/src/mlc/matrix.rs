//! The matrices: `mlc --latency_matrix`, `mlc --bandwidth_matrix`.

use std::collections::{BTreeMap, BTreeSet};

use zerohop_machine::Machine;
use zerohop_result::{Axis, ExperimentResult, Measure, Query, Wanted};

use super::form::{MEGABYTES, NotMlc, missing, threads};

/// Idle latencies in ns.
pub(super) fn latencies(result: &ExperimentResult) -> Result<String, NotMlc> {
    let rows = rows(result, Measure::Latency, 1.0)?;
    Ok(format!("Measuring idle latencies for random access (in ns)...\n{rows}"))
}

/// Read bandwidths in MB/s.
pub(super) fn bandwidths(result: &ExperimentResult, machine: &Machine) -> Result<String, NotMlc> {
    let rows = rows(result, Measure::Bandwidth, 1000.0)?;
    let kernel = match result.places(Axis::Kernel).first() {
        None => "Using Read-only traffic type\n".to_owned(),
        Some(kernel) => format!("*** Traffic of the {kernel} kernel\n"),
    };
    let head = "Measuring Memory Bandwidths between nodes within system\n";
    let threads = threads(result, machine);
    Ok(format!("{head}{MEGABYTES}{threads}{kernel}{rows}"))
}

fn rows(result: &ExperimentResult, measure: Measure, scale: f64) -> Result<String, NotMlc> {
    let nodes = |axis: Axis| -> BTreeSet<u64> {
        let cells = result.cells.iter().filter(|cell| cell.measure == measure);
        cells.filter_map(|cell| cell.at.number(axis)).collect()
    };
    let (initiators, targets) = (nodes(Axis::Initiator), nodes(Axis::Target));
    if initiators.is_empty() || targets.is_empty() {
        return Err(missing(result, "a value from any node to any node"));
    }
    let query = Query::of(measure).at(Axis::Initiator, Wanted::Any).at(Axis::Target, Wanted::Any);
    let mut medians: BTreeMap<(u64, u64), f64> = BTreeMap::new();
    for cell in result.cells.iter().filter(|cell| query.selects(cell)) {
        if let Some(pair) = cell.at.number(Axis::Initiator).zip(cell.at.number(Axis::Target)) {
            medians.entry(pair).or_insert(cell.estimate.median);
        }
    }
    let mut text = "\t\tNuma node\nNuma node".to_owned();
    for target in &targets {
        text.push_str(&format!("\t{target:>6}"));
    }
    text.push('\n');
    for &initiator in &initiators {
        text.push_str(&format!("{initiator:>8}"));
        for &target in &targets {
            let median = medians.get(&(initiator, target));
            let median =
                median.ok_or_else(|| missing(result, format!("node {initiator} to node {target}")))?;
            text.push_str(&format!("\t{:>6.1}", median * scale));
        }
        text.push('\n');
    }
    Ok(text)
}
