//! Warnings about results, as types: each states an observation and advice.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::mem::{Discriminant, discriminant};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zerohop_machine::{NodeId, PuId, PuSet};
use zerohop_units::{Bytes, Nanoseconds, RelativeMargin, Seconds};

/// A reason why a result is doubtful or incomplete.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "warning", rename_all = "snake_case", deny_unknown_fields, expecting = "expected a warning")]
#[schemars(transform = crate::open_schema)]
pub enum Warning {
    /// Fewer huge pages than requested: TLB misses are part of the result.
    HugePagesMissing {
        /// Share of the buffer on huge pages, 0 to 1.
        share: f64,
    },
    /// Pages are on other nodes than requested.
    PagesMisplaced {
        /// Share of checked pages on the requested node, 0 to 1.
        share: f64,
    },
    /// The placement of pages could not be read back.
    PlacementUnproven {
        /// The reason.
        reason: String,
    },
    /// Memory could not be bound: the kernel's first-touch policy placed it.
    PlacementNotBound {
        /// The reason.
        reason: String,
    },
    /// A worker shared its PU.
    CpuTaken {
        /// Smallest share of wall time that a worker ran, 0 to 1.
        share: f64,
    },
    /// Workers took turns, because other programs used their PUs.
    RarelyTogether {
        /// Smallest share of a window in which all workers ran, 0 to 1.
        share: f64,
    },
    /// Workers had too little CPU time, because the cgroup limits it.
    QuotaShort {
        /// Smallest share of wall time that a worker ran, 0 to 1.
        share: f64,
        /// CPU time that the cgroup allows, in CPUs.
        quota: f64,
        /// Number of workers.
        workers: u32,
    },
    /// The hypervisor moved virtual CPUs: the samples are of several machines.
    CpusMoved {
        /// Shortest time, in any sample, to transfer a line between two CPUs that are announced as sharing a cache, in ns.
        least: Nanoseconds,
        /// Longest such time, in ns.
        most: Nanoseconds,
    },
    /// A worker's CPU is on another node than was assumed because `/sys/devices/system/node` is missing: memory counted as local may be remote.
    CpuElsewhere {
        /// The first such CPU.
        pu: PuId,
        /// Node of the CPU, as the kernel reports it.
        node: NodeId,
        /// Node that was assumed.
        assumed: NodeId,
    },
    /// A worker lost its CPU: only samples taken before that count.
    CpuLost {
        /// The CPU, and the reason.
        reason: String,
    },
    /// Too many samples were disturbed and had to be repeated.
    SamplesDisturbed {
        /// Number of disturbed samples, including the ones that count because there were too few quiet ones.
        disturbed: u32,
        /// Total number of samples.
        taken: u32,
    },
    /// A hypervisor moved the CPUs during the measurement. The value comes from the samples with the most frequent placement.
    PlacedSeveralWays {
        /// Share of the samples that count, 0 to 1.
        share: f64,
        /// Number of different placements.
        ways: u32,
    },
    /// The samples have two peaks: the result depends on which of two states the machine was in.
    TwoPeaks {
        /// Center of the lower peak, in the cell's unit.
        low: f64,
        /// Center of the upper peak, in the cell's unit.
        high: f64,
        /// Share of the samples in the lower peak, 0 to 1.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        share: Option<f64>,
    },
    /// The median latency is well above the latency in the quietest tenth of the time: other programs or guests use the memory or the caches.
    LatencyRaised {
        /// Median latency, in ns.
        median: f64,
        /// Latency in the quietest tenth of the time, in ns.
        quiet: f64,
    },
    /// Time ran out before the interval was as narrow as requested.
    IntervalWide {
        /// Requested half width of the interval, relative to the median.
        asked: f64,
        /// Half width reached, relative to the median.
        reached: f64,
    },
    /// The limit on samples was reached before the interval was as narrow as requested.
    SpreadWide {
        /// Requested half width of the interval, relative to the median.
        asked: f64,
        /// Half width reached, relative to the median.
        reached: f64,
        /// Number of samples that count.
        samples: u32,
    },
    /// The time allowed too few samples to reach the requested confidence.
    SamplesFew {
        /// Number of samples.
        samples: u32,
        /// Confidence level of the resulting interval, 0 to 1.
        confidence: f64,
    },
    /// The buffer is not much larger than the last-level cache: cache hits are part of the result.
    BufferNearCache {
        /// Size of the buffer.
        buffer: Bytes,
        /// Size of the cache.
        cache: Bytes,
    },
    /// The cache sizes are unknown, and the buffer may not be larger than the caches: cache hits may be part of the result.
    CachesUnknown {
        /// Size of the buffer.
        buffer: Bytes,
    },
    /// The clock rate changed during the measurement.
    ClockDrift {
        /// Lowest over highest clock rate, 0 to 1.
        ratio: f64,
    },
    /// The processor throttled.
    Throttled {},
    /// A background worker did not reach its demanded rate.
    DemandNotReached {
        /// Reached over demanded rate, 0 to 1.
        share: f64,
    },
    /// The hypervisor gave CPU time to other guests.
    Stolen {
        /// Share of time stolen, 0 to 1.
        share: f64,
    },
    /// A node's memory was not measured. Its CPUs may take part.
    NodeSkipped {
        /// The node.
        node: NodeId,
        /// The reason.
        reason: String,
    },
    /// PUs were not used.
    CpusSkipped {
        /// The PUs.
        pus: PuSet,
        /// The reason.
        reason: String,
    },
    /// PUs were not used because the kernel isolates them from programs that do not request them.
    CpusIsolated {
        /// The PUs.
        pus: PuSet,
    },
    /// The kernel splits nodes into several emulated ones (`numa=fake`).
    NodesFake {},
    /// A virtual machine's cache behaves like a smaller one than advertised.
    CacheSmaller {
        /// Advertised size of the cache.
        advertised: Bytes,
        /// Approximate effective size of the cache.
        behaves_like: Bytes,
    },
    /// Some of the requested cases do not exist on this machine.
    CasesSkipped {
        /// Number of skipped cases.
        cases: u64,
        /// Number of requested cases.
        of: u64,
        /// The reason.
        reason: String,
    },
    /// The time budget is too short for a few samples of every cell.
    BudgetShort {
        /// The time budget.
        budget: Seconds,
        /// Time needed for a few samples of every cell.
        least: Seconds,
    },
    /// An experiment could not run at all.
    ExperimentSkipped {
        /// The experiment.
        experiment: String,
        /// The reason.
        reason: String,
    },
    /// A simulated machine's throughput had not settled when sampled.
    NotSteady {},
    /// The workload was simulated line by line, because mean-value analysis does not apply.
    SimulatedInstead {
        /// The reason.
        reason: String,
    },
    /// The time to read the clock is a noticeable part of one step.
    ClockCoarse {
        /// Resolution of the clock.
        resolution: Nanoseconds,
    },
    /// A value from another tool that cannot be true.
    Implausible {
        /// The reason.
        reason: String,
    },
    /// A part of another tool's output that is not next to the part of the text that it belongs to.
    Attributed {
        /// The part and the reason, in words.
        what: String,
    },
    /// A part of another tool's output that was not imported.
    NotImported {
        /// The part, in words.
        what: String,
    },
    /// A warning by the tool whose output was imported.
    ToolWarned {
        /// Text of the warning.
        message: String,
    },
    /// A warning of a later version, or one with fields that this version does not know.
    #[serde(untagged)]
    Unknown(UnknownWarning),
}

