//! Values of a model next to those of a result, for fitting.

use std::collections::BTreeMap;

use zerohop_machine::Machine;
use zerohop_result::{Coordinates, ExperimentName, ExperimentResult, Measure, ResultFile};

use super::curve::Curves;
use super::kind::Kind;
use super::model_prediction::{Model, predicted};

/// A model's value for a cell of a result, in the unit of the cell's measure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ModelValue {
    pub value: f64,
    /// Whether predictions at this place were ever validated: latencies near the highest bandwidth were not.
    pub is_validated: bool,
}

/// Value of a model for each cell of an experiment of `file`: at the same place, or at an equivalent one; a loaded latency at the same share of the
/// highest bandwidth. Cells without a model value are missing. `machine` is the model's, for results that do not show theirs.
pub fn model_values(
    file: &ResultFile,
    experiment: &ExperimentName,
    machine: &Machine,
    results: &[ExperimentResult],
) -> BTreeMap<(Measure, Coordinates), ModelValue> {
    let machine = if file.machine.pus.is_empty() { machine } else { &file.machine };
    let model = Model::new(results);
    let twins = results.iter().find(|result| result.experiment == *experiment).map(Curves::new);
    let measured: Vec<_> = file.experiments.iter().filter(|done| done.experiment == *experiment).collect();
    let curves: Vec<Curves<'_>> = measured.iter().map(|done| Curves::new(done)).collect();
    let cells = measured.iter().zip(&curves);
    let cells = cells.flat_map(|(done, curves)| done.cells.iter().map(move |cell| (curves, cell)));
    let values = cells.filter_map(|(curves, cell)| {
        let found = match Kind::of(cell, machine) {
            Some(kind) => {
                let found = predicted(file, (experiment, curves), cell, kind, &model).ok()?;
                ModelValue { value: found.value, is_validated: found.validated }
            }
            None => {
                let value = twins.as_ref()?.cell(&cell.at, cell.measure)?.estimate.median;
                ModelValue { value, is_validated: false }
            }
        };
        Some(((cell.measure, cell.at.clone()), found))
    });
    values.collect()
}
