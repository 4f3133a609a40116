//! A machine as JSON: what an operating system shows of it and, where a machine file describes it, what it is built of.
//!
//! In memory parts refer to one another by rank; here they do by name. Times are in ns, rates in GB/s, sizes in bytes.

use schemars::JsonSchema;
use serde::Serialize;
use zerohop_machine::{
    Buffers, CacheLatency, Coherence, Hardware, InFlight, Machine, MachineOption, Narrowing, NodeId,
    NodeMemory, OnFull, Packets, PagesInUse, Parameter, PuSet, Refresh, Release, SideCache, Turnaround,
};
use zerohop_units::{Bytes, GigabytesPerSecond, Hertz, Nanoseconds};

/// What `machine show --format json` prints.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct MachineForm<'a> {
    #[serde(flatten)]
    machine: &'a Machine,
    /// What it is built of, as it is modelled; absent where no machine file describes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    hardware: Option<HardwareForm<'a>>,
}

/// What a machine is built of, as it is modelled.
#[derive(Debug, Serialize, JsonSchema)]
struct HardwareForm<'a> {
    /// One sentence on what it is.
    title: &'a str,
    /// What can be chosen, and what is.
    options: &'a [MachineOption],
    /// Where links meet.
    routers: Vec<RouterForm<'a>>,
    /// Links between routers, both directions each.
    links: Vec<LinkForm<'a>>,
    /// Kinds of core.
    core_kinds: Vec<CoreKindForm<'a>>,
    /// Every core, in the order of the machine's.
    cores: Vec<CoreForm<'a>>,
    /// Home agents.
    home_agents: Vec<HomeForm<'a>>,
    /// Memory channels.
    channels: Vec<ChannelForm<'a>>,
    /// How copies of a line in caches are found.
    coherence: Coherence,
    /// Where each node's memory lies; a node without memory has no entry.
    memories: Vec<MemoryForm<'a>>,
    /// From every node to every other, in the order of the machine's nodes: links that a request crosses beyond those to its
    /// own memory.
    hops: Vec<Vec<usize>>,
    /// What all channels that hold memory carry together.
    memory_peak: GigabytesPerSecond,
    /// Every number of the machine file, and where it comes from.
    parameters: &'a [Parameter],
}

#[derive(Debug, Serialize, JsonSchema)]
struct RouterForm<'a> {
    name: &'a str,
    /// Column and row, where it is part of a mesh.
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<[i32; 2]>,
    /// Time through it.
    traversal: Nanoseconds,
}

#[derive(Debug, Serialize, JsonSchema)]
struct LinkForm<'a> {
    name: &'a str,
    /// The routers that it joins.
    ends: [&'a str; 2],
    /// What each direction carries, all bytes on the wire counted.
    capacity: GigabytesPerSecond,
    /// Lines that one direction can carry to requesters when it carries nothing else.
    read_peak: GigabytesPerSecond,
    /// Lines that one direction can carry to memory when it carries nothing else.
    write_peak: GigabytesPerSecond,
    /// Parallel wires, over which packets are spread.
    wires: u32,
    /// Time on the wire, without the time to send a packet's bytes.
    latency: Nanoseconds,
    /// Whether packets without data are put into the middle of packets with data.
    inserts_control: bool,
    /// Whether a packet is passed on only when all of it has come.
    passes_on_whole: bool,
    /// Whether each kind of packet has wires of its own.
    separate_networks: bool,
    /// How it drops lanes while it carries little, if it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    narrowing: Option<Narrowing>,
    packets: Packets,
    buffers: Buffers,
}

#[derive(Debug, Serialize, JsonSchema)]
struct CoreKindForm<'a> {
    name: &'a str,
    clock: Hertz,
    in_flight: InFlight,
    /// Dirty lines on their way back to memory that it holds.
    evictions: u32,
    /// Lines of non-temporal stores on their way that it holds.
    write_combining: u32,
    /// Least time between two misses.
    issue: Nanoseconds,
    /// From a miss to the core's router.
    to_router: Nanoseconds,
    /// From its router until the load has its data.
    from_router: Nanoseconds,
    /// Nearest first.
    caches: &'a [CacheLatency],
}

#[derive(Debug, Serialize, JsonSchema)]
struct CoreForm<'a> {
    /// Its PUs.
    pus: &'a PuSet,
    /// The name of its kind.
    kind: &'a str,
    /// The router it sits at.
    router: &'a str,
}

#[derive(Debug, Serialize, JsonSchema)]
struct HomeForm<'a> {
    name: &'a str,
    /// The router it sits at.
    router: &'a str,
    /// From its router until it has looked at a request.
    latency: Nanoseconds,
    /// Least time between two requests that it looks at.
    slot: Nanoseconds,
    /// Requests that it works on at the same time.
    table: u32,
    /// Of these, at most so many from cores of its own package.
    local_limit: u32,
    /// Of these, at most so many from elsewhere.
    remote_limit: u32,
    /// Requests of its own package to memory elsewhere that it has out at the same time; any number, if it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    outbound_limit: Option<u32>,
    /// Requests that are looked at in a row before answers are; in the order of arrival, if it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    requests_in_a_row: Option<u32>,
    /// What becomes of a request for which there is no room.
    on_full: OnFull,
    release: Release,
}

