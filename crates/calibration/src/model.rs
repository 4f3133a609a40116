//! What a machine file predicts for the cells of a result.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use zerohop_expectation::{ModelValue, model_values};
use zerohop_experiment::campaign::{Run, SimulatedMachine, repeated};
use zerohop_experiment::{Executor, NullObserver, run};
use zerohop_machine::{Setting, Settings};
use zerohop_machine_file::{Hardware, MachineFile};
use zerohop_model::{Solved, Solver};
use zerohop_result::{Axis, Coordinate, Coordinates, ExperimentName, Measure, ResultFile};
use zerohop_workload::StopFlag;

use crate::symmetric_cells::Alike;

/// Values of a model beside those of one experiment of a result, by measure and coordinates of the latter.
pub(crate) type Values = BTreeMap<(Measure, Coordinates), ModelValue>;

/// The interval that simulated values are computed to: narrow beside how far models are off. What is simulated is mostly the dense end of
/// curves, whose latency is far less steady than the bandwidth that it is for.
const WITHIN: f64 = 0.01;

/// What one machine shows; `None` where it cannot be, or cannot run the experiment.
type Known = BTreeMap<(ExperimentName, Wanted), Option<Values>>;

/// The places of an experiment's cells that are wanted, ascending.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Wanted(Vec<Coordinates>);

impl Wanted {
    pub(crate) fn at<'c>(places: impl IntoIterator<Item = &'c Coordinates>) -> Self {
        let mut curves: BTreeSet<Option<&Coordinate>> = BTreeSet::new();
        let mut places: BTreeSet<&Coordinates> = places.into_iter().collect();
        // Of a curve, any point asks for all.
        places.retain(|at| at.get(Axis::Delay).is_none() || curves.insert(at.get(Axis::Initiator)));
        Self(places.into_iter().cloned().collect())
    }
}

/// A model whose parameters change, beside a result.
pub(crate) struct Model<'a> {
    file: &'a MachineFile,
    pub(crate) result: &'a ResultFile,
    runs: Vec<Run>,
    /// What solves it; where one has no values, the next.
    solvers: Vec<Solver>,
    rough: Option<Box<Self>>,
    executor: &'a dyn Executor,
    pub(crate) stop: &'a StopFlag,
    /// Which of its nodes are alike.
    alike: Arc<Alike>,
    /// What was simulated already: values have four digits, so that a search that closes in comes back to the same ones.
    known: RefCell<HashMap<Settings, Known>>,
    /// What mean-value analysis has solved.
    solved: Solved,
}

impl<'a> Model<'a> {
    /// A model of `file`, which describes `hardware`, that is fitted to `result`.
    pub(crate) fn new(
        file: &'a MachineFile,
        hardware: &Hardware,
        result: &'a ResultFile,
        solver: Solver,
        executor: &'a dyn Executor,
        stop: &'a StopFlag,
    ) -> Self {
        let alike = Arc::new(Alike::of(hardware));
        let model = |solvers: Vec<Solver>, rough: Option<Box<Self>>| {
            let (runs, known) = (repeated(result, |_| true), RefCell::default());
            let (alike, solved) = (Arc::clone(&alike), Solved::default());
            Self { file, result, runs, solvers, rough, executor, stop, alike, known, solved }
        };
        let is_rough = solver == Solver::Flow;
        let rough = (!is_rough).then(|| Box::new(model(vec![Solver::Flow, solver], None)));
        model(vec![solver], rough)
    }

    /// The same model by mean-value analysis, where that applies at all: within a few percent, in a thousandth of the time.
    pub(crate) fn rough(&self) -> &Self {
        self.rough.as_deref().unwrap_or(self)
    }

    /// What the machine with these settings shows where the result has values of an experiment, at least those that are wanted; `None` if
    /// it cannot be, or cannot run it.
    pub(crate) fn values(
        &self,
        settings: &[Setting],
        experiment: &ExperimentName,
        wanted: &Wanted,
    ) -> Option<Values> {
        let settings: Settings = settings.iter().cloned().collect();
        let key = (experiment.clone(), wanted.clone());
        let known = self.known.borrow().get(&settings).and_then(|known| known.get(&key).cloned());
        known.unwrap_or_else(|| {
            let values = self.simulated(&settings, experiment, wanted);
            self.known.borrow_mut().entry(settings).or_default().insert(key, values.clone());
            values
        })
    }

    fn simulated(&self, settings: &Settings, experiment: &ExperimentName, wanted: &Wanted) -> Option<Values> {
        let run_of_all = self.runs.iter().find(|run| run.experiment == *experiment)?;
        let mut options = run_of_all.options.clone();
        let (places, represented) = self.alike.representatives(&wanted.0);
        options.places = Some(places);
        options.interval = Some(WITHIN);
        let hardware = Arc::new(self.file.set(settings).ok()?.hardware().ok()?);
        let mut solved = self.solvers.iter().filter_map(|solver| {
            let mut engine =
                solver.engine(Arc::clone(&hardware), SimulatedMachine::SEED, &self.solved, self.stop);
            let mut observer = NullObserver::new().on(self.executor).until(self.stop);
            let mut ran = run(experiment, &mut *engine, &options, &mut observer).ok()?;
            represented.complete(&mut ran);
            Some(model_values(self.result, experiment, &hardware.machine, std::slice::from_ref(&ran)))
        });
        solved.find(|values| !values.is_empty())
    }
}
