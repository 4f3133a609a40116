//! An engine with replicas, like a model: its answers depend only on the workload.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;
use zerohop_experiment::{Event, Executor, ExperimentError, Meter, Observer, Options, Sequential, run};
use zerohop_machine::{Machine, NodeId, PuId};
use zerohop_machine_file::Hardware;
use zerohop_result::ExperimentResult;
use zerohop_units::Bytes;
use zerohop_workload::{
    Backing, Carries, Engine, EngineDescription, EngineError, Inside, InstructionSet, Measure, Origin, Part,
    Prepared, Sample, SolverName, Stage, Workload,
};

/// The length of samples that this engine chooses.
pub(crate) const WINDOW: Duration = Duration::from_micros(7);

/// Time of a step of each worker, in ns, by its rank.
type Pace = Arc<dyn Fn(&Workload, usize) -> f64 + Send + Sync>;

/// An engine with replicas.
#[derive(Clone)]
pub(crate) struct Simulated {
    machine: Machine,
    pace: Pace,
    /// Additional observations inside the machine.
    parts: Arc<[(Part, Measure)]>,
    /// By what share of it the work of a stretch of time as long as [`WINDOW`] varies at random.
    noise: f64,
    /// The replication that is prepared next.
    replication: u32,
    /// The replications that all replicas prepared, in order.
    prepared: Arc<Mutex<Vec<u32>>>,
    /// Samples taken by all replicas.
    taken: Arc<AtomicUsize>,
    /// Stretches of time that all replicas were observed for.
    seen: Arc<AtomicUsize>,
    /// Those of them for which it said what parts of the machine did.
    with_parts: Arc<AtomicUsize>,
    /// Samples after which it is stopped.
    most: usize,
    moves_lines_only: bool,
    /// CPUs at each place of the machine.
    at_a_place: u32,
}

impl Simulated {
    /// Every worker's step takes what `pace` says.
    pub(crate) fn new(
        machine: Machine,
        pace: impl Fn(&Workload, usize) -> f64 + Send + Sync + 'static,
    ) -> Self {
        Self {
            machine,
            pace: Arc::new(pace),
            parts: Arc::default(),
            noise: 0.0,
            replication: 0,
            prepared: Arc::default(),
            taken: Arc::default(),
            seen: Arc::default(),
            with_parts: Arc::default(),
            most: usize::MAX,
            moves_lines_only: false,
            at_a_place: 1,
        }
    }

    /// An engine for a described machine: every part of it is seen.
    pub(crate) fn of_hardware(hardware: &Hardware) -> Self {
        let router = |rank: usize| Arc::<str>::from(hardware.routers[rank].name.as_str());
        let links = hardware.links.iter().flat_map(|link| {
            let [one, other] = link.ends.map(router);
            let direction = |ends| Part::Link { name: link.name.as_str().into(), ends };
            [direction([one.clone(), other.clone()]), direction([other, one])]
        });
        let links = links.flat_map(|part| {
            let measures =
                [Measure::LinkTraffic, Measure::LinkData, Measure::Utilization, Measure::QueueLength];
            measures.map(|measure| (part.clone(), measure))
        });
        let channels = hardware.channels.iter().flat_map(|channel| {
            let name: Arc<str> = channel.name.as_str().into();
            let bus = |carries| Part::ChannelBus { name: name.clone(), carries };
            [
                (bus(Carries::Reads), Measure::BusTraffic),
                (bus(Carries::Writes), Measure::BusTraffic),
                (Part::Channel { name: name.clone() }, Measure::QueueLength),
            ]
        });
        let homes = hardware
            .homes
            .iter()
            .map(|home| (Part::Home { name: home.name.as_str().into() }, Measure::Occupancy));
        let parts = links.chain(channels).chain(homes).collect();
        Self { parts, ..Self::new(hardware.machine.clone(), |_, _| 5.0) }
    }

    /// The same, where the work of a stretch of time as long as [`WINDOW`] varies by this share of it.
    pub(crate) fn with_noise(self, noise: f64) -> Self {
        Self { noise, ..self }
    }

    /// The same, to which kernels that move the same lines are the same.
    pub(crate) fn moving_lines_only(self) -> Self {
        Self { moves_lines_only: true, ..self }
    }

    /// The same, to which so many consecutive CPUs are the same.
    pub(crate) fn with_places_of(self, at_a_place: u32) -> Self {
        Self { at_a_place, ..self }
    }

