//! The two matrices, on ordinary and odd machines.

use std::collections::BTreeSet;

use zerohop_experiment::{Effort, Options, catalogue};
use zerohop_machine::{NodeId, PuId};
use zerohop_units::Bytes;
use zerohop_workload::{Access, Activity, Kernel, Placement, Warning, Workload};

use crate::bench::{Bench, places};
use crate::machines::{large, machine, node, odd, single, small, two_nodes};

fn quick() -> Options {
    Options::new(Effort::Quick)
}

/// Each workload's first PU, number of workers and placement.
fn shape(workload: &Workload) -> (u32, usize, String) {
    let first = &workload.workers[0];
    (first.pu.0, workload.workers.len(), first.placement.to_string())
}

#[test]
fn a_latency_matrix_is_stored_by_rows_and_runs_by_columns() {
    let outcome = Bench::new(two_nodes(4)).run("latency-matrix", &quick());
    let result = outcome.result.unwrap();
    assert_eq!(
        places(&result),
        [
            "initiator=0 target=0 [latency]",
            "initiator=0 target=1 [latency]",
            "initiator=1 target=0 [latency]",
            "initiator=1 target=1 [latency]",
        ]
    );
    assert!(result.cells.iter().all(|cell| cell.estimate.median == 100.0));
    // Not on CPU 0's core; all initiators use each target's memory in turn.
    let shapes: BTreeSet<_> = outcome.workloads.iter().map(shape).collect();
    let expected = [(1, "node 0"), (4, "node 0"), (1, "node 1"), (4, "node 1")];
    assert_eq!(shapes, expected.map(|(pu, place)| (pu, 1, place.to_owned())).into());
}

#[test]
fn a_matrix_runs_column_by_column_in_shuffled_order() {
    for name in ["latency-matrix", "bandwidth-matrix"] {
        let order = |seed| {
            let outcome = Bench::new(large(4, 2)).run(name, &Options { seed, ..quick() });
            outcome.workloads.iter().map(shape).collect::<Vec<_>>()
        };
        let orders: BTreeSet<_> = (1..6).map(order).collect();
        assert_eq!(orders.len(), 5, "{name}: the seed determines the order");
        for order in orders {
            let columns: Vec<&str> = order.iter().map(|(.., place)| place.as_str()).collect();
            let changes = columns.windows(2).filter(|pair| pair[0] != pair[1]).count();
            assert_eq!((columns.len(), changes), (16, 3), "{name}: {columns:?}");
        }
    }
}

#[test]
fn the_only_core_of_cpu_0_serves_where_there_is_no_other() {
    let outcome = Bench::new(machine(vec![node(0, [0], 4)])).run("latency-matrix", &quick());
    assert_eq!(outcome.workloads[0].workers[0].pu, PuId(0));
}

#[test]
fn nodes_without_pus_only_answer_and_nodes_without_memory_only_ask() {
    let outcome = Bench::new(odd()).run("bandwidth-matrix", &quick());
    let result = outcome.result.unwrap();
    let expected: Vec<String> = [0, 3, 40]
        .iter()
        .flat_map(|from| [0, 17, 40].map(|to| format!("initiator={from} target={to} [bandwidth]")))
        .collect();
    assert_eq!(places(&result), expected);
    let crews: BTreeSet<_> = outcome.workloads.iter().map(|workload| workload.workers.len()).collect();
    assert_eq!(crews, BTreeSet::from([2, 3, 4]));
    // 64 bytes every 4 ns are 16 GB/s for each worker.
    assert_eq!(result.cells[0].estimate.median.round(), 48.0);
}

#[test]
fn quick_buffers_stay_within_a_gibibyte_and_a_quarter_of_free_memory_behind_small_caches() {
    for (machine, limit) in [
        (small(), Bytes::gib(1)),
        (machine(vec![node(0, 0..2, 2)]), Bytes::mib(512)),
        (large(2, 4), Bytes::gib(1)),
    ] {
        for experiment in catalogue().all().map(|known| known.name) {
            let outcome = Bench::new(machine.clone()).run(experiment, &quick());
            for workload in &outcome.workloads {
                for target in machine.targets() {
                    let on_target = workload.workers.iter().filter(|worker| match &worker.placement {
                        Placement::Node(node) => *node == target.id,
                        Placement::FirstTouch(pu) => machine.pu(*pu).unwrap().node == target.id,
                        Placement::Interleaved(_) => false,
                    });
                    let taken: Bytes = on_target.map(|worker| worker.buffer).sum();
                    assert!(taken <= limit, "{experiment} takes {taken} of {limit} on node {}", target.id);
                }
            }
        }
    }
}

