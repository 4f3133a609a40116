//! Studies reproduced by models: as many runs as their verdicts take.

use std::num::NonZeroU32;

use zerohop_machine::Settings;
use zerohop_model::Solver;
use zerohop_study::{Reproduction, Study};

use crate::campaign_runner::CampaignRunner;
use crate::commands::Commands;
use crate::files::Files;
use crate::hint::Hinted;
use crate::library::{self, LibraryError};
use crate::models::Models;
use crate::study_agenda::{Case, CaseError, RunAgenda, Todo};

/// The seeds from which studies are reproduced: one, or several that follow it.
#[derive(Debug, Clone, Copy)]
pub struct Seeds {
    pub first: u64,
    /// Number of seeds, if several.
    pub several: Option<NonZeroU32>,
}

impl Seeds {
    fn iter(self) -> impl Iterator<Item = u64> {
        (0..self.several.map_or(1, NonZeroU32::get)).map(move |rank| self.first.wrapping_add(rank.into()))
    }
}

/// How many results of a run a verdict may rest on, each with a seed of its own: at first, and then while it is not certain.
const RESULTS: [usize; 3] = [1, 2, 4];

/// The verdict on a study, or why there is none; `None` if it was interrupted.
pub type Held = Result<Option<Reproduction>, ReproducerError>;

/// Reason why there is no verdict on a study.
#[derive(Debug, thiserror::Error)]
pub enum ReproducerError {
    /// There is no machine of that name.
    #[error(transparent)]
    Machine(#[from] LibraryError),
    /// The study cannot be run, or does not fit its results.
    #[error(transparent)]
    Case(#[from] CaseError),
}

impl Hinted for ReproducerError {
    fn hint(&self) -> Option<String> {
        match self {
            Self::Machine(error) => error.hint(),
            Self::Case(error) => error.hint(),
        }
    }
}

/// Compares models with studies.
pub struct Reproducer<'a> {
    /// The solver of models.
    pub solver: Solver,
    /// Whether runs are repeated for verdicts.
    pub repeats: bool,
    /// Source of the machine files.
    pub files: &'a dyn Files,
    /// Reader of the studies' commands.
    pub commands: &'a dyn Commands,
    /// Executor of the runs.
    pub crew: CampaignRunner<'a>,
}

impl Reproducer<'_> {
    /// Predictions for each study by a model of its machine, or of the one machine `on` which all run: with several seeds, the values of the first,
    /// and the number of seeds with each verdict.
    pub fn reproductions(
        &self,
        studies: &[Study],
        on: Option<&str>,
        settings: &Settings,
        seeds: Seeds,
    ) -> Vec<Held> {
        let mut engines = Models::default();
        let mut cases = Vec::new();
        let counts: Vec<Result<usize, ReproducerError>> = studies
            .iter()
            .map(|study| {
                let machine = on.unwrap_or(&study.machine);
                let file = library::machine_file(machine, self.files)?;
                let case = |seed| Case::new(study, machine, &file, settings, seed, self.commands);
                let of_study = seeds.iter().map(case).collect::<Result<Vec<_>, CaseError>>()?;
                let count = of_study.len();
                cases.extend(of_study);
                engines.add(machine, file);
                Ok(count)
            })
            .collect();
        self.run(&mut cases, &engines);
        let mut cases = cases.into_iter();
        let mut over_seeds = |count: usize| -> Held {
            // All of them are taken, so that those of the next study follow.
            let each: Vec<_> = cases.by_ref().take(count).map(Case::reproduction).collect();
            let Some(each) = each.into_iter().collect::<Result<Option<Vec<_>>, _>>()? else {
                return Ok(None);
            };
            Ok(if seeds.several.is_some() { Reproduction::over_seeds(each) } else { each.into_iter().next() })
        };
        counts.into_iter().map(|count| count.and_then(&mut over_seeds)).collect()
    }

    /// Does the runs of all cases as one campaign, until interrupted. They are repeated with other seeds as long as the intervals of a
    /// verdict's values hardly decide it.
    fn run(&self, cases: &mut [Case<'_>], engines: &Models) {
        for wanted in RESULTS {
            let all: Vec<Vec<Todo>> =
                cases.iter().enumerate().map(|(rank, case)| case.todo(rank, wanted).collect()).collect();
            let todo = all.concat();
            if todo.is_empty() {
                break;
            }
            for (case, todo) in cases.iter().zip(&all).filter(|(_, todo)| !todo.is_empty()) {
                self.crew.attendant.announce(&case.announcement(todo.len()));
            }
            let agenda = RunAgenda { cases, todo: &todo, solver: self.solver };
            let kept = self.crew.answers(&agenda, todo.len(), engines);
            let mut came = vec![0; cases.len()];
            for (rank, result) in kept {
                came[todo[rank].case] += 1;
                cases[todo[rank].case].take(todo[rank], result);
            }
            for ((case, todo), came) in cases.iter_mut().zip(&all).zip(came) {
                // Those of a case that was interrupted remain open.
                if !todo.is_empty() && came == todo.len() {
                    case.conclude(self.repeats && wanted < RESULTS[RESULTS.len() - 1]);
                }
            }
        }
    }
}
