//! Threads that use each other's memory: which cases there are, what runs beside them, and what times are relative to.

use std::collections::BTreeSet;

use zerohop_experiment::{Background, Cases, Effort, ExperimentError, Options, Subscription};
use zerohop_machine::{Machine, NodeId};
use zerohop_result::{Axis, Coordinates, ExperimentResult, Measure};
use zerohop_units::{Bytes, GigabytesPerSecond};
use zerohop_workload::{Access, Activity, Demand, Kernel, Placement, Role, Sample, Warning, Workload};

use crate::bench::{Bench, Outcome, words};
use crate::machines::{large, machine, node, single, small, square, two_nodes};

fn quick() -> Options {
    Options::new(Effort::Quick)
}

fn cases(text: &str) -> Options {
    Options { cases: text.parse().ok(), ..quick() }
}

type Run = Outcome<Result<ExperimentResult, ExperimentError>>;

/// On the square, a worker's line takes 10 ns on PU 0, 11 on PU 1, and so on; twice that if it writes.
fn run_on(machine: Machine, options: &Options) -> Run {
    let bench = Bench::new(machine).answering(|workload, _, window| {
        Ok(Sample::steady(workload, window, |rank| {
            let worker = &workload.workers[rank];
            let writes = matches!(worker.activity, Activity::Kernel { kernel: Kernel::Write, .. });
            let alone = 10.0 + f64::from(worker.pu.0);
            if writes { alone * 2.0 } else { alone }
        }))
    });
    bench.run("crossfire", options)
}

/// The cases that were run, without the base, in order.
fn case_labels(outcome: &Run) -> Vec<String> {
    let result = outcome.result.as_ref().unwrap();
    let own = result.cells.iter().filter(|cell| !cell.at.is(Axis::Scenario, "base"));
    let mut labels: Vec<String> = Vec::new();
    for label in own.filter_map(|cell| cell.at.get(Axis::Case)).map(ToString::to_string) {
        if !labels.contains(&label) {
            labels.push(label);
        }
    }
    labels
}

fn places_of(workload: &Workload, role: Role) -> Vec<u32> {
    let workers = workload.workers.iter().filter(|worker| worker.role == role);
    workers.map(|worker| worker.pu.0).collect()
}

#[test]
fn on_a_square_the_scenarios_are_amd_s() {
    let outcome = run_on(square(), &quick());
    let expected = [
        "0.0.w.0 1.0.w.1",
        "0.0.w.1 1.0.w.3",
        "0.0.w.1 1.0.w.0",
        "0.0.r.0 0.1.r.0",
        "0.0.r.0 0.1.r.1",
        "0.0.r.0 0.1.r.2",
        "0.0.r.0 0.1.r.3",
        "0.0.w.0 0.1.w.0",
        "0.0.w.0 0.1.w.1",
        "0.0.w.0 0.1.w.2",
        "0.0.w.0 0.1.w.3",
    ];
    assert_eq!(case_labels(&outcome), expected);
    let result = outcome.result.unwrap();
    assert!(result.warnings.is_empty(), "{:?}", result.warnings);
    let scenarios: Vec<_> = result.places(Axis::Scenario).iter().map(ToString::to_string).collect();
    assert_eq!(scenarios, ["base", "crossfire", "local", "no-crossfire", "same-node"]);
}

#[test]
fn threads_walk_their_own_arrays_with_one_access_per_line() {
    let outcome = run_on(square(), &cases("0.0.w.1 1.0.r.3"));
    // The base comes first.
    let workload = &outcome.workloads[1];
    let workers: Vec<_> = workload
        .workers
        .iter()
        .map(|worker| (worker.pu.0, worker.placement.clone(), worker.activity, worker.buffer))
        .collect();
    let strided = |kernel| Activity::Kernel { kernel, access: Access::Strided };
    let array = Bytes::mib(128);
    let expected = [
        (0, Placement::Node(NodeId(1)), strided(Kernel::Write), array),
        (2, Placement::Node(NodeId(3)), strided(Kernel::Read), array),
    ];
    assert_eq!(workers, expected);
    assert!(workload.workers.iter().all(|worker| worker.role == Role::Foreground));
}

