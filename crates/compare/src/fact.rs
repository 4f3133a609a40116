//! What is said of a machine.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A fact of a machine.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Fact {
    /// What it is about: `kernel`, `DIMMs`, or a column of the user's table.
    pub name: String,
    /// What it is.
    pub value: String,
}
