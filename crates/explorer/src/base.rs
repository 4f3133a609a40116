//! What a machine is compared with.

use std::path::Path;

use serde::Deserialize;

use crate::subject::Subject;

/// What the answers of a machine are compared with.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Base {
    Machine(Subject),
    Result(BaseResult),
}

/// A result that a page carries.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BaseResult {
    /// Its path, as the user typed it.
    pub(crate) path: String,
    pub(crate) json: String,
}

impl BaseResult {
    /// What `zerohop compare` calls it.
    pub(crate) fn name(&self) -> &str {
        let stem = Path::new(&self.path).file_stem().and_then(|stem| stem.to_str());
        stem.unwrap_or(&self.path)
    }
}
