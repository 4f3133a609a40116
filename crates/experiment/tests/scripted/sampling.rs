//! Sampling: how many samples, which to repeat, when to stop, and what to warn about.

use std::time::Duration;

use zerohop_experiment::{Effort, Options};
use zerohop_machine::NodeId;
use zerohop_result::{Cell, Estimate};
use zerohop_units::{Hertz, Nanoseconds, Seconds};
use zerohop_workload::{EngineError, Placement, Progress, Sample, Warning, Workload};

use crate::bench::{Bench, Outcome, steady};
use crate::machines::{single, two_nodes};

fn quick() -> Options {
    Options::new(Effort::Quick)
}

/// The one cell of a latency matrix of one node, and the number of samples taken for it.
fn one_cell(
    options: &Options,
    answer: impl FnMut(&Workload, usize, Duration) -> Result<Sample, EngineError> + 'static,
) -> (Cell, usize) {
    let outcome = Bench::new(single()).answering(answer).run("latency-matrix", options);
    let Outcome { result, samples, .. } = outcome;
    (result.unwrap().cells[0].clone(), samples)
}

/// A steady sample whose workers had this share of their CPUs.
fn with_share(workload: &Workload, window: Duration, slower: f64, share: f64) -> Sample {
    let mut sample = steady(workload, window, slower);
    sample.workers.iter_mut().for_each(|worker| worker.noise.cpu_share = Some(share));
    sample
}

/// Symmetric around one, in no order.
fn wobble(nth: usize) -> f64 {
    1.0 + 0.2 * ((nth * 7919 % 101) as f64 / 100.0 - 0.5)
}

#[test]
fn a_steady_machine_needs_no_more_than_enough() {
    let (cell, samples) = one_cell(&quick(), |workload, _, window| Ok(steady(workload, window, 1.0)));
    assert_eq!((samples, cell.samples.len()), (7, 7));
    assert!(cell.warnings.is_empty(), "{:?}", cell.warnings);
    let (cell, _) =
        one_cell(&Options::new(Effort::Full), |workload, _, window| Ok(steady(workload, window, 1.0)));
    assert_eq!(cell.samples.len(), 11);
}

#[test]
fn an_unsteady_machine_is_sampled_until_the_interval_is_narrow() {
    let narrow = |interval| {
        let options = Options { interval: Some(interval), window: Some(Duration::from_millis(1)), ..quick() };
        one_cell(&options, |workload, nth, window| Ok(steady(workload, window, wobble(nth)))).0
    };
    let (rough, fine) = (narrow(0.08), narrow(0.04));
    assert!(rough.estimate.relative_half_width() <= 0.08 && fine.estimate.relative_half_width() <= 0.04);
    assert!(fine.samples.len() > rough.samples.len());
    assert!(fine.warnings.is_empty(), "{:?}", fine.warnings);
}

#[test]
fn when_time_runs_out_the_wide_interval_is_reported() {
    let options = Options { interval: Some(0.001), budget: Some(Duration::from_millis(500)), ..quick() };
    let (cell, _) = one_cell(&options, |workload, nth, window| Ok(steady(workload, window, wobble(nth))));
    let reached = cell.estimate.relative_half_width();
    assert_eq!(cell.warnings, [Warning::IntervalWide { asked: 0.001, reached }]);
}

#[test]
fn an_interval_that_stays_wide_after_all_samples_is_reported() {
    let options = Options { interval: Some(0.001), window: Some(Duration::from_millis(1)), ..quick() };
    let (cell, _) = one_cell(&options, |workload, nth, window| Ok(steady(workload, window, wobble(nth))));
    let reached = cell.estimate.relative_half_width();
    let samples = cell.samples.len() as u32;
    assert_eq!(cell.warnings, [Warning::SpreadWide { asked: 0.001, reached, samples }]);
}

#[test]
fn a_budget_of_nothing_measures_one_cell_and_names_the_others() {
    let options = Options { budget: Some(Duration::from_nanos(1)), ..quick() };
    let result = Bench::new(two_nodes(2)).run("latency-matrix", &options).result.unwrap();
    assert_eq!(result.cells.len(), 1);
    let cell = &result.cells[0];
    assert!(cell.evidence.window < Seconds(0.025), "samples get shorter when time is short");
    let left_out = result.warnings.iter().map(ToString::to_string);
    assert_eq!(left_out.filter(|line| line.contains(" skipped: a budget of ")).count(), 3);
}

