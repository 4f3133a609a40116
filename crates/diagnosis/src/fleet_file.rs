//! Findings about a fleet, with the diagnoses of its worst nodes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zerohop_fleet::FleetFile;

use crate::finding::Diagnosis;

/// Findings about a fleet, with the diagnoses of its worst nodes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FleetDiagnosis {
    /// Findings from comparing nodes with each other.
    #[serde(flatten)]
    pub fleet: FleetFile,
    /// Diagnoses of the worst nodes of each group, each compared with the best nodes; `result` is the node.
    pub diagnoses: Vec<Diagnosis>,
}
