//! Options that cannot be met.

use zerohop_experiment::{Background, Cases, Effort, ExperimentError, LoadPlace, Options};
use zerohop_machine::{Machine, NodeId};
use zerohop_units::Bytes;
use zerohop_workload::{InstructionSet, Kernel, OptionNames, Warning};

use crate::bench::Bench;
use crate::machines::{large, machine, node, odd, single, small};

fn quick() -> Options {
    Options::new(Effort::Quick)
}

fn refusal(machine: Machine, options: &Options) -> ExperimentError {
    let outcome = Bench::new(machine).run("latency-matrix", options);
    assert!(outcome.workloads.is_empty(), "nothing runs when the options cannot be met");
    outcome.result.unwrap_err()
}

#[test]
fn names_that_do_not_exist_are_reported_with_those_that_do() {
    let error = refusal(odd(), &Options { nodes: Some(vec![NodeId(0), NodeId(1)]), ..quick() });
    assert_eq!(error.to_string(), "no node 1; this machine has nodes 0, 3, 17, 40");
    let error = refusal(odd(), &Options { cpus: "0,5-9".parse().ok(), ..quick() });
    assert_eq!(error.to_string(), "no CPU 5-7 online; this machine has CPUs 0-2,8-9,20-23");
    assert!(error.hint(&OptionNames::default()).is_some());
}

#[test]
fn cpus_that_are_not_allowed_are_refused() {
    let mut machine = odd();
    machine.pus.iter_mut().filter(|pu| pu.id.0 >= 8).for_each(|pu| pu.allowed = false);
    let error = refusal(machine, &Options { cpus: "2,8".parse().ok(), ..quick() });
    assert_eq!(error.to_string(), "this process may not use CPU 8; it may use CPUs 0-2");
}

#[test]
fn memory_is_not_interleaved_over_nodes_without_any() {
    let error = refusal(odd(), &Options { interleave: Some(vec![NodeId(0), NodeId(3)]), ..quick() });
    assert_eq!(error.to_string(), "no usable memory on node 3; nodes with usable memory: nodes 0, 17, 40");
}

#[test]
fn a_buffer_that_does_not_fit_says_where() {
    let error = refusal(single(), &Options { buffer: Some(Bytes::gib(5)), ..quick() });
    assert_eq!(error.to_string(), "a buffer of 5 GiB does not fit on node 5: only 4 GiB is free");
}

#[test]
fn a_buffer_too_small_to_share_is_refused() {
    let options = Options { buffer: Some(Bytes::kib(4)), ..quick() };
    let outcome = Bench::new(small()).run("stream", &options);
    let error = outcome.result.unwrap_err();
    assert_eq!(error.to_string(), "4 KiB of memory is too little for 2 workers: --buffer allows no more");
}

#[test]
fn instructions_that_the_machine_lacks_are_refused() {
    let error = refusal(small(), &Options { instruction_set: Some(InstructionSet::Sve), ..quick() });
    assert!(error.to_string().starts_with("this machine does not have sve (it has avx512, avx2"), "{error}");
}

#[test]
fn a_choice_that_an_experiment_does_not_accept_is_rejected() {
    let kernel = Options { kernel: Some(Kernel::Copy), ..quick() };
    assert_eq!(refusal(small(), &kernel).to_string(), "latency-matrix does not support a choice of kernel");
    let chains = Options { chains: Some(2), ..quick() };
    let error = Bench::new(small()).run("mixes", &chains).result.unwrap_err();
    assert_eq!(error.to_string(), "mixes does not support a choice of chains");
}

#[test]
fn a_machine_with_nothing_to_run_on_is_an_error() {
    assert_eq!(refusal(machine(vec![node(0, [], 4)]), &quick()), ExperimentError::NoInitiator);
    assert_eq!(refusal(machine(vec![node(0, [0], 0)]), &quick()), ExperimentError::NoTarget);
    assert_eq!(refusal(Machine::default(), &quick()), ExperimentError::NoInitiator);
}

#[test]
fn parts_outside_a_cpuset_are_warned_about() {
    let mut machine = odd();
    machine.pus.iter_mut().filter(|pu| pu.id.0 == 1).for_each(|pu| pu.allowed = false);
    machine.nodes.iter_mut().filter(|node| node.id.0 == 17).for_each(|node| node.allowed = false);
    let result = Bench::new(machine).run("latency-matrix", &quick()).result.unwrap();
    assert!(
        result
            .warnings
            .iter()
            .any(|warning| matches!(warning, Warning::NodeSkipped { node, .. } if node.0 == 17))
    );
    assert!(
        result
            .warnings
            .iter()
            .any(|warning| matches!(warning, Warning::CpusSkipped { pus, .. } if pus.to_string() == "1"))
    );
    assert!(result.cells.iter().all(|cell| !cell.at.is(zerohop_result::Axis::Target, 17u32)));
}

#[test]
fn choices_of_placement_experiments_are_rejected_by_the_others() {
    let refused =
        |name, options: Options| Bench::new(large(2, 2)).run(name, &options).result.unwrap_err().to_string();
    let cases = Options { cases: Some(Cases::All), ..quick() };
    assert_eq!(refused("hops", cases), "hops does not support a choice of cases");
    let background = Options { background: Some(Background::Low), ..quick() };
    assert_eq!(refused("ramp", background), "ramp does not support a choice of background");
    let load = Options { load: Some(LoadPlace::Remote), ..quick() };
    assert_eq!(refused("ramp", load), "ramp does not support a choice of place of the load");
    let initiators = Options { initiators: Some(vec![NodeId(0)]), ..quick() };
    assert_eq!(refused("stream", initiators), "stream does not support a choice of initiators");
    let interleave = Options { interleave: Some(vec![NodeId(0)]), ..quick() };
    assert_eq!(refused("crossfire", interleave), "crossfire does not support a choice of interleave set");
    let kernel = Options { kernel: Some(Kernel::Copy), ..quick() };
    assert_eq!(refused("hops", kernel), "hops does not support a choice of kernel");
}

#[test]
fn nodes_that_cannot_be_initiators_or_targets_are_rejected() {
    let ramp = |options: Options| Bench::new(odd()).run("ramp", &options).result.unwrap_err().to_string();
    assert_eq!(
        ramp(Options { initiators: Some(vec![NodeId(17)]), ..quick() }),
        "no usable CPU on node 17; nodes with usable CPUs: nodes 0, 3, 40"
    );
    assert_eq!(
        ramp(Options { targets: Some(vec![NodeId(3)]), ..quick() }),
        "no usable memory on node 3; nodes with usable memory: nodes 0, 17, 40"
    );
    assert_eq!(
        ramp(Options { targets: Some(vec![NodeId(9)]), ..quick() }),
        "no node 9; this machine has nodes 0, 3, 17, 40"
    );
}
