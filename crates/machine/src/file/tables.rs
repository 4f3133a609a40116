//! The tables of a machine file and their keys. What is said of a key here is what its schema and its reader know.

use zerohop_document::{
    Bits, Count, FractionalBytes, Level, Names, Number, Parts, Share, Text, tables, words,
};
use zerohop_units::{Bytes, GigabytesPerSecond, Hertz, Nanoseconds, TransfersPerSecond};

use super::quantity::{Distances, Position, Ranks};

tables! {
    /// A machine, described well enough to be simulated.
    MachineTable {
        /// One sentence on what it is.
        title: Text,
        /// Whose processor it has.
        processor: ProcessorTable,
        /// Kinds of core.
        core: Parts<CoreTable>,
        /// Kinds of memory channel.
        channel: Parts<ChannelTable>,
        /// Kinds of home agent.
        home: Parts<HomeTable>,
        /// Kinds of link.
        wire: Parts<WireTable>,
        /// Routers; where none is named, every node has one of its own name.
        router: Parts<RouterTable>,
        /// Links between routers.
        link: Parts<LinkTable>,
        /// Links between all neighbours of a mesh.
        mesh: Option<MeshTable>,
        /// Divisions of routers into clusters: by name, the routers of each cluster, by name.
        cluster: Parts<Parts<Names>>,
        /// Hashes of addresses.
        hash: Parts<HashTable>,
        /// Routers whose cores are switched off; all else at them goes on working.
        disabled: Option<Names>,
        /// NUMA nodes; their names are the operating system's numbers.
        node: Parts<NodeTable>,
        /// How packets find their way.
        routing: RoutingTable,
        /// How copies of a line in caches are found.
        coherence: CoherenceTable,
        /// What an operating system shows of the machine.
        system: SystemTable,
    }

    /// Whose processor it is.
    ProcessorTable {
        /// As the processor says it: `AuthenticAMD`, `GenuineIntel`, `ARM`.
        vendor: Text,
        /// Its name on the market.
        model: Text,
    }

    /// A kind of core.
    CoreTable {
        /// Its clock.
        clock: Number<Hertz>,
        /// PUs (hardware threads) of a core; 1 if nothing is said.
        threads: Option<Number<Count>>,
        /// Lines that it fetches at the same time.
        in_flight: InFlightTable,
        /// Dirty lines on their way back to memory that it holds.
        evictions: Number<Count>,
        /// Lines of non-temporal stores on their way that it holds.
        write_combining: Number<Count>,
        /// Least time between two misses of one core.
        issue: Number<Nanoseconds>,
        /// From the core's miss to its router, caches included that were looked up in vain.
        to_router: Number<Nanoseconds>,
        /// From its router until the load has its data.
        from_router: Number<Nanoseconds>,
        /// Its caches.
        cache: Parts<CacheTable>,
    }

    /// Lines that a core fetches at the same time, by how it walks through memory.
    InFlightTable {
        /// Every byte, ascending: what prefetchers and a full window reach.
        sequential: Number<Count>,
        /// One access a line, ascending.
        strided: Number<Count>,
        /// One access a line, in random order.
        random: Number<Count>,
        /// A stream, sequential or strided, asks for no line that is so many or more after the oldest one that has not come, up
        /// to 128; if nothing is said, it goes on as long as lines make room.
        ahead: Option<Number<Count>>,
    }

    /// A cache of a core, or of several.
    CacheTable {
        /// 1 is nearest to the core.
        level: Number<Level>,
        /// What it holds; both if nothing is said.
        holds: Option<HoldsWord>,
        /// Its capacity.
        size: Number<Bytes>,
        /// Its ways of associativity.
        ways: Option<Number<Count>>,
        /// How many cores share it, one after the other; 1 if nothing is said.
        shared_by: Option<Number<Count>>,
        /// Lines that it fetches at the same time for all cores that share it; as many as these ask for if nothing is said.
        misses: Option<Number<Count>>,
        /// A dependent load that hits; for all caches but those of instructions.
        latency: Option<Number<Nanoseconds>>,
    }

    /// A kind of memory channel: banks behind one bus. Either `bandwidth`, or `rate` and `width`.
    ChannelTable {
        /// What its bus carries.
        bandwidth: Option<Number<GigabytesPerSecond>>,
        /// Transfers a second on each wire of its bus.
        rate: Option<Number<TransfersPerSecond>>,
        /// Width of its bus, without error correction.
        width: Option<Number<Bits>>,
        /// DRAM as SMBIOS names it: `DDR`, `DDR4`, `HBM`.
        technology: Option<Text>,
        /// DIMMs side by side that make up its width (not the chips on them); by default none are listed.
        devices: Option<Number<Count>>,
        /// Share of the bus that overheads leave: refresh among them, if that is not described by itself.
        efficiency: Number<Share>,
        /// From a read's arrival to its data at the router, when nothing is in its way.
        access: Number<Nanoseconds>,
        /// Reads that it holds at the same time, and as many writes, while others wait where they are. If nothing is said, reads come
        /// in as they are, and a write waits where it is until the bus could take it.
        queue: Option<Number<Count>>,
        /// Banks.
        banks: Number<Count>,
        /// Bytes of an open row.
        row: Number<Bytes>,
        /// What an access takes longer if its bank has another row open.
        row_miss: Number<Nanoseconds>,
        /// Least time between two openings of rows in one bank.
        row_cycle: Number<Nanoseconds>,
        /// How all its banks are refreshed; if nothing is said, what that costs is part of `efficiency` and `access`.
        refresh: Option<RefreshTable>,
        /// Time that the bus is idle when it turns around.
        turnaround: TurnaroundTable,
        /// Writes that are gathered before the bus is turned around for them, while reads wait.
        write_batch: Number<Count>,
    }

    /// A hash of addresses: bits that are parities of address bits, and a unit for all their values.
    HashTable {
        /// For each bit, the lowest first, the mask of the address bits whose parity it is, in hexadecimal.
        select: Names,
        /// For every value of the bits, ascending, the rank of its unit: `0` to `9`, then `a` to `z`, then `A` to `Z`. Spaces and
        /// line ends do not count.
        table: Text,
    }

    /// How all banks of a channel are refreshed: until that is over, it answers nothing.
    RefreshTable {
        /// From the beginning of one refresh to that of the next (tREFI).
        every: Number<Nanoseconds>,
        /// What one takes (tRFC).
        takes: Number<Nanoseconds>,
    }

    /// Time that a bus is idle when it turns around.
    TurnaroundTable {
        /// From reads to writes.
        to_write: Number<Nanoseconds>,
        /// From writes to reads.
        to_read: Number<Nanoseconds>,
    }

    /// A kind of home agent: it answers for lines of memory.
    HomeTable {
        /// From its router until it has looked at a request.
        latency: Number<Nanoseconds>,
        /// Least time between two requests that it looks at.
        slot: Number<Nanoseconds>,
        /// Requests that it works on at the same time.
        table: Number<Count>,
        /// Of these, at most so many from local cores.
        local_limit: Number<Count>,
        /// Of these, at most so many from elsewhere.
        remote_limit: Number<Count>,
        /// What becomes of a request for which there is no room.
        on_full: OnFullWord,
        /// From a rejection's arrival until the requester asks again, where `on_full` is `"retry"`; from one look at the
        /// request until the next can be, where it is `"recirculate"`.
        retry_delay: Option<Number<Nanoseconds>>,
        /// It looks at answers and writes only while no request waits for that, or after so many requests in a row; if
        /// nothing is said, at everything in the order of arrival.
        requests_in_a_row: Option<Number<Count>>,
        /// When a request whose line memory has read leaves the table, with a directory: when it is `"read"`, which it is
        /// if nothing is said, or when it is `"sent"`.
        release: Option<ReleaseWord>,
        /// Requests of its own package's cores to memory elsewhere that it has out at the same time; any number if
        /// nothing is said.
        outbound_limit: Option<Number<Count>>,
    }

    /// A kind of link. Either `capacity`, or `lanes`, `rate` and perhaps `encoding`.
    WireTable {
        /// What each direction carries, all bytes on the wire counted.
        capacity: Option<Number<GigabytesPerSecond>>,
        /// Lanes of each direction, one bit wide.
        lanes: Option<Number<Count>>,
        /// Transfers a second on each lane.
        rate: Option<Number<TransfersPerSecond>>,
        /// Share of the transfers that carry packets; all if nothing is said.
        encoding: Option<Number<Share>>,
        /// Time on the wire and in the transceivers, without the time to send a packet's bytes.
        latency: Number<Nanoseconds>,
        /// When a router passes on what comes over it: with the packet's `"head"`, which it is if nothing is said, or when
        /// it has all of it.
        passes_on: Option<PassesOnWord>,
        /// What becomes of a packet without data while one with data is on the wire; it waits if nothing is said.
        control: Option<ControlWord>,
        /// How it drops lanes while it carries little; it does not if nothing is said.
        narrowing: Option<NarrowingTable>,
        /// Whether requests, data, acknowledgements and probes share a wire or have one each; they share it if nothing is
        /// said.
        networks: Option<NetworksWord>,
        /// What packets take on the wire.
        packets: PacketsTable,
        /// Packets of each virtual channel that a receiver can hold until they go on.
        buffers: BuffersTable,
    }

    /// How a link drops lanes while it carries little, to save power, and takes them back.
    NarrowingTable {
        /// Which part of its lanes it keeps: a half is 2, a quarter 4.
        to_one_in: Number<Count>,
        /// It looks at what it carried in each such time.
        window: Number<Nanoseconds>,
        /// It drops lanes if that was less than this share of what it could have carried with all.
        below: Number<Share>,
        /// It takes them back if that was more than this share of what it could have carried without.
        above: Number<Share>,
        /// Time that it carries nothing while it changes its width.
        change: Number<Nanoseconds>,
    }

    /// Bytes that packets take on a link.
    PacketsTable {
        /// A request without data.
        request: Number<Bytes>,
        /// A probe (snoop).
        probe: Number<Bytes>,
        /// A response without data.
        response: Number<Bytes>,
        /// A line of data on the way to a requester, its header included.
        data: Number<Bytes>,
        /// A line of data on the way to memory, its request included.
        write: Number<Bytes>,
        /// What the opposite direction carries to give a packet's buffer back.
        credit: Number<FractionalBytes>,
    }

    /// Packets of each virtual channel that a receiver can hold until they go on.
    BuffersTable {
        /// Requests without data.
        request: Number<Count>,
        /// Writes.
        write: Number<Count>,
        /// Probes.
        probe: Number<Count>,
        /// Responses, with data or without.
        response: Number<Count>,
    }

    /// Where links meet.
    RouterTable {
        /// Column and row, where it is part of a mesh.
        position: Option<Number<Position>>,
        /// Time through it, if it is not that of `[routing]`.
        traversal: Option<Number<Nanoseconds>>,
    }

    /// A link between two routers.
    LinkTable {
        /// The two routers.
        ends: Names,
        /// Its kind.
        wire: Text,
        /// Parallel wires over which packets are spread; 1 if nothing is said. Capacity and buffers are so many times a
        /// wire's, and each packet takes one of them.
        count: Option<Number<Count>>,
    }

    /// Links between all neighbours among the routers that have a position. Links are named after their ends.
    MeshTable {
        /// The kind of link between neighbours in a row.
        row: Text,
        /// The kind of link between neighbours in a column.
        column: Text,
    }

    /// A NUMA node: cores, memory, or both.
    NodeTable {
        /// The package that it is part of, or several over which its cores are shared out in equal parts, one package
        /// after the other; for nodes with cores.
        package: Option<Number<Ranks>>,
        /// Where its units sit, if they say nothing else; the router of its own name if nothing is said.
        router: Option<Text>,
        /// Its cores.
        cores: Option<CoresTable>,
        /// Its memory.
        memory: Option<Number<Bytes>>,
        /// The channels that hold it.
        channels: Option<UnitsTable>,
        /// The home agents that answer for it.
        homes: Option<UnitsTable>,
        /// The memory-side cache in front of it.
        cache: Option<SideCacheTable>,
    }

    /// A memory-side cache: direct-mapped, its tags beside its lines.
    SideCacheTable {
        /// Its capacity.
        size: Number<Bytes>,
        /// What looking at the tag adds to a read.
        lookup: Number<Nanoseconds>,
        /// Who has the tag of a line read that is about to be written without having been fetched; the write itself if
        /// nothing is said.
        tag_read_by: Option<TagReadWord>,
        /// Which pages of the memory behind are in use; those at its beginning if nothing is said.
        pages: Option<PagesWord>,
        /// The channels that it consists of.
        channels: UnitsTable,
    }

    /// Cores of a node.
    CoresTable {
        /// Their kind.
        kind: Text,
        /// How many there are.
        count: Number<Count>,
        /// The routers that they sit at, in equal numbers, one router after the other.
        at: Option<Names>,
    }

    /// Home agents or channels of a node: its own (`kind`, `count`), or those of another node (`of`).
    UnitsTable {
        /// Their kind.
        kind: Option<Text>,
        /// How many there are; 1 if nothing is said.
        count: Option<Number<Count>>,
        /// The routers that they sit at, in equal numbers, one router after the other.
        at: Option<Names>,
        /// The node whose units they are: both nodes' memory is interleaved over the same.
        of: Option<Text>,
        /// After so many bytes of the node's memory comes the next one; where there are several.
        interleave: Option<Number<Bytes>>,
        /// Instead, the hash by which lines go over them: the name of one, or `mixed` for an even one without any pattern.
        hash: Option<Text>,
        /// For channels: the division of routers by which a home agent uses only those of its own cluster.
        within: Option<Text>,
    }

    /// How packets find their way.
    RoutingTable {
        /// By which rule.
        kind: RoutingWord,
        /// Time through a router, from a link or a unit to the queue of the next link.
        traversal: Number<Nanoseconds>,
        /// By router and destination, the router to go to next; where `kind` is `"table"`, for all that are not
        /// neighbours, and otherwise for exceptions.
        next: Parts<Parts<Text>>,
    }

    /// How copies of a line in caches are found.
    CoherenceTable {
        /// How.
        kind: CoherenceWord,
        /// What looking a line up takes: in the directory, or in the caches that are probed.
        lookup: Number<Nanoseconds>,
        /// Who gathers the answers to probes; where `kind` is `"broadcast"`.
        collector: Option<CollectorWord>,
    }

    /// What an operating system shows of the machine.
    SystemTable {
        /// How PUs are numbered.
        numbering: NumberingWord,
        /// Its base page.
        page: Number<Bytes>,
        /// The firmware's distances (SLIT), a row for each node; 10 locally, 16 over one link and 6 more for each
        /// further one if nothing is said.
        distances: Option<Number<Distances>>,
    }
}