/// A warning that this version does not know, as written in its file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UnknownWarning {
    warning: String,
    #[serde(flatten)]
    fields: BTreeMap<String, serde_json::Value>,
}

impl UnknownWarning {
    pub fn name(&self) -> &str {
        &self.warning
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = |share: f64| format!("{:.0} %", share * 100.0);
        match self {
            Self::HugePagesMissing { share } => {
                write!(f, "only {} of the buffer is on huge pages", percent(*share))
            }
            Self::PagesMisplaced { share } => {
                write!(f, "only {} of the pages are on the requested node", percent(*share))
            }
            Self::PlacementUnproven { reason } => write!(f, "page placement is not verified: {reason}"),
            Self::PlacementNotBound { reason } => write!(f, "memory was not bound to its node: {reason}"),
            Self::CpuTaken { share } => {
                write!(f, "a worker had its CPU for only {} of the time", percent(*share))
            }
            Self::RarelyTogether { share } => {
                write!(f, "all workers together ran for only {} of the time", percent(*share))
            }
            Self::QuotaShort { share, quota, workers } => {
                let quota = format!("the cgroup limits {workers} workers to the time of {quota} CPUs");
                write!(f, "a worker had its CPU for only {} of the time: {quota}", percent(*share))
            }
            Self::CpusMoved { least, most } => write!(
                f,
                "the hypervisor moved CPUs: two that share a cache were {:.0} to {:.0} ns apart",
                least.get(),
                most.get()
            ),
            Self::CpuElsewhere { pu, node, assumed } => {
                write!(f, "CPU {pu} was assumed to be on node {assumed}, but is on node {node}")
            }
            Self::CpuLost { reason } => write!(f, "sampling ended early: {reason}"),
            Self::SamplesDisturbed { disturbed, taken } => {
                write!(f, "{disturbed} of {taken} samples were disturbed")
            }
            Self::PlacedSeveralWays { share, ways } => write!(
                f,
                "the hypervisor placed the CPUs in {ways} ways: the value comes from the {:.0} % of samples that agree",
                share * 100.0
            ),
            Self::TwoPeaks { low, high, share: None } => {
                write!(f, "samples have two peaks, near {low:.1} and {high:.1}")
            }
            Self::TwoPeaks { low, high, share: Some(share) } => write!(
                f,
                "the machine was in two states: near {low:.1} for {:.0} % of the samples, and near {high:.1}",
                100.0 * share
            ),
            Self::LatencyRaised { median, quiet } => {
                write!(
                    f,
                    "latency was {quiet:.1} ns in the quietest tenth of the time, {median:.1} ns at the median"
                )
            }
            Self::IntervalWide { asked, reached } => write!(
                f,
                "interval is {} instead of {}: the time ran out",
                RelativeMargin(*reached),
                RelativeMargin(*asked)
            ),
            Self::SpreadWide { asked, reached, samples } => write!(
                f,
                "interval is {} instead of {} after {samples} samples",
                RelativeMargin(*reached),
                RelativeMargin(*asked)
            ),
            Self::SamplesFew { samples: 1, .. } => write!(f, "a single sample has no interval"),
            Self::SamplesFew { samples, confidence } => {
                write!(f, "{samples} samples give an interval of only {} confidence", percent(*confidence))
            }
            Self::BufferNearCache { buffer, cache } => {
                write!(f, "buffer of {buffer} is not much larger than the {cache} cache")
            }
            Self::CachesUnknown { buffer } => {
                write!(f, "caches are unknown: a buffer of {buffer} may not be much larger than they are")
            }
            Self::ClockDrift { ratio } => write!(f, "clock fell to {} of its maximum", percent(*ratio)),
            Self::Throttled {} => f.write_str("the processor throttled"),
            Self::DemandNotReached { share } => {
                write!(f, "background load reached {} of its demand", percent(*share))
            }
            Self::Stolen { share } => {
                write!(f, "the hypervisor gave {} of the CPU time to other guests", percent(*share))
            }
            Self::NodeSkipped { node, reason } => write!(f, "memory of node {node} not used: {reason}"),
            Self::CpusSkipped { pus, reason } => write!(f, "CPUs {pus} not used: {reason}"),
            Self::CpusIsolated { pus } => write!(f, "CPUs {pus} not used: isolated at boot (isolcpus)"),
            Self::NodesFake {} => f.write_str(
                "nodes are fake (numa=fake): fake nodes of one real node share its CPUs and memory",
            ),
            Self::CacheSmaller { advertised, behaves_like } => {
                write!(f, "advertised cache of {advertised}, but this machine behaves like {behaves_like}")
            }
            Self::CasesSkipped { cases, of, reason } => write!(f, "{cases} of {of} cases skipped: {reason}"),
            // What is left out names the budget that would do: it is known better after what was measured.
            Self::BudgetShort { budget, .. } => {
                write!(f, "a budget of {:.1} s is too short for all cells", budget.get())
            }
            Self::ExperimentSkipped { experiment, reason } => write!(f, "{experiment} skipped: {reason}"),
            Self::NotSteady {} => f.write_str("throughput had not settled when sampled"),
            Self::SimulatedInstead { reason } => write!(f, "simulated line by line: {reason}"),
            Self::ClockCoarse { resolution } => write!(f, "the clock ticks only every {resolution:.0}"),
            Self::Implausible { reason } => write!(f, "implausible: {reason}"),
            Self::Attributed { what } => write!(f, "value assigned to another block: {what}"),
            Self::NotImported { what } => write!(f, "not imported: {what}"),
            Self::ToolWarned { message } => write!(f, "the tool reports: {message}"),
            Self::Unknown(UnknownWarning { warning, fields }) => {
                write!(f, "unknown warning: {warning}")?;
                fields.iter().try_for_each(|(name, value)| write!(f, ", {name} {value}"))
            }
        }
    }
}

