//! Carries out plans: prepares, samples and reduces each measurement, and notifies the observer.
//!
//! An engine for real hardware visits one measurement after another in rounds, within a budget of time. An engine with replicas runs
//! several at once and takes all the samples it needs: the result is the same on any number of threads.

use std::time::Duration;

use zerohop_units::Seconds;
use zerohop_workload::{Engine, EngineError};

use crate::budget::Budget;
use crate::cell_accumulator::CellAccumulator;
use crate::plan::Plan;
use crate::protocol::Protocol;
use crate::replicas::Replicas;
use crate::rounds::in_rounds;
use crate::sampler::Samples;
use crate::shared_simulations::Shared;
use crate::{Event, ExperimentError, Observer};
use zerohop_result::{Completion, ExperimentName, ExperimentResult};

/// Measurements given to each thread of an executor between two checks of the observer: enough that threads rarely wait
/// for the slowest, few enough that a caller who can only interrupt between batches need not wait for long.
const HANDED_OUT: usize = 32;

/// The outcome of one experiment.
type Carried = Result<ExperimentResult, ExperimentError>;

/// Executes these plans: in turns on an engine that visits measurements in rounds, one after another on any other, where they share the work in
/// `shared`. Interrupted plans return the values measured so far. Returns one outcome for each plan; none for plans that an interruption kept from
/// starting, except the first.
pub(crate) fn carry_out(
    plans: &[(&ExperimentName, &Plan)],
    shared: &mut Shared<'_>,
    engine: &mut dyn Engine,
    protocol: &Protocol,
    budget: &mut Budget,
    observer: &mut dyn Observer,
) -> Vec<Carried> {
    let ledgers =
        plans.iter().map(|&(experiment, plan)| CellAccumulator::new(experiment.clone(), plan, protocol));
    let mut ledgers: Vec<CellAccumulator<'_>> = ledgers.collect();
    let Some(replicas) = Replicas::of(engine) else {
        return in_turns(ledgers, engine, budget, observer);
    };
    let mut outcomes = Vec::new();
    for mut ledger in ledgers.drain(..) {
        observer.event(Event::ExperimentsStarted { experiments: &[ledger.begins()] });
        on_replicas(&replicas, shared, &mut ledger, observer);
        let interrupted = ledger.completion == Completion::Interrupted;
        let elapsed = ledger.sampled;
        outcomes.push(ledger.close(elapsed));
        if interrupted {
            break;
        }
    }
    outcomes
}

fn in_turns(
    mut ledgers: Vec<CellAccumulator<'_>>,
    engine: &mut dyn Engine,
    budget: &mut Budget,
    observer: &mut dyn Observer,
) -> Vec<Carried> {
    let begin: Vec<(ExperimentName, usize)> = ledgers.iter().map(CellAccumulator::begins).collect();
    observer.event(Event::ExperimentsStarted { experiments: &begin });
    let took = in_rounds(engine, &mut ledgers, budget, observer);
    let started = |rank: usize, took: Duration, ledger: &CellAccumulator<'_>| {
        rank == 0 || took > Duration::ZERO || ledger.completion == Completion::Complete
    };
    let closed = ledgers.into_iter().zip(took).enumerate();
    let closed = closed.filter(|(rank, (ledger, took))| started(*rank, *took, ledger));
    closed.map(|(_, (ledger, took))| ledger.close(Seconds::from(took))).collect()
}

/// Runs as many measurements at once as the observer's executor can, and those that do the same work once. The observer is notified of
/// each in order.
fn on_replicas(
    replicas: &Replicas,
    shared: &mut Shared<'_>,
    ledger: &mut CellAccumulator<'_>,
    observer: &mut dyn Observer,
) {
    let (plan, protocol) = (ledger.plan, ledger.protocol);
    let width = observer.executor().width();
    let handed_out = if width > 1 { width * HANDED_OUT } else { 1 };
    let mut rank = 0;
    for part in plan.order.chunks(handed_out) {
        if observer.interrupted() {
            ledger.completion = Completion::Interrupted;
            return;
        }
        let of = plan.order.len();
        ledger.visit(plan.order[rank], (rank, of), observer);
        let measurements: Vec<_> = part.iter().map(|&which| &plan.measurements[which]).collect();
        let sampled = shared.samples(&measurements, |jobs| {
            replicas.sample(jobs, protocol, observer.executor(), observer.meter())
        });
        for (place, samples) in sampled.into_iter().enumerate() {
            if ledger.completion == Completion::Interrupted && is_nothing(&samples) {
                rank += 1;
                continue;
            }
            if place > 0 {
                ledger.visit(plan.order[rank], (rank, of), observer);
            }
            ledger.enter(plan.order[rank], samples, observer);
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
