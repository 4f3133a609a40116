//! Machines to plan for, ordinary and odd.

use zerohop_machine::{
    Cache, CacheKind, Core, CoreId, DistanceMatrix, Machine, NodeId, NumaNode, Package, PackageId, Pu, PuId,
};
use zerohop_units::Bytes;

/// A node to build: its number, its cores' PUs, its memory in GiB (of which all is free).
pub(crate) struct Node {
    pub(crate) id: u32,
    pub(crate) cores: Vec<Vec<u32>>,
    pub(crate) gib: u64,
}

/// A node whose cores have one PU each.
pub(crate) fn node(id: u32, pus: impl IntoIterator<Item = u32>, gib: u64) -> Node {
    Node { id, cores: pus.into_iter().map(|pu| vec![pu]).collect(), gib }
}

/// A machine of these nodes, each a package with its own 32 MiB L3, 1 MiB L2 and 32 KiB L1 for each core. Distances grow
/// with the difference of the nodes' ranks.
pub(crate) fn machine(nodes: Vec<Node>) -> Machine {
    let ids: Vec<NodeId> = nodes.iter().map(|node| NodeId(node.id)).collect();
    let ranks = 0..ids.len() as u32;
    let rows = ranks.clone().map(|row| ranks.clone().map(|column| 10 + 10 * row.abs_diff(column)).collect());
    let mut machine = Machine {
        name: "scripted".to_owned(),
        distances: Some(DistanceMatrix { nodes: ids, rows: rows.collect() }),
        ..Machine::default()
    };
    for node in nodes {
        add(&mut machine, &node);
    }
    machine
}

fn add(machine: &mut Machine, node: &Node) {
    let package = PackageId(node.id);
    let pus = || node.cores.iter().flatten().map(|&pu| PuId(pu)).collect();
    let memory = Bytes::gib(node.gib);
    machine.nodes.push(NumaNode {
        id: NodeId(node.id),
        pus: pus(),
        memory,
        free: memory,
        huge_pages: Vec::new(),
        memory_side_caches: Vec::new(),
        allowed: true,
    });
    for threads in &node.cores {
        let id = CoreId(machine.cores.len() as u32);
        let own = || threads.iter().map(|&pu| PuId(pu)).collect();
        machine.cores.push(Core { id, package, die: None, pus: own(), max_clock: None });
        machine.pus.extend(threads.iter().map(|&pu| Pu {
            id: PuId(pu),
            core: id,
            package,
            node: NodeId(node.id),
            allowed: true,
        }));
        machine.caches.push(cache(1, CacheKind::Data, Bytes::kib(32), own()));
        machine.caches.push(cache(1, CacheKind::Instruction, Bytes::kib(32), own()));
        machine.caches.push(cache(2, CacheKind::Unified, Bytes::mib(1), own()));
    }
    if !node.cores.is_empty() {
        machine.packages.push(Package { id: package, pus: pus() });
        machine.caches.push(cache(3, CacheKind::Unified, Bytes::mib(32), pus()));
    }
}

fn cache(level: u8, kind: CacheKind, size: Bytes, pus: zerohop_machine::PuSet) -> Cache {
    Cache { level, kind, size, line: Bytes(64), ways: None, pus }
}

/// One node of two cores.
pub(crate) fn small() -> Machine {
    machine(vec![node(0, 0..2, 16)])
}

/// Two packages with this many cores each.
pub(crate) fn two_nodes(cores: u32) -> Machine {
    machine(vec![node(0, 0..cores, 64), node(1, cores..2 * cores, 64)])
}

/// Node numbers with gaps; one node without memory, one without PUs.
pub(crate) fn odd() -> Machine {
    machine(vec![
        node(0, [0, 1, 2], 16),
        node(3, [8, 9], 0),
        node(17, [], 32),
        node(40, [20, 21, 22, 23], 16),
    ])
}

/// One node, one core.
pub(crate) fn single() -> Machine {
    machine(vec![node(5, [3], 4)])
}

/// A machine with `nodes` nodes of `cores` cores.
pub(crate) fn large(nodes: u32, cores: u32) -> Machine {
    machine((0..nodes).map(|id| node(id, id * cores..(id + 1) * cores, 32)).collect())
}

/// AMD's Quartet: four nodes of two cores at the corners of a square. PU 2n + c is core c of node n.
pub(crate) fn square() -> Machine {
    let mut machine = large(4, 2);
    let rows = [[10, 16, 16, 20], [16, 10, 20, 16], [16, 20, 10, 16], [20, 16, 16, 10]];
    let nodes = (0..4).map(NodeId).collect();
    machine.distances = Some(DistanceMatrix { nodes, rows: rows.map(Vec::from).to_vec() });
    machine
}
