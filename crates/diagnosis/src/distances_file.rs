//! The form in which programs read measured distances.

use schemars::JsonSchema;
use serde::Serialize;
use zerohop_machine::NodeId;
use zerohop_units::{GigabytesPerSecond, Nanoseconds};

use crate::measured_distances::MeasuredDistances;

/// Version of the form of measured distances. It is raised when a reader of the old form would misread the new one.
pub const DISTANCES_VERSION: u32 = 1;

/// Measured distances between nodes, next to the firmware's distances.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct DistancesFile {
    /// [`DISTANCES_VERSION`] of the program that wrote the file.
    pub schema_version: u32,
    /// Name of the machine.
    pub machine: String,
    /// Every pair of nodes, in the order of rows.
    pub pairs: Vec<DistancePair>,
    /// Reasons why a firmware table with these rows may not fit the machine, in words.
    pub doubts: Vec<String>,
}

/// A pair of nodes.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct DistancePair {
    /// Initiator: the node that reads.
    pub from: NodeId,
    /// Target: the node whose memory is read.
    pub to: NodeId,
    /// Distance in proportion to idle latency, 10 for a node's own memory.
    pub measured: u32,
    /// The firmware's distance.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stated: Option<u32>,
    /// Idle latency in ns, if measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency: Option<Nanoseconds>,
    /// Read bandwidth in GB/s, if measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bandwidth: Option<GigabytesPerSecond>,
}

impl DistancesFile {
    /// The form of measured distances.
    pub fn of(distances: &MeasuredDistances) -> Self {
        let pair = |(from, to)| DistancePair {
            from,
            to,
            measured: distances.measured.get(from, to).unwrap_or_default(),
            stated: distances.stated.as_ref().and_then(|stated| stated.get(from, to)),
            latency: distances.latencies.get(&(from, to)).copied(),
            bandwidth: distances.bandwidths.get(&(from, to)).copied(),
        };
        Self {
            schema_version: DISTANCES_VERSION,
            machine: distances.name.clone(),
            pairs: distances.pairs().map(pair).collect(),
            doubts: distances.doubts().iter().map(ToString::to_string).collect(),
        }
    }
}
