//! Studies as one campaign: each of their runs is a request, with one seed or with several.

use zerohop_experiment::campaign::{Agenda, Answer, Request, Run, SimulatedMachine};
use zerohop_machine::Settings;
use zerohop_machine_file::{Hardware, MachineFile};
use zerohop_model::Solver;
use zerohop_result::ExperimentResult;
use zerohop_study::{ReproduceError, Reproduction, Study, Undecided, reproduce, undecided};
use zerohop_units::counted;

use crate::commands::{CommandError, Commands};
use crate::hint::Hinted;
use crate::library;
use crate::wrong_machine::WrongMachine;

/// A study on a machine, from one seed: what its runs have shown so far.
#[derive(Debug)]
pub struct Case<'a> {
    pub study: &'a Study,
    /// The name of the machine.
    pub machine: &'a str,
    seed: u64,
    runs: Vec<Run>,
    /// For each run, the first one that does the same on an equivalent machine: they have the same results.
    first_alike: Vec<usize>,
    /// Settings of the machine by the study's variants, and the resulting machine.
    variants: Vec<Settings>,
    machines: Vec<Hardware>,
    /// The results of each run, each with a seed of its own.
    results: Vec<Vec<ExperimentResult>>,
    /// Claims that further results could change; at first, all of them.
    open: Undecided,
    /// Reason why it has no verdict, if so.
    failure: Option<CaseError>,
}

/// Instruction for a bug.
pub const REPORT: &str = "please report this with these lines, with RUST_BACKTRACE=1 set, and with the output of `zerohop machine capture`";

/// One run to do: the rank of its case, its rank in the study, and the rank of its result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Todo {
    /// The rank of its case.
    pub case: usize,
    run: usize,
    result: usize,
}

