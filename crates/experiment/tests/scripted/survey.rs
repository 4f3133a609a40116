//! The survey as a whole: what it runs, how long it takes, and what it does on odd machines.

use std::collections::BTreeSet;
use std::time::Duration;

use zerohop_experiment::{Effort, Options, catalogue};
use zerohop_machine::Machine;
use zerohop_result::{Axis, Cell, Completion, Coordinates, ExperimentResult, Query, Wanted};
use zerohop_workload::{Activity, Placement, Sample, Warning, Workload};

use crate::bench::{Bench, Outcome, steady};
use crate::machines::{large, machine, node, odd, single, small, two_nodes};

fn quick() -> Options {
    Options::new(Effort::Quick)
}

#[test]
fn a_quick_survey_runs_seven_experiments_and_reports_each() {
    let outcome = Bench::new(small()).survey(&quick());
    let results = outcome.result.unwrap();
    let names: Vec<_> = results.iter().map(|result| result.experiment.as_str()).collect();
    let expected = [
        "latency-matrix",
        "bandwidth-matrix",
        "cache-latency",
        "stream",
        "mixes",
        "loaded-latency",
        "core-to-core",
    ];
    assert_eq!(names, expected);
    assert_eq!(outcome.events[0], format!("planned {}", expected.join(" ")));
    let finished: Vec<_> =
        outcome.events.iter().filter_map(|event| event.strip_prefix("finished ")).collect();
    assert_eq!(finished, expected);
    assert!(
        results.iter().all(|result| result.completion == Completion::Complete && !result.cells.is_empty())
    );
}

#[test]
fn a_full_survey_runs_all_but_those_that_place_threads_on_purpose() {
    let results = Bench::new(two_nodes(2)).survey(&Options::new(Effort::Full)).result.unwrap();
    let names: Vec<_> = results.iter().map(|result| result.experiment.as_str()).collect();
    let apart = ["hops", "crossfire", "memory-suite", "load-curves"];
    let all = catalogue().all().map(|known| known.name);
    assert_eq!(names, all.filter(|name| !apart.contains(name)).collect::<Vec<_>>());
}

/// A survey of four sockets whose bandwidth collapses as more cores use one node's memory found nothing: no core of another node was ever counted up.
#[test]
fn a_survey_of_several_nodes_has_a_ramp_of_other_nodes_cores_and_one_of_a_node_s_own() {
    let survey = |machine| Bench::new(machine).survey(&quick()).result.unwrap();
    assert!(survey(single()).iter().all(|result| result.experiment != "ramp"), "one node has no other");
    let results = survey(large(4, 24));
    let ramp = results.iter().find(|result| result.experiment == "ramp").unwrap();
    let cores = |ramp: &ExperimentResult, initiator: &str, target: &str| -> Vec<u64> {
        let query = format!("bandwidth initiator={initiator} target={target}").parse::<Query>().unwrap();
        let cells = ramp.cells.iter().filter(|cell| {
            query.clone().at(Axis::CoresPerNode, Wanted::Any).at(Axis::Kernel, Wanted::Any).selects(cell)
        });
        cells.filter_map(|cell| cell.at.number(Axis::CoresPerNode)).collect()
    };
    assert_eq!(cores(ramp, "all", "3"), [1, 4, 8, 11, 14, 17, 21, 24]);
    assert_eq!(cores(ramp, "0", "0"), cores(ramp, "all", "3"));
    // What a model says of these cells is asked of the same numbers of cores, and of no others.
    let places: Vec<Coordinates> = ramp.cells.iter().map(|cell| cell.at.clone()).collect();
    let again = |places: Vec<Coordinates>| {
        let options = Options { places: Some(places), ..quick() };
        Bench::new(large(4, 24)).run("ramp", &options).result.unwrap()
    };
    let whole = again(places.clone());
    assert!(ramp.cells.iter().all(|cell| whole.cells.iter().any(|other| other.at == cell.at)), "{whole:?}");
    let own = again(places.into_iter().filter(|at| at.number(Axis::Target) == Some(0)).collect());
    assert_eq!((cores(&own, "0", "0").len(), cores(&own, "all", "3").len()), (8, 0));
}