impl Warning {
    /// Whether both are the same warning about the same thing, perhaps of different severity. Warnings that name different things
    /// are not alike.
    pub fn is_like(&self, other: &Self) -> bool {
        discriminant(self) == discriminant(other) && self.names() == other.names()
    }

    /// Names in the warning, besides its kind.
    pub fn names(&self) -> String {
        match self {
            Self::PlacementNotBound { .. }
            | Self::PlacementUnproven { .. }
            | Self::CpuLost { .. }
            | Self::ExperimentSkipped { .. }
            | Self::NodeSkipped { .. }
            | Self::CpusSkipped { .. }
            | Self::CpusIsolated { .. }
            | Self::CasesSkipped { .. }
            | Self::Implausible { .. }
            | Self::Attributed { .. }
            | Self::NotImported { .. }
            | Self::ToolWarned { .. } => self.to_string(),
            Self::Unknown(unknown) => unknown.name().to_owned(),
            _ => String::new(),
        }
    }

    /// Severity among warnings that are alike: the larger, the worse.
    pub fn gravity(&self) -> f64 {
        match self {
            Self::HugePagesMissing { share }
            | Self::PagesMisplaced { share }
            | Self::CpuTaken { share }
            | Self::RarelyTogether { share }
            | Self::QuotaShort { share, .. }
            | Self::DemandNotReached { share } => 1.0 - share,
            Self::CacheSmaller { advertised, behaves_like } => {
                advertised.get() as f64 / behaves_like.get().max(1) as f64
            }
            Self::Stolen { share } => *share,
            Self::CpusMoved { least, most } => most.get() / least.get(),
            Self::BudgetShort { budget, least } => least.get() / budget.get(),
            Self::ClockDrift { ratio } => 1.0 - ratio,
            Self::SamplesDisturbed { disturbed, taken } => f64::from(*disturbed) / f64::from((*taken).max(1)),
            Self::PlacedSeveralWays { share, .. } => 1.0 - share,
            Self::TwoPeaks { low, high, .. } => high / low,
            Self::LatencyRaised { median, quiet } => median / quiet,
            Self::IntervalWide { reached, .. } | Self::SpreadWide { reached, .. } => *reached,
            Self::BufferNearCache { buffer, cache } => cache.get() as f64 / buffer.get().max(1) as f64,
            Self::CachesUnknown { buffer } => 1.0 / buffer.get().max(1) as f64,
            Self::SamplesFew { confidence, .. } => 1.0 - confidence,
            Self::ClockCoarse { resolution } => resolution.get(),
            Self::PlacementUnproven { .. }
            | Self::PlacementNotBound { .. }
            | Self::NotSteady {}
            | Self::SimulatedInstead { .. }
            | Self::Throttled {}
            | Self::CpuElsewhere { .. }
            | Self::CpuLost { .. }
            | Self::NodeSkipped { .. }
            | Self::CpusSkipped { .. }
            | Self::CpusIsolated { .. }
            | Self::NodesFake {}
            | Self::CasesSkipped { .. }
            | Self::ExperimentSkipped { .. }
            | Self::Implausible { .. }
            | Self::Attributed { .. }
            | Self::NotImported { .. }
            | Self::ToolWarned { .. }
            | Self::Unknown(_) => 0.0,
        }
    }

    /// The most severe of each set of alike warnings, in order of first appearance.
    pub fn union<'a>(warnings: impl IntoIterator<Item = &'a Self>) -> Vec<Self> {
        let mut union: Vec<Self> = Vec::new();
        // Where each stands: an import may have as many warnings as lines.
        let mut places: HashMap<(Discriminant<Self>, String), usize> = HashMap::new();
        for warning in warnings {
            match places.entry((discriminant(warning), warning.names())) {
                Entry::Occupied(place) => {
                    let known = &mut union[*place.get()];
                    if warning.gravity() > known.gravity() {
                        known.clone_from(warning);
                    }
                }
                Entry::Vacant(place) => {
                    place.insert(union.len());
                    union.push(warning.clone());
                }
            }
        }
        union
    }
}
