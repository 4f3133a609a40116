//! What stands in the evidence, and what must not count: memory that is short or moves, CPUs that are lost, caches that are not known.

use std::time::Duration;

use zerohop_experiment::{Effort, Options};
use zerohop_machine::{Machine, PuId};
use zerohop_result::{Axis, Cell, ExperimentResult};
use zerohop_units::Bytes;
use zerohop_workload::{Activity, EngineError, OptionNames, Warning, Weight};

use crate::bench::{Bench, steady};
use crate::machines::{machine, node, small, two_nodes};

fn quick() -> Options {
    Options::new(Effort::Quick)
}

/// Two nodes, of which the second has no free memory.
fn one_full() -> Machine {
    let mut machine = two_nodes(2);
    machine.nodes[1].free = Bytes(0);
    machine
}

/// All reasons for which something was left out.
fn left_out(result: &ExperimentResult) -> Vec<(&str, &str)> {
    let skipped = result.warnings.iter().filter_map(|warning| match warning {
        Warning::ExperimentSkipped { experiment, reason } => Some((experiment.as_str(), reason.as_str())),
        _ => None,
    });
    skipped.collect()
}

/// A full node took whole experiments away: bandwidth-matrix, stream and mixes.
#[test]
fn a_full_node_loses_only_its_own_cells() {
    for experiment in ["latency-matrix", "bandwidth-matrix", "stream", "mixes", "core-latency", "hops"] {
        let result = Bench::new(one_full()).run(experiment, &quick()).result.unwrap();
        let of_first = |cell: &&Cell| {
            [Axis::Initiator, Axis::Target].iter().all(|&axis| {
                cell.at.get(axis).is_none_or(|place| ["0", "local"].contains(&&*place.to_string()))
            })
        };
        assert!(result.cells.iter().filter(of_first).count() > 0, "{experiment}");
        let left_out = left_out(&result);
        assert!(!left_out.is_empty(), "{experiment}");
        for (what, reason) in left_out {
            assert!(what.starts_with(&format!("{experiment}, ")), "{what}");
            assert!(reason.starts_with("0 B of memory is too little for "), "{reason}");
        }
    }
}

#[test]
fn an_experiment_for_which_no_node_has_memory_says_so_once() {
    let mut machine = small();
    machine.nodes[0].free = Bytes(0);
    let error = Bench::new(machine).run("stream", &quick()).result.unwrap_err();
    assert!(error.to_string().starts_with("0 B of memory is too little for "), "{error}");
}

/// `--quick` left the memory of a Granite Rapids inside its L3, of 504 MiB.
#[test]
fn buffers_follow_the_caches_of_all_cpus_that_use_them_together() {
    for mib in [85, 504, 1152] {
        let mut machine = machine(vec![node(0, 0..8, 64), node(1, 8..16, 64)]);
        for cache in machine.caches.iter_mut().filter(|cache| cache.level == 3) {
            cache.size = Bytes::mib(mib);
        }
        let results = Bench::new(machine).survey(&quick()).result.unwrap();
        let cells = || results.iter().flat_map(|result| result.cells.iter());
        let near = |warning: &Warning| matches!(warning, Warning::BufferNearCache { .. });
        let near = cells().find(|cell| cell.warnings.iter().any(near));
        assert!(near.is_none(), "{mib} MiB: {:?}", near.map(|cell| &cell.at));
    }
}

#[test]
fn where_caches_are_unknown_a_small_buffer_is_in_doubt() {
    let mut machine = small();
    machine.caches.clear();
    let with = |buffer| {
        let options = Options { buffer, ..quick() };
        Bench::new(machine.clone()).run("latency-matrix", &options).result.unwrap().cells[0].warnings.clone()
    };
    assert_eq!(with(None), []);
    let small = with(Some(Bytes::mib(64)));
    assert_eq!(small, [Warning::CachesUnknown { buffer: Bytes::mib(64) }]);
    assert_eq!(small[0].weight(), Weight::Doubt);
}

