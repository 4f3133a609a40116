//! More and more cores on one node's memory.

use zerohop_experiment::{Effort, Options};
use zerohop_machine::NodeId;
use zerohop_result::{Axis, Coordinates, ExperimentResult, Measure};
use zerohop_workload::{Access, Activity, Kernel, Placement, Sample};

use crate::bench::{Bench, places, words};
use crate::machines::{large, machine, node, small};
use crate::simulated::{Simulated, Watcher};

fn quick() -> Options {
    Options::new(Effort::Quick)
}

/// Memory that gives 8 GB/s to each worker up to 48 in all, and beyond 12 workers only 12.
fn collapsing(workers: usize) -> f64 {
    let total = if workers > 12 { 12.0 } else { (8.0 * workers as f64).min(48.0) };
    64.0 / (total / workers as f64)
}

fn collapsed(options: &Options) -> ExperimentResult {
    let bench = Bench::new(large(4, 6)).answering(|workload, _, window| {
        let ns = collapsing(workload.workers.len());
        Ok(Sample::steady(workload, window, |_| ns))
    });
    bench.run("ramp", options).result.unwrap()
}

#[test]
fn by_default_all_other_nodes_use_the_last_one() {
    let outcome = Bench::new(large(4, 6)).run("ramp", &quick());
    for (rank, workload) in outcome.workloads.iter().enumerate() {
        let pus: Vec<_> = workload.workers.iter().map(|worker| worker.pu.0).collect();
        let cores = rank as u32 + 1;
        let expected: Vec<_> = [0, 6, 12].into_iter().flat_map(|first| first..first + cores).collect();
        assert_eq!(pus, expected);
        for worker in &workload.workers {
            assert_eq!(worker.placement, Placement::Node(NodeId(3)));
            let triad = Activity::Kernel { kernel: Kernel::Triad, access: Access::Sequential };
            assert_eq!(worker.activity, triad);
        }
    }
    assert_eq!(outcome.workloads.len(), 6);
}

#[test]
fn one_core_is_singular_in_the_label_of_its_step() {
    let outcome = Bench::new(large(4, 6)).run("ramp", &quick());
    let labels: Vec<&str> =
        outcome.events.iter().filter_map(|event| event.split_once(": ")).map(|it| it.1).collect();
    assert!(labels.contains(&"1 core per node -> node 3, triad"), "{labels:?}");
    assert!(labels.contains(&"2 cores per node -> node 3, triad"), "{labels:?}");
}

#[test]
fn every_step_reports_the_total_and_each_node_s_share() {
    let result = collapsed(&quick());
    let second: Vec<_> = result
        .cells
        .iter()
        .filter(|cell| cell.at.is(Axis::CoresPerNode, 2u32) && cell.at.get(Axis::Statistic).is_none())
        .map(|cell| (words(&cell.at), cell.estimate.median.round()))
        .collect();
    let at = |initiator: &str| format!("initiator={initiator} target=3 kernel=triad cores_per_node=2");
    let expected = [(at("all"), 48.0), (at("0"), 16.0), (at("1"), 16.0), (at("2"), 16.0)];
    assert_eq!(second, expected);
}

#[test]
fn peak_knee_and_fall_are_reported_at_their_coordinates() {
    let result = collapsed(&quick());
    let told = |statistic: &str, measure| {
        let cell = result.cells.iter().find(|cell| cell.at.is(Axis::Statistic, statistic)).unwrap();
        assert_eq!(cell.measure, measure);
        (cell.at.number(Axis::CoresPerNode).unwrap(), cell.estimate.median)
    };
    let (cores, peak) = told("peak", Measure::Bandwidth);
    assert_eq!((cores, peak.round()), (2, 48.0), "of points equally high, the first");
    assert_eq!(told("knee", Measure::Bandwidth).0, 2);
    let (cores, fall) = told("fall", Measure::RelativeBandwidth);
    assert_eq!(cores, 6);
    assert!((fall - 0.25).abs() < 1e-3, "{fall}");
}