#[test]
fn times_are_those_of_each_thread_of_all_and_relative_to_local_readers() {
    let result = run_on(square(), &cases("crossfire")).result.unwrap();
    let own = |axis, word: &str| {
        let at = Coordinates::new()
            .with(Axis::Scenario, "crossfire")
            .with(Axis::Case, "0.0.w.1 1.0.w.0")
            .with(Axis::Background, "none")
            .with(Axis::Subscription, "none");
        if word.is_empty() { at } else { at.with(axis, word) }
    };
    let median = |at: &Coordinates, measure| result.cell(at, measure).unwrap().estimate.median;
    let close =
        |value: f64, expected: f64| assert!((value - expected).abs() < 1e-3 * expected, "{value} {expected}");
    close(median(&own(Axis::Thread, "0.0.w.1"), Measure::TimePerLine), 20.0);
    close(median(&own(Axis::Thread, "1.0.w.0"), Measure::TimePerLine), 24.0);
    close(median(&own(Axis::Thread, ""), Measure::TimePerLine), 44.0);
    // The base: readers on PUs 0 and 2, 10 and 12 ns.
    close(median(&own(Axis::Thread, ""), Measure::RelativeTime), 2.0);
    let base = result.cells.iter().find(|cell| cell.measure == Measure::RelativeTime).unwrap();
    assert_eq!(words(&base.at), "scenario=base case=0.0.r.0 1.0.r.1 background=none subscription=none");
    assert_eq!((base.estimate.low, base.estimate.median, base.estimate.high), (1.0, 1.0, 1.0));
}

#[test]
fn one_thread_or_three_are_relative_to_as_many_readers() {
    let result = run_on(square(), &cases("0.0.w.3, 0.0.r.0 1.0.r.1 2.0.r.2, 0.0.w.1 0.1.w.1 1.0.w.0")).result;
    let result = result.unwrap();
    let relative = |case: &str| {
        let cells = result.cells.iter().filter(|cell| cell.measure == Measure::RelativeTime);
        let cells: Vec<_> = cells.filter(|cell| cell.at.is(Axis::Case, case)).collect();
        assert_eq!(cells.len(), 1, "{case}: a base that is asked for is measured once");
        cells[0].estimate.median
    };
    assert!((relative("0.0.w.3") - 2.0).abs() < 1e-3);
    assert_eq!(relative("0.0.r.0 1.0.r.1 2.0.r.2"), 1.0);
    assert!((relative("0.0.w.1 0.1.w.1 1.0.w.0") - 66.0 / 36.0).abs() < 1e-3);
    assert_eq!(relative("0.0.r.0"), 1.0);
}

/// Section 2.3 of AMD's application note 40555, table "Which cores carry background threads".
#[test]
fn background_threads_are_on_the_cores_that_amd_chose() {
    let background = |case: &str, subscription| {
        let options = Options {
            background: Some(Background::VeryHigh),
            subscription: Some(subscription),
            ..cases(case)
        };
        let outcome = run_on(square(), &options);
        let workload = outcome.workloads.last().unwrap().clone();
        for worker in workload.workers.iter().filter(|worker| worker.role == Role::Background) {
            assert_eq!(worker.demand, Demand::Rate(GigabytesPerSecond(4.0)));
            assert_eq!(worker.placement, Placement::Node(NodeId(worker.pu.0 / 2)), "it reads local memory");
            let reads = Activity::Kernel { kernel: Kernel::Read, access: Access::Sequential };
            assert_eq!(worker.activity, reads);
        }
        places_of(&workload, Role::Background)
    };
    // Figures 7 and 8: the second cores of nodes 0 and 1, the first of nodes 2 and 3.
    assert_eq!(background("crossfire", Subscription::High), [1, 3, 4, 6]);
    // Figure 9: every other core.
    assert_eq!(background("crossfire", Subscription::Full), [1, 3, 4, 5, 6, 7]);
    // Figures 12 to 15: one each on nodes 1, 2 and 3.
    assert_eq!(background("0.0.w.0 0.1.w.1", Subscription::High), [2, 4, 6]);
    assert_eq!(background("0.0.w.0 0.1.w.1", Subscription::Full), [2, 3, 4, 5, 6, 7]);
}

