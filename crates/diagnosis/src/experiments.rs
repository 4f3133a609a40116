//! Names of the experiments whose results tests use directly. Rules name the experiments of their conditions.

/// Idle latency from node to node.
pub(crate) const LATENCY_MATRIX: &str = "latency-matrix";
/// Bandwidth from node to node.
pub(crate) const BANDWIDTH_MATRIX: &str = "bandwidth-matrix";

/// The curve of latency under load.
pub(crate) const LOADED_LATENCY: &str = "loaded-latency";

/// Latency of one thread's loads by size of its memory, as other tools measure it.
pub(crate) const LATENCY_BY_SIZE: &str = "load-latency";

/// Bandwidths to, from and inside devices, as other tools measure them.
pub(crate) const DEVICE_BANDWIDTH: &str = "device-bandwidth";

pub(crate) const STREAM: &str = "stream";

/// Experiments and queries for the bandwidth of the whole machine from its own memory.
pub(crate) const WHOLE: [(&str, &str); 3] = [
    (MIXES, "bandwidth initiator=all target=local mix=all_reads highest"),
    ("injection", "bandwidth initiator=all target=local highest"),
    ("maximum-bandwidth", "bandwidth initiator=all target=local mix=all_reads highest"),
];
/// Bandwidth by shares of reads and writes.
pub(crate) const MIXES: &str = "mixes";
