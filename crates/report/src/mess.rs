//! Curves of latency and bandwidth in the form of the Mess benchmark's `memory_curves.csv`, which its plotting scripts write and read
//! (`utils/plotter.py`, `utils/app_plotter.py` in <https://github.com/bsc-mem/Mess-2.0>).
//!
//! Mess smooths what it measures; these curves are not smoothed, so its columns for that have the same values. Its `pause` is
//! our delay, in other steps.

use std::collections::HashMap;

use zerohop_result::{Axis, Catalogue, Cell, Coordinates, ExperimentName, ExperimentResult, Measure};

use crate::csv::{Columns, csv};
use crate::table::Table;

/// Reason why a result has no such curves.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{experiment} has no curves by share of reads, which the scripts of the Mess benchmark need")]
pub struct NotMess {
    experiment: ExperimentName,
    /// The experiment that has them.
    other: Option<&'static str>,
}

impl NotMess {
    /// Hint for the user.
    pub fn hint(&self) -> String {
        self.other.map_or_else(
            || "use another --format".to_owned(),
            |other| format!("`zerohop run {other} --format mess` writes them"),
        )
    }
}

/// A row for each point, the curve with the fewest reads first, and each by bandwidth.
///
/// # Errors
/// When the result has no curves by share of reads.
pub(crate) fn curves(result: &ExperimentResult, experiments: Catalogue) -> Result<String, NotMess> {
    let is_point = |cell: &&Cell| cell.measure == Measure::Latency && cell.at.is_whole();
    let bandwidths = result.cells.iter().filter(|cell| cell.measure == Measure::Bandwidth);
    let bandwidths: HashMap<&Coordinates, &Cell> = bandwidths.map(|cell| (&cell.at, cell)).collect();
    let twin = |latency: &Cell| bandwidths.get(&latency.at).copied();
    let points = result.cells.iter().filter(is_point).filter_map(|latency| {
        let percent = latency.at.number(Axis::ReadPercent)?;
        Some(Point { percent, pause: latency.at.number(Axis::Delay)?, latency, bandwidth: twin(latency)? })
    });
    let mut points: Vec<Point<'_>> = points.collect();
    if points.is_empty() {
        let has_curves = |rows: Axis| rows == Axis::ReadPercent;
        let other = experiments.all().find(|known| known.layouts.iter().any(|one| has_curves(one.rows)));
        let other = other.map(|known| known.name);
        return Err(NotMess { experiment: result.experiment.clone(), other });
    }
    points.sort_by(|one, other| {
        let bandwidth = |point: &Point<'_>| point.bandwidth.estimate.median;
        one.percent.cmp(&other.percent).then(bandwidth(one).total_cmp(&bandwidth(other)))
    });
    let numbers =
        |of: fn(&Point<'_>) -> f64| points.iter().map(of).map(Some).collect::<Vec<Option<f64>>>().into_iter();
    let latency = |point: &Point<'_>| point.latency.estimate.median;
    let bandwidth = |point: &Point<'_>| point.bandwidth.estimate.median;
    let table = Table::new()
        .counts("rd_percentage", points.iter().map(|point| point.percent))
        .counts("pause", points.iter().map(|point| point.pause))
        .numbers("bandwidth_mean", numbers(bandwidth))
        .numbers("bandwidth_std", numbers(|point| point.bandwidth.estimate.standard_deviation))
        .numbers("rd_percentage_actual_mean", numbers(|point| point.percent as f64 / 100.0))
        .numbers("latency_mean", numbers(latency))
        .numbers("latency_std", numbers(|point| point.latency.estimate.standard_deviation))
        .numbers("bandwidth_smooth", numbers(bandwidth))
        .numbers("latency_smooth", numbers(latency))
        .counts("read_pct_rounded", points.iter().map(|point| point.percent));
    Ok(csv(&table, Columns::All))
}

/// A point of a curve.
struct Point<'a> {
    percent: u64,
    pause: u64,
    latency: &'a Cell,
    bandwidth: &'a Cell,
}
