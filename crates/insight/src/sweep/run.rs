//! A run of a sweep.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A run of an experiment at each point.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SweepRun {
    /// Its name in the sweep.
    pub name: String,
    /// The command as typed after `zerohop run`, without `--on`.
    pub command: String,
}
