//! A result as it grows: the data known before the first value, then experiment by experiment.

use zerohop_result::{
    Completion, ExperimentResult, HostIdentity, MeasuringSettings, ResultFile, Run, RunId, SCHEMA_VERSION,
    Timestamp,
};
use zerohop_workload::{ChosenForm, Engine, TimeSpent};

use crate::identity::simulated_run;

pub const PRODUCED_BY: &str = concat!("zerohop ", env!("CARGO_PKG_VERSION"));

/// A result to which experiments are added.
#[derive(Debug)]
pub struct PartialResult {
    result: ResultFile,
}

/// Time and host of a measurement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Occasion {
    /// Id of the run.
    pub run: RunId,
    pub started_at: Timestamp,
    pub host: HostIdentity,
}

/// Data of an engine about its finished run.
#[derive(Debug, Clone, Default)]
pub struct Ran {
    /// Breakdown of the time, if the engine records it.
    pub time_spent: Option<TimeSpent>,
    /// The forms of kernels that it chose.
    pub chosen_forms: Vec<ChosenForm>,
}

impl PartialResult {
    /// A result without experiments. Whatever is measured has an occasion.
    ///
    /// A model's result has no time: it is the same whenever it is computed.
    pub fn new(
        engine: &dyn Engine,
        settings: MeasuringSettings,
        occasion: impl FnOnce() -> Occasion,
    ) -> Self {
        let occasion = (!engine.origin().is_model()).then(occasion);
        Self::begun(engine, settings, occasion)
    }

    /// The result of a model, without experiments.
    pub fn simulated(engine: &dyn Engine, settings: MeasuringSettings) -> Self {
        Self::begun(engine, settings, None)
    }

    fn begun(engine: &dyn Engine, settings: MeasuringSettings, occasion: Option<Occasion>) -> Self {
        let result = ResultFile {
            schema_version: SCHEMA_VERSION,
            produced_by: PRODUCED_BY.to_owned(),
            started_at: occasion.as_ref().map(|occasion| occasion.started_at),
            finished_at: None,
            run: occasion.map(|occasion| Run { id: occasion.run, host: Some(occasion.host) }),
            completion: Completion::Running,
            origin: engine.origin(),
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

    /// Closes the result of a run that has ended. It is complete if every experiment is. The run of a model is known only now: it is
    /// named after its content.
    pub fn close(&mut self, ran: Ran, now: impl FnOnce() -> Timestamp) {
        self.result.finished_at = self.result.started_at.is_some().then(now);
        self.end(ran);
    }

    fn end(&mut self, ran: Ran) {
        self.result.engine.time_spent = ran.time_spent;
        self.result.engine.chosen_forms = ran.chosen_forms;
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

    /// The result of a model, whose run has ended.
    pub fn into_simulated(mut self) -> ResultFile {
        self.end(Ran::default());
        self.into_result()
    }

    /// The result, once it is closed.
    pub fn into_result(self) -> ResultFile {
        self.result
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use uuid::Uuid;
    use zerohop_machine::Settings;
    use zerohop_model::{Solved, Solver};
    use zerohop_result::{Cells, ExperimentName};
    use zerohop_units::Seconds;
    use zerohop_workload::{Sample, ScriptedEngine, StopFlag, Workload};

    use super::*;
    use crate::files::NoFiles;
    use crate::library;

    fn experiment() -> ExperimentResult {
        ExperimentResult {
            experiment: ExperimentName::known("hops"),
            completion: Completion::Complete,
            elapsed: Seconds(1.0),
            cells: Cells::default(),
            warnings: Vec::new(),
        }
    }

    fn simulated(seed: u64, experiments: &[ExperimentResult]) -> ResultFile {
        let hardware = Arc::new(library::hardware("quartet", &Settings::none(), &NoFiles).unwrap());
        let engine = Solver::Flow.engine(hardware, 1, &Solved::default(), &StopFlag::new());
        let settings = MeasuringSettings { seed: Some(seed), ..MeasuringSettings::default() };
        let mut growing = PartialResult::new(&*engine, settings, || panic!("a simulation has no occasion"));
        experiments.iter().for_each(|experiment| growing.add(experiment));
        growing.close(Ran::default(), || panic!("a simulation has no end"));
        growing.into_result()
    }

    #[test]
    fn a_models_run_is_named_after_its_content() {
        let run = |seed, experiments: &[ExperimentResult]| simulated(seed, experiments).run.unwrap();
        let first = run(1, &[]);
        assert_eq!((first.id.0.get_version_num(), &first.host), (8, &None));
        assert_eq!(run(1, &[]), first);
        assert_ne!(run(2, &[]), first, "another seed");
        assert_ne!(run(1, &[experiment()]), first, "another experiment");
    }

    #[test]
    fn what_is_measured_has_its_run_its_start_and_its_host_from_the_beginning() {
        let at = |text: &str| text.parse::<Timestamp>().unwrap();
        let (start, end) = (at("2026-11-22T10:15:00Z"), at("2026-11-22T10:16:00Z"));
        let host = HostIdentity { name: Some("node-07".to_owned()), ..HostIdentity::default() };
        let occasion = Occasion { run: RunId(Uuid::from_u128(7)), started_at: start, host: host.clone() };
        let machine = library::hardware("quartet", &Settings::none(), &NoFiles).unwrap().machine;
        let script = |_: &Workload, _: usize, _: Duration| -> Sample { panic!("nothing is sampled") };
        let engine = ScriptedEngine::new(machine, script);
        let mut growing = PartialResult::new(&engine, MeasuringSettings::default(), || occasion);
        let run = Some(Run { id: RunId(Uuid::from_u128(7)), host: Some(host) });
        assert_eq!((growing.so_far().started_at, &growing.so_far().run), (Some(start), &run));
        let shown = growing.with_running(&[experiment()], |result| result.experiments.len());
        assert_eq!((shown, growing.so_far().experiments.len()), (1, 0));
        growing.close(Ran::default(), || end);
        let result = growing.into_result();
        assert_eq!(
            (result.finished_at, result.run, result.completion),
            (Some(end), run, Completion::Complete)
        );
    }
}