#[test]
fn a_curve_that_only_rises_does_not_fall() {
    let bench = Bench::new(large(2, 5)).answering(|workload, _, window| {
        let workers = workload.workers.len() as f64;
        // Saturates: 10, 15, 17.5 …
        let total = 20.0 * (1.0 - libm::pow(0.5, workers));
        Ok(Sample::steady(workload, window, |_| 64.0 / (total / workers)))
    });
    let result = bench.run("ramp", &quick()).result.unwrap();
    let cell =
        |statistic: &str| result.cells.iter().find(|cell| cell.at.is(Axis::Statistic, statistic)).unwrap();
    assert_eq!(cell("peak").at.number(Axis::CoresPerNode), Some(5));
    // 17.5 of 19.375 are more than nine tenths.
    assert_eq!(cell("knee").at.number(Axis::CoresPerNode), Some(3));
    assert_eq!(cell("fall").estimate.median, 1.0);
    assert_eq!(cell("fall").estimate.low, 1.0);
}

#[test]
fn initiators_targets_and_kernel_are_chosen() {
    let options = Options {
        initiators: Some(vec![NodeId(0)]),
        targets: Some(vec![NodeId(1), NodeId(2)]),
        kernel: Some(Kernel::Read),
        ..quick()
    };
    let outcome = Bench::new(large(4, 2)).run("ramp", &options);
    let spread = Placement::Interleaved(vec![NodeId(1), NodeId(2)]);
    assert!(
        outcome
            .workloads
            .iter()
            .flat_map(|workload| &workload.workers)
            .all(|worker| { worker.placement == spread && worker.pu.0 < 2 })
    );
    let result = outcome.result.unwrap();
    let first = Coordinates::new()
        .with(Axis::Initiator, 0u32)
        .with(Axis::Target, "interleaved")
        .with(Axis::Kernel, "read")
        .with(Axis::CoresPerNode, 1u32);
    assert!(result.cell(&first, Measure::Bandwidth).is_some());
}

#[test]
fn quick_takes_eight_steps_and_full_takes_all() {
    let steps = |effort| {
        let outcome = Bench::new(large(2, 24)).run("ramp", &Options::new(effort));
        let workers: Vec<_> = outcome.workloads.iter().map(|workload| workload.workers.len()).collect();
        workers
    };
    assert_eq!(steps(Effort::Quick), [1, 4, 8, 11, 14, 17, 21, 24]);
    assert_eq!(steps(Effort::Full), (1..=24).collect::<Vec<_>>());
}

#[test]
fn one_node_ramps_onto_itself_with_a_warning() {
    let result = Bench::new(small()).run("ramp", &quick()).result.unwrap();
    assert_eq!(
        result.warnings[0].to_string(),
        "ramp of other nodes' cores skipped: no other node's CPUs are in use"
    );
    assert_eq!(places(&result)[0], "initiator=0 target=0 kernel=triad cores_per_node=1 [bandwidth]");
}

#[test]
fn a_node_with_fewer_cores_uses_all_of_them() {
    let uneven = machine(vec![node(0, 0..1, 8), node(1, 1..4, 8), node(2, [], 8)]);
    let outcome = Bench::new(uneven).run("ramp", &quick());
    let workers: Vec<_> = outcome.workloads.iter().map(|workload| workload.workers.len()).collect();
    assert_eq!(workers, [2, 3, 4]);
}

#[test]
fn a_model_also_reports_the_time_of_a_line_fill() {
    let engine = Simulated::new(large(2, 2), |_, _| 4.0);
    let result = engine.run("ramp", &quick(), &mut Watcher::new()).unwrap();
    let latencies: Vec<_> = result.cells.iter().filter(|cell| cell.measure == Measure::Latency).collect();
    assert_eq!(latencies.len(), 2);
    // What its stages take together.
    assert!(latencies.iter().all(|cell| cell.estimate.median == 70.0));
    let measured = Bench::new(large(2, 2)).run("ramp", &quick()).result.unwrap();
    assert!(measured.cells.iter().all(|cell| cell.measure != Measure::Latency));
}
