//! Runs one experiment, or the whole survey.

use std::time::Duration;

use zerohop_units::Seconds;
use zerohop_workload::Engine;

use crate::budget::Budget;
use crate::ledger::skipped;
use crate::plan::Plan;
use crate::plans::{experiment, experiments, needs_delays};
use crate::runner::carry_out;
use crate::scope::Scope;
use crate::{Effort, Event, ExperimentError, Observer, Options};
use zerohop_result::{Cells, Completion, ExperimentName, ExperimentResult, Survey};

/// A guess of the time to simulate one measurement.
const SIMULATION: Duration = Duration::from_millis(20);

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
    let now = scope.now(observer);
    if needs_delays(name) {
        scope.find_delays(engine);
    }
    let plan = experiment.plan(&scope)?;
    let mut budget = Budget::new(now, scope.protocol.single_time(), [&plan], &scope.protocol);
    let forecast = forecast(&plan, &scope, &budget, now);
    observer.event(Event::Planned { experiments: &[(name.clone(), forecast)] });
    let mut result = carry_out(name.clone(), &plan, engine, &scope.protocol, &mut budget, observer)?;
    result.warnings.extend(scope.warnings);
    observer.event(Event::ExperimentFinished { result: &result });
    Ok(result)
}

/// Runs the survey: the experiments that characterize a machine's memory, one after another, within one budget of time. An
/// experiment that cannot run here yields a result without cells, and a warning. If interrupted, it returns the finished cells.
///
/// # Errors
/// When the options name something that does not exist or may not be used.
pub fn survey(
    engine: &mut dyn Engine,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Vec<ExperimentResult>, ExperimentError> {
    let mut scope = Scope::new(engine, options)?;
    let now = scope.now(observer);
    scope.find_delays(engine);
    let protocol = &scope.protocol;
    let plans: Vec<(ExperimentName, Result<Plan, ExperimentError>)> = experiments()
        .filter(|experiment| runs_in_survey(experiment.descriptor.survey, &scope))
        .map(|experiment| (experiment.descriptor.name(), experiment.plan(&scope)))
        .collect();
    let possible = || plans.iter().filter_map(|(name, plan)| plan.as_ref().ok().map(|plan| (name, plan)));
    let time = protocol.survey_time(scope.nodes());
    let mut budget = Budget::new(now, time, possible().map(|(_, plan)| plan), protocol);
    // The first event is the first that a caller may have to save: everything is planned before.
    for warning in &scope.warnings {
        observer.event(Event::Warned { warning });
    }
    let forecasts: Vec<_> =
        possible().map(|(name, plan)| (name.clone(), forecast(plan, &scope, &budget, now))).collect();
    observer.event(Event::Planned { experiments: &forecasts });

    let mut results = Vec::new();
    for (name, plan) in plans {
        let result =
            plan.and_then(|plan| carry_out(name.clone(), &plan, engine, protocol, &mut budget, observer));
        let mut result = result.unwrap_or_else(|error| left_out(name, &error, observer));
        result.warnings.extend(scope.warnings.iter().cloned());
        observer.event(Event::ExperimentFinished { result: &result });
        let interrupted = result.completion == Completion::Interrupted;
        results.push(result);
        if interrupted {
            break;
        }
    }
    Ok(results)
}

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

impl Scope {
    /// The observer's time, or zero in a simulation.
    fn now(&self, observer: &dyn Observer) -> Duration {
        if self.simulated { Duration::ZERO } else { observer.now() }
    }
}

/// The forecast time of `plan`. The time of a simulation is unknown beforehand, but its share of all plans is known.
fn forecast(plan: &Plan, scope: &Scope, budget: &Budget, now: Duration) -> Duration {
    if scope.simulated {
        return SIMULATION * plan.measurements.len() as u32;
    }
    budget.forecast(plan, &scope.protocol, now)
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
