//! Arguments of `zerohop reproduce`.

use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;

use clap::Args;
use zerohop_report::Form;
use zerohop_study::{ReproductionFile, Validation};

use super::{SetArguments, SolverArguments};
use crate::completion;
use crate::kind::Kind;

/// Arguments of `reproduce`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  zerohop reproduce                        every built-in study
  zerohop reproduce amd-40555 --format csv
  zerohop reproduce amd-40555 --on mine.toml
  zerohop reproduce ./my-study.toml        your own study: see docs/published-figures.md
  zerohop reproduce --seeds 10             how often each verdict occurs

Exit status:
  0    every prediction is within its tolerance
  1    at least one is not
  2    usage error, or a study or machine cannot be used; see the `error:` and `hint:` lines
  3    inconclusive: none is certainly outside, but the interval of at least one contains the limit
  130  interrupted; completed studies have been printed")]
pub(crate) struct ReproduceArguments {
    /// Studies, by name or by file (default: all built-in studies)
    #[arg(value_name = "STUDY", add = completion::studies())]
    pub(crate) studies: Vec<String>,

    /// List the built-in studies
    #[arg(long, conflicts_with_all = ["studies", "on", "set", "solver", "threads", "seed", "seeds", "output", "format"])]
    pub(crate) list: bool,

    /// Run the studies of machines derived from spec sheets, and print the errors of the predictions
    #[arg(long, conflicts_with_all = ["studies", "on", "set", "list"])]
    pub(crate) validation: bool,

    /// Simulate this machine, by name or by file, instead of the study's
    #[arg(long, value_name = "MACHINE", add = completion::simulated_machines(), help_heading = "Where to measure")]
    pub(crate) on: Option<String>,

    #[command(flatten)]
    pub(crate) set: SetArguments,

    #[command(flatten)]
    pub(crate) solver: SolverArguments,

    /// Number of runs to simulate in parallel (default: one per CPU); does not affect results
    #[arg(long, value_name = "COUNT", help_heading = "Where to measure", value_parser = super::values::count)]
    pub(crate) threads: Option<NonZeroUsize>,

    /// Random seed: determines when threads start and where random accesses go (default: 1)
    #[arg(long, value_name = "NUMBER", help_heading = "Where to measure", value_parser = super::values::seed)]
    pub(crate) seed: Option<u64>,

    /// Simulate everything with COUNT seeds, starting at --seed, and print how often each verdict occurs
    #[arg(long, value_name = "COUNT", conflicts_with = "validation", value_parser = super::values::seeds)]
    pub(crate) seeds: Option<NonZeroU32>,

    #[arg(short, long, value_name = "FILE", help = saving())]
    pub(crate) output: Option<PathBuf>,

    /// Output format (default: table)
    #[arg(long, value_name = "FORMAT", value_parser = Kind::of::<ReproductionFile>().parser())]
    pub(crate) format: Option<Form>,
}

/// The help of `-o`.
fn saving() -> String {
    format!(
        "{}; with --validation: {}",
        Kind::of::<ReproductionFile>().saving(),
        Kind::of::<Validation>().endings()
    )
}
