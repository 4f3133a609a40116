//! The tables of a template.

use zerohop_document::{Share, Text, tables, words};
use zerohop_units::{Bytes, GigabytesPerSecond, Hertz, Nanoseconds, TransfersPerSecond};

tables! {
    /// A template: what a machine file is generated from, given what a buyer knows of a machine.
    TemplateTable {
        /// One sentence on what it describes.
        title: Text,
        /// How the processor is put together.
        structure: Structure,
        /// Whose processor it is.
        processor: ProcessorNameTable,
        /// What a buyer knows: `--set` changes it.
        known: Known,
        /// The largest values that such a processor has.
        most: Most,
        /// What a spec sheet does not say: found out from machines of this generation.
        generation: Generation,
    }

    /// Whose processor it is.
    ProcessorNameTable {
        /// The vendor string of the processor: `AuthenticAMD`, `GenuineIntel`, `ARM`.
        vendor: Text,
        /// Marketing name.
        model: Text,
    }

    /// What a buyer knows of a machine.
    KnownTable => Known {
        /// Sockets.
        sockets: u32 [1..=8],
        /// Cores of a socket.
        cores: u32 [1..=512],
        /// Hardware threads of a core.
        threads: u32 [1..=8],
        /// Clock of its cores, as they run under load.
        clock: Hertz,
        /// Last-level cache of a socket.
        l3: Bytes,
        /// Memory channels of a socket that have a DIMM. A DDR5 channel of 64 bits counts as one.
        channels: u32 [1..=32],
        /// Rate at which the DIMMs run, which may be below the rate printed on them.
        rate: TransfersPerSecond,
        /// DIMMs of a channel.
        dimms: u32 [1..=3] = 1,
        /// Capacity of a DIMM.
        dimm: Bytes,
        /// NUMA nodes of a socket: SNC, COD or NPS.
        nodes: u32 [1..=8] = 1,
        /// Links of a socket that are wired to other sockets.
        links: u32 [1..=16] = 1,
        /// Rate of such a link.
        link_rate: TransfersPerSecond,
        /// CPU dies of a socket.
        ccds: Option<u32> [1..=32],
        /// Links from each CPU die to the I/O die.
        gmi: Option<u32> [1..=2],
        /// CXL memory devices.
        cxl: Option<u32> [1..=8],
        /// Socket that the CXL devices are attached to, counted from 1.
        cxl_socket: u32 [1..=8] = 1,
        /// Read bandwidth of a CXL device.
        cxl_read: Option<GigabytesPerSecond>,
        /// What a CXL device adds to the idle latency of local memory.
        cxl_adds: Option<Nanoseconds>,
        /// High-bandwidth memory of a socket, as nodes of its own.
        hbm: Option<Bytes>,
        /// Idle latency of local memory, if it is known: then the model has it.
        local: Option<Nanoseconds>,
        /// Idle latency of the memory of another socket that a link leads to, if it is known: then the model has it.
        remote: Option<Nanoseconds>,
    }

    /// The largest values that such a processor has.
    MostTable => Most {
        /// Sockets.
        sockets: u32,
        /// Cores of a socket.
        cores: u32,
        /// Memory channels of a socket.
        channels: u32,
        /// Links of a socket.
        links: u32,
        /// NUMA nodes of a socket.
        nodes: u32,
        /// Rate of its memory.
        rate: TransfersPerSecond,
    }

    /// What a spec sheet does not say.
    GenerationTable + {
        /// Kind of DRAM: `DDR4`, `DDR5`.
        technology: Text,
        /// How copies of a line are found: `directory` or `broadcast`.
        coherence: Option<Text>,
        /// What the links between sockets are called: `UPI`, `xGMI`.
        link: Option<Text>,
        /// How the NUMA nodes of a socket without CPU dies are joined; without it, as a star.
        arrangement: Option<Arrangement>,
    } => Generation {
        /// First-level cache of instructions.
        l1i: Bytes,
        /// First-level cache of data.
        l1d: Bytes,
        /// Its latency in cycles of the core.
        l1d_cycles: u32,
        /// Second-level cache of a core.
        l2: Bytes,
        /// Its latency in cycles of the core.
        l2_cycles: u32,
        /// Latency of the last-level cache.
        l3_latency: Nanoseconds,
        /// Groups of cores of a CPU die, each with a last-level cache of its own.
        l3_per_ccd: u32 = 1,
        /// Lines in flight of a core that reads sequentially, prefetches included.
        sequential: u32,
        /// Lines in flight of a core that reads at random.
        random: u32,
        /// Lines that are written back at the same time.
        evictions: u32,
        /// Buffers for non-temporal stores.
        write_combining: u32,
        /// Lines that the cores of a CPU die, or of a socket without dies, have in flight together; without it, as many as each of them
        /// has alone.
        shared_misses: Option<u32>,
        /// Idle latency of local memory, with one NUMA node a socket.
        local: Nanoseconds,
        /// The same with several NUMA nodes a socket.
        local_of_cluster: Option<Nanoseconds>,
        /// Idle latency of the memory of another NUMA node of the socket.
        cluster: Option<Nanoseconds>,
        /// Idle latency of the memory of another socket, with one NUMA node a socket and as many links as `known.links`.
        remote: Nanoseconds,
        /// The same with several NUMA nodes a socket, of the node that is nearest; without it, half of what another node of the socket
        /// adds is added.
        remote_of_cluster: Option<Nanoseconds>,
        /// Cores of a socket from which on it consists of several dies.
        tiled_from: Option<u32>,
        /// What the memory of another socket takes longer then.
        tiled_adds: Nanoseconds = Nanoseconds(0.0),
        /// What it grows by if fewer links are wired between two sockets.
        fewer_links: Nanoseconds = Nanoseconds(0.0),
        /// Share of a channel's bandwidth that sequential reads reach; without it, what the timings of the technology give.
        efficiency: Option<Share>,
        /// The same with several NUMA nodes a socket; without it, the same.
        efficiency_of_cluster: Option<Share>,
        /// What a channel loses for each line that is written without having been fetched, beside turnarounds.
        store_gap: Nanoseconds = Nanoseconds(0.0),
        /// Channels with the timings of the technology that one of `known.channels` consists of: a channel of HBM2 has two
        /// pseudo channels, 64 bits of LPDDR5X are four channels.
        parts: u32 [1..=8] = 1,
        /// Bandwidth of reads from another NUMA node of the socket; without it, that of the memory.
        cluster_read: Option<GigabytesPerSecond>,
        /// Lines that the cores of one NUMA node of several have in flight in the memory of all others; without it, there is no limit
        /// but the cores' own.
        cluster_lines: Option<u32>,
        /// Links to the other of two sockets that each NUMA node of several has of its own; without it, each node uses all of them.
        cluster_links: Option<u32> [1..=16],
        /// Bits that a link carries at once in one direction.
        link_bits: u32,
        /// Share of a link's raw rate that reads of a whole socket get as data.
        link_data: Share,
        /// The same of reads of one NUMA node of several that has links of its own (`cluster_links`).
        link_data_of_cluster: Option<Share>,
        /// Read bandwidth of a link between a CPU die and the I/O die.
        gmi_read: Option<GigabytesPerSecond>,
        /// Write bandwidth of such a link.
        gmi_write: Option<GigabytesPerSecond>,
        /// Read bandwidth of a CXL device for the other sockets; without it, their links are the only limit.
        cxl_far_read: Option<GigabytesPerSecond>,
        /// What the other sockets wait longer for a CXL device than its own; together with `cxl_far_read`.
        cxl_far_adds: Option<Nanoseconds>,
        /// Bandwidth of the high-bandwidth memory of a socket.
        hbm_read: Option<GigabytesPerSecond>,
        /// What high-bandwidth memory adds to the idle latency of local memory.
        hbm_adds: Option<Nanoseconds>,
    }
}

words! {
    /// How a processor is put together.
    pub Structure {
        /// Cores, caches and memory controllers on one fabric; perhaps divided into clusters.
        Monolithic = "monolithic",
        /// CPU dies around an I/O die of four quadrants.
        Chiplets = "chiplets",
    }

    /// How the NUMA nodes of a socket are joined.
    pub Arrangement {
        /// Each to the middle of the socket.
        Star = "star",
        /// Each to the next one.
        Row = "row",
    }
}
