//! What comes out: cells with coordinates, each an estimate with its interval, its evidence and its raw samples.
//!
//! Every experiment has the same form, so that tables, files, comparisons and pictures are written once. Nothing here
//! tells whether a host measured it or a model computed it.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zerohop_machine::Machine;
use zerohop_units::{Bytes, GigabytesPerSecond, Nanoseconds, Seconds};
use zerohop_workload::{Backing, EngineDescription, InstructionSet, Pages, Warning};

/// Version of the result file's form. Raised when a reader of the old form would go wrong.
pub const SCHEMA_VERSION: u32 = 1;

/// A result file: one machine, one engine, one or more experiments.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ResultFile {
    /// [`SCHEMA_VERSION`] of the writer.
    pub schema_version: u32,
    /// The writer (`zerohop 0.1.0`).
    pub produced_by: String,
    /// When it began, RFC 3339.
    pub started_at: String,
    /// When it ended, RFC 3339; absent while it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<String>,
    /// Whether all of it is here.
    pub completion: Completion,
    /// What did it.
    pub engine: EngineDescription,
    /// The machine it was done on.
    pub machine: Machine,
    /// How it was done.
    pub settings: Settings,
    /// In the order in which they ran.
    pub experiments: Vec<ExperimentResult>,
    /// What concerns all of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
}

/// Whether a result is whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Completion {
    /// Everything planned was done.
    Complete,
    /// The user or a signal stopped it.
    Interrupted,
    /// It is still being written, or its writer died.
    Running,
}

/// How experiments were done: what was asked for.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Settings {
    /// `quick`, `full` or `custom`.
    pub effort: String,
    /// Pages of buffers.
    pub pages: Pages,
    /// Buffer of each worker or node, where the user fixed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffer: Option<Bytes>,
    /// Instruction set, where the user fixed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instruction_set: Option<InstructionSet>,
    /// Hardware prefetchers that were switched off for it, as the processor's maker calls them; those that are not
    /// named were left as they were.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prefetchers_off: Vec<String>,
    /// Half width of the confidence interval that was asked for, relative to the median.
    pub interval: f64,
    /// Confidence of intervals, 0 to 1.
    pub confidence: f64,
}

/// The experiments there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ExperimentName {
    /// Idle latency, initiator node by target node.
    LatencyMatrix,
    /// Read bandwidth, initiator node by target node.
    BandwidthMatrix,
    /// The STREAM four, with regular and non-temporal stores, of every node and of the machine.
    Stream,
    /// Read, write, and read:write mixes, of every node and of the machine.
    Mixes,
    /// Latency against bandwidth as the load of the node grows.
    LoadedLatency,
    /// Latency of each level of the cache hierarchy, and of memory.
    CacheLatency,
    /// Latency of handing a line from core to core.
    CoreToCore,
    /// Idle latency, every core by every target node.
    CoreLatency,
    /// Read bandwidth of all cores by access width and by placement of one large buffer.
    GlobalBandwidth,
}

/// One experiment's result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExperimentResult {
    /// Which.
    pub experiment: ExperimentName,
    /// Whether all its cells are here.
    pub completion: Completion,
    /// How long it took.
    pub elapsed: Seconds,
    /// What was measured. Two cells may share coordinates if they differ in measure.
    pub cells: Vec<Cell>,
    /// What concerns all its cells.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
}

/// One number, where it stands, and why to believe it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cell {
    /// Where it stands.
    pub at: Coordinates,
    /// What it is, and its unit.
    pub measure: Measure,
    /// The number and its interval, in the measure's unit.
    pub estimate: Estimate,
    /// What proves it.
    pub evidence: Evidence,
    /// Every sample that counted, in the order taken, in the measure's unit.
    pub samples: Vec<f64>,
    /// What makes it doubtful.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
}

/// What a cell's number is. The unit is part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub enum Measure {
    /// ns of one dependent load, or of one handoff one way.
    #[serde(rename = "latency_ns")]
    Latency,
    /// Decimal GB/s of bytes that the program asked for.
    #[serde(rename = "bandwidth_gbps")]
    Bandwidth,
    /// Decimal GB/s that the memory bus carries for it.
    #[serde(rename = "bus_traffic_gbps")]
    BusTraffic,
}

