//! A run of a sweep.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A run of an experiment at each point.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SweepRun {
    /// What the sweep calls it.
    pub name: String,
    /// What is typed after `zerohop run`, without `--on`.
    pub command: String,
}
