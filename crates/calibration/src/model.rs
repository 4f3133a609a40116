//! What a machine file predicts for the cells of a result.

use std::collections::BTreeMap;
use std::sync::Arc;

use zerohop_experiment::{Effort, Executor, Options, Unobserved, run};
use zerohop_machine::{MachineFile, Setting, Settings};
use zerohop_model::Solver;
use zerohop_result::{Coordinates, ExperimentName, Measure};
use zerohop_workload::StopFlag;

/// Values of one experiment, by measure and coordinates.
pub(crate) type Values = BTreeMap<(Measure, Coordinates), f64>;

/// A model whose parameters change.
pub(crate) struct Model<'a> {
    pub(crate) file: &'a MachineFile,
    pub(crate) solver: Solver,
    pub(crate) seed: u64,
    pub(crate) executor: &'a dyn Executor,
    pub(crate) stop: &'a StopFlag,
}

impl Model<'_> {
    /// The file with these settings.
    pub(crate) fn with(&self, settings: &[Setting]) -> Option<MachineFile> {
        self.file.set(&settings.iter().cloned().collect::<Settings>()).ok()
    }

    /// What the machine with these settings shows in an experiment; `None` if it cannot be, or cannot run it.
    pub(crate) fn values(&self, settings: &[Setting], experiment: &ExperimentName) -> Option<Values> {
        let hardware = self.with(settings)?.hardware().ok()?;
        let mut engine = self.solver.engine(Arc::new(hardware), self.seed, self.stop);
        let options = Options { effort: Effort::Quick, ..Options::default() };
        let mut observer = Unobserved::new().on(self.executor).until(self.stop);
        let result = run(experiment, &mut *engine, &options, &mut observer).ok()?;
        let cells = result.cells.iter();
        Some(cells.map(|cell| ((cell.measure, cell.at.clone()), cell.estimate.median)).collect())
    }
}
