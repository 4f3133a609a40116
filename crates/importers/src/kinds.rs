//! What imported values are: experiments of zerohop where the meaning is the same, and kinds of their own elsewhere.

use zerohop_result::{
    Axis, By, Columns, Descriptor, Drawing, ExperimentName, Headline, Layout, Measure, Of, Ranking, Survey,
    Topic,
};

/// Idle latency from node to node.
pub(crate) const LATENCY_MATRIX: ExperimentName = ExperimentName::known("latency-matrix");
/// Bandwidth from node to node.
pub(crate) const BANDWIDTH_MATRIX: ExperimentName = ExperimentName::known("bandwidth-matrix");
/// Bandwidth by read:write mix.
pub(crate) const MIXES: ExperimentName = ExperimentName::known("mixes");
pub(crate) const LOADED_LATENCY: ExperimentName = ExperimentName::known("loaded-latency");
/// Latency under load, by share of reads.
pub(crate) const LOAD_CURVES: ExperimentName = ExperimentName::known("load-curves");
/// Latency of transfers from core to core.
pub(crate) const CORE_TO_CORE: ExperimentName = ExperimentName::known("core-to-core");
/// Latency from each core to each node.
pub(crate) const CORE_LATENCY: ExperimentName = ExperimentName::known("core-latency");
pub(crate) const CACHE_LATENCY: ExperimentName = ExperimentName::known("cache-latency");
pub(crate) const STREAM: ExperimentName = ExperimentName::known("stream");
/// Reads by width of access.
pub(crate) const GLOBAL_BANDWIDTH: ExperimentName = ExperimentName::known("global-bandwidth");

/// The best bandwidth over several rates of injection, by mix.
pub(crate) const MAXIMUM_BANDWIDTH: ExperimentName = MAXIMUM_BANDWIDTH_KIND.name();
/// One latency, of one CPU.
pub(crate) const IDLE_LATENCY: ExperimentName = IDLE_LATENCY_KIND.name();
/// Cache-to-cache latencies from node to node.
pub(crate) const CACHE_TO_CACHE: ExperimentName = CACHE_TO_CACHE_KIND.name();
/// The STREAM kernels with a part of the machine's threads.
pub(crate) const STREAM_BY_THREADS: ExperimentName = STREAM_BY_THREADS_KIND.name();
/// Bandwidths of a device's own memory, and to and from it.
pub(crate) const DEVICE_BANDWIDTH: ExperimentName = DEVICE_BANDWIDTH_KIND.name();
/// Latencies of a device.
pub(crate) const DEVICE_LATENCY: ExperimentName = DEVICE_LATENCY_KIND.name();
/// Latency of one thread's loads.
pub(crate) const LOAD_LATENCY: ExperimentName = LOAD_LATENCY_KIND.name();
/// Latency of one thread's loads beside threads that load memory.
pub(crate) const CHASE_UNDER_LOAD: ExperimentName = CHASE_UNDER_LOAD_KIND.name();
/// Locked increments of one counter by all CPUs.
pub(crate) const LOCKED_INCREMENTS: ExperimentName = LOCKED_INCREMENTS_KIND.name();
/// Bandwidth of one process, by size.
pub(crate) const BANDWIDTH_BY_SIZE: ExperimentName = BANDWIDTH_BY_SIZE_KIND.name();
/// Bandwidth of a named kernel.
pub(crate) const KERNEL_BANDWIDTH: ExperimentName = KERNEL_BANDWIDTH_KIND.name();
pub(crate) const CACHE_BANDWIDTH: ExperimentName = CACHE_BANDWIDTH_KIND.name();
/// Latency and bandwidth under loads that have no delay.
pub(crate) const LATENCY_BY_LOAD: ExperimentName = LATENCY_BY_LOAD_KIND.name();
/// Bandwidths by placement of threads and memory.
pub(crate) const BANDWIDTH_BY_PLACEMENT: ExperimentName = BANDWIDTH_BY_PLACEMENT_KIND.name();
/// Latencies by placement of threads and memory.
pub(crate) const LATENCY_BY_PLACEMENT: ExperimentName = LATENCY_BY_PLACEMENT_KIND.name();
/// Traffic of memory that counters saw while something ran.
pub(crate) const MEMORY_TRAFFIC: ExperimentName = MEMORY_TRAFFIC_KIND.name();

