//! Outcomes of a plan's measurements, and the result that they form.

use std::collections::BTreeMap;
use std::time::Duration;

use zerohop_units::Seconds;
use zerohop_workload::{EngineError, Warning, Weight};

use crate::derived_cells::{curve_cells, relative_times};
use crate::interval::with_drift;
use crate::plan::Plan;
use crate::protocol::Protocol;
use crate::reduce::cells;
use crate::sampler::Samples;
use crate::summary::summarize;
use crate::{Event, ExperimentError, Observer};
use zerohop_result::{Cell, Cells, Completion, ExperimentName, ExperimentResult};

/// The results of a plan so far.
#[derive(Debug, Clone)]
pub(crate) struct CellAccumulator<'a> {
    experiment: ExperimentName,
    pub(crate) plan: &'a Plan,
    pub(crate) protocol: &'a Protocol,
    warnings: Vec<Warning>,
    /// Cells by the rank of their measurement.
    done: BTreeMap<usize, Vec<Cell>>,
    /// Whether it was interrupted.
    pub(crate) completion: Completion,
    first_error: Option<EngineError>,
    /// Total time of all samples.
    pub(crate) sampled: Seconds,
}

impl<'a> CellAccumulator<'a> {
    pub(crate) fn new(experiment: ExperimentName, plan: &'a Plan, protocol: &'a Protocol) -> Self {
        Self {
            experiment,
            plan,
            protocol,
            warnings: plan.warnings.clone(),
            done: BTreeMap::new(),
            completion: Completion::Complete,
            first_error: None,
            sampled: Seconds::default(),
        }
    }

    /// The experiment, and the number of cells that it will fill.
    pub(crate) fn begins(&self) -> (ExperimentName, usize) {
        (self.experiment.clone(), self.plan.cells())
    }

    /// Records that a measurement is visited, as one of some expected number of visits.
    pub(crate) fn visit(&self, which: usize, (visit, of): (usize, usize), observer: &mut dyn Observer) {
        let label = &self.plan.measurements[which].label;
        let rank = visit.min(of.saturating_sub(1));
        observer.event(Event::CellStarted { experiment: &self.experiment, label, rank, of });
    }

    /// Records that a measurement is done, or failed.
    pub(crate) fn enter(
        &mut self,
        which: usize,
        samples: Result<Samples, EngineError>,
        observer: &mut dyn Observer,
    ) {
        let measurement = &self.plan.measurements[which];
        let samples = match samples {
            Ok(samples) => samples,
            Err(EngineError::Interrupted) => {
                self.completion = Completion::Interrupted;
                return;
            }
            Err(error) => {
                self.leave_out(&measurement.label, &error, observer);
                self.first_error.get_or_insert(error);
                return;
            }
        };
        self.sampled = self.sampled + samples.sampled;
        let cells = cells(measurement, &samples, self.protocol);
        for cell in &cells {
            observer.event(Event::CellFinished { cell });
        }
        if cells.is_empty() && !samples.interrupted {
            let reason = if samples.migrated > 0 {
                "its workers did not stay on their CPUs in any sample"
            } else if samples.starved {
                "other programs took the CPUs of its workers in every sample"
            } else {
                "no sample showed any progress"
            };
            self.leave_out(&measurement.label, &reason, observer);
        }
        self.done.insert(which, cells);
        if samples.interrupted {
            self.completion = Completion::Interrupted;
        }
    }

    /// Records that there was no time for a measurement, and the budget that would have time for all.
    pub(crate) fn pass_by(&mut self, which: usize, whole: Option<Duration>, observer: &mut dyn Observer) {
        let whole = whole
            .map(|whole| format!("a budget of {} s is enough for all cells; here, ", whole.as_secs() + 1));
        let reason = format!("{}{}", whole.unwrap_or_default(), EngineError::OutOfTime);
        self.leave_out(&self.plan.measurements[which].label, &reason, observer);
    }

    fn leave_out(&mut self, label: &str, reason: &dyn ToString, observer: &mut dyn Observer) {
        let warning = skipped(format!("{}, {label}", self.experiment), reason);
        observer.event(Event::Warned { warning: &warning });
        self.warnings.push(warning);
    }

    /// The result, including derived cells.
    pub(crate) fn close(self, elapsed: Seconds) -> Result<ExperimentResult, ExperimentError> {
        let Self { experiment, plan, protocol, mut warnings, done, completion, first_error, .. } = self;
        if let Some(error) = first_error.filter(|_| done.is_empty() && completion == Completion::Complete) {
            return Err(error.into());
        }
        if let Some(claim) = &plan.claim {
            // A value that may be wrong disputes nothing.
            let stands = |cell: &&Cell| Warning::worst_weight(&cell.warnings) != Some(Weight::Doubt);
            let latency = |rank: usize| {
                let cell = done.get(&rank)?.first().filter(stands)?;
                Some(cell.estimate.median)
            };
            warnings.extend(claim.disputed(latency));
        }
        let mut derived = summarize(&plan.summaries, &done);
        derived.extend(relative_times(&plan.ratios, &plan.measurements, &done));
        derived.extend(curve_cells(&plan.curves, &plan.measurements, &done));
        let cells = done.into_values().flatten().chain(derived);
        let cells = Cells::new(cells.map(|cell| with_drift(cell, protocol)).collect())?;
        Ok(ExperimentResult { experiment, completion, elapsed, cells, warnings })
    }
}

/// The warning about something that could not run.
pub(crate) fn skipped(experiment: String, reason: &dyn ToString) -> Warning {
    Warning::ExperimentSkipped { experiment, reason: reason.to_string() }
}
