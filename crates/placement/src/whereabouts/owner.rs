//! Whose pages are looked for.

use crate::ProcessId;
use schemars::JsonSchema;
use serde::Serialize;
use zerohop_units::Bytes;

/// Owner of the pages.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Whose {
    /// A process.
    Process {
        /// Id of the process.
        process: ProcessId,
        /// Command line of the process.
        command: String,
    },
    /// A file in the page cache.
    File {
        /// Path of the file.
        path: String,
        /// Length of the file, in bytes.
        length: Bytes,
        /// Share of the file that is cached, 0 to 1.
        cached_share: f64,
        /// Cached bytes whose node is unknown.
        unknown: Bytes,
        /// Processes that map the file, as far as this user can see them.
        mapped_by: Vec<ProcessId>,
    },
}
