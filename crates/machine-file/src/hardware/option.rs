//! The options of a machine file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A property of a machine that can be chosen without another file: its population, cabling or configuration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MachineOption {
    /// Name of the option, as in `links=3`.
    pub name: String,
    /// Meaning of the option, in words.
    pub meaning: String,
    /// Possible values. Not empty.
    pub values: Vec<String>,
    /// Default value; one of `values`.
    pub default: String,
    /// Chosen value; one of `values`.
    pub chosen: String,
}
