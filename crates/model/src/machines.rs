//! Machines for tests.

use zerohop_document::{FractionalBytes, Share};
use zerohop_machine::{Core, CoreId, Machine, NodeId, NumaNode, Package, PackageId, Pu, PuId, PuSet};
use zerohop_machine_file::{
    Buffers, CacheLatency, Channel, ChannelParameters, Coherence, Collector, Control, CoreKind,
    CoreParameters, CorePlace, DirectedLink, Hardware, HomeAgent, HomeAgentParameters, InFlight, Link,
    Networks, NodeMemory, OnFull, OutboundFrom, Packets, PassesOn, Release, Router, Routes, Spread,
    Turnaround, WireParameters,
};
use zerohop_units::{Bytes, GigabytesPerSecond, Hertz, Nanoseconds};

/// Nodes with this many cores each, a router, a home agent and a channel; links as pairs of nodes; shortest routes.
pub(crate) fn nodes(count: usize, cores: usize, links: &[[usize; 2]], coherence: Coherence) -> Hardware {
    Hardware {
        title: "a machine for tests".to_owned(),
        machine: machine(count, cores),
        routers: (0..count)
            .map(|node| Router { name: node.to_string(), position: None, traversal: Nanoseconds(5.0) })
            .collect(),
        links: links.iter().map(|&ends| link(ends)).collect(),
        routes: shortest(count, links),
        core_kinds: vec![core_kind()],
        cores: (0..count * cores).map(|core| CorePlace { kind: 0, router: core / cores }).collect(),
        homes: (0..count).map(home).collect(),
        channels: (0..count).map(channel).collect(),
        coherence,
        memories: (0..count).map(memory).collect(),
        parameters: [].into(),
        keys: [].into(),
        options: Vec::new(),
    }
}

/// What an operating system sees of it.
fn machine(count: usize, cores: usize) -> Machine {
    let pus_of =
        |node: usize| -> PuSet { (0..cores).map(|core| PuId((node * cores + core) as u32)).collect() };
    let all = || (0..count).flat_map(move |node| (0..cores).map(move |core| (node, node * cores + core)));
    Machine {
        name: "test".to_owned(),
        packages: (0..count).map(|node| Package { id: PackageId(node as u32), pus: pus_of(node) }).collect(),
        nodes: (0..count)
            .map(|node| NumaNode {
                id: NodeId(node as u32),
                pus: pus_of(node),
                memory: Bytes::gib(8),
                free: Bytes::gib(8),
                huge_pages: Vec::new(),
                memory_side_caches: Vec::new(),
                allowed: true,
            })
            .collect(),
        cores: all()
            .map(|(node, core)| Core {
                id: CoreId(core as u32),
                package: PackageId(node as u32),
                die: None,
                pus: [PuId(core as u32)].into_iter().collect(),
                max_clock: None,
            })
            .collect(),
        pus: all()
            .map(|(node, core)| Pu {
                id: PuId(core as u32),
                core: CoreId(core as u32),
                package: PackageId(node as u32),
                node: NodeId(node as u32),
                allowed: true,
            })
            .collect(),
        ..Machine::default()
    }
}

fn core_kind() -> CoreKind {
    let ns = Nanoseconds;
    CoreKind {
        name: "core".to_owned(),
        parameters: CoreParameters {
            clock: Hertz(2e9),
            threads: 1,
            in_flight: InFlight { sequential: 10, strided: 10, random: 10, ahead: None },
            evictions: 10,
            write_combining: 10,
            issue: ns(0.0),
            to_router: ns(10.0),
            from_router: ns(10.0),
        },
        caches: vec![CacheLatency { level: 1, size: Bytes::kib(32), latency: ns(2.0), misses: None }],
    }
}

fn home(node: usize) -> HomeAgent {
    HomeAgent {
        name: node.to_string(),
        kind: "home".to_owned(),
        router: node,
        parameters: HomeAgentParameters {
            latency: Nanoseconds(10.0),
            slot: Nanoseconds(0.5),
            table: 128,
            local_limit: 128,
            remote_limit: 128,
            on_full: OnFull::Wait,
            retry_delay: None,
            requests_in_a_row: None,
            release: Release::Read,
            outbound_limit: None,
            outbound_from: OutboundFrom::Package,
        },
    }
}

fn channel(node: usize) -> Channel {
    let ns = Nanoseconds;
    Channel {
        name: node.to_string(),
        kind: "channel".to_owned(),
        router: node,
        bandwidth: GigabytesPerSecond(25.6),
        parameters: ChannelParameters {
            efficiency: Share(1.0),
            parts: 1,
            access: ns(50.0),
            queue: None,
            banks: 16,
            row: Bytes::kib(8),
            row_miss: ns(0.0),
            precharge: ns(0.0),
            close_after: None,
            row_cycle: ns(0.0),
            bank_block: Bytes::kib(1),
            row_group: 8,
            refresh: None,
            turnaround: Turnaround { to_write: ns(0.0), to_read: ns(0.0) },
            write_batch: 8,
            store_gap: ns(0.0),
        },
    }
}

fn memory(node: usize) -> NodeMemory {
    NodeMemory {
        node: NodeId(node as u32),
        homes: vec![node],
        home_spread: Spread::Interleaved(Bytes(64)),
        channels: vec![node],
        channel_spread: Spread::Interleaved(Bytes(64)),
        channels_of_home: Vec::new(),
        cache: None,
    }
}

fn link(ends: [usize; 2]) -> Link {
    Link {
        name: format!("{}-{}", ends[0], ends[1]),
        kind: "wire".to_owned(),
        ends,
        capacity: GigabytesPerSecond(20.0),
        back: None,
        wires: 1,
        buffers: Buffers { request: 32, write: 32, probe: 32, response: 32 },
        parameters: WireParameters {
            latency: Nanoseconds(20.0),
            passes_on: PassesOn::Head,
            control: Control::Waits,
            narrowing: None,
            networks: Networks::Shared,
            packets: Packets {
                request: Bytes(8),
                probe: Bytes(8),
                response: Bytes(4),
                data: Bytes(68),
                write: Bytes(72),
                credit: FractionalBytes(0.0),
            },
        },
    }
}

/// Shortest routes, lowest neighbor first.
pub(crate) fn shortest(count: usize, links: &[[usize; 2]]) -> Routes {
    let mut next = vec![None; count * count];
    for to in 0..count {
        let mut distance = vec![usize::MAX; count];
        distance[to] = 0;
        for round in 0..count {
            for (rank, ends) in links.iter().enumerate() {
                for direction in 0..2 {
                    let (from, over) = (ends[direction], ends[1 - direction]);
                    if distance[over] == round && distance[from] == usize::MAX {
                        distance[from] = round + 1;
                        next[from * count + to] = Some(DirectedLink::new(rank, direction));
                    }
                }
            }
        }
    }
    Routes::new(count, next)
}

pub(crate) const DIRECTORY: Coherence = Coherence::Directory { lookup: Nanoseconds(0.0) };

pub(crate) const BROADCAST: Coherence =
    Coherence::Broadcast { lookup: Nanoseconds(20.0), collector: Collector::Requester };
