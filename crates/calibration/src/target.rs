//! The values of a result that a model is fitted to, stage by stage.

use std::collections::BTreeMap;

use zerohop_result::{Cell, Coordinates, ExperimentName, Measure, ResultFile, Weight};
use zerohop_study::{Role, Stage};

use crate::model::{Values, Wanted};
use crate::stage::has;

/// No value is known better than this, as a share: other tools print no intervals.
const LEAST_ERROR: f64 = 0.005;

/// The values of all stages.
pub(crate) type Targets = BTreeMap<Stage, Vec<Target>>;

/// A value to fit to.
pub(crate) struct Target {
    pub(crate) key: (Measure, Coordinates),
    pub(crate) measured: f64,
    /// Half the width of its interval, as a logarithm.
    pub(crate) error: f64,
    pub(crate) role: Role,
}

/// Which values a fit uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// Every second one: the others are held out.
    Half,
    All,
}

impl Part {
    /// Whether a fit to this part uses a value.
    pub(crate) fn has(self, target: &Target) -> bool {
        self == Self::All || target.role == Role::Used
    }
}

/// What a model has to show beside these values, and no more.
pub(crate) fn wanted<'t>(targets: impl IntoIterator<Item = &'t Target>) -> Wanted {
    Wanted::at(targets.into_iter().map(|target| &target.key.1))
}

/// The logarithm of each value's error, where the model has the value, and how far the value is uncertain.
pub(crate) fn errors(targets: &[Target], model: &Values) -> Vec<(Option<f64>, f64)> {
    let error = |target: &Target| Some(libm::log(model.get(&target.key)?.value / target.measured));
    targets.iter().map(|target| (error(target), target.error)).collect()
}

/// The values of each stage that the model has too.
pub(crate) fn all_targets(result: &ResultFile, model: &BTreeMap<ExperimentName, Values>) -> Targets {
    Stage::ALL.map(|stage| (stage, targets(stage, result, model))).into_iter().collect()
}

/// The values of a stage that the model has too, every second of them held out.
fn targets(stage: Stage, result: &ResultFile, model: &BTreeMap<ExperimentName, Values>) -> Vec<Target> {
    let experiment = stage.experiment();
    let Some(predicted) = model.get(&experiment) else { return Vec::new() };
    let cells = result.experiments.iter().filter(|one| one.experiment == experiment);
    let cells = cells.flat_map(|one| one.cells.iter()).filter(|cell| has(stage, cell) && is_sound(cell));
    let known = cells.filter(|cell| {
        predicted.get(&(cell.measure, cell.at.clone())).is_some_and(|value| value.is_validated)
    });
    let roles = [Role::Used, Role::HeldOut].into_iter().cycle();
    let target = |(cell, role): (&Cell, Role)| Target {
        key: (cell.measure, cell.at.clone()),
        measured: cell.estimate.median,
        error: (libm::log(cell.estimate.high / cell.estimate.low) / 2.0).max(LEAST_ERROR),
        role,
    };
    known.zip(roles).map(target).collect()
}

/// Whether a value may be fitted to: it is above zero, and nothing says that it may be wrong.
pub(crate) fn is_sound(cell: &Cell) -> bool {
    let doubtful = cell.warnings.iter().any(|warning| warning.weight() == Weight::Doubt);
    cell.estimate.is_sound() && cell.estimate.median > 0.0 && !doubtful
}