#[test]
fn load_is_a_coordinate_and_the_base_is_idle() {
    let options = Options { background: Some(Background::Low), ..cases("local") };
    let outcome = run_on(square(), &options);
    assert_eq!(outcome.workloads[0].workers.len(), 2, "the base has no background load");
    assert_eq!(outcome.workloads[1].workers.len(), 6);
    let result = outcome.result.unwrap();
    let own = result.cells.iter().filter(|cell| cell.at.is(Axis::Scenario, "local"));
    let own: Vec<_> = own.map(|cell| (words(&cell.at), cell.measure)).collect();
    let at = |thread: &str| {
        format!("scenario=local case=0.0.w.0 1.0.w.1{thread} background=low subscription=high")
    };
    let expected = [
        (at(" thread=0.0.w.0"), Measure::TimePerLine),
        (at(" thread=1.0.w.1"), Measure::TimePerLine),
        (at(""), Measure::TimePerLine),
        (at(""), Measure::Bandwidth),
        (at(""), Measure::RelativeTime),
    ];
    assert_eq!(own, expected);
    // 64 B in 11 ns and more are what the background gets here, well above its 0.5 GB/s.
    assert!(result.cells.iter().all(|cell| cell.warnings.is_empty()));
}

#[test]
fn background_and_subscription_determine_each_other() {
    let places = |background, subscription| {
        let options = Options { background, subscription, ..cases("local") };
        let result = run_on(square(), &options).result?;
        let last = result.cells.last().unwrap();
        let place = |axis| last.at.get(axis).unwrap().to_string();
        Ok((place(Axis::Background), place(Axis::Subscription)))
    };
    let pair = |one: &str, other: &str| Ok((one.to_owned(), other.to_owned()));
    assert_eq!(places(None, None), pair("none", "none"));
    assert_eq!(places(None, Some(Subscription::Full)), pair("low", "full"));
    assert_eq!(places(Some(Background::Rate(GigabytesPerSecond(1.2))), None), pair("1.2 GB/s", "high"));
    assert_eq!(places(Some(Background::None), None), pair("none", "none"));
    let error: ExperimentError = places(Some(Background::Low), Some(Subscription::None)).unwrap_err();
    assert_eq!(error.to_string(), "background low and subscription none conflict");
    assert!(places(Some(Background::None), Some(Subscription::Full)).is_err());
}

/// (8 cores x 4 nodes x 2 modes) squared are 4096, of which 512 put both threads on one core.
#[test]
fn all_cases_of_a_square_are_4096_minus_those_on_one_core() {
    let outcome = run_on(square(), &Options { cases: Some(Cases::All), ..quick() });
    let result = outcome.result.as_ref().unwrap();
    let relative = result.cells.iter().filter(|cell| cell.measure == Measure::RelativeTime);
    let labels: BTreeSet<String> =
        relative.filter_map(|cell| cell.at.get(Axis::Case)).map(ToString::to_string).collect();
    assert_eq!(labels.len(), 4096 - 512);
    assert!(labels.contains("0.0.w.1 1.0.w.0") && labels.contains("1.0.w.0 0.0.w.1"));
    let mirrored = |label: &String| {
        let (one, other) = label.split_once(' ').unwrap();
        labels.contains(&format!("{other} {one}"))
    };
    assert!(labels.iter().all(mirrored));
    let [warning @ Warning::CasesSkipped { cases: 512, of: 4096, .. }] = &result.warnings[..] else {
        panic!("{:?}", result.warnings)
    };
    assert_eq!(warning.to_string(), "512 of 4096 cases skipped: both threads would be on one core");
    assert_eq!(warning.advice(), "this is normal: there are no other cases");
    // Both orders of two threads are one workload.
    assert_eq!(outcome.workloads.len(), (4096 - 512) / 2);
    assert!(outcome.workloads.iter().all(|workload| workload.workers[0].pu != workload.workers[1].pu));
}

#[test]
fn both_orders_of_two_threads_have_the_same_cells() {
    let result = run_on(two_nodes(1), &Options { cases: Some(Cases::All), ..quick() }).result.unwrap();
    let of = |case: &str| {
        let cells = result.cells.iter().filter(|cell| cell.at.is(Axis::Case, case));
        let cells: Vec<_> = cells
            .map(|cell| {
                (cell.at.get(Axis::Thread).cloned(), cell.measure, cell.estimate.median, cell.samples.clone())
            })
            .collect();
        cells
    };
    let one = of("0.0.w.1 1.0.r.0");
    assert_eq!(one.len(), 4);
    assert_eq!(one, of("1.0.r.0 0.0.w.1"));
}