/// A median with its confidence interval, and the spread of the samples.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Estimate {
    /// Median of the samples.
    pub median: f64,
    /// Lower end of the median's confidence interval.
    pub low: f64,
    /// Upper end of it.
    pub high: f64,
    /// Smallest sample.
    pub min: f64,
    /// Largest sample.
    pub max: f64,
    /// Arithmetic mean of the samples.
    pub mean: f64,
    /// Standard deviation of the samples (n - 1); zero for one sample.
    pub standard_deviation: f64,
}

/// What proves a number: where memory was, and how quiet it was.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    /// How many workers took part.
    pub workers: u32,
    /// Memory that their buffers took together.
    #[serde(default)]
    pub buffers: Bytes,
    /// The worst backing of any worker's buffer.
    pub backing: Backing,
    /// The smallest share of wall time that any worker ran, over samples that count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_share: Option<f64>,
    /// Times that workers were taken off their PUs, over samples that count.
    pub involuntary_switches: u64,
    /// The largest share of time stolen by a hypervisor in any sample that counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steal_share: Option<f64>,
    /// Lowest and highest clock seen, in GHz.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_ghz: Option<(f64, f64)>,
    /// The most CPU time that other processes took in any sample that counts, in CPUs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other_load: Option<f64>,
    /// Samples set aside because they were disturbed.
    pub disturbed: u32,
    /// Samples that count, but lie beyond Tukey's outer fences; the median is not moved by them.
    #[serde(default)]
    pub outliers: u32,
    /// Time of one sample.
    pub window: Seconds,
}

/// What tells the cells of an experiment apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Axis {
    /// Node (number) whose PUs ask, or `all`.
    Initiator,
    /// Node (number) whose memory answers, `local` (each initiator its own) or `interleaved`.
    Target,
    /// PU that asks.
    Cpu,
    /// PU that hands a line over (core-to-core).
    From,
    /// PU that takes it.
    To,
    /// Bandwidth kernel, by name.
    Kernel,
    /// Read:write mix in words (`all_reads`, `3:1`, `2:1`, `1:1`, `stream_triad_like`, …).
    Mix,
    /// How many workers.
    Threads,
    /// Cycles of delay injected (loaded latency); the larger, the less load.
    Delay,
    /// Level of the hierarchy (`L1`, `L2`, `L3`, `memory`).
    Level,
    /// Size of the buffer, in bytes.
    Footprint,
    /// Width of one access, in bytes.
    Width,
    /// How a shared buffer was placed (`first_touch_one`, `first_touch_users`, `interleaved`).
    Placement,
    /// Independent chains followed at once.
    Chains,
    /// For summaries over an axis: `min`, `mean`, `max`, `standard_deviation`.
    Statistic,
}

/// A place along an axis.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Coordinate {
    /// A number: a node, a PU, a count, a size.
    Number(u64),
    /// A word.
    Word(String),
}

/// Where a cell stands.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Coordinates(pub BTreeMap<Axis, Coordinate>);

impl Coordinates {
    /// No coordinates yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// These, and one more.
    #[must_use]
    pub fn with(mut self, axis: Axis, place: impl Into<Coordinate>) -> Self {
        self.0.insert(axis, place.into());
        self
    }

    /// The place along `axis`.
    pub fn get(&self, axis: Axis) -> Option<&Coordinate> {
        self.0.get(&axis)
    }

    /// The number along `axis`, if it is one.
    pub fn number(&self, axis: Axis) -> Option<u64> {
        match self.get(axis) {
            Some(Coordinate::Number(number)) => Some(*number),
            Some(Coordinate::Word(_)) | None => None,
        }
    }

    /// Whether `place` is where it stands along `axis`.
    pub fn is(&self, axis: Axis, place: impl Into<Coordinate>) -> bool {
        self.get(axis) == Some(&place.into())
    }
}

impl From<u64> for Coordinate {
    fn from(number: u64) -> Self {
        Self::Number(number)
    }
}

impl From<u32> for Coordinate {
    fn from(number: u32) -> Self {
        Self::Number(number.into())
    }
}

impl From<usize> for Coordinate {
    fn from(number: usize) -> Self {
        Self::Number(number as u64)
    }
}

impl From<&str> for Coordinate {
    fn from(word: &str) -> Self {
        Self::Word(word.to_owned())
    }
}

impl fmt::Display for Coordinate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => fmt::Display::fmt(number, f),
            Self::Word(word) => f.pad(word),
        }
    }
}

