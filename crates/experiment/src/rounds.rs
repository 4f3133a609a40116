//! Visits the measurements of a plan in rounds, on an engine that measures one after another.
//!
//! A machine drifts: what is measured in one go shows the state of one moment. Every measurement is therefore visited several
//! times, in a different order each time, and the visits of all of them spread over the whole run. What differs from visit to
//! visit is then part of each interval, and not a difference between two places of a matrix.

use std::collections::BTreeMap;
use std::time::Duration;

use zerohop_result::Completion;
use zerohop_workload::{Engine, EngineError};

use crate::Observer;
use crate::budget::{Budget, memory};
use crate::ledger::Ledger;
use crate::plan::{Measurement, Plan};
use crate::protocol::{FEWEST, FEWEST_BEYOND_BUDGET, Protocol};
use crate::sampler::Gathering;
use crate::shuffle::shuffled;

/// Runs the ledger's plan in rounds within its part of the budget.
pub(crate) fn in_rounds(
    engine: &mut dyn Engine,
    ledger: &mut Ledger<'_>,
    budget: &mut Budget,
    observer: &mut dyn Observer,
) {
    let (plan, protocol) = (ledger.plan, ledger.protocol);
    let mut time = budget.begin(plan, protocol, observer.now());
    let measurements = plan.measurements.iter().zip(time.sampling);
    let mut stops: Vec<Stop<'_>> =
        measurements.map(|(measurement, time)| Stop::new(measurement, protocol, time)).collect();
    // A budget that the user set is a promise.
    let promised = protocol.budget.is_some();
    let fewest = if promised { FEWEST_BEYOND_BUDGET } else { FEWEST };
    let expected_visits = plan.order.len() * protocol.enough;
    let mut visits = 0;
    'run: for round in 0.. {
        let order = order(plan, protocol.seed, round);
        let open: Vec<usize> = order.into_iter().filter(|&which| !stops[which].is_done(protocol)).collect();
        if open.is_empty() {
            break;
        }
        for which in open {
            if observer.interrupted() {
                ledger.completion = Completion::Interrupted;
                break 'run;
            }
            let stop = &mut stops[which];
            if stop.visits >= fewest as u32 && observer.now().saturating_add(stop.longest) > time.ends {
                stop.closed = true;
                continue;
            }
            ledger.visit(which, (visits, expected_visits), observer);
            visits += 1;
            match stop.visit(engine, round, observer) {
                // Memory that fills slowly costs other experiments their time, but not these measurements their samples.
                Ok(preparing) if round == 0 && !promised => {
                    time.ends += preparing.saturating_sub(time.preparing[which]);
                }
                Ok(_) => {}
                Err(EngineError::Interrupted) => {
                    ledger.completion = Completion::Interrupted;
                    break 'run;
                }
                // A place that is gone says nothing about the samples that were taken there before.
                Err(error @ EngineError::CpuLost { .. }) if stop.gathering.has_any() => {
                    stop.gathering.lose(error.to_string());
                    stop.closed = true;
                }
                Err(error) => stop.failed = Some(error),
            }
        }
    }
    let interrupted = ledger.completion == Completion::Interrupted;
    let mut stops: BTreeMap<usize, Stop<'_>> = stops.into_iter().enumerate().collect();
    for (rank, which) in plan.order.iter().enumerate() {
        let Some(stop) = stops.remove(which).filter(|stop| stop.visits > 0 || !interrupted) else { continue };
        let samples = match stop.failed {
            Some(error) => Err(error),
            None => Ok(stop.gathering.settle(interrupted)),
        };
        ledger.enter(rank, samples, observer);
    }
}

/// A measurement on the tour.
struct Stop<'a> {
    measurement: &'a Measurement,
    gathering: Gathering<'a>,
    /// The time for all of its samples.
    time: Duration,
    /// Samples of a visit that was expensive to prepare.
    most_samples: usize,
    visits: u32,
    /// The time of all visits, and of the longest, without that of filling memory at first.
    spent: Duration,
    longest: Duration,
    /// Whether the time is up.
    closed: bool,
    failed: Option<EngineError>,
}

impl<'a> Stop<'a> {
    fn new(measurement: &'a Measurement, protocol: &'a Protocol, time: Duration) -> Self {
        Self {
            measurement,
            gathering: Gathering::new(measurement, protocol, true),
            time,
            most_samples: protocol.enough.div_ceil(FEWEST),
            visits: 0,
            spent: Duration::ZERO,
            longest: Duration::ZERO,
            closed: false,
            failed: None,
        }
    }

    fn is_done(&self, protocol: &Protocol) -> bool {
        let enough =
            self.visits >= FEWEST as u32 && (self.gathering.has_enough() || self.spent >= protocol.cell_time);
        self.closed || self.failed.is_some() || enough
    }

    /// Takes one sample, or more if preparing took longer than a few. Returns the time of preparing.
    fn visit(
        &mut self,
        engine: &mut dyn Engine,
        round: u32,
        observer: &mut dyn Observer,
    ) -> Result<Duration, EngineError> {
        let began = observer.now();
        let mut prepared = engine.prepare(&self.measurement.workload)?;
        let preparing = observer.now().saturating_sub(began);
        self.gathering.set_up(prepared.as_ref(), self.time);
        let expensive = preparing > 2 * self.gathering.window();
        let samples = if expensive { self.most_samples } else { 1 };
        for _ in 0..samples {
            if observer.interrupted() {
                return Err(EngineError::Interrupted);
            }
            let sampled = self.gathering.sample(prepared.as_mut(), round);
            // What was taken before an interruption counts.
            self.visits = round + 1;
            sampled?;
        }
        self.gathering.confirm(prepared.as_mut());
        // The first visit also filled the memory.
        let first = if round == 0 { preparing } else { Duration::ZERO };
        let spent = observer.now().saturating_sub(began).saturating_sub(first);
        self.spent += spent;
        self.longest = self.longest.max(spent);
        Ok(preparing)
    }
}

/// The order of a round. The first is the plan's. Later ones are shuffled, but measurements that use the same memory stay
/// together: an engine with little memory need not fill it again for each of them.
fn order(plan: &Plan, seed: u64, round: u32) -> Vec<usize> {
    if round == 0 {
        return plan.order.clone();
    }
    let mut together: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for &which in &plan.order {
        together.entry(memory(&plan.measurements[which].workload)).or_default().push(which);
    }
    let groups: Vec<Vec<usize>> = together.into_values().collect();
    let seed = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(round.into());
    let groups = shuffled(groups.len(), seed).into_iter().map(|group| &groups[group]);
    groups.flat_map(|group| shuffled(group.len(), seed).into_iter().map(|rank| group[rank])).collect()
}
