//! Cells of what happened inside a machine while its workers ran: traffic and queues of links, channels and home agents, and
//! where a line's time went.
//!
//! They are samples like any others, but do not decide when sampling stops: a queue that is nearly empty never has
//! a narrow interval. Zeros are numbers here.

use zerohop_units::Nanoseconds;
use zerohop_workload::Inside;

use crate::plan::Measurement;
use crate::sampler::Samples;
use crate::statistics::{ascending, count_outliers, estimate};
use zerohop_result::{Axis, Cell, Coordinates, Evidence, Measure};

/// One number of a sample's inside, and where it stands beside the measurement's own coordinates.
type Figure<'a> = (&'a [(Axis, &'a str)], Measure, f64);

/// Everything that the samples tell of the machine's inside.
pub(crate) fn detail_cells(measurement: &Measurement, samples: &Samples, evidence: &Evidence) -> Vec<Cell> {
    let mut columns: Vec<Column> = Vec::new();
    for (sample, inside) in samples.counted.iter().filter_map(|taken| taken.inside.as_ref()).enumerate() {
        let mut rank = 0;
        figures(inside, &mut |(place, measure, value)| {
            // An engine lists the same parts in the same order every time.
            if sample == 0 {
                let at = place.iter().fold(measurement.at.clone(), |at, &(axis, word)| at.with(axis, word));
                columns.push(Column { at, measure, values: Vec::new() });
            }
            if let Some(column) = columns.get_mut(rank) {
                column.values.push(value);
            }
            rank += 1;
        });
    }
    columns.into_iter().filter_map(|column| column.cell(evidence)).collect()
}

/// The mean time of a line fill: that of all stages together.
pub(crate) fn fill_time_cell(
    measurement: &Measurement,
    samples: &Samples,
    evidence: &Evidence,
) -> Option<Cell> {
    let fill_time = |inside: &Inside| {
        let time: Nanoseconds = inside.stages.iter().map(|stage| stage.time).sum();
        (time.get() > 0.0).then(|| time.get())
    };
    let insides = samples.counted.iter().filter_map(|taken| taken.inside.as_ref());
    let values = insides.filter_map(fill_time).collect();
    Column { at: measurement.at.clone(), measure: Measure::Latency, values }.cell(evidence)
}

/// Samples of one cell.
struct Column {
    at: Coordinates,
    measure: Measure,
    values: Vec<f64>,
}

impl Column {
    fn cell(self, evidence: &Evidence) -> Option<Cell> {
        let (estimate, _) = estimate(&self.values)?;
        let outliers = count_outliers(&ascending(&self.values));
        Some(Cell {
            at: self.at,
            measure: self.measure,
            estimate,
            evidence: Evidence { outliers, ..evidence.clone() },
            samples: self.values,
            warnings: Vec::new(),
        })
    }
}

/// Each number of a sample's inside, in the order of its parts.
fn figures(inside: &Inside, take: &mut dyn FnMut(Figure<'_>)) {
    for link in &inside.links {
        let at: &[_] = &[(Axis::Link, link.name.as_str())];
        take((at, Measure::LinkTraffic, link.traffic.get()));
        take((at, Measure::LinkData, link.data.get()));
        take((at, Measure::Utilization, link.utilization));
        take((at, Measure::QueueLength, link.queue));
    }
    for channel in &inside.channels {
        let name = channel.name.as_str();
        take((&[(Axis::Channel, name), (Axis::Direction, "read")], Measure::BusTraffic, channel.read.get()));
        take((
            &[(Axis::Channel, name), (Axis::Direction, "written")],
            Measure::BusTraffic,
            channel.written.get(),
        ));
        take((&[(Axis::Channel, name)], Measure::Utilization, channel.utilization));
        take((&[(Axis::Channel, name)], Measure::QueueLength, channel.queue));
    }
    for home in &inside.homes {
        let at: &[_] = &[(Axis::Home, home.name.as_str())];
        take((at, Measure::Occupancy, home.occupancy));
        take((at, Measure::QueueLength, home.queue));
        take((at, Measure::Rejections, home.rejected_per_second));
    }
    for stage in &inside.stages {
        take((&[(Axis::Stage, stage.stage.name())], Measure::Latency, stage.time.get()));
    }
}
