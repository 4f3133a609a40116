//! Arguments of `mlc`: those of Intel's Memory Latency Checker, as it spells them.

use std::time::Duration;

use clap::{ArgGroup, Args};
use zerohop_machine::{NodeId, PuId, PuSet};
use zerohop_report::MlcOutput;
use zerohop_units::Bytes;
use zerohop_workload::{InstructionSet, Kernel, OptionNames, Pages};

use super::values::{cpu_list, mix_number, node, processor, seconds, size_in_kibibytes, waiting};
use super::{EngineArguments, MeasuringArguments, PrefetchersArgument};

/// Samples of a cell, roughly: `-t` is the time of all of them.
const SAMPLES: u32 = 8;

/// The measurements on which options act that do not act on all.
const IDLE: &[&str] = &["--idle_latency"];
const LOADED: &[&str] = &["--loaded_latency"];
const LOADS: &[&str] = &["--bandwidth_matrix", "--loaded_latency"];
const BANDWIDTHS: &[&str] =
    &["--bandwidth_matrix", "--peak_injection_bandwidth", "--max_bandwidth", "--loaded_latency"];
const NAMED_CPUS: &[&str] = &[
    "--bandwidth_matrix",
    "--peak_injection_bandwidth",
    "--max_bandwidth",
    "--loaded_latency",
    "--c2c_latency",
];
const BUFFERS: &[&str] = &[
    "--latency_matrix",
    "--bandwidth_matrix",
    "--peak_injection_bandwidth",
    "--max_bandwidth",
    "--loaded_latency",
    "--idle_latency",
];

/// Arguments of `mlc`.
#[derive(Debug, Args)]
#[command(
    group = ArgGroup::new("measurement").multiple(false),
    after_help = "\
Examples:
  zerohop mlc                                 all measurements, in MLC's order
  zerohop mlc --latency_matrix
  zerohop mlc --loaded_latency -W2 -t2
  zerohop mlc --idle_latency -c0 -j1 -b200m
  zerohop mlc --bandwidth_matrix --on sr665-v3

In scripts, replace `mlc` with `zerohop mlc`. The output is that of `--format mlc`; lines that begin
with `***` state the origin of the values, and where their meaning differs from MLC's. Other MLC
options have no counterpart and are rejected."
)]
pub(crate) struct MlcArguments {
    /// Measure idle latency from every node to every node
    #[arg(long = "latency_matrix", group = "measurement")]
    latency_matrix: bool,

    /// Measure read bandwidth from every node to every node
    #[arg(long = "bandwidth_matrix", group = "measurement")]
    bandwidth_matrix: bool,

    /// Measure local bandwidth of all cores, by ratio of reads to writes
    #[arg(long = "peak_injection_bandwidth", group = "measurement")]
    peak_injection_bandwidth: bool,

    /// Same as --peak_injection_bandwidth, with MLC's other heading
    #[arg(long = "max_bandwidth", group = "measurement")]
    max_bandwidth: bool,

    /// Measure latency under increasing load
    #[arg(long = "loaded_latency", group = "measurement")]
    loaded_latency: bool,

    /// Measure core-to-core latency
    #[arg(long = "c2c_latency", group = "measurement")]
    c2c_latency: bool,

    /// Measure idle latency from one CPU (-c) to one node's memory (-j)
    #[arg(long = "idle_latency", group = "measurement")]
    idle_latency: bool,

    /// Buffer size per thread: a number of KiB, or with a unit (200m, 2g)
    #[arg(short = 'b', value_name = "SIZE", value_parser = size_in_kibibytes)]
    buffer: Option<Bytes>,

    /// Wait at most this long for another zerohop to finish measuring on this host, then give up; 0 does not wait
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = waiting)]
    wait_for_host: Duration,

    /// Time per point, in seconds
    #[arg(short = 't', value_name = "SECONDS", value_parser = seconds)]
    seconds: Option<Duration>,

    /// Ratio of reads to writes under load: 2 = 2:1, 3 = 3:1, 5 = 1:1, 6 = non-temporal writes, 8 = 1:1 with
    /// non-temporal writes, 10 = 2:1 with non-temporal writes
    #[arg(short = 'W', value_name = "NUMBER", value_parser = mix_number, conflicts_with = "reads")]
    mix: Option<Kernel>,

    /// Only reads under load (default)
    #[arg(short = 'R')]
    reads: bool,

    /// Delay of the load: only 0, the heaviest; other delays would differ from MLC's
    #[arg(short = 'd', value_name = "DELAY", value_parser = ["0"])]
    delay: Option<String>,

    /// CPU to measure the latency of
    #[arg(short = 'c', value_name = "CPU", value_parser = processor)]
    cpu: Option<PuId>,

    /// Node whose memory to read
    #[arg(short = 'j', value_name = "NODE", value_parser = node)]
    node: Option<NodeId>,

    /// CPUs that generate load, such as 0-3,8
    #[arg(short = 'k', value_name = "CPUS", value_parser = cpu_list)]
    cpus: Option<PuSet>,

    /// Use one thread of each core (default: all threads)
    #[arg(short = 'X', conflicts_with = "cpus")]
    one_thread: bool,

    /// Use AVX2 loads and stores
    #[arg(short = 'Y', conflicts_with = "avx512")]
    avx2: bool,

    /// Use AVX-512 loads and stores
    #[arg(short = 'Z')]
    avx512: bool,

    /// Leave hardware prefetchers unchanged; always on, because loads are in random order
    #[arg(short = 'e')]
    keep_prefetchers: bool,

    /// Use random accesses in latency measurements; always on
    #[arg(short = 'r')]
    random: bool,

    /// Use huge pages; always on, if the system has them
    #[arg(short = 'L')]
    huge_pages: bool,

    #[command(flatten)]
    pub(crate) engine: EngineArguments,
}

