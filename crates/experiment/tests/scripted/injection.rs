//! All nodes at once: on their own memory, on that of all others, and interleaved.

use std::collections::BTreeSet;

use zerohop_experiment::{Effort, ExperimentError, LoadPlace, Options};
use zerohop_machine::NodeId;
use zerohop_result::{Axis, Measure};
use zerohop_workload::{Activity, Demand, Placement, Role, Workload};

use crate::bench::{Bench, places};
use crate::machines::{large, machine, node, odd, small, two_nodes};

fn quick() -> Options {
    Options::new(Effort::Quick)
}

/// Node of each worker's PU (of four a node), and where its memory is.
fn who_where(workload: &Workload) -> String {
    let place = |placement: &Placement| match placement {
        Placement::Node(node) => node.to_string(),
        Placement::Interleaved(nodes) => nodes.iter().map(NodeId::to_string).collect::<Vec<_>>().join("+"),
        Placement::FirstTouch(_) => "touch".to_owned(),
    };
    let pairs: BTreeSet<String> = workload
        .workers
        .iter()
        .map(|worker| format!("{}:{}", worker.pu.0 / 4, place(&worker.placement)))
        .collect();
    pairs.into_iter().collect::<Vec<_>>().join(" ")
}

#[test]
fn all_nodes_use_their_own_memory_that_of_the_others_and_all_of_it() {
    let outcome = Bench::new(large(3, 4)).run("injection", &quick());
    let loads = [("local", "machine"), ("remote", "machine-remote"), ("interleaved", "machine-interleaved")];
    let expected = loads.map(|(place, load)| {
        let at = format!("initiator=all target={place}");
        [format!("{at} [bandwidth]"), format!("{at} [bus traffic]"), format!("{at} load={load} [latency]")]
    });
    assert_eq!(places(&outcome.result.unwrap()), expected.concat());
    let used: Vec<String> = outcome.workloads.iter().map(who_where).collect();
    let expected = ["0:0 1:1 2:2", "0:1+2 1:0+2 2:0+1", "0:0+1+2 1:0+1+2 2:0+1+2"];
    // Each placement twice: for the bandwidth, and for the latency meanwhile.
    assert_eq!(used, expected.map(|place| [place, place]).concat());
    for pair in outcome.workloads.chunks(2) {
        assert!(pair[0].workers.iter().all(|worker| worker.role == Role::Foreground));
        let chases = pair[1].workers.iter().filter(|one| matches!(one.activity, Activity::Chase { .. }));
        assert_eq!(chases.count(), 1);
        assert_eq!((pair[0].workers.len(), pair[1].workers.len()), (12, 12));
        assert!(pair[1].workers.iter().all(|worker| worker.demand == Demand::Unlimited));
    }
}

#[test]
fn no_node_gets_more_buffers_than_it_may() {
    let outcome = Bench::new(large(4, 4)).run("injection", &quick());
    for workload in &outcome.workloads {
        for node in 0..4 {
            let on_node = workload.workers.iter().map(|worker| match &worker.placement {
                Placement::Node(at) if at.0 == node => worker.buffer.get(),
                Placement::Interleaved(nodes) if nodes.contains(&NodeId(node)) => {
                    worker.buffer.get() / nodes.len() as u64
                }
                _ => 0,
            });
            let total: u64 = on_node.sum();
            assert!(total <= 1 << 30, "{total} on node {node}");
        }
    }
}

#[test]
fn one_node_has_no_memory_but_its_own() {
    let refused = Bench::new(small()).run("injection", &quick()).result.unwrap_err();
    assert!(matches!(refused, ExperimentError::Impossible { .. }), "{refused}");
    let survey = Bench::new(small()).survey(&quick()).result.unwrap();
    assert!(survey.iter().all(|result| result.experiment != "injection"), "it is not even mentioned");
    let survey = Bench::new(two_nodes(2)).survey(&quick()).result.unwrap();
    assert!(survey.iter().any(|result| result.experiment == "injection"));
}

#[test]
fn a_chase_needs_a_second_core_and_bandwidth_does_not() {
    let lean = machine(vec![node(0, [0], 8), node(1, [1], 8)]);
    let result = Bench::new(lean).run("injection", &quick()).result.unwrap();
    assert!(result.cells.iter().all(|cell| cell.measure != Measure::Latency));
    assert_eq!(result.places(Axis::Target).len(), 3);
}

#[test]
fn odd_machines_inject_too() {
    let outcome = Bench::new(odd()).run("injection", &quick());
    assert_eq!(outcome.result.unwrap().places(Axis::Target).len(), 3);
    for worker in outcome.workloads.iter().flat_map(|workload| &workload.workers) {
        let has_memory = |node: &NodeId| [0, 17, 40].contains(&node.0);
        match &worker.placement {
            Placement::Node(node) => assert!(has_memory(node)),
            Placement::Interleaved(nodes) => assert!(nodes.iter().all(has_memory)),
            Placement::FirstTouch(_) => panic!("nothing is first touched"),
        }
    }
}

#[test]
fn latency_under_a_load_of_the_whole_machine_has_a_curve_of_each_kind() {
    for (load, chased) in [(LoadPlace::MachineRemote, "1+2"), (LoadPlace::MachineInterleaved, "0+1+2")] {
        let options = Options { load: Some(load), ..quick() };
        let outcome = Bench::new(large(3, 4)).run("loaded-latency", &options);
        let result = outcome.result.unwrap();
        assert!(result.cells.iter().all(|cell| cell.at.is(Axis::Load, load.name())));
        let chase = |workload: &&Workload| matches!(workload.workers[0].activity, Activity::Chase { .. });
        for workload in outcome.workloads.iter().filter(chase) {
            let Placement::Interleaved(nodes) = &workload.workers[0].placement else { panic!() };
            let nodes: Vec<String> = nodes.iter().map(NodeId::to_string).collect();
            assert_eq!(nodes.join("+"), chased);
            assert_eq!(workload.workers.len(), 12, "every core of every node takes part");
        }
        let refused = Bench::new(small()).run("loaded-latency", &options).result.unwrap_err();
        assert!(refused.to_string().contains("one node") || refused.to_string().contains("another node"));
    }
}