/// The kinds that only imported results have, so that pages can show them with titles. zerohop cannot run them.
pub const KINDS: &[Descriptor] = &[
    MAXIMUM_BANDWIDTH_KIND,
    IDLE_LATENCY_KIND,
    CACHE_TO_CACHE_KIND,
    STREAM_BY_THREADS_KIND,
    DEVICE_BANDWIDTH_KIND,
    DEVICE_LATENCY_KIND,
    LOAD_LATENCY_KIND,
    CHASE_UNDER_LOAD_KIND,
    LOCKED_INCREMENTS_KIND,
    BANDWIDTH_BY_SIZE_KIND,
    KERNEL_BANDWIDTH_KIND,
    CACHE_BANDWIDTH_KIND,
    LATENCY_BY_LOAD_KIND,
    BANDWIDTH_BY_PLACEMENT_KIND,
    LATENCY_BY_PLACEMENT_KIND,
    MEMORY_TRAFFIC_KIND,
];

const BANDWIDTH: &[Measure] = &[Measure::Bandwidth];
const LATENCY: &[Measure] = &[Measure::Latency];
const BOTH: &[Measure] = &[Measure::Latency, Measure::Bandwidth];

const fn kind(
    name: &'static str,
    topic: Topic,
    summary: &'static str,
    headlines: &'static [Headline],
    layouts: &'static [Layout],
) -> Descriptor {
    Descriptor {
        name,
        summary,
        about: "",
        accepts: &[],
        survey: Survey::None,
        panel: 20,
        topic,
        glance: None,
        headlines,
        layouts,
        remark: None,
        mlc: None,
    }
}

const MAXIMUM_BANDWIDTH_KIND: Descriptor = kind(
    "maximum-bandwidth",
    Topic::Bandwidth,
    "best bandwidth over several injection rates, by read:write mix",
    &[Headline::new(Measure::Bandwidth, Of::Everything, By::Axis(Axis::Mix)).highest()],
    &[Layout::new("maximum bandwidth", Axis::Mix, Columns::Measures, BANDWIDTH).drawn(Drawing::Bars)],
);

const IDLE_LATENCY_KIND: Descriptor = kind(
    "idle-latency",
    Topic::Nodes,
    "idle latency of one CPU",
    &[],
    &[Layout::new("idle latency of one CPU", Axis::Cpu, Columns::Along(Axis::Target), LATENCY)],
);

const CACHE_TO_CACHE_KIND: Descriptor = kind(
    "cache-to-cache",
    Topic::Cores,
    "latency of lines modified in another node's cache, by the node of their memory",
    &[],
    &[Layout::new(
        "latency of modified lines, from the reader's node to the writer's",
        Axis::Initiator,
        Columns::Along(Axis::Target),
        LATENCY,
    )
    .by(Axis::Placement)],
);

const STREAM_BY_THREADS_KIND: Descriptor = kind(
    "stream-by-threads",
    Topic::Bandwidth,
    "the STREAM kernels, by number of threads or by program",
    &[],
    &[Layout::new("STREAM, by threads", Axis::Case, Columns::Along(Axis::Kernel), BANDWIDTH)],
);

const DEVICE_BANDWIDTH_KIND: Descriptor = kind(
    "device-bandwidth",
    Topic::Nodes,
    "bandwidth of device memory, and to and from it",
    &[],
    &[
        Layout::new(
            "bandwidth between the memories of hosts and devices",
            Axis::Initiator,
            Columns::Along(Axis::Target),
            BANDWIDTH,
        )
        .by(Axis::Case),
        Layout::new("bandwidth of devices", Axis::Case, Columns::Along(Axis::Initiator), BANDWIDTH)
            .by(Axis::Kernel),
    ],
);

