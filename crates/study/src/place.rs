//! Locates a published value in a result.

use zerohop_machine::Machine;
use zerohop_result::{Axis, ExperimentResult, Measure, NoValue, Query, Value, Wanted};
use zerohop_units::Nanoseconds;

use crate::Amount;
use crate::model_value::Simulated;

/// A value of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    /// Name of the place in the study.
    pub name: String,
    /// Rank of the run in [`Study::runs`](crate::Study::runs).
    pub run: usize,
    /// Selects cells of the run's result.
    pub query: Query,
    /// The latency at this share of the highest bandwidth on the run's curve, instead of the value of one cell.
    pub of_peak: Option<f64>,
    /// With `of_peak`: the published value lies on a straight line between the points at these two shares of the peak.
    pub chord: Option<[f64; 2]>,
}

impl Place {
    /// Value at this place in a result on `machine`.
    ///
    /// # Errors
    /// If the query selects no cell, or more than one.
    pub(crate) fn look_up(&self, result: &ExperimentResult, machine: &Machine) -> Result<Simulated, NoValue> {
        if let Some(share) = self.of_peak {
            let of = |number| self.on_curve(share, number, result, machine);
            let [low, high] = [of(|value| value.low)?, of(|value| value.high)?].map(Nanoseconds::get);
            let latency = of(|value| value.value)?;
            return Ok(Simulated::new(Amount::Nanoseconds(latency), low, high));
        }
        let value = self.query.value(&result.cells, machine)?;
        let [low, high] = [value.low, value.high].map(|end| Amount::of(value.measure, end).get());
        Ok(Simulated::new(Amount::of(value.measure, value.value), low, high))
    }

    /// The latency at a share of the highest bandwidth, or an end of its interval.
    fn on_curve(
        &self,
        share: f64,
        latency: fn(&Value) -> f64,
        result: &ExperimentResult,
        machine: &Machine,
    ) -> Result<Nanoseconds, NoValue> {
        let mut curve: Vec<[f64; 2]> = Vec::new();
        let mut delays: Vec<_> = result.cells.iter().filter_map(|cell| cell.at.get(Axis::Delay)).collect();
        delays.dedup();
        for delay in delays {
            let value = |measure| {
                let mut query = Query { measure, ..self.query.clone() };
                query.at.insert(Axis::Delay, Wanted::OneOf(vec![delay.clone()]));
                query.value(&result.cells, machine)
            };
            curve.push([value(Measure::Bandwidth)?.value, latency(&value(Measure::Latency)?)]);
        }
        curve.sort_by(|one, other| one[0].total_cmp(&other[0]));
        on_chord(&curve, share, self.chord).map_or_else(
            || self.query.value(&result.cells, machine).map(|value| Nanoseconds(latency(&value))),
            |latency| Ok(Nanoseconds(latency)),
        )
    }
}

/// The latency at a share of the peak of a curve in ascending order. A straight line across the bend of a curve lies above it: where
/// the published value was read from one, between the shares of `chord`, the same line across this curve is what compares with it.
fn on_chord(curve: &[[f64; 2]], share: f64, chord: Option<[f64; 2]>) -> Option<f64> {
    let peak = curve.last().map_or(0.0, |[bandwidth, _]| *bandwidth);
    let at = |share: f64| latency_at(curve, share * peak);
    match chord {
        Some([left, right]) => Some(on_line([left, at(left)?], [right, at(right)?], share)),
        None => at(share),
    }
}

/// The latency at a bandwidth, between the two nearest points of a curve in ascending order; below its first point, that of the
/// first.
fn latency_at(curve: &[[f64; 2]], bandwidth: f64) -> Option<f64> {
    let after = curve.iter().position(|point| point[0] >= bandwidth)?;
    let Some(before) = after.checked_sub(1) else { return Some(curve[after][1]) };
    Some(on_line(curve[before], curve[after], bandwidth))
}

/// The height at `at` of a straight line between two points.
fn on_line([left, low]: [f64; 2], [right, high]: [f64; 2], at: f64) -> f64 {
    let part = if right > left { (at - left) / (right - left) } else { 1.0 };
    low + part * (high - low)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_latency_is_read_between_the_points_of_a_curve() {
        let curve = [[10.0, 80.0], [50.0, 90.0], [100.0, 200.0]];
        assert_eq!(latency_at(&curve, 5.0), Some(80.0));
        assert_eq!(latency_at(&curve, 30.0), Some(85.0));
        assert_eq!(latency_at(&curve, 100.0), Some(200.0));
        assert_eq!(latency_at(&curve, 101.0), None);
    }

    /// Published curves often have no point between 75 and 99 % of their peak. At 90 %, a straight line between these two is far above
    /// the curve.
    #[test]
    fn a_value_between_two_published_points_is_compared_with_the_same_line() {
        let curve = [[0.0, 80.0], [75.0, 100.0], [95.0, 120.0], [99.0, 200.0], [100.0, 240.0]];
        let is = |chord, latency: f64| (on_chord(&curve, 0.95, chord).unwrap() - latency).abs() < 1e-9;
        assert!(is(None, 120.0));
        assert!(is(Some([0.75, 1.0]), 212.0));
        assert!(is(Some([0.95, 1.0]), 120.0), "a published point");
        assert_eq!(on_chord(&[], 0.95, Some([0.75, 1.0])), None);
    }
}
