//! What a machine file leaves to choose.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Something that can be chosen of a machine without another file: how it is populated, cabled or set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MachineOption {
    /// Its name, as in `links=3`.
    pub name: String,
    /// What is chosen, in words.
    pub meaning: String,
    /// What it can be. Not empty.
    pub values: Vec<String>,
    /// What it is if nothing is chosen; one of `values`.
    pub default: String,
    /// What it is here; one of `values`.
    pub chosen: String,
}
