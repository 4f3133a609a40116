//! Arguments of `zerohop reproduce`.

use std::num::NonZeroUsize;

use clap::{Args, ValueEnum};

use super::{SetArguments, SolverArguments};
use crate::completion;

/// Arguments of `reproduce`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  zerohop reproduce                        every study that comes with zerohop
  zerohop reproduce amd-40555 --format csv
  zerohop reproduce amd-40555 --on mine.toml
  zerohop reproduce ./my-study.toml        one of your own: docs/published-figures.md tells how

Exit status:
  0    every prediction is within its tolerance
  1    at least one is not
  2    a study or a machine is at fault; `error:` and `hint:` lines say what
  130  interrupted; nothing has been shown")]
pub(crate) struct ReproduceArguments {
    /// Studies by name, or files of studies (default: all that come with zerohop)
    #[arg(value_name = "STUDY", add = completion::studies())]
    pub(crate) studies: Vec<String>,

    /// List the studies that come with zerohop
    #[arg(long, conflicts_with_all = ["studies", "on", "set", "solver", "threads", "seed", "format"])]
    pub(crate) list: bool,

    /// Simulate this machine, by name or by file, instead of the study's
    #[arg(long, value_name = "MACHINE", add = completion::simulated_machines(), help_heading = "Where to measure")]
    pub(crate) on: Option<String>,

    #[command(flatten)]
    pub(crate) set: SetArguments,

    #[command(flatten)]
    pub(crate) solver: SolverArguments,

    /// Simulate so many runs at the same time (default: as many as there are CPUs); it changes no number
    #[arg(long, value_name = "COUNT", help_heading = "Where to measure", value_parser = super::values::count)]
    pub(crate) threads: Option<NonZeroUsize>,

    /// Decides when threads start and where random accesses go (default: 1)
    #[arg(long, value_name = "NUMBER", help_heading = "Where to measure", value_parser = super::values::seed)]
    pub(crate) seed: Option<u64>,

    /// How to print it
    #[arg(long, value_enum, default_value = "table", value_name = "FORMAT")]
    pub(crate) format: ReproductionFormatArgument,
}

/// How to print what a model says to a study.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReproductionFormatArgument {
    /// Pages for people
    Table,
    /// Everything; its JSON Schema is printed by `zerohop schema reproduction`
    Json,
    /// One line a claim
    Csv,
    /// For documents
    Markdown,
}
