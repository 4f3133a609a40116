//! Cells about the inside of a machine while its workers ran: traffic and queues of links, channels and home agents, and the
//! time of a line fill by stage.
//!
//! They are sampled like any others, but do not decide when sampling stops: a queue that is nearly empty never has
//! a narrow interval. Zeros are valid values.

use zerohop_units::Nanoseconds;
use zerohop_workload::{Inside, Part, Warning};

use crate::plan::Measurement;
use crate::sampler::Samples;
use crate::statistics::{ascending, count_outliers, estimate};
use zerohop_result::{Cell, Coordinates, Evidence, Measure};

/// The parts that all cells of a measurement share.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shared<'a> {
    pub(crate) evidence: &'a Evidence,
    pub(crate) warnings: &'a [Warning],
}

/// All cells about the machine's inside.
pub(crate) fn detail_cells(measurement: &Measurement, samples: &Samples, shared: Shared<'_>) -> Vec<Cell> {
    let mut columns: Vec<Column> = Vec::new();
    for (sample, inside) in insides(samples).enumerate() {
        for (rank, seen) in inside.0.iter().enumerate() {
            // An engine observes the same parts in the same order every time.
            if sample == 0 {
                let at = measurement.at.clone().at_part(&seen.part);
                columns.push(Column { at, measure: seen.measure, values: Vec::new() });
            }
            if let Some(column) = columns.get_mut(rank) {
                column.values.push(seen.value);
            }
        }
    }
    columns.into_iter().filter_map(|column| column.cell(shared)).collect()
}

/// The mean time of a line fill: the sum of all stages.
pub(crate) fn fill_time_cell(
    measurement: &Measurement,
    samples: &Samples,
    shared: Shared<'_>,
) -> Option<Cell> {
    let values = insides(samples).filter_map(Inside::fill_time).map(Nanoseconds::get).collect();
    Column { at: measurement.at.clone(), measure: Measure::Latency, values }.cell(shared)
}

/// How much cache lines differ that the workers pass to each other.
pub(crate) fn spread_cell(measurement: &Measurement, samples: &Samples, shared: Shared<'_>) -> Option<Cell> {
    let values = insides(samples).filter_map(Inside::spread_over_lines).map(Nanoseconds::get).collect();
    Column { at: measurement.at.clone(), measure: Measure::LatencySpread, values }.cell(shared)
}

/// The histogram of the times of loads: a cell for each bar that any load is in.
pub(crate) fn histogram_cells(measurement: &Measurement, samples: &Samples, shared: Shared<'_>) -> Vec<Cell> {
    let mut bars: Vec<Column> = Vec::new();
    for seen in insides(samples).flat_map(|inside| &inside.0) {
        if !matches!(seen.part, Part::Loads { .. }) {
            continue;
        }
        let at = measurement.at.clone().at_part(&seen.part);
        match bars.iter_mut().find(|bar| bar.at == at) {
            Some(bar) => bar.values.push(seen.value),
            None => bars.push(Column { at, measure: seen.measure, values: vec![seen.value] }),
        }
    }
    bars.retain(|bar| bar.values.iter().any(|share| *share > 0.0));
    bars.into_iter().filter_map(|bar| bar.cell(shared)).collect()
}

fn insides(samples: &Samples) -> impl Iterator<Item = &Inside> {
    samples.counted.iter().filter_map(|taken| taken.inside.as_ref())
}

/// Samples of one cell.
struct Column {
    at: Coordinates,
    measure: Measure,
    values: Vec<f64>,
}

impl Column {
    fn cell(self, shared: Shared<'_>) -> Option<Cell> {
        let (estimate, _) = estimate(&self.values)?;
        let outliers = count_outliers(&ascending(&self.values));
        Some(Cell {
            at: self.at,
            measure: self.measure,
            estimate,
            evidence: Evidence { outliers, ..shared.evidence.clone() },
            samples: self.values,
            warnings: shared.warnings.to_vec(),
        })
    }
}
