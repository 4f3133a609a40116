//! A machine as JSON: the view of an operating system and, if a machine file describes the machine, its modeled structure.
//!
//! In memory, parts refer to each other by rank; here they do by name. Times are in ns, rates in GB/s, sizes in bytes.

use schemars::JsonSchema;
use serde::Serialize;
use zerohop_document::{KeyValue, Parameter};
use zerohop_machine::{Machine, NodeId, PuSet};
use zerohop_machine_file::{
    Buffers, CacheLatency, ChannelParameters, Coherence, CoreParameters, Hardware, HomeAgentParameters,
    MachineOption, NodeMemory, SideCache, SideCacheParameters, WireParameters,
};
use zerohop_units::{GigabytesPerSecond, Nanoseconds};

/// Output of `machine show --format json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct MachineForm<'a> {
    #[serde(flatten)]
    machine: &'a Machine,
    /// Modeled structure of the machine; absent if no machine file describes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    hardware: Option<HardwareForm<'a>>,
}

/// Modeled structure of a machine.
#[derive(Debug, Serialize, JsonSchema)]
struct HardwareForm<'a> {
    /// Summary of the machine, in one sentence.
    title: &'a str,
    /// Options with their possible and chosen values.
    options: &'a [MachineOption],
    /// Routers, which connect links.
    routers: Vec<RouterForm<'a>>,
    /// Links between routers, each with both directions.
    links: Vec<LinkForm<'a>>,
    /// Kinds of cores.
    core_kinds: Vec<CoreKindForm<'a>>,
    /// All cores, in the order of the machine's list.
    cores: Vec<CoreForm<'a>>,
    /// Home agents.
    home_agents: Vec<HomeForm<'a>>,
    /// Memory channels.
    channels: Vec<ChannelForm<'a>>,
    /// Mechanism that finds copies of a line in caches.
    coherence: Coherence,
    /// Location of each node's memory; a node without memory has no entry.
    memories: Vec<MemoryForm<'a>>,
    /// Hops from every node to every other one, in the order of the machine's nodes: links that a request crosses beyond those to its own memory.
    hops: Vec<Vec<usize>>,
    /// Total bandwidth of all channels that hold memory, in GB/s.
    memory_peak: GigabytesPerSecond,
    /// All numbers of the machine file, with their sources.
    parameters: &'a [Parameter],
    /// All keys of the machine file's tables and their values, including defaults.
    keys: &'a [KeyValue],
}

#[derive(Debug, Serialize, JsonSchema)]
struct RouterForm<'a> {
    name: &'a str,
    /// Column and row, if the router is part of a mesh.
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<[i32; 2]>,
    /// Latency through the router, in ns.
    traversal: Nanoseconds,
}

/// A link. Its parameters have the same keys as the kinds of parts in a machine file.
#[derive(Debug, Serialize, JsonSchema)]
struct LinkForm<'a> {
    name: &'a str,
    /// Name of the link's kind.
    kind: &'a str,
    /// Routers at both ends of the link.
    ends: [&'a str; 2],
    /// Bandwidth of each direction, in GB/s, counting all bytes on the wire; if there is `back`, only of the direction from the first end to the
    /// second.
    capacity: GigabytesPerSecond,
    /// Bandwidth of the direction from the second end to the first, if it differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    back: Option<GigabytesPerSecond>,
    /// Maximum bandwidth of lines sent to requesters in one direction that carries nothing else, in GB/s.
    read_peak: GigabytesPerSecond,
    /// Maximum bandwidth of lines sent to memory in one direction that carries nothing else, in GB/s.
    write_peak: GigabytesPerSecond,
    /// Number of parallel wires that packets are distributed over.
    wires: u32,
    /// Receive buffer for each virtual channel, in packets.
    buffers: Buffers,
    #[serde(flatten)]
    parameters: WireParameters,
}

#[derive(Debug, Serialize, JsonSchema)]
struct CoreKindForm<'a> {
    name: &'a str,
    #[serde(flatten)]
    parameters: CoreParameters,
    /// Caches, the nearest first.
    caches: &'a [CacheLatency],
}

