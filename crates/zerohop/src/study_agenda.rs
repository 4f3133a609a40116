//! Studies as one campaign: each of their runs is a request, with one seed or with several.

use zerohop_campaign::{Agenda, Answer, Request, Run, SimulatedMachine};
use zerohop_insight::{ReproduceError, Reproduction, Study, Undecided, reproduce, undecided};
use zerohop_machine::{Hardware, MachineFile, Settings};
use zerohop_model::Solver;
use zerohop_result::ExperimentResult;
use zerohop_units::counted;

use crate::command;
use crate::failure::Failure;
use crate::library;
use crate::panic_report;

/// A study on a machine, from one seed: what its runs have shown so far.
#[derive(Debug)]
pub(crate) struct Case<'a> {
    pub(crate) study: &'a Study,
    /// The name of the machine.
    pub(crate) machine: &'a str,
    seed: u64,
    runs: Vec<Run>,
    /// Of each run, the first one that does the same on a machine that works alike: they have the same results.
    first_alike: Vec<usize>,
    /// The machine's settings by the study's variants, and what they make of the machine.
    variants: Vec<Settings>,
    machines: Vec<Hardware>,
    /// The results of each run, each with a seed of its own.
    results: Vec<Vec<ExperimentResult>>,
    /// What further results could change; at first, all of it.
    open: Undecided,
    /// Why it has no verdict, if so.
    failure: Option<Failure>,
}

/// One run to do: the rank of its case, its rank in the study, and the rank of its result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Todo {
    pub(crate) case: usize,
    run: usize,
    result: usize,
}

impl<'a> Case<'a> {
    /// `study` on a machine, which `file` describes; `settings` override the study's.
    ///
    /// # Errors
    /// When the command of a run is not an experiment, or the machine does not allow the settings.
    pub(crate) fn new(
        study: &'a Study,
        machine: &'a str,
        file: &MachineFile,
        settings: &Settings,
        seed: u64,
    ) -> Result<Self, Failure> {
        let all = |of_study: &Settings| of_study.iter().chain(settings.iter()).cloned().collect();
        let variants: Vec<Settings> = study.variants.iter().map(all).collect();
        let machines = variants.iter().map(|settings| library::hardware_of(file, settings));
        let machines = machines.collect::<Result<Vec<Hardware>, Failure>>()?;
        let runs =
            study.runs.iter().map(|run| command::parse(&run.command)).collect::<Result<Vec<_>, _>>()?;
        let is_alike = |run: usize, before: usize| {
            let [run, before] = [run, before].map(|rank| &study.runs[rank]);
            run.command == before.command && machines[run.variant].works_like(&machines[before.variant])
        };
        let first_alike = |run| (0..run).find(|&before| is_alike(run, before)).unwrap_or(run);
        let first_alike = (0..runs.len()).map(first_alike).collect();
        let results = vec![Vec::new(); runs.len()];
        let open = Undecided { runs: (0..runs.len()).collect(), claims: Vec::new() };
        Ok(Self { study, machine, seed, runs, first_alike, variants, machines, results, open, failure: None })
    }