const DEVICE_LATENCY_KIND: Descriptor = kind(
    "device-latency",
    Topic::Nodes,
    "latency of device memory",
    &[],
    &[
        Layout::new(
            "latency between the memories of hosts and devices",
            Axis::Initiator,
            Columns::Along(Axis::Target),
            LATENCY,
        )
        .by(Axis::Case),
        Layout::new("latency of devices", Axis::Case, Columns::Along(Axis::Initiator), LATENCY)
            .by(Axis::Kernel),
    ],
);

const LOAD_LATENCY_KIND: Descriptor = kind(
    "load-latency",
    Topic::Caches,
    "latency of one thread's dependent loads, by size of its memory",
    &[],
    &[Layout::new("latency by size", Axis::Footprint, Columns::Along(Axis::Case), LATENCY)],
);

const CHASE_UNDER_LOAD_KIND: Descriptor = kind(
    "chase-under-load",
    Topic::Load,
    "latency of one thread's loads while other threads load memory",
    &[],
    &[Layout::new("latency under load", Axis::Case, Columns::Measures, BOTH).by(Axis::Kernel)],
);

const LOCKED_INCREMENTS_KIND: Descriptor = kind(
    "locked-increments",
    Topic::Cores,
    "time of a locked increment of one counter, by CPU",
    &[],
    &[Layout::new("locked increments", Axis::Cpu, Columns::Along(Axis::Scenario), LATENCY)],
);

const BANDWIDTH_BY_SIZE_KIND: Descriptor = kind(
    "bandwidth-by-size",
    Topic::Caches,
    "bandwidth of one process, by size of its memory",
    &[],
    &[Layout::new("bandwidth by size", Axis::Footprint, Columns::Along(Axis::Kernel), BANDWIDTH)
        .by(Axis::Case)],
);

const KERNEL_BANDWIDTH_KIND: Descriptor = kind(
    "kernel-bandwidth",
    Topic::Bandwidth,
    "bandwidth of kernels, by the tool's names",
    &[],
    &[Layout::new("bandwidth of kernels", Axis::Kernel, Columns::Along(Axis::Case), BANDWIDTH)
        .by(Axis::Footprint)],
);

const CACHE_BANDWIDTH_KIND: Descriptor = kind(
    "cache-bandwidth",
    Topic::Caches,
    "bandwidth of cache levels",
    &[],
    &[Layout::new("bandwidth by level", Axis::Level, Columns::Measures, BANDWIDTH)],
);

const LATENCY_BY_LOAD_KIND: Descriptor = kind(
    "latency-by-load",
    Topic::Load,
    "latency against bandwidth, point by point",
    &[],
    &[Layout::new("latency under load", Axis::Case, Columns::Measures, BOTH)
        .by(Axis::ReadPercent)
        .ranked(Ranking::None)],
);

const BANDWIDTH_BY_PLACEMENT_KIND: Descriptor = kind(
    "bandwidth-by-placement",
    Topic::Sharing,
    "bandwidth by placement of threads and memory",
    &[],
    &[Layout::new("bandwidth by placement", Axis::Initiator, Columns::Along(Axis::Target), BANDWIDTH)
        .by(Axis::Case)],
);

const LATENCY_BY_PLACEMENT_KIND: Descriptor = kind(
    "latency-by-placement",
    Topic::Sharing,
    "latency by placement of threads and memory",
    &[],
    &[Layout::new("latency by placement", Axis::Initiator, Columns::Along(Axis::Target), LATENCY)
        .by(Axis::Case)],
);

const MEMORY_TRAFFIC_KIND: Descriptor = kind(
    "memory-traffic",
    Topic::Bandwidth,
    "memory traffic seen by counters while a program ran",
    &[],
    &[Layout::new("memory traffic", Axis::Target, Columns::Along(Axis::Kernel), BANDWIDTH).by(Axis::Case)],
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_have_names_of_their_own_and_layouts() {
        for (rank, kind) in KINDS.iter().enumerate() {
            assert!(KINDS[..rank].iter().all(|other| other.name != kind.name), "{}", kind.name);
            assert!(!kind.layouts.is_empty() && !kind.summary.is_empty(), "{}", kind.name);
        }
    }
}
