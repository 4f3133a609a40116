//! One thread, and how far its memory is.

use zerohop_experiment::{Effort, Options};
use zerohop_machine::NodeId;
use zerohop_result::{Axis, Cell, Coordinates, Measure};
use zerohop_units::Bytes;
use zerohop_workload::{Access, Activity, Demand, Kernel, Placement, Sample, Worker};

use crate::bench::{Bench, places};
use crate::machines::{odd, small, square};

fn quick() -> Options {
    Options::new(Effort::Quick)
}

/// A reader takes 40 ns per line, plus 4 ns for each unit of distance beyond local; a writer takes one and a half times as long.
fn bench() -> Bench {
    let machine = square();
    Bench::new(square()).answering(move |workload, nth, window| {
        let worker = &workload.workers[0];
        let Placement::Node(memory) = worker.placement else { panic!("{worker:?}") };
        let node = machine.pu(worker.pu).unwrap().node;
        let distance = machine.distances.as_ref().unwrap().get(node, memory).unwrap();
        let ns = 40.0 + 4.0 * f64::from(distance - 10);
        let factor = if writes(worker) { 1.5 } else { 1.0 };
        let drift = 1.0 + 0.001 * (nth % 3) as f64;
        Ok(Sample::steady(workload, window, |_| ns * factor * drift))
    })
}

fn writes(worker: &Worker) -> bool {
    worker.activity == Activity::Kernel { kernel: Kernel::Write, access: Access::Strided }
}

fn at(initiator: u32, target: u32, kernel: &str) -> Coordinates {
    Coordinates::new().with(Axis::Initiator, initiator).with(Axis::Target, target).with(Axis::Kernel, kernel)
}

#[test]
fn one_thread_reads_and_writes_every_node_from_the_first_core() {
    let outcome = bench().run("hops", &quick());
    // The first of seven rounds.
    let labels: Vec<_> =
        outcome.events.iter().filter(|event| event.contains(" of ")).take(8).cloned().collect();
    // The writer reuses the reader's array.
    let expected = ["0.0.r.0", "0.0.w.0", "0.0.r.1", "0.0.w.1", "0.0.r.2", "0.0.w.2", "0.0.r.3", "0.0.w.3"];
    let expected: Vec<_> =
        expected.iter().enumerate().map(|(rank, label)| format!("{rank} of 56: {label}")).collect();
    assert_eq!(labels, expected);
    for workload in &outcome.workloads {
        let [worker] = &workload.workers[..] else { panic!("{workload:?}") };
        assert_eq!((worker.pu.0, worker.demand), (0, Demand::Unlimited));
        // Four times the cache.
        assert_eq!(worker.buffer, Bytes::mib(4 * 32));
        assert!(matches!(worker.activity, Activity::Kernel { access: Access::Strided, .. }));
    }
}

#[test]
fn times_are_relative_to_the_local_read() {
    let result = bench().run("hops", &quick()).result.unwrap();
    let cell = |target, kernel, measure| result.cell(&at(0, target, kernel), measure).unwrap();
    let relative = |target, kernel| cell(target, kernel, Measure::RelativeTime).estimate.median;
    for (target, kernel, expected) in [
        (0, "read", 1.0),
        (1, "read", 1.6),
        (2, "read", 1.6),
        (3, "read", 2.0),
        (0, "write", 1.5),
        (3, "write", 3.0),
    ] {
        assert!((relative(target, kernel) - expected).abs() < 1e-4, "{target} {kernel}");
    }
    let time: &Cell = cell(3, "read", Measure::TimePerLine);
    assert!((time.estimate.median - 80.08).abs() < 0.01, "{:?}", time.estimate);
}

#[test]
fn the_interval_of_a_ratio_covers_both_of_its_sides() {
    let result = bench().run("hops", &quick()).result.unwrap();
    let estimate = |target, kernel, measure| result.cell(&at(0, target, kernel), measure).unwrap().estimate;
    let base = estimate(0, "read", Measure::TimePerLine);
    let far = estimate(3, "write", Measure::TimePerLine);
    let ratio = estimate(3, "write", Measure::RelativeTime);
    assert!(far.low < far.high && base.low < base.high);
    assert_eq!((ratio.low, ratio.high), (far.low / base.high, far.high / base.low));
    // A measurement relative to itself is exactly 1.
    let own = estimate(0, "read", Measure::RelativeTime);
    assert_eq!((own.low, own.median, own.high), (1.0, 1.0, 1.0));
}

#[test]
fn a_full_run_uses_every_initiator_and_respects_named_nodes() {
    let outcome = bench().run("hops", &Options::new(Effort::Full));
    assert_eq!(outcome.workloads.len(), 4 * 4 * 2);
    let first_cores: Vec<_> = outcome.workloads.iter().map(|workload| workload.workers[0].pu.0).collect();
    assert!(first_cores.iter().all(|pu| pu % 2 == 0));

    let options =
        Options { initiators: Some(vec![NodeId(1)]), targets: Some(vec![NodeId(2), NodeId(3)]), ..quick() };
    let result = bench().run("hops", &options).result.unwrap();
    // The local read is measured as well, because times are relative to it.
    let targets: Vec<_> = result.places(Axis::Target).iter().map(ToString::to_string).collect();
    assert_eq!(targets, ["1", "2", "3"]);
    let far = result.cell(&at(1, 2, "read"), Measure::RelativeTime).unwrap();
    assert!((far.estimate.median - 2.0).abs() < 1e-4);
}

#[test]
fn one_node_has_no_hops_and_a_warning_reports_it() {
    let result = Bench::new(small()).run("hops", &quick()).result.unwrap();
    let expected = [
        "initiator=0 target=0 kernel=read [time per line]",
        "initiator=0 target=0 kernel=write [time per line]",
        "initiator=0 target=0 kernel=read [relative time]",
        "initiator=0 target=0 kernel=write [relative time]",
    ];
    assert_eq!(places(&result), expected);
    assert_eq!(
        result.warnings[0].to_string(),
        "hops to other nodes skipped: no other node's memory is in use"
    );
}

#[test]
fn a_node_without_memory_is_relative_to_the_memory_nearest_to_it() {
    let options = Options { initiators: Some(vec![NodeId(3)]), ..quick() };
    let result = Bench::new(odd()).run("hops", &options).result.unwrap();
    let base = result.cell(&at(3, 0, "read"), Measure::RelativeTime).unwrap();
    assert_eq!((base.estimate.low, base.estimate.high), (1.0, 1.0));
    assert_eq!(result.places(Axis::Target).len(), 3);
}
