//! Breakdown of a node's bandwidth, in words.

use zerohop_expectation::Waterfall;

/// Losses of a node's bandwidth, in order.
pub(crate) const COSTS: [&str; 3] = ["overheads of DRAM", "cores cannot use", "missing or slow"];

/// Size of each of [`COSTS`], in GB/s. Below zero, the node's bandwidth exceeds the expectation.
pub(crate) fn costs(node: &Waterfall) -> [f64; 3] {
    let Waterfall { theoretical, sustained, expected, found, .. } = *node;
    [theoretical - sustained, sustained - expected, expected - found]
}
