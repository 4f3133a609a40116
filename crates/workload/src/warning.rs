//! What may make a number doubtful, as types: each says what was seen and what to do about it.

use std::collections::BTreeMap;
use std::fmt;
use std::mem::discriminant;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zerohop_machine::{NodeId, PuSet};
use zerohop_units::{Bytes, Nanoseconds, RelativeMargin};

/// Something that makes a result doubtful or partial.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "warning", rename_all = "snake_case", deny_unknown_fields)]
#[schemars(transform = crate::open_schema)]
pub enum Warning {
    /// Fewer huge pages than asked for: TLB misses are part of the number.
    HugePagesMissing {
        /// Share really backed, 0 to 1.
        share: f64,
    },
    /// Pages lie elsewhere than asked.
    PagesMisplaced {
        /// Share of pages looked at that lie right, 0 to 1.
        share: f64,
    },
    /// Nobody could be asked where the pages lie.
    PlacementUnproven {
        /// Why not.
        reason: String,
    },
    /// Memory could not be bound: the kernel's first touch decided.
    PlacementNotBound {
        /// Why not.
        reason: String,
    },
    /// A worker did not have its PU to itself.
    CpuTaken {
        /// Smallest share of wall time that a worker ran, 0 to 1.
        share: f64,
    },
    /// Disturbed samples were taken again, and there were too many of them.
    SamplesDisturbed {
        /// How many were set aside.
        disturbed: u32,
        /// Of how many.
        taken: u32,
    },
    /// The samples have two peaks: the number depends on which of two states the machine was in.
    TwoPeaks {
        /// Centre of the lower peak, in the cell's unit.
        low: f64,
        /// Centre of the upper peak, in the cell's unit.
        high: f64,
    },
    /// The time ran out before the interval was as narrow as asked.
    IntervalWide {
        /// Half width asked for, relative.
        asked: f64,
        /// Half width reached, relative.
        reached: f64,
    },
    /// So many samples were taken, and the interval is still not as narrow as asked.
    SpreadWide {
        /// Half width asked for, relative.
        asked: f64,
        /// Half width reached, relative.
        reached: f64,
        /// How many samples count.
        samples: u32,
    },
    /// The time allowed too few samples for an interval of the confidence asked for.
    SamplesFew {
        /// How many there are.
        samples: u32,
        /// Confidence of the interval that they give, 0 to 1.
        confidence: f64,
    },
    /// The buffer was made smaller than it should be.
    BufferReduced {
        /// What was wanted.
        wanted: Bytes,
        /// What was used.
        used: Bytes,
    },
    /// The buffer is not well beyond the last-level cache: cached data is part of the number.
    BufferNearCache {
        /// The buffer.
        buffer: Bytes,
        /// The cache.
        cache: Bytes,
    },
    /// The clock moved during the measurement.
    ClockDrift {
        /// Lowest over highest clock, 0 to 1.
        ratio: f64,
    },
    /// The processor throttled.
    Throttled {},
    /// A background worker did not reach the demand it was given.
    DemandNotReached {
        /// Reached over asked, 0 to 1.
        share: f64,
    },
    /// The hypervisor took time away.
    Stolen {
        /// Share of time, 0 to 1.
        share: f64,
    },
    /// A node was left out.
    NodeSkipped {
        /// Which.
        node: NodeId,
        /// Why.
        reason: String,
    },
    /// PUs were left out.
    CpusSkipped {
        /// Which.
        pus: PuSet,
        /// Why.
        reason: String,
    },
    /// Some of the cases that were asked for together are none here.
    CasesSkipped {
        /// How many.
        cases: u64,
        /// Of how many.
        of: u64,
        /// Why.
        reason: String,
    },
    /// An experiment could not be done at all.
    ExperimentSkipped {
        /// Which.
        experiment: String,
        /// Why.
        reason: String,
    },
    /// A simulated machine's throughput had not settled when it was sampled.
    NotSteady {},
    /// It was simulated line by line, because means could not tell.
    SimulatedInstead {
        /// Why not.
        reason: String,
    },
    /// Reading the clock costs a noticeable part of one step.
    ClockCoarse {
        /// What the clock can tell apart.
        resolution: Nanoseconds,
    },
    /// One that this version does not know, or that says more than this version understands; from a result of a later version.
    #[serde(untagged)]
    Unknown(UnknownWarning),
}

