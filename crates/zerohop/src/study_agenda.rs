//! A study as a campaign: each of its runs is a request.

use zerohop_campaign::{Agenda, Answer, Request, Run, SimulatedMachine};
use zerohop_insight::Study;
use zerohop_machine::Settings;
use zerohop_model::Solver;
use zerohop_result::ExperimentResult;

use crate::command;
use crate::failure::Failure;
use crate::panic_report;

/// The runs of a study.
pub(crate) struct RunAgenda<'a> {
    study: &'a Study,
    runs: Vec<Run>,
    machine: &'a str,
    /// The machine's settings, by the study's variants.
    variants: &'a [Settings],
    solver: Solver,
    seed: u64,
}

impl<'a> RunAgenda<'a> {
    /// The runs of `study` on a machine; `variants` holds its settings in the study's order.
    ///
    /// # Errors
    /// When the command of a run is not an experiment.
    pub(crate) fn new(
        study: &'a Study,
        machine: &'a str,
        variants: &'a [Settings],
        solver: Solver,
        seed: u64,
    ) -> Result<Self, Failure> {
        let run = |run: &zerohop_insight::Run| command::parse(&run.command);
        let runs = study.runs.iter().map(run).collect::<Result<_, _>>()?;
        Ok(Self { study, runs, machine, variants, solver, seed })
    }

    /// Number of runs.
    pub(crate) fn requests(&self) -> usize {
        self.runs.len()
    }
}

impl Agenda for RunAgenda<'_> {
    type Entry = Result<ExperimentResult, Failure>;

    fn request(&self, rank: usize) -> Request {
        let on = SimulatedMachine {
            machine: self.machine.to_owned(),
            settings: self.variants[self.study.runs[rank].variant].clone(),
            solver: self.solver,
            seed: self.seed,
        };
        Request { on, runs: vec![self.runs[rank].clone()] }
    }

    fn entry(&self, rank: usize, answer: Answer<'_>) -> Self::Entry {
        let command = &self.study.runs[rank].command;
        let failure = |reason: &dyn std::fmt::Display| Failure::new(format_args!("`{command}`: {reason}"));
        match answer {
            Answer::Answered { results, .. } => match results.into_iter().next() {
                Some(Ok(result)) => Ok(result),
                Some(Err(trouble)) => Err(failure(&trouble).maybe_hint(trouble.hint)),
                None => Err(failure(&"it has no result")),
            },
            Answer::NoEngine(reason) => Err(failure(&reason)),
            Answer::Bug(bug) => Err(Failure::new(&bug).hint(panic_report::REPORT)),
        }
    }
}
