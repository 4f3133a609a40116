//! Whose pages are looked for.

use crate::ProcessId;
use schemars::JsonSchema;
use serde::Serialize;
use zerohop_units::Bytes;

/// Whose pages they are.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Whose {
    /// A process's.
    Process {
        /// Its number.
        process: ProcessId,
        /// Its command line.
        command: String,
    },
    /// A file's in the page cache.
    File {
        /// Its path.
        path: String,
        /// Its length.
        length: Bytes,
        /// The share of it that is cached, between 0 and 1.
        cached_share: f64,
        /// Cached bytes whose node is not known.
        unknown: Bytes,
        /// The processes that map it, as far as this user may see them.
        mapped_by: Vec<ProcessId>,
    },
}
