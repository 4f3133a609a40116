//! Fits stage by stage.

use std::collections::BTreeMap;

use argmin::core::{CostFunction, Error, Executor as Search, State};
use argmin::solver::brent::BrentOpt;
use zerohop_experiment::Executor;
use zerohop_insight::{
    CALIBRATION_VERSION, CalibratedValue, CalibrationFile, Check, Fitted, Role, Stage, Unfitted, Why,
};
use zerohop_machine::{MachineFile, MachineFileError, Setting, Settings};
use zerohop_model::Solver;
use zerohop_result::{Aspect, Cell, Coordinates, ExperimentName, Measure, ResultFile, Weight};
use zerohop_workload::StopFlag;

use crate::knob::Knob;
use crate::model::{Model, Values};
use crate::stage::has;

/// All stages are gone through this many times, because each changes a little what the others were fitted to.
const PASSES: usize = 2;

/// Most evaluations of the model for one knob in one pass.
const MOST_STEPS: u64 = 25;

/// The factor is found to this, as a logarithm.
const PRECISE: f64 = 5e-4;

/// The factor by which a knob is turned to see whether any value changes.
const NUDGE: f64 = 1.1;

/// A value that changes by less does not see the knob.
const UNSEEN: f64 = 2e-3;

/// A factor that may be off by more than this, as a logarithm, is not fitted.
const WEAK: f64 = 0.10;

/// No value is known better than this, as a share: other tools print no intervals.
const LEAST_ERROR: f64 = 0.005;

/// A knob this near the end of its range, as a logarithm, is at its end.
const AT_BOUND: f64 = 5e-3;

/// Why a machine cannot be calibrated.
#[derive(Debug, thiserror::Error)]
pub enum CalibrateError {
    /// The machine file does not describe a machine.
    #[error(transparent)]
    Machine(#[from] MachineFileError),
    /// The result has nothing to fit to.
    #[error(
        "the result has neither a latency matrix, nor a bandwidth matrix, nor mixes whose nodes `{machine}` has"
    )]
    NothingToFit {
        /// The machine.
        machine: String,
    },
    /// The search was stopped.
    #[error("interrupted before the calibration was finished")]
    Interrupted,
}

impl CalibrateError {
    /// What the user can do about it.
    pub const fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NothingToFit { .. } => {
                Some("run a survey of the machine; --machine names another template or machine file")
            }
            Self::Machine(_) | Self::Interrupted => None,
        }
    }
}

/// A calibrated machine.
#[derive(Debug, Clone)]
pub struct Calibration {
    /// The machine file with the fitted values.
    pub machine: MachineFile,
    /// How they were found, and what they may be trusted for.
    pub report: CalibrationFile,
}

/// A value to fit to.
struct Target {
    key: (Measure, Coordinates),
    measured: f64,
    /// Half the width of its interval, as a logarithm.
    error: f64,
    role: Role,
}

/// Fits parameters of `file` to the values of `result`, with models solved by `solver`.
///
/// # Errors
/// When the file describes no machine, the result has nothing to fit to, or `stop` is raised.
pub fn calibrate(
    file: &MachineFile,
    result: &ResultFile,
    solver: Solver,
    executor: &dyn Executor,
    stop: &StopFlag,
) -> Result<Calibration, CalibrateError> {
    let hardware = file.hardware()?;
    let model = Model { file, solver, seed: 1, executor, stop };
    let before = predictions(&model, &[], result);
    let targets: BTreeMap<Stage, Vec<Target>> =
        Stage::ALL.map(|stage| (stage, targets(stage, result, &before))).into_iter().collect();
    if targets.values().all(Vec::is_empty) {
        return Err(stopped(stop).unwrap_or(CalibrateError::NothingToFit { machine: hardware.machine.name }));
    }
    let mut unfitted = Vec::new();
    let mut knobs: Vec<(Knob, f64)> = Vec::new();
    for stage in Stage::ALL {
        let of_stage = Knob::of(stage, &hardware);
        if of_stage.is_empty() {
            unfitted.push(Unfitted { stage, paths: Vec::new(), why: Why::NoParameter });
        }
        for knob in of_stage {
            let is_known = knobs.iter().any(|(known, _)| known.is_alike(&knob));
            match why_not(&model, &knob, &targets, &before) {
                _ if is_known => {}
                None => knobs.push((knob, 1.0)),
                Some(why) => unfitted.push(Unfitted { stage, paths: paths(&knob), why }),
            }
        }
    }
    // What one stage does not see, a later one may.
    unfitted.retain(|one| !knobs.iter().any(|(knob, _)| paths(knob) == one.paths));
    for _ in 0..PASSES {
        turn_all(&model, &mut knobs, &targets)?;
    }
    let is_weak = |knobs: &[(Knob, f64)], rank: usize| {
        error_of(&model, knobs, rank, &targets[&knobs[rank].0.stage]) > WEAK
    };
    let weak: Vec<usize> = (0..knobs.len()).filter(|&rank| is_weak(&knobs, rank)).collect();
    if !weak.is_empty() {
        for &rank in weak.iter().rev() {
            let (knob, _) = knobs.remove(rank);
            unfitted.push(Unfitted { stage: knob.stage, paths: paths(&knob), why: Why::WeakEffect });
        }
        turn_all(&model, &mut knobs, &targets)?;
    }
    let errors: Vec<f64> =
        (0..knobs.len()).map(|rank| error_of(&model, &knobs, rank, &targets[&knobs[rank].0.stage])).collect();
    let settings = settings(&knobs, None);
    let after = predictions(&model, &settings, result);
    if let Some(error) = stopped(stop) {
        return Err(error);
    }
    let values = values(result, &targets, &before, &after);
    let report = CalibrationFile {
        schema_version: CALIBRATION_VERSION,
        machine: hardware.machine.name,
        origin: result.origin.clone(),
        fitted: knobs
            .iter()
            .zip(errors)
            .map(|((knob, factor), error)| fitted(knob, *factor, error))
            .collect(),
        unfitted,
        checks: checks(&values),
        values,
    };
    let settings: Settings = settings.into_iter().collect();
    let source = format!("measured: fitted to a result, {}", result.origin);
    let machine = file.set(&settings)?.attributed(&settings, &source);
    Ok(Calibration { machine, report })
}