#[test]
fn every_cell_is_reported_as_it_finishes() {
    let outcome = Bench::new(small()).run("stream", &quick());
    assert_eq!(outcome.events[1], "started stream, 16 cells");
    assert_eq!(outcome.events[2], "0 of 56: node 0, copy");
    let begun = outcome.events.iter().filter(|event| event.contains(" of 56: ")).count();
    let done = outcome.events.iter().filter(|event| event.starts_with("cell ")).count();
    assert_eq!((begun, done), (7 * 8, 16));
}

/// Samples that scatter so much that no interval ever gets narrow.
fn never_sure(workload: &Workload, nth: usize, window: Duration) -> Sample {
    steady(workload, window, 1.0 + (nth * 7919 % 101) as f64 / 100.0)
}

#[test]
fn even_a_machine_that_is_never_sure_is_surveyed_in_time() {
    for (machine, seconds) in [(small(), 62), (two_nodes(64), 75), (large(8, 16), 120), (large(24, 8), 150)] {
        let nodes = machine.nodes.len();
        let bench = Bench::new(machine).with_filling(0.5);
        let outcome =
            bench.answering(|workload, nth, window| Ok(never_sure(workload, nth, window))).survey(&quick());
        let limit = Duration::from_secs(seconds);
        assert!(outcome.elapsed < limit, "{nodes} nodes took {:?}", outcome.elapsed);
        for result in outcome.result.unwrap() {
            for cell in result.cells.iter().filter(|cell| !cell.samples.is_empty()) {
                let told = cell.warnings.iter().any(|warning| {
                    matches!(warning, Warning::IntervalWide { .. } | Warning::SamplesFew { .. })
                });
                let summary = cell.at.get(Axis::Statistic).is_some();
                assert!(told || summary, "{}: {:?}", result.experiment, cell.at);
            }
        }
    }
}

#[test]
fn memory_that_fills_slowly_does_not_cost_a_cell_its_samples() {
    let outcome = Bench::new(small()).with_filling(4.0).run("cache-latency", &quick());
    let counts: Vec<_> = outcome.result.unwrap().cells.iter().map(|cell| cell.samples.len()).collect();
    assert_eq!(counts, [7; 5]);
}

#[test]
fn a_quiet_machine_does_not_use_up_its_time() {
    let outcome = Bench::new(small()).with_filling(0.5).survey(&quick());
    assert!(outcome.elapsed < Duration::from_secs(15), "{:?}", outcome.elapsed);
    assert!(outcome.elapsed > Duration::from_secs(5), "{:?}", outcome.elapsed);
}

/// With two seconds, a survey took eight: filling memory and the fewest visits came on top.
#[test]
fn a_budget_includes_filling() {
    for (filling, seconds) in [(0.5, 2), (2.0, 2), (2.0, 8), (40.0, 3)] {
        let budget = Duration::from_secs(seconds);
        let options = Options { budget: Some(budget), ..quick() };
        let bench = Bench::new(small()).with_filling(filling);
        let outcome =
            bench.answering(|workload, nth, window| Ok(never_sure(workload, nth, window))).survey(&options);
        assert!(outcome.elapsed <= budget + budget / 50, "{filling} {budget:?}: {:?}", outcome.elapsed);
    }
}

