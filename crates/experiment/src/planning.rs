//! A plan in the making, which leaves out the measurements that there is too little memory for, and only these.

use zerohop_workload::Warning;

use crate::ExperimentError;
use crate::cell_accumulator::skipped;
use crate::plan::{Curve, Measurement, Plan, Ratio, Summary};
use zerohop_result::ExperimentName;

/// Measurements as they are planned, in places. A place stays empty if a node has too little memory for its workers.
#[derive(Debug)]
pub(crate) struct Planning {
    experiment: ExperimentName,
    measurements: Vec<Measurement>,
    /// The rank of the measurement at each place.
    ranks: Vec<Option<usize>>,
    warnings: Vec<Warning>,
    first_error: Option<ExperimentError>,
}

impl Planning {
    /// Nothing is planned yet.
    pub(crate) const fn new(experiment: ExperimentName) -> Self {
        Self {
            experiment,
            measurements: Vec::new(),
            ranks: Vec::new(),
            warnings: Vec::new(),
            first_error: None,
        }
    }

    /// The number of places.
    pub(crate) const fn places(&self) -> usize {
        self.ranks.len()
    }

    /// Adds a place for a measurement, which has this label also if there is too little memory for it.
    ///
    /// # Errors
    /// Any other reason why it cannot be planned.
    pub(crate) fn add(
        &mut self,
        label: &str,
        measurement: Result<Measurement, ExperimentError>,
    ) -> Result<(), ExperimentError> {
        match measurement {
            Ok(measurement) => {
                self.ranks.push(Some(self.measurements.len()));
                self.measurements.push(measurement);
            }
            Err(error @ ExperimentError::BufferTooSmall { .. }) => {
                self.ranks.push(None);
                self.warnings.push(skipped(format!("{}, {label}", self.experiment), &error));
                self.first_error.get_or_insert(error);
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// The plan, which runs its measurements in the order in which they were added.
    ///
    /// # Errors
    /// There was too little memory for all of them.
    pub(crate) fn in_order(self) -> Result<Plan, ExperimentError> {
        let order = (0..self.places()).collect();
        self.with(Plan { order, ..Plan::default() })
    }

    /// The plan. `rest` is all of it but the measurements, and names places instead of ranks.
    ///
    /// # Errors
    /// There was too little memory for all measurements.
    pub(crate) fn with(self, rest: Plan) -> Result<Plan, ExperimentError> {
        if let Some(error) = self.first_error.filter(|_| self.measurements.is_empty()) {
            return Err(error);
        }
        let rank = |place: usize| self.ranks.get(place).copied().flatten();
        let all = |places: Vec<usize>| -> Vec<usize> { places.into_iter().filter_map(rank).collect() };
        let summaries =
            rest.summaries.into_iter().map(|summary| Summary { over: all(summary.over), ..summary });
        let ratios = rest
            .ratios
            .into_iter()
            .filter_map(|ratio| Some(Ratio { of: rank(ratio.of)?, base: rank(ratio.base)? }));
        let curves = rest.curves.into_iter().map(|curve| Curve { over: all(curve.over) });
        let mut warnings = rest.warnings;
        warnings.extend(self.warnings.iter().cloned());
        Ok(Plan {
            order: all(rest.order),
            summaries: summaries.filter(|summary| !summary.over.is_empty()).collect(),
            ratios: ratios.collect(),
            curves: curves.filter(|curve| !curve.over.is_empty()).collect(),
            claim: None,
            warnings,
            measurements: self.measurements,
        })
    }
}
