//! Facts about a machine.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A fact about a machine.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Fact {
    /// Name of the fact: `kernel`, `DIMMs`, or a column of the user's table.
    pub name: String,
    /// Value of the fact.
    pub value: String,
}
