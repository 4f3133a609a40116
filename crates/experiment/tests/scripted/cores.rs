//! Experiments on single cores: caches, cache-line transfers, every core's latency.

use std::collections::BTreeSet;

use zerohop_experiment::{Effort, Options};
use zerohop_result::{Axis, ExperimentResult, Measure};
use zerohop_units::Bytes;
use zerohop_workload::{Activity, Inside, Part, Sample, Warning, Weight};

use crate::bench::{Bench, places, steady};
use crate::machines::{large, machine, node, odd, small, two_nodes};

fn quick() -> Options {
    Options::new(Effort::Quick)
}

#[test]
fn cache_latency_chases_through_each_level_and_through_memory() {
    let outcome = Bench::new(small()).run("cache-latency", &quick());
    assert_eq!(
        places(&outcome.result.unwrap()),
        [
            "level=L1 footprint=16384 [latency]",
            "level=L2 footprint=184320 [latency]",
            "level=L3 footprint=5931008 [latency]",
            "level=memory footprint=1073741824 [latency]",
            "level=memory_in_64_pages footprint=1073741824 [latency]",
        ]
    );
}

#[test]
fn with_full_effort_or_unknown_caches_there_is_a_curve() {
    let full = Bench::new(small()).run("cache-latency", &Options::new(Effort::Full));
    let full = full.result.unwrap();
    let curve: Vec<u64> = full
        .cells
        .iter()
        .filter(|cell| cell.at.get(Axis::Level).is_none())
        .filter_map(|cell| cell.at.number(Axis::Footprint))
        .collect();
    assert_eq!(curve[..4], [8 << 10, 12 << 10, 16 << 10, 24 << 10]);
    assert_eq!(curve.last(), Some(&(1 << 30)));
    let mut unknown = small();
    unknown.caches.clear();
    let result = Bench::new(unknown).run("cache-latency", &quick()).result.unwrap();
    assert_eq!(result.places(Axis::Level).len(), 2);
    assert_eq!(result.cells.len(), 2 + 18);
}

#[test]
fn core_to_core_bounces_a_line_between_every_pair_and_summarizes_by_what_they_share() {
    let machine = machine(vec![node(0, 0..2, 8), node(1, 2..4, 8)]);
    let transfer = |workload: &zerohop_workload::Workload, _: usize, window| -> Sample {
        let apart = workload.workers[0].pu.0 / 2 != workload.workers[1].pu.0 / 2;
        steady(workload, window, if apart { 3.0 } else { 1.0 })
    };
    let bench =
        Bench::new(machine).answering(move |workload, nth, window| Ok(transfer(workload, nth, window)));
    let outcome = bench.run("core-to-core", &quick());
    let result = outcome.result.unwrap();
    let pairs = places(&result);
    assert_eq!(
        pairs[..6],
        [
            "from=0 to=1 [latency]",
            "from=0 to=2 [latency]",
            "from=0 to=3 [latency]",
            "from=1 to=2 [latency]",
            "from=1 to=3 [latency]",
            "from=2 to=3 [latency]",
        ]
    );
    let loads = |level: &str, placement: &str| {
        ["clean", "modified"]
            .map(|state| format!("scenario={state} level={level} placement={placement} [latency]"))
    };
    let placements = [("L3", "local"), ("machine", "reader_node"), ("machine", "owner_node")];
    let expected: Vec<String> = placements.iter().flat_map(|(level, home)| loads(level, home)).collect();
    assert_eq!(pairs[6..12], expected);
    assert_eq!(pairs[12], "level=L3 statistic=min [latency]");
    let summary = |level: &str, statistic: &str| {
        let cell = result
            .cells
            .iter()
            .find(|cell| cell.at.is(Axis::Level, level) && cell.at.is(Axis::Statistic, statistic));
        cell.unwrap().estimate.median
    };
    // A round trip of 200 ns is two transfers.
    assert_eq!((summary("L3", "mean"), summary("machine", "mean")), (100.0, 300.0));
    assert_eq!(summary("machine", "standard_deviation"), 0.0);
    for workload in &outcome.workloads {
        assert!(
            workload
                .workers
                .iter()
                .all(|worker| matches!(worker.activity, Activity::LineTransfer { line: 0, .. }))
        );
        assert!(workload.workers.iter().all(|worker| worker.buffer <= Bytes::kib(32)));
        assert_eq!(workload.workers[0].placement, workload.workers[1].placement);
    }
}

