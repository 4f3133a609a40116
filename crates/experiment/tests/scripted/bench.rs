//! A test bench for experiments: a scripted engine and an observer that share a clock and record everything.

use std::cell::{Cell as Slot, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::time::Duration;

use zerohop_experiment::{Event, ExperimentError, Observer, Options, run, survey};
use zerohop_machine::Machine;
use zerohop_result::{Coordinates, ExperimentResult};
use zerohop_workload::{Activity, EngineError, Sample, Script, ScriptedEngine, Warning, Workload};

/// What every sample of a workload looks like.
type Answer = Box<dyn FnMut(&Workload, usize, Duration) -> Result<Sample, EngineError>>;

/// What preparing a workload gives.
type Preparation = Box<dyn FnMut(&Workload) -> Result<Vec<Warning>, EngineError>>;

/// Engine and observer in one.
pub(crate) struct Bench {
    machine: Machine,
    answer: Answer,
    preparation: Preparation,
    /// Seconds that filling a GiB takes.
    filling: f64,
    /// Time that each sample takes besides its window.
    beside: Duration,
    /// Interrupts after this many samples.
    interrupt_after: Option<usize>,
}

/// The outcome of a run.
pub(crate) struct Outcome<T> {
    pub(crate) result: T,
    /// Every workload prepared, once, in the order of the first round.
    pub(crate) workloads: Vec<Workload>,
    /// Every event, in words.
    pub(crate) events: Vec<String>,
    /// Every visit: its experiment and its label.
    pub(crate) visits: Vec<(String, String)>,
    /// The results saved on the way.
    pub(crate) checkpoints: Vec<Vec<ExperimentResult>>,
    /// How long it took by the bench's clock.
    pub(crate) elapsed: Duration,
    /// How many samples were taken.
    pub(crate) samples: usize,
}

impl Bench {
    /// A bench on which every load takes 100 ns and every line of a kernel 4 ns.
    pub(crate) fn new(machine: Machine) -> Self {
        Self {
            machine,
            answer: Box::new(|workload, _, window| Ok(steady(workload, window, 1.0))),
            preparation: Box::new(|_| Ok(Vec::new())),
            filling: 0.0,
            beside: Duration::ZERO,
            interrupt_after: None,
        }
    }

    /// Answers like this instead.
    pub(crate) fn answering(
        mut self,
        answer: impl FnMut(&Workload, usize, Duration) -> Result<Sample, EngineError> + 'static,
    ) -> Self {
        self.answer = Box::new(answer);
        self
    }

    /// Prepares like this instead.
    pub(crate) fn preparing(
        mut self,
        preparation: impl FnMut(&Workload) -> Result<Vec<Warning>, EngineError> + 'static,
    ) -> Self {
        self.preparation = Box::new(preparation);
        self
    }

    /// Filling a GiB takes this many seconds, unless the same was filled before, and each sample 3 ms besides its window.
    pub(crate) fn with_filling(mut self, seconds: f64) -> Self {
        self.filling = seconds;
        self.with_time_beside_samples(Duration::from_millis(3))
    }

    /// Each sample takes this time besides its window.
    pub(crate) fn with_time_beside_samples(mut self, time: Duration) -> Self {
        self.beside = time;
        self
    }

    /// Interrupts after this many samples.
    pub(crate) fn interrupting_after(mut self, samples: usize) -> Self {
        self.interrupt_after = Some(samples);
        self
    }

    pub(crate) fn run(
        self,
        name: &str,
        options: &Options,
    ) -> Outcome<Result<ExperimentResult, ExperimentError>> {
        self.with_engine(|engine, observer| run(&name.parse().unwrap(), engine, options, observer))
    }

    pub(crate) fn survey(self, options: &Options) -> Outcome<Result<Vec<ExperimentResult>, ExperimentError>> {
        self.with_engine(|engine, observer| survey(engine, options, observer))
    }

    fn with_engine<T>(self, act: impl FnOnce(&mut ScriptedEngine<Reel>, &mut Witness) -> T) -> Outcome<T> {
        let shared = Rc::new(Shared::default());
        let reel = Reel {
            shared: Rc::clone(&shared),
            answer: self.answer,
            preparation: self.preparation,
            filling: self.filling,
            beside: self.beside,
            filled: BTreeSet::new(),
            deadline: None,
        };
        let mut engine = ScriptedEngine::new(self.machine, reel);
        let mut witness = Witness {
            shared: Rc::clone(&shared),
            events: Vec::new(),
            visits: Vec::new(),
            checkpoints: Vec::new(),
            interrupt_after: self.interrupt_after,
        };
        let result = act(&mut engine, &mut witness);
        Outcome {
            result,
            workloads: shared.workloads.take(),
            events: witness.events,
            visits: witness.visits,
            checkpoints: witness.checkpoints,
            elapsed: shared.clock.get(),
            samples: shared.samples.get(),
        }
    }
}

#[derive(Default)]
struct Shared {
    clock: Slot<Duration>,
    samples: Slot<usize>,
    workloads: RefCell<Vec<Workload>>,
}

impl Shared {
    fn remember(&self, workload: &Workload) {
        let mut workloads = self.workloads.borrow_mut();
        if !workloads.contains(workload) {
            workloads.push(workload.clone());
        }
    }

    fn pass(&self, time: Duration) {
        self.clock.set(self.clock.get() + time);
    }
}

struct Reel {
    shared: Rc<Shared>,
    answer: Answer,
    preparation: Preparation,
    filling: f64,
    beside: Duration,
    /// Memory filled, by placement, purpose and size. It is kept, as a host keeps it while memory lasts.
    filled: BTreeSet<(String, bool, u64)>,
    /// When the caller's time is over.
    deadline: Option<Duration>,
}

impl Reel {
    /// Bytes to fill before this workload can run, on the node that has to fill the most.
    fn fill(&mut self, workload: &Workload) -> u64 {
        let mut wanted: BTreeMap<_, u64> = BTreeMap::new();
        for worker in &workload.workers {
            let chains = matches!(worker.activity, Activity::Chase { .. });
            *wanted.entry((worker.placement.to_string(), chains)).or_default() += worker.buffer.get();
        }
        let wanted = wanted.into_iter().map(|((place, chains), bytes)| (place, chains, bytes));
        let fresh = wanted.filter(|memory| self.filled.insert(memory.clone()));
        fresh.map(|(_, _, bytes)| bytes).max().unwrap_or(0)
    }
}

impl Script for Reel {
    fn sample(&mut self, workload: &Workload, nth: usize, window: Duration) -> Result<Sample, EngineError> {
        self.shared.pass(window + self.beside);
        self.shared.samples.set(self.shared.samples.get() + 1);
        (self.answer)(workload, nth, window)
    }

    fn must_end_within(&mut self, time: Duration) {
        self.deadline = Some(self.shared.clock.get() + time);
    }

    fn prepare(&mut self, workload: &Workload) -> Result<Vec<Warning>, EngineError> {
        self.shared.remember(workload);
        let gib = self.fill(workload) as f64 / f64::from(1 << 30);
        let filling = Duration::from_secs_f64(self.filling * gib);
        let left = self.deadline.map(|deadline| deadline.saturating_sub(self.shared.clock.get()));
        if left.is_some_and(|left| left < filling) {
            self.shared.pass(left.unwrap_or_default());
            return Err(EngineError::OutOfTime);
        }
        self.shared.pass(filling);
        (self.preparation)(workload)
    }
}

struct Witness {
    shared: Rc<Shared>,
    events: Vec<String>,
    visits: Vec<(String, String)>,
    checkpoints: Vec<Vec<ExperimentResult>>,
    interrupt_after: Option<usize>,
}

impl Observer for Witness {
    fn event(&mut self, event: Event<'_>) {
        self.events.push(match event {
            Event::Planned { experiments } => {
                let names: Vec<_> = experiments.iter().map(|(name, _)| name.to_string()).collect();
                format!("planned {}", names.join(" "))
            }
            Event::ExperimentsStarted { experiments } => {
                let each = experiments.iter().map(|(name, cells)| format!("{name}, {cells} cells"));
                format!("started {}", each.collect::<Vec<_>>().join("; "))
            }
            Event::CellStarted { experiment, label, rank, of } => {
                self.visits.push((experiment.to_string(), label.to_owned()));
                format!("{rank} of {of}: {label}")
            }
            Event::Checkpoint { results, .. } => {
                self.checkpoints.push(results.to_vec());
                "checkpoint".to_owned()
            }
            Event::CellFinished { cell } => format!("cell {}", words(&cell.at)),
            Event::Warned { warning } => format!("warned: {warning}"),
            Event::ExperimentFinished { result } => format!("finished {}", result.experiment),
        });
    }

    fn now(&self) -> Duration {
        self.shared.clock.get()
    }

    fn interrupted(&self) -> bool {
        self.interrupt_after.is_some_and(|samples| self.shared.samples.get() >= samples)
    }
}

/// A sample in which a load takes 100 ns, a round trip 200 ns and a line of a kernel 4 ns, each times `slower`.
pub(crate) fn steady(workload: &Workload, window: Duration, slower: f64) -> Sample {
    Sample::steady(workload, window, |worker| {
        slower
            * match workload.workers[worker].activity {
                Activity::Chase { .. } | Activity::TimedChase { .. } => 100.0,
                Activity::LineTransfer { .. } => 200.0,
                Activity::Kernel { .. } => 4.0,
            }
    })
}

/// Coordinates in the form `initiator=0 target=local`.
pub(crate) fn words(at: &Coordinates) -> String {
    let places: Vec<_> = at.0.iter().map(|(axis, place)| format!("{}={place}", axis.name())).collect();
    places.join(" ")
}

/// The coordinates of a result's cells, in words, with their measures.
pub(crate) fn places(result: &ExperimentResult) -> Vec<String> {
    result.cells.iter().map(|cell| format!("{} [{}]", words(&cell.at), cell.measure.words())).collect()
}
