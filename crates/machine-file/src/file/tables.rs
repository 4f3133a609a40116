//! The tables of a machine file that describe its layout. Kinds of parts are declared in `hardware`, with the structs
//! that they become. The comment on a key is its text in the reader's messages, in the schema and in the documentation.

use zerohop_document::{ByName, Names, Text, tables, words};
use zerohop_units::{Bytes, Nanoseconds};

use super::quantity::{Distances, Position, Ranks};
use crate::hardware::{
    ChannelTable, CoherenceTable, CoreTable, HomeTable, SideCacheTable, UnitsTable, WireTable,
};

tables! {
    /// A machine, described well enough to be simulated.
    MachineTable {
        /// One-sentence description of the machine.
        title: Text,
        /// Vendor and model of the processor.
        processor: ProcessorTable,
        /// Kinds of core.
        core: ByName<CoreTable>,
        /// Kinds of memory channel.
        channel: ByName<ChannelTable>,
        /// Kinds of home agent.
        home: ByName<HomeTable>,
        /// Kinds of link.
        wire: ByName<WireTable>,
        /// Routers. Without any, every node has a router with the node's name.
        router: ByName<RouterTable>,
        /// Links between routers.
        link: ByName<LinkTable>,
        /// Links between all neighbors of a mesh.
        mesh: Option<MeshTable>,
        /// Divisions of routers into clusters: by name, the routers of each cluster, by name.
        cluster: ByName<ByName<Names>>,
        /// Hashes of addresses.
        hash: ByName<HashTable>,
        /// Routers whose cores are disabled; everything else at them keeps working.
        disabled: Option<Names>,
        /// NUMA nodes; their names are the operating system's numbers.
        node: ByName<NodeTable>,
        /// Routing of packets.
        routing: RoutingTable,
        /// How copies of a line in caches are found.
        coherence: CoherenceTable,
        /// How an operating system shows the machine.
        system: SystemTable,
        /// How a machine without measurements was derived.
        prediction: Option<PredictionTable>,
    }

    /// How a machine without measurements was derived.
    PredictionTable {
        /// The template that generated it.
        template: Text,
        /// Assumed properties that affect bandwidth; predictions list them.
        assumed: Names,
        /// Known errors of such predictions, one phrase per measure.
        errors: Option<Names>,
    }

    /// Whose processor it is.
    ProcessorTable {
        /// The vendor string of the processor: `AuthenticAMD`, `GenuineIntel`, `ARM`.
        vendor: Text,
        /// Marketing name.
        model: Text,
    }

    /// A hash of addresses, as it can be measured: bits that are parities of address bits, and a unit for all their values.
    HashTable {
        /// For each bit, the lowest first, the mask of the address bits whose parity it is, in hexadecimal: `"0x1040"`.
        select: Names,
        /// For every value of the bits, ascending, the rank of its home agent or channel: `0` to `9`, then `a` to `z`, then `A` to
        /// `Z`. Spaces and line ends are ignored.
        table: Text,
    }

    /// Where links meet.
    RouterTable {
        /// Column and row, if it is part of a mesh.
        position: Option<Position>,
        /// Time through it. Without this key, that of `[routing]`.
        traversal: Option<Nanoseconds>,
    }

    /// A link between two routers.
    LinkTable {
        /// The two routers.
        ends: Names,
        /// Kind of link.
        wire: Text,
        /// Number of parallel wires. The link has this many times a wire's capacity and buffers, and each packet uses one of the wires.
        count: u32 = 1,
    }

    /// Links between all neighbours among the routers that have a position, named after their ends.
    MeshTable {
        /// The kind of link between neighbors in a row.
        row: Text,
        /// The kind of link between neighbors in a column.
        column: Text,
    }

    /// A NUMA node: cores, memory, or both.
    NodeTable {
        /// The package, for nodes with cores; or a list of packages over which cores and channels are divided equally, one package after the other.
        package: Option<Ranks>,
        /// The router of its units, unless they have an `at` (default: the router with the node's name).
        router: Option<Text>,
        /// Its cores.
        cores: Option<CoresTable>,
        /// Its memory.
        memory: Option<Bytes>,
        /// The channels that hold it.
        channels: Option<UnitsTable>,
        /// The home agents of its memory.
        homes: Option<UnitsTable>,
        /// The memory-side cache in front of it.
        cache: Option<SideCacheTable>,
    }

    /// Cores of a node.
    CoresTable {
        /// Their kind.
        kind: Text,
        /// Number of units.
        count: u32,
        /// Their routers, with equal numbers at each, one router after the other.
        at: Option<Names>,
    }

    /// Routing of packets. Routes that run in a circle are refused. Routes whose packets *can wait for one another* in a
    /// circle are not: the engine then gives packets of different numbers of hops buffers of their own.
    RoutingTable {
        /// The rule.
        kind: RoutingWord,
        /// Time through a router, from a link or a unit to the queue of the next link.
        traversal: Nanoseconds,
        /// By router and destination, the router to go to next, as in `0 = { 3 = "1" }`: with `kind = "table"` for all that are not neighbors, otherwise for exceptions.
        next: ByName<ByName<Text>>,
    }

    /// How an operating system shows the machine.
    SystemTable {
        /// How PUs are numbered.
        numbering: NumberingWord,
        /// Its base page.
        page: Bytes,
        /// The firmware's distances (SLIT), a row for each node. Without them, 10 locally, 16 over one hop, and 6 more for each
        /// further hop. Hops are counted from a node's cores to another node's home agents, less what it takes them to reach
        /// their own: the link between a chiplet and its socket's memory is no hop.
        distances: Option<Distances>,
    }
}

words! {
    /// A rule of routing.
    pub(crate) RoutingWord {
        /// The fewest links; among equals, toward the router that is named first.
        Shortest = "shortest",
        /// First along the column, then along the row.
        Yx = "yx",
        /// Neighbors directly, all others according to `next`.
        Table = "table",
    }

    /// How PUs are numbered.
    pub(crate) NumberingWord {
        /// Node by node, core by core, all PUs of a core in a row.
        Core = "core",
        /// The first PUs of all cores, node by node; then all second PUs.
        Thread = "thread",
        /// The first PUs of all cores, a core of each node in turn; then all second PUs.
        RoundRobin = "round-robin",
    }
}
