//! Carries out a plan: prepares, samples and reduces each measurement, and notifies the observer.
//!
//! An engine for real hardware visits one measurement after another in rounds, within a budget of time. An engine with replicas runs
//! several at once and takes all the samples it needs: the result is the same on any number of threads.

mod rounds;

use std::collections::BTreeMap;

use zerohop_units::Seconds;
use zerohop_workload::{Engine, EngineError, Warning};

use crate::budget::Budget;
use crate::derived::{curve_cells, relative_times};
use crate::plan::Plan;
use crate::protocol::Protocol;
use crate::reduce::cells;
use crate::replicas::Replicas;
use crate::sampler::Samples;
use crate::summary::summarize;
use crate::{Event, ExperimentError, Observer};
use rounds::in_rounds;
use zerohop_result::{Cell, Cells, Completion, ExperimentName, ExperimentResult};

/// Measurements given to each thread of an executor between two checks of the observer: enough that threads rarely wait
/// for the slowest, few enough that a caller who can only interrupt between batches need not wait for long.
const HANDED_OUT: usize = 8;

/// Carries out `plan`. An interrupted plan returns the finished cells.
///
/// # Errors
/// When all of its measurements failed.
pub(crate) fn carry_out(
    experiment: ExperimentName,
    plan: &Plan,
    engine: &mut dyn Engine,
    protocol: &Protocol,
    budget: &mut Budget,
    observer: &mut dyn Observer,
) -> Result<ExperimentResult, ExperimentError> {
    observer.event(Event::ExperimentStarted { experiment: &experiment, cells: plan.cells() });
    let mut ledger = Ledger {
        experiment,
        plan,
        protocol,
        warnings: plan.warnings.clone(),
        done: BTreeMap::new(),
        completion: Completion::Complete,
        first_error: None,
        sampled: Seconds::default(),
    };
    match Replicas::of(engine) {
        Some(replicas) => {
            on_replicas(&replicas, &mut ledger, observer);
            let elapsed = ledger.sampled;
            ledger.close(elapsed)
        }
        None => {
            let began = observer.now();
            in_rounds(engine, &mut ledger, budget, observer);
            ledger.close(Seconds::from(observer.now().saturating_sub(began)))
        }
    }
}

/// Runs as many measurements at once as the observer's executor can. The observer is notified of each in order.
fn on_replicas(replicas: &Replicas, ledger: &mut Ledger<'_>, observer: &mut dyn Observer) {
    let (plan, protocol) = (ledger.plan, ledger.protocol);
    let width = observer.executor().width();
    let handed_out = if width > 1 { width * HANDED_OUT } else { 1 };
    let mut rank = 0;
    for part in plan.order.chunks(handed_out) {
        if observer.interrupted() {
            ledger.completion = Completion::Interrupted;
            return;
        }
        ledger.start(rank, observer);
        let measurements: Vec<_> = part.iter().map(|&which| &plan.measurements[which]).collect();
        let sampled = replicas.sample(&measurements, protocol, observer.executor(), observer.meter());
        for (place, samples) in sampled.into_iter().enumerate() {
            if ledger.completion == Completion::Interrupted && is_nothing(&samples) {
                rank += 1;
                continue;
            }
            if place > 0 {
                ledger.start(rank, observer);
            }
            ledger.enter(rank, samples, observer);
            rank += 1;
        }
        if ledger.completion == Completion::Interrupted {
            return;
        }
    }
}

/// Whether a measurement was not started, or was interrupted before its first sample.
fn is_nothing(samples: &Result<Samples, EngineError>) -> bool {
    matches!(samples, Err(EngineError::Interrupted))
}

/// The results of a plan so far.
struct Ledger<'a> {
    experiment: ExperimentName,
    plan: &'a Plan,
    protocol: &'a Protocol,
    warnings: Vec<Warning>,
    /// Cells by the rank of their measurement.
    done: BTreeMap<usize, Vec<Cell>>,
    completion: Completion,
    first_error: Option<EngineError>,
    /// Total time of all samples.
    sampled: Seconds,
}

impl Ledger<'_> {
    /// Records that the `rank`th measurement in running order starts.
    fn start(&self, rank: usize, observer: &mut dyn Observer) {
        let label = &self.plan.measurements[self.plan.order[rank]].label;
        observer.event(Event::CellStarted { label, rank, of: self.plan.order.len() });
    }

    /// Records that a measurement is visited, as one of some expected number of visits.
    fn visit(&self, which: usize, (visit, of): (usize, usize), observer: &mut dyn Observer) {
        let label = &self.plan.measurements[which].label;
        observer.event(Event::CellStarted { label, rank: visit.min(of.saturating_sub(1)), of });
    }

    /// Records that the `rank`th measurement in running order is done, or failed.
    fn enter(&mut self, rank: usize, samples: Result<Samples, EngineError>, observer: &mut dyn Observer) {
        let which = self.plan.order[rank];
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
            let reason = if samples.starved {
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

    fn leave_out(&mut self, label: &str, reason: &dyn ToString, observer: &mut dyn Observer) {
        let warning = skipped(format!("{}, {label}", self.experiment), reason);
        observer.event(Event::Warned { warning: &warning });
        self.warnings.push(warning);
    }

    /// The result, including derived cells.
    fn close(self, elapsed: Seconds) -> Result<ExperimentResult, ExperimentError> {
        let Self { experiment, plan, warnings, done, completion, first_error, .. } = self;
        if let Some(error) = first_error.filter(|_| done.is_empty() && completion == Completion::Complete) {
            return Err(error.into());
        }
        let mut derived = summarize(&plan.summaries, &done);
        derived.extend(relative_times(&plan.ratios, &plan.measurements, &done));
        derived.extend(curve_cells(&plan.curves, &plan.measurements, &done));
        let cells = Cells::new(done.into_values().flatten().chain(derived).collect())?;
        Ok(ExperimentResult { experiment, completion, elapsed, cells, warnings })
    }
}

/// The warning about something that could not run.
pub(crate) fn skipped(experiment: String, reason: &dyn ToString) -> Warning {
    Warning::ExperimentSkipped { experiment, reason: reason.to_string() }
}
