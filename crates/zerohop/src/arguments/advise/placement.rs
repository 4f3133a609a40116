//! Arguments of `zerohop advise placement`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use zerohop_advise::placement::{
    Background, DataUse, PlacementAdvice, Sensitivity, parse_background, parse_mix,
};
use zerohop_report::{Form, OfResult};
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

On a simulated machine, mean-value analysis searches the placements, and the best candidates are then simulated cache line by \
cache line. On a survey, the advice follows from its matrices, mixes and ramps; the output lists what they do not cover.

Ties are broken by AMD's recommendations: private data next to each thread, node by node; shared data with one node filled \
first; interleaving last.")]
pub(crate) struct PlacementArguments {
    /// Survey of the machine (a file or a directory), and more of its results, such as ramps
    #[arg(value_name = "RESULT", conflicts_with_all = ["on", "set"])]
    pub(crate) results: Vec<PathBuf>,

    /// Simulate this machine, by name or by file
    #[arg(long, value_name = "MACHINE", add = completion::simulated_machines())]
    pub(crate) on: Option<String>,

    #[command(flatten)]
    pub(crate) set: SetArguments,

    /// Number of threads; with --workload, the maximum (default: one per core)
    #[arg(long, value_name = "COUNT", value_parser = values::count, required_unless_present = "workload")]
    pub(crate) threads: Option<NonZeroUsize>,

    /// How threads use the data: `shared` (all threads use all of it) or `private` (each thread uses its own part)
    #[arg(
        long,
        value_enum,
        value_name = "USE",
        hide_possible_values = true,
        required_unless_present = "workload"
    )]
    pub(crate) data: Option<DataArgument>,

    /// Total data size of the program, such as 40G
    #[arg(long, value_name = "SIZE", required_unless_present = "workload")]
    pub(crate) bytes: Option<Bytes>,

    /// Ratio of reads to writes, such as 2:1, or the name of a kernel (default: 1:0)
    #[arg(long, value_name = "MIX", value_parser = parse_mix)]
    pub(crate) mix: Option<Kernel>,

    /// Access pattern: `sequential` (default), `strided` (8 bytes of each line) or `random`
    #[arg(long, value_enum, value_name = "ORDER", hide_possible_values = true)]
    pub(crate) access: Option<AccessArgument>,

    /// What limits the program: `bandwidth` (default), or `latency` if each load depends on the one before
    #[arg(long, value_enum, value_name = "NEED", hide_possible_values = true)]
    pub(crate) sensitivity: Option<SensitivityArgument>,

    /// Nodes that the threads may run on (default: all)
    #[arg(long, value_name = "LIST", value_parser = values::node_list)]
    pub(crate) thread_nodes: Option<NodeList>,

    /// Threads of other programs that read local memory: NODE:THREADS or NODE:THREADS@RATE, separated by commas
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = parse_background)]
    pub(crate) background: Vec<Background>,

    /// Type of program, instead of --data, --bytes, --mix and --sensitivity: `stream-of-weights` rereads the same data in
    /// every step, as a language model does for every token
    #[arg(
        long,
        value_enum,
        value_name = "KIND",
        hide_possible_values = true,
        requires = "bytes_per_step",
        conflicts_with_all = ["data", "bytes", "mix", "access", "sensitivity", "thread_nodes"]
    )]
    pub(crate) workload: Option<WorkloadArgument>,

    /// With --workload: bytes read in each step, such as the size of a model's weights
    #[arg(long, value_name = "SIZE", requires = "workload", conflicts_with_all = ["data", "bytes"])]
    pub(crate) bytes_per_step: Option<Bytes>,

    /// With --on: skip the line-by-line simulation; values then have no intervals
    #[arg(long, conflicts_with = "results")]
    pub(crate) quick: bool,

    /// With --on: random seed of the simulation
    #[arg(long, value_name = "SEED", value_parser = values::seed, conflicts_with_all = ["results", "quick"])]
    pub(crate) seed: Option<u64>,

    #[arg(short, long, value_name = "FILE", help = Kind::of::<OfResult<'static, PlacementAdvice>>().saving())]
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
    /// Each thread uses its own part
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
    /// In its threads, each load depends on the one before
    Latency,
}

/// A kind of program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum WorkloadArgument {
    /// It rereads the same data in every step
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