    /// The same, stopped after that many samples.
    pub(crate) fn stopped_after(self, most: usize) -> Self {
        Self { most, ..self }
    }

    /// Runs an experiment, watched by `watcher`.
    pub(crate) fn run(
        &self,
        name: &str,
        options: &Options,
        watcher: &mut Watcher<'_>,
    ) -> Result<ExperimentResult, ExperimentError> {
        run(&name.parse().unwrap(), &mut self.clone(), options, watcher)
    }

    /// Stretches of time that were observed so far, and those of them for which it said what parts of the machine did.
    pub(crate) fn seen(&self) -> [usize; 2] {
        [&self.seen, &self.with_parts].map(|count| count.load(Ordering::Relaxed))
    }

    /// The replication that was prepared first.
    pub(crate) fn first_prepared(&self) -> Option<u32> {
        self.prepared.lock().unwrap().first().copied()
    }

    /// Samples taken so far.
    pub(crate) fn taken(&self) -> usize {
        self.taken.load(Ordering::Relaxed)
    }
}

impl Engine for Simulated {
    fn origin(&self) -> Origin {
        Origin::model(&self.machine, SolverName::Event, None)
    }

    fn description(&self) -> EngineDescription {
        EngineDescription::new(&self.origin(), "simulated", self.instruction_sets())
    }

    fn machine(&self) -> &Machine {
        &self.machine
    }

    fn instruction_sets(&self) -> Vec<InstructionSet> {
        vec![InstructionSet::Scalar64]
    }

    fn free_memory(&self, node: NodeId) -> Bytes {
        self.machine.node(node).map_or(Bytes(0), |node| node.memory)
    }

    fn prepare(&mut self, workload: &Workload) -> Result<Box<dyn Prepared + '_>, EngineError> {
        let backing = Backing {
            page: Bytes::mib(2),
            huge_share: Some(1.0),
            placed_share: Some(1.0),
            pages_checked: 0,
            ..Backing::default()
        };
        self.prepared.lock().unwrap().push(self.replication);
        Ok(Box::new(Run {
            backing: vec![backing; workload.workers.len()],
            workload: workload.clone(),
            engine: self,
            nth: self.replication as usize,
            window: Duration::ZERO,
            slower: 0.0,
            parts: true,
        }))
    }

    fn replicate(&mut self, replication: u32) {
        self.replication = replication;
    }

    fn replica(&self) -> Option<Box<dyn Engine + Send>> {
        Some(Box::new(self.clone()))
    }

    fn moves_lines_only(&self) -> bool {
        self.moves_lines_only
    }

    fn stand_in(&self, pu: PuId) -> PuId {
        PuId(pu.0 - pu.0 % self.at_a_place)
    }
}

struct Run<'a> {
    backing: Vec<Backing>,
    workload: Workload,
    engine: &'a Simulated,
    /// What varies from sample to sample, and from replication to replication.
    nth: usize,
    /// The length of the last sample, and how much longer its work took than without noise.
    window: Duration,
    slower: f64,
    /// Whether it says what parts of the machine do.
    parts: bool,
}

impl Prepared for Run<'_> {
    fn backing(&self) -> &[Backing] {
        &self.backing
    }

    fn warnings(&self) -> &[zerohop_workload::Warning] {
        &[]
    }

    fn window(&self) -> Option<Duration> {
        Some(WINDOW)
    }

    fn leave_parts_out(&mut self) {
        self.parts = false;
    }

    /// Samples differ a little, so that estimates have an interval.
    fn sample(&mut self, window: Duration) -> Result<Sample, EngineError> {
        if self.engine.taken.fetch_add(1, Ordering::Relaxed) >= self.engine.most {
            return Err(EngineError::Interrupted);
        }
        self.nth += 1;
        self.window = Duration::ZERO;
        self.extend_to(window)
    }

    fn extend(&mut self, window: Duration) -> Result<Sample, EngineError> {
        self.extend_to(self.window + window)
    }
}