/// The chase through the third level took 31 MiB beside `--buffer 8MiB`.
#[test]
fn a_requested_buffer_also_limits_the_levels_of_caches() {
    let buffer = Bytes::mib(8);
    let mut machine = small();
    for cache in machine.caches.iter_mut().filter(|cache| cache.level == 3) {
        cache.size = Bytes::mib(480);
    }
    let outcome = Bench::new(machine).run("cache-latency", &Options { buffer: Some(buffer), ..quick() });
    assert!(outcome.workloads.iter().all(|workload| workload.workers[0].buffer <= buffer));
    let result = outcome.result.unwrap();
    assert_eq!(result.places(Axis::Level).len(), 5, "{:?}", result.warnings);
    // Where nothing of that size leaves the nearer cache, the level is left out.
    let options = Options { buffer: Some(Bytes::mib(2)), ..quick() };
    let result = Bench::new(small()).run("cache-latency", &options).result.unwrap();
    let reason = "a buffer of 2 MiB does not exceed the 1 MiB cache; 5.7 MiB does";
    assert_eq!(left_out(&result), [("cache-latency, L3", reason)]);
}

#[test]
fn placement_that_is_checked_again_after_sampling_stands_in_the_evidence() {
    let result = Bench::new(small()).run("latency-matrix", &quick()).result.unwrap();
    assert!(result.cells[0].evidence.backing.confirmed);
}

/// What a worker meets whose CPU goes offline between two samples, and one that is started after that.
fn lost() -> [EngineError; 2] {
    let reason = || "it is offline".to_owned();
    [
        EngineError::CpuLost { pu: PuId(1), reason: reason() },
        EngineError::NoSuchPu { pu: PuId(1), reason: reason() },
    ]
}

/// A worker whose CPU had gone offline ran on the other node, and its samples counted. Those from before did not, where its threads had to be
/// started anew.
#[test]
fn a_worker_that_loses_its_cpu_ends_its_cell_with_the_reason() {
    for error in lost() {
        let reason = error.to_string();
        let losing_after = |count: usize| {
            let error = error.clone();
            let bench = Bench::new(two_nodes(2)).answering(move |workload, nth, window| {
                if workload.workers[0].pu == PuId(1) && nth >= count {
                    return Err(error.clone());
                }
                Ok(steady(workload, window, 1.0))
            });
            bench.run("core-latency", &quick()).result.unwrap()
        };
        let result = losing_after(3);
        let of_lost = |cell: &&Cell| cell.at.number(Axis::Cpu) == Some(1);
        let cells: Vec<&Cell> = result.cells.iter().filter(of_lost).collect();
        assert_eq!(cells.len(), 2);
        for cell in cells {
            assert_eq!(cell.samples.len(), 3);
            let lost = Warning::CpuLost { reason: reason.clone() };
            assert!(cell.warnings.contains(&lost), "{:?}", cell.warnings);
        }
        let is_other = |cell: &&Cell| cell.at.number(Axis::Cpu).is_some_and(|cpu| cpu != 1);
        assert!(result.cells.iter().filter(is_other).all(|cell| cell.warnings.is_empty()));
        let result = losing_after(0);
        assert_eq!(result.cells.iter().filter(of_lost).count(), 0);
        assert!(left_out(&result).iter().all(|(_, why)| *why == reason));
    }
}

#[test]
fn a_sample_in_which_a_worker_was_elsewhere_never_counts() {
    let moving = |share: usize| {
        let bench = Bench::new(small()).answering(move |workload, nth, window| {
            let mut sample = steady(workload, window, if nth % share == 0 { 9.0 } else { 1.0 });
            sample.workers[0].noise.migrations = u64::from(nth % share == 0);
            Ok(sample)
        });
        bench.run("latency-matrix", &quick()).result.unwrap()
    };
    let cell = &moving(3).cells[0];
    assert!(cell.samples.iter().all(|&sample| sample < 101.0), "{:?}", cell.samples);
    assert!(cell.evidence.migrated > 0 && cell.evidence.migrated == cell.evidence.disturbed);
    let result = moving(1);
    let reason = "its workers did not stay on their CPUs in any sample";
    assert_eq!(left_out(&result).first().map(|(_, reason)| *reason), Some(reason));
}

