//! Fits stage by stage.

use zerohop_expectation::doubts;
use zerohop_experiment::Executor;
use zerohop_machine::{Setting, Settings};
use zerohop_machine_file::{Hardware, MachineFile, MachineFileError};
use zerohop_model::Solver;
use zerohop_result::ResultFile;
use zerohop_study::{CALIBRATION_VERSION, CalibrationFile, Stage, Unfitted, Why};
use zerohop_workload::StopFlag;

use crate::fitting::{Before, Reach, Turned, settings, turn_all};
use crate::model::{Model, Values, Wanted};
use crate::parameter_group::ParameterGroup;
use crate::report::{HeldOut, Models, Predictions, checks, fitted, held_out, outliers, paths, values};
use crate::target::{Part, Targets, all_targets, wanted};
use crate::uncertainty::Slopes;

/// All stages are gone through at most this many times, because each changes a little what the others were fitted to.
const PASSES: usize = 5;

/// Factors that change by less from pass to pass, as logarithms, have settled.
const SETTLED: f64 = 5e-3;

/// The factor by which a knob is turned to see whether any value changes.
const NUDGE: f64 = 1.1;

/// A value that changes by less does not see the knob.
const UNSEEN: f64 = 2e-3;

/// A factor that may be off by more than this, as a logarithm, is not fitted: for the values that it is fitted to alone, and with what
/// other factors may be off by.
const WEAK: f64 = 0.10;
const ADRIFT: f64 = 0.25;

/// Why a machine cannot be calibrated.
#[derive(Debug, thiserror::Error)]
pub enum CalibrateError {
    /// The machine file does not describe a machine.
    #[error(transparent)]
    Machine(#[from] MachineFileError),
    /// The result has nothing to fit to.
    #[error(
        "the result has no latency matrix, bandwidth matrix, mixes or loaded latencies for the nodes of `{machine}`"
    )]
    NothingToFit { machine: String },
    /// The search was stopped.
    #[error("interrupted before the calibration finished")]
    Interrupted,
}

impl CalibrateError {
    /// What the user can do about it.
    pub const fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NothingToFit { .. } => {
                Some("survey the machine, or choose another template or machine file with --machine")
            }
            Self::Machine(_) | Self::Interrupted => None,
        }
    }
}

#[derive(Debug, Clone)]
pub struct Calibration {
    /// The machine file with the fitted values.
    pub machine: MachineFile,
    /// How they were found, and what they may be trusted for.
    pub report: CalibrationFile,
}

/// Fits parameters of `file` to the values of `result`, with models solved by `solver`: first to every second value, so that the others
/// show how far the fitted model is off, then to all.
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
    let model = Model::new(file, &hardware, result, solver, executor, stop);
    let Half { before, targets, mut knobs, unfitted, predictions: half } = half(&model, &hardware)?;
    if !outliers(&targets, &half).is_empty() {
        // Half of the values may be too few to show which of them does not fit: the search begins anew with all.
        knobs.iter_mut().for_each(|(_, factor)| *factor = 1.0);
        settle(model.rough(), &mut knobs, &targets, Part::All, Reach::Whole);
    }
    settle(&model, &mut knobs, &targets, Part::All, Reach::Near);
    let settings = settings(&knobs, None);
    let all = predictions(&model, &settings);
    let every: Vec<usize> = (0..knobs.len()).collect();
    let errors =
        Slopes::of(model.rough(), &knobs, &targets, Part::All).scattered(&targets, &all).errors(&every);
    if let Some(error) = stopped(stop) {
        return Err(error);
    }
    let outliers = outliers(&targets, &all);
    let values = values(result, &targets, &Models { before, half, all });
    let report = CalibrationFile {
        schema_version: CALIBRATION_VERSION,
        doubts: doubts(result, &hardware),
        machine: hardware.machine.name,
        origin: result.origin.clone(),
        fitted: knobs
            .iter()
            .zip(errors)
            .map(|((knob, factor), error)| fitted(knob, *factor, error))
            .collect(),
        outliers,
        unfitted,
        checks: checks(&values),
        values,
    };
    let settings: Settings = settings.into_iter().collect();
    let source = format!("measured: fitted to a result, {}", result.origin);
    let machine = file.set(&settings)?.attributed(&settings, &source);
    Ok(Calibration { machine, report })
}

/// Fits parameters of `file` to every second value of `result`, and returns what the fitted model shows where the others are: the first
/// half of what [`calibrate`] does.
///
/// # Errors
/// As those of [`calibrate`].
pub fn predict_held_out(
    file: &MachineFile,
    result: &ResultFile,
    solver: Solver,
    executor: &dyn Executor,
    stop: &StopFlag,
) -> Result<Vec<HeldOut>, CalibrateError> {
    let hardware = file.hardware()?;
    let model = Model::new(file, &hardware, result, solver, executor, stop);
    let Half { targets, predictions, .. } = half(&model, &hardware)?;
    match stopped(stop) {
        Some(error) => Err(error),
        None => Ok(held_out(result, &targets, &predictions)),
    }
}

/// A model that is fitted to every second value.
struct Half {
    /// What it showed before.
    before: Predictions,
    targets: Targets,
    knobs: Vec<Turned>,
    unfitted: Vec<Unfitted>,
    predictions: Predictions,
}

