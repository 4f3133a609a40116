//! Names of placements that matter on every machine.

pub(crate) const BEST: &str = "best";

/// What Linux does without advice.
pub(crate) const DEFAULT: &str = "default";

/// The worst of the search.
pub(crate) const WORST: &str = "worst";

/// Threads on all nodes, each with local data.
pub(crate) const NODE_BY_NODE: &str = "node by node";

/// Nodes filled one after the other.
pub(crate) const NODE_FILLED: &str = "a node filled first";

/// Data interleaved over all nodes.
pub(crate) const INTERLEAVED: &str = "interleaved over all nodes";

/// Data that one thread initialized.
pub(crate) const ONE_INITIALIZES: &str = "one thread initializes all data";
