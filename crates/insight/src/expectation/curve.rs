//! Curves of latency against bandwidth. Delays of two tools, or of a tool and a model, cause different loads, so curves are compared at
//! equal shares of their own highest bandwidth.

use zerohop_result::{Axis, Cell, Coordinates, ExperimentResult, Measure};

/// A curve, by ascending bandwidth.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Curve(Vec<[f64; 2]>);

impl Curve {
    /// The curve that has the cell at `at` among its points: the cells that differ from it only in the delay.
    pub(super) fn of(result: &ExperimentResult, at: &Coordinates) -> Option<Self> {
        let rest = without_delay(at);
        let on_it = |cell: &&Cell| cell.at.get(Axis::Delay).is_some() && without_delay(&cell.at) == rest;
        let points = result.cells.iter().filter(on_it).filter(|cell| cell.measure == Measure::Bandwidth);
        let latency = |at: &Coordinates| {
            let twin = result.cell(at, Measure::Latency)?;
            Some(twin.estimate.median)
        };
        let mut points: Vec<[f64; 2]> =
            points.filter_map(|cell| Some([cell.estimate.median, latency(&cell.at)?])).collect();
        points.sort_by(|one, other| one[0].total_cmp(&other[0]));
        (!points.is_empty()).then_some(Self(points))
    }

    /// The curve of a model to compare with one whose cells are at `at`: that of the same place, or else the first.
    pub(super) fn like(result: &ExperimentResult, at: &Coordinates) -> Option<Self> {
        let delays = result.cells.iter().filter(|cell| cell.at.get(Axis::Delay).is_some());
        let first = delays.clone().find(|cell| without_delay(&cell.at) == without_delay(at));
        let first = first.or_else(|| {
            let initiator = at.get(Axis::Initiator);
            delays.clone().find(|cell| cell.at.get(Axis::Initiator) == initiator)
        });
        Self::of(result, &first?.at)
    }

    /// Its highest bandwidth.
    pub(super) fn peak(&self) -> f64 {
        self.0.last().map_or(0.0, |point| point[0])
    }

    /// The latency at a share of its highest bandwidth, between the two nearest points; below the first point, that of the first.
    pub(super) fn latency_at(&self, share: f64) -> Option<f64> {
        let bandwidth = share * self.peak();
        let after = self.0.iter().position(|point| point[0] >= bandwidth * (1.0 - 1e-9))?;
        let [right, high] = self.0[after];
        let Some([left, low]) = after.checked_sub(1).map(|before| self.0[before]) else { return Some(high) };
        let part = if right > left { (bandwidth - left) / (right - left) } else { 1.0 };
        Some(low + part * (high - low))
    }
}

/// The latency of a result's curve at a load, in ns: between the two nearest points of the curve that has the cell at `at` among its points. Below
/// its first point, that of the first; `None` above the highest bandwidth (both in GB/s), which says nothing of higher ones.
pub fn latency_under(result: &ExperimentResult, at: &Coordinates, bandwidth: f64) -> Option<f64> {
    let curve = Curve::of(result, at)?;
    let share = bandwidth / curve.peak();
    (share.is_finite() && share <= 1.0).then(|| curve.latency_at(share))?
}

fn without_delay(at: &Coordinates) -> Coordinates {
    let mut at = at.clone();
    at.0.remove(&Axis::Delay);
    at
}
