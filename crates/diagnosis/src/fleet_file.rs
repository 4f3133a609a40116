//! What was found in a fleet, with the diagnoses of its worst nodes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zerohop_fleet::FleetFile;

use crate::finding::Diagnosis;

/// What was found in a fleet, with the diagnoses of its worst nodes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FleetDiagnosis {
    /// What was found by holding nodes against each other.
    #[serde(flatten)]
    pub fleet: FleetFile,
    /// The diagnoses of the worst nodes of each group, each held against the soundest ones; `result` is the node.
    pub diagnoses: Vec<Diagnosis>,
}
