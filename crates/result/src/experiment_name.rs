//! The experiments there are.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
    /// Time per line of one reader and one writer, by whose memory they use.
    Hops,
    /// Time per line of threads that use each other's memory, also beside background load.
    Crossfire,
    /// Bandwidth as more and more cores use one node's memory.
    Ramp,
    /// STREAM in every placement on the machine's nodes, each from one core a node to all.
    MemorySuite,
}

impl ExperimentName {
    /// Every one, with its name and one sentence on what it measures.
    pub const ALL: [(Self, &'static str, &'static str); 13] = [
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
        (Self::Hops, "hops", "time per line of one reader and one writer, by whose memory they use"),
        (Self::Crossfire, "crossfire", "time per line of two threads that use each other's memory"),
        (Self::Ramp, "ramp", "bandwidth as more and more cores use one node's memory"),
        (Self::MemorySuite, "memory-suite", "STREAM in every local and remote placement, by cores a node"),
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
}
