//! Bandwidth experiments: STREAM, mixes, global bandwidth, and latency under load.

use std::collections::BTreeSet;

use zerohop_experiment::{Effort, Options};
use zerohop_result::{Axis, Coordinates, Measure};
use zerohop_units::Bytes;
use zerohop_workload::{Activity, Demand, InstructionSet, Kernel, Placement, Role, Worker};

use crate::bench::{Bench, places};
use crate::machines::{Node, machine, node, odd, small, two_nodes};

fn quick() -> Options {
    Options::new(Effort::Quick)
}

#[test]
fn stream_measures_every_node_and_then_the_machine() {
    let outcome = Bench::new(two_nodes(4)).run("stream", &quick());
    let result = outcome.result.unwrap();
    let names: Vec<_> = Kernel::STREAM.iter().map(|kernel| kernel.name()).collect();
    let expected: Vec<String> = ["0", "1", "all"]
        .iter()
        .flat_map(|place| names.iter().map(move |kernel| (place, kernel)))
        .flat_map(|(place, kernel)| {
            ["bandwidth", "bus traffic"]
                .map(|measure| format!("initiator={place} target=local kernel={kernel} [{measure}]"))
        })
        .collect();
    assert_eq!(places(&result), expected);
    let at = Coordinates::new()
        .with(Axis::Initiator, "all")
        .with(Axis::Target, "local")
        .with(Axis::Kernel, "copy");
    // Eight workers at 16 GB/s; the bus traffic of a copy is one and a half times that.
    assert_eq!(result.cell(&at, Measure::Bandwidth).unwrap().estimate.median.round(), 128.0);
    assert_eq!(result.cell(&at, Measure::BusTraffic).unwrap().estimate.median.round(), 192.0);
    // Buffers of a group are all equal, so that they can be reused.
    let sizes: Vec<_> = outcome.workloads.iter().map(|workload| workload.workers[0].buffer).collect();
    assert!(sizes[..8].iter().all(|&size| size == sizes[0]), "{sizes:?}");
}

#[test]
fn one_node_is_the_whole_machine() {
    let result = Bench::new(small()).run("mixes", &quick()).result.unwrap();
    let mixes: Vec<_> =
        result.cells.iter().step_by(2).map(|cell| cell.at.get(Axis::Mix).unwrap().to_string()).collect();
    assert_eq!(mixes, ["all_reads", "all_writes", "all_writes_nt", "3:1", "2:1", "1:1", "stream_triad_like"]);
    assert!(result.cells.iter().all(|cell| cell.at.is(Axis::Initiator, 0u32)));
}

#[test]
fn a_node_without_memory_uses_the_nearest_and_its_coordinate_shows_it() {
    let outcome = Bench::new(odd()).run("stream", &Options { kernel: Some(Kernel::Copy), ..quick() });
    let result = outcome.result.unwrap();
    let targets: Vec<_> = result
        .cells
        .iter()
        .filter(|cell| cell.measure == Measure::Bandwidth)
        .map(|cell| cell.at.get(Axis::Target).unwrap().to_string())
        .collect();
    // Nodes 0, 3 (nearest to it is 0), 40, and all.
    assert_eq!(targets, ["local", "0", "local", "local"]);
    // When all run, five workers share node 0's gibibyte: three of its own and two of node 3.
    let all = outcome.workloads.last().unwrap();
    let on_0: Vec<_> = all
        .workers
        .iter()
        .filter(|worker| worker.placement == Placement::Node(zerohop_machine::NodeId(0)))
        .map(|worker| worker.buffer)
        .collect();
    assert_eq!(on_0.len(), 5);
    assert!(on_0.iter().copied().sum::<Bytes>() <= Bytes::gib(1));
}

