//! Where the bandwidth of a node goes, in words.

use zerohop_expectation::Waterfall;

/// What takes a part of a node's bandwidth, in the order in which it does.
pub(crate) const COSTS: [&str; 3] = ["overheads of DRAM", "cores cannot use", "missing or slow"];

/// What each of [`COSTS`] takes, in GB/s. Below zero, the node reads more than is expected.
pub(crate) fn costs(node: &Waterfall) -> [f64; 3] {
    let Waterfall { theoretical, sustained, expected, found, .. } = *node;
    [theoretical - sustained, sustained - expected, expected - found]
}
