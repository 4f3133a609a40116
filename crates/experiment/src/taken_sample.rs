//! One sample, as far as statistics need it.

use zerohop_workload::{Inside, Meters, Sample};

use crate::disturbance::Disturbance;
use crate::plan::Measurement;
use crate::protocol::Protocol;
use crate::traffic::with_computed;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TakenSample {
    /// Its value for each of the measurement's readings.
    pub(crate) values: Vec<f64>,
    /// For each reading, the number of lines that its value rests on.
    pub(crate) lines: Vec<f64>,
    /// For each reading that is a latency, its value in the quietest tenth of the sample, where that is known.
    pub(crate) quiet: Vec<Option<f64>>,
    pub(crate) disturbance: Disturbance,
    /// What the machine's own instruments counted.
    pub(crate) meters: Meters,
    /// What happened inside the machine, where the engine sees it and it was requested.
    pub(crate) inside: Option<Inside>,
    /// Its rank among all samples taken.
    pub(crate) rank: usize,
    /// The round in which it was taken, from zero.
    pub(crate) round: u32,
}

impl TakenSample {
    /// What a sample of this measurement shows. `None` if nothing moved.
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
