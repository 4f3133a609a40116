//! Placements on a model: by mean-value analysis for a search, line by line for the last few.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use zerohop_machine::{Machine, NodeId};
use zerohop_machine_file::Hardware;
use zerohop_model::{FlowEngine, ModelEngine};
use zerohop_units::{Bytes, Nanoseconds};
use zerohop_workload::{
    Access, Activity, Demand, Engine, EngineError, Kernel, Measure, Pages, Part, Placement, Prepared, Role,
    Sample, StopFlag, Worker, Workload,
};

use super::candidate::Candidate;
use super::cpus;
use super::error::AdviceError;
use super::evaluator::{Evaluator, Outcome};
use super::figure::Figure;
use super::nearest_memory::nearest_memory;
use super::program::{DataUse, Program, Sensitivity};

/// Replications of a simulation, each from another seed: enough for an interval that means something.
const REPLICATIONS: u32 = 5;

/// The same where many placements are simulated.
const FEW_REPLICATIONS: u32 = 3;

/// The largest buffer that stands for a thread's data: no rate depends on more.
const LARGEST_BUFFER: Bytes = Bytes::mib(256);

/// A part this busy limits.
const BUSY: f64 = 0.85;

/// Computes placements on a model for a search: by mean-value analysis where it applies, and by one simulation elsewhere.
#[derive(Debug)]
pub struct FlowEvaluator {
    engine: FlowEngine,
    event: EventEvaluator,
}

/// Simulates placements on a model line by line.
#[derive(Debug)]
pub struct EventEvaluator {
    engine: ModelEngine,
    replications: u32,
}

impl FlowEvaluator {
    /// On this machine; `seed` decides everything random.
    pub fn new(hardware: Arc<Hardware>, seed: u64, stop: StopFlag) -> Self {
        let engine = FlowEngine::new(Arc::clone(&hardware)).stopped_by(stop.clone());
        Self {
            engine,
            event: EventEvaluator { replications: 1, ..EventEvaluator::new(hardware, seed, stop) },
        }
    }
}

impl EventEvaluator {
    /// On this machine; `seed` decides everything random.
    pub fn new(hardware: Arc<Hardware>, seed: u64, stop: StopFlag) -> Self {
        Self { engine: ModelEngine::new(hardware, seed).stopped_by(stop), replications: REPLICATIONS }
    }
}

impl EventEvaluator {
    /// The same for many placements: intervals are wider.
    #[must_use]
    pub fn for_many(self) -> Self {
        Self { replications: FEW_REPLICATIONS, ..self }
    }

    /// A placement, simulated so often.
    fn simulated(
        &mut self,
        program: &Program,
        candidate: &Candidate,
        replications: u32,
    ) -> Result<Outcome, AdviceError> {
        let Cast { workload, groups } = Cast::new(self.machine(), program, candidate);
        let mut figures = Vec::new();
        let mut limits = None;
        for replication in 0..replications {
            self.engine.replicate(replication);
            let mut prepared = self.engine.prepare(&workload)?;
            let window = prepared.window().unwrap_or(Duration::from_micros(20));
            let sample = prepared.sample(window * 2)?;
            figures.push(figure(&sample, &groups, program));
            limits = limits.or_else(|| limit(&sample));
        }
        Ok(Outcome { figure: Figure::mean(&figures), limit: limits })
    }
}

impl Evaluator for FlowEvaluator {
    fn machine(&self) -> &Machine {
        self.engine.machine()
    }

    fn outcome(&mut self, program: &Program, candidate: &Candidate) -> Result<Outcome, AdviceError> {
        let Cast { workload, groups } = Cast::new(self.machine(), program, candidate);
        let mut solved = match self.engine.place(&workload) {
            Ok(solved) => solved,
            Err(EngineError::NeedsSimulation { .. }) => return self.event.outcome(program, candidate),
            Err(error) => return Err(error.into()),
        };
        let sample = solved.sample(Duration::from_millis(1))?;
        let figure = Figure::exact(figure(&sample, &groups, program));
        Ok(Outcome { figure, limit: limit(&sample) })
    }

    fn unknown(&self, program: &Program) -> Vec<String> {
        of_models(self.machine(), program)
    }
}

impl Evaluator for EventEvaluator {
    fn machine(&self) -> &Machine {
        self.engine.machine()
    }

    fn outcome(&mut self, program: &Program, candidate: &Candidate) -> Result<Outcome, AdviceError> {
        self.simulated(program, candidate, self.replications)
    }

    fn glance(&mut self, program: &Program, candidate: &Candidate) -> Result<Outcome, AdviceError> {
        self.simulated(program, candidate, 1)
    }

    fn unknown(&self, program: &Program) -> Vec<String> {
        of_models(self.machine(), program)
    }
}

/// A workload, and the workers of each group of threads, by rank.
struct Cast {
    workload: Workload,
    groups: Vec<Vec<usize>>,
}