/// With three seconds, a survey of a busy host took 40 s: every cell was visited twice, however long that took.
#[test]
fn a_budget_is_kept_where_every_visit_takes_long() {
    for beside in [50, 300] {
        let beside = Duration::from_millis(beside);
        for seconds in [3, 8] {
            let budget = Duration::from_secs(seconds);
            let options = Options { budget: Some(budget), ..quick() };
            let outcome = Bench::new(small()).with_time_beside_samples(beside).survey(&options);
            // The visit in progress may take longer than those before it.
            let latest = budget + Duration::from_millis(100);
            assert!(outcome.elapsed <= latest, "{beside:?}: {:?} of {budget:?}", outcome.elapsed);
            let results = outcome.result.unwrap();
            let left_out = results.iter().flat_map(|result| &result.warnings);
            let left_out = left_out.filter(|warning| {
                let line = warning.to_string();
                line.contains("skipped: a budget of ") && line.ends_with("the time ran out before its turn")
            });
            assert!(left_out.count() > 0);
            let cells = || results.iter().flat_map(|result| &result.cells);
            assert!(cells().count() > 0);
            assert!(results.iter().all(|result| result.completion == Completion::Complete));
            let rounds = |cell: &Cell| cell.evidence.rounds.len();
            assert!(cells().all(|cell| rounds(cell) == 0 || rounds(cell) >= 4), "{beside:?} {seconds}");
        }
    }
}

#[test]
fn a_budget_that_is_too_short_for_all_cells_is_called_so_before_anything_runs() {
    let short = |seconds| {
        let options = Options { budget: Some(Duration::from_secs(seconds)), ..quick() };
        let outcome = Bench::new(large(8, 16)).survey(&options);
        let planned = outcome.events.iter().position(|event| event.starts_with("planned"));
        let warned = outcome.events.iter().position(|event| event.contains("is too short for all cells"));
        assert!(warned.is_none_or(|warned| Some(warned) < planned), "{warned:?} {planned:?}");
        let results = outcome.result.unwrap();
        let kept = |warning: &Warning| matches!(warning, Warning::BudgetShort { .. });
        assert_eq!(results[0].warnings.iter().any(kept), warned.is_some());
        warned.is_some()
    };
    assert!(short(3) && !short(60));
}

/// One survey gave two values for one machine's memory, 194 ns and 182 ns, because it chased through it for two experiments.
#[test]
fn what_two_experiments_share_is_measured_once_and_has_one_value() {
    let mut taken = 0;
    let outcome = Bench::new(machine(vec![node(0, 0..2, 16)]))
        .answering(move |workload, _, window| {
            taken += 1;
            Ok(steady(workload, window, 1.0 + f64::from(taken % 17) / 50.0))
        })
        .survey(&quick());
    let results = outcome.result.unwrap();
    let latency = |experiment: &str, wanted: fn(&Cell) -> bool| {
        let result = results.iter().find(|result| result.experiment.as_str() == experiment).unwrap();
        result.cells.iter().find(|cell| wanted(cell)).unwrap()
    };
    let matrix = latency("latency-matrix", |_| true);
    let memory = latency("cache-latency", |cell| cell.at.is(Axis::Level, "memory"));
    assert_eq!((&matrix.estimate, &matrix.samples), (&memory.estimate, &memory.samples));
}

/// No workload names a PU or a node that is not there, or a PU twice.
fn check_places(machine: &Machine, workloads: &[Workload]) {
    let has_memory = |node| machine.targets().any(|target| target.id == node);
    for workload in workloads {
        assert!(!workload.workers.is_empty());
        let mut pus: Vec<_> = workload.workers.iter().map(|worker| worker.pu).collect();
        assert!(pus.iter().all(|&pu| machine.pu(pu).is_some_and(|pu| pu.allowed)));
        pus.sort();
        pus.dedup();
        assert_eq!(pus.len(), workload.workers.len(), "two workers on one PU");
        for worker in &workload.workers {
            assert!(worker.buffer.get() > 0);
            match &worker.placement {
                Placement::Node(node) => assert!(has_memory(*node)),
                Placement::Interleaved(nodes) => assert!(nodes.iter().all(|&node| has_memory(node))),
                Placement::FirstTouch(pu) => assert!(machine.pu(*pu).is_some()),
            }
            if let Activity::Kernel { kernel, .. } = worker.activity {
                assert_eq!(worker.buffer.get() % u64::from(kernel.arrays()), 0);
            }
        }
    }
}