#[test]
fn a_quick_run_on_many_cores_still_has_every_relation() {
    let machine = large(4, 32);
    let result = Bench::new(machine.clone()).run("core-to-core", &quick()).result.unwrap();
    let pairs = result.cells.iter().filter(|cell| cell.at.get(Axis::From).is_some()).count();
    assert!(pairs <= 66, "{pairs}");
    let node = |pu: Option<u64>| pu.map(|pu| pu / 32);
    let between: BTreeSet<_> = result
        .cells
        .iter()
        .filter(|cell| cell.at.get(Axis::From).is_some())
        .map(|cell| (node(cell.at.number(Axis::From)), node(cell.at.number(Axis::To))))
        .collect();
    for one in 0..4 {
        for other in one..4 {
            assert!(between.contains(&(Some(one), Some(other))), "no pair of nodes {one} and {other}");
        }
    }
}

#[test]
fn lines_are_homed_on_a_third_node_where_there_is_one() {
    let outcome = Bench::new(two_nodes(2)).run("core-to-core", &quick());
    let homes = |result: &ExperimentResult| {
        let places = result.places(Axis::Placement);
        places.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(homes(&outcome.result.unwrap()), ["local", "owner_node", "reader_node"]);
    let outcome = Bench::new(large(4, 2)).run("core-to-core", &quick());
    assert_eq!(homes(&outcome.result.unwrap()), ["local", "owner_node", "reader_node", "third_node"]);
    for workload in &outcome.workloads {
        assert_eq!(workload.workers[0].placement, workload.workers[1].placement);
    }
}

#[test]
fn the_spread_over_lines_has_cells_of_its_own() {
    let machine = machine(vec![node(0, 0..3, 8)]);
    let bench = Bench::new(machine).answering(|workload, nth, window| {
        let mut inside = Inside::default();
        inside.observe(&Part::Lines, [(Measure::LatencySpread, 7.0 + nth as f64)]);
        Ok(Sample { inside: Some(inside), ..steady(workload, window, 1.0) })
    });
    let outcome = bench.run("core-to-core", &quick());
    let result = outcome.result.unwrap();
    let spreads = || result.cells.iter().filter(|cell| cell.measure == Measure::LatencySpread);
    // Three pairs, and the mean over these. A spread is noisy, and does not decide when sampling stops.
    assert_eq!(spreads().count(), 4);
    assert!(
        spreads()
            .all(|cell| cell.samples.iter().all(|&spread| spread >= 7.0) && cell.estimate.median >= 10.0)
    );
    assert!(spreads().any(|cell| cell.at.is(Axis::Statistic, "over_lines")));
    // Its interval came from samples as if they were independent, and missed that of the next run in 42 % of all pairs.
    let pairs = spreads().filter(|cell| cell.at.get(Axis::Statistic).is_none());
    assert!(pairs.clone().count() == 3 && pairs.clone().all(|cell| cell.evidence.rounds.len() >= 4));
    assert!(outcome.samples <= 7 * 5, "{}", outcome.samples);
}

/// It stood there as exact: an interval of no width, which did not even include the drift of a virtual machine.
#[test]
fn a_spread_that_a_single_sample_shows_is_doubted() {
    let bench = Bench::new(machine(vec![node(0, 0..2, 8)])).answering(|workload, nth, window| {
        let mut inside = Inside::default();
        inside.observe(&Part::Lines, [(Measure::LatencySpread, 7.0)]);
        Ok(Sample { inside: (nth == 0).then_some(inside), ..steady(workload, window, 1.0) })
    });
    let result = bench.run("core-to-core", &quick()).result.unwrap();
    let spread = result
        .cells
        .iter()
        .find(|cell| cell.measure == Measure::LatencySpread && cell.at.get(Axis::From).is_some())
        .unwrap();
    assert_eq!(spread.samples, [7.0]);
    assert_eq!(Warning::worst_weight(&spread.warnings), Some(Weight::Doubt), "{:?}", spread.warnings);
}

#[test]
fn a_full_run_on_many_cores_selects_pairs_unless_all_are_requested() {
    let pairs = |options: &Options| {
        let result = Bench::new(large(2, 24)).run("core-to-core", options).result.unwrap();
        result.cells.iter().filter(|cell| cell.at.get(Axis::From).is_some()).count()
    };
    assert_eq!(pairs(&Options::new(Effort::Full)), 24 * 23 / 2);
    assert_eq!(pairs(&Options { all_pairs: true, ..quick() }), 48 * 47 / 2);
}

#[test]
fn a_full_run_pairs_every_two_cores() {
    let result = Bench::new(two_nodes(8)).run("core-to-core", &Options::new(Effort::Full));
    let pairs = result.result.unwrap().cells.iter().filter(|cell| cell.at.get(Axis::From).is_some()).count();
    assert_eq!(pairs, 16 * 15 / 2);
}

#[test]
fn every_core_s_latency_is_summarized_for_each_target() {
    // Each core is a nanosecond slower than the one before.
    let bench = Bench::new(odd()).answering(|workload, _, window| {
        Ok(steady(workload, window, 1.0 + f64::from(workload.workers[0].pu.0) / 100.0))
    });
    let outcome = bench.run("core-latency", &quick());
    let result = outcome.result.unwrap();
    let summaries =
        places(&result).into_iter().filter(|place| place.contains("statistic")).collect::<Vec<_>>();
    // Three targets; local memory, and remote memory. Node 17 has only memory, and is the nearest of its kind to all cores.
    assert_eq!(summaries.len(), (3 + 2) * 4);
    assert_eq!(summaries[0], "target=0 statistic=min [latency]");
    let values: Vec<f64> = result
        .cells
        .iter()
        .filter(|cell| cell.at.is(Axis::Target, 17u32) && cell.at.get(Axis::Statistic).is_some())
        .map(|cell| (cell.estimate.median * 100.0).round() / 100.0)
        .collect();
    // CPUs 0-2, 8-9, 20-23 at 100 ns plus their number: the deviation computed by hand.
    assert_eq!(values, [100.0, 111.78, 123.0, 9.72]);
    let mean = |target: &str| {
        let of = |cell: &&zerohop_result::Cell| {
            cell.at.is(Axis::Target, target) && cell.at.is(Axis::Statistic, "mean")
        };
        (result.cells.iter().find(of).unwrap().estimate.median * 100.0).round() / 100.0
    };
    // CPUs 0-2 and 20-23 have local memory; each group uses the other's, and CPUs 8-9 use both.
    assert_eq!(mean("local"), 112.71);
    assert_eq!(mean("remote"), 111.18);
    // One target after another, its cores in an order that the seed determines.
    let order: Vec<_> = outcome.workloads.iter().map(|workload| workload.workers[0].pu.0).collect();
    let mut first = order[..9].to_vec();
    assert_ne!(first, [0, 1, 2, 8, 9, 20, 21, 22, 23]);
    first.sort_unstable();
    assert_eq!(first, [0, 1, 2, 8, 9, 20, 21, 22, 23]);
}

/// Memory of nodes without cores is summarized separately: the nearest such node, and the others.
#[test]
fn a_node_with_only_memory_is_near_one_node_s_cores_and_far_from_others() {
    let mut machine = machine(vec![node(0, 0..2, 8), node(1, 2..4, 8), node(2, [], 4), node(3, [], 4)]);
    let rows = [[10, 21, 41, 31], [21, 10, 31, 41], [41, 31, 10, 41], [31, 41, 41, 10]];
    machine.distances.as_mut().unwrap().rows = rows.map(|row| row.to_vec()).to_vec();
    let bench = Bench::new(machine).answering(|workload, _, window| {
        let zerohop_workload::Placement::Node(node) = workload.workers[0].placement else {
            panic!("one node")
        };
        Ok(steady(workload, window, 1.0 + f64::from(workload.workers[0].pu.0 / 2 * 3 + node.0) / 100.0))
    });
    let result = bench.run("core-latency", &quick()).result.unwrap();
    let mean = |target: &str| {
        let of = |cell: &&zerohop_result::Cell| {
            cell.at.is(Axis::Target, target) && cell.at.is(Axis::Statistic, "mean")
        };
        result.cells.iter().find(of).unwrap().estimate.median.round()
    };
    // Node 0's cores are next to node 3, node 1's to node 2.
    assert_eq!(mean("local"), 102.0);
    assert_eq!([mean("local_memory_alone"), mean("remote_memory_alone")], [104.0, 104.0]);
    let least = |target: &str| {
        let of = |cell: &&zerohop_result::Cell| {
            cell.at.is(Axis::Target, target) && cell.at.is(Axis::Statistic, "min")
        };
        result.cells.iter().find(of).unwrap().estimate.median.round()
    };
    assert_eq!([least("local_memory_alone"), least("remote_memory_alone")], [103.0, 102.0]);
}

#[test]
fn another_seed_is_another_order_of_the_same() {
    let run = |seed| {
        let outcome = Bench::new(two_nodes(4)).run("core-to-core", &Options { seed, ..quick() });
        (places(&outcome.result.unwrap()), outcome.workloads)
    };
    let (one, other) = (run(1), run(2));
    assert_eq!(one.0, other.0);
    assert_ne!(one.1, other.1);
}
