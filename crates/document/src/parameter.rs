//! The numbers of a document and where they come from.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One number of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Parameter {
    /// Where it stands: table and key, joined by dots (`wire.ht1000.capacity`).
    pub path: String,
    /// As it is written, with its unit.
    pub value: String,
    /// Where it comes from: a document, a data sheet, a reasoned choice.
    pub source: String,
    /// To which published figures it was fitted, if it was.
    pub fitted: Option<String>,
}
