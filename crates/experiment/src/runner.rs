//! Carries out a plan: prepares, samples and reduces each measurement, and notifies the observer.
//!
//! An engine for real hardware visits one measurement after another in rounds, within a budget of time. An engine with replicas runs
//! several at once and takes all the samples it needs: the result is the same on any number of threads.

use zerohop_units::Seconds;
use zerohop_workload::{Engine, EngineError};

use crate::budget::Budget;
use crate::ledger::Ledger;
use crate::plan::Plan;
use crate::protocol::Protocol;
use crate::replicas::Replicas;
use crate::rounds::in_rounds;
use crate::sampler::Samples;
use crate::{Event, ExperimentError, Observer};
use zerohop_result::{Completion, ExperimentName, ExperimentResult};

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
    let mut ledger = Ledger::new(experiment, plan, protocol);
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
