//! Latency under load: `mlc --loaded_latency`.

use std::collections::BTreeMap;

use zerohop_machine::Machine;
use zerohop_result::{Axis, ExperimentResult, Measure, Query, Wanted};

use super::form::{NotMlc, missing, threads};

/// Delay in cycles, latency in ns, bandwidth in MB/s, from the heaviest load to the lightest. MLC loads all nodes and
/// prints one table; if several nodes were loaded one after the other, this prints the first one's.
pub(super) fn block(result: &ExperimentResult, machine: &Machine, heaviest: bool) -> Result<String, NotMlc> {
    let initiator = result.places(Axis::Initiator).first().map(|place| (*place).clone());
    let loaded = |measure: Measure| match &initiator {
        Some(initiator) => Query::of(measure).at(Axis::Initiator, initiator.clone()),
        None => Query::of(measure),
    };
    let mut medians: BTreeMap<(Measure, u64), f64> = BTreeMap::new();
    let mut delays = Vec::new();
    for measure in [Measure::Latency, Measure::Bandwidth] {
        let query = loaded(measure).at(Axis::Delay, Wanted::Any);
        for cell in result.cells.iter().filter(|cell| query.selects(cell)) {
            let Some(delay) = cell.at.number(Axis::Delay) else { continue };
            medians.entry((measure, delay)).or_insert(cell.estimate.median);
            delays.extend((measure == Measure::Latency).then_some(delay));
        }
    }
    let number = |delay: u64, measure: Measure| {
        let median = medians.get(&(measure, delay)).copied();
        median.ok_or_else(|| missing(result, format!("the {} at a delay of {delay}", measure.words())))
    };
    if delays.is_empty() {
        return Err(missing(result, "a latency at any delay"));
    }
    let mut text = String::new();
    if let Some(initiator) = &initiator {
        let place = result.places(Axis::Load).first().map(ToString::to_string);
        let (load, memory) = match place.as_deref() {
            None => ("Load and latency", "its own memory"),
            Some("machine") => ("Load of all nodes, each on its own memory; latency", "its own memory"),
            Some("machine-remote") => {
                ("Load of all nodes, each on all others' memory; latency", "the others' memory")
            }
            Some("machine-interleaved") => ("Load of all nodes and latency", "interleaved memory"),
            Some("crossing") => {
                ("Load of two nodes, each on the other's memory; latency", "the other's memory")
            }
            Some(_) => ("Load and latency", "remote memory"),
        };
        text.push_str(&format!("*** {load} of node {initiator} on {memory}\n"));
    }
    text.push_str("*** Equal delays are not equal loads: compare with MLC by bandwidth\n");
    text.push_str("Measuring Loaded Latencies for the system\n");
    text.push_str(threads(result, machine));
    match result.places(Axis::Kernel).first() {
        None => text.push_str("Using Read-only traffic type\n"),
        Some(kernel) => text.push_str(&format!("*** Traffic of the {kernel} kernel\n")),
    }
    text.push_str("Inject\tLatency\tBandwidth\nDelay\t(ns)\tMB/sec\n==========================\n");
    for delay in delays.into_iter().take(if heaviest { 1 } else { usize::MAX }) {
        let latency = number(delay, Measure::Latency)?;
        let bandwidth = number(delay, Measure::Bandwidth)? * 1000.0;
        text.push_str(&format!(" {delay:05}\t{latency:>6.2}\t{bandwidth:>9.1}\n"));
    }
    Ok(text)
}
