//! Latency under a load on remote memory.

use std::collections::BTreeSet;

use zerohop_experiment::{Effort, ExperimentError, LoadPlace, Options};
use zerohop_machine::NodeId;
use zerohop_result::{Axis, ExperimentResult, Measure};
use zerohop_workload::{Activity, Demand, OptionNames, Placement, Role, Sample, Workload};

use crate::bench::{Bench, Outcome, words};
use crate::machines::{large, odd, small, square};

fn quick(load: LoadPlace) -> Options {
    Options { load: Some(load), ..Options::new(Effort::Quick) }
}

fn run(options: &Options) -> Outcome<Result<ExperimentResult, ExperimentError>> {
    Bench::new(square()).run("loaded-latency", options)
}

/// Who loads whose memory.
fn load(workload: &Workload) -> Vec<(u32, u32)> {
    let workers = workload.workers.iter().filter(|worker| worker.role == Role::Background);
    workers.map(|worker| (worker.pu.0, memory(&worker.placement))).collect()
}

fn memory(placement: &Placement) -> u32 {
    let Placement::Node(node) = placement else { panic!("{placement:?}") };
    node.0
}

fn chase(workload: &Workload) -> (u32, u32) {
    let worker = &workload.workers[0];
    assert!(matches!(worker.activity, Activity::Chase { .. }));
    (worker.pu.0, memory(&worker.placement))
}

#[test]
fn a_local_load_uses_the_chaser_s_own_node() {
    let asked = run(&quick(LoadPlace::Local));
    let plain = run(&Options::new(Effort::Quick));
    assert_eq!(asked.workloads, plain.workloads);
    assert_eq!(asked.result.unwrap(), plain.result.unwrap());
}

#[test]
fn a_remote_load_and_its_chase_go_to_the_farthest_node() {
    let outcome = run(&quick(LoadPlace::Remote));
    for workload in &outcome.workloads {
        // PU 0 is on the noisy core of CPU 0.
        assert_eq!(chase(workload), (1, 3));
        assert_eq!(load(workload), [(0, 3)]);
    }
    let result = outcome.result.unwrap();
    assert_eq!(words(&result.cells[0].at), "initiator=0 target=3 load=remote delay=0");
}

#[test]
fn a_crossing_load_goes_both_ways_between_neighbours() {
    let outcome = run(&quick(LoadPlace::Crossing));
    for workload in &outcome.workloads {
        assert_eq!(chase(workload), (1, 1));
        assert_eq!(load(workload), [(0, 1), (2, 0), (3, 0)]);
    }
    let result = outcome.result.unwrap();
    assert_eq!(words(&result.cells[0].at), "initiator=0 target=1 load=crossing delay=0");
}

#[test]
fn a_machine_s_load_is_that_of_all_nodes_on_their_own_memory() {
    let outcome = run(&quick(LoadPlace::Machine));
    for workload in &outcome.workloads {
        assert_eq!(chase(workload), (1, 0));
        assert_eq!(load(workload), [(0, 0), (2, 1), (3, 1), (4, 2), (5, 2), (6, 3), (7, 3)]);
    }
    let result = outcome.result.unwrap();
    assert_eq!(words(&result.cells[0].at), "initiator=0 target=local load=machine delay=0");
}

/// The scripted host's cores need 300 cycles for a burst besides the delay; 4 GHz.
#[test]
fn a_host_s_points_are_evenly_apart_in_bandwidth() {
    let bench = Bench::new(large(1, 16)).answering(|workload, _, window| {
        Ok(Sample::steady(workload, window, |rank| match workload.workers[rank].demand {
            Demand::Delay(delay) => (75.0 + f64::from(delay) / 4.0) / 8.0,
            Demand::Unlimited if rank > 0 => 75.0 / 8.0,
            _ => 100.0,
        }))
    });
    let result = bench.run("loaded-latency", &Options::new(Effort::Quick)).result.unwrap();
    let bandwidths = result.cells.iter().filter(|cell| cell.measure == Measure::Bandwidth);
    let bandwidths: Vec<f64> = bandwidths.map(|cell| cell.estimate.median).collect();
    assert_eq!(bandwidths.len(), 12, "{bandwidths:?}");
    let even = (bandwidths[0] - bandwidths[11]) / 11.0;
    for pair in bandwidths.windows(2) {
        assert!((pair[0] - pair[1]) / even > 0.8 && (pair[0] - pair[1]) / even < 1.2, "{bandwidths:?}");
    }
}

#[test]
fn a_full_run_has_a_farthest_memory_for_every_node() {
    let outcome = run(&Options { effort: Effort::Full, ..quick(LoadPlace::Remote) });
    let pairs: BTreeSet<_> = outcome.workloads.iter().map(chase).collect();
    assert_eq!(pairs, BTreeSet::from([(1, 3), (2, 2), (4, 1), (6, 0)]));
}

#[test]
fn without_another_node_the_reason_is_reported() {
    let reason = |load| {
        let error = Bench::new(small()).run("loaded-latency", &quick(load)).result.unwrap_err();
        error.to_string()
    };
    assert_eq!(
        reason(LoadPlace::Remote),
        "cannot run loaded-latency on this machine: a remote load needs memory on another node"
    );
    assert_eq!(
        reason(LoadPlace::Crossing),
        "cannot run loaded-latency on this machine: a crossing load needs two nodes that have both memory and CPUs"
    );
}

#[test]
fn a_node_without_memory_does_not_cross_with_anybody() {
    let options = Options { effort: Effort::Full, ..quick(LoadPlace::Crossing) };
    let outcome = Bench::new(odd()).run("loaded-latency", &options);
    let result = outcome.result.unwrap();
    let initiators: Vec<_> = result.places(Axis::Initiator).iter().map(ToString::to_string).collect();
    assert_eq!(initiators, ["0", "40"]);
}

#[test]
fn memory_is_not_both_elsewhere_and_interleaved() {
    let options = Options { interleave: Some(vec![NodeId(0), NodeId(1)]), ..quick(LoadPlace::Remote) };
    let error = Bench::new(large(2, 2)).run("loaded-latency", &options).result.unwrap_err();
    assert_eq!(error.to_string(), "a load that is remote and an interleave set conflict");
    assert!(error.hint(&OptionNames::default()).is_some());
}
