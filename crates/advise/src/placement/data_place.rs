//! Where data is that all threads read.

use schemars::JsonSchema;
use serde::Serialize;

/// Location of data that all threads read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DataPlace {
    /// Threads and data on one node.
    OneNode,
    /// Threads on all nodes, with the data interleaved over them.
    Interleaved,
    /// Threads on all nodes, with a copy of the data on each.
    CopyOnEach,
    /// Threads on all nodes, with the data on the node of its first reader.
    FirstReader,
}

impl DataPlace {
    pub const ALL: [Self; 4] = [Self::OneNode, Self::Interleaved, Self::CopyOnEach, Self::FirstReader];

    pub const fn words(self) -> &'static str {
        match self {
            Self::OneNode => "one node",
            Self::Interleaved => "interleaved over all nodes",
            Self::CopyOnEach => "a copy on each node",
            Self::FirstReader => "on the first reader's node",
        }
    }
}