/// Of a budget of half of what all cells need, each had two rounds: no interval was worth anything.
#[test]
fn a_short_budget_gives_some_cells_four_rounds_rather_than_all_two() {
    let options = Options {
        budget: Some(Duration::from_millis(400)),
        window: Some(Duration::from_millis(20)),
        ..quick()
    };
    let bench = Bench::new(two_nodes(2)).with_time_beside_samples(Duration::from_millis(15));
    let outcome = bench.run("latency-matrix", &options);
    assert!(outcome.elapsed <= Duration::from_millis(400), "{:?}", outcome.elapsed);
    let result = outcome.result.unwrap();
    assert!((1..4).contains(&result.cells.len()), "{}", result.cells.len());
    for cell in &result.cells {
        assert!(cell.evidence.rounds.len() >= 4, "{:?}", cell.evidence.rounds);
    }
    // What would hold all of them holds all of them.
    let line =
        result.warnings.iter().map(ToString::to_string).find(|line| line.contains("a budget of")).unwrap();
    let seconds = line.split("a budget of ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    let options = Options { budget: Some(Duration::from_secs(seconds)), ..options };
    let bench = Bench::new(two_nodes(2)).with_time_beside_samples(Duration::from_millis(15));
    let result = bench.run("latency-matrix", &options).result.unwrap();
    assert_eq!(result.cells.len(), 4, "{line}");
}

#[test]
fn disturbed_samples_are_taken_again_and_counted() {
    let (cell, samples) = one_cell(&quick(), |workload, nth, window| {
        let disturbed = nth == 1 || nth == 4;
        Ok(with_share(workload, window, if disturbed { 2.0 } else { 1.0 }, if disturbed { 0.5 } else { 1.0 }))
    });
    assert_eq!((samples, cell.samples.len(), cell.evidence.disturbed), (9, 7, 2));
    assert_eq!(cell.estimate.max, 100.0, "a disturbed sample does not count");
    assert_eq!(cell.evidence.cpu_share, Some(1.0));
    assert!(cell.warnings.is_empty(), "two of nine are no reason to worry: {:?}", cell.warnings);
}

#[test]
fn on_a_machine_that_is_never_quiet_the_least_disturbed_count() {
    let (cell, samples) = one_cell(&quick(), |workload, nth, window| {
        let share = if nth % 3 == 0 { 0.9 } else { 0.4 };
        Ok(with_share(workload, window, 1.0 / share, share))
    });
    assert_eq!(cell.samples.len(), 7);
    assert_eq!(cell.evidence.cpu_share, Some(0.9), "the worst were left out");
    let taken = samples as u32;
    assert_eq!(cell.evidence.disturbed, taken, "those that were let in were disturbed, too");
    assert!(cell.warnings.contains(&Warning::CpuTaken { share: 0.9 }), "{:?}", cell.warnings);
    assert!(cell.warnings.contains(&Warning::SamplesDisturbed { disturbed: taken, taken }));
    assert!(taken < 200, "it gives up within its time: {taken}");
}

#[test]
fn every_kind_of_disturbance_sets_a_sample_aside() {
    let disturb: [fn(&mut Sample); 3] = [
        |sample| sample.noise.steal_share = Some(0.2),
        |sample| sample.noise.throttled = Some(1),
        |sample| sample.workers[0].noise.migrations = 1,
    ];
    for (rank, disturb) in disturb.into_iter().enumerate() {
        let (cell, _) = one_cell(&quick(), move |workload, nth, window| {
            let mut sample = steady(workload, window, 1.0);
            if nth == 0 {
                disturb(&mut sample);
            }
            Ok(sample)
        });
        assert_eq!((cell.samples.len(), cell.evidence.disturbed), (7, 1), "kind {rank}");
    }
}

#[test]
fn two_states_of_the_machine_are_two_peaks() {
    let (cell, _) = one_cell(&quick(), |workload, nth, window| {
        let state = if nth / 2 % 2 == 0 { 1.0 } else { 1.8 };
        Ok(steady(workload, window, state + wobble(nth) / 50.0))
    });
    let peaks = cell.warnings.iter().find_map(|warning| match warning {
        &Warning::TwoPeaks { low, high, share } => Some((low.round(), high.round(), share)),
        _ => None,
    });
    let shares: Vec<f64> = cell.evidence.states.iter().map(|state| state.share).collect();
    assert_eq!(peaks, Some((102.0, 182.0, Some(shares[0]))), "{:?}", cell.warnings);
    let [fast, slow] = [0, 1].map(|rank| cell.evidence.states[rank].estimate);
    assert_eq!((fast.median.round(), slow.median.round(), shares.iter().sum::<f64>()), (102.0, 182.0, 1.0));
}

#[test]
fn a_clock_that_falls_is_drift() {
    let (cell, _) = one_cell(&quick(), |workload, nth, window| {
        let mut sample = steady(workload, window, 1.0);
        sample.workers[0].noise.clock = Some(Hertz(if nth == 3 { 2.7e9 } else { 3.0e9 }));
        Ok(sample)
    });
    assert_eq!(cell.warnings, [Warning::ClockDrift { ratio: 2.7 / 3.0 }]);
    assert_eq!(cell.evidence.clock_ghz, Some((2.7, 3.0)));
}

#[test]
fn the_engine_s_own_warnings_are_kept() {
    let warning = Warning::PlacementUnproven { reason: "move_pages: EPERM".to_owned() };
    let told = warning.clone();
    let bench = Bench::new(single()).preparing(move |_| Ok(vec![told.clone()]));
    let result = bench.run("latency-matrix", &quick()).result.unwrap();
    assert_eq!(result.cells[0].warnings, [warning]);
}

#[test]
fn a_cell_that_cannot_be_prepared_is_left_out_and_named() {
    let bench = Bench::new(two_nodes(2)).preparing(|workload| {
        let refused = workload.workers[0].placement.to_string() == "node 1" && workload.workers[0].pu.0 >= 2;
        let error = EngineError::System { call: "mmap", reason: "no".to_owned() };
        if refused { Err(error) } else { Ok(Vec::new()) }
    });
    let outcome = bench.run("latency-matrix", &quick());
    let result = outcome.result.unwrap();
    assert_eq!(result.cells.len(), 3);
    let [Warning::ExperimentSkipped { experiment, reason }] = &result.warnings[..] else {
        panic!("{:?}", result.warnings)
    };
    assert_eq!(
        (experiment.as_str(), reason.as_str()),
        ("latency-matrix, node 1 -> node 1", "mmap failed: no")
    );
    assert!(outcome.events.iter().any(|event| event.starts_with("warned: latency-matrix, node 1 -> node 1")));
}

#[test]
fn an_experiment_without_a_single_cell_is_an_error() {
    let error = EngineError::System { call: "mmap", reason: "no".to_owned() };
    let told = error.clone();
    let bench = Bench::new(single()).preparing(move |_| Err(told.clone()));
    assert_eq!(bench.run("latency-matrix", &quick()).result.unwrap_err(), error.into());
}

#[test]
fn samples_without_progress_end_and_are_reported() {
    let bench = Bench::new(single()).answering(|workload, _, _| Ok(steady(workload, Duration::ZERO, 1.0)));
    let result = bench.run("latency-matrix", &quick()).result.unwrap();
    assert!(result.cells.is_empty());
    assert!(
        result.warnings[0].to_string().ends_with("no sample showed any progress"),
        "{:?}",
        result.warnings
    );
}

#[test]
fn cells_are_visited_in_rounds_that_spread_over_the_whole_run() {
    let outcome = Bench::new(two_nodes(2)).run("latency-matrix", &quick());
    let visits: Vec<_> = outcome.events.iter().filter(|event| event.contains(" of 28: ")).collect();
    let labels: Vec<&str> = visits.iter().filter_map(|event| event.split(": ").nth(1)).collect();
    let rounds: Vec<&[&str]> = labels.chunks(4).collect();
    assert_eq!(rounds.len(), 7);
    for round in &rounds {
        let mut cells = round.to_vec();
        cells.sort_unstable();
        cells.dedup();
        assert_eq!(cells.len(), 4, "each cell once a round: {round:?}");
    }
    assert!(rounds.iter().any(|round| round != &rounds[0]), "in another order each time");
    for cell in &*outcome.result.unwrap().cells {
        assert_eq!(cell.evidence.rounds, [100.0; 7]);
    }
}

#[test]
fn a_machine_that_drifts_does_not_look_like_a_difference_between_cells() {
    // Every sample is a little slower than the one before: 20 % over the whole run.
    let mut samples = 0;
    let options = Options { budget: Some(Duration::from_secs(1)), ..quick() };
    let bench = Bench::new(two_nodes(2)).answering(move |workload, _, window| {
        samples += 1;
        Ok(steady(workload, window, 1.0 + 0.2 * f64::from(samples) / 40.0))
    });
    let cells = bench.run("latency-matrix", &options).result.unwrap().cells;
    for pair in cells.windows(2) {
        let (one, other) = (&pair[0].estimate, &pair[1].estimate);
        assert!(one.low <= other.high && other.low <= one.high, "{one:?} {other:?}");
    }
}

#[test]
fn a_budget_is_used_where_intervals_are_still_wide() {
    let options = Options { interval: Some(1e-9), budget: Some(Duration::from_secs(15)), ..quick() };
    let bench =
        Bench::new(two_nodes(2)).answering(|workload, nth, window| Ok(steady(workload, window, wobble(nth))));
    let elapsed = bench.run("latency-matrix", &options).elapsed;
    assert!((14..=16).contains(&elapsed.as_secs()), "{elapsed:?}");
}

#[test]
fn intervals_of_a_virtual_machine_include_the_drift_that_one_run_does_not_see() {
    let half_widths = |hypervisor: Option<&str>, interval| {
        let mut machine = single();
        machine.system.hypervisor = hypervisor.map(str::to_owned);
        let bench = Bench::new(machine)
            .answering(|workload, nth, window| Ok(steady(workload, window, 1.0 + wobble(nth) / 500.0)));
        let options = Options { interval: Some(interval), ..quick() };
        let cell = bench.run("latency-matrix", &options).result.unwrap().cells[0].clone();
        let half = |estimate: &Estimate| libm::log(estimate.high / estimate.low) / 2.0;
        (half(&cell.estimate), half(&cell.seen()), cell.samples.len())
    };
    let (metal, seen, samples) = half_widths(None, 0.01);
    assert_eq!(metal, seen);
    let (virtual_machine, seen_there, samples_there) = half_widths(Some("KVM"), 0.01);
    assert!((virtual_machine - libm::hypot(metal, 1.96 * 0.025)).abs() < 1e-9, "{virtual_machine} {metal}");
    assert!((seen_there - seen).abs() < 1e-9);
    assert_eq!(samples_there, samples, "more samples would not make it narrower");
}

/// Two CPUs had 42 GB/s while they shared a cache and 75 while they did not: the median was of neither, and the cell doubtful.
#[test]
fn a_value_is_that_of_the_samples_whose_cpus_a_hypervisor_had_placed_as_most_often() {
    let (cell, _) = one_cell(&quick(), |workload, nth, window| {
        let near = nth % 3 == 0;
        let mut sample = steady(workload, window, if near { 1.6 } else { 1.0 });
        sample.noise.apart = Some(Nanoseconds(if near { 41.0 } else { 220.0 }));
        Ok(sample)
    });
    assert_eq!(cell.evidence.apart_ns, Some((220.0, 220.0)));
    let placings = &cell.evidence.placings;
    assert_eq!(placings.len(), 2, "{placings:?}");
    assert_eq!((placings[0].estimate, placings[0].apart_ns), (cell.estimate, (220.0, 220.0)));
    assert!((placings[1].estimate.median / cell.estimate.median - 1.6).abs() < 1e-6, "{placings:?}");
    let shares: f64 = placings.iter().map(|placing| placing.share).sum();
    assert!((shares - 1.0).abs() < 1e-12 && placings[0].share > 0.6);
    assert_eq!(cell.warnings, [Warning::PlacedSeveralWays { share: placings[0].share, ways: 2 }]);
    assert!(!cell.is_doubtful());
    let (cell, _) = one_cell(&quick(), |workload, nth, window| {
        let mut sample = steady(workload, window, 1.0);
        sample.noise.apart = Some(Nanoseconds(if nth.is_multiple_of(2) { 30.0 } else { 55.0 }));
        Ok(sample)
    });
    assert!(cell.warnings.is_empty() && cell.evidence.placings.is_empty(), "cores of one cache");
    assert_eq!(cell.evidence.apart_ns, Some((30.0, 55.0)));
}

/// On a busy host, the page said that memory showed no progress.
#[test]
fn samples_without_a_value_of_a_worker_without_a_cpu_name_the_cause() {
    let outcome = Bench::new(two_nodes(2)).answering(|workload, _, window| {
        let starved = workload.workers[0].placement == Placement::Node(NodeId(0));
        let mut sample = with_share(workload, window, 1.0, if starved { 0.4 } else { 1.0 });
        if starved {
            sample.workers[0].in_window = Progress::default();
        }
        Ok(sample)
    });
    let result = outcome.run("latency-matrix", &quick()).result.unwrap();
    assert_eq!(result.cells.len(), 2);
    let reasons: Vec<String> = result.warnings.iter().map(ToString::to_string).collect();
    let cause = "other programs took the CPUs of its workers in every sample";
    assert!(reasons.len() == 2 && reasons.iter().all(|reason| reason.ends_with(cause)), "{reasons:?}");
}