#[test]
fn a_quota_of_cpu_time_is_named_and_not_other_load() {
    let mut machine = two_nodes(2);
    machine.system.cpu_quota = Some(1.5);
    let bench = Bench::new(machine).answering(|workload, _, window| {
        let mut sample = steady(workload, window, 1.0);
        sample.workers[0].noise.cpu_share = Some(0.5);
        Ok(sample)
    });
    let result = bench.run("bandwidth-matrix", &quick()).result.unwrap();
    let quota = Warning::QuotaShort { share: 0.5, quota: 1.5, workers: 2 };
    assert!(result.cells[0].warnings.contains(&quota), "{:?}", result.cells[0].warnings);
    assert!(quota.advice().contains("cpu.max"));
}

#[test]
fn a_guest_whose_cache_behaves_like_a_smaller_one_says_so() {
    let guest = |real: Bytes| {
        let mut machine = small();
        machine.system.hypervisor = Some("KVM".to_owned());
        let bench = Bench::new(machine).answering(move |workload, _, window| {
            let worker = &workload.workers[0];
            let misses = matches!(worker.activity, Activity::Chase { .. }) && worker.buffer > real;
            Ok(steady(workload, window, if misses { 1.0 } else { 0.1 }))
        });
        bench.run("cache-latency", &quick()).result.unwrap().warnings
    };
    let smaller = Warning::CacheSmaller { advertised: Bytes::mib(32), behaves_like: Bytes::mib(4) };
    assert_eq!(guest(Bytes::mib(5)), [smaller]);
    assert_eq!(guest(Bytes::mib(32)), []);
}

#[test]
fn isolated_cpus_and_fake_nodes_are_called_what_they_are() {
    let mut machine = two_nodes(2);
    for pu in machine.pus.iter_mut().filter(|pu| pu.id.0 >= 2) {
        pu.allowed = false;
    }
    machine.system.isolated_pus = Some("2-3".to_owned());
    machine.system.kernel_parameters = vec!["numa=fake=2".to_owned()];
    let result = Bench::new(machine.clone()).run("latency-matrix", &quick()).result.unwrap();
    let isolated = Warning::CpusIsolated { pus: "2-3".parse().unwrap() };
    assert!(isolated.advice().contains("taskset"));
    assert_eq!(result.warnings, [isolated, Warning::NodesFake {}]);
    let options = Options { cpus: "3".parse().ok(), ..quick() };
    let error = Bench::new(machine).run("latency-matrix", &options).result.unwrap_err();
    assert!(error.hint(&OptionNames::default()).unwrap().contains("taskset --cpu-list 3 "), "{error}");
}

/// 3 s took 22.7 s.
#[test]
fn a_short_budget_is_kept() {
    let options = Options { budget: Some(Duration::from_secs(3)), ..quick() };
    let outcome = Bench::new(two_nodes(4)).with_filling(0.5).survey(&options);
    assert!(outcome.elapsed < Duration::from_millis(3100), "{:?}", outcome.elapsed);
    let results = outcome.result.unwrap();
    for result in &results {
        assert!(
            !result.cells.is_empty() || !result.warnings.is_empty(),
            "{} is explained",
            result.experiment
        );
    }
    assert!(results.iter().filter(|result| !result.cells.is_empty()).count() > 2);
}

/// A survey of 15 s stopped at 3.2 s, and said that the time had run out.
#[test]
fn a_survey_uses_its_budget_where_intervals_are_still_wide() {
    let options = Options { budget: Some(Duration::from_secs(15)), ..quick() };
    let bench = Bench::new(two_nodes(4)).with_filling(0.5).answering(|workload, nth, window| {
        Ok(steady(workload, window, 1.0 + (nth * 7919 % 101) as f64 / 100.0))
    });
    let elapsed = bench.survey(&options).elapsed;
    assert!((12..=17).contains(&elapsed.as_secs()), "{elapsed:?}");
}

#[test]
fn memory_of_a_forbidden_node_is_left_out_and_not_its_cpus() {
    let mut machine = two_nodes(2);
    machine.nodes[1].allowed = false;
    let result = Bench::new(machine).run("latency-matrix", &quick()).result.unwrap();
    let words = result.warnings[0].to_string();
    assert!(words.starts_with("memory of node 1 not used: "), "{words}");
    let from_second = |cell: &&Cell| cell.at.number(Axis::Initiator) == Some(1);
    assert_eq!(result.cells.iter().filter(from_second).count(), 1);
}
