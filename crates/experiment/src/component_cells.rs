//! Cells about the inside of a machine while its workers ran: traffic and queues of links, channels and home agents, and the
//! time of a line fill by stage.
//!
//! They are sampled like any others, but do not decide when sampling stops: a queue that is nearly empty never has
//! a narrow interval. Zeros are valid values.

use zerohop_units::Nanoseconds;
use zerohop_workload::{Inside, Part, Warning};

use crate::interval::{Estimated, estimated_values};
use crate::plan::Measurement;
use crate::sampler::Samples;
use zerohop_result::{Cell, Coordinates, Evidence, Measure};
use zerohop_statistics::{ascending, count_outliers};

/// The parts that all cells of a measurement share.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shared<'a> {
    pub(crate) evidence: &'a Evidence,
    pub(crate) warnings: &'a [Warning],
}

/// All cells about the machine's inside.
pub(crate) fn detail_cells(measurement: &Measurement, samples: &Samples, shared: Shared<'_>) -> Vec<Cell> {
    let mut columns: Vec<Column> = Vec::new();
    for (sample, (round, inside)) in insides(samples).enumerate() {
        for (rank, seen) in inside.0.iter().enumerate() {
            // An engine observes the same parts in the same order every time.
            if sample == 0 {
                let at = measurement.at.clone().at_part(&seen.part);
                columns.push(Column { at, measure: seen.measure, values: Vec::new() });
            }
            if let Some(column) = columns.get_mut(rank) {
                column.values.push((round, seen.value));
            }
        }
    }
    columns.into_iter().filter_map(|column| column.cell(samples, shared)).collect()
}

/// The mean time of a line fill: the sum of all stages.
pub(crate) fn fill_time_cell(
    measurement: &Measurement,
    samples: &Samples,
    shared: Shared<'_>,
) -> Option<Cell> {
    let values = each(samples, Inside::fill_time);
    Column { at: measurement.at.clone(), measure: Measure::Latency, values }.cell(samples, shared)
}

/// Difference in latency between the cache lines that the workers pass to each other.
pub(crate) fn spread_cell(measurement: &Measurement, samples: &Samples, shared: Shared<'_>) -> Option<Cell> {
    let values = each(samples, Inside::spread_over_lines);
    Column { at: measurement.at.clone(), measure: Measure::LatencySpread, values }.cell(samples, shared)
}

/// The histogram of the times of loads: a cell for each bar that any load is in.
pub(crate) fn histogram_cells(measurement: &Measurement, samples: &Samples, shared: Shared<'_>) -> Vec<Cell> {
    let mut bars: Vec<Column> = Vec::new();
    for (round, seen) in
        insides(samples).flat_map(|(round, inside)| inside.0.iter().map(move |seen| (round, seen)))
    {
        if !matches!(seen.part, Part::Loads { .. }) {
            continue;
        }
        let at = measurement.at.clone().at_part(&seen.part);
        match bars.iter_mut().find(|bar| bar.at == at) {
            Some(bar) => bar.values.push((round, seen.value)),
            None => bars.push(Column { at, measure: seen.measure, values: vec![(round, seen.value)] }),
        }
    }
    bars.retain(|bar| bar.values.iter().any(|(_, share)| *share > 0.0));
    bars.into_iter().filter_map(|bar| bar.cell(samples, shared)).collect()
}

/// What was seen inside in each sample, with its round.
fn insides(samples: &Samples) -> impl Iterator<Item = (u32, &Inside)> {
    samples.counted.iter().filter_map(|taken| Some((taken.round, taken.inside.as_ref()?)))
}

/// A time that was seen inside in each sample, in ns.
fn each(samples: &Samples, time: impl Fn(&Inside) -> Option<Nanoseconds>) -> Vec<(u32, f64)> {
    insides(samples).filter_map(|(round, inside)| Some((round, time(inside)?.get()))).collect()
}

/// Samples of one cell, each with its round.
struct Column {
    at: Coordinates,
    measure: Measure,
    values: Vec<(u32, f64)>,
}

impl Column {
    fn cell(self, samples: &Samples, shared: Shared<'_>) -> Option<Cell> {
        let Estimated { estimate, confidence, rounds, round_spread, .. } =
            estimated_values(&self.values, samples.design, None, 0.0)?;
        let values: Vec<f64> = self.values.into_iter().map(|(_, value)| value).collect();
        let outliers = count_outliers(&ascending(&values));
        let mut warnings = shared.warnings.to_vec();
        warnings.extend(samples.too_few(confidence, values.len()));
        Some(Cell {
            at: self.at,
            measure: self.measure,
            estimate,
            evidence: Evidence { outliers, rounds, round_spread, ..shared.evidence.clone() },
            samples: values,
            warnings,
        })
    }
}
