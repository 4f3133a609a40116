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
        /// One sentence on what it is.
        title: Text,
        /// Whose processor it has.
        processor: ProcessorTable,
        /// Kinds of core.
        core: ByName<CoreTable>,
        /// Kinds of memory channel.
        channel: ByName<ChannelTable>,
        /// Kinds of home agent.
        home: ByName<HomeTable>,
        /// Kinds of link.
        wire: ByName<WireTable>,
        /// Routers. Without any, every node has one of its own name.
        router: ByName<RouterTable>,
        /// Links between routers.
        link: ByName<LinkTable>,
        /// Links between all neighbours of a mesh.
        mesh: Option<MeshTable>,
        /// Divisions of routers into clusters: by name, the routers of each cluster, by name.
        cluster: ByName<ByName<Names>>,
        /// Hashes of addresses.
        hash: ByName<HashTable>,
        /// Routers whose cores are switched off; everything else at them works on.
        disabled: Option<Names>,
        /// NUMA nodes; their names are the operating system's numbers.
        node: ByName<NodeTable>,
        /// How packets find their way.
        routing: RoutingTable,
        /// How copies of a line in caches are found.
        coherence: CoherenceTable,
        /// What an operating system shows of the machine.
        system: SystemTable,
        /// What a machine that nobody measured was derived from.
        prediction: Option<PredictionTable>,
    }

    /// What a machine that nobody measured was derived from.
    PredictionTable {
        /// The template that generated it.
        template: Text,
        /// What nobody stated of the machine, and what matters for its bandwidths: pages of predictions repeat it.
        assumed: Names,
        /// How far such predictions are known to be off, a phrase for each measure.
        errors: Option<Names>,
    }

    /// Whose processor it is.
    ProcessorTable {
        /// As the processor identifies itself: `AuthenticAMD`, `GenuineIntel`, `ARM`.
        vendor: Text,
        /// Its name on the market.
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
        /// Column and row, where it is part of a mesh.
        position: Option<Position>,
        /// Time through it. Without this key, that of `[routing]`.
        traversal: Option<Nanoseconds>,
    }

    /// A link between two routers.
    LinkTable {
        /// The two routers.
        ends: Names,
        /// Its kind.
        wire: Text,
        /// Parallel wires over which packets are spread. The link has this many times a wire's capacity and buffers, and each
        /// packet takes one of the wires.
        count: u32 = 1,
    }

    /// Links between all neighbours among the routers that have a position, named after their ends.
    MeshTable {
        /// The kind of link between neighbours in a row.
        row: Text,
        /// The kind of link between neighbours in a column.
        column: Text,
    }

    /// A NUMA node: cores, memory, or both.
    NodeTable {
        /// Its package, for nodes with cores; or a list of packages over which its cores and channels are shared out in equal
        /// parts, one package after the other.
        package: Option<Ranks>,
        /// Where its units sit, unless they have an `at`. Without this key, the router of the node's own name.
        router: Option<Text>,
        /// Its cores.
        cores: Option<CoresTable>,
        /// Its memory.
        memory: Option<Bytes>,
        /// The channels that hold it.
        channels: Option<UnitsTable>,
        /// The home agents that answer for it.
        homes: Option<UnitsTable>,
        /// The memory-side cache in front of it.
        cache: Option<SideCacheTable>,
    }

    /// Cores of a node.
    CoresTable {
        /// Their kind.
        kind: Text,
        /// How many there are.
        count: u32,
        /// The routers that they sit at, in equal numbers, one router after the other.
        at: Option<Names>,
    }

    /// How packets find their way. Routes that run in a circle are refused. Routes whose packets *can wait for one another* in a
    /// circle are not: the engine then gives packets of different numbers of hops buffers of their own.
    RoutingTable {
        /// The rule.
        kind: RoutingWord,
        /// Time through a router, from a link or a unit to the queue of the next link.
        traversal: Nanoseconds,
        /// By router and destination, the router to go to next, as in `0 = { 3 = "1" }`: with `kind = "table"` for all that are
        /// not neighbours, otherwise for exceptions.
        next: ByName<ByName<Text>>,
    }

    /// What an operating system shows of the machine.
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
        /// The fewest links; among equals, towards the router that is named first.
        Shortest = "shortest",
        /// First along the column, then along the row.
        Yx = "yx",
        /// Neighbours directly, everything else as `next` gives it.
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
