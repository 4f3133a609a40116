//! Carries out a plan: prepares, samples and reduces each measurement, and tells the observer.

use std::collections::BTreeMap;

use zerohop_units::Seconds;
use zerohop_workload::{Engine, EngineError, Warning};

use crate::budget::{Budget, expected};
use crate::plan::Plan;
use crate::protocol::Protocol;
use crate::reduce::cells;
use crate::sampler::take_samples;
use crate::summary::summarize;
use crate::{Cell, Completion, Event, ExperimentError, ExperimentName, ExperimentResult, Observer};

/// Carries out `plan`. An interrupted one returns what is done.
///
/// # Errors
/// When not one of its measurements could be made.
pub(crate) fn carry_out(
    experiment: ExperimentName,
    plan: &Plan,
    engine: &mut dyn Engine,
    protocol: &Protocol,
    budget: &mut Budget,
    observer: &mut dyn Observer,
) -> Result<ExperimentResult, ExperimentError> {
    let began = observer.now();
    observer.event(Event::ExperimentStarted { experiment, cells: plan.cells() });
    let mut warnings = plan.warnings.clone();
    let mut done: BTreeMap<usize, Vec<Cell>> = BTreeMap::new();
    let mut completion = Completion::Complete;
    let mut first_error = None;
    let expected = expected(plan, protocol);
    for ((rank, &which), expected) in plan.order.iter().enumerate().zip(expected) {
        if observer.interrupted() {
            completion = Completion::Interrupted;
            break;
        }
        let measurement = &plan.measurements[which];
        observer.event(Event::CellStarted { label: &measurement.label, rank, of: plan.order.len() });
        budget.begin(expected);
        let time = |now| budget.sampling_time(expected, protocol, now);
        let samples = match take_samples(engine, measurement, protocol, time, observer) {
            Ok(samples) => samples,
            Err(EngineError::Interrupted) => {
                completion = Completion::Interrupted;
                break;
            }
            Err(error) => {
                let warning = skipped(format!("{experiment}, {}", measurement.label), &error);
                observer.event(Event::Warned { warning: &warning });
                warnings.push(warning);
                first_error.get_or_insert(error);
                continue;
            }
        };
        let cells = cells(measurement, &samples, protocol);
        for cell in &cells {
            observer.event(Event::CellFinished { cell });
        }
        if cells.is_empty() && !samples.interrupted {
            let warning =
                skipped(format!("{experiment}, {}", measurement.label), &"no sample showed any progress");
            observer.event(Event::Warned { warning: &warning });
            warnings.push(warning);
        }
        done.insert(which, cells);
        if samples.interrupted {
            completion = Completion::Interrupted;
            break;
        }
    }
    if let Some(error) = first_error.filter(|_| done.is_empty() && completion == Completion::Complete) {
        return Err(error.into());
    }
    let summaries = summarize(&plan.summaries, &done);
    let cells = done.into_values().flatten().chain(summaries).collect();
    let elapsed = Seconds::from(observer.now().saturating_sub(began));
    Ok(ExperimentResult { experiment, completion, elapsed, cells, warnings })
}

/// What is said of something that could not be done.
pub(crate) fn skipped(experiment: String, reason: &dyn ToString) -> Warning {
    Warning::ExperimentSkipped { experiment, reason: reason.to_string() }
}