/// A warning without a meaning to this version, as it stands in its file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UnknownWarning {
    warning: String,
    #[serde(flatten)]
    fields: BTreeMap<String, serde_json::Value>,
}

impl UnknownWarning {
    /// Its name.
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
                write!(f, "only {} of the pages lie where they were asked to", percent(*share))
            }
            Self::PlacementUnproven { reason } => write!(f, "where the pages lie is not proven: {reason}"),
            Self::PlacementNotBound { reason } => write!(f, "memory was not bound to its node: {reason}"),
            Self::CpuTaken { share } => {
                write!(f, "a worker had its CPU for {} of the time only", percent(*share))
            }
            Self::SamplesDisturbed { disturbed, taken } => {
                write!(f, "{disturbed} of {taken} samples were disturbed and set aside")
            }
            Self::TwoPeaks { low, high } => write!(f, "samples have two peaks, near {low:.1} and {high:.1}"),
            Self::IntervalWide { asked, reached } => write!(
                f,
                "interval is {} where {} was asked for: the time ran out",
                RelativeMargin(*reached),
                RelativeMargin(*asked)
            ),
            Self::SpreadWide { asked, reached, samples } => write!(
                f,
                "interval is {} where {} was asked for, after {samples} samples",
                RelativeMargin(*reached),
                RelativeMargin(*asked)
            ),
            Self::SamplesFew { samples, confidence } => {
                write!(f, "{samples} samples give an interval of {} confidence only", percent(*confidence))
            }
            Self::BufferReduced { wanted, used } => write!(f, "buffer is {used} where {wanted} was wanted"),
            Self::BufferNearCache { buffer, cache } => {
                write!(f, "buffer of {buffer} is not well beyond the {cache} cache")
            }
            Self::ClockDrift { ratio } => write!(f, "clock fell to {} of its highest", percent(*ratio)),
            Self::Throttled {} => f.write_str("the processor throttled"),
            Self::DemandNotReached { share } => {
                write!(f, "background load reached {} of its demand", percent(*share))
            }
            Self::Stolen { share } => {
                write!(f, "the hypervisor gave {} of the time to others", percent(*share))
            }
            Self::NodeSkipped { node, reason } => write!(f, "node {node} left out: {reason}"),
            Self::CpusSkipped { pus, reason } => write!(f, "CPUs {pus} left out: {reason}"),
            Self::CasesSkipped { cases, of, reason } => write!(f, "{cases} of {of} cases left out: {reason}"),
            Self::ExperimentSkipped { experiment, reason } => write!(f, "{experiment} left out: {reason}"),
            Self::NotSteady {} => f.write_str("throughput had not settled when it was sampled"),
            Self::SimulatedInstead { reason } => write!(f, "simulated line by line: {reason}"),
            Self::ClockCoarse { resolution } => write!(f, "the clock ticks every {resolution:.0} only"),
            Self::Unknown(UnknownWarning { warning, fields }) => {
                write!(f, "a warning that is unknown to this version: {warning}")?;
                fields.iter().try_for_each(|(name, value)| write!(f, ", {name} {value}"))
            }
        }
    }
}

impl Warning {
    /// Whether it says the same of something as the other, more or less gravely. Warnings that name something of their own are
    /// of a kind of their own.
    pub fn is_like(&self, other: &Self) -> bool {
        discriminant(self) == discriminant(other) && self.names() == other.names()
    }

    /// What it names, beside its kind.
    pub fn names(&self) -> String {
        match self {
            Self::PlacementNotBound { .. }
            | Self::PlacementUnproven { .. }
            | Self::ExperimentSkipped { .. }
            | Self::NodeSkipped { .. }
            | Self::CpusSkipped { .. }
            | Self::CasesSkipped { .. } => self.to_string(),
            Self::Unknown(unknown) => unknown.name().to_owned(),
            _ => String::new(),
        }
    }

