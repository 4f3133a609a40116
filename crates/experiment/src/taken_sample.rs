//! One sample, as far as statistics need it.

use zerohop_workload::{Inside, Meters, Sample};

use crate::disturbance::Disturbance;
use crate::plan::Measurement;
use crate::protocol::Protocol;
use crate::traffic::with_computed;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TakenSample {
    /// Value of the sample for each of the measurement's readings.
    pub(crate) values: Vec<f64>,
    /// For each reading, the number of lines that its value rests on.
    pub(crate) lines: Vec<f64>,
    /// For each reading that is a latency, its value in the quietest tenth of the sample, where that is known.
    pub(crate) quiet: Vec<Option<f64>>,
    pub(crate) disturbance: Disturbance,
    /// Readings of the machine's own instruments.
    pub(crate) meters: Meters,
    /// Observations inside the machine, if the engine can see it and they were requested.
    pub(crate) inside: Option<Inside>,
    /// Rank among all samples taken.
    pub(crate) rank: usize,
    /// The round in which it was taken, from zero.
    pub(crate) round: u32,
}

impl TakenSample {
    /// Values of a sample of this measurement. `None` if nothing moved.
    pub(crate) fn of(
        measurement: &Measurement,
        protocol: &Protocol,
        sample: Sample,
        rank: usize,
    ) -> Option<Self> {
        let workload = &measurement.workload;
        let readings = measurement.readings.iter();
        let values: Option<Vec<f64>> = readings.map(|reading| reading.value(workload, &sample)).collect();
        let wanted = protocol.detail || measurement.looks_inside();
        Some(Self {
            values: values?,
            lines: measurement.readings.iter().map(|reading| reading.lines(workload, &sample)).collect(),
            quiet: measurement.readings.iter().map(|reading| reading.quiet(&sample)).collect(),
            disturbance: Disturbance::of(workload, &sample),
            meters: with_computed(workload, &sample),
            inside: sample.inside.filter(|_| wanted),
            rank,
            round: 0,
        })
    }
}
