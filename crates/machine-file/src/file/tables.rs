//! The tables of a machine file that describe its layout. Kinds of parts are declared in `hardware`, with the structs
//! that they become. The comment on a key is its text in the reader's messages, in the schema and in the documentation.

use zerohop_document::{ByName, Names, Text, tables, words};
use zerohop_units::{Bytes, Nanoseconds};

use super::quantity::{Distances, Position, Ranks};
use crate::hardware::{
    ChannelTable, CoherenceTable, CoreTable, HomeTable, SideCacheTable, UnitsTable, WireTable,
};

tables! {
    /// A machine, described in enough detail to be simulated.
    MachineTable {
        /// One-sentence description of the machine.
        title: Text,
        /// Vendor and model of the processor.
        processor: ProcessorTable,
        /// Kinds of cores.
        core: ByName<CoreTable>,
        /// Kinds of memory channels.
        channel: ByName<ChannelTable>,
        /// Kinds of home agents.
        home: ByName<HomeTable>,
        /// Kinds of links.
        wire: ByName<WireTable>,
        /// Routers. If there are none, every node has a router with the node's name.
        router: ByName<RouterTable>,
        /// Links between routers.
        link: ByName<LinkTable>,
        /// Links between all neighbors of a mesh.
        mesh: Option<MeshTable>,
        /// Divisions of routers into clusters, by name: the routers of each cluster, by name.
        cluster: ByName<ByName<Names>>,
        /// Address hashes.
        hash: ByName<HashTable>,
        /// Routers whose cores are disabled; everything else attached to them keeps working.
        disabled: Option<Names>,
        /// NUMA nodes; their names are the operating system's numbers.
        node: ByName<NodeTable>,
        /// Routing of packets.
        routing: RoutingTable,
        /// Mechanism that finds copies of a line in caches.
        coherence: CoherenceTable,
        /// View of the machine by an operating system.
        system: SystemTable,
        /// Derivation of a machine without measurements.
        prediction: Option<PredictionTable>,
    }

    /// Derivation of a machine without measurements.
    PredictionTable {
        /// Template that the file was generated from.
        template: Text,
        /// Assumed properties that affect bandwidth; predictions list them.
        assumed: Names,
        /// Known errors of such predictions, one phrase per measure.
        errors: Option<Names>,
    }

    /// Vendor and model of the processor.
    ProcessorTable {
        /// The vendor string of the processor: `AuthenticAMD`, `GenuineIntel`, `ARM`.
        vendor: Text,
        /// Marketing name.
        model: Text,
    }

    /// A hash of addresses, in a form that can be measured: bits that are parities of address bits, and a unit for each combination of the bits.
    HashTable {
        /// For each bit, the lowest first, the mask of the address bits that its parity covers, in hexadecimal: `"0x1040"`.
        select: Names,
        /// For each combination of the bits, ascending, the rank of its home agent or channel: `0` to `9`, then `a` to `z`, then `A` to `Z`. Spaces
        /// and line ends are ignored.
        table: Text,
    }

    /// A router, which connects links.
    RouterTable {
        /// Column and row, if the router is part of a mesh.
        position: Option<Position>,
        /// Latency through the router. Without this key, the one of `[routing]`.
        traversal: Option<Nanoseconds>,
    }

    /// A link between two routers.
    LinkTable {
        /// The two routers that the link connects.
        ends: Names,
        /// Kind of link.
        wire: Text,
        /// Number of parallel wires. The link has this many times a wire's capacity and buffers, and each packet uses one of the wires.
        count: u32 = 1,
    }

    /// Links between all neighbors among the routers that have a position, named after their ends.
    MeshTable {
        /// Kind of the links between neighbors in a row.
        row: Text,
        /// Kind of the links between neighbors in a column.
        column: Text,
    }

    /// A NUMA node: cores, memory, or both.
    NodeTable {
        /// The package, for nodes with cores; or a list of packages that the cores and channels are divided over equally, one package after the
        /// other.
        package: Option<Ranks>,
        /// Router of the node's units, unless they have an `at` (default: the router with the node's name).
        router: Option<Text>,
        /// Cores of the node.
        cores: Option<CoresTable>,
        /// Memory size of the node.
        memory: Option<Bytes>,
        /// Channels of the node's memory.
        channels: Option<UnitsTable>,
        /// Home agents of the node's memory.
        homes: Option<UnitsTable>,
        /// Memory-side cache in front of the node's memory.
        cache: Option<SideCacheTable>,
    }

    /// Cores of a node.
    CoresTable {
        /// Kind of the cores.
        kind: Text,
        /// Number of cores.
        count: u32,
        /// Routers of the cores, with equal numbers at each, one router after the other.
        at: Option<Names>,
    }

    /// Routing of packets. Cyclic routes are rejected. Routes on which packets *can wait for one another* in a cycle are allowed: the engine then
    /// gives packets with different numbers of hops separate buffers.
    RoutingTable {
        /// The routing rule.
        kind: RoutingWord,
        /// Latency through a router, from a link or a unit to the queue of the next link.
        traversal: Nanoseconds,
        /// Next router by router and destination, as in `0 = { 3 = "1" }`: with `kind = "table"` for all that are not neighbors, otherwise for
        /// exceptions.
        next: ByName<ByName<Text>>,
    }

    /// View of the machine by an operating system.
    SystemTable {
        /// Numbering of PUs.
        numbering: NumberingWord,
        /// Base page size.
        page: Bytes,
        /// Distances of the firmware (SLIT), one row for each node. Without this key, 10 locally, 16 over one hop, and 6 more for each further hop.
        /// Hops are counted from a node's cores to another node's home agents, minus the hops to the cores' own home agents: the link between a
        /// chiplet and its socket's memory is no hop.
        distances: Option<Distances>,
    }
}

words! {
    /// A routing rule.
    pub(crate) RoutingWord {
        /// Fewest links; among equal routes, toward the router that is named first.
        Shortest = "shortest",
        /// First along the column, then along the row.
        Yx = "yx",
        /// Directly between neighbors, otherwise according to `next`.
        Table = "table",
    }

    /// Numbering of PUs.
    pub(crate) NumberingWord {
        /// Node by node, core by core, all PUs of a core consecutively.
        Core = "core",
        /// The first PUs of all cores, node by node; then all second PUs.
        Thread = "thread",
        /// The first PUs of all cores, a core of each node in turn; then all second PUs.
        RoundRobin = "round-robin",
    }
}