/// Chooses what is fitted, and fits it to every second value.
fn half(model: &Model<'_>, hardware: &Hardware) -> Result<Half, CalibrateError> {
    let before = predictions(model, &[]);
    let targets = all_targets(model.result, &before);
    if targets.values().all(Vec::is_empty) {
        let machine = hardware.machine.name.clone();
        return Err(stopped(model.stop).unwrap_or(CalibrateError::NothingToFit { machine }));
    }
    let (mut knobs, mut unfitted) = choose(model, hardware, &targets, &before);
    let rough = model.rough();
    settle(rough, &mut knobs, &targets, Part::Half, Reach::Whole);
    settle(model, &mut knobs, &targets, Part::Half, Reach::Near);
    let weak = drop_weak(rough, &mut knobs, &targets);
    if !weak.is_empty() {
        unfitted.extend(weak);
        settle(model, &mut knobs, &targets, Part::Half, Reach::Near);
    }
    let predictions = predictions(model, &settings(&knobs, None));
    Ok(Half { before, targets, knobs, unfitted, predictions })
}

fn stopped(stop: &StopFlag) -> Option<CalibrateError> {
    stop.is_raised().then_some(CalibrateError::Interrupted)
}

/// What the model shows in each experiment that the result has, where the result has cells: a curve of one node needs no curves of others.
fn predictions(model: &Model<'_>, settings: &[Setting]) -> Predictions {
    let predicted = model.result.experiments.iter().filter_map(|one| {
        let wanted = Wanted::at(one.cells.iter().map(|cell| &cell.at));
        Some((one.experiment.clone(), model.values(settings, &one.experiment, &wanted)?))
    });
    predicted.collect()
}

/// The knobs that values of their stage show, and those that none does.
fn choose(
    model: &Model<'_>,
    hardware: &Hardware,
    targets: &Targets,
    before: &Predictions,
) -> (Vec<Turned>, Vec<Unfitted>) {
    let mut unfitted = Vec::new();
    let mut knobs: Vec<Turned> = Vec::new();
    for stage in Stage::ALL {
        let of_stage = ParameterGroup::of(stage, hardware);
        if of_stage.is_empty() {
            unfitted.push(Unfitted { stage, paths: Vec::new(), why: Why::NoParameter });
        }
        for knob in of_stage {
            let is_known = knobs.iter().any(|(known, _)| known.is_alike(&knob));
            match why_not(model, &knob, targets, before) {
                _ if is_known => {}
                None => knobs.push((knob, 1.0)),
                Some(why) => unfitted.push(Unfitted { stage, paths: paths(&knob), why }),
            }
        }
    }
    // What one stage does not see, a later one may.
    unfitted.retain(|one| !knobs.iter().any(|(knob, _)| paths(knob) == one.paths));
    (knobs, unfitted)
}

/// Turns all knobs until they change no more, at first as far as `reach` says.
fn settle(model: &Model<'_>, knobs: &mut [Turned], targets: &Targets, part: Part, reach: Reach) {
    let mut last: Vec<Before> = vec![None; knobs.len()];
    for pass in 0..PASSES {
        let before: Vec<f64> = knobs.iter().map(|(_, factor)| *factor).collect();
        let reach = if pass == 0 { reach } else { Reach::Near };
        turn_all(model, knobs, targets, part, reach, &mut last);
        let changes = knobs.iter().zip(before).map(|((_, factor), before)| libm::log(factor / before).abs());
        if changes.fold(0.0, f64::max) < SETTLED {
            return;
        }
    }
}

/// Removes the knobs whose factors may be almost anything, the worst first: without it, the others are known better.
fn drop_weak(model: &Model<'_>, knobs: &mut Vec<Turned>, targets: &Targets) -> Vec<Unfitted> {
    let slopes = Slopes::of(model, knobs, targets, Part::Half);
    let mut kept: Vec<usize> = (0..knobs.len()).collect();
    loop {
        let errors = slopes.errors(&kept);
        let beyond = |(&knob, error): (&usize, &f64)| (slopes.own_error(knob) / WEAK).max(error / ADRIFT);
        let beyond: Vec<f64> = kept.iter().zip(&errors).map(beyond).collect();
        match beyond.iter().enumerate().max_by(|one, other| one.1.total_cmp(other.1)) {
            Some((rank, beyond)) if *beyond > 1.0 => kept.remove(rank),
            _ => break,
        };
    }
    let mut weak = Vec::new();
    let mut rank = 0;
    knobs.retain(|(knob, _)| {
        let is_kept = kept.contains(&rank);
        if !is_kept {
            weak.push(Unfitted { stage: knob.stage, paths: paths(knob), why: Why::WeakEffect });
        }
        rank += 1;
        is_kept
    });
    weak
}

/// Why a knob cannot be fitted in its stage: none of the values changes when it is turned a little either way, or those of an earlier
/// stage do as well.
fn why_not(model: &Model<'_>, knob: &ParameterGroup, targets: &Targets, before: &Predictions) -> Option<Why> {
    let experiment = knob.stage.experiment();
    let Some(now) = before.get(&experiment).filter(|_| !targets[&knob.stage].is_empty()) else {
        return Some(Why::NoValues);
    };
    let earlier =
        Stage::ALL.into_iter().filter(|stage| *stage < knob.stage && stage.experiment() == experiment);
    let wanted = wanted(earlier.clone().chain([knob.stage]).flat_map(|stage| &targets[&stage]));
    let factors = [NUDGE, 1.0 / NUDGE].into_iter().filter(|factor| *factor <= knob.range.1);
    let turned: Vec<Values> = factors
        .filter_map(|factor| model.values(&knob.settings(factor).collect::<Vec<_>>(), &experiment, &wanted))
        .collect();
    let sees = |stage: Stage| {
        targets[&stage].iter().any(|target| {
            let pairs = turned.iter().filter_map(|turned| now.get(&target.key).zip(turned.get(&target.key)));
            pairs.into_iter().any(|(one, other)| libm::log(other.value / one.value).abs() > UNSEEN)
        })
    };
    match sees(knob.stage) {
        false => Some(Why::NoEffect),
        true => earlier.into_iter().any(sees).then_some(Why::Confounded),
    }
}