/// Surveys a machine quickly and in full.
fn check_survey_of(machine: &Machine) {
    for effort in [Effort::Quick, Effort::Full] {
        let outcome = Bench::new(machine.clone()).survey(&Options::new(effort));
        check_places(machine, &outcome.workloads);
        assert!(outcome.result.unwrap().iter().any(|result| !result.cells.is_empty()));
    }
}

#[test]
#[ignore = "long: surveys 24 nodes in full"]
fn a_machine_of_many_nodes_is_surveyed_like_any_other() {
    check_survey_of(&large(24, 4));
}

#[test]
fn odd_machines_are_surveyed_like_any_other() {
    let nothing_known = {
        let mut machine = two_nodes(3);
        machine.distances = None;
        machine.caches.clear();
        machine.packages.clear();
        machine
    };
    let high_memory = machine(vec![node(0, 0..4, 8), node(1, [], 4), node(2, [], 100)]);
    for machine in [small(), single(), odd(), nothing_known, high_memory, large(6, 4)] {
        check_survey_of(&machine);
    }
}

/// The experiments in the order of their visits, each once for visits in a row.
fn legs(visits: &[(String, String)]) -> Vec<&str> {
    let mut legs: Vec<&str> = visits.iter().map(|(experiment, _)| experiment.as_str()).collect();
    legs.dedup();
    legs
}

#[test]
fn a_survey_comes_back_to_every_experiment_in_every_round() {
    let outcome = Bench::new(small()).survey(&quick());
    assert_eq!(outcome.events.iter().filter(|event| event.starts_with("started ")).count(), 1);
    let rounds: Vec<_> = outcome.visits.chunks(outcome.visits.len() / 7).collect();
    assert_eq!(rounds.len(), 7);
    for round in &rounds {
        let each: BTreeSet<_> = round.iter().collect();
        assert_eq!(each.len(), round.len(), "each cell once a round");
        let experiments: BTreeSet<_> = round.iter().map(|(name, _)| name).collect();
        assert_eq!(experiments.len(), 7);
    }
    assert!(legs(rounds[1]) != legs(rounds[0]) || legs(rounds[2]) != legs(rounds[0]), "in another order");
}

#[test]
fn a_machine_that_drifts_during_a_survey_does_not_look_like_a_difference_between_experiments() {
    // Memory gets 20 % slower over the survey. The matrix and STREAM both read or copy local memory.
    let mut samples = 0;
    let bench = Bench::new(small()).answering(move |workload, _, window| {
        samples += 1;
        Ok(steady(workload, window, 1.0 + 0.2 * f64::from(samples) / 1200.0))
    });
    let results = bench.survey(&quick()).result.unwrap();
    let latency = |name: &str| {
        let cells = &results.iter().find(|result| result.experiment.as_str() == name).unwrap().cells;
        let cell = cells.iter().find(|cell| (80.0..140.0).contains(&cell.estimate.median)).unwrap();
        (cell.estimate.low, cell.estimate.high)
    };
    let (first, last) = (latency("latency-matrix"), latency("core-to-core"));
    assert!(first.0 <= last.1 && last.0 <= first.1, "{first:?} {last:?}");
}

#[test]
fn experiments_whose_memory_does_not_fit_together_run_one_after_another() {
    // A quarter of the memory for each kind of contents; an engine keeps half.
    let tight = machine(vec![node(0, 0..2, 1)]);
    let outcome = Bench::new(tight).survey(&quick());
    let legs = legs(&outcome.visits);
    let last = |name| legs.iter().rposition(|leg| *leg == name);
    let first = |name| legs.iter().position(|leg| *leg == name);
    assert!(last("latency-matrix") < first("mixes"), "{legs:?}");
    let names: Vec<_> = outcome.result.unwrap().iter().map(|result| result.experiment.to_string()).collect();
    assert_eq!((names[0].as_str(), names[6].as_str()), ("latency-matrix", "core-to-core"));
}

