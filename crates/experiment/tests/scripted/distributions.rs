//! Latency as a distribution, and as curves over bandwidth by share of reads.

use std::collections::BTreeSet;
use std::time::Duration;

use zerohop_experiment::{Effort, ExperimentError, LoadPlace, Options};
use zerohop_result::{Axis, Measure};
use zerohop_units::Nanoseconds;
use zerohop_workload::{
    Access, Activity, Distribution, Inside, Kernel, Measure as Seen, Part, Role, Sample, Workload,
};

use crate::bench::{Bench, places, steady};
use crate::machines::{large, machine, node, single, small};
use crate::simulated::{Simulated, Watcher};

fn quick() -> Options {
    Options::new(Effort::Quick)
}

/// Loads of 100 ns, of which one in fifty takes 400 ns, and two in a thousand 5000 ns.
fn spread(workload: &Workload, _: usize, window: Duration) -> Sample {
    let mut sample = steady(workload, window, 1.0);
    let loads =
        Distribution(vec![(Nanoseconds(100.0), 978), (Nanoseconds(400.0), 20), (Nanoseconds(5000.0), 2)]);
    let mut inside = Inside::default();
    for (up_to_ns, share) in [(80, 0.0), (100, 0.978), (400, 0.02), (5000, 0.002)] {
        inside.observe(&Part::Loads { up_to_ns }, [(Seen::ShareOfLoads, share)]);
    }
    sample.workers[0].loads = Some(loads);
    sample.inside = Some(inside);
    sample
}

#[test]
fn the_slowest_loads_are_reported_beside_the_median_idle_and_under_load() {
    let bench = Bench::new(machine(vec![node(0, 0..4, 16)]));
    let bench = bench.answering(|workload, nth, window| Ok(spread(workload, nth, window)));
    let outcome = bench.run("latency-distribution", &quick());
    let result = outcome.result.unwrap();
    for scenario in ["idle", "loaded"] {
        let at = |statistic: &str| {
            let cell = result
                .cells
                .iter()
                .find(|cell| cell.at.is(Axis::Scenario, scenario) && cell.at.is(Axis::Statistic, statistic));
            cell.unwrap().estimate.median
        };
        assert_eq!(["p50", "p99", "p99.9"].map(at), [100.0, 400.0, 5000.0], "{scenario}");
        let bars: Vec<(u64, f64)> = result
            .cells
            .iter()
            .filter(|cell| cell.measure == Measure::ShareOfLoads && cell.at.is(Axis::Scenario, scenario))
            .map(|cell| (cell.at.number(Axis::UpTo).unwrap(), cell.estimate.median))
            .collect();
        assert_eq!(bars, [(100, 0.978), (400, 0.02), (5000, 0.002)], "bars without loads are left out");
    }
    let timed = |workload: &Workload| matches!(workload.workers[0].activity, Activity::TimedChase { .. });
    assert!(outcome.workloads.iter().all(timed));
    let workers: Vec<usize> = outcome.workloads.iter().map(|workload| workload.workers.len()).collect();
    assert_eq!(workers, [1, 4]);
    let first = |workload: &Workload| (workload.workers[0].pu, workload.workers[0].buffer);
    assert_eq!(
        first(&outcome.workloads[0]),
        first(&outcome.workloads[1]),
        "the same chase, but for the load"
    );
}

#[test]
fn one_core_has_a_distribution_without_a_load() {
    let result = Bench::new(single()).run("latency-distribution", &quick()).result.unwrap();
    assert_eq!(result.places(Axis::Scenario).len(), 1);
}

#[test]
fn a_model_refuses_to_distribute_its_mean() {
    let refused = Simulated::new(small(), |_, _| 5.0)
        .run("latency-distribution", &quick(), &mut Watcher::new())
        .unwrap_err();
    let ExperimentError::Impossible { reason, .. } = &refused else { panic!("{refused}") };
    assert!(reason.contains("mean latency"), "{reason}");
}

#[test]
fn curves_go_from_as_many_writes_as_reads_to_reads_alone() {
    let percents = |effort| {
        let bench = Bench::new(machine(vec![node(0, 0..4, 16)]));
        let result = bench.run("load-curves", &Options::new(effort)).result.unwrap();
        let percents: BTreeSet<u64> =
            result.cells.iter().map(|cell| cell.at.number(Axis::ReadPercent).unwrap()).collect();
        assert!(result.cells.iter().all(|cell| cell.at.get(Axis::Kernel).is_none()), "one name is enough");
        percents.into_iter().collect::<Vec<_>>()
    };
    assert_eq!(percents(Effort::Quick), [50, 75, 100]);
    assert_eq!(percents(Effort::Full), [50, 60, 67, 75, 80, 89, 100]);
}

#[test]
fn the_load_of_a_curve_has_its_share_of_reads_and_may_be_elsewhere() {
    let options = Options { load: Some(LoadPlace::Machine), ..quick() };
    let outcome = Bench::new(large(2, 3)).run("load-curves", &options);
    let result = outcome.result.unwrap();
    assert_eq!(
        places(&result)[0],
        "initiator=0 target=local load=machine read_percent=100 delay=0 [latency]"
    );
    let mixes = outcome.workloads.iter().filter(|workload| {
        let load = workload.workers.iter().filter(|worker| worker.role == Role::Background);
        let mix = Activity::Kernel { kernel: Kernel::Mix1To1, access: Access::Sequential };
        load.clone().count() == 5 && load.clone().all(|worker| worker.activity == mix)
    });
    assert!(mixes.count() >= 8, "one at each delay");
    assert!(Bench::new(single()).run("load-curves", &quick()).result.is_err());
}
