//! A result as it grows: what is known before the first value, then experiment by experiment.

use zerohop_result::{Completion, ExperimentResult, MeasuringSettings, ResultFile, SCHEMA_VERSION};
use zerohop_workload::Engine;

/// What writes results.
pub const PRODUCED_BY: &str = concat!("zerohop ", env!("CARGO_PKG_VERSION"));

/// A result to which experiments are added.
#[derive(Debug)]
pub struct Growing {
    result: ResultFile,
}

impl Growing {
    /// A result without experiments.
    ///
    /// A model's result has no time: it is the same whenever it is computed.
    pub fn new(engine: &dyn Engine, settings: MeasuringSettings, now: impl FnOnce() -> String) -> Self {
        let origin = engine.origin();
        let result = ResultFile {
            schema_version: SCHEMA_VERSION,
            produced_by: PRODUCED_BY.to_owned(),
            started_at: (!origin.is_model()).then(now),
            finished_at: None,
            completion: Completion::Running,
            origin,
            engine: engine.description(),
            machine: engine.machine().clone(),
            settings,
            experiments: Vec::new(),
            warnings: Vec::new(),
            unknown: Vec::new(),
        };
        Self { result }
    }

    /// The result so far.
    pub const fn so_far(&self) -> &ResultFile {
        &self.result
    }

    /// Adds an experiment.
    pub fn add(&mut self, experiment: &ExperimentResult) {
        self.result.experiments.push(experiment.clone());
    }

    /// Shows the result with what there is of the experiments in progress. It does not count yet: they go on.
    pub fn with_running<T>(
        &mut self,
        running: &[ExperimentResult],
        show: impl FnOnce(&ResultFile) -> T,
    ) -> T {
        let finished = self.result.experiments.len();
        self.result.experiments.extend_from_slice(running);
        let shown = show(&self.result);
        self.result.experiments.truncate(finished);
        shown
    }

    /// Closes the result. It is complete if every experiment is.
    pub fn close(&mut self, now: impl FnOnce() -> String) {
        self.result.finished_at = self.result.started_at.is_some().then(now);
        let whole = |experiment: &ExperimentResult| experiment.completion == Completion::Complete;
        self.result.completion = if self.result.experiments.iter().all(whole) {
            Completion::Complete
        } else {
            Completion::Interrupted
        };
    }

    /// The result, once it is closed.
    pub fn into_result(self) -> ResultFile {
        self.result
    }
}
