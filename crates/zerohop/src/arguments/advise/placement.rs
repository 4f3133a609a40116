//! Arguments of `zerohop advise placement`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use zerohop_advise::placement::{
    Background, DataUse, PlacementAdvice, Sensitivity, parse_background, parse_mix,
};
use zerohop_report::Form;
use zerohop_units::Bytes;
use zerohop_workload::{Access, Kernel};

use super::super::SetArguments;
use super::super::values::{self, NodeList};
use crate::completion;
use crate::kind::Kind;

/// Arguments of `advise placement`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  zerohop advise placement --on quartet --threads 4 --data private --bytes 2G
  zerohop advise placement today/ --threads 16 --data shared --bytes 40G --mix 2:1
  zerohop advise placement today/ ramp.json --threads 8 --data private --bytes 8G --background 0:4@2GB/s
  zerohop advise placement today/ --workload stream-of-weights --bytes-per-step 40G

On a model, placements are searched by mean-value analysis, and those that matter are simulated line by line. A survey gives
what its matrices, mixes and ramps show; what it cannot show is listed.

AMD's rules decide between placements that are as good: data of each thread's own, node by node; shared data, a node filled
first; interleaving last.")]
pub(crate) struct PlacementArguments {
    /// A survey of the machine (a file or a directory), and further results of it, such as ramps
    #[arg(value_name = "RESULT", conflicts_with_all = ["on", "set"])]
    pub(crate) results: Vec<PathBuf>,

    /// A machine to model, by name or by file
    #[arg(long, value_name = "MACHINE", add = completion::simulated_machines())]
    pub(crate) on: Option<String>,

    #[command(flatten)]
    pub(crate) set: SetArguments,

    /// Number of threads; with --workload, at most so many (default: one per core)
    #[arg(long, value_name = "COUNT", value_parser = values::count, required_unless_present = "workload")]
    pub(crate) threads: Option<NonZeroUsize>,

    /// Who uses the data: `shared` (all threads use all of it) or `private` (each thread has a part of its own)
    #[arg(
        long,
        value_enum,
        value_name = "USE",
        hide_possible_values = true,
        required_unless_present = "workload"
    )]
    pub(crate) data: Option<DataArgument>,

    /// All data of the program: `40G`
    #[arg(long, value_name = "SIZE", required_unless_present = "workload")]
    pub(crate) bytes: Option<Bytes>,

    /// What the threads do: reads:writes, or the name of a kernel (default: 1:0)
    #[arg(long, value_name = "MIX", value_parser = parse_mix)]
    pub(crate) mix: Option<Kernel>,

    /// The order in which the threads visit their data: `sequential` (default), `strided` (8 bytes of each line) or `random`
    #[arg(long, value_enum, value_name = "ORDER", hide_possible_values = true)]
    pub(crate) access: Option<AccessArgument>,

    /// What the program needs: `bandwidth` (default), or `latency` if its threads wait for one load after another
    #[arg(long, value_enum, value_name = "NEED", hide_possible_values = true)]
    pub(crate) sensitivity: Option<SensitivityArgument>,

    /// Nodes that the threads may run on (default: all)
    #[arg(long, value_name = "LIST", value_parser = values::node_list)]
    pub(crate) thread_nodes: Option<NodeList>,

    /// Threads of other programs, which read their node's memory: NODE:THREADS or NODE:THREADS@RATE, separated by commas
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = parse_background)]
    pub(crate) background: Vec<Background>,

    /// A kind of program, in place of --data, --bytes, --mix and --sensitivity: `stream-of-weights` reads the same data again and
    /// again, as a language model does for every token
    #[arg(
        long,
        value_enum,
        value_name = "KIND",
        hide_possible_values = true,
        requires = "bytes_per_step",
        conflicts_with_all = ["data", "bytes", "mix", "access", "sensitivity", "thread_nodes"]
    )]
    pub(crate) workload: Option<WorkloadArgument>,

    /// With --workload: the data that a step reads, such as the size of a model's weights
    #[arg(long, value_name = "SIZE", requires = "workload", conflicts_with_all = ["data", "bytes"])]
    pub(crate) bytes_per_step: Option<Bytes>,

    /// On a model: do without the simulation of the placements that matter; figures then have no intervals
    #[arg(long, conflicts_with = "results")]
    pub(crate) quick: bool,

    /// On a model: seed of the simulation
    #[arg(long, value_name = "SEED", value_parser = values::seed, conflicts_with_all = ["results", "quick"])]
    pub(crate) seed: Option<u64>,

    /// Save to this file, replacing an earlier one; the extension selects the format: .html, .txt, .json, .csv or .parquet
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Output format (default: table)
    #[arg(long, value_name = "FORMAT", value_parser = Kind::of::<PlacementAdvice>().parser())]
    pub(crate) format: Option<Form>,
}

/// Who uses a program's data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DataArgument {
    /// All threads use all of it
    Shared,
    /// Each thread has a part of its own
    Private,
}

/// The order in which threads visit their data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AccessArgument {
    /// Every byte, ascending
    Sequential,
    /// 8 bytes of each line, ascending
    Strided,
    /// 8 bytes of each line, in random order
    Random,
}

/// What a program needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SensitivityArgument {
    /// Its threads stream through memory
    Bandwidth,
    /// Its threads wait for one load after another
    Latency,
}

/// A kind of program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum WorkloadArgument {
    /// It reads the same data again and again
    StreamOfWeights,
}

impl DataArgument {
    pub(crate) const fn data(self) -> DataUse {
        match self {
            Self::Shared => DataUse::Shared,
            Self::Private => DataUse::Private,
        }
    }
}

impl AccessArgument {
    pub(crate) const fn access(self) -> Access {
        match self {
            Self::Sequential => Access::Sequential,
            Self::Strided => Access::Strided,
            Self::Random => Access::Random,
        }
    }
}

impl SensitivityArgument {
    /// Whether threads wait for one load after another.
    pub(crate) const fn waits(self) -> bool {
        matches!(self, Self::Latency)
    }

    pub(crate) const fn sensitivity(self) -> Sensitivity {
        match self {
            Self::Bandwidth => Sensitivity::Bandwidth,
            Self::Latency => Sensitivity::Latency,
        }
    }
}