    /// The larger, the graver among warnings that are alike.
    pub fn gravity(&self) -> f64 {
        match self {
            Self::HugePagesMissing { share }
            | Self::PagesMisplaced { share }
            | Self::CpuTaken { share }
            | Self::DemandNotReached { share } => 1.0 - share,
            Self::Stolen { share } => *share,
            Self::ClockDrift { ratio } => 1.0 - ratio,
            Self::SamplesDisturbed { disturbed, taken } => f64::from(*disturbed) / f64::from((*taken).max(1)),
            Self::TwoPeaks { low, high } => high / low,
            Self::IntervalWide { reached, .. } | Self::SpreadWide { reached, .. } => *reached,
            Self::BufferReduced { wanted, used } => wanted.get() as f64 / used.get().max(1) as f64,
            Self::BufferNearCache { buffer, cache } => cache.get() as f64 / buffer.get().max(1) as f64,
            Self::SamplesFew { confidence, .. } => 1.0 - confidence,
            Self::ClockCoarse { resolution } => resolution.get(),
            Self::PlacementUnproven { .. }
            | Self::PlacementNotBound { .. }
            | Self::NotSteady {}
            | Self::SimulatedInstead { .. }
            | Self::Throttled {}
            | Self::NodeSkipped { .. }
            | Self::CpusSkipped { .. }
            | Self::CasesSkipped { .. }
            | Self::ExperimentSkipped { .. }
            | Self::Unknown(_) => 0.0,
        }
    }

    /// Of warnings that are alike, the gravest, in the order in which they first came.
    pub fn union<'a>(warnings: impl IntoIterator<Item = &'a Self>) -> Vec<Self> {
        let mut union: Vec<Self> = Vec::new();
        for warning in warnings {
            match union.iter_mut().find(|known| known.is_like(warning)) {
                Some(known) if warning.gravity() > known.gravity() => known.clone_from(warning),
                Some(_) => {}
                None => union.push(warning.clone()),
            }
        }
        union
    }

    /// What the reader can do about it.
    pub fn advice(&self) -> &'static str {
        match self {
            Self::HugePagesMissing { .. } => {
                "reserve huge pages (`sysctl vm.nr_hugepages`) or set transparent huge pages to madvise"
            }
            Self::PagesMisplaced { .. } => "free memory on the node, or use a smaller --buffer",
            Self::PlacementUnproven { .. } | Self::PlacementNotBound { .. } => {
                "allow the NUMA system calls (in a container: CAP_SYS_NICE, or a seccomp profile that has them)"
            }
            Self::CpuTaken { .. } | Self::SamplesDisturbed { .. } => {
                "stop other load, or measure again when the machine is quiet"
            }
            Self::TwoPeaks { .. } => "look at the raw samples; in a virtual machine, pin the virtual CPUs",
            Self::SpreadWide { .. } => "lengthen the samples with --duration",
            Self::IntervalWide { .. } | Self::SamplesFew { .. } => {
                "allow more time: --full instead of --quick, or a larger --budget"
            }
            Self::BufferReduced { .. } => "free memory, or raise the memory limit",
            Self::BufferNearCache { .. } => "use a larger --buffer",
            Self::ClockDrift { .. } => "set the cpufreq governor to performance, or fix the clock",
            Self::Throttled {} => "check cooling and power limits",
            Self::DemandNotReached { .. } => "lower the demand, or use more background cores",
            Self::Stolen { .. } => "ask for dedicated cores, or measure when the neighbours are quiet",
            Self::NodeSkipped { .. } | Self::CpusSkipped { .. } => {
                "widen the cpuset (cpuset.cpus, cpuset.mems)"
            }
            Self::CasesSkipped { .. } => "nothing is wrong: the other cases are all there are",
            Self::ExperimentSkipped { .. } => "fix what the reason names; the other results stand",
            Self::NotSteady {} => "lengthen the samples with --duration",
            Self::SimulatedInstead { .. } => "nothing is wrong: --solver event simulates everything",
            Self::ClockCoarse { .. } => "lengthen the sample with --duration",
            Self::Unknown(_) => "read the result with the version of zerohop that wrote it",
        }
    }
}