/// Which CPUs put load on memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Loaders {
    /// Every thread of every core.
    AllThreads,
    /// One thread of each core.
    OneThreadOfEach,
    Only(PuSet),
}

impl MlcArguments {
    /// The one measurement that was asked for; `None` for all of them.
    pub(crate) fn output(&self) -> Option<MlcOutput> {
        let asked = [
            (self.latency_matrix, MlcOutput::LatencyMatrix),
            (self.bandwidth_matrix, MlcOutput::BandwidthMatrix),
            (self.peak_injection_bandwidth, MlcOutput::PeakInjectionBandwidth),
            (self.max_bandwidth, MlcOutput::MaxBandwidth),
            (self.loaded_latency, MlcOutput::LoadedLatency { heaviest: self.delay.is_some() }),
            (self.c2c_latency, MlcOutput::CacheToCache),
            (self.idle_latency, MlcOutput::IdleLatency { target: self.node }),
        ];
        asked.into_iter().find(|(asked, _)| *asked).map(|(_, output)| output)
    }

    /// The options that do not act on everything that is measured, each with the measurements that it acts on.
    pub(crate) fn acting_on_some(&self) -> Vec<(&'static str, &'static [&'static str])> {
        let typed = [
            (self.cpu.is_some(), "-c", IDLE),
            (self.node.is_some(), "-j", IDLE),
            (self.delay.is_some(), "-d", LOADED),
            (self.mix.is_some(), "-W", LOADS),
            (self.reads, "-R", LOADS),
            (self.cpus.is_some(), "-k", NAMED_CPUS),
            (self.one_thread, "-X", BANDWIDTHS),
            (self.avx2, "-Y", BANDWIDTHS),
            (self.avx512, "-Z", BANDWIDTHS),
            (self.buffer.is_some(), "-b", BUFFERS),
        ];
        let measured = self.measurement();
        let is_partial = |on: &[&str]| measured.is_none_or(|measured| !on.contains(&measured));
        typed
            .into_iter()
            .filter(|(typed, _, on)| *typed && is_partial(on))
            .map(|(_, option, on)| (option, on))
            .collect()
    }

    /// The option that selects the one measurement that was asked for; `None` for all of them.
    pub(crate) fn measurement(&self) -> Option<&'static str> {
        let asked = [
            (self.latency_matrix, "--latency_matrix"),
            (self.bandwidth_matrix, "--bandwidth_matrix"),
            (self.peak_injection_bandwidth, "--peak_injection_bandwidth"),
            (self.max_bandwidth, "--max_bandwidth"),
            (self.loaded_latency, "--loaded_latency"),
            (self.c2c_latency, "--c2c_latency"),
            (self.idle_latency, "--idle_latency"),
        ];
        asked.into_iter().find(|(asked, _)| *asked).map(|(_, option)| option)
    }

    /// The option that selects an instruction set, if any.
    pub(crate) const fn instruction_set_option(&self) -> Option<&'static str> {
        match self {
            Self { avx2: true, .. } => Some("-Y"),
            Self { avx512: true, .. } => Some("-Z"),
            _ => None,
        }
    }

    /// The options that hints name.
    pub(crate) fn option_names(&self) -> OptionNames {
        OptionNames {
            buffer: "-b",
            // `-c` is the CPU of the idle latency.
            cpus: if self.idle_latency { "-c" } else { "-k" },
            instruction_set: self.instruction_set_option().unwrap_or("-Y and -Z"),
            nodes: self.idle_latency.then_some("-j"),
            pages: None,
        }
    }

    /// The mix of the load.
    pub(crate) const fn kernel(&self) -> Option<Kernel> {
        self.mix
    }

    /// The buffer of one thread.
    pub(crate) const fn buffer(&self) -> Option<Bytes> {
        self.buffer
    }

    /// The CPU whose latency is measured.
    pub(crate) const fn cpu(&self) -> Option<PuId> {
        self.cpu
    }

    /// The CPUs that put load on memory.
    pub(crate) fn loaders(&self) -> Loaders {
        match &self.cpus {
            Some(cpus) => Loaders::Only(cpus.clone()),
            None if self.one_thread => Loaders::OneThreadOfEach,
            None => Loaders::AllThreads,
        }
    }

    /// In zerohop's own words, as far as they do not depend on the machine.
    pub(crate) fn measuring(&self) -> MeasuringArguments {
        let isa = match (self.avx2, self.avx512) {
            (true, _) => Some(InstructionSet::Avx2),
            (_, true) => Some(InstructionSet::Avx512),
            _ => None,
        };
        MeasuringArguments {
            quick: true,
            full: false,
            nodes: None,
            cpus: None,
            buffer: None,
            pages: Pages::Best,
            isa,
            prefetchers: PrefetchersArgument::Keep,
            forms_from: None,
            duration: self.seconds.map(|time| time / SAMPLES),
            budget: None,
            interval: None,
            wait_quiet: None,
            wait_for_host: self.wait_for_host,
            strict: false,
            seed: None,
        }
    }
}
