//! Locates a published value in a result.

use zerohop_machine::Machine;
use zerohop_result::{Axis, ExperimentResult, Measure, NoValue, Query, Value, Wanted};
use zerohop_units::Nanoseconds;

use crate::Amount;
use crate::simulated::Simulated;

/// A value of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    /// Its name in the study.
    pub name: String,
    /// Rank of the run in [`Study::runs`](crate::Study::runs).
    pub run: usize,
    /// Selects cells of the run's result.
    pub query: Query,
    /// The latency at this share of the highest bandwidth on the run's curve, instead of the value of one cell.
    pub of_peak: Option<f64>,
}

impl Place {
    /// The value that a result on `machine` has here.
    ///
    /// # Errors
    /// When the query selects no cell, or more than one.
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
        let peak = curve.last().map_or(0.0, |[bandwidth, _]| *bandwidth);
        latency_at(&curve, share * peak).map_or_else(
            || self.query.value(&result.cells, machine).map(|value| Nanoseconds(latency(&value))),
            |latency| Ok(Nanoseconds(latency)),
        )
    }
}

/// The latency at a bandwidth, between the two nearest points of a curve in ascending order; below its first point, that of the
/// first.
fn latency_at(curve: &[[f64; 2]], bandwidth: f64) -> Option<f64> {
    let after = curve.iter().position(|point| point[0] >= bandwidth)?;
    let [right, high] = curve[after];
    let Some([left, low]) = after.checked_sub(1).map(|before| curve[before]) else { return Some(high) };
    let part = if right > left { (bandwidth - left) / (right - left) } else { 1.0 };
    Some(low + part * (high - low))
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
}