#[test]
fn too_many_cases_are_rejected() {
    let error = run_on(large(8, 8), &Options { cases: Some(Cases::All), ..quick() }).result.unwrap_err();
    assert_eq!(error, ExperimentError::TooManyCases { cases: 1 << 20, most: 1 << 16 });
    let few = Options { nodes: Some(vec![NodeId(0), NodeId(1)]), cases: Some(Cases::All), ..quick() };
    assert!(run_on(large(8, 2), &few).result.is_ok());
}

#[test]
fn in_a_row_of_nodes_the_third_is_beyond_the_second() {
    let outcome = run_on(large(3, 1), &cases("no-crossfire"));
    assert_eq!(case_labels(&outcome), ["0.0.w.1 1.0.w.2"]);
    let mut unknown = large(3, 1);
    unknown.distances = None;
    assert_eq!(case_labels(&run_on(unknown, &cases("no-crossfire"))), ["0.0.w.1 1.0.w.2"]);
}

#[test]
fn scenarios_without_enough_nodes_are_left_out_with_a_warning() {
    let warnings = |outcome: &Run| {
        let result = outcome.result.as_ref().unwrap();
        result.warnings.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let two = run_on(two_nodes(2), &quick());
    assert_eq!(
        warnings(&two),
        [
            "crossfire, no-crossfire skipped: it needs a third node, at the same distance from the second as the first"
        ]
    );
    assert_eq!(case_labels(&two).len(), 2 + 2 * 2);
    let one = run_on(small(), &quick());
    assert_eq!(case_labels(&one), ["0.0.r.0 0.1.r.0", "0.0.w.0 0.1.w.0"]);
    let needs = "skipped: it needs two nodes that have both memory and CPUs";
    let expected = ["local", "no-crossfire", "crossfire"].map(|name| format!("crossfire, {name} {needs}"));
    assert_eq!(warnings(&one), expected);
    // Two readers of the only node are the base themselves.
    let relative =
        one.result.unwrap().cells.iter().filter(|cell| cell.measure == Measure::RelativeTime).count();
    assert_eq!(relative, 2);
    let none = run_on(single(), &quick()).result.unwrap_err();
    assert_eq!(
        none.to_string(),
        "cannot run crossfire on this machine: two threads need two CPUs, but only one is in use"
    );
}

#[test]
fn threads_that_cannot_be_placed_are_rejected() {
    let error = |text: &str| run_on(square(), &cases(text)).result.unwrap_err().to_string();
    assert_eq!(error("0.2.w.1 1.0.w.0"), "cannot place thread `0.2.w.1`: node 0 is in use with only 2 cores");
    assert_eq!(error("0.0.w.1 7.0.w.0"), "cannot place thread `7.0.w.0`: CPUs of node 7 are not in use");
    assert_eq!(error("0.0.w.9 1.0.w.0"), "cannot place thread `0.0.w.9`: memory of node 9 is not in use");
}

#[test]
fn background_threads_without_a_core_are_reported() {
    let options = Options { background: Some(Background::High), ..cases("0.0.r.0 1.0.r.1") };
    let result = run_on(two_nodes(1), &options).result.unwrap();
    assert_eq!(
        result.warnings[0].to_string(),
        "crossfire, background threads of 1 case skipped: no core is free for them"
    );
}

#[test]
fn arrays_share_a_node_that_is_short_of_memory() {
    let mut tight = machine(vec![node(0, 0..4, 1), node(1, 4..8, 1)]);
    for node in &mut tight.nodes {
        node.free = Bytes::mib(512);
    }
    let options = Options {
        background: Some(Background::Low),
        subscription: Some(Subscription::Full),
        ..cases("0.0.w.0 1.0.w.0")
    };
    let outcome = run_on(tight, &options);
    let workload = outcome.workloads.last().unwrap();
    let on_first = workload.workers.iter().filter(|worker| worker.placement == Placement::Node(NodeId(0)));
    let total: Bytes = on_first.map(|worker| worker.buffer).sum();
    assert!(total <= Bytes::mib(256) && total > Bytes::mib(240), "{total}");
    let result = outcome.result.unwrap();
    let near = |warning: &Warning| matches!(warning, Warning::BufferNearCache { .. });
    assert!(result.cells.iter().any(|cell| cell.warnings.iter().any(near)));
}
