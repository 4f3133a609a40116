//! Values that no machine has beside the others of their table: a lost decimal point, a mark between thousands that was read as one, a
//! row in another unit.
//!
//! Faults make bandwidths small and latencies long, too, but not that much: a node that has one of twelve channels left reads a
//! twelfth, and memory behind a switch answers after about five times as long as a node's own.

use zerohop_result::{Axis, Cell, ExperimentName, Measure};

use crate::kinds;

/// Experiments whose values are those of places, kernels or mixes of one machine.
const OF_ONE_MACHINE: [ExperimentName; 6] = [
    kinds::LATENCY_MATRIX,
    kinds::CORE_LATENCY,
    kinds::BANDWIDTH_MATRIX,
    kinds::MIXES,
    kinds::MAXIMUM_BANDWIDTH,
    kinds::STREAM,
];

/// No value is so many times as large as every other one.
const LARGER: f64 = 8.0;

/// No latency is so many times as short as every other one.
const SHORTER: f64 = 8.0;

/// No place's bandwidth is so many times as small as every other one.
const SLOWER_PLACE: f64 = 100.0;

/// No mix of reads and writes is: persistent memory writes slowly.
const SLOWER_MIX: f64 = 30.0;

/// None of STREAM's kernels is.
const SLOWER_KERNEL: f64 = 8.0;

/// Nobody reads remote memory so many times as fast as its own CPUs do, and as own memory; nor does it answer so many times as soon.
const REMOTE: f64 = 2.0;

/// Own memory does not answer so many times as late as all other memory.
const OWN: f64 = 4.0;

/// Fewer values do not show which of them is wrong.
const FEWEST: usize = 3;

/// Why the value of a cell cannot be true beside the others.
pub(crate) fn reason(experiment: &ExperimentName, cells: &[Cell], cell: &Cell) -> Option<String> {
    if !OF_ONE_MACHINE.contains(experiment) && *experiment != kinds::LOADED_LATENCY {
        return None;
    }
    let (value, unit) = (cell.estimate.median, cell.measure.unit());
    let others = || {
        let same = cells.iter().filter(|other| other.measure == cell.measure && other.at != cell.at);
        same.map(|other| other.estimate.median).filter(|&other| other > 0.0)
    };
    if others().count() + 1 < FEWEST || value <= 0.0 {
        return None;
    }
    let largest = others().fold(0.0, f64::max);
    let smallest = others().fold(f64::INFINITY, f64::min);
    // Under load, both measures have all sizes.
    let least = match cell.measure {
        _ if *experiment == kinds::LOADED_LATENCY => 0.0,
        Measure::Latency => smallest / SHORTER,
        _ if *experiment == kinds::STREAM => smallest / SLOWER_KERNEL,
        _ if *experiment == kinds::BANDWIDTH_MATRIX => smallest / SLOWER_PLACE,
        _ => smallest / SLOWER_MIX,
    };
    if value > LARGER * largest {
        Some(format!("it is {:.0} times as large as any other ({largest:.1} {unit})", value / largest))
    } else if value < least {
        Some(format!("every other is at least {:.0} times as large ({smallest:.1} {unit})", smallest / value))
    } else {
        beside_own(cells, cell)
    }
}

/// Why a value cannot be true beside those of own memory or, for own memory, beside those of its node.
fn beside_own(cells: &[Cell], cell: &Cell) -> Option<String> {
    let (from, to) = (cell.at.number(Axis::Initiator)?, cell.at.number(Axis::Target)?);
    let (value, unit) = (cell.estimate.median, cell.measure.unit());
    let at = |from: u64, to: u64| {
        let mut at = cell.at.clone();
        at.0.insert(Axis::Initiator, from.into());
        at.0.insert(Axis::Target, to.into());
        cells.iter().find(|own| own.measure == cell.measure && own.at == at).map(|own| own.estimate.median)
    };
    if from == to {
        let others = cells.iter().filter(|other| other.measure == cell.measure && other.at != cell.at);
        let latest = others.map(|other| other.estimate.median).fold(0.0, f64::max);
        let is_late = cell.measure == Measure::Latency && value > OWN * latest;
        return is_late
            .then(|| format!("own memory does not answer later than all other memory ({latest:.1} {unit})"));
    }
    let own = [at(from, from)?, at(to, to)?];
    let (least, most) = (own[0].min(own[1]), own[0].max(own[1]));
    match cell.measure {
        Measure::Bandwidth if value > REMOTE * most => {
            Some(format!("remote memory is not read faster than own memory ({most:.1} {unit})"))
        }
        Measure::Latency if value * REMOTE < least => {
            Some(format!("remote memory does not answer sooner than own memory ({least:.1} {unit})"))
        }
        _ => None,
    }
}
