//! The matrices: `mlc --latency_matrix`, `mlc --bandwidth_matrix`.

use std::collections::BTreeSet;

use zerohop_machine::Machine;
use zerohop_result::{Axis, ExperimentResult, Measure, Query};

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
    let mut text = "\t\tNuma node\nNuma node".to_owned();
    for target in &targets {
        text.push_str(&format!("\t{target:>6}"));
    }
    text.push('\n');
    for &initiator in &initiators {
        text.push_str(&format!("{initiator:>8}"));
        for &target in &targets {
            let query = Query::of(measure).at(Axis::Initiator, initiator).at(Axis::Target, target);
            let cell = result.cells.iter().find(|cell| query.selects(cell));
            let cell = cell.ok_or_else(|| missing(result, format!("node {initiator} to node {target}")))?;
            text.push_str(&format!("\t{:>6.1}", cell.estimate.median * scale));
        }
        text.push('\n');
    }
    Ok(text)
}
