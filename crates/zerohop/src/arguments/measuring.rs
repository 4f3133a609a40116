//! Arguments of the verbs that measure: `survey` and `run`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use zerohop_experiment::ExperimentName;
use zerohop_machine::PuSet;
use zerohop_units::Bytes;
use zerohop_workload::{InstructionSet, Kernel, Pages};

use super::FormatArgument;
use super::values::{
    NodeList, cpu_list, duration, experiment_names, instruction_set_names, kernel_names, node_list,
    percentage, sample_time,
};

/// What `survey` and `run` share.
#[derive(Debug, Args)]
pub(crate) struct MeasuringArguments {
    /// Take about a minute: intervals of 1 % (default)
    #[arg(long, conflicts_with = "full")]
    pub(crate) quick: bool,

    /// Take the time it takes: intervals of 0.5 %, every core, finer steps
    #[arg(long)]
    pub(crate) full: bool,

    /// Use these nodes only, as initiators and as targets
    #[arg(long, value_name = "LIST", value_parser = node_list, help_heading = "What to measure with")]
    pub(crate) nodes: Option<NodeList>,

    /// Use these CPUs only, such as 0-3,8
    #[arg(long, value_name = "LIST", value_parser = cpu_list, help_heading = "What to measure with")]
    pub(crate) cpus: Option<PuSet>,

    /// Size of each node's buffer, such as 1GiB (default: well beyond the caches, within a quarter of what is free)
    #[arg(long, value_name = "SIZE", help_heading = "What to measure with")]
    pub(crate) buffer: Option<Bytes>,

    /// Pages of buffers: best, 4k, thp, 2m or 1g
    ///
    /// `best` takes reserved pages of 1 GiB, else of 2 MiB, else transparent huge pages. `4k` shows what the TLB
    /// costs. `2m` and `1g` need reserved pages (`sysctl vm.nr_hugepages`).
    #[arg(long, value_name = "PAGES", default_value_t, help_heading = "What to measure with")]
    pub(crate) pages: Pages,

    /// Instructions of the bandwidth kernels (default: the fastest of this processor)
    #[arg(long, value_name = "SET", value_parser = instruction_set_names(), help_heading = "What to measure with")]
    pub(crate) isa: Option<InstructionSet>,

    /// Hardware prefetchers: keep them as they are, or switch them off while measuring
    ///
    /// `off` needs root, the kernel's `msr` module (`modprobe msr`) and a processor whose maker tells how: Intel's
    /// from Nehalem to Emerald Rapids (no Atom, no hybrid), AMD's from Zen 3, none of a virtual machine. They are put
    /// back at the end, at a signal too; after a SIGKILL, by the next `survey` or `run`.
    #[arg(
        long,
        value_enum,
        default_value = "keep",
        hide_possible_values = true,
        value_name = "WHETHER",
        help_heading = "What to measure with"
    )]
    pub(crate) prefetchers: PrefetchersArgument,

    /// Length of one sample, such as 50ms
    #[arg(long, value_name = "TIME", value_parser = sample_time, help_heading = "How long to measure")]
    pub(crate) duration: Option<Duration>,

    /// Time for all of it, such as 30s: cells get less each, and say so where their intervals stay wide
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = "How long to measure")]
    pub(crate) budget: Option<Duration>,

    /// Repeat until the median's confidence interval is within this share of it, such as 1%
    #[arg(long, value_name = "PERCENT", value_parser = percentage, help_heading = "How long to measure")]
    pub(crate) interval: Option<f64>,
}

/// What to do with hardware prefetchers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PrefetchersArgument {
    /// Leave them as they are
    Keep,
    /// Switch them off while measuring
    Off,
}

/// Arguments of `survey`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  zerohop survey                    about a minute, the page on standard output
  zerohop survey --full -o before   into before/: result.json, survey.svg, survey.txt
  zerohop survey --nodes 0,1        two nodes of many
  zerohop survey --format json | jq '.experiments[].cells[] | [.at, .estimate.median]'

The result file is rewritten after every experiment: a crash or a reset loses at most the one under way.")]
pub(crate) struct SurveyArguments {
    #[command(flatten)]
    pub(crate) measuring: MeasuringArguments,

    /// Directory for result.json, survey.svg and survey.txt; an earlier result in it is replaced
    /// (default: zerohop-results/HOST-TIME)
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,

    /// What to print
    #[arg(long, value_enum, default_value = "table", value_name = "FORMAT")]
    pub(crate) format: FormatArgument,
}

/// Arguments of `run`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  zerohop run latency-matrix --format mlc
  zerohop run latency-matrix --pages 4k           what the TLB costs
  zerohop run latency-matrix --chains 4           four loads under way at once
  zerohop run loaded-latency --kernel mix_2_1     under a load of reads and writes
  zerohop run stream --cpus 0-7 --isa avx2        eight cores, 32-byte accesses
  zerohop run global-bandwidth --interleave 0,1   a buffer spread over two nodes
  zerohop run core-to-core --full -o handoff.json every pair of cores")]
pub(crate) struct RunArguments {
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

    /// Keep the result, raw samples included, in this file; an earlier one is replaced
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// What to print
    #[arg(long, value_enum, default_value = "table", value_name = "FORMAT")]
    pub(crate) format: RunFormatArgument,
}

/// How to print one experiment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RunFormatArgument {
    /// Pages for people
    Table,
    /// Everything, raw samples included; its JSON Schema is printed by `zerohop schema`
    Json,
    /// One line a number
    Csv,
    /// As Intel's Memory Latency Checker prints it, for scripts that read that
    Mlc,
}
