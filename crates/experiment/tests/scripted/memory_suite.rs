//! STREAM in every placement on the nodes of a machine.

use std::collections::BTreeSet;

use zerohop_experiment::{Effort, Options};
use zerohop_machine::NodeId;
use zerohop_result::Axis;
use zerohop_workload::{Access, Activity, Kernel, Placement, Workload};

use crate::bench::{Bench, places};
use crate::machines::{large, machine, node, small};

fn quick() -> Options {
    Options::new(Effort::Quick)
}

/// The workloads of each scenario, in the order in which they ran.
fn workloads(options: &Options) -> Vec<(String, Vec<Workload>)> {
    let outcome = Bench::new(large(4, 3)).run("memory-suite", options);
    let result = outcome.result.unwrap();
    let mut scenarios: Vec<(String, Vec<Workload>)> = Vec::new();
    for (cell, workload) in result.cells.iter().zip(outcome.workloads) {
        let name = cell.at.get(Axis::Scenario).unwrap().to_string();
        match scenarios.last_mut() {
            Some((last, workloads)) if *last == name => workloads.push(workload),
            _ => scenarios.push((name, vec![workload])),
        }
    }
    scenarios
}

/// Node of each worker's PU (of three a node), and where its memory is.
fn pairs(workload: &Workload) -> BTreeSet<(u32, String)> {
    let place = |placement: &Placement| match placement {
        Placement::Node(node) => node.to_string(),
        Placement::Interleaved(nodes) => nodes.iter().map(NodeId::to_string).collect::<Vec<_>>().join("+"),
        Placement::FirstTouch(_) => "touch".to_owned(),
    };
    workload.workers.iter().map(|worker| (worker.pu.0 / 3, place(&worker.placement))).collect()
}

#[test]
fn every_placement_is_there_and_is_what_its_name_says() {
    let scenarios = workloads(&quick());
    let names: Vec<&str> = scenarios.iter().map(|(name, _)| name.as_str()).collect();
    let expected = ["alone", "all-local", "ring", "all-to-one", "others-to-one", "one-to-all", "interleaved"];
    assert_eq!(names, expected);
    let who_where = |name: &str| {
        let (_, workloads) = scenarios.iter().find(|(known, _)| known == name).unwrap();
        let pairs = pairs(workloads.last().unwrap());
        pairs.iter().map(|(node, place)| format!("{node}:{place}")).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(who_where("alone"), "3:3");
    assert_eq!(who_where("all-local"), "0:0 1:1 2:2 3:3");
    assert_eq!(who_where("ring"), "0:1 1:2 2:3 3:0");
    assert_eq!(who_where("all-to-one"), "0:3 1:3 2:3 3:3");
    assert_eq!(who_where("others-to-one"), "0:3 1:3 2:3");
    assert_eq!(who_where("one-to-all"), "0:0+1+2+3");
    assert_eq!(who_where("interleaved"), "0:0+1+2+3 1:0+1+2+3 2:0+1+2+3 3:0+1+2+3");
}

#[test]
fn each_placement_goes_from_one_core_per_node_to_all() {
    for (name, workloads) in workloads(&quick()) {
        let count = |workload: &Workload| workload.workers.len() / pairs(workload).len();
        let cores: Vec<usize> = workloads.iter().map(count).collect();
        let once = [1, 2, 3];
        let expected = if name == "alone" { once.repeat(4) } else { once.to_vec() };
        assert_eq!(cores, expected, "{name}");
        let triad = Activity::Kernel { kernel: Kernel::Triad, access: Access::Sequential };
        let workers = workloads.iter().flat_map(|workload| &workload.workers);
        assert!(workers.clone().all(|worker| worker.activity == triad), "{name}");
    }
}

#[test]
fn a_kernel_can_be_chosen_and_a_quick_suite_takes_four_steps() {
    let options = Options { kernel: Some(Kernel::Read), ..quick() };
    let outcome = Bench::new(large(2, 24)).run("memory-suite", &options);
    let result = outcome.result.unwrap();
    let cores: BTreeSet<u64> =
        result.cells.iter().map(|cell| cell.at.number(Axis::CoresPerNode).unwrap()).collect();
    assert_eq!(cores, BTreeSet::from([1, 9, 16, 24]));
    assert!(result.cells.iter().all(|cell| cell.at.is(Axis::Kernel, "read")));
}

#[test]
fn one_node_is_all_there_is() {
    let result = Bench::new(small()).run("memory-suite", &quick()).result.unwrap();
    assert!(result.cells.iter().all(|cell| cell.at.is(Axis::Scenario, "alone")));
}

#[test]
fn a_node_without_memory_uses_the_next_after_its_nearest() {
    let odd = machine(vec![node(0, 0..2, 8), node(1, 2..4, 8), node(2, 4..6, 0)]);
    let outcome = Bench::new(odd).run("memory-suite", &quick());
    let all_places = places(&outcome.result.unwrap());
    assert!(all_places.iter().any(|place| place.contains("scenario=ring")), "{all_places:?}");
    for workload in &outcome.workloads {
        for worker in &workload.workers {
            assert_ne!(worker.placement, Placement::Node(NodeId(2)), "it has no memory");
        }
    }
}