impl Run<'_> {
    /// The last sample as if it were this long.
    fn extend_to(&mut self, window: Duration) -> Result<Sample, EngineError> {
        // What is added has noise of its own, the less of it the longer it is.
        let time = (window - self.window).as_secs_f64();
        let (added, noise) =
            (time / window.as_secs_f64(), self.engine.noise * (WINDOW.as_secs_f64() / time).sqrt());
        let number = self.engine.seen.fetch_add(1, Ordering::Relaxed) as u64;
        let hash = Pcg64Mcg::seed_from_u64(number).next_u64();
        let chance = noise * ((hash >> 32) as f64 / f64::from(u32::MAX) - 0.5);
        self.slower = (1.0 - added) * self.slower + added * chance;
        self.window = window;
        let drift = 1.0 + self.slower + 0.001 * (self.nth % 5) as f64;
        let steady =
            Sample::steady(&self.workload, window, |rank| drift * (self.engine.pace)(&self.workload, rank));
        if !self.parts {
            return Ok(steady);
        }
        self.engine.with_parts.fetch_add(1, Ordering::Relaxed);
        let mut inside = if self.engine.parts.is_empty() { inside(self.nth) } else { Inside::default() };
        for (part, measure) in &*self.engine.parts {
            inside.observe(part, [(*measure, self.nth as f64)]);
        }
        Ok(Sample { inside: Some(inside), ..steady })
    }
}

/// What is seen inside during the `nth` sample: a link that carries nothing, and one more busy each time.
fn inside(nth: usize) -> Inside {
    let mut inside = Inside::default();
    let mut link = |ends: [&str; 2], traffic: f64| {
        let seen = [
            (Measure::LinkTraffic, traffic),
            (Measure::LinkData, traffic / 2.0),
            (Measure::Utilization, traffic / 100.0),
            (Measure::QueueLength, traffic / 10.0),
        ];
        inside.observe(&Part::Link { name: "0-1".into(), ends: ends.map(Into::into) }, seen);
    };
    link(["0", "1"], nth as f64);
    link(["1", "0"], 0.0);
    let bus = |carries| Part::ChannelBus { name: "m0".into(), carries };
    inside.observe(&bus(Carries::Reads), [(Measure::BusTraffic, 2.0)]);
    inside.observe(&bus(Carries::Writes), [(Measure::BusTraffic, 1.0)]);
    let channel = [(Measure::Utilization, 0.5), (Measure::QueueLength, 3.0)];
    inside.observe(&Part::Channel { name: "m0".into() }, channel);
    let home = [(Measure::Occupancy, 4.0), (Measure::QueueLength, 0.0), (Measure::Rejections, 0.0)];
    inside.observe(&Part::Home { name: "h0".into() }, home);
    inside.observe(&Part::Stage(Stage::Core), [(Measure::Latency, 20.0)]);
    inside.observe(&Part::Stage(Stage::Memory), [(Measure::Latency, 50.0)]);
    inside
}

/// Watches, and interrupts once enough measurements have begun.
pub(crate) struct Watcher<'a> {
    executor: &'a dyn Executor,
    /// The events, in order.
    pub(crate) events: Vec<String>,
    interrupt_after: usize,
    begun: usize,
    done: Count,
}

/// Counts workloads that are done.
#[derive(Debug, Default)]
struct Count(AtomicUsize);

impl Meter for Count {
    fn workload_done(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

impl Watcher<'static> {
    /// One simulation after the other.
    pub(crate) fn new() -> Self {
        Watcher::with(&Sequential)
    }
}

impl<'a> Watcher<'a> {
    /// Simulations run by `executor`.
    pub(crate) fn with(executor: &'a dyn Executor) -> Self {
        Self { executor, events: Vec::new(), interrupt_after: usize::MAX, begun: 0, done: Count::default() }
    }

    /// Workloads that were counted as done.
    pub(crate) fn done(&self) -> usize {
        self.done.0.load(Ordering::Relaxed)
    }

    /// Interrupts after this many measurements have started.
    pub(crate) fn interrupting_after(self, begun: usize) -> Self {
        Self { interrupt_after: begun, ..self }
    }
}

impl Observer for Watcher<'_> {
    fn event(&mut self, event: Event<'_>) {
        self.events.push(match event {
            Event::CellStarted { label, rank, of, .. } => {
                self.begun += 1;
                format!("{rank} of {of}: {label}")
            }
            Event::CellFinished { cell } => format!("cell {}", crate::bench::words(&cell.at)),
            other => format!("{other:?}"),
        });
    }

    fn now(&self) -> Duration {
        panic!("a simulation needs no clock");
    }

    fn interrupted(&self) -> bool {
        self.begun >= self.interrupt_after
    }

    fn executor(&self) -> &dyn Executor {
        self.executor
    }

    fn meter(&self) -> &dyn Meter {
        &self.done
    }
}
