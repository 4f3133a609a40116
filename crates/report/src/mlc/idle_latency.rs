//! One latency: `mlc --idle_latency`.

use zerohop_machine::NodeId;
use zerohop_result::{Axis, ExperimentResult, Measure};

use super::form::{NotMlc, missing};

/// Latency in ns and in clocks of the core, where its frequency is known, of the first initiator to that node.
pub(super) fn block(result: &ExperimentResult, target: Option<NodeId>) -> Result<String, NotMlc> {
    let latencies = || result.cells.iter().filter(|cell| cell.measure == Measure::Latency);
    let from = latencies().filter_map(|cell| cell.at.number(Axis::Initiator)).min();
    let from = from.ok_or_else(|| missing(result, "a latency from any node"))?;
    let to = target.map_or(from, |node| u64::from(node.0));
    let cell = latencies().find(|cell| cell.at.is(Axis::Initiator, from) && cell.at.is(Axis::Target, to));
    let cell = cell.ok_or_else(|| missing(result, format!("node {from} to node {to}")))?;
    let mebibytes = cell.evidence.buffers.get() as f64 / f64::from(1 << 20);
    let latency = cell.estimate.median;
    let clocks = cell.evidence.clock_ghz.map(|(low, high)| latency * (low + high) / 2.0);
    let clocks = clocks.map_or("-".to_owned(), |clocks| format!("{clocks:.1}"));
    Ok(format!(
        "Using buffer size of {mebibytes:.3}MiB\nEach iteration took {clocks} core clocks (\t{latency:.1}\tns)\n"
    ))
}
