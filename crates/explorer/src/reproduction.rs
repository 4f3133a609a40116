//! Published figures beside a model's.

use zerohop_app::{CampaignRunner, NoFiles, Reproducer, Seeds, studies};
use zerohop_experiment::Sequential;
use zerohop_experiment::campaign::SimulatedMachine;
use zerohop_machine::Settings;
use zerohop_model::Solver;
use zerohop_study::ReproductionFile;
use zerohop_workload::StopFlag;

use crate::commands::experiment;
use crate::progress::{Progress, Told};
use crate::refusal::Refusal;

/// Mean-value analysis where it computes a run, events elsewhere: a reader waits.
pub(crate) const SOLVER: Solver = Solver::Auto;

/// The published figures of a study beside a model's.
pub(crate) fn reproduced(name: &str, progress: &Progress<'_>) -> Result<ReproductionFile, Refusal> {
    let study = studies::study(name, &NoFiles)?;
    let told = Told::by(progress);
    let reproducer = Reproducer {
        solver: SOLVER,
        repeats: true,
        files: &NoFiles,
        commands: &experiment,
        crew: CampaignRunner { executor: &Sequential, stop: &StopFlag::new(), attendant: &told },
    };
    let seeds = Seeds { first: SimulatedMachine::SEED, several: None };
    let held = reproducer.reproductions(std::slice::from_ref(&study), None, &Settings::none(), seeds);
    let reproductions = held.into_iter().collect::<Result<Option<Vec<_>>, _>>()?;
    Ok(ReproductionFile::new(reproductions.unwrap_or_default()))
}
