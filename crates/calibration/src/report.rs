//! What a calibration reports of itself.

use std::collections::BTreeMap;

use zerohop_result::{Aspect, Cell, Coordinates, ExperimentName, Measure, ResultFile};
use zerohop_study::{CalibratedValue, Check, Fitted, Outlier, Role};

use crate::model::Values;
use crate::outlier::{is_out, weights};
use crate::parameter_group::ParameterGroup;
use crate::target::{Target, Targets, errors, is_sound};

/// A knob this near the end of its range, as a logarithm, is at its end.
const AT_BOUND: f64 = 5e-3;

/// What a model shows in each experiment that the result has.
pub(crate) type Predictions = BTreeMap<ExperimentName, Values>;

/// The model of one file before it was fitted, fitted to half of the values, and fitted to all.
pub(crate) struct Models {
    pub(crate) before: Predictions,
    pub(crate) half: Predictions,
    pub(crate) all: Predictions,
}

pub(crate) fn paths(knob: &ParameterGroup) -> Vec<String> {
    knob.values.iter().map(|value| value.path.clone()).collect()
}

pub(crate) fn fitted(knob: &ParameterGroup, factor: f64, error: f64) -> Fitted {
    let near = |end: f64| libm::log(factor / end).abs() < AT_BOUND;
    Fitted {
        stage: knob.stage,
        paths: paths(knob),
        before: knob.values.iter().map(|value| value.text.clone()).collect(),
        after: knob.values.iter().map(|value| value.times(factor)).collect(),
        factor,
        error,
        at_bound: near(knob.range.0) || near(knob.range.1),
    }
}

/// A value that was held out, and what the model that was fitted to the others shows there.
#[derive(Debug, Clone, PartialEq)]
pub struct HeldOut {
    pub experiment: ExperimentName,
    pub at: Coordinates,
    pub measure: Measure,
    /// The measured value, in the measure's unit.
    pub measured: f64,
    /// The model's, in the same unit.
    pub predicted: f64,
}

/// Every value that was held out and that the model has too.
pub(crate) fn held_out(result: &ResultFile, targets: &Targets, half: &Predictions) -> Vec<HeldOut> {
    let compared = compared(result, targets).filter(|(.., role)| *role == Role::HeldOut);
    let values = compared.filter_map(|(experiment, cell, _)| {
        Some(HeldOut {
            experiment: experiment.clone(),
            at: cell.at.clone(),
            measure: cell.measure,
            measured: cell.estimate.median,
            predicted: predicted(half, experiment, cell)?,
        })
    });
    values.collect()
}

/// Every value of the result that the model has too.
pub(crate) fn values(result: &ResultFile, targets: &Targets, models: &Models) -> Vec<CalibratedValue> {
    let values = compared(result, targets).filter_map(|(experiment, cell, role)| {
        let of = |model: &Predictions| predicted(model, experiment, cell);
        Some(CalibratedValue {
            experiment: experiment.clone(),
            at: cell.at.clone(),
            measure: cell.measure,
            measured: cell.estimate.median,
            before: of(&models.before),
            half: of(&models.half)?,
            model: of(&models.all)?,
            role,
        })
    });
    values.collect()
}

/// The values that do not fit the others of their stage, beside the model that was fitted to all.
pub(crate) fn outliers(targets: &Targets, all: &Predictions) -> Vec<Outlier> {
    let of_stage = targets.iter().filter_map(|(stage, targets)| {
        let model = all.get(&stage.experiment())?;
        let weighed = targets.iter().zip(weights(&errors(targets, model)));
        let outliers = weighed.filter(|(_, weight)| is_out(*weight)).filter_map(|(target, _)| {
            let (measure, at) = target.key.clone();
            let model = model.get(&target.key)?.value;
            Some(Outlier { experiment: stage.experiment(), at, measure, measured: target.measured, model })
        });
        Some(outliers.collect::<Vec<_>>())
    });
    of_stage.flatten().collect()
}

/// The values that are compared with a model's, each with its experiment and what the fit did with it.
fn compared<'r>(
    result: &'r ResultFile,
    targets: &'r Targets,
) -> impl Iterator<Item = (&'r ExperimentName, &'r Cell, Role)> {
    let cells =
        result.experiments.iter().flat_map(|one| one.cells.iter().map(|cell| (&one.experiment, cell)));
    let compared = cells
        .filter(|(_, cell)| cell.measure.aspect() == Aspect::Outcome && cell.at.is_whole() && is_sound(cell));
    compared.map(|(experiment, cell)| {
        let of_stage = targets.iter().filter(|(stage, _)| stage.experiment() == *experiment);
        let is_of_cell = |target: &&Target| target.key.0 == cell.measure && target.key.1 == cell.at;
        let target = of_stage.flat_map(|(_, targets)| targets).find(is_of_cell);
        (experiment, cell, target.map_or(Role::Other, |target| target.role))
    })
}

/// What a model shows in place of a cell.
fn predicted(model: &Predictions, experiment: &ExperimentName, cell: &Cell) -> Option<f64> {
    Some(model.get(experiment)?.get(&(cell.measure, cell.at.clone()))?.value)
}

/// The errors of values by experiment and role, of the model that was fitted to half of them.
pub(crate) fn checks(values: &[CalibratedValue]) -> Vec<Check> {
    let mut groups: Vec<(&ExperimentName, Role, Vec<f64>)> = Vec::new();
    for value in values {
        let error = (value.half / value.measured - 1.0).abs();
        match groups.iter_mut().find(|(name, role, _)| *name == &value.experiment && *role == value.role) {
            Some((.., errors)) => errors.push(error),
            None => groups.push((&value.experiment, value.role, vec![error])),
        }
    }
    groups.sort_by_key(|(_, role, _)| *role);
    let checks = groups.into_iter().map(|(experiment, role, mut errors)| {
        errors.sort_by(f64::total_cmp);
        let middle = errors.len() / 2;
        let median = if errors.len().is_multiple_of(2) {
            f64::midpoint(errors[middle - 1], errors[middle])
        } else {
            errors[middle]
        };
        let worst = errors.last().copied().unwrap_or(0.0);
        Check { experiment: experiment.clone(), role, values: errors.len(), median, worst }
    });
    checks.collect()
}
