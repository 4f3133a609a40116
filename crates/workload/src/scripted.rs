//! An engine that returns scripted samples, to test plans, statistics, warnings and reports.

use std::time::Duration;

use zerohop_machine::{Machine, NodeId};
use zerohop_units::{Bytes, Nanoseconds, Seconds};

use crate::{
    Activity, Backing, Distribution, Engine, EngineDescription, EngineError, InstructionSet, Origin,
    Prepared, Progress, Sample, Warning, WorkerSample, Workload,
};

/// The answers of a scripted engine.
pub trait Script {
    /// The `nth` sample of `workload`, counted from zero over all visits to it.
    ///
    /// # Errors
    /// Whatever the test needs.
    fn sample(&mut self, workload: &Workload, nth: usize, window: Duration) -> Result<Sample, EngineError>;

    /// Whether the workload can be prepared at all, and with which warnings.
    ///
    /// # Errors
    /// Whatever the test needs.
    fn prepare(&mut self, workload: &Workload) -> Result<Vec<Warning>, EngineError> {
        let _ = workload;
        Ok(Vec::new())
    }

    /// The engine's caller has this much time from now on.
    fn must_end_within(&mut self, time: Duration) {
        let _ = time;
    }
}

/// A script may be a plain function from workload, sample number and window to a sample.
impl<F: FnMut(&Workload, usize, Duration) -> Sample> Script for F {
    fn sample(&mut self, workload: &Workload, nth: usize, window: Duration) -> Result<Sample, EngineError> {
        Ok(self(workload, nth, window))
    }
}

/// An engine driven by a [`Script`].
#[derive(Debug)]
pub struct ScriptedEngine<S> {
    machine: Machine,
    script: S,
    /// The number of samples taken of each workload.
    taken: Vec<(Workload, usize)>,
}

impl<S: Script> ScriptedEngine<S> {
    /// An engine for `machine` that answers with `script`.
    pub fn new(machine: Machine, script: S) -> Self {
        Self { machine, script, taken: Vec::new() }
    }
}

impl<S: Script> Engine for ScriptedEngine<S> {
    /// It acts as a host.
    fn origin(&self) -> Origin {
        Origin::HOST
    }

    fn description(&self) -> EngineDescription {
        EngineDescription::new(&self.origin(), "none", self.instruction_sets())
    }

    fn machine(&self) -> &Machine {
        &self.machine
    }

    fn instruction_sets(&self) -> Vec<InstructionSet> {
        vec![
            InstructionSet::Avx512,
            InstructionSet::Avx2,
            InstructionSet::Sse2,
            InstructionSet::Scalar64,
            InstructionSet::Scalar32,
        ]
    }

    fn free_memory(&self, node: NodeId) -> Bytes {
        self.machine.node(node).map_or(Bytes(0), |node| node.free)
    }

    fn must_end_within(&mut self, time: Duration) {
        self.script.must_end_within(time);
    }

    fn prepare(&mut self, workload: &Workload) -> Result<Box<dyn Prepared + '_>, EngineError> {
        let warnings = self.script.prepare(workload)?;
        let backing = Backing {
            page: Bytes::mib(2),
            huge_share: Some(1.0),
            placed_share: Some(1.0),
            pages_checked: 1,
            ..Backing::default()
        };
        let known = self.taken.iter().position(|(known, _)| known == workload);
        let which = known.unwrap_or_else(|| {
            self.taken.push((workload.clone(), 0));
            self.taken.len() - 1
        });
        Ok(Box::new(ScriptedRun {
            backing: vec![backing; workload.workers.len()],
            warnings,
            workload: workload.clone(),
            script: &mut self.script,
            taken: &mut self.taken[which].1,
        }))
    }
}

struct ScriptedRun<'a, S> {
    backing: Vec<Backing>,
    warnings: Vec<Warning>,
    workload: Workload,
    script: &'a mut S,
    taken: &'a mut usize,
}

impl<S: Script> Prepared for ScriptedRun<'_, S> {
    fn backing(&self) -> &[Backing] {
        &self.backing
    }

    fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    fn confirm(&mut self) {
        self.backing.iter_mut().for_each(|backing| backing.confirmed = true);
    }

    fn sample(&mut self, window: Duration) -> Result<Sample, EngineError> {
        let nth = *self.taken;
        *self.taken += 1;
        self.script.sample(&self.workload, nth, window)
    }
}

impl Sample {
    /// A sample in which every worker runs at a steady pace: `ns_per_step` returns the time of one step of each worker, in
    /// ns, by its rank. A step of a kernel is one line.
    pub fn steady(workload: &Workload, window: Duration, ns_per_step: impl Fn(usize) -> f64) -> Self {
        let workers = workload.workers.iter().enumerate().map(|(rank, worker)| {
            let steps = window.as_secs_f64() * 1e9 / ns_per_step(rank);
            let progress = match worker.activity {
                Activity::Kernel { kernel, .. } => {
                    let bytes = steps * 64.0;
                    let traffic = kernel.traffic();
                    Progress {
                        bytes: Bytes(bytes as u64),
                        bus_bytes: Bytes(
                            (bytes * f64::from(traffic.bus()) / f64::from(traffic.asked())) as u64,
                        ),
                        steps: 0.0,
                    }
                }
                Activity::Chase { .. } | Activity::TimedChase { .. } | Activity::LineTransfer { .. } => {
                    Progress { steps, ..Progress::default() }
                }
            };
            let timed = matches!(worker.activity, Activity::TimedChase { .. });
            let loads = Distribution(vec![(Nanoseconds(ns_per_step(rank)), steps as u64)]);
            WorkerSample {
                loads: timed.then_some(loads),
                in_window: progress,
                own: progress,
                own_time: Seconds::from(window),
                ..WorkerSample::default()
            }
        });
        Self { window: window.into(), workers: workers.collect(), ..Self::default() }
    }
}
