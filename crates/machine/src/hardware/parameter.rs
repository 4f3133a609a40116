//! The numbers of a machine file and where they come from.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One number of a machine file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Parameter {
    /// Where it stands: table and key, joined by dots (`link.kind.ht.capacity`).
    pub path: String,
    /// As it is written, with its unit.
    pub value: String,
    /// Where it comes from: a document, a data sheet, a reasoned choice.
    pub source: String,
    /// To which published figures it was fitted, if it was.
    pub fitted: Option<String>,
}
