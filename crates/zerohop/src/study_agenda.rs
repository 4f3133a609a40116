//! A study as a campaign: each of its runs is a request, with one seed or with several.

use zerohop_campaign::{Agenda, Answer, Request, Run, SimulatedMachine};
use zerohop_insight::Study;
use zerohop_machine::Settings;
use zerohop_model::Solver;
use zerohop_result::ExperimentResult;

use crate::command;
use crate::failure::Failure;
use crate::panic_report;

/// Runs of a study.
pub(crate) struct RunAgenda<'a> {
    study: &'a Study,
    runs: Vec<Run>,
    machine: &'a str,
    /// The machine's settings, by the study's variants.
    variants: &'a [Settings],
    solver: Solver,
    /// What is run: the rank of each run in the study, and its seed.
    todo: Vec<(usize, u64)>,
}

impl<'a> RunAgenda<'a> {
    /// Runs of `study` on a machine, none yet; `variants` holds its settings in the study's order.
    ///
    /// # Errors
    /// When the command of a run is not an experiment.
    pub(crate) fn new(
        study: &'a Study,
        machine: &'a str,
        variants: &'a [Settings],
        solver: Solver,
    ) -> Result<Self, Failure> {
        let run = |run: &zerohop_insight::Run| command::parse(&run.command);
        let runs = study.runs.iter().map(run).collect::<Result<_, _>>()?;
        Ok(Self { study, runs, machine, variants, solver, todo: Vec::new() })
    }

    /// The same with these runs to do, each given by its rank in the study and its seed.
    pub(crate) fn with(self, todo: Vec<(usize, u64)>) -> Self {
        Self { todo, ..self }
    }

    /// What there is to do.
    pub(crate) fn todo(&self) -> &[(usize, u64)] {
        &self.todo
    }
}

impl Agenda for RunAgenda<'_> {
    type Entry = Result<ExperimentResult, Failure>;

    fn request(&self, rank: usize) -> Request {
        let (run, seed) = self.todo[rank];
        let on = SimulatedMachine {
            machine: self.machine.to_owned(),
            settings: self.variants[self.study.runs[run].variant].clone(),
            solver: self.solver,
            seed,
        };
        Request { on, runs: vec![self.runs[run].clone()] }
    }

    fn entry(&self, rank: usize, answer: Answer<'_>) -> Self::Entry {
        let command = &self.study.runs[self.todo[rank].0].command;
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
