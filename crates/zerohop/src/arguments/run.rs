//! Arguments of `run`.

use std::path::PathBuf;

use clap::Args;
use zerohop_experiment::{Background, CaseChoice, LoadPlace, Subscription};
use zerohop_report::{Experiment, Form};
use zerohop_result::ExperimentName;
use zerohop_workload::Kernel;

use super::values::{NodeList, experiment_names, kernel_names, node_list};
use super::{EngineArguments, MeasuringArguments};
use crate::kind::Kind;

/// Arguments of `run`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  zerohop run latency-matrix --format mlc
  zerohop run latency-matrix --pages 4k           what the TLB costs
  zerohop run latency-matrix --chains 4           four loads under way at once
  zerohop run loaded-latency --kernel mix_2_1     under a load of reads and writes
  zerohop run loaded-latency --load remote        of memory that is far away
  zerohop run stream --cpus 0-7 --isa avx2        eight cores, 32-byte accesses
  zerohop run global-bandwidth --interleave 0,1   a buffer spread over two nodes
  zerohop run core-to-core --full -o cores.json   every pair of cores
  zerohop run loaded-latency -o curve.svg         as a picture; .csv and .parquet as rows

Who is in whose way:
  zerohop run hops                                one thread, by whose memory it uses
  zerohop run crossfire                           two threads, by whose memory they use
  zerohop run crossfire --case '0.0.w.1 1.0.w.0' --background low --subscription full
                                                  node 0's first core writes to node 1 and
                                                  the other way round, while all other
                                                  cores read 0.5 GB/s of their own memory
  zerohop run ramp --target 0 --kernel read       more and more cores, one node's memory

On a machine that is not here:
  zerohop run crossfire --on quartet --all --format csv
  zerohop run hops --on quartet --set wire.ht1000.latency=8ns
                                                  with another value in its file
  zerohop run ramp --on my-machine.toml --detail  also inside: links, queues, stages")]
pub(crate) struct RunArguments {
    #[command(flatten)]
    pub(crate) what: ExperimentArguments,

    #[command(flatten)]
    pub(crate) engine: EngineArguments,

    /// Keep the result in this file, in the form that the ending of its name says; an earlier one is replaced
    ///
    /// .json has everything, raw samples included, and is what other verbs read; it is written again as the result grows. .csv,
    /// .parquet, .svg and .txt are written at the end.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// What to print (default: table)
    #[arg(long, value_name = "FORMAT", value_parser = Kind::of::<Experiment<'static>>().parser())]
    pub(crate) format: Option<Form>,
}

/// An experiment and how to do it, wherever it is done.
#[derive(Debug, Args)]
pub(crate) struct ExperimentArguments {
    /// Which experiment
    #[arg(value_parser = experiment_names())]
    pub(crate) experiment: ExperimentName,

    #[command(flatten)]
    pub(crate) measuring: MeasuringArguments,

    /// Bandwidth kernel, where the experiment leaves a choice
    #[arg(long, value_name = "KERNEL", value_parser = kernel_names(), help_heading = "What to measure with")]
    pub(crate) kernel: Option<Kernel>,

    /// Spread buffers page by page over these nodes
    #[arg(long, value_name = "LIST", value_parser = node_list, help_heading = "What to measure with")]
    pub(crate) interleave: Option<NodeList>,

    /// Follow this many chains of loads at once in latency experiments; 1 is latency itself
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u8).range(1..), help_heading = "What to measure with")]
    pub(crate) chains: Option<u8>,

    /// Run this case of crossfire; may be given again (default: all those with a name)
    ///
    /// Either threads, each as node.core.mode.memory: `0.0.w.1 1.0.r.0` is core 0 of node 0 writing to memory of node 1
    /// while core 0 of node 1 reads memory of node 0. Or a name: local, no-crossfire, crossfire, same-node.
    #[arg(long = "case", value_name = "CASE", value_delimiter = ',', help_heading = "What to measure with")]
    pub(crate) cases: Vec<CaseChoice>,

    /// Run every case of crossfire that two threads can make
    #[arg(long, conflicts_with = "cases", help_heading = "What to measure with")]
    pub(crate) all: bool,

    /// What each background thread of crossfire reads of its own memory: none, low (0.5 GB/s), medium (1.5), high (2.5),
    /// very-high (4), or a rate such as `1.2 GB/s`
    #[arg(long, value_name = "LEVEL", help_heading = "What to measure with")]
    pub(crate) background: Option<Background>,

    /// How many cores work in crossfire: none but the case's own, high (one more on most nodes), or full (all)
    #[arg(long, value_name = "HOW", help_heading = "What to measure with")]
    pub(crate) subscription: Option<Subscription>,

    /// Nodes whose cores work, in hops and ramp
    #[arg(long, value_name = "LIST", value_parser = node_list, help_heading = "What to measure with")]
    pub(crate) initiators: Option<NodeList>,

    /// Nodes whose memory is used, in hops and ramp; a ramp spreads its buffers over several
    #[arg(long, visible_alias = "target", value_name = "LIST", value_parser = node_list, help_heading = "What to measure with")]
    pub(crate) targets: Option<NodeList>,

    /// Where the load of loaded latency lies: local, remote (the farthest node's memory), or crossing (two nodes load each
    /// other's)
    #[arg(long, value_name = "WHERE", help_heading = "What to measure with")]
    pub(crate) load: Option<LoadPlace>,

    /// Tell what happens inside the machine as well: links, channels, home agents, and where a line's time goes. Only a
    /// simulation can
    #[arg(long, help_heading = "What to measure with")]
    pub(crate) detail: bool,
}
