//! Arguments of `zerohop sweep`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;
use zerohop_insight::{Dimension, SweepResult};
use zerohop_report::Form;

use super::SolverArgument;
use crate::completion;
use crate::kind::Kind;

/// Arguments of `sweep`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  zerohop sweep quartet --set wire.ht1000.latency=4ns,5.5ns,8ns --experiment latency-matrix
  zerohop sweep sr665-v3 --set links=3,4 --set width=x8,x16 --experiment bandwidth-matrix -o a.csv
                                           every combination; started again, it goes on
  zerohop sweep quartet --set channel.ddr400.efficiency=60%,77% --experiment 'ramp --target 3'
                                           an experiment with options of its own
  zerohop sweep quartet --set home.k8.latency=10ns,20ns --experiment hops,latency-matrix
      --measure 'latency-matrix latency remote highest' --measure 'hops time-per-line kernel=read'
                                           the numbers that matter to you
  zerohop sweep --file what-if.toml -o what-if.parquet
                                           points and measures from a file: docs/sweep.md

Exit status:
  0    every point was computed, or the machine file refuses it
  2    the request, a machine or a point is at fault; what was computed is saved
  130  interrupted; what was computed is saved, and the same command goes on from there")]
pub(crate) struct SweepArguments {
    /// The machine, by name or by file
    #[arg(
        value_name = "MACHINE",
        required_unless_present = "file",
        conflicts_with = "file",
        add = completion::simulated_machines()
    )]
    pub(crate) machine: Option<String>,

    /// Read machine, points, experiments and measures from this file; `zerohop schema sweep` has its form
    #[arg(short, long, value_name = "SWEEP", conflicts_with_all = ["set", "experiment", "measure"])]
    pub(crate) file: Option<PathBuf>,

    /// Set an option of the machine, or a number of its file by its path, to each of these values; may be given again
    ///
    /// All combinations are tried, the last changing first. Commas within brackets and quotation marks part no values.
    #[arg(long, value_name = "NAME=VALUE,…", help_heading = "What to compute")]
    pub(crate) set: Vec<Dimension>,

    /// Run these at each point: names, or one experiment with its options as typed after `zerohop run`; may be given
    /// again
    #[arg(
        long,
        value_name = "EXPERIMENT,…",
        required_unless_present = "file",
        add = completion::experiment_lists(),
        help_heading = "What to compute"
    )]
    pub(crate) experiment: Vec<String>,

    /// Tell this number of an experiment; may be given again (default: what matters most of each)
    ///
    /// An experiment, a measure, and where its cells stand: `stream bandwidth initiator=all kernel=triad`. Of several cells
    /// the median, or the `lowest`, `highest` or `sum`. `local`, `same-package` or `remote` chooses by distance. A word
    /// with a colon before all this is its name: `far: bandwidth-matrix bandwidth remote`.
    #[arg(long, value_name = "WORDS", help_heading = "What to compute")]
    pub(crate) measure: Vec<String>,

    /// How points are computed: auto (default), flow or event
    ///
    /// `flow` solves the machine as a network of queues: means only, within a few per cent of `event`, which simulates every
    /// line and takes some thousand times as long. `auto` takes `flow`, and `event` for what that cannot tell.
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

    /// Compute so many points at the same time (default: as many as there are CPUs); it changes no number
    #[arg(long, value_name = "COUNT", help_heading = "What to compute", value_parser = super::values::count)]
    pub(crate) threads: Option<NonZeroUsize>,

    /// Decides when threads start and where random accesses go (default: 1)
    #[arg(long, value_name = "NUMBER", help_heading = "What to compute", value_parser = super::values::seed)]
    pub(crate) seed: Option<u64>,

    /// Keep the rows in this file, in the form that the ending of its name says: .csv, .json, .parquet or .txt
    ///
    /// Beside it FILE.journal has every point as soon as it is computed. The same command goes on from there, whatever
    /// ended it; without the journal it begins anew.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// How to print it (default: table)
    #[arg(long, value_name = "FORMAT", value_parser = Kind::of::<SweepResult>().parser())]
    pub(crate) format: Option<Form>,
}