#[test]
fn loaded_latency_chases_on_one_core_and_loads_from_the_others() {
    let outcome = Bench::new(machine(vec![node(0, 0..4, 16)])).run("loaded-latency", &quick());
    let result = outcome.result.unwrap();
    assert_eq!(
        places(&result)[..3],
        [
            "initiator=0 target=local delay=0 [latency]",
            "initiator=0 target=local delay=0 [bandwidth]",
            "initiator=0 target=local delay=50 [latency]",
        ]
    );
    // On this host, delays make no difference: what the pilot finds leaves the usual ones in place. Cells are visited in
    // random order.
    let is_chase = |worker: &Worker| matches!(worker.activity, Activity::Chase { .. });
    let workloads = outcome.workloads.iter().filter(|workload| is_chase(&workload.workers[0]));
    let with = |demand| workloads.clone().find(|workload| workload.workers[1].demand == demand);
    let first = with(Demand::Unlimited).unwrap();
    assert!(matches!(first.workers[0].activity, Activity::Chase { chains: 1, pages: None }));
    assert_eq!((first.workers[0].pu.0, first.workers[0].role), (1, Role::Foreground));
    let loaders: Vec<_> = first.workers[1..].iter().map(|worker| (worker.pu.0, worker.role)).collect();
    assert_eq!(loaders, [0, 2, 3].map(|pu| (pu, Role::Background)));
    assert!(with(Demand::Delay(50)).is_some());
    // Only the load counts as bandwidth.
    assert_eq!(result.cells[1].estimate.median.round(), 48.0);
}

#[test]
fn loaded_latency_uses_the_first_capable_node_or_the_named_ones_or_all() {
    let initiators = |options: &Options| {
        let machine = machine(vec![node(0, [0], 8), node(1, [1, 2], 8), node(2, [3, 4], 8)]);
        let result = Bench::new(machine).run("loaded-latency", options).result.unwrap();
        result.places(Axis::Initiator).iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(initiators(&quick()), ["1"]);
    let nodes = Some(vec![zerohop_machine::NodeId(2)]);
    assert_eq!(initiators(&Options { nodes, ..quick() }), ["2"]);
    assert_eq!(initiators(&Options::new(Effort::Full)), ["1", "2"]);
}

#[test]
fn global_bandwidth_has_every_width_and_placement() {
    let outcome = Bench::new(two_nodes(2)).run("global-bandwidth", &quick());
    let result = outcome.result.unwrap();
    assert_eq!(result.cells.len(), 15);
    assert_eq!(places(&result)[0], "width=4 placement=first_touch_one [bandwidth]");
    assert_eq!(places(&result)[14], "width=64 placement=interleaved [bandwidth]");
    let first = &outcome.workloads[0];
    assert_eq!(first.instruction_set, Some(InstructionSet::Scalar32));
    let pu = |number| zerohop_machine::PuId(number);
    assert!(first.workers.iter().all(|worker| worker.placement == Placement::FirstTouch(pu(0))));
    let users: Vec<_> = outcome.workloads[5].workers.iter().map(|worker| worker.placement.clone()).collect();
    assert_eq!(users, [0, 1, 2, 3].map(|number| Placement::FirstTouch(pu(number))));
}

#[test]
fn nothing_is_interleaved_over_one_node() {
    let result = Bench::new(small()).run("global-bandwidth", &quick()).result.unwrap();
    let placements: Vec<_> = result.places(Axis::Placement).iter().map(ToString::to_string).collect();
    assert_eq!(placements, ["first_touch_one", "first_touch_users"]);
}

#[test]
fn mixes_of_the_whole_machine_use_one_thread_of_each_core_and_all() {
    let smt = |id: u32, first: u32| Node {
        id,
        cores: vec![vec![first, first + 4], vec![first + 1, first + 5]],
        gib: 16,
    };
    let outcome = Bench::new(machine(vec![smt(0, 0), smt(1, 2)])).run("mixes", &quick());
    let result = outcome.result.unwrap();
    let reads: Vec<(String, Option<u64>)> = result
        .cells
        .iter()
        .filter(|cell| cell.measure == Measure::Bandwidth && cell.at.is(Axis::Mix, "all_reads"))
        .map(|cell| (cell.at.get(Axis::Initiator).unwrap().to_string(), cell.at.number(Axis::ThreadsPerCore)))
        .collect();
    let expected = [("0", None), ("1", None), ("all", Some(1)), ("all", Some(2))];
    assert_eq!(reads, expected.map(|(initiator, threads)| (initiator.to_owned(), threads)));
    let workers: BTreeSet<usize> = outcome.workloads.iter().map(|workload| workload.workers.len()).collect();
    assert_eq!(workers, BTreeSet::from([2, 4, 8]));
    // Who names CPUs decides which threads work.
    let options = Options { cpus: "0,1".parse().ok(), ..quick() };
    let named = Bench::new(machine(vec![smt(0, 0)])).run("mixes", &options).result.unwrap();
    assert!(named.cells.iter().all(|cell| cell.at.get(Axis::ThreadsPerCore).is_none()));
}
