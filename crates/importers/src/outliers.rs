//! Values that no machine has beside the others of their table: a lost decimal point, a mark between thousands that was read as one, a
//! row in another unit.
//!
//! Faults make bandwidths small and latencies long, too, but not that much: a node that has one of twelve channels left reads a
//! twelfth, and memory behind a switch answers after about five times as long as a node's own.

use std::collections::BTreeMap;

use zerohop_result::{Axis, Cell, Coordinates, ExperimentName, Measure};

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

/// The values of a table, looked through once: tables of cores have tens of thousands.
pub(crate) struct Table<'a> {
    experiment: &'a ExperimentName,
    /// By measure: the values above 0, in order.
    ordered: BTreeMap<Measure, Vec<f64>>,
    /// Nodes' own memory, by measure and coordinates.
    own: BTreeMap<(Measure, Coordinates), f64>,
}

impl<'a> Table<'a> {
    /// That of an experiment; `None` if its values are not of one machine.
    pub(crate) fn of(experiment: &'a ExperimentName, cells: &[Cell]) -> Option<Self> {
        if !OF_ONE_MACHINE.contains(experiment) && *experiment != kinds::LOADED_LATENCY {
            return None;
        }
        let (mut ordered, mut own) = (BTreeMap::<Measure, Vec<f64>>::new(), BTreeMap::new());
        for cell in cells {
            let value = cell.estimate.median;
            if value > 0.0 {
                ordered.entry(cell.measure).or_default().push(value);
            }
            let node = cell.at.number(Axis::Initiator);
            if node.is_some() && node == cell.at.number(Axis::Target) {
                own.insert((cell.measure, cell.at.clone()), value);
            }
        }
        ordered.values_mut().for_each(|values| values.sort_by(f64::total_cmp));
        Some(Self { experiment, ordered, own })
    }

    /// Why the value of one of its cells cannot be true beside the others.
    pub(crate) fn reason(&self, cell: &Cell) -> Option<String> {
        let (value, unit) = (cell.estimate.median, cell.measure.unit());
        let ordered = self.ordered.get(&cell.measure).filter(|ordered| ordered.len() >= FEWEST)?;
        if value <= 0.0 {
            return None;
        }
        // What is left without the value itself.
        let apart = |end: f64, next: f64| if value == end { next } else { end };
        let smallest = apart(ordered[0], ordered[1]);
        let largest = apart(ordered[ordered.len() - 1], ordered[ordered.len() - 2]);
        // Under load, both measures have all sizes.
        let least = match cell.measure {
            _ if *self.experiment == kinds::LOADED_LATENCY => 0.0,
            Measure::Latency => smallest / SHORTER,
            _ if *self.experiment == kinds::STREAM => smallest / SLOWER_KERNEL,
            _ if *self.experiment == kinds::BANDWIDTH_MATRIX => smallest / SLOWER_PLACE,
            _ => smallest / SLOWER_MIX,
        };
        if value > LARGER * largest {
            Some(format!("it is {:.0} times as large as any other ({largest:.1} {unit})", value / largest))
        } else if value < least {
            let times = smallest / value;
            Some(format!("every other is at least {times:.0} times as large ({smallest:.1} {unit})"))
        } else {
            self.beside_own(cell, largest)
        }
    }

    /// Why a value cannot be true beside those of own memory or, for own memory, beside the `largest` of all others.
    fn beside_own(&self, cell: &Cell, largest: f64) -> Option<String> {
        let (from, to) = (cell.at.number(Axis::Initiator)?, cell.at.number(Axis::Target)?);
        let (value, unit) = (cell.estimate.median, cell.measure.unit());
        if from == to {
            let is_late = cell.measure == Measure::Latency && value > OWN * largest;
            return is_late.then(|| {
                format!(
                    "local memory cannot have a higher latency than all other memory ({largest:.1} {unit})"
                )
            });
        }
        let of = |node: u64| {
            let mut at = cell.at.clone();
            at.0.insert(Axis::Initiator, node.into());
            at.0.insert(Axis::Target, node.into());
            self.own.get(&(cell.measure, at)).copied()
        };
        let own = [of(from)?, of(to)?];
        let (least, most) = (own[0].min(own[1]), own[0].max(own[1]));
        match cell.measure {
            Measure::Bandwidth if value > REMOTE * most => Some(format!(
                "remote memory cannot have a higher bandwidth than local memory ({most:.1} {unit})"
            )),
            Measure::Latency if value * REMOTE < least => Some(format!(
                "remote memory cannot have a lower latency than local memory ({least:.1} {unit})"
            )),
            _ => None,
        }
    }
}
