//! A file, and where the pages of it that the kernel caches are.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use zerohop_machine::NodeId;
use zerohop_units::Bytes;

use crate::spread::Spread;

/// Pages of a file in the page cache.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CachedFile {
    /// Path of the file, with links resolved.
    pub path: String,
    /// Length of the file, in bytes.
    pub length: Bytes,
    /// Cached bytes on each node.
    pub bytes: Spread,
    /// Cached bytes whose node the kernel did not report: pages that were dropped or are moving.
    pub unknown: Bytes,
}

impl CachedFile {
    /// The share of the file that is cached, between 0 and 1: the last page may be cut.
    pub fn cached_share(&self) -> f64 {
        let cached = self.bytes.total().get().saturating_add(self.unknown.get());
        if self.length == Bytes(0) { 0.0 } else { (cached as f64 / self.length.get() as f64).min(1.0) }
    }
}

/// Version of the form of placed files. It is raised when a reader of the old form would misread the new one.
pub const PLACED_FILE_VERSION: u32 = 2;

/// A file whose pages were moved to chosen nodes.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PlacedFile {
    /// [`PLACED_FILE_VERSION`] of the program that wrote the file.
    pub schema_version: u32,
    /// Requested share of each node, 0 to 1.
    pub wanted: BTreeMap<NodeId, f64>,
    /// Location of the pages before the move.
    pub before: CachedFile,
    /// Location of the pages after the move.
    pub after: CachedFile,
    /// Size of the parts that were placed as a whole, in bytes: it limits the precision of the shares.
    pub step: Bytes,
    /// Bytes of the file that are on the intended node.
    pub right: Bytes,
    /// Nodes without enough memory for their part of the file.
    pub full: Vec<FullNode>,
    /// Pages that did not move.
    pub refused: Vec<RefusedPages>,
}

/// A node without enough memory for its part of the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FullNode {
    /// The node.
    pub node: NodeId,
    /// Bytes that belong on the node.
    pub wanted: Bytes,
    /// Bytes that fit on the node.
    pub fit: Bytes,
}

/// Pages that did not move.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RefusedPages {
    /// Reason, as the kernel reports it.
    pub reason: String,
    /// Size of the pages, in bytes.
    pub bytes: Bytes,
}

/// A file counts as placed from this share on: single pages may be busy.
const NEARLY_ALL: f64 = 0.99;

impl PlacedFile {
    /// Whether nearly all of it is where it should be, and each node has its share but for a step.
    pub fn is_placed(&self) -> bool {
        let length = self.after.length.get() as f64;
        let margin = (1.0 - NEARLY_ALL) * length + self.step.get() as f64;
        let has_its_share = |(&node, share): (&NodeId, &f64)| {
            (self.after.bytes.on(node).get() as f64 - share * length).abs() <= margin
        };
        self.right.get() as f64 >= NEARLY_ALL * length && self.wanted.iter().all(has_its_share)
    }

    /// How many bytes of it are asked for on a node.
    pub fn wanted_on(&self, node: NodeId) -> Bytes {
        let share = self.wanted.get(&node).copied().unwrap_or(0.0);
        Bytes((share * self.after.length.get() as f64).round() as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fields were added that every file has since, under the version of files that lack them.
    #[test]
    fn files_with_other_fields_have_another_version() {
        let schema = schemars::schema_for!(PlacedFile);
        let required = schema.as_value()["required"].as_array().unwrap();
        let required: Vec<&str> = required.iter().map(|name| name.as_str().unwrap()).collect();
        let of_version_2 =
            ["schema_version", "wanted", "before", "after", "step", "right", "full", "refused"];
        assert_eq!((PLACED_FILE_VERSION, &required[..]), (2, &of_version_2[..]));
    }
}
