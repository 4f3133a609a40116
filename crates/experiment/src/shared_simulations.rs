//! Measurements of simulations that do the same work: it is done once.
//!
//! A survey requests some work under several names. A model, which moves lines and computes nothing, cannot tell `copy` from `scale`; and
//! what all nodes read at once is a point of one experiment and a row of another. Nor can it tell cores at one router apart: of the pairs
//! between two dies, one is simulated. On an engine with replicas, such work shows the same samples, to the last bit.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use zerohop_machine::PuId;
use zerohop_workload::{Activity, Engine, EngineError, Placement, Worker, Workload};

use crate::plan::{Measurement, Plan};
use crate::recording::{Record, Recording};
use crate::sampler::Samples;

/// A measurement to take samples of.
#[derive(Clone)]
pub(crate) struct Job<'a> {
    pub(crate) measurement: &'a Measurement,
    /// Record of its workload from sampling for another measurement.
    pub(crate) known: Option<Arc<Recording>>,
    /// Observations that other measurements need from it, if any.
    pub(crate) record: Option<Record>,
}

impl Job<'_> {
    /// Approximate effort: a sample has about as many lines of each worker, and recorded work takes no time.
    pub(crate) fn effort(&self) -> usize {
        if self.known.is_some() { 0 } else { self.measurement.workload.workers.len() }
    }
}

/// The samples of a measurement, and what else they showed if it was recorded.
pub(crate) type Sampled = Result<(Samples, Option<Recording>), EngineError>;

/// Work of some plans, and the observations of it that measurements still wait for.
pub(crate) struct Shared<'a> {
    /// Whether kernels that move the same lines are the same work.
    moves_lines: bool,
    /// CPU that stands in for each replaced CPU.
    stand_ins: BTreeMap<PuId, PuId>,
    /// The caches that each CPU is behind, by level and first CPU; of none if no CPU stands in for another.
    caches: BTreeMap<PuId, Vec<(u8, Option<PuId>)>>,
    works: Vec<Work<'a>>,
    /// Ranks of works by their approximate hash.
    roughly: BTreeMap<u64, Vec<usize>>,
}

/// What one or several measurements do.
struct Work<'a> {
    workload: &'a Workload,
    /// Observations that the measurements read.
    record: Record,
    /// Number of these measurements that have not been sampled.
    waiting: usize,
    recording: Option<Arc<Recording>>,
}

impl<'a> Shared<'a> {
    /// The work of these plans on an engine. What it shows of a machine's inside may be wanted whatever is measured.
    pub(crate) fn new(
        plans: impl IntoIterator<Item = &'a Plan>,
        engine: &(impl Engine + ?Sized),
        inside: bool,
    ) -> Self {
        let machine = engine.machine();
        let pus = || machine.pus.iter().map(|pu| pu.id);
        let stand_ins: BTreeMap<PuId, PuId> =
            pus().map(|pu| (pu, engine.stand_in(pu))).filter(|(pu, other)| pu != other).collect();
        let caches = |pu: PuId| {
            let caches = machine.data_caches(pu).into_iter();
            caches.map(|cache| (cache.level, cache.pus.first())).collect()
        };
        let mut shared = Self {
            moves_lines: engine.moves_lines_only(),
            caches: pus().filter(|_| !stand_ins.is_empty()).map(|pu| (pu, caches(pu))).collect(),
            stand_ins,
            works: Vec::new(),
            roughly: BTreeMap::new(),
        };
        for measurement in plans.into_iter().flat_map(|plan| &plan.measurements) {
            let workload = &measurement.workload;
            let work = shared.find(workload).unwrap_or_else(|| {
                let rough = shared.rough(workload);
                shared.roughly.entry(rough).or_default().push(shared.works.len());
                let record = Record { inside, parts: inside };
                shared.works.push(Work { workload, record, waiting: 0, recording: None });
                shared.works.len() - 1
            });
            let work = &mut shared.works[work];
            work.waiting += 1;
            work.record.inside |= measurement.looks_inside();
            work.record.parts |= measurement.looks_at_parts();
        }
        shared
    }

    /// The rank of a workload among those that were announced.
    fn find(&self, workload: &Workload) -> Option<usize> {
        let alike = self.roughly.get(&self.rough(workload))?;
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
            && workers.iter().zip(&other.workers).all(|(one, other)| self.moves_the_same(one, other))
            && self.share_alike(workers, &other.workers)
    }

    /// Whether two workers move the same lines in the same order from the same place.
    fn moves_the_same(&self, one: &Worker, other: &Worker) -> bool {
        let Worker { pu, role, placement, buffer, activity, demand } = one;
        moved(*activity) == moved(other.activity)
            && (role, buffer, demand) == (&other.role, &other.buffer, &other.demand)
            && self.stand_in(*pu) == self.stand_in(other.pu)
            && *placement == other.placement
    }

    fn stand_in(&self, pu: PuId) -> PuId {
        self.stand_ins.get(&pu).copied().unwrap_or(pu)
    }

    /// Whether workers share caches with one another as those of the same ranks do.
    fn share_alike(&self, workers: &[Worker], others: &[Worker]) -> bool {
        if workers.iter().zip(others).all(|(one, other)| one.pu == other.pu) {
            return true;
        }
        let shared = |one: &Worker, other: &Worker| -> Vec<u8> {
            let [own, others] =
                [one, other].map(|worker| self.caches.get(&worker.pu).map_or(&[][..], Vec::as_slice));
            own.iter().filter(|cache| others.contains(cache)).map(|cache| cache.0).collect()
        };
        let pairs = (0..workers.len()).flat_map(|rank| (0..=rank).map(move |before| (before, rank)));
        pairs.into_iter().all(|(before, rank)| {
            (workers[before].pu == workers[rank].pu) == (others[before].pu == others[rank].pu)
                && shared(&workers[before], &workers[rank]) == shared(&others[before], &others[rank])
        })
    }

    /// Equal for workloads that are the same work, and different for most others.
    fn rough(&self, workload: &Workload) -> u64 {
        let mut hasher = DefaultHasher::new();
        for Worker { pu, placement, buffer, .. } in &workload.workers {
            (self.stand_in(*pu).0, buffer.get()).hash(&mut hasher);
            if let Placement::Node(node) = placement {
                node.0.hash(&mut hasher);
            }
        }
        hasher.finish()
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

/// The activity, with the first of all kernels that move the same lines.
fn moved(activity: Activity) -> Activity {
    match activity {
        Activity::Kernel { kernel, access } => Activity::Kernel { kernel: kernel.moves_like(), access },
        Activity::Chase { .. } | Activity::TimedChase { .. } | Activity::LineTransfer { .. } => activity,
    }
}