/// A survey that was killed in its first round, which takes minutes on a busy host or a large one, left a file without a cell.
#[test]
fn a_first_round_that_takes_long_is_saved_on_the_way() {
    let bench = Bench::new(small()).with_time_beside_samples(Duration::from_secs(1));
    let outcome = bench.survey(&quick());
    let cells =
        |results: &[ExperimentResult]| -> usize { results.iter().map(|result| result.cells.len()).sum() };
    let first = cells(&outcome.checkpoints[0]);
    let all = cells(&outcome.result.unwrap());
    assert!(first > 0 && first < all / 2, "{first} of {all}");
}

#[test]
fn a_long_survey_hands_out_what_it_has_on_the_way() {
    let bench = Bench::new(small());
    let outcome =
        bench.answering(|workload, nth, window| Ok(never_sure(workload, nth, window))).survey(&quick());
    // After the first round, and every ten seconds from then on.
    let [first, _, _, _, ..] = &outcome.checkpoints[..] else {
        panic!("{} in {:?}", outcome.checkpoints.len(), outcome.elapsed)
    };
    let experiments: Vec<_> = first.iter().map(|result| result.experiment.clone()).collect();
    let results = outcome.result.unwrap();
    assert_eq!(experiments, results.iter().map(|result| result.experiment.clone()).collect::<Vec<_>>());
    for (early, late) in first.iter().zip(&results) {
        assert_eq!((early.completion, late.completion), (Completion::Running, Completion::Complete));
        assert_eq!(early.cells.len(), late.cells.len());
        assert!(early.cells[0].samples.len() < late.cells[0].samples.len());
    }
}

#[test]
fn an_interval_that_got_narrow_early_sees_the_rest_of_the_run() {
    // The first cell is quiet for ten rounds and 20 % slower from then on; the others are never sure.
    let mut rounds = 0;
    let options = Options { budget: Some(Duration::from_secs(4)), ..quick() };
    let bench = Bench::new(two_nodes(2)).answering(move |workload, nth, window| {
        let local = workload.workers[0].pu.0 == 0 && workload.workers[0].placement.to_string() == "node 0";
        rounds += usize::from(local);
        Ok(match local {
            true => steady(workload, window, if rounds > 10 { 1.2 } else { 1.0 }),
            false => never_sure(workload, nth, window),
        })
    });
    let cells = bench.run("latency-matrix", &options).result.unwrap().cells;
    let quiet = &cells[0];
    assert!(quiet.samples.len() > 10, "{}", quiet.samples.len());
    assert!(quiet.estimate.high > 119.0, "{:?}", quiet.estimate);
}

#[test]
fn an_experiment_that_cannot_run_is_a_result_without_cells() {
    let outcome = Bench::new(single()).survey(&quick());
    let results = outcome.result.unwrap();
    let empty: Vec<_> = results
        .iter()
        .filter(|result| result.cells.is_empty())
        .map(|result| result.experiment.as_str())
        .collect();
    assert_eq!(empty, ["loaded-latency", "core-to-core"]);
    for result in results.iter().filter(|result| result.cells.is_empty()) {
        assert!(matches!(&result.warnings[..], [Warning::ExperimentSkipped { .. }]), "{:?}", result.warnings);
    }
    assert!(
        outcome
            .events
            .contains(&"warned: core-to-core skipped: it needs two CPUs, but there is only one".to_owned())
    );
}

#[test]
fn the_same_survey_twice_gives_the_same_result() {
    let once = || {
        let bench = Bench::new(two_nodes(8)).with_filling(0.5);
        let answering = bench.answering(|workload, nth, window| Ok(never_sure(workload, nth, window)));
        let Outcome { result, events, workloads, .. } = answering.survey(&quick());
        (result.unwrap(), events, workloads)
    };
    assert_eq!(once(), once());
}
