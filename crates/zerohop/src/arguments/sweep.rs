//! Arguments of `zerohop sweep`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;
use zerohop_insight::{Dimension, SweepResult};
use zerohop_report::Form;

use super::{FaultArguments, SolverArgument};
use crate::completion;
use crate::kind::Kind;

/// Arguments of `sweep`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  zerohop sweep quartet --set wire.ht1000.latency=4ns,5.5ns,8ns --experiment latency-matrix
  zerohop sweep sr665-v3 --set links=3,4 --set width=x8,x16 --experiment bandwidth-matrix -o a.csv
                                           every combination; a rerun resumes
  zerohop sweep quartet --set channel.ddr400.efficiency=60%,77% --experiment 'ramp --target 3'
                                           an experiment with its own options
  zerohop sweep quartet --set home.k8.latency=10ns,20ns --experiment hops,latency-matrix
      --measure 'latency-matrix latency remote highest' --measure 'hops time-per-line kernel=read'
                                           the measures of your choice
  zerohop sweep --file what-if.toml -o what-if.parquet
                                           points and measures from a file: docs/sweep.md

Exit status:
  0    every point was computed, or refused by the machine file
  2    the request, a machine or a point is at fault, or all points were refused;
       completed points are saved
  130  interrupted; completed points are saved, and the same command resumes")]
pub(crate) struct SweepArguments {
    /// The machine, by name or by file
    #[arg(
        value_name = "MACHINE",
        required_unless_present = "file",
        conflicts_with = "file",
        add = completion::simulated_machines()
    )]
    pub(crate) machine: Option<String>,

    /// Read machine, points, experiments and measures from this file; `zerohop schema sweep` prints its schema
    #[arg(short, long, value_name = "SWEEP", conflicts_with_all = ["set", "experiment", "measure"])]
    pub(crate) file: Option<PathBuf>,

    /// Set an option of the machine, or a value of its file by path, to each of these values; may be repeated
    ///
    /// The sweep computes all combinations; the last option varies fastest. Commas inside brackets or quotation marks
    /// do not separate values.
    #[arg(long, value_name = "NAME=VALUE,…", help_heading = "What to compute")]
    pub(crate) set: Vec<Dimension>,

    /// Experiments to run at each point: names, or one experiment with its options as typed after `zerohop run`; may be
    /// repeated
    #[arg(
        long,
        value_name = "EXPERIMENT,…",
        required_unless_present = "file",
        add = completion::experiment_lists(),
        help_heading = "What to compute"
    )]
    pub(crate) experiment: Vec<String>,

    /// Report this measure of an experiment; may be repeated (default: headline measures of each experiment)
    ///
    /// Give an experiment, a measure and the coordinates of its cells: `stream bandwidth initiator=all kernel=triad`.
    /// Several cells are reduced to their median, or to the `lowest`, `highest` or `sum`. `local`, `same-package` or
    /// `remote` selects by distance. A word with a colon in front names the measure: `far: bandwidth-matrix bandwidth
    /// remote`.
    #[arg(long, value_name = "WORDS", help_heading = "What to compute")]
    pub(crate) measure: Vec<String>,

    #[command(flatten)]
    pub(crate) fault: FaultArguments,

    /// How to solve points: auto (default), flow or event
    ///
    /// `flow` solves the machine as a queueing network by mean-value analysis: averages only, within a few percent of
    /// `event`, which simulates every cache line and takes about a thousand times as long. `auto` uses `flow`, and
    /// `event` for what `flow` cannot compute.
    #[arg(
        long,
        value_enum,
        default_value = "auto",
        hide_possible_values = true,
        hide_default_value = true,
        value_name = "SOLVER",
        help_heading = "What to compute"
    )]
    pub(crate) solver: SolverArgument,

    /// Number of points to compute in parallel (default: one per CPU); does not affect results
    #[arg(long, value_name = "COUNT", help_heading = "What to compute", value_parser = super::values::count)]
    pub(crate) threads: Option<NonZeroUsize>,

    /// Random seed: sets when threads start and where random accesses go (default: 1)
    #[arg(long, value_name = "NUMBER", help_heading = "What to compute", value_parser = super::values::seed)]
    pub(crate) seed: Option<u64>,

    /// Save the rows to this file; the extension selects the format: .html, .csv, .json, .parquet or .txt
    ///
    /// FILE.journal beside it records each point as soon as it is computed. After any kind of end, the same command
    /// resumes from the journal; without the journal it starts over.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Output format (default: table)
    #[arg(long, value_name = "FORMAT", value_parser = Kind::of::<SweepResult>().parser())]
    pub(crate) format: Option<Form>,
}