    /// What there is to do, as the case of that rank, for each open run to have `wanted` results: what several of them wait for, once.
    pub(crate) fn todo(&self, case: usize, wanted: usize) -> impl Iterator<Item = Todo> + '_ {
        self.open.runs.iter().flat_map(move |&run| {
            let todo = (self.results[run].len()..wanted).map(move |result| Todo { case, run, result });
            todo.filter(|todo| self.waiting_for(*todo).next() == Some(todo.run))
        })
    }

    /// The open runs that lack this result.
    fn waiting_for(&self, todo: Todo) -> impl Iterator<Item = usize> + '_ {
        let is_alike = move |run: usize| self.first_alike[run] == self.first_alike[todo.run];
        let waits = move |run: usize| is_alike(run) && self.results[run].len() <= todo.result;
        self.open.runs.iter().copied().filter(move |&run| waits(run))
    }

    /// What begins when there are so many runs to do.
    pub(crate) fn announcement(&self, todo: usize) -> String {
        let Self { study, machine, open, .. } = self;
        let runs = counted(todo, "run");
        match &open.claims[..] {
            [] => format!("{}: {runs} on {machine}", study.name),
            claims => {
                format!("{}: {runs} more, because intervals hardly decide {}", study.name, claims.join("; "))
            }
        }
    }

    /// Takes the result of a run.
    pub(crate) fn take(&mut self, todo: Todo, result: Result<ExperimentResult, Failure>) {
        match result {
            Ok(result) => {
                for run in self.waiting_for(todo).collect::<Vec<_>>() {
                    self.results[run].push(result.clone());
                }
            }
            Err(failure) => self.fail(failure),
        }
    }

    /// With all results that were wanted: finds what is still open, or leaves it at these.
    pub(crate) fn conclude(&mut self, repeats: bool) {
        let machines: Vec<&Hardware> = self.machines.iter().collect();
        let open = if repeats && self.failure.is_none() {
            undecided(self.study, &self.results, &machines)
        } else {
            Ok(Undecided::default())
        };
        match open {
            Ok(open) => self.open = open,
            Err(error) => self.fail(of_study(self.study, &error)),
        }
    }

    /// The model's figures beside the published ones; `None` while something is open.
    ///
    /// # Errors
    /// When a run failed, or the study does not fit its results.
    pub(crate) fn reproduction(self) -> Result<Option<Reproduction>, Failure> {
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        if !self.open.runs.is_empty() {
            return Ok(None);
        }
        let machines: Vec<&Hardware> = self.machines.iter().collect();
        let reproduction = reproduce(self.study, &self.results, &machines);
        reproduction.map(Some).map_err(|error| of_study(self.study, &error))
    }

    /// The first failure counts; there is nothing left to do.
    fn fail(&mut self, failure: Failure) {
        self.failure.get_or_insert(failure);
        self.open = Undecided::default();
    }
}

fn of_study(study: &Study, error: &ReproduceError) -> Failure {
    Failure::new(format_args!("{}: {error}", study.name)).maybe_hint(error.hint())
}

/// The seed of a run's result of that rank; the first is the seed itself.
const fn seed_of(seed: u64, rank: usize) -> u64 {
    // Multiples of an odd number all differ. It is another one than that of replications, whose seeds these must not meet.
    seed.wrapping_add((rank as u64).wrapping_mul(0xd134_2543_de82_ef95))
}

/// Runs of cases.
pub(crate) struct RunAgenda<'a> {
    pub(crate) cases: &'a [Case<'a>],
    pub(crate) todo: &'a [Todo],
    pub(crate) solver: Solver,
}

impl Agenda for RunAgenda<'_> {
    type Entry = Result<ExperimentResult, Failure>;

    fn request(&self, rank: usize) -> Request {
        let Todo { case, run, result } = self.todo[rank];
        let case = &self.cases[case];
        let on = SimulatedMachine {
            machine: case.machine.to_owned(),
            settings: case.variants[case.study.runs[run].variant].clone(),
            solver: self.solver,
            seed: seed_of(case.seed, result),
        };
        Request { on, runs: vec![case.runs[run].clone()] }
    }

    fn entry(&self, rank: usize, answer: Answer<'_>) -> Self::Entry {
        let Todo { case, run, .. } = self.todo[rank];
        let command = &self.cases[case].study.runs[run].command;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::studies;

    #[test]
    fn runs_on_machines_that_work_alike_are_done_once() {
        let study = studies::study("ibm-cloud-collapse").unwrap();
        let file = library::machine_file(&study.machine).unwrap();
        let case = Case::new(&study, &study.machine, &file, &Settings::none(), 1).unwrap();
        let is_alike = |run: &usize| {
            // All choices of the menu are the original setting.
            ["original", "menu-low", "menu-high"].contains(&study.runs[*run].name.as_str())
        };
        let todo: Vec<Todo> = case.todo(0, 1).collect();
        assert_eq!(todo.len(), study.runs.len() - 2);
        let done: Vec<&Todo> = todo.iter().filter(|todo| is_alike(&todo.run)).collect();
        let [once] = done[..] else { panic!("{done:?}") };
        assert!(case.waiting_for(*once).all(|run| is_alike(&run)));
        assert_eq!(case.waiting_for(*once).count(), 3);
    }
}