impl<'a> Case<'a> {
    /// `study` on a machine, which `file` describes; `settings` override the study's.
    ///
    /// # Errors
    /// When the command of a run is not an experiment, or the machine does not allow the settings.
    pub fn new(
        study: &'a Study,
        machine: &'a str,
        file: &MachineFile,
        settings: &Settings,
        seed: u64,
        commands: &dyn Commands,
    ) -> Result<Self, CaseError> {
        let all = |of_study: &Settings| of_study.iter().chain(settings.iter()).cloned().collect();
        let variants: Vec<Settings> = study.variants.iter().map(all).collect();
        let machines = variants.iter().map(|settings| library::hardware_of(file, settings));
        let machines = machines.collect::<Result<Vec<Hardware>, _>>()?;
        let runs = study.runs.iter().map(|run| commands.run(&run.command)).collect::<Result<Vec<_>, _>>()?;
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

    /// Work of the case with this rank, until each open run has `wanted` results: shared work is listed once.
    pub fn todo(&self, case: usize, wanted: usize) -> impl Iterator<Item = Todo> + '_ {
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

    /// Announcement of this number of runs.
    pub fn announcement(&self, todo: usize) -> String {
        let Self { study, machine, open, .. } = self;
        let runs = counted(todo, "run");
        match &open.claims[..] {
            [] => format!("{}: {runs} on {machine}", study.name),
            claims => {
                format!("{}: {runs} more, because intervals barely decide {}", study.name, claims.join("; "))
            }
        }
    }

    /// Takes the result of a run.
    pub fn take(&mut self, todo: Todo, result: Result<ExperimentResult, CaseError>) {
        match result {
            Ok(result) => {
                for run in self.waiting_for(todo).collect::<Vec<_>>() {
                    self.results[run].push(result.clone());
                }
            }
            Err(error) => self.fail(error),
        }
    }

    /// With all wanted results: finds claims that are still open, or keeps these results.
    pub fn conclude(&mut self, repeats: bool) {
        let machines: Vec<&Hardware> = self.machines.iter().collect();
        let open = if repeats && self.failure.is_none() {
            undecided(self.study, &self.results, &machines)
        } else {
            Ok(Undecided::default())
        };
        match open {
            Ok(open) => self.open = open,
            Err(error) => self.fail(of_study(self.study, error)),
        }
    }

    /// The model's figures next to the published ones; `None` while a claim is open.
    ///
    /// # Errors
    /// If a run failed, or the study does not fit its results.
    pub fn reproduction(self) -> Result<Option<Reproduction>, CaseError> {
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        if !self.open.runs.is_empty() {
            return Ok(None);
        }
        let machines: Vec<&Hardware> = self.machines.iter().collect();
        let reproduction = reproduce(self.study, &self.results, &machines);
        reproduction.map(Some).map_err(|error| of_study(self.study, error))
    }

    /// The first failure counts; there is nothing left to do.
    fn fail(&mut self, error: CaseError) {
        self.failure.get_or_insert(error);
        self.open = Undecided::default();
    }
}

fn of_study(study: &Study, error: ReproduceError) -> CaseError {
    CaseError::Study { study: study.name.clone(), error }
}

/// Reason why there is no verdict on a study.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CaseError {
    /// The command of a run is no experiment.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// The machine does not allow the settings.
    #[error(transparent)]
    Machine(#[from] WrongMachine),
    /// The study does not fit its results.
    #[error("{study}: {error}")]
    Study {
        study: String,
        /// Description of the mismatch.
        error: ReproduceError,
    },
    #[error("`{command}`: {reason}")]
    Run {
        command: String,
        reason: String,
        /// Hint for the user, if there is one.
        hint: Option<String>,
    },
    /// A run hit a bug.
    #[error("{0}")]
    Bug(String),
}

impl Hinted for CaseError {
    fn hint(&self) -> Option<String> {
        match self {
            Self::Command(error) => error.hint(),
            Self::Machine(error) => error.hint(),
            Self::Study { error, .. } => error.hint().map(Into::into),
            Self::Run { hint, .. } => hint.clone(),
            Self::Bug(_) => Some(REPORT.to_owned()),
        }
    }
}

/// The seed of a run's result of that rank; the first is the seed itself.
const fn seed_of(seed: u64, rank: usize) -> u64 {
    // Multiples of an odd number all differ. It is another one than that of replications, whose seeds these must not meet.
    seed.wrapping_add((rank as u64).wrapping_mul(0xd134_2543_de82_ef95))
}

pub struct RunAgenda<'a> {
    pub cases: &'a [Case<'a>],
    /// Selection of their runs.
    pub todo: &'a [Todo],
    pub solver: Solver,
}

impl Agenda for RunAgenda<'_> {
    type Entry = Result<ExperimentResult, CaseError>;

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
        let failed = |reason: String, hint| CaseError::Run { command: command.clone(), reason, hint };
        match answer {
            Answer::Answered { results, .. } => match results.into_iter().next() {
                Some(Ok(result)) => Ok(result),
                Some(Err(trouble)) => Err(failed(trouble.to_string(), trouble.hint)),
                None => Err(failed("it has no result".to_owned(), None)),
            },
            Answer::NoEngine(reason) => Err(failed(reason.to_string(), None)),
            Answer::Bug(bug) => Err(CaseError::Bug(bug)),
        }
    }
}

#[cfg(test)]
mod tests {
    use zerohop_experiment::Options;
    use zerohop_result::ExperimentName;

    use super::*;
    use crate::files::NoFiles;
    use crate::studies;

    /// Experiments by name, without options.
    fn named(words: &str) -> Result<Run, CommandError> {
        let name = words.split_whitespace().next().unwrap_or_default();
        Ok(Run { experiment: name.parse::<ExperimentName>().unwrap(), options: Options::default() })
    }

    #[test]
    fn runs_on_machines_that_work_alike_are_done_once() {
        let study = studies::study("ibm-cloud-collapse", &NoFiles).unwrap();
        let file = library::machine_file(&study.machine, &NoFiles).unwrap();
        let case = Case::new(&study, &study.machine, &file, &Settings::none(), 1, &named).unwrap();
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