fn stopped(stop: &StopFlag) -> Option<CalibrateError> {
    stop.is_raised().then_some(CalibrateError::Interrupted)
}

/// What the model shows in each experiment that the result has.
fn predictions(
    model: &Model<'_>,
    settings: &[Setting],
    result: &ResultFile,
) -> BTreeMap<ExperimentName, Values> {
    let names = result.experiments.iter().map(|one| &one.experiment);
    let predicted = names.filter_map(|name| Some((name.clone(), model.values(settings, name)?)));
    predicted.collect()
}

/// The values of a stage that the model has too, every second of them held out.
fn targets(stage: Stage, result: &ResultFile, model: &BTreeMap<ExperimentName, Values>) -> Vec<Target> {
    let experiment = stage.experiment();
    let Some(predicted) = model.get(&experiment) else { return Vec::new() };
    let cells = result.experiments.iter().filter(|one| one.experiment == experiment);
    let cells = cells.flat_map(|one| one.cells.iter()).filter(|cell| has(stage, cell) && is_sound(cell));
    let known = cells.filter(|cell| predicted.contains_key(&(cell.measure, cell.at.clone())));
    let roles = [Role::Used, Role::HeldOut].into_iter().cycle();
    let target = |(cell, role): (&Cell, Role)| Target {
        key: (cell.measure, cell.at.clone()),
        measured: cell.estimate.median,
        error: ((cell.estimate.high / cell.estimate.low).ln() / 2.0).max(LEAST_ERROR),
        role,
    };
    known.zip(roles).map(target).collect()
}

/// Whether a value may be fitted to: it is above zero, and nothing says that it may be wrong.
fn is_sound(cell: &Cell) -> bool {
    let doubtful = cell.warnings.iter().any(|warning| warning.weight() == Weight::Doubt);
    cell.estimate.is_sound() && cell.estimate.median > 0.0 && !doubtful
}

fn paths(knob: &Knob) -> Vec<String> {
    knob.values.iter().map(|value| value.path.clone()).collect()
}

/// The settings of all knobs, one of them at another factor.
fn settings(knobs: &[(Knob, f64)], other: Option<(usize, f64)>) -> Vec<Setting> {
    let turned = knobs.iter().enumerate().flat_map(|(rank, (knob, factor))| {
        let factor = other.filter(|(which, _)| *which == rank).map_or(*factor, |(_, factor)| factor);
        knob.settings(factor)
    });
    turned.collect()
}

/// Why a knob cannot be fitted in its stage: none of the values changes when it is turned a little either way, or those of an earlier
/// stage do as well.
fn why_not(
    model: &Model<'_>,
    knob: &Knob,
    targets: &BTreeMap<Stage, Vec<Target>>,
    before: &BTreeMap<ExperimentName, Values>,
) -> Option<Why> {
    let experiment = knob.stage.experiment();
    let Some(now) = before.get(&experiment).filter(|_| !targets[&knob.stage].is_empty()) else {
        return Some(Why::NoValues);
    };
    let factors = [NUDGE, 1.0 / NUDGE].into_iter().filter(|factor| *factor <= knob.range.1);
    let turned: Vec<Values> = factors
        .filter_map(|factor| model.values(&knob.settings(factor).collect::<Vec<_>>(), &experiment))
        .collect();
    let sees = |stage: Stage| {
        targets[&stage].iter().any(|target| {
            let pairs = turned.iter().filter_map(|turned| now.get(&target.key).zip(turned.get(&target.key)));
            pairs.into_iter().any(|(one, other)| (other / one).ln().abs() > UNSEEN)
        })
    };
    let earlier =
        Stage::ALL.into_iter().filter(|stage| *stage < knob.stage && stage.experiment() == experiment);
    match sees(knob.stage) {
        false => Some(Why::NoEffect),
        true => earlier.into_iter().any(sees).then_some(Why::Confounded),
    }
}

