//! What a calibration reports of itself.

use std::collections::BTreeMap;

use zerohop_insight::{CalibratedValue, Check, Fitted, Role};
use zerohop_result::{Aspect, ExperimentName, ResultFile};

use crate::knob::Knob;
use crate::model::Values;
use crate::target::{Targets, is_sound};

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

pub(crate) fn paths(knob: &Knob) -> Vec<String> {
    knob.values.iter().map(|value| value.path.clone()).collect()
}

pub(crate) fn fitted(knob: &Knob, factor: f64, error: f64) -> Fitted {
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

/// Every value of the result that the model has too.
pub(crate) fn values(result: &ResultFile, targets: &Targets, models: &Models) -> Vec<CalibratedValue> {
    let cells =
        result.experiments.iter().flat_map(|one| one.cells.iter().map(|cell| (&one.experiment, cell)));
    let compared = cells
        .filter(|(_, cell)| cell.measure.aspect() == Aspect::Outcome && cell.at.is_whole() && is_sound(cell));
    let values = compared.filter_map(|(experiment, cell)| {
        let key = (cell.measure, cell.at.clone());
        let of = |model: &Predictions| Some(model.get(experiment)?.get(&key)?.value);
        let of_stage = targets.iter().filter(|(stage, _)| stage.experiment() == *experiment);
        let target = of_stage.flat_map(|(_, targets)| targets).find(|target| target.key == key);
        Some(CalibratedValue {
            experiment: experiment.clone(),
            at: cell.at.clone(),
            measure: cell.measure,
            measured: cell.estimate.median,
            before: of(&models.before),
            half: of(&models.half)?,
            model: of(&models.all)?,
            role: target.map_or(Role::Other, |target| target.role),
        })
    });
    values.collect()
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
