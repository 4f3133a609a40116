//! Curves of latency against bandwidth. Delays of two tools, or of a tool and a model, cause different loads, so curves are compared at
//! equal shares of their own highest bandwidth.

use std::collections::HashMap;

use zerohop_result::{Axis, Cell, Coordinate, Coordinates, ExperimentResult, Measure};

/// A curve, by ascending bandwidth.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve(Vec<[f64; 2]>);

impl Curve {
    pub(super) fn peak(&self) -> f64 {
        self.0.last().map_or(0.0, |point| point[0])
    }

    /// The latency at a share of its highest bandwidth, between the two nearest points; below the first point, that of the first.
    pub(super) fn latency_at(&self, share: f64) -> Option<f64> {
        let bandwidth = share * self.peak();
        let after = self.0.partition_point(|point| point[0] < bandwidth * (1.0 - 1e-9));
        let [right, high] = *self.0.get(after)?;
        let Some([left, low]) = after.checked_sub(1).map(|before| self.0[before]) else { return Some(high) };
        let part = if right > left { (bandwidth - left) / (right - left) } else { 1.0 };
        Some(low + part * (high - low))
    }

    /// The latency at a load, in ns: between the two nearest points. Below the first point, that of the first; `None` above the highest
    /// bandwidth (both in GB/s), which says nothing of higher ones.
    pub fn latency_under(&self, bandwidth: f64) -> Option<f64> {
        let share = bandwidth / self.peak();
        (share.is_finite() && share <= 1.0).then(|| self.latency_at(share))?
    }
}

/// The curves of an experiment, each with the cells that differ only in the delay. They are found once for all cells: a result may have
/// thousands of them.
#[derive(Debug)]
pub struct Curves<'a> {
    cells: HashMap<(Measure, &'a Coordinates), &'a Cell>,
    /// Curves by the coordinates without the delay; coordinates without points have none.
    curves: HashMap<Coordinates, Curve>,
    /// The first curve of each initiator.
    of_initiator: HashMap<Option<&'a Coordinate>, Coordinates>,
}

impl<'a> Curves<'a> {
    /// Curves of an experiment.
    pub fn new(result: &'a ExperimentResult) -> Self {
        let cells: HashMap<_, _> = result.cells.iter().map(|cell| ((cell.measure, &cell.at), cell)).collect();
        let mut curves: HashMap<Coordinates, Curve> = HashMap::new();
        let mut of_initiator = HashMap::new();
        for cell in result.cells.iter().filter(|cell| cell.at.get(Axis::Delay).is_some()) {
            let rest = without_delay(&cell.at);
            of_initiator.entry(cell.at.get(Axis::Initiator)).or_insert_with(|| rest.clone());
            let curve = curves.entry(rest).or_insert_with(|| Curve(Vec::new()));
            if cell.measure == Measure::Bandwidth
                && let Some(twin) = cells.get(&(Measure::Latency, &cell.at))
            {
                curve.0.push([cell.estimate.median, twin.estimate.median]);
            }
        }
        curves.values_mut().for_each(|curve| curve.0.sort_by(|one, other| one[0].total_cmp(&other[0])));
        Self { cells, curves, of_initiator }
    }

    /// The curve that has the cell at `at` among its points.
    pub fn of(&self, at: &Coordinates) -> Option<&Curve> {
        self.curves.get(&without_delay(at)).filter(|curve| !curve.0.is_empty())
    }

    /// The curve of a model to compare with one whose cells are at `at`: that of the same place, or else the first of its initiator.
    pub(super) fn like(&self, at: &Coordinates) -> Option<&Curve> {
        let own = self.curves.get(&without_delay(at));
        let found = own.or_else(|| self.curves.get(self.of_initiator.get(&at.get(Axis::Initiator))?));
        found.filter(|curve| !curve.0.is_empty())
    }

    /// The cell of a measure at a place.
    pub(super) fn cell(&self, at: &Coordinates, measure: Measure) -> Option<&'a Cell> {
        self.cells.get(&(measure, at)).copied()
    }
}

fn without_delay(at: &Coordinates) -> Coordinates {
    let mut at = at.clone();
    at.0.remove(&Axis::Delay);
    at
}