/// The cost of a factor: the mean square of the logarithms of errors.
struct Cost<'a> {
    model: &'a Model<'a>,
    knobs: &'a [(Knob, f64)],
    rank: usize,
    targets: &'a [Target],
}

impl CostFunction for Cost<'_> {
    type Param = f64;
    type Output = f64;

    fn cost(&self, logarithm: &f64) -> Result<f64, Error> {
        let settings = settings(self.knobs, Some((self.rank, logarithm.exp())));
        let experiment = self.knobs[self.rank].0.stage.experiment();
        let Some(values) = self.model.values(&settings, &experiment) else { return Ok(f64::MAX) };
        let used = self.targets.iter().filter(|target| target.role == Role::Used);
        let errors =
            used.filter_map(|target| Some((values.get(&target.key)? / target.measured).ln().powi(2)));
        let (count, sum) = errors.fold((0, 0.0), |(count, sum), error| (count + 1, sum + error));
        Ok(if count == 0 { f64::MAX } else { sum / f64::from(count) })
    }
}

/// The best factor for a knob, with all others as they are.
fn turned(model: &Model<'_>, knobs: &[(Knob, f64)], rank: usize, targets: &[Target]) -> f64 {
    let (knob, now) = &knobs[rank];
    let (least, most) = (knob.range.0.ln(), knob.range.1.ln());
    let cost = Cost { model, knobs, rank, targets };
    let at_now = cost.cost(&now.ln()).unwrap_or(f64::MAX);
    let solver = BrentOpt::new(least, most).set_tolerance(PRECISE, PRECISE);
    let search = Search::new(cost, solver).configure(|state| state.max_iters(MOST_STEPS)).run();
    let Ok(found) = search else { return *now };
    let best = found.state().get_best_cost();
    found.state().get_best_param().filter(|_| best < at_now).map_or(*now, |logarithm| logarithm.exp())
}

/// Turns each knob to where the values that it is fitted to agree best.
fn turn_all(
    model: &Model<'_>,
    knobs: &mut [(Knob, f64)],
    targets: &BTreeMap<Stage, Vec<Target>>,
) -> Result<(), CalibrateError> {
    for rank in 0..knobs.len() {
        if let Some(error) = stopped(model.stop) {
            return Err(error);
        }
        knobs[rank].1 = turned(model, knobs, rank, &targets[&knobs[rank].0.stage]);
    }
    Ok(())
}

/// How far the factor of a knob may be off, as a logarithm, for the intervals of the values that it is fitted to.
fn error_of(model: &Model<'_>, knobs: &[(Knob, f64)], rank: usize, targets: &[Target]) -> f64 {
    let (knob, now) = &knobs[rank];
    let (down, up) = ((now / NUDGE).max(knob.range.0), (now * NUDGE).min(knob.range.1));
    let at = |factor| model.values(&settings(knobs, Some((rank, factor))), &knob.stage.experiment());
    let (Some(less), Some(more)) = (at(down), at(up)) else { return f64::INFINITY };
    let used = targets.iter().filter(|target| target.role == Role::Used).filter_map(|target| {
        let slope = (more.get(&target.key)? / less.get(&target.key)?).ln() / (up / down).ln();
        Some((slope.powi(2), (slope * target.error).powi(2)))
    });
    let (slopes, errors) =
        used.fold((0.0, 0.0), |(slopes, errors), (slope, error)| (slopes + slope, errors + error));
    if slopes > 0.0 { errors.sqrt() / slopes } else { f64::INFINITY }
}

fn fitted(knob: &Knob, factor: f64, error: f64) -> Fitted {
    let near = |end: f64| (factor / end).ln().abs() < AT_BOUND;
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
fn values(
    result: &ResultFile,
    targets: &BTreeMap<Stage, Vec<Target>>,
    before: &BTreeMap<ExperimentName, Values>,
    after: &BTreeMap<ExperimentName, Values>,
) -> Vec<CalibratedValue> {
    let cells =
        result.experiments.iter().flat_map(|one| one.cells.iter().map(|cell| (&one.experiment, cell)));
    let compared = cells
        .filter(|(_, cell)| cell.measure.aspect() == Aspect::Outcome && cell.at.is_whole() && is_sound(cell));
    let values = compared.filter_map(|(experiment, cell)| {
        let key = (cell.measure, cell.at.clone());
        let of_stage = targets.iter().filter(|(stage, _)| stage.experiment() == *experiment);
        let target = of_stage.flat_map(|(_, targets)| targets).find(|target| target.key == key);
        Some(CalibratedValue {
            experiment: experiment.clone(),
            at: cell.at.clone(),
            measure: cell.measure,
            measured: cell.estimate.median,
            before: before.get(experiment).and_then(|values| values.get(&key)).copied(),
            model: *after.get(experiment)?.get(&key)?,
            role: target.map_or(Role::Other, |target| target.role),
        })
    });
    values.collect()
}

/// The errors of values by experiment and role.
fn checks(values: &[CalibratedValue]) -> Vec<Check> {
    let mut groups: Vec<(&ExperimentName, Role, Vec<f64>)> = Vec::new();
    for value in values {
        let error = value.error().abs();
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