#[derive(Debug, Serialize, JsonSchema)]
struct CoreForm<'a> {
    /// PUs of the core.
    pus: &'a PuSet,
    /// Name of the core's kind.
    kind: &'a str,
    /// Router that the core is attached to.
    router: &'a str,
}

#[derive(Debug, Serialize, JsonSchema)]
struct HomeForm<'a> {
    name: &'a str,
    /// Name of the home agent's kind.
    kind: &'a str,
    /// Router that the home agent is attached to.
    router: &'a str,
    #[serde(flatten)]
    parameters: HomeAgentParameters,
}

#[derive(Debug, Serialize, JsonSchema)]
struct ChannelForm<'a> {
    name: &'a str,
    /// Name of the channel's kind.
    kind: &'a str,
    /// Router that the channel is attached to.
    router: &'a str,
    /// Bandwidth of the channel's bus, in GB/s.
    bandwidth: GigabytesPerSecond,
    #[serde(flatten)]
    parameters: ChannelParameters,
}

#[derive(Debug, Serialize, JsonSchema)]
struct MemoryForm<'a> {
    node: NodeId,
    /// Home agents of the memory.
    home_agents: Vec<&'a str>,
    /// Channels that hold the memory.
    channels: Vec<&'a str>,
    /// Total bandwidth of these channels, in GB/s. Nodes may share channels.
    peak: GigabytesPerSecond,
    /// Memory-side cache in front of these channels, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    cache: Option<CacheForm<'a>>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct CacheForm<'a> {
    /// Channels that form the cache.
    channels: Vec<&'a str>,
    #[serde(flatten)]
    parameters: SideCacheParameters,
}

impl<'a> MachineForm<'a> {
    /// Form of the operating system's view.
    pub(crate) const fn of_machine(machine: &'a Machine) -> Self {
        Self { machine, hardware: None }
    }

    /// Form that includes the modeled structure.
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
            kind: &link.kind,
            ends: link.ends.map(router),
            capacity: link.capacity,
            back: link.back,
            read_peak: link.read_peak(),
            write_peak: link.write_peak(),
            wires: link.wires,
            buffers: link.buffers,
            parameters: link.parameters,
        });
        let core_kinds = hardware.core_kinds.iter().map(|kind| CoreKindForm {
            name: &kind.name,
            parameters: kind.parameters,
            caches: &kind.caches,
        });
        let cores = hardware.machine.cores.iter().zip(&hardware.cores).map(|(core, place)| CoreForm {
            pus: &core.pus,
            kind: &hardware.core_kinds[place.kind].name,
            router: router(place.router),
        });
        let home_agents = hardware.homes.iter().map(|home| HomeForm {
            name: &home.name,
            kind: &home.kind,
            router: router(home.router),
            parameters: home.parameters,
        });
        let channels = hardware.channels.iter().map(|channel| ChannelForm {
            name: &channel.name,
            kind: &channel.kind,
            router: router(channel.router),
            bandwidth: channel.bandwidth,
            parameters: channel.parameters,
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
            keys: &hardware.keys,
        }
    }
}

impl<'a> MemoryForm<'a> {
    fn new(memory: &'a NodeMemory, hardware: &'a Hardware) -> Self {
        let named = |channels: &[usize]| {
            channels.iter().map(|&rank| hardware.channels[rank].name.as_str()).collect::<Vec<_>>()
        };
        let cache =
            |cache: &SideCache| CacheForm { channels: named(&cache.channels), parameters: cache.parameters };
        Self {
            node: memory.node,
            home_agents: memory.homes.iter().map(|&rank| hardware.homes[rank].name.as_str()).collect(),
            channels: named(&memory.channels),
            peak: memory.channels.iter().map(|&rank| hardware.channels[rank].bandwidth).sum(),
            cache: memory.cache.as_ref().map(cache),
        }
    }
}
