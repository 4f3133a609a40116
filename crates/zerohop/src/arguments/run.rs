//! Arguments of `run`.

use std::path::PathBuf;

use clap::Args;
use zerohop_experiment::{Background, CaseChoice, LoadPlace, Subscription};
use zerohop_report::{Experiment, Form};
use zerohop_result::ExperimentName;
use zerohop_workload::Kernel;

use super::values::{NodeList, experiment_names, kernel_names, node_list};
use super::{ColumnArguments, EngineArguments, MeasuringArguments};
use crate::kind::Kind;

/// Arguments of `run`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  zerohop run latency-matrix --format mlc
  zerohop run latency-matrix --pages 4k           the cost of TLB misses
  zerohop run latency-matrix --chains 4           four loads in flight at once
  zerohop run loaded-latency --kernel mix_2_1     under load with two reads per write
  zerohop run loaded-latency --load remote        on the farthest node's memory
  zerohop run stream --cpus 0-7 --isa avx2        eight cores, 32-byte accesses
  zerohop run global-bandwidth --interleave 0,1   a buffer interleaved over two nodes
  zerohop run core-to-core --all-pairs -o c.json  every pair of cores
  zerohop run loaded-latency -o curve.svg         as a figure; .csv and .parquet as rows

Interference between cores and nodes:
  zerohop run hops                                one thread, by the node of its memory
  zerohop run crossfire                           two threads, by the nodes of their memory
  zerohop run crossfire --case '0.0.w.1 1.0.w.0' --background low --subscription full
                                                  node 0's first core writes to node 1 and
                                                  vice versa, while all other
                                                  cores read 0.5 GB/s of local memory
  zerohop run ramp --target 0 --kernel read       more and more cores on one node's memory

On a simulated machine:
  zerohop run crossfire --on quartet --all --format csv
  zerohop run hops --on quartet --set wire.ht1000.latency=8ns
                                                  with one value of its file changed
  zerohop run ramp --on my-machine.toml --detail  also internals: links, queues, stages")]
pub(crate) struct RunArguments {
    #[command(flatten)]
    pub(crate) what: ExperimentArguments,

    #[command(flatten)]
    pub(crate) engine: EngineArguments,

    #[arg(short, long, value_name = "FILE", help = saving(), long_help = saving_at_length())]
    pub(crate) output: Option<PathBuf>,

    /// Output format (default: table)
    #[arg(long, value_name = "FORMAT", value_parser = Kind::of::<Experiment<'static>>().parser())]
    pub(crate) format: Option<Form>,

    #[command(flatten)]
    pub(crate) columns: ColumnArguments,
}

/// The help of `-o`.
fn saving() -> String {
    Kind::of::<Experiment<'_>>().saving()
}

/// The help of `-o`, with what is in the files.
fn saving_at_length() -> String {
    format!(
        "{}\n\n.json contains everything, including raw samples, and is the format that other verbs read; zerohop rewrites it as the result grows, and writes other formats at the end.",
        saving()
    )
}

/// An experiment and its options, for any engine.
#[derive(Debug, Args)]
pub(crate) struct ExperimentArguments {
    /// Experiment to run
    #[arg(value_parser = experiment_names())]
    pub(crate) experiment: ExperimentName,

    #[command(flatten)]
    pub(crate) measuring: MeasuringArguments,

    /// Bandwidth kernel, for experiments that support several
    #[arg(long, value_name = "KERNEL", value_parser = kernel_names(), help_heading = "What to measure with")]
    pub(crate) kernel: Option<Kernel>,

    /// Interleave the pages of buffers over these nodes
    #[arg(long, value_name = "LIST", value_parser = node_list, help_heading = "What to measure with")]
    pub(crate) interleave: Option<NodeList>,

    /// Number of independent pointer chains to chase at once in latency experiments; 1 measures latency itself
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u8).range(1..), help_heading = "What to measure with")]
    pub(crate) chains: Option<u8>,

    /// Crossfire case to run; may be repeated (default: all named cases)
    ///
    /// A case is a list of threads, each as node.core.mode.memory (`0.0.w.1 1.0.r.0` is core 0 of node 0 writing to
    /// memory of node 1 while core 0 of node 1 reads memory of node 0), or a name: local, no-crossfire, crossfire,
    /// same-node.
    #[arg(long = "case", value_name = "CASE", value_delimiter = ',', help_heading = "What to measure with")]
    pub(crate) cases: Vec<CaseChoice>,

    /// Run every crossfire case of two threads
    #[arg(long, conflicts_with = "cases", help_heading = "What to measure with")]
    pub(crate) all: bool,

    /// Read rate of each crossfire background thread from its local memory: none, low (0.5 GB/s), medium (1.5), high
    /// (2.5), very-high (4), or a rate such as `1.2 GB/s`
    #[arg(long, value_name = "LEVEL", help_heading = "What to measure with")]
    pub(crate) background: Option<Background>,

    /// Other active cores in crossfire: none, high (one more on most nodes), or full (all)
    #[arg(long, value_name = "HOW", help_heading = "What to measure with")]
    pub(crate) subscription: Option<Subscription>,

    /// Initiator nodes, in hops and ramp
    #[arg(long, value_name = "LIST", value_parser = node_list, help_heading = "What to measure with")]
    pub(crate) initiators: Option<NodeList>,

    /// Target nodes, in hops and ramp; a ramp spreads its buffers over all of them
    #[arg(long, visible_alias = "target", value_name = "LIST", value_parser = node_list, help_heading = "What to measure with")]
    pub(crate) targets: Option<NodeList>,

    /// Memory that loaded-latency loads: local, remote (the farthest node's), crossing (two nodes load each other's),
    /// machine (all nodes load their own), machine-remote (each node loads that of all others), or machine-interleaved
    /// (all nodes load memory interleaved over all)
    #[arg(long, value_name = "WHERE", help_heading = "What to measure with")]
    pub(crate) load: Option<LoadPlace>,

    /// Measure all pairs of cores in core-to-core (default: at most 12 cores, or 24 with --full, which cover every kind of
    /// pair)
    #[arg(long, help_heading = "What to measure with")]
    pub(crate) all_pairs: bool,

    /// Also report machine internals: links, channels, home agents, and the stages of a line's latency; simulation only
    #[arg(long, help_heading = "What to measure with")]
    pub(crate) detail: bool,
}