words! {
    /// What a cache holds.
    HoldsWord {
        /// Data.
        Data = "data",
        /// Instructions.
        Instructions = "instructions",
        /// Both.
        Both = "both",
    }

    /// What becomes of a packet without data while one with data is on the wire.
    ControlWord {
        /// It waits for its end.
        Waits = "waits",
        /// It is put into the middle of it.
        Inserted = "inserted",
    }

    /// When a packet is passed on.
    PassesOnWord {
        /// When its head is there.
        Head = "head",
        /// When all of it is there and has been checked.
        Whole = "whole",
    }

    /// Whether kinds of packet have wires of their own.
    NetworksWord {
        /// They share one.
        Shared = "shared",
        /// Requests, data, acknowledgements and probes have one each.
        Separate = "separate",
    }

    /// What a home agent does with a request for which there is no room.
    OnFullWord {
        /// It waits where it is, and holds its buffer.
        Wait = "wait",
        /// It is sent back, and comes again.
        Retry = "retry",
        /// It stays, holds its buffer, and is looked at again.
        Recirculate = "recirculate",
    }

    /// Who has the tag of a line read that is about to be written.
    TagReadWord {
        /// The write, when it is there.
        Write = "write",
        /// The home agent, by a request of its own ahead of the write.
        Request = "request",
    }

    /// Which pages of a memory are in use.
    PagesWord {
        /// Those at its beginning, one after the other.
        InOrder = "in-order",
        /// Any.
        Scattered = "scattered",
    }

    /// When a request leaves a home agent's table.
    ReleaseWord {
        /// When memory has read its line.
        Read = "read",
        /// When its line is on the first link.
        Sent = "sent",
    }

    /// A rule of routing.
    RoutingWord {
        /// The fewest links; among equals towards the router that is named first.
        Shortest = "shortest",
        /// First along the column, then along the row.
        Yx = "yx",
        /// As `next` says.
        Table = "table",
    }

    /// How copies are found.
    CoherenceWord {
        /// The home agent knows.
        Directory = "directory",
        /// The home agent probes all caches.
        Broadcast = "broadcast",
    }

    /// Who gathers the answers to probes.
    CollectorWord {
        /// The requester.
        Requester = "requester",
        /// The home agent.
        Home = "home",
    }

    /// How PUs are numbered.
    NumberingWord {
        /// Node by node, core by core, all PUs of a core in a row.
        Core = "core",
        /// The first PUs of all cores, node by node; then all second PUs.
        Thread = "thread",
        /// The first PUs of all cores, a core of each node in turn; then all second PUs.
        RoundRobin = "round-robin",
    }
}
