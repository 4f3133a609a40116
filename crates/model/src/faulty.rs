//! An engine around another one, which reports what a faulty system would have reported.
//!
//! Faults of the machine itself are in its [`Hardware`](zerohop_machine_file::Hardware). These are of what surrounds a measurement: where
//! memory comes from, its pages, and other users of the CPUs. Their sizes are typical ones, and constants of this file.

use std::time::Duration;

use zerohop_machine::{Machine, NodeId};
use zerohop_machine_file::MeasuringFault;
use zerohop_units::{Bytes, Nanoseconds};
use zerohop_workload::{
    Activity, Backing, Engine, EngineDescription, EngineError, InstructionSet, Origin, Placement, Prepared,
    Progress, Sample, Warning, Workload,
};

/// Mean share of its CPU that a worker gets beside other programs; it varies by a third of the rest from sample to sample.
const BUSY_SHARE: f64 = 0.7;

/// CPUs that these programs use.
const BUSY_LOAD: f64 = 2.0;

/// Share of the CPU time that the hypervisor gives to others.
const STOLEN: f64 = 0.2;

/// What a page walk adds to a load at random places of a buffer on 4 KiB pages: part of the page table is in the second-level cache.
const WALK: Nanoseconds = Nanoseconds(25.0);

/// What page walks leave of the bandwidth of a stream.
const STREAM_SHARE: f64 = 0.95;

/// The address translations of such pages that a core keeps reach this far.
const REACH: Bytes = Bytes::mib(6);

/// The size of a small page.
const SMALL_PAGE: Bytes = Bytes::kib(4);

/// An engine with faults.
pub(crate) struct FaultyEngine {
    engine: Box<dyn Engine + Send>,
    faults: Vec<MeasuringFault>,
}

impl FaultyEngine {
    /// The engine with the faults that its machine names, if there are any.
    pub(crate) fn around(engine: Box<dyn Engine + Send>) -> Box<dyn Engine + Send> {
        let faults = MeasuringFault::among(&engine.machine().faults);
        if faults.is_empty() { engine } else { Box::new(Self { engine, faults }) }
    }

    fn has(&self, fault: MeasuringFault) -> bool {
        self.faults.contains(&fault)
    }

    /// The workload as the system carries it out.
    fn carried_out(&self, workload: &Workload) -> Workload {
        let mut workload = workload.clone();
        let first = self.machine().nodes.iter().find(|node| node.memory.get() > 0);
        if let Some(first) = first.filter(|_| self.has(MeasuringFault::DataOnOneNode)) {
            for worker in &mut workload.workers {
                worker.placement = Placement::Node(first.id);
            }
        }
        workload
    }
}

impl Engine for FaultyEngine {
    fn origin(&self) -> Origin {
        self.engine.origin()
    }

    fn description(&self) -> EngineDescription {
        self.engine.description()
    }

    fn machine(&self) -> &Machine {
        self.engine.machine()
    }

    fn instruction_sets(&self) -> Vec<InstructionSet> {
        self.engine.instruction_sets()
    }

    fn free_memory(&self, node: NodeId) -> Bytes {
        self.engine.free_memory(node)
    }

    fn prepare(&mut self, workload: &Workload) -> Result<Box<dyn Prepared + '_>, EngineError> {
        let carried_out = self.carried_out(workload);
        let faults = self.faults.clone();
        let prepared = self.engine.prepare(&carried_out)?;
        let mut backing = prepared.backing().to_vec();
        let mut warnings = prepared.warnings().to_vec();
        if faults.contains(&MeasuringFault::DataOnOneNode) {
            // A tool that does not look where its pages are.
            backing.iter_mut().for_each(|backing| backing.placed_share = None);
        }
        if faults.contains(&MeasuringFault::SmallPages) {
            for backing in &mut backing {
                (backing.page, backing.huge_share) = (SMALL_PAGE, Some(0.0));
            }
            warnings.push(Warning::HugePagesMissing { share: 0.0 });
        }
        let workers = workload.workers.iter().map(|worker| (worker.activity, worker.buffer)).collect();
        Ok(Box::new(FaultyPrepared { prepared, faults, backing, warnings, workers, samples: 0 }))
    }

    fn replicate(&mut self, replication: u32) {
        self.engine.replicate(replication);
    }

    fn replica(&self) -> Option<Box<dyn Engine + Send>> {
        let engine = self.engine.replica()?;
        Some(Box::new(Self { engine, faults: self.faults.clone() }))
    }
}

