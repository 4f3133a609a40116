//! Cells that a picture marks: what findings show, and what deviates from comparable cells.

use std::collections::HashSet;

use zerohop_diagnosis::Diagnosis;
use zerohop_expectation::deviations;
use zerohop_result::{Axis, Cell, Coordinates, ExperimentName, Measure, ResultFile};

/// The cells that deserve a look.
pub(super) struct Marks(HashSet<(ExperimentName, Measure, Coordinates)>);

impl Marks {
    /// Marks of cells in alarms, and of deviating cells.
    pub(super) fn of(file: &ResultFile, diagnosis: Option<&Diagnosis>) -> Self {
        let evidence = diagnosis.into_iter().flat_map(Diagnosis::alarms).flat_map(|alarm| &alarm.evidence);
        let shown = evidence
            .filter_map(|shown| Some((shown.experiment.clone()?, shown.measure?, shown.at.clone()?)))
            .collect::<Vec<_>>();
        let odd = deviations(file).into_iter().map(|odd| {
            let at = odd.others.with(Axis::Initiator, odd.initiator.0).with(Axis::Target, odd.target.0);
            (odd.experiment, odd.measure, at)
        });
        Self(shown.into_iter().chain(odd).collect())
    }

    /// Whether a cell is one of them.
    pub(super) fn has(&self, experiment: &ExperimentName, cell: &Cell) -> bool {
        self.0.contains(&(experiment.clone(), cell.measure, cell.at.clone()))
    }
}
