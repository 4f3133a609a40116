//! A workload: workers, each with a PU, a buffer, an activity and a demand.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zerohop_machine::{NodeId, PuId};
use zerohop_units::{Bytes, GigabytesPerSecond};

use crate::{InstructionSet, Kernel};

/// All workers of one measurement.
#[derive(Debug, Clone, PartialEq)]
pub struct Workload {
    /// The workers. Not empty.
    pub workers: Vec<Worker>,
    /// Pages that back the buffers.
    pub pages: Pages,
    /// Instruction set of the kernels; `None` lets the engine choose its best.
    pub instruction_set: Option<InstructionSet>,
}

/// One thread of a workload.
#[derive(Debug, Clone, PartialEq)]
pub struct Worker {
    /// PU that the worker is pinned to.
    pub pu: PuId,
    /// Whether it is measured or generates background load.
    pub role: Role,
    /// Placement of the worker's buffer.
    pub placement: Placement,
    /// Size of its buffer, all of a kernel's arrays together.
    pub buffer: Bytes,
    /// Access to the buffer.
    pub activity: Activity,
    /// Maximum rate of the worker.
    pub demand: Demand,
}

/// Whether a worker is measured or generates background load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It is measured. The common window is the time in which every foreground worker runs.
    Foreground,
    /// The worker runs throughout, and its work in the window counts as well.
    Background,
}

/// Placement of a buffer.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Placement {
    /// All on one node (`MPOL_BIND`).
    Node(NodeId),
    /// Interleaved page by page over these nodes (`MPOL_INTERLEAVE`).
    Interleaved(Vec<NodeId>),
    /// First touch: the kernel's default policy places the memory when a thread on this PU touches it first.
    FirstTouch(PuId),
}

/// Page size of the buffers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Pages {
    /// The largest available: reserved 1 GiB pages, else reserved 2 MiB pages, else transparent huge pages.
    #[default]
    Best,
    /// The base page (4 KiB on x86-64), never huge.
    Base,
    /// Transparent huge pages, requested with `MADV_HUGEPAGE`.
    Transparent,
    /// Reserved (hugetlbfs) pages of 2 MiB.
    #[serde(rename = "2m")]
    Huge2M,
    /// Reserved (hugetlbfs) pages of 1 GiB.
    #[serde(rename = "1g")]
    Huge1G,
}

/// Operation of a worker on its buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activity {
    /// Follows a random cycle of dependent loads through the whole buffer; a step is one load of each chain.
    Chase {
        /// Independent cycles followed at the same time; 1 measures latency.
        chains: u8,
        /// If given, the cycle visits every line of this number of pages before it continues with other pages, so that few address translations are
        /// in use at a time. A model, which has no address translation, ignores it.
        pages: Option<u16>,
    },
    /// Follows one random cycle of dependent loads through the whole buffer, and times them batch by batch. A model follows the cycle
    /// and times nothing.
    TimedChase {
        /// The number of loads that are timed together.
        batch: u16,
    },
    /// Runs a bandwidth kernel over the buffer, repeatedly.
    Kernel { kernel: Kernel, access: Access },
    /// Passes cache lines between this worker and the other one that names the same `line`. The lines reside in the first worker's buffer.
    LineTransfer {
        /// The number of the set of lines; exactly two workers name each.
        line: u32,
        /// Pattern of the transfer.
        passing: Passing,
    },
}

/// Pattern in which two workers pass cache lines to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Passing {
    /// Both store to a line in turn, and each waits for the other's store. A step is a round trip. They use several lines, one
    /// after the other.
    Exchange,
    /// The second worker prepares the lines, then the first loads them, one after the other. A step is one such load; the
    /// time between loads does not count.
    Fetch(LineState),
}

/// The state of a line in the cache of its last user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineState {
    /// It was loaded: memory has the same data. Memory Latency Checker calls its transfer a HIT.
    Clean,
    /// It was stored to: memory has older data. Memory Latency Checker calls its transfer a HITM.
    Modified,
}

impl Passing {
    /// Whether both workers wait for each other's lines.
    pub const fn is_exchange(self) -> bool {
        matches!(self, Self::Exchange)
    }
}

impl LineState {
    /// Name of the state in results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Clean => "clean",
            Self::Modified => "modified",
        }
    }
}

/// Order in which a kernel visits its buffer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// Every byte, ascending.
    #[default]
    Sequential,
    /// One 8-byte access to each line, ascending; each counts as a whole line. `read`, `write` only.
    Strided,
    /// One 8-byte access to each line, in random order; each counts as a whole line. `read`, `write` only.
    Random,
}

/// The rate that a worker demands.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub enum Demand {
    /// Unlimited rate.
    #[default]
    Unlimited,
    /// At most this rate, in small bursts.
    Rate(GigabytesPerSecond),
    /// Unlimited rate, with a pause of this many core cycles after every [`Demand::BURST`].
    Delay(u32),
}

impl Demand {
    /// The work between two delays: eight lines.
    pub const BURST: Bytes = Bytes(512);
}

impl Pages {
    /// Name on the command line, and value.
    const NAMES: [(&'static str, Self); 5] = [
        ("best", Self::Best),
        ("4k", Self::Base),
        ("thp", Self::Transparent),
        ("2m", Self::Huge2M),
        ("1g", Self::Huge1G),
    ];
}

impl fmt::Display for Pages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Self::NAMES.iter().find(|(_, pages)| pages == self).map_or("best", |(name, _)| name);
        f.pad(name)
    }
}

impl FromStr for Pages {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = Self::NAMES.iter().find(|(name, _)| name.eq_ignore_ascii_case(text));
        found.map(|&(_, pages)| pages).ok_or_else(|| {
            format!(
                "no page choice `{text}` (expected one of {})",
                Self::NAMES.map(|(name, _)| name).join(", ")
            )
        })
    }
}

impl fmt::Display for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Node(node) => write!(f, "node {node}"),
            Self::Interleaved(nodes) => {
                let list: Vec<_> = nodes.iter().map(ToString::to_string).collect();
                write!(f, "interleaved over nodes {}", list.join(","))
            }
            Self::FirstTouch(pu) => write!(f, "first touched by CPU {pu}"),
        }
    }
}
