//! The tables of a template.

use zerohop_document::{Share, Text, tables, words};
use zerohop_units::{Bytes, GigabytesPerSecond, Hertz, Nanoseconds, TransfersPerSecond};

tables! {
    /// A template: machine files are generated from it and a buyer's knowledge of a machine.
    TemplateTable {
        /// Summary of the template, in one sentence.
        title: Text,
        /// Structure of the processor.
        structure: Structure,
        /// Vendor and model of the processor.
        processor: ProcessorNameTable,
        /// Properties that a buyer knows: `--set` changes them.
        known: Known,
        /// Largest values of such a processor.
        most: Most,
        /// Properties that a spec sheet does not state: derived from machines of this generation.
        generation: Generation,
    }

    /// Vendor and model of the processor.
    ProcessorNameTable {
        /// The vendor string of the processor: `AuthenticAMD`, `GenuineIntel`, `ARM`.
        vendor: Text,
        /// Marketing name.
        model: Text,
    }

    /// Properties of a machine that a buyer knows.
    KnownTable => Known {
        /// Number of sockets.
        sockets: u32 [1..=8],
        /// Number of cores per socket.
        cores: u32 [1..=512],
        /// Number of hardware threads per core.
        threads: u32 [1..=8],
        /// Clock rate of the cores under load.
        clock: Hertz,
        /// Last-level cache per socket.
        l3: Bytes,
        /// Number of memory channels per socket that have a DIMM. A DDR5 channel of 64 bits counts as one.
        channels: u32 [1..=32],
        /// Transfer rate at which the DIMMs run, which may be below the rate printed on them.
        rate: TransfersPerSecond,
        /// Number of DIMMs per channel.
        dimms: u32 [1..=3] = 1,
        /// Capacity of a DIMM.
        dimm: Bytes,
        /// Number of NUMA nodes per socket: SNC, COD or NPS.
        nodes: u32 [1..=8] = 1,
        /// Number of links per socket that are wired to other sockets.
        links: u32 [1..=16] = 1,
        /// Transfer rate of such a link.
        link_rate: TransfersPerSecond,
        /// Number of CPU dies per socket.
        ccds: Option<u32> [1..=32],
        /// Number of links from each CPU die to the I/O die.
        gmi: Option<u32> [1..=2],
        /// Number of CXL memory devices.
        cxl: Option<u32> [1..=8],
        /// Socket that the CXL devices are attached to, counted from 1.
        cxl_socket: u32 [1..=8] = 1,
        /// Read bandwidth of a CXL device.
        cxl_read: Option<GigabytesPerSecond>,
        /// Latency that a CXL device adds to the idle latency of local memory.
        cxl_adds: Option<Nanoseconds>,
        /// High-bandwidth memory per socket, as separate nodes.
        hbm: Option<Bytes>,
        /// Idle latency of local memory, if known; the model then matches it.
        local: Option<Nanoseconds>,
        /// Idle latency of the memory of another socket that a link leads to, if known; the model then matches it.
        remote: Option<Nanoseconds>,
    }

    /// Largest values of such a processor.
    MostTable => Most {
        /// Number of sockets.
        sockets: u32,
        /// Number of cores per socket.
        cores: u32,
        /// Number of memory channels per socket.
        channels: u32,
        /// Number of links per socket.
        links: u32,
        /// Number of NUMA nodes per socket.
        nodes: u32,
        /// Transfer rate of the memory.
        rate: TransfersPerSecond,
    }

    /// Properties that a spec sheet does not state.
    GenerationTable + {
        /// Kind of DRAM: `DDR4`, `DDR5`.
        technology: Text,
        /// Mechanism that finds copies of a line: `directory` or `broadcast`.
        coherence: Option<Text>,
        /// Name of the links between sockets: `UPI`, `xGMI`.
        link: Option<Text>,
        /// Topology of the NUMA nodes of a socket without CPU dies; by default a star.
        arrangement: Option<Arrangement>,
    } => Generation {
        /// First-level instruction cache.
        l1i: Bytes,
        /// First-level data cache.
        l1d: Bytes,
        /// Latency of the first-level data cache, in core cycles.
        l1d_cycles: u32,
        /// Second-level cache per core.
        l2: Bytes,
        /// Latency of the second-level cache, in core cycles.
        l2_cycles: u32,
        /// Latency of the last-level cache.
        l3_latency: Nanoseconds,
        /// Number of groups of cores per CPU die, each with its own last-level cache.
        l3_per_ccd: u32 = 1,
        /// Lines in flight of a core that reads sequentially, including prefetches.
        sequential: u32,
        /// Lines in flight of a core that reads at random.
        random: u32,
        /// Number of lines in write-back at the same time.
        evictions: u32,
        /// Number of buffers for non-temporal stores.
        write_combining: u32,
        /// Number of lines in flight for all cores of a CPU die, or of a socket without dies; by default, only the limits of each core apply.
        shared_misses: Option<u32>,
        /// Idle latency of local memory, with one NUMA node per socket.
        local: Nanoseconds,
        /// Idle latency of local memory, with several NUMA nodes per socket.
        local_of_cluster: Option<Nanoseconds>,
        /// Idle latency of the memory of another NUMA node in the socket.
        cluster: Option<Nanoseconds>,
        /// Idle latency of the memory of another socket, with one NUMA node per socket and `known.links` links.
        remote: Nanoseconds,
        /// Idle latency of the nearest node of another socket, with several NUMA nodes per socket; by default, `remote`, plus half of what another
        /// node of the socket adds if there are no CPU dies.
        remote_of_cluster: Option<Nanoseconds>,
        /// Number of cores per socket from which a socket consists of several dies.
        tiled_from: Option<u32>,
        /// Latency that several dies add to the memory of another socket.
        tiled_adds: Nanoseconds = Nanoseconds(0.0),
        /// Latency added if fewer links are wired between two sockets.
        fewer_links: Nanoseconds = Nanoseconds(0.0),
        /// Share of a channel's bandwidth that sequential reads reach; by default, the share given by the timings of the technology.
        efficiency: Option<Share>,
        /// Share of a channel's bandwidth with several NUMA nodes per socket; by default, the same share.
        efficiency_of_cluster: Option<Share>,
        /// Bus time that a channel loses for each line that is written without a fetch, in addition to turnarounds.
        store_gap: Nanoseconds = Nanoseconds(0.0),
        /// Number of channels with the timings of the technology in one of `known.channels`: a channel of HBM2 has two pseudo channels, 64 bits of
        /// LPDDR5X are four channels.
        parts: u32 [1..=8] = 1,
        /// Read bandwidth from another NUMA node of the socket; by default, the bandwidth of its memory.
        cluster_read: Option<GigabytesPerSecond>,
        /// Number of lines in flight from the cores of one of several NUMA nodes to the memory of all other nodes; by default, only the limits of the
        /// cores apply.
        cluster_lines: Option<u32>,
        /// Number of links to the other of two sockets that belong to each of several NUMA nodes; by default, each node uses all links.
        cluster_links: Option<u32> [1..=16],
        /// Width of a link in each direction, in bits.
        link_bits: u32,
        /// Share of a link's raw rate that a whole socket's reads get as data.
        link_data: Share,
        /// Share of a link's raw rate for reads of one of several NUMA nodes with its own links (`cluster_links`).
        link_data_of_cluster: Option<Share>,
        /// Read bandwidth of a link between a CPU die and the I/O die.
        gmi_read: Option<GigabytesPerSecond>,
        /// Write bandwidth of such a link.
        gmi_write: Option<GigabytesPerSecond>,
        /// Read bandwidth of a CXL device from the other sockets; by default, limited only by their links.
        cxl_far_read: Option<GigabytesPerSecond>,
        /// Latency that the other sockets add to a CXL device; together with `cxl_far_read`.
        cxl_far_adds: Option<Nanoseconds>,
        /// Bandwidth of the high-bandwidth memory of a socket.
        hbm_read: Option<GigabytesPerSecond>,
        /// Latency that high-bandwidth memory adds to the idle latency of local memory.
        hbm_adds: Option<Nanoseconds>,
    }
}

words! {
    /// Structure of a processor.
    pub Structure {
        /// Cores, caches and memory controllers on one fabric, optionally divided into clusters.
        Monolithic = "monolithic",
        /// CPU dies around an I/O die of four quadrants.
        Chiplets = "chiplets",
    }

    /// Topology of the NUMA nodes of a socket.
    pub Arrangement {
        /// Each connected to the center of the socket.
        Star = "star",
        /// Each connected to the next one.
        Row = "row",
    }
}
