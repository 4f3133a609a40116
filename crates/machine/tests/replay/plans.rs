//! Invented machines for the tests, each odd in its own way.

use zerohop_machine::{
    AccessClass, Cache, CacheKind, Core, CoreId, DistanceMatrix, HugePagePool, Machine, MemorySideCache,
    NodeAccess, NodeId, NumaNode, OperatingSystem, Package, PackageId, Processor, Pu, PuId, PuSet,
};
use zerohop_units::{Bytes, GigabytesPerSecond, Hertz, Nanoseconds};

/// Why an invented machine has no DIMMs.
const NO_SMBIOS: &str = "memory devices: this machine has no SMBIOS table";

/// A node as one line: number, PUs, MiB.
pub(crate) type NodePlan<'text> = (u32, &'text str, u64);

/// A machine with these nodes and packages (lists of PUs), whose cores have `threads` consecutive PUs of a package each.
/// Each core has an L1, and each node with PUs a last-level cache.
pub(crate) fn machine(nodes: &[NodePlan<'_>], packages: &[&str], threads: usize) -> Machine {
    let packages: Vec<Package> = packages
        .iter()
        .zip(0..)
        .map(|(pus, id)| Package { id: PackageId(id), pus: pus.parse().unwrap() })
        .collect();
    let nodes: Vec<NumaNode> = nodes.iter().map(node).collect();
    let cores = cores(&packages, threads);
    let pus = pus(&packages, &cores, &nodes);
    let caches = caches(&cores, &nodes);
    Machine {
        processor: processor(),
        packages,
        distances: Some(default_distances(&nodes)),
        nodes,
        cores,
        pus,
        caches,
        system: system(),
        no_memory_devices: NO_SMBIOS.strip_prefix("memory devices: ").map(str::to_owned),
        gaps: vec![NO_SMBIOS.to_owned()],
        ..Machine::default()
    }
}

fn node(&(id, pus, mib): &NodePlan<'_>) -> NumaNode {
    NumaNode {
        id: NodeId(id),
        pus: pus.parse().unwrap(),
        memory: Bytes::mib(mib),
        free: Bytes::mib(mib / 2),
        huge_pages: vec![HugePagePool { page: Bytes::mib(2), total: 8, free: 4 }],
        memory_side_caches: Vec::new(),
        allowed: true,
    }
}

fn cores(packages: &[Package], threads: usize) -> Vec<Core> {
    let mut cores: Vec<(PackageId, PuSet)> = Vec::new();
    for package in packages {
        let pus: Vec<PuId> = package.pus.iter().collect();
        cores.extend(pus.chunks(threads).map(|pus| (package.id, pus.iter().copied().collect())));
    }
    cores.sort_by_key(|(_, pus)| pus.first());
    let core = |((package, pus), id)| Core {
        id: CoreId(id),
        package,
        die: None,
        pus,
        max_clock: Some(Hertz(2.5e9)),
    };
    cores.into_iter().zip(0..).map(core).collect()
}

fn pus(packages: &[Package], cores: &[Core], nodes: &[NumaNode]) -> Vec<Pu> {
    let mut pus: Vec<Pu> = packages
        .iter()
        .flat_map(|package| package.pus.iter().map(move |id| (package.id, id)))
        .map(|(package, id)| Pu {
            id,
            core: cores.iter().find(|core| core.pus.contains(id)).unwrap().id,
            package,
            node: nodes.iter().find(|node| node.pus.contains(id)).unwrap().id,
            allowed: true,
        })
        .collect();
    pus.sort_by_key(|pu| pu.id);
    pus
}

fn caches(cores: &[Core], nodes: &[NumaNode]) -> Vec<Cache> {
    let cache = |level, kind, size, pus: &PuSet| Cache {
        level,
        kind,
        size,
        line: Bytes(64),
        ways: Some(8),
        pus: pus.clone(),
    };
    let first = cores.iter().map(|core| cache(1, CacheKind::Data, Bytes::kib(32), &core.pus));
    let mut last: Vec<Cache> = nodes
        .iter()
        .filter(|node| !node.pus.is_empty())
        .map(|node| cache(3, CacheKind::Unified, Bytes::mib(8), &node.pus))
        .collect();
    last.sort_by_key(|cache| cache.pus.first());
    first.chain(last).collect()
}

/// 10 on the diagonal and 20 elsewhere: the kernel's distances if firmware has no SLIT.
fn default_distances(nodes: &[NumaNode]) -> DistanceMatrix {
    let row = |from: usize| (0..nodes.len()).map(|to| if from == to { 10 } else { 20 }).collect();
    DistanceMatrix {
        nodes: nodes.iter().map(|node| node.id).collect(),
        rows: (0..nodes.len()).map(row).collect(),
    }
}

fn processor() -> Processor {
    Processor {
        vendor: "GenuineIntel".to_owned(),
        model: "Made-up Processor".to_owned(),
        family: Some(6),
        model_number: Some(85),
        stepping: Some(7),
        instruction_sets: vec!["sse2".to_owned(), "avx2".to_owned()],
        second_level_tlb: None,
    }
}

fn system() -> OperatingSystem {
    OperatingSystem {
        kernel: Some("6.12.0".to_owned()),
        transparent_huge_pages: Some("madvise".to_owned()),
        base_page: Some(Bytes::kib(4)),
        numa_balancing: Some(true),
        zone_reclaim: Some(0),
        governor: Some("performance".to_owned()),
        frequency_driver: Some("acpi-cpufreq".to_owned()),
        turbo: Some(true),
        smt: Some(false),
        clock_source: Some("tsc".to_owned()),
        ..OperatingSystem::default()
    }
}

fn with_distances(mut machine: Machine, rows: &[&[u32]]) -> Machine {
    let nodes = machine.nodes.iter().map(|node| node.id).collect();
    machine.distances = Some(DistanceMatrix { nodes, rows: rows.iter().map(|row| row.to_vec()).collect() });
    machine
}

/// Four dual-core packages on a square of links: two hops across.
pub(crate) fn quartet() -> Machine {
    let nodes = [(0, "0-1", 512), (1, "2-3", 512), (2, "4-5", 512), (3, "6-7", 512)];
    with_distances(
        machine(&nodes, &["0-1", "2-3", "4-5", "6-7"], 1),
        &[&[10, 16, 16, 22], &[16, 10, 22, 16], &[16, 22, 10, 16], &[22, 16, 16, 10]],
    )
}

/// Node numbers with holes, as accelerators with memory cause them.
pub(crate) fn sparse_numbers() -> Machine {
    machine(
        &[
            (0, "0-1", 512),
            (1, "2-3", 512),
            (2, "4-5", 512),
            (3, "6-7", 512),
            (33, "", 256),
            (34, "", 256),
            (45, "", 256),
            (72, "", 256),
        ],
        &["0-3", "4-7"],
        2,
    )
}

/// PUs without memory of their own: DIMMs on two of four nodes only.
pub(crate) fn memoryless_nodes() -> Machine {
    let nodes = [(0, "0-1", 0), (1, "2-3", 1024), (2, "4-5", 1024), (3, "6-7", 0)];
    with_distances(
        machine(&nodes, &["0-7"], 1),
        &[&[10, 12, 12, 12], &[12, 10, 12, 12], &[12, 12, 10, 12], &[12, 12, 12, 10]],
    )
}

/// Two packages and a CXL expander behind the first, with HMAT.
pub(crate) fn cxl_expander() -> Machine {
    let nodes = [(0, "0-1", 512), (1, "2-3", 512), (2, "", 1024)];
    let mut machine =
        with_distances(machine(&nodes, &["0-1", "2-3"], 1), &[&[10, 21, 14], &[21, 10, 24], &[14, 24, 10]]);
    let entry = |target, initiator, class, latency: f64, bandwidth: f64| NodeAccess {
        target: NodeId(target),
        initiators: vec![NodeId(initiator)],
        class,
        read_latency: Some(Nanoseconds(latency)),
        write_latency: Some(Nanoseconds(latency)),
        read_bandwidth: Some(GigabytesPerSecond(bandwidth)),
        write_bandwidth: Some(GigabytesPerSecond(bandwidth)),
    };
    machine.access = [(0, 0, 90.0, 240.0), (1, 1, 90.0, 240.0), (2, 0, 250.0, 56.0)]
        .into_iter()
        .flat_map(|(target, initiator, latency, bandwidth)| {
            [AccessClass::Nearest, AccessClass::NearestCpu]
                .map(|class| entry(target, initiator, class, latency, bandwidth))
        })
        .collect();
    machine
}

/// Xeon Phi in SNC-4, flat: four nodes with PUs, four of MCDRAM.
pub(crate) fn xeon_phi_flat() -> Machine {
    let nodes = [
        (0, "0-3", 512),
        (1, "4-7", 512),
        (2, "8-11", 512),
        (3, "12-15", 512),
        (4, "", 128),
        (5, "", 128),
        (6, "", 128),
        (7, "", 128),
    ];
    let rows: Vec<Vec<u32>> = (0..8u32)
        .map(|from| {
            let distance = |to: u32| match (from == to, from % 4 == to % 4, from < 4 && to < 4) {
                (true, ..) => 10,
                (_, true, _) => 31,
                (.., true) => 21,
                _ => 41,
            };
            (0..8).map(distance).collect()
        })
        .collect();
    let rows: Vec<&[u32]> = rows.iter().map(Vec::as_slice).collect();
    with_distances(machine(&nodes, &["0-15"], 4), &rows)
}

/// The same with half of the MCDRAM as a cache in front of each node.
pub(crate) fn xeon_phi_cached() -> Machine {
    let mut machine = machine(&[(0, "0-3", 512), (1, "4-7", 512)], &["0-7"], 4);
    for node in &mut machine.nodes {
        node.memory_side_caches = vec![MemorySideCache { level: 1, size: Bytes::mib(128), line: Bytes(64) }];
    }
    machine
}

/// PUs 0 and 5 of eight are off.
pub(crate) fn offline_pus() -> Machine {
    let mut machine = machine(&[(0, "1-3", 512), (1, "4,6-7", 512)], &["1-3", "4,6-7"], 1);
    machine.system.offline_pus = Some("0,5".to_owned());
    machine
}

/// A cpuset leaves one PU and one node of the quartet.
pub(crate) fn one_pu_allowed() -> Machine {
    let mut machine = quartet();
    for pu in &mut machine.pus {
        pu.allowed = pu.id == PuId(5);
    }
    for node in &mut machine.nodes {
        node.allowed = node.id == NodeId(2);
    }
    machine.system.cpuset_cpus = Some("5".to_owned());
    machine.system.cpuset_mems = Some("2".to_owned());
    machine
}

/// An Arm server that describes no caches.
pub(crate) fn arm_server() -> Machine {
    let mut machine = machine(&[(0, "0-3", 512), (1, "4-7", 512)], &["0-3", "4-7"], 1);
    machine.processor = Processor {
        vendor: "ARM".to_owned(),
        model: "Neoverse N1".to_owned(),
        family: Some(0x41),
        model_number: Some(0xd0c),
        stepping: Some(3),
        instruction_sets: vec!["asimd".to_owned(), "atomics".to_owned()],
        second_level_tlb: None,
    };
    machine.caches.clear();
    machine.gaps = vec!["caches: the kernel describes none".to_owned(), NO_SMBIOS.to_owned()];
    machine
}

/// Optane memory attached to two packages, with distances that differ by direction.
pub(crate) fn asymmetric_distances() -> Machine {
    let nodes = [(0, "0-1", 512), (1, "2-3", 512), (2, "", 2048), (3, "", 2048)];
    with_distances(
        machine(&nodes, &["0-1", "2-3"], 1),
        &[&[10, 21, 17, 28], &[21, 10, 28, 17], &[18, 28, 10, 28], &[28, 18, 28, 10]],
    )
}

/// The nodes of a machine with twelve sockets.
pub(crate) fn twenty_four_nodes() -> Machine {
    let lists: Vec<String> = (0..24).map(|node| node.to_string()).collect();
    let nodes: Vec<NodePlan<'_>> = lists.iter().zip(0..).map(|(pus, id)| (id, pus.as_str(), 256)).collect();
    let sockets: Vec<String> = (0..12).map(|socket| format!("{}-{}", 2 * socket, 2 * socket + 1)).collect();
    let sockets: Vec<&str> = sockets.iter().map(String::as_str).collect();
    machine(&nodes, &sockets, 1)
}

/// Two EPYC packages, four nodes each; all second threads are numbered after the first ones.
pub(crate) fn epyc_nps4() -> Machine {
    let lists: Vec<String> = (0..8)
        .map(|node| format!("{}-{},{}-{}", 2 * node, 2 * node + 1, 16 + 2 * node, 17 + 2 * node))
        .collect();
    let nodes: Vec<NodePlan<'_>> = lists.iter().zip(0..).map(|(pus, id)| (id, pus.as_str(), 512)).collect();
    let mut machine = machine(&nodes, &["0-7,16-23", "8-15,24-31"], 1);
    machine.cores = (0..16)
        .map(|core| Core {
            id: CoreId(core),
            package: PackageId(core / 8),
            die: None,
            pus: PuSet::from_iter([PuId(core), PuId(core + 16)]),
            max_clock: Some(Hertz(3.7e9)),
        })
        .collect();
    for pu in &mut machine.pus {
        pu.core = CoreId(pu.id.0 % 16);
    }
    machine.caches = caches(&machine.cores, &machine.nodes);
    machine.processor.vendor = "AuthenticAMD".to_owned();
    (machine.processor.family, machine.processor.model_number) = (Some(0x19), Some(0x11));
    machine.system.smt = Some(true);
    let row = |from: usize| {
        (0..8)
            .map(|to| {
                if from == to {
                    10
                } else if from / 4 == to / 4 {
                    12
                } else {
                    32
                }
            })
            .collect()
    };
    let rows: Vec<Vec<u32>> = (0..8).map(row).collect();
    let rows: Vec<&[u32]> = rows.iter().map(Vec::as_slice).collect();
    with_distances(machine, &rows)
}
