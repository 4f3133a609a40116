//! A machine as JSON: what an operating system shows of it and, where a machine file describes it, what it is built of.
//!
//! In memory parts refer to one another by rank; here they do by name. Times are in ns, rates in GB/s, sizes in bytes.

use schemars::JsonSchema;
use serde::Serialize;
use zerohop_document::{KeyValue, Parameter};
use zerohop_machine::{Machine, NodeId, PuSet};
use zerohop_machine_file::{
    Buffers, CacheLatency, ChannelParameters, Coherence, CoreParameters, Hardware, HomeAgentParameters,
    MachineOption, NodeMemory, SideCache, SideCacheParameters, WireParameters,
};
use zerohop_units::{GigabytesPerSecond, Nanoseconds};

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
    /// Every key of the machine file's tables and its value, defaults included.
    keys: &'a [KeyValue],
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

/// Parameters are those that kinds of parts declare in a machine file, by the same keys.
#[derive(Debug, Serialize, JsonSchema)]
struct LinkForm<'a> {
    name: &'a str,
    /// The name of its kind.
    kind: &'a str,
    /// The routers that it joins.
    ends: [&'a str; 2],
    /// What each direction carries, all bytes on the wire counted; only from the first end to the second, if there is `back`.
    capacity: GigabytesPerSecond,
    /// What the direction from the second end to the first carries, if it differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    back: Option<GigabytesPerSecond>,
    /// Lines that one direction can carry to requesters when it carries nothing else.
    read_peak: GigabytesPerSecond,
    /// Lines that one direction can carry to memory when it carries nothing else.
    write_peak: GigabytesPerSecond,
    /// Parallel wires, over which packets are spread.
    wires: u32,
    /// Packets of each virtual channel that the receiver can hold.
    buffers: Buffers,
    #[serde(flatten)]
    parameters: WireParameters,
}

#[derive(Debug, Serialize, JsonSchema)]
struct CoreKindForm<'a> {
    name: &'a str,
    #[serde(flatten)]
    parameters: CoreParameters,
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
    /// The name of its kind.
    kind: &'a str,
    /// The router it sits at.
    router: &'a str,
    #[serde(flatten)]
    parameters: HomeAgentParameters,
}

#[derive(Debug, Serialize, JsonSchema)]
struct ChannelForm<'a> {
    name: &'a str,
    /// The name of its kind.
    kind: &'a str,
    /// The router it sits at.
    router: &'a str,
    /// What its bus carries.
    bandwidth: GigabytesPerSecond,
    #[serde(flatten)]
    parameters: ChannelParameters,
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
    /// The channels that it consists of.
    channels: Vec<&'a str>,
    #[serde(flatten)]
    parameters: SideCacheParameters,
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
