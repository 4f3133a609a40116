//! Measurements of simulations that do the same work: it is done once.
//!
//! A survey requests some work under several names. A model, which moves lines and computes nothing, cannot tell `copy` from `scale`; and
//! what all nodes read at once is a point of one experiment and a row of another. On an engine with replicas, such work shows the same
//! samples, to the last bit.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use zerohop_workload::{Activity, EngineError, Placement, Worker, Workload};

use crate::plan::{Measurement, Plan};
use crate::recording::{Record, Recording};
use crate::sampler::Samples;

/// A measurement to take samples of.
#[derive(Clone)]
pub(crate) struct Job<'a> {
    /// The measurement.
    pub(crate) measurement: &'a Measurement,
    /// What its workload showed when it was sampled for another measurement.
    pub(crate) known: Option<Arc<Recording>>,
    /// What other measurements need of what it shows now, if they do.
    pub(crate) record: Option<Record>,
}

/// The samples of a measurement, and what else they showed if it was recorded.
pub(crate) type Sampled = Result<(Samples, Option<Recording>), EngineError>;

/// The work of some plans, and what was seen of it that measurements still wait for.
pub(crate) struct Shared<'a> {
    /// Whether kernels that move the same lines are the same work.
    moves_lines: bool,
    works: Vec<Work<'a>>,
    /// Ranks of works by what they roughly are.
    roughly: BTreeMap<u64, Vec<usize>>,
}

/// What one or several measurements do.
struct Work<'a> {
    workload: &'a Workload,
    /// What they read of it.
    record: Record,
    /// How many of them have not been sampled.
    waiting: usize,
    recording: Option<Arc<Recording>>,
}

impl<'a> Shared<'a> {
    /// The work of these plans, on an engine that moves lines only, or on any other. What it shows of a machine's inside may be wanted whatever
    /// is measured.
    pub(crate) fn new(plans: impl IntoIterator<Item = &'a Plan>, moves_lines: bool, inside: bool) -> Self {
        let mut shared = Self { moves_lines, works: Vec::new(), roughly: BTreeMap::new() };
        for measurement in plans.into_iter().flat_map(|plan| &plan.measurements) {
            let workload = &measurement.workload;
            let work = shared.find(workload).unwrap_or_else(|| {
                shared.roughly.entry(rough(workload)).or_default().push(shared.works.len());
                let record = Record { inside };
                shared.works.push(Work { workload, record, waiting: 0, recording: None });
                shared.works.len() - 1
            });
            let work = &mut shared.works[work];
            work.waiting += 1;
            work.record.inside |= measurement.looks_inside();
        }
        shared
    }

    /// The rank of a workload among those that were announced.
    fn find(&self, workload: &Workload) -> Option<usize> {
        let alike = self.roughly.get(&rough(workload))?;
        alike.iter().copied().find(|&work| self.is_same(self.works[work].workload, workload))
    }

    /// Whether both are the same work.
    fn is_same(&self, one: &Workload, other: &Workload) -> bool {
        if !self.moves_lines {
            return one == other;
        }
        let Workload { workers, pages, instruction_set } = one;
        (*pages, *instruction_set) == (other.pages, other.instruction_set)
            && workers.len() == other.workers.len()
            && workers.iter().zip(&other.workers).all(|(one, other)| moves_the_same(one, other))
    }

    /// The samples of these measurements, in their order. `sample` takes them: first for one measurement of each work, then for the
    /// others.
    pub(crate) fn samples(
        &mut self,
        measurements: &[&Measurement],
        sample: impl Fn(&[Job<'_>]) -> Vec<Sampled>,
    ) -> Vec<Result<Samples, EngineError>> {
        let works: Vec<Option<usize>> =
            measurements.iter().map(|measurement| self.find(&measurement.workload)).collect();
        let (mut first, mut again) = (Vec::new(), Vec::new());
        for (place, &work) in works.iter().enumerate() {
            let known = work.is_some_and(|work| self.works[work].recording.is_some());
            let begun = work.is_some() && first.iter().any(|&other: &usize| works[other] == work);
            if known || begun { again.push(place) } else { first.push(place) }
        }
        let mut sampled: Vec<Result<Samples, EngineError>> =
            measurements.iter().map(|_| Err(EngineError::Interrupted)).collect();
        for places in [first, again] {
            let jobs: Vec<Job<'_>> =
                places.iter().map(|&place| self.job(measurements[place], works[place])).collect();
            let mut interrupted = false;
            for (place, done) in places.into_iter().zip(sample(&jobs)) {
                interrupted |= is_interrupted(&done);
                sampled[place] = done.map(|(samples, recording)| {
                    self.done(works[place], recording);
                    samples
                });
            }
            if interrupted {
                break;
            }
        }
        sampled
    }

    fn job<'m>(&self, measurement: &'m Measurement, work: Option<usize>) -> Job<'m> {
        let work = work.map(|work| &self.works[work]);
        let known = work.and_then(|work| work.recording.clone());
        let needed = work.filter(|work| known.is_none() && work.waiting > 1);
        Job { measurement, known, record: needed.map(|work| work.record) }
    }

    /// A measurement of that work is done. What it showed is kept while others wait for it.
    fn done(&mut self, work: Option<usize>, recording: Option<Recording>) {
        let Some(work) = work.map(|work| &mut self.works[work]) else { return };
        work.waiting = work.waiting.saturating_sub(1);
        if let Some(recording) = recording {
            work.recording = Some(Arc::new(recording));
        }
        if work.waiting == 0 {
            work.recording = None;
        }
    }
}

/// Whether an engine was stopped while it took these samples, or before.
pub(crate) fn is_interrupted(sampled: &Sampled) -> bool {
    match sampled {
        Ok((samples, _)) => samples.interrupted,
        Err(error) => *error == EngineError::Interrupted,
    }
}

/// Whether two workers move the same lines in the same order.
fn moves_the_same(one: &Worker, other: &Worker) -> bool {
    let Worker { pu, role, placement, buffer, activity, demand } = one;
    moved(*activity) == moved(other.activity)
        && (pu, role, buffer, demand) == (&other.pu, &other.role, &other.buffer, &other.demand)
        && *placement == other.placement
}

/// The activity, with the first of all kernels that move the same lines.
fn moved(activity: Activity) -> Activity {
    match activity {
        Activity::Kernel { kernel, access } => Activity::Kernel { kernel: kernel.moves_like(), access },
        Activity::Chase { .. } | Activity::TimedChase { .. } | Activity::LineTransfer { .. } => activity,
    }
}

/// Equal for workloads that are the same work, and different for most others.
fn rough(workload: &Workload) -> u64 {
    let mut hasher = DefaultHasher::new();
    for Worker { pu, placement, buffer, .. } in &workload.workers {
        (pu.0, buffer.get()).hash(&mut hasher);
        if let Placement::Node(node) = placement {
            node.0.hash(&mut hasher);
        }
    }
    hasher.finish()
}