/// A workload in place on such an engine.
struct FaultyPrepared<'e> {
    prepared: Box<dyn Prepared + 'e>,
    faults: Vec<MeasuringFault>,
    backing: Vec<Backing>,
    warnings: Vec<Warning>,
    workers: Vec<(Activity, Bytes)>,
    samples: u32,
}

impl FaultyPrepared<'_> {
    fn has(&self, fault: MeasuringFault) -> bool {
        self.faults.contains(&fault)
    }

    fn reported(&mut self, mut sample: Sample) -> Sample {
        self.samples += 1;
        let mut share = 1.0;
        if self.has(MeasuringFault::Busy) {
            // Another share in each sample, the same ones in every run.
            let phase = f64::from(self.samples * 7 % 10) / 9.0 * 2.0 - 1.0;
            share *= BUSY_SHARE + phase * (1.0 - BUSY_SHARE) / 3.0;
            sample.noise.other_load = Some(BUSY_LOAD);
        }
        if self.has(MeasuringFault::Steal) {
            share *= 1.0 - STOLEN;
            sample.noise.steal_share = Some(STOLEN);
        }
        let small = self.has(MeasuringFault::SmallPages);
        for (worker, (activity, buffer)) in sample.workers.iter_mut().zip(&self.workers) {
            if share < 1.0 {
                worker.noise.cpu_share = Some(share);
                worker.noise.involuntary_switches += u64::from(self.samples % 3 + 1);
            }
            let left = share
                * if small {
                    with_walks(*activity, *buffer, &worker.in_window, sample.window.get())
                } else {
                    1.0
                };
            worker.in_window = part(worker.in_window, left);
            worker.own = part(worker.own, left);
        }
        sample
    }
}

/// The share of its work that a worker does if its loads walk page tables.
fn with_walks(activity: Activity, buffer: Bytes, done: &Progress, window: f64) -> f64 {
    match activity {
        Activity::Kernel { .. } => STREAM_SHARE,
        Activity::Chase { .. } | Activity::TimedChase { .. } if buffer > REACH && done.steps > 0.0 => {
            let step = window * 1e9 / done.steps;
            step / (step + WALK.get())
        }
        Activity::Chase { .. } | Activity::TimedChase { .. } | Activity::LineTransfer { .. } => 1.0,
    }
}

fn part(done: Progress, share: f64) -> Progress {
    let of = |bytes: Bytes| Bytes((bytes.get() as f64 * share).round() as u64);
    Progress { bytes: of(done.bytes), bus_bytes: of(done.bus_bytes), steps: done.steps * share }
}

impl Prepared for FaultyPrepared<'_> {
    fn backing(&self) -> &[Backing] {
        &self.backing
    }

    fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    fn window(&self) -> Option<Duration> {
        self.prepared.window()
    }

    fn repeats_itself(&self) -> bool {
        self.prepared.repeats_itself() && !self.has(MeasuringFault::Busy)
    }

    fn leave_parts_out(&mut self) {
        self.prepared.leave_parts_out();
    }

    fn sample(&mut self, window: Duration) -> Result<Sample, EngineError> {
        let sample = self.prepared.sample(window)?;
        Ok(self.reported(sample))
    }

    fn extend(&mut self, window: Duration) -> Result<Sample, EngineError> {
        // What repeats itself is not extended: another sample of it is as long as asked.
        let sample = match self.prepared.repeats_itself() {
            true => self.prepared.sample(window)?,
            false => self.prepared.extend(window)?,
        };
        Ok(self.reported(sample))
    }
}
