//! The options of a machine file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A property of a machine that can be chosen without another file: how it is populated, cabled or configured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MachineOption {
    /// Its name, as in `links=3`.
    pub name: String,
    /// Its meaning, in words.
    pub meaning: String,
    /// Its possible values. Not empty.
    pub values: Vec<String>,
    /// Its default; one of `values`.
    pub default: String,
    /// Its value here; one of `values`.
    pub chosen: String,
}