impl Cast {
    fn new(machine: &Machine, program: &Program, candidate: &Candidate) -> Self {
        let buffer = buffer(machine, program);
        let activity = match program.sensitivity {
            Sensitivity::Bandwidth => Activity::Kernel { kernel: program.kernel, access: program.access },
            Sensitivity::Latency => Activity::Chase { chains: 1, pages: None },
        };
        let cpus = cpus::of_threads(machine, program, candidate);
        let mut free: BTreeMap<NodeId, std::slice::Iter<'_, _>> =
            cpus.iter().map(|(&node, pus)| (node, pus.iter())).collect();
        let (mut workers, mut groups) = (Vec::new(), Vec::new());
        for group in candidate.groups() {
            let placement = match group.homes.as_slice() {
                [only] => Placement::Node(*only),
                several => Placement::Interleaved(several.to_vec()),
            };
            let first = workers.len();
            let pus = free.get_mut(&group.node).into_iter().flatten().take(group.threads);
            workers.extend(pus.map(|&pu| Worker {
                pu,
                role: Role::Foreground,
                placement: placement.clone(),
                buffer,
                activity,
                demand: Demand::Unlimited,
            }));
            groups.push((first..workers.len()).collect());
        }
        for other in &program.background {
            let taken = cpus.get(&other.node).map_or(&[][..], Vec::as_slice);
            let pus = cpus::of_background(machine, program, other.node, taken, other.threads);
            workers.extend(pus.into_iter().map(|pu| Worker {
                pu,
                role: Role::Background,
                placement: Placement::Node(nearest_memory(machine, other.node)),
                buffer: buffer.min(Bytes::mib(64)),
                activity: Activity::Kernel { kernel: Kernel::Read, access: Access::Sequential },
                demand: other.rate.map_or(Demand::Unlimited, Demand::Rate),
            }));
        }
        let workload = Workload { workers, pages: Pages::Best, instruction_set: None };
        Self { workload, groups }
    }
}

/// The buffer that stands for a thread's data: as large, but no larger than rates depend on, and such that all fit anywhere.
fn buffer(machine: &Machine, program: &Program) -> Bytes {
    let smallest = machine.targets().map(|node| node.memory).min().unwrap_or(Bytes(0));
    let background: usize = program.background.iter().map(|other| other.threads).sum();
    let room = smallest / (2 * (program.threads + background).max(1) as u64);
    program.bytes_of_thread().min(LARGEST_BUFFER).min(room).max(Bytes::kib(4))
}

/// What a sample shows of a program: see [`Outcome::figure`].
fn figure(sample: &Sample, groups: &[Vec<usize>], program: &Program) -> f64 {
    let groups = || groups.iter().filter(|ranks| !ranks.is_empty());
    let threads: usize = groups().map(Vec::len).sum();
    match (program.sensitivity, program.data) {
        (Sensitivity::Bandwidth, DataUse::Shared) => sample.bandwidth(groups().flatten().copied()).get(),
        (Sensitivity::Bandwidth, DataUse::Private) => {
            let of_thread =
                |ranks: &Vec<usize>| sample.bandwidth(ranks.iter().copied()).get() / ranks.len() as f64;
            groups().map(of_thread).fold(f64::INFINITY, f64::min) * threads as f64
        }
        (Sensitivity::Latency, _) => {
            let of_group = |ranks: &Vec<usize>| {
                let times = ranks.iter().filter_map(|&rank| sample.step_time(rank));
                times.map(Nanoseconds::get).sum::<f64>() / ranks.len() as f64
            };
            groups().map(of_group).fold(0.0, f64::max)
        }
    }
}

/// The busiest link or channel, if it is busy enough to limit.
fn limit(sample: &Sample) -> Option<String> {
    let seen = sample.inside.as_ref()?.0.iter().filter(|seen| seen.measure == Measure::Utilization);
    let busiest = seen.max_by(|one, other| one.value.total_cmp(&other.value))?;
    let what = match &busiest.part {
        Part::Link { name, ends: [from, to] } => format!("link {name} from {from} to {to}"),
        Part::Channel { name } | Part::ChannelBus { name, .. } => format!("memory channel {name}"),
        _ => return None,
    };
    (busiest.value >= BUSY).then(|| format!("{what} is {:.0} % busy", busiest.value.min(1.0) * 100.0))
}

/// What a model does not know of a program.
fn of_models(machine: &Machine, program: &Program) -> Vec<String> {
    let mut unknown = Vec::new();
    let cache = machine.caches.iter().max_by_key(|cache| cache.size);
    if let Some(cache) = cache.filter(|cache| program.bytes_of_thread() <= cache.size) {
        unknown.push(format!(
            "each thread's data fits in an L{} cache of {}: if it stays there, its placement in memory matters little",
            cache.level, cache.size
        ));
    }
    if program.sensitivity == Sensitivity::Latency && program.kernel.traffic().stores > 0 {
        unknown.push(
            "with dependent loads, stores do not delay a thread: the mix does not affect the latency"
                .to_owned(),
        );
    }
    if program.data == DataUse::Shared && program.kernel.traffic().stores > 0 {
        unknown.push(
            "lines that several threads write also move between caches, which favors fewer nodes; this is not modeled"
                .to_owned(),
        );
    }
    unknown
}
