//! Arguments that `survey` and `run` share, and those of `survey`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use zerohop_machine::PuSet;
use zerohop_report::{Form, Survey};
use zerohop_units::Bytes;
use zerohop_workload::{InstructionSet, Pages};

use super::values::{
    NodeList, cpu_list, duration, instruction_set_names, node_list, percentage, sample_time, waiting,
};
use super::{ColumnArguments, EngineArguments, StatedMachineArgument};
use crate::kind::Kind;

/// What `survey` and `run` share.
#[derive(Debug, Args)]
pub(crate) struct MeasuringArguments {
    /// Run for about a minute: 1 % confidence intervals (default)
    #[arg(long, conflicts_with = "full")]
    pub(crate) quick: bool,

    /// Run for as long as it takes: 0.5 % confidence intervals, every core, finer steps
    #[arg(long)]
    pub(crate) full: bool,

    /// Use only these nodes, as initiators and as targets
    #[arg(long, value_name = "LIST", value_parser = node_list, help_heading = "What to measure with")]
    pub(crate) nodes: Option<NodeList>,

    /// Use only these CPUs, such as 0-3,8
    #[arg(long, value_name = "LIST", value_parser = cpu_list, help_heading = "What to measure with")]
    pub(crate) cpus: Option<PuSet>,

    /// Size of each node's buffer, such as 1GiB (default: well beyond the caches, at most a quarter of free memory)
    #[arg(long, value_name = "SIZE", help_heading = "What to measure with")]
    pub(crate) buffer: Option<Bytes>,

    /// Page size of buffers: best, 4k, thp, 2m or 1g
    ///
    /// `best` uses reserved pages of 1 GiB, else of 2 MiB, else transparent huge pages. `4k` shows what the TLB costs.
    /// `2m` and `1g` need reserved pages (`sysctl vm.nr_hugepages`).
    #[arg(long, value_name = "PAGES", default_value_t, help_heading = "What to measure with")]
    pub(crate) pages: Pages,

    /// Instruction set of the bandwidth kernels (default: the fastest that this processor has)
    #[arg(long, value_name = "SET", value_parser = instruction_set_names(), help_heading = "What to measure with")]
    pub(crate) isa: Option<InstructionSet>,

    /// Hardware prefetchers: keep them unchanged, or switch them off while measuring
    ///
    /// `off` needs root, the kernel's `msr` module (`modprobe msr`) and a processor with documented controls: Intel
    /// from Nehalem to Emerald Rapids (no Atom, no hybrid), AMD from Zen 3; not in a virtual machine. zerohop restores
    /// them when it ends, also on a signal; after a SIGKILL, the next `survey` or `run` does.
    #[arg(
        long,
        value_enum,
        default_value = "keep",
        hide_possible_values = true,
        value_name = "WHETHER",
        help_heading = "What to measure with"
    )]
    pub(crate) prefetchers: PrefetchersArgument,

    /// Run the forms of kernels that were fastest in this result, without trials: two results of one host then differ in nothing that
    /// zerohop chose. What it does not name is tried as ever; `survey --repeat` reuses those of its first run.
    #[arg(long, value_name = "RESULT", help_heading = "What to measure with")]
    pub(crate) forms_from: Option<PathBuf>,

    /// Length of one sample, such as 50ms
    #[arg(long, value_name = "TIME", value_parser = sample_time, help_heading = "How long to measure")]
    pub(crate) duration: Option<Duration>,

    /// Total time, such as 30s: each cell gets less, is flagged where its interval stays wide, and left out if there is no time for it
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = "How long to measure")]
    pub(crate) budget: Option<Duration>,

    /// Repeat until the median's confidence interval is within this share of it, such as 1%
    #[arg(long, value_name = "PERCENT", value_parser = percentage, help_heading = "How long to measure")]
    pub(crate) interval: Option<f64>,

    /// Wait until other programs leave the CPUs alone, for this time at most, such as 10m
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = "How long to measure")]
    pub(crate) wait_quiet: Option<Duration>,

    /// Wait until no other zerohop measures on this host, for this time at most, then give up; 0 does not wait
    ///
    /// Two measurements at once measure each other. ZEROHOP_HOST_LOCK=NAME is a lock of its own, for cpusets that share nothing (no cache, no node, no
    /// link); ZEROHOP_HOST_LOCK=none is no lock. --budget counts from the end of the wait. Models wait for nobody.
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = waiting, help_heading = "How long to measure")]
    pub(crate) wait_for_host: Duration,

    /// Exit with 3 if the verdict on the measurement is not "good"
    #[arg(long)]
    pub(crate) strict: bool,

    /// Random seed: sets the order of measurements; in a simulation, when threads start and where random accesses go
    /// (default: 1)
    #[arg(long, value_name = "NUMBER", help_heading = "What to measure with", value_parser = super::values::seed)]
    pub(crate) seed: Option<u64>,
}

/// What to do with hardware prefetchers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum PrefetchersArgument {
    /// Leave them unchanged
    #[default]
    Keep,
    /// Switch them off while measuring
    Off,
}

/// Arguments of `survey`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  zerohop survey                    about a minute, the page on standard output
  zerohop survey --all              every table, not just the first screen
  zerohop survey --full -o before   into before/: result.json, report.html, survey.svg, survey.txt
  zerohop survey --nodes 0,1        two nodes of many
  zerohop survey --on quartet       a simulated machine
  zerohop survey --archive          and add the result to the archive
  zerohop survey --machine 'EPYC 9354,channels=12'
                                    beside what a machine of which that is known should reach
  zerohop survey --format json | jq '.experiments[].cells[] | [.at, .estimate.median]'

The result file is rewritten every ten seconds: a crash or a reset loses at most what was measured since.")]
pub(crate) struct SurveyArguments {
    #[command(flatten)]
    pub(crate) engine: EngineArguments,

    #[command(flatten)]
    pub(crate) measuring: MeasuringArguments,

    #[command(flatten)]
    pub(crate) machine: StatedMachineArgument,

    /// Print every table, as survey.txt has them (default: one screen)
    #[arg(long)]
    pub(crate) all: bool,

    /// Directory for result.json, report.html, survey.svg and survey.txt, or one file, if its name ends with .json, .html, .csv, .parquet,
    /// .svg or .txt; replaces an earlier one (default: zerohop-results/HOST-TIME, or MACHINE-model for a simulated
    /// machine)
    #[arg(short, long, value_name = "DIR|FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Save nothing, and print only: for whoever takes the result from standard output, with --format json
    #[arg(long, conflicts_with_all = ["output", "repeat"])]
    pub(crate) no_files: bool,

    /// Survey this many times, and save the later results beside the first as result-2.json and so on: `zerohop compare` takes
    /// them as runs of one configuration
    #[arg(long, value_name = "TIMES", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) repeat: u32,

    /// Output format (default: table)
    #[arg(long, value_name = "FORMAT", value_parser = Kind::of::<Survey<'static>>().parser())]
    pub(crate) format: Option<Form>,

    #[command(flatten)]
    pub(crate) columns: ColumnArguments,

    /// Add the result to an archive: this one, or without a name ZEROHOP_ARCHIVE, or else ~/.local/share/zerohop/archive.sqlite. With
    /// ZEROHOP_ARCHIVE set, results are added without this option
    #[arg(long, value_name = "FILE|URL", num_args = 0..=1, require_equals = true)]
    pub(crate) archive: Option<Option<String>>,
}