#[derive(Debug, Serialize, JsonSchema)]
struct ChannelForm<'a> {
    name: &'a str,
    /// The router it sits at.
    router: &'a str,
    /// What its bus carries.
    bandwidth: GigabytesPerSecond,
    /// Share of it that refresh and other overheads leave, 0 to 1.
    efficiency: f64,
    /// From a read's arrival to its data at the router, when nothing is in its way.
    access: Nanoseconds,
    /// Reads that it holds at the same time, and as many writes; any number of reads, if it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    queue: Option<u32>,
    banks: u32,
    /// Bytes of an open row.
    row: Bytes,
    /// What an access takes longer if its bank has another row open.
    row_miss: Nanoseconds,
    /// Least time between two openings of rows in one bank.
    row_cycle: Nanoseconds,
    /// What refreshing it takes, if that is told apart from the efficiency.
    #[serde(skip_serializing_if = "Option::is_none")]
    refresh: Option<Refresh>,
    turnaround: Turnaround,
    /// Writes that are gathered before the bus is turned around for them.
    write_batch: u32,
}

#[derive(Debug, Serialize, JsonSchema)]
struct MemoryForm<'a> {
    node: NodeId,
    /// The home agents that answer for it.
    home_agents: Vec<&'a str>,
    /// The channels that hold it.
    channels: Vec<&'a str>,
    /// What these channels carry together. Nodes may share channels.
    peak: GigabytesPerSecond,
    /// The memory-side cache in front of these channels, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    cache: Option<CacheForm<'a>>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct CacheForm<'a> {
    /// Its capacity.
    size: Bytes,
    /// The channels that it consists of.
    channels: Vec<&'a str>,
    /// What looking at the tag adds to a read.
    lookup: Nanoseconds,
    /// Whether a home agent asks for the tag of a line before it writes it.
    asks_for_tags: bool,
    pages: PagesInUse,
}

impl<'a> MachineForm<'a> {
    /// Of what an operating system shows.
    pub(crate) const fn of_machine(machine: &'a Machine) -> Self {
        Self { machine, hardware: None }
    }

    /// And of what it is built of.
    pub(crate) fn of_hardware(hardware: &'a Hardware) -> Self {
        Self { machine: &hardware.machine, hardware: Some(HardwareForm::new(hardware)) }
    }
}

impl<'a> HardwareForm<'a> {
    fn new(hardware: &'a Hardware) -> Self {
        let router = |rank: usize| hardware.routers[rank].name.as_str();
        let routers = hardware.routers.iter().map(|router| RouterForm {
            name: &router.name,
            position: router.position,
            traversal: router.traversal,
        });
        let links = hardware.links.iter().map(|link| LinkForm {
            name: &link.name,
            ends: link.ends.map(router),
            capacity: link.capacity,
            read_peak: link.read_peak(),
            write_peak: link.write_peak(),
            wires: link.wires,
            latency: link.latency,
            inserts_control: link.inserts_control,
            passes_on_whole: link.passes_on_whole,
            separate_networks: link.separate_networks,
            narrowing: link.narrowing,
            packets: link.packets,
            buffers: link.buffers,
        });
        let core_kinds = hardware.core_kinds.iter().map(|kind| CoreKindForm {
            name: &kind.name,
            clock: kind.clock,
            in_flight: kind.in_flight,
            evictions: kind.evictions,
            write_combining: kind.write_combining,
            issue: kind.issue,
            to_router: kind.to_router,
            from_router: kind.from_router,
            caches: &kind.caches,
        });
        let cores = hardware.machine.cores.iter().zip(&hardware.cores).map(|(core, place)| CoreForm {
            pus: &core.pus,
            kind: &hardware.core_kinds[place.kind].name,
            router: router(place.router),
        });
        let home_agents = hardware.homes.iter().map(|home| HomeForm {
            name: &home.name,
            router: router(home.router),
            latency: home.latency,
            slot: home.slot,
            table: home.table,
            local_limit: home.local_limit,
            remote_limit: home.remote_limit,
            outbound_limit: home.outbound_limit,
            requests_in_a_row: home.requests_in_a_row,
            on_full: home.on_full,
            release: home.release,
        });
        let channels = hardware.channels.iter().map(|channel| ChannelForm {
            name: &channel.name,
            router: router(channel.router),
            bandwidth: channel.bandwidth,
            efficiency: channel.efficiency,
            access: channel.access,
            queue: channel.queue,
            banks: channel.banks,
            row: channel.row,
            row_miss: channel.row_miss,
            row_cycle: channel.row_cycle,
            refresh: channel.refresh,
            turnaround: channel.turnaround,
            write_batch: channel.write_batch,
        });
        Self {
            title: &hardware.title,
            options: &hardware.options,
            routers: routers.collect(),
            links: links.collect(),
            core_kinds: core_kinds.collect(),
            cores: cores.collect(),
            home_agents: home_agents.collect(),
            channels: channels.collect(),
            coherence: hardware.coherence,
            memories: hardware.memories.iter().map(|memory| MemoryForm::new(memory, hardware)).collect(),
            hops: hardware.hop_matrix(),
            memory_peak: hardware.total_memory_peak(),
            parameters: &hardware.parameters,
        }
    }
}

impl<'a> MemoryForm<'a> {
    fn new(memory: &'a NodeMemory, hardware: &'a Hardware) -> Self {
        let named = |channels: &[usize]| {
            channels.iter().map(|&rank| hardware.channels[rank].name.as_str()).collect::<Vec<_>>()
        };
        let cache = |cache: &SideCache| CacheForm {
            size: cache.size,
            channels: named(&cache.channels),
            lookup: cache.lookup,
            asks_for_tags: cache.asks_for_tags,
            pages: cache.pages,
        };
        Self {
            node: memory.node,
            home_agents: memory.homes.iter().map(|&rank| hardware.homes[rank].name.as_str()).collect(),
            channels: named(&memory.channels),
            peak: memory.channels.iter().map(|&rank| hardware.channels[rank].bandwidth).sum(),
            cache: memory.cache.as_ref().map(cache),
        }
    }
}
