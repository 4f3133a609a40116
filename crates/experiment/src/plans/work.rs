//! Work of plans for large machines: counted, not timed.

use std::time::Duration;

use zerohop_machine::{
    Cache, CacheKind, Core, CoreId, DistanceMatrix, Machine, NodeId, NumaNode, Package, PackageId, Pu, PuId,
    PuSet,
};
use zerohop_units::Bytes;
use zerohop_workload::{Sample, ScriptedEngine, Workload};

use super::experiments;
use super::relation::Nearness;
use crate::scope::Scope;
use crate::{Effort, Options};

/// A machine of these nodes with this many cores each, numbered from `first` on. A core has an L1 and an L2 of its own, and a
/// node an L3.
fn machine(nodes: u32, cores: u32, first: u32) -> Machine {
    let all = || (0..nodes * cores).map(|rank| (rank / cores, CoreId(rank), PuId(first + rank)));
    let of_node = |node: u32| -> PuSet { all().filter(|(of, ..)| *of == node).map(|(.., pu)| pu).collect() };
    let cache =
        |level, size, pus| Cache { level, kind: CacheKind::Unified, size, line: Bytes(64), ways: None, pus };
    let own = |level, size| all().map(move |(.., pu)| cache(level, size, [pu].into_iter().collect()));
    let gib = Bytes::gib(64);
    let node = |node: u32| NumaNode {
        id: NodeId(node),
        pus: of_node(node),
        memory: gib,
        free: gib,
        huge_pages: Vec::new(),
        memory_side_caches: Vec::new(),
        allowed: true,
    };
    let core = |(node, id, pu): (u32, CoreId, PuId)| Core {
        id,
        package: PackageId(node),
        die: None,
        pus: [pu].into_iter().collect(),
        max_clock: None,
    };
    let pu = |(node, core, id): (u32, CoreId, PuId)| Pu {
        id,
        core,
        package: PackageId(node),
        node: NodeId(node),
        allowed: true,
    };
    let distance = |row: u32| (0..nodes).map(|column| if row == column { 10 } else { 20 }).collect();
    Machine {
        packages: (0..nodes).map(|id| Package { id: PackageId(id), pus: of_node(id) }).collect(),
        nodes: (0..nodes).map(node).collect(),
        cores: all().map(core).collect(),
        pus: all().map(pu).collect(),
        caches: own(1, Bytes::kib(32))
            .chain(own(2, Bytes::mib(1)))
            .chain((0..nodes).map(|node| cache(3, Bytes::mib(32), of_node(node))))
            .collect(),
        distances: Some(DistanceMatrix {
            nodes: (0..nodes).map(NodeId).collect(),
            rows: (0..nodes).map(distance).collect(),
        }),
        ..Machine::default()
    }
}

/// Looking up the caches of all sharers for every worker took time by the square of the cores: 9 s for 960 of them.
#[test]
fn a_plan_looks_a_cache_up_at_most_once_for_every_worker() {
    for (nodes, cores, first) in [(8, 48, 0), (32, 30, 0), (2, 4, 5000)] {
        let machine = machine(nodes, cores, first);
        let script = |_: &Workload, _: usize, _: Duration| -> Sample { unreachable!() };
        let engine = ScriptedEngine::new(machine, script);
        let scope = Scope::new(&engine, &Options::new(Effort::Quick)).unwrap();
        for experiment in experiments() {
            scope.looked_up.set(0);
            let Ok(plan) = experiment.plan(&scope) else { continue };
            let workers = plan.measurements.iter().map(|measurement| measurement.workload.workers.len());
            let (workers, looked_up) = (workers.sum::<usize>(), scope.looked_up.get());
            let name = experiment.descriptor.name;
            assert!(looked_up <= workers, "{name}, {nodes} nodes: {looked_up} for {workers} workers");
        }
    }
}

/// Searching all caches of the machine for each of the pairs of cores that are candidates took the rest of that time.
#[test]
fn comparing_two_cores_looks_at_their_own_caches_alone() {
    for (nodes, cores) in [(1, 4), (32, 30)] {
        let nearness = Nearness::of(&machine(nodes, cores, 1000));
        assert_eq!(nearness.most_caches(), 3);
        let (one, neighbor, far) = (PuId(1000), PuId(1001), PuId(1000 + nodes * cores - 1));
        assert_eq!(nearness.shared(one, one), "core");
        assert_eq!(nearness.shared(one, neighbor), "L3");
        assert_eq!(nearness.shared(one, far), if nodes == 1 { "L3" } else { "machine" });
        assert_eq!(nearness.shared(one, PuId(7)), "machine");
    }
}
