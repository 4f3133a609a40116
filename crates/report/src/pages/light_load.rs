//! Remark that a load hardly raised the latency, in words.

use std::collections::BTreeMap;

use zerohop_result::{Axis, Cell, Coordinate, ExperimentResult, Measure};

use crate::number::significant;
use crate::page::Page;

/// A load that raises the latency by less than this factor is none.
const A_LOAD: f64 = 1.1;

/// Says for which nodes the heaviest load raised the latency hardly at all.
pub(crate) fn write_light_load(page: &mut Page, result: &ExperimentResult) {
    let mut ends: BTreeMap<&Coordinate, [(u64, f64); 2]> = BTreeMap::new();
    let latencies = result.cells.iter().filter(|cell| cell.measure == Measure::Latency && cell.at.is_whole());
    let point = |cell: &Cell| Some((cell.at.number(Axis::Delay)?, cell.estimate.median));
    for cell in latencies {
        let (Some(initiator), Some(point)) = (cell.at.get(Axis::Initiator), point(cell)) else { continue };
        let [heaviest, lightest] = ends.entry(initiator).or_insert([point; 2]);
        if point.0 < heaviest.0 {
            *heaviest = point;
        }
        if point.0 > lightest.0 {
            *lightest = point;
        }
    }
    for (initiator, [(_, loaded), (_, idle)]) in ends {
        if loaded >= A_LOAD * idle {
            continue;
        }
        let unit = Measure::Latency.unit();
        page.blank();
        page.alert(
            &format!(
                "node {initiator} was never really loaded: {} {unit} under the heaviest load, {} {unit} under the lightest",
                significant(loaded),
                significant(idle)
            ),
            "the loading cores do not saturate this memory: add SMT siblings with --cpus, or load all nodes with --load machine",
        );
    }
}
