//! What a machine file predicts for the cells of a result.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use zerohop_campaign::{Run, SimulatedMachine, repeated};
use zerohop_experiment::{Executor, Unobserved, run};
use zerohop_insight::expectation::{ModelValue, model_values};
use zerohop_machine::{MachineFile, Setting, Settings};
use zerohop_model::Solver;
use zerohop_result::{Coordinates, ExperimentName, Measure, ResultFile};
use zerohop_workload::StopFlag;

/// Values of a model beside those of one experiment of a result, by measure and coordinates of the latter.
pub(crate) type Values = BTreeMap<(Measure, Coordinates), ModelValue>;

/// A model whose parameters change, beside a result.
pub(crate) struct Model<'a> {
    file: &'a MachineFile,
    pub(crate) result: &'a ResultFile,
    runs: Vec<Run>,
    solver: Solver,
    executor: &'a dyn Executor,
    pub(crate) stop: &'a StopFlag,
    /// What was simulated already: values have four digits, so that a search that closes in comes back to the same ones.
    known: RefCell<HashMap<Settings, BTreeMap<ExperimentName, Option<Values>>>>,
}

impl<'a> Model<'a> {
    /// A model of `file` that is fitted to `result`.
    pub(crate) fn new(
        file: &'a MachineFile,
        result: &'a ResultFile,
        solver: Solver,
        executor: &'a dyn Executor,
        stop: &'a StopFlag,
    ) -> Self {
        let (runs, known) = (repeated(result, |_| true), RefCell::default());
        Self { file, result, runs, solver, executor, stop, known }
    }

    /// What the machine with these settings shows where the result has values of an experiment; `None` if it cannot be, or cannot run it.
    pub(crate) fn values(&self, settings: &[Setting], experiment: &ExperimentName) -> Option<Values> {
        let settings: Settings = settings.iter().cloned().collect();
        let known = self.known.borrow().get(&settings).and_then(|known| known.get(experiment).cloned());
        known.unwrap_or_else(|| {
            let values = self.simulated(&settings, experiment);
            let mut known = self.known.borrow_mut();
            known.entry(settings).or_default().insert(experiment.clone(), values.clone());
            values
        })
    }

    fn simulated(&self, settings: &Settings, experiment: &ExperimentName) -> Option<Values> {
        let Run { options, .. } = self.runs.iter().find(|run| run.experiment == *experiment)?;
        let hardware = Arc::new(self.file.set(settings).ok()?.hardware().ok()?);
        let mut engine = self.solver.engine(Arc::clone(&hardware), SimulatedMachine::SEED, self.stop);
        let mut observer = Unobserved::new().on(self.executor).until(self.stop);
        let ran = run(experiment, &mut *engine, options, &mut observer).ok()?;
        Some(model_values(self.result, experiment, &hardware.machine, std::slice::from_ref(&ran)))
    }
}
