//! A result as it grows: what is known before the first value, then experiment by experiment.

use zerohop_result::{
    Completion, ExperimentResult, HostIdentity, MeasuringSettings, ResultFile, Run, RunId, SCHEMA_VERSION,
    Timestamp,
};
use zerohop_workload::Engine;

use crate::identity::simulated_run;

/// What writes results.
pub const PRODUCED_BY: &str = concat!("zerohop ", env!("CARGO_PKG_VERSION"));

/// A result to which experiments are added.
#[derive(Debug)]
pub struct Growing {
    result: ResultFile,
}

/// When and where something is measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Occasion {
    /// What the run is known by.
    pub run: RunId,
    /// When it begins.
    pub started_at: Timestamp,
    /// The host.
    pub host: HostIdentity,
}

impl Growing {
    /// A result without experiments. Whatever is measured has an occasion.
    ///
    /// A model's result has no time: it is the same whenever it is computed.
    pub fn new(
        engine: &dyn Engine,
        settings: MeasuringSettings,
        occasion: impl FnOnce() -> Occasion,
    ) -> Self {
        let origin = engine.origin();
        let occasion = (!origin.is_model()).then(occasion);
        let result = ResultFile {
            schema_version: SCHEMA_VERSION,
            produced_by: PRODUCED_BY.to_owned(),
            started_at: occasion.as_ref().map(|occasion| occasion.started_at),
            finished_at: None,
            run: occasion.map(|occasion| Run { id: occasion.run, host: Some(occasion.host) }),
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

    /// Closes the result. It is complete if every experiment is. The run of a model is known only now: it is named after its content.
    pub fn close(&mut self, now: impl FnOnce() -> Timestamp) {
        self.result.finished_at = self.result.started_at.is_some().then(now);
        let whole = |experiment: &ExperimentResult| experiment.completion == Completion::Complete;
        self.result.completion = if self.result.experiments.iter().all(whole) {
            Completion::Complete
        } else {
            Completion::Interrupted
        };
        if self.result.origin.is_model() {
            self.result.run = simulated_run(&self.result).map(|id| Run { id, host: None });
        }
    }

    /// The result, once it is closed.
    pub fn into_result(self) -> ResultFile {
        self.result
    }
}