#[test]
fn a_buffer_near_the_caches_is_warned_about() {
    // Three times the 32 MiB cache, and twice that for a chase, which uses every other line.
    for (experiment, enough) in [("latency-matrix", 192), ("bandwidth-matrix", 96)] {
        for (mib, near) in [(enough, false), (enough - 1, true)] {
            let buffer = Bytes::mib(mib);
            let outcome = Bench::new(machine(vec![node(0, 0..2, 0), node(1, [], 1)]))
                .run(experiment, &Options { buffer: Some(buffer), ..quick() });
            let expected = near.then_some(Warning::BufferNearCache { buffer, cache: Bytes::mib(32) });
            assert_eq!(
                outcome.result.unwrap().cells[0].warnings,
                Vec::from_iter(expected),
                "{experiment} {mib}"
            );
        }
    }
}

#[test]
fn nodes_and_cpus_narrow_it_down() {
    let options = Options { nodes: Some(vec![NodeId(40)]), cpus: "20,22".parse().ok(), ..quick() };
    let outcome = Bench::new(odd()).run("bandwidth-matrix", &options);
    assert_eq!(places(&outcome.result.unwrap()), ["initiator=40 target=40 [bandwidth]"]);
    let pus: Vec<_> = outcome.workloads[0].workers.iter().map(|worker| worker.pu.0).collect();
    assert_eq!(pus, [20, 22]);
}

#[test]
fn a_node_of_memory_alone_is_measured_from_everywhere() {
    let options = Options { nodes: Some(vec![NodeId(17)]), ..quick() };
    let result = Bench::new(odd()).run("latency-matrix", &options).result.unwrap();
    assert_eq!(
        places(&result),
        [
            "initiator=0 target=17 [latency]",
            "initiator=3 target=17 [latency]",
            "initiator=40 target=17 [latency]"
        ]
    );
}

#[test]
fn an_interleave_set_and_a_kernel_are_seen_in_the_coordinates() {
    let options =
        Options { interleave: Some(vec![NodeId(0), NodeId(17)]), kernel: Some(Kernel::TriadNt), ..quick() };
    let outcome = Bench::new(odd()).run("bandwidth-matrix", &options);
    assert_eq!(
        places(&outcome.result.unwrap())[0],
        "initiator=0 target=interleaved kernel=triad_nt [bandwidth]"
    );
    let interleaved = Placement::Interleaved(vec![NodeId(0), NodeId(17)]);
    assert!(
        outcome.workloads.iter().flat_map(|workload| &workload.workers).all(|w| w.placement == interleaved)
    );
}

#[test]
fn several_chains_are_a_coordinate() {
    let options = Options { chains: Some(4), ..quick() };
    let result = Bench::new(single()).run("latency-matrix", &options).result.unwrap();
    assert_eq!(places(&result), ["initiator=5 target=5 chains=4 [latency]"]);
}

#[test]
fn smt_siblings_share_a_core_unless_they_are_named() {
    let machine = || {
        let mut node = node(0, [], 8);
        node.cores = vec![vec![0, 2], vec![1, 3]];
        machine(vec![node])
    };
    let pus = |options: Options| {
        let outcome = Bench::new(machine()).run("bandwidth-matrix", &options);
        outcome.workloads[0].workers.iter().map(|worker| worker.pu.0).collect::<Vec<_>>()
    };
    assert_eq!(pus(quick()), [0, 1]);
    assert_eq!(pus(Options { cpus: "0,2".parse().ok(), ..quick() }), [0, 2]);
}

#[test]
fn random_accesses_go_from_every_node_to_every_node() {
    let outcome = Bench::new(two_nodes(2)).run("random-bandwidth", &quick());
    let result = outcome.result.unwrap();
    let bandwidths = places(&result).into_iter().filter(|place| place.ends_with("[bandwidth]"));
    let pairs = [(0, 0), (0, 1), (1, 0), (1, 1)];
    let expected = pairs.map(|(from, to)| format!("initiator={from} target={to} [bandwidth]"));
    assert_eq!(bandwidths.collect::<Vec<_>>(), expected);
    let random = Activity::Kernel { kernel: Kernel::Read, access: Access::Random };
    let mut workers = outcome.workloads.iter().flat_map(|workload| &workload.workers);
    assert!(workers.all(|worker| worker.activity == random));
    let triad = Options { kernel: Some(Kernel::Triad), ..quick() };
    let refused = Bench::new(small()).run("random-bandwidth", &triad).result.unwrap_err();
    assert!(refused.to_string().contains("`read` or `write`"), "{refused}");
}
