//! The whole machine's mixes: `mlc --peak_injection_bandwidth`, `mlc --max_bandwidth`.

use zerohop_machine::Machine;
use zerohop_result::{Axis, Cell, Coordinate, ExperimentResult, Measure, Query};

use super::form::{MEGABYTES, NotMlc, missing, threads};

/// zerohop's mixes under MLC's names, in MLC's order. Nothing may follow them: SuperBench counts lines from the end.
const MIXES: [(&str, &str); 5] = [
    ("all_reads", "ALL Reads        :"),
    ("3:1", "3:1 Reads-Writes :"),
    ("2:1", "2:1 Reads-Writes :"),
    ("1:1", "1:1 Reads-Writes :"),
    ("stream_triad_like", "Stream-triad like:"),
];

/// At the highest rate that cores reach.
pub(super) fn peak_injection(result: &ExperimentResult, machine: &Machine) -> Result<String, NotMlc> {
    block("Measuring Peak Injection Memory Bandwidths for the system\n", result, machine)
}

/// MLC tries several rates of injection for the best bandwidth.
pub(super) fn maximum(result: &ExperimentResult, machine: &Machine) -> Result<String, NotMlc> {
    let head = "*** Cores inject as fast as they can; other rates are not tried\n\
                Measuring Maximum Memory Bandwidths for the system\n";
    block(head, result, machine)
}

/// Bandwidths in MB/s of all nodes at once, or of the only node. Where a mix was measured with one thread per core and with all, the
/// better counts.
fn block(head: &str, result: &ExperimentResult, machine: &Machine) -> Result<String, NotMlc> {
    let all = Coordinate::from("all");
    let initiators = result.places(Axis::Initiator);
    let whole = match initiators.as_slice() {
        [only] => *only,
        several if several.contains(&&all) => &all,
        _ => return Err(missing(result, "the values of all nodes at once")),
    };
    let mut best: Vec<(&str, &Cell)> = Vec::with_capacity(MIXES.len());
    for (mix, name) in MIXES {
        let query = Query::of(Measure::Bandwidth).at(Axis::Mix, mix).at(Axis::Initiator, whole.clone());
        let cells = result.cells.iter().filter(|cell| query.selects(cell));
        let cell = cells.max_by(|one, other| one.estimate.median.total_cmp(&other.estimate.median));
        best.push((name, cell.ok_or_else(|| missing(result, format!("the mix {mix}")))?));
    }
    let mut text = String::new();
    let alone = best.iter().filter(|(_, cell)| cell.at.is(Axis::ThreadsPerCore, 1u32));
    let alone: Vec<&str> = alone.map(|(name, _)| name.trim_end_matches([' ', ':'])).collect();
    if !alone.is_empty() {
        text.push_str(&format!("*** Faster with one thread from each core: {}\n", alone.join(", ")));
    }
    text.push_str(head);
    text.push_str(MEGABYTES);
    text.push_str(threads(result, machine));
    text.push_str("Using traffic with the following read-write ratios\n");
    for (name, cell) in best {
        text.push_str(&format!("{name}\t{:.1}\n", cell.estimate.median * 1000.0));
    }
    Ok(text)
}