impl Axis {
    /// Every one, in the order of columns.
    pub const ALL: [Self; 15] = [
        Self::Initiator,
        Self::Target,
        Self::Cpu,
        Self::From,
        Self::To,
        Self::Kernel,
        Self::Mix,
        Self::Threads,
        Self::Delay,
        Self::Level,
        Self::Footprint,
        Self::Width,
        Self::Placement,
        Self::Chains,
        Self::Statistic,
    ];

    /// Its name in files and column heads.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Initiator => "initiator",
            Self::Target => "target",
            Self::Cpu => "cpu",
            Self::From => "from",
            Self::To => "to",
            Self::Kernel => "kernel",
            Self::Mix => "mix",
            Self::Threads => "threads",
            Self::Delay => "delay",
            Self::Level => "level",
            Self::Footprint => "footprint",
            Self::Width => "width",
            Self::Placement => "placement",
            Self::Chains => "chains",
            Self::Statistic => "statistic",
        }
    }
}

impl Measure {
    /// Its unit, as printed in column heads.
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Latency => Nanoseconds::UNIT,
            Self::Bandwidth | Self::BusTraffic => GigabytesPerSecond::UNIT,
        }
    }

    /// Its name in words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Latency => "latency",
            Self::Bandwidth => "bandwidth",
            Self::BusTraffic => "bus traffic",
        }
    }

    /// Whether a larger number is better.
    pub const fn larger_is_better(self) -> bool {
        !matches!(self, Self::Latency)
    }
}

impl Estimate {
    /// Half the interval's width over the median; zero where the median is zero.
    pub fn relative_half_width(&self) -> f64 {
        if self.median == 0.0 { 0.0 } else { (self.high - self.low) / 2.0 / self.median.abs() }
    }
}

impl ExperimentResult {
    /// The cell at these coordinates with this measure.
    pub fn cell(&self, at: &Coordinates, measure: Measure) -> Option<&Cell> {
        self.cells.iter().find(|cell| cell.measure == measure && cell.at == *at)
    }

    /// Every place along an axis that some cell has, ascending, numbers before words.
    pub fn places(&self, axis: Axis) -> Vec<&Coordinate> {
        let mut places: Vec<_> = self.cells.iter().filter_map(|cell| cell.at.get(axis)).collect();
        places.sort();
        places.dedup();
        places
    }
}

impl ExperimentName {
    /// Every one, with its name and one sentence on what it measures.
    pub const ALL: [(Self, &'static str, &'static str); 9] = [
        (Self::LatencyMatrix, "latency-matrix", "idle latency, initiator node by target node"),
        (Self::BandwidthMatrix, "bandwidth-matrix", "read bandwidth, initiator node by target node"),
        (Self::Stream, "stream", "the STREAM four, with regular and non-temporal stores"),
        (Self::Mixes, "mixes", "read, write, and read:write mixes"),
        (Self::LoadedLatency, "loaded-latency", "latency against bandwidth as load grows"),
        (Self::CacheLatency, "cache-latency", "latency of each cache level and of memory"),
        (Self::CoreToCore, "core-to-core", "latency of handing a cache line from core to core"),
        (Self::CoreLatency, "core-latency", "idle latency, every core by every target node"),
        (
            Self::GlobalBandwidth,
            "global-bandwidth",
            "read bandwidth by access width and placement of one large buffer",
        ),
    ];

    fn row(self) -> &'static (Self, &'static str, &'static str) {
        // The table lists the variants in order: a test holds it to that.
        &Self::ALL[self as usize]
    }

    /// Its name on the command line and in results.
    pub fn name(self) -> &'static str {
        self.row().1
    }

    /// What it measures, in a few words.
    pub fn summary(self) -> &'static str {
        self.row().2
    }
}

impl fmt::Display for ExperimentName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn experiments_are_listed_in_the_order_of_the_variants() {
        for (rank, (name, text, _)) in ExperimentName::ALL.into_iter().enumerate() {
            assert_eq!(name as usize, rank);
            assert_eq!(serde_json::to_value(name).unwrap(), text);
        }
    }

    #[test]
    fn coordinates_are_plain_json() {
        let at = Coordinates::new().with(Axis::Initiator, 0u32).with(Axis::Target, "local");
        let json = serde_json::to_string(&at).unwrap();
        assert_eq!(json, r#"{"initiator":0,"target":"local"}"#);
        assert_eq!(serde_json::from_str::<Coordinates>(&json).unwrap(), at);
    }
}
