//! Runs one experiment, or the whole survey.

use std::time::Duration;

use zerohop_units::Seconds;
use zerohop_workload::{Engine, EngineError, Kernel, Warning};

use crate::budget::{Budget, least};
use crate::cell_accumulator::skipped;
use crate::interleaving::tours;
use crate::plan::Plan;
use crate::plans::{experiment, experiments, loaded_latency, paced_kernels};
use crate::runner::carry_out;
use crate::scope::Scope;
use crate::shared_simulations::Shared;
use crate::{Effort, Event, ExperimentError, Observer, Options};
use zerohop_result::{Cells, Completion, ExperimentName, ExperimentResult, Survey};

/// A guess of the time to simulate one measurement.
const SIMULATION: Duration = Duration::from_millis(20);

/// A budget's time runs from the start of the command on.
const START: Duration = Duration::ZERO;

/// Runs one experiment. If interrupted, it returns the finished cells, marked [`Completion::Interrupted`].
///
/// # Errors
/// When the options name something that does not exist or may not be used, when the experiment makes no sense on the rest,
/// or when none of its cells could be measured.
pub fn run(
    name: &ExperimentName,
    engine: &mut dyn Engine,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<ExperimentResult, ExperimentError> {
    let experiment = experiment(name)?;
    let mut scope = Scope::new(engine, options)?;
    experiment.check_choices(options)?;
    prepare(&mut scope, |scope| paced_kernels(name, scope), engine, observer);
    let plan = experiment.plan(&scope)?;
    let mut budget = Budget::new(START, scope.protocol.single_time(), [[&plan]], &scope.protocol);
    if let Some(warning) = too_short([&plan], &scope) {
        observer.event(Event::Warned { warning: &warning });
        scope.warnings.push(warning);
    }
    let forecast = forecast(&plan, &scope, &budget);
    observer.event(Event::Planned { experiments: &[(name.clone(), forecast)] });
    let mut shared = Shared::new([&plan], engine, options.detail);
    let outcomes = carry_out(&[(name, &plan)], &mut shared, engine, &scope.protocol, &mut budget, observer);
    let mut result = outcomes.into_iter().next().unwrap_or(Err(EngineError::Interrupted.into()))?;
    result.warnings.extend(scope.warnings);
    observer.event(Event::ExperimentFinished { result: &result });
    Ok(result)
}

/// Runs the survey: the experiments that characterize a machine's memory, within one budget of time. An engine that drifts visits the cells of
/// several experiments in turns, as far as its memory allows. An experiment that cannot run here yields a result without cells, and a warning. If
/// interrupted, it returns the values measured so far.
///
/// # Errors
/// If the options name something that does not exist or may not be used.
pub fn survey(
    engine: &mut dyn Engine,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Vec<ExperimentResult>, ExperimentError> {
    let mut scope = Scope::new(engine, options)?;
    scope.in_survey = true;
    prepare(&mut scope, |scope| vec![loaded_latency::kernel(scope)], engine, observer);
    let protocol = &scope.protocol;
    let plans: Vec<Planned> = experiments()
        .filter(|experiment| runs_in_survey(experiment.descriptor.survey, &scope))
        .map(|experiment| (experiment.descriptor.name(), experiment.plan(&scope)))
        .collect();
    let possible = || plans.iter().filter_map(|(name, plan)| plan.as_ref().ok().map(|plan| (name, plan)));
    let counts = tours(&scope, plans.iter().map(|(_, plan)| plan.as_ref().ok()));
    let mut rest = plans.as_slice();
    let tours: Vec<&[Planned]> = counts.into_iter().filter_map(|count| rest.split_off(..count)).collect();
    let time = protocol.survey_time(scope.nodes());
    let together = tours.iter().map(|tour| tour.iter().filter_map(|(_, plan)| plan.as_ref().ok()));
    let mut budget = Budget::new(START, time, together, protocol);
    let mut warnings = scope.warnings.clone();
    warnings.extend(too_short(possible().map(|(_, plan)| plan), &scope));
    // The first event is the first that a caller may have to save: everything is planned before.
    for warning in &warnings {
        observer.event(Event::Warned { warning });
    }
    let forecasts: Vec<_> =
        possible().map(|(name, plan)| (name.clone(), forecast(plan, &scope, &budget))).collect();
    observer.event(Event::Planned { experiments: &forecasts });

    let mut shared = Shared::new(possible().map(|(_, plan)| plan), engine, options.detail);
    let mut results = Vec::new();
    for tour in tours {
        let plans = tour.iter().filter_map(|(name, plan)| plan.as_ref().ok().map(|plan| (name, plan)));
        let plans: Vec<_> = plans.collect();
        let mut carried = carry_out(&plans, &mut shared, engine, protocol, &mut budget, observer).into_iter();
        let mut interrupted = false;
        for (name, plan) in tour {
            let outcome = match plan {
                Ok(_) => carried.next(),
                Err(error) => Some(Err(error.clone())),
            };
            // An interruption kept it from starting.
            let Some(outcome) = outcome else { continue };
            let mut result = outcome.unwrap_or_else(|error| left_out(name.clone(), &error, observer));
            result.warnings.extend(warnings.iter().cloned());
            observer.event(Event::ExperimentFinished { result: &result });
            interrupted |= result.completion == Completion::Interrupted;
            results.push(result);
        }
        if interrupted {
            break;
        }
    }
    Ok(results)
}

/// Finds what plans are made from: the rate at which buffers fill, and the delays of these paced kernels.
fn prepare(
    scope: &mut Scope,
    kernels: impl FnOnce(&Scope) -> Vec<Kernel>,
    engine: &mut dyn Engine,
    observer: &mut dyn Observer,
) {
    if !scope.simulated {
        observer.preparing();
        if let Some(time) = scope.protocol.time_to_measure() {
            engine.must_end_within(time.saturating_sub(observer.now()));
        }
    }
    scope.find_filling_rate(engine, observer);
    scope.find_delays(&kernels(scope), engine, observer);
}

/// An experiment with its plan, or the reason why it has none.
type Planned = (ExperimentName, Result<Plan, ExperimentError>);

/// Whether a survey of this scope runs an experiment.
fn runs_in_survey(survey: Survey, scope: &Scope) -> bool {
    match survey {
        Survey::Every => true,
        Survey::SeveralNodes => scope.targets.len() > 1,
        Survey::Full => scope.options.effort == Effort::Full,
        Survey::FullOfHost => scope.options.effort == Effort::Full && !scope.simulated,
        Survey::None => false,
    }
}

/// The warning that the user's budget is too short for the fewest samples of all cells, if it is.
fn too_short<'a>(plans: impl IntoIterator<Item = &'a Plan>, scope: &Scope) -> Option<Warning> {
    let budget = scope.protocol.budget.filter(|_| !scope.simulated)?;
    let least = least(plans.into_iter().flat_map(Plan::in_running_order), &scope.protocol);
    (least > budget).then(|| Warning::BudgetShort { budget: budget.into(), least: least.into() })
}

/// The forecast time of `plan`. The time of a simulation is unknown beforehand, but its share of all plans is known.
fn forecast(plan: &Plan, scope: &Scope, budget: &Budget) -> Duration {
    if scope.simulated {
        return SIMULATION * plan.measurements.len() as u32;
    }
    budget.forecast(plan, &scope.protocol, START)
}

/// The result of an experiment that could not run.
fn left_out(
    experiment: ExperimentName,
    error: &ExperimentError,
    observer: &mut dyn Observer,
) -> ExperimentResult {
    let reason: &dyn ToString = match error {
        ExperimentError::Impossible { reason, .. } => reason,
        other => other,
    };
    let warning = skipped(experiment.to_string(), reason);
    observer.event(Event::Warned { warning: &warning });
    ExperimentResult {
        experiment,
        completion: Completion::Complete,
        elapsed: Seconds(0.0),
        cells: Cells::default(),
        warnings: vec![warning],
    }
}
