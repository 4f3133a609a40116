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
    /// Measure for about a minute, to 1 % confidence intervals (default)
    #[arg(long, conflicts_with = "full")]
    pub(crate) quick: bool,

    /// Measure every core in finer steps to 0.5 % confidence intervals, however long it takes
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
    /// `best` uses reserved 1 GiB pages, else 2 MiB pages, else transparent huge pages. `4k` shows the cost of TLB misses.
    /// `2m` and `1g` need reserved pages (`sysctl vm.nr_hugepages`).
    #[arg(long, value_name = "PAGES", default_value_t, help_heading = "What to measure with")]
    pub(crate) pages: Pages,

    /// Instruction set of the bandwidth kernels (default: the fastest on this processor)
    #[arg(long, value_name = "SET", value_parser = instruction_set_names(), help_heading = "What to measure with")]
    pub(crate) isa: Option<InstructionSet>,

    /// Hardware prefetchers: `keep` them unchanged, or turn them `off` while measuring
    ///
    /// `off` needs root, the kernel's `msr` module (`modprobe msr`) and a processor with documented controls: Intel
    /// from Nehalem to Emerald Rapids (except Atom and hybrid processors), AMD from Zen 3. It does not work in a virtual
    /// machine. zerohop restores the prefetchers when it exits, also on a signal; after a SIGKILL, the next `survey` or
    /// `run` restores them.
    #[arg(
        long,
        value_enum,
        default_value = "keep",
        hide_possible_values = true,
        value_name = "WHETHER",
        help_heading = "What to measure with"
    )]
    pub(crate) prefetchers: PrefetchersArgument,

    /// Use the kernel variants that were fastest in this result instead of trying all of them
    ///
    /// Two results of one host then use the same variants. Kernels that the result does not name are tried as usual.
    /// `survey --repeat` reuses the variants of its first run.
    #[arg(long, value_name = "RESULT", help_heading = "What to measure with")]
    pub(crate) forms_from: Option<PathBuf>,

    /// Length of one sample, such as 50ms
    #[arg(long, value_name = "TIME", value_parser = sample_time, help_heading = "How long to measure")]
    pub(crate) duration: Option<Duration>,

    /// Limit the total time, such as 30s: cells get less time, are flagged if their interval stays wide, and are skipped when time
    /// runs out
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = "How long to measure")]
    pub(crate) budget: Option<Duration>,

    /// Repeat until the confidence interval is within this percentage of the median, such as 1%
    #[arg(long, value_name = "PERCENT", value_parser = percentage, help_heading = "How long to measure")]
    pub(crate) interval: Option<f64>,

    /// Wait at most this long for other programs to leave the CPUs idle, such as 10m
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = "How long to measure")]
    pub(crate) wait_quiet: Option<Duration>,

    /// Wait at most this long for another zerohop to finish measuring on this host, then give up; 0 does not wait
    ///
    /// Simultaneous measurements disturb each other. ZEROHOP_HOST_LOCK=NAME uses a separate lock, for cpusets that share no
    /// cache, node or link; ZEROHOP_HOST_LOCK=none uses no lock. --budget starts after the wait. Simulations do not wait.
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = waiting, help_heading = "How long to measure")]
    pub(crate) wait_for_host: Duration,

    /// Exit with 3 if the verdict on the measurement is not "good"; `survey` exits with 1 if it finds a fault
    #[arg(long)]
    pub(crate) strict: bool,

    /// Random seed: determines the order of measurements; in a simulation, when threads start and where random accesses go
    /// (default: 1)
    #[arg(long, value_name = "NUMBER", help_heading = "What to measure with", value_parser = super::values::seed)]
    pub(crate) seed: Option<u64>,
}

/// The help of `survey -o`.
fn saving_survey() -> String {
    format!(
        "Directory for result.json, report.html, survey.svg and survey.txt, or one file, if its name ends with {}; replaces an existing one (default: zerohop-results/HOST-TIME; for a simulated machine, its name with faults and settings, and -model)",
        Kind::of::<Survey<'_>>().endings()
    )
}

/// What to do with hardware prefetchers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum PrefetchersArgument {
    /// Leave them unchanged
    #[default]
    Keep,
    /// Turn them off while measuring
    Off,
}

/// Arguments of `survey`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  zerohop survey                    measure for about a minute, and print one screen
  zerohop survey --all              print every table
  zerohop survey --full -o before   into before/: result.json, report.html, survey.svg, survey.txt
  zerohop survey --nodes 0,1        only two nodes
  zerohop survey --on quartet       a simulated machine
  zerohop survey --archive          also add the result to the archive
  zerohop survey --machine 'EPYC 9354,channels=12'
                                    compare with the expected values of this machine
  zerohop survey --format json | jq '.experiments[].cells[] | [.at, .estimate.median]'

zerohop rewrites the result file every ten seconds: a crash or a reset loses at most the last ten seconds.")]
pub(crate) struct SurveyArguments {
    #[command(flatten)]
    pub(crate) engine: EngineArguments,

    #[command(flatten)]
    pub(crate) measuring: MeasuringArguments,

    #[command(flatten)]
    pub(crate) machine: StatedMachineArgument,

    /// Print every table, as in survey.txt (default: one screen)
    #[arg(long)]
    pub(crate) all: bool,

    #[arg(short, long, value_name = "DIR|FILE", help = saving_survey())]
    pub(crate) output: Option<PathBuf>,

    /// Do not save any files, for example to read the result from standard output with --format json
    #[arg(long, conflicts_with_all = ["output", "repeat"])]
    pub(crate) no_files: bool,

    /// Survey N times, and save further results beside the first as result-2.json and so on; `zerohop compare` reads them as
    /// runs of one configuration
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) repeat: u32,

    /// Output format (default: table)
    #[arg(long, value_name = "FORMAT", value_parser = Kind::of::<Survey<'static>>().parser())]
    pub(crate) format: Option<Form>,

    #[command(flatten)]
    pub(crate) columns: ColumnArguments,

    /// Add the result to this archive (default archive: $ZEROHOP_ARCHIVE, or ~/.local/share/zerohop/archive.sqlite); if
    /// ZEROHOP_ARCHIVE is set, results are added even without this option
    #[arg(long, value_name = "FILE|URL", num_args = 0..=1, require_equals = true)]
    pub(crate) archive: Option<Option<String>>,
}
