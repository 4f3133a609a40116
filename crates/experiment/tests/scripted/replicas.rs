//! Measurements on replicas: the same on any number of threads, reported in order, with detail of the inside.

use std::time::Duration;

use zerohop_experiment::{Cases, Effort, Executor, ExperimentError, Options, Sequential, run};
use zerohop_machine::PuId;
use zerohop_result::{Axis, Cell, Completion, ExperimentResult, Measure};
use zerohop_units::Bytes;
use zerohop_workload::{Activity, Engine, OptionNames, Workload};

use crate::bench::{Bench, words};
use crate::machines::{square, two_nodes};
use crate::simulated::{Simulated, WINDOW, Watcher};

fn quick() -> Options {
    Options::new(Effort::Quick)
}

/// Depends on the PU and the placement of memory, so that mixed-up workloads are detected.
fn pace(workload: &Workload, rank: usize) -> f64 {
    let worker = &workload.workers[rank];
    let place: usize = worker.placement.to_string().bytes().map(usize::from).sum();
    let beside: f64 = workload.workers.iter().map(|other| f64::from(other.pu.0) + 1.0).sum();
    let alone = match worker.activity {
        Activity::Kernel { .. } => 4.0,
        Activity::Chase { .. } | Activity::TimedChase { .. } | Activity::LineTransfer { .. } => 100.0,
    };
    alone + f64::from(worker.pu.0) * 0.5 + place as f64 * 0.01 + beside * 0.1
}

/// Runs jobs from the last to the first.
struct Backwards;

impl Executor for Backwards {
    fn run(&self, jobs: usize, job: &(dyn Fn(usize) + Sync)) {
        (0..jobs).rev().for_each(job);
    }

    fn width(&self) -> usize {
        3
    }
}

/// Runs jobs on this many threads.
struct Threads(usize);

impl Executor for Threads {
    fn run(&self, jobs: usize, job: &(dyn Fn(usize) + Sync)) {
        std::thread::scope(|scope| {
            for first in 0..self.0 {
                scope.spawn(move || (first..jobs).step_by(self.0).for_each(job));
            }
        });
    }

    fn width(&self) -> usize {
        self.0
    }
}

fn result_with(name: &str, options: &Options, executor: &dyn Executor) -> (ExperimentResult, Vec<String>) {
    let mut watcher = Watcher::with(executor);
    let result = Simulated::new(square(), pace).run(name, options, &mut watcher).unwrap();
    (result, watcher.events)
}

#[test]
fn results_are_identical_bytes_on_any_number_of_threads() {
    let all = Options { cases: Some(Cases::All), ..quick() };
    for (name, options) in [
        ("latency-matrix", quick()),
        ("core-latency", quick()),
        ("ramp", quick()),
        ("crossfire", Options { detail: true, ..quick() }),
        ("crossfire", all),
    ] {
        let mut watcher = Watcher::new();
        let result = Simulated::new(square(), pace).run(name, &options, &mut watcher).unwrap();
        let json = serde_json::to_string(&result).unwrap();
        for executor in [&Backwards as &dyn Executor, &Threads(2), &Threads(7)] {
            let (other, events) = result_with(name, &options, executor);
            assert!(json == serde_json::to_string(&other).unwrap(), "{name}");
            assert_eq!(watcher.events, events, "{name}: observers see the same in the same order");
        }
    }
}

#[test]
fn samples_are_as_long_as_the_engine_wants_them_and_time_is_theirs() {
    let engine = Simulated::new(two_nodes(2), pace);
    let result = engine.run("latency-matrix", &quick(), &mut Watcher::new()).unwrap();
    assert!(result.cells.iter().all(|cell| cell.evidence.window == WINDOW.into()));
    let samples = result.cells.iter().map(|cell| cell.samples.len()).sum::<usize>();
    assert_eq!(samples, engine.taken());
    assert!((result.elapsed.get() - samples as f64 * WINDOW.as_secs_f64()).abs() < 1e-12);

    let window = Some(Duration::from_micros(40));
    let asked = Options { window, ..quick() };
    let result = engine.run("latency-matrix", &asked, &mut Watcher::new()).unwrap();
    assert!(result.cells.iter().all(|cell| cell.evidence.window == Duration::from_micros(40).into()));

    // Half as long where that is enough, unless the user has chosen.
    let wide = |window| {
        let asked = Options { interval: Some(0.1), window, ..quick() };
        engine.run("latency-matrix", &asked, &mut Watcher::new()).unwrap().cells[0].evidence.window
    };
    assert_eq!(wide(None), (WINDOW / 2).into());
    assert_eq!(wide(window), Duration::from_micros(40).into());
}

/// A campaign runs several experiments on one engine, which is left at the last replication of the one before.
#[test]
fn the_pilot_does_not_depend_on_what_ran_before() {
    let mut engine = Simulated::new(two_nodes(2), pace);
    engine.replicate(7);
    engine.run("loaded-latency", &quick(), &mut Watcher::new()).unwrap();
    assert_eq!(engine.first_prepared(), Some(0));
}

/// Of a large machine, finding out what all of its parts did took a tenth of the time of idle latency.
#[test]
fn parts_of_a_machine_are_left_out_where_no_cell_is_made_of_them() {
    let seen = |name: &str, options: &Options| {
        let engine = Simulated::new(two_nodes(2), pace);
        engine.run(name, options, &mut Watcher::new()).unwrap();
        engine.seen()
    };
    let detail = Options { detail: true, ..quick() };
    for (name, options, asked) in [
        ("latency-matrix", quick(), false),
        ("core-to-core", quick(), false),
        ("latency-matrix", detail, true),
        // It shows the time of a line fill.
        ("ramp", quick(), true),
    ] {
        let [all, with_parts] = seen(name, &options);
        assert_eq!(with_parts, if asked { all } else { 0 }, "{name}");
        assert!(all > 0, "{name}");
    }
}

/// A chase beside many readers was observed until its interval was narrow, which cost as much as all other cells together.
#[test]
fn cells_that_cost_much_end_with_wider_intervals() {
    let cells = |pace: f64, options: &Options| {
        let engine = Simulated::new(two_nodes(2), move |_, _| pace).with_noise(0.2);
        engine.run("latency-matrix", options, &mut Watcher::new()).unwrap().cells
    };
    let narrow =
        |cells: &[Cell]| cells.iter().filter(|cell| cell.estimate.relative_half_width() <= 0.01).count();
    assert!(narrow(&cells(100.0, &quick())) > 0);
    // A step takes so little time that millions are done.
    let costly = cells(0.001, &quick());
    assert_eq!(narrow(&costly), 0);
    assert!(costly.iter().all(|cell| cell.evidence.replications == 12), "the spread is known all the same");
}

#[test]
fn an_interruption_is_noticed_between_measurements_and_keeps_what_is_done() {
    let mut watcher = Watcher::new().interrupting_after(3);
    let result = Simulated::new(square(), pace).run("latency-matrix", &quick(), &mut watcher);
    let result = result.unwrap();
    assert_eq!((result.completion, result.cells.len()), (Completion::Interrupted, 3));
    // With several at a time, all that were handed out are kept.
    let mut watcher = Watcher::with(&Threads(2)).interrupting_after(1);
    let options = Options { cases: Some(Cases::All), ..quick() };
    let result = Simulated::new(square(), pace).run("crossfire", &options, &mut watcher).unwrap();
    assert_eq!(result.completion, Completion::Interrupted);
    let begun = watcher.events.iter().filter(|event| event.contains(" of 1792: ")).count();
    assert_eq!(begun, 64);
}

#[test]
fn an_engine_that_is_stopped_ends_the_experiment_and_what_was_done_is_kept() {
    let options = Options { cases: Some(Cases::All), ..quick() };
    for (executor, more) in [(&Sequential as &dyn Executor, 0), (&Threads(3), 2)] {
        let mut watcher = Watcher::with(executor);
        let engine = Simulated::new(square(), pace).stopped_after(100);
        let result = engine.run("crossfire", &options, &mut watcher).unwrap();
        assert_eq!(result.completion, Completion::Interrupted);
        let whole = |cell: &&Cell| cell.at.get(Axis::Thread).is_none();
        assert!(result.cells.iter().filter(whole).count() >= watcher.done() && watcher.done() > 0);
        // No other measurement starts once one was interrupted.
        assert!(engine.taken() <= 101 + more, "{}", engine.taken());
    }
}

#[test]
fn every_workload_is_counted_when_it_is_done() {
    let mut watcher = Watcher::with(&Threads(3));
    let result = Simulated::new(square(), pace).run("latency-matrix", &quick(), &mut watcher).unwrap();
    assert_eq!(watcher.done(), result.cells.len());
}

#[test]
fn a_simulation_fills_nothing_and_makes_no_buffer_smaller_for_it() {
    let hurried = Options { budget: Some(Duration::from_secs(1)), ..quick() };
    let buffers = |result: &ExperimentResult| result.cells[0].evidence.buffers;
    let engine = Simulated::new(two_nodes(2), pace);
    let simulated = engine.run("latency-matrix", &hurried, &mut Watcher::new()).unwrap();
    assert_eq!(buffers(&simulated), Bytes::gib(1));
    let measured = Bench::new(two_nodes(2)).run("latency-matrix", &hurried).result.unwrap();
    assert!(buffers(&measured) < Bytes::gib(1));
}

#[test]
fn detail_reports_links_channels_homes_and_stages_with_their_zeros() {
    let options = Options { detail: true, ..quick() };
    let engine = Simulated::new(two_nodes(1), pace);
    let result = engine.run("latency-matrix", &options, &mut Watcher::new()).unwrap();
    let own: Vec<_> = result
        .cells
        .iter()
        .filter(|cell| cell.at.is(Axis::Initiator, 0u32) && cell.at.is(Axis::Target, 1u32))
        .map(|cell| (words(&cell.at), cell.measure.words(), cell.estimate.median))
        .collect();
    let at = |rest: &str| format!("initiator=0 target=1{rest}");
    let [to, back] = ["0->1", "1->0"].map(|way| at(&format!(" link=0-1 direction={way}")));
    let samples = result.cells[0].samples.len() as f64;
    let middle = (samples + 1.0) / 2.0;
    let expected = [
        (to.clone(), "link traffic", middle),
        (to.clone(), "link data", middle / 2.0),
        (to.clone(), "utilization", middle / 100.0),
        (to, "queue length", middle / 10.0),
        (back.clone(), "link traffic", 0.0),
        (back.clone(), "link data", 0.0),
        (back.clone(), "utilization", 0.0),
        (back, "queue length", 0.0),
        (at(" channel=m0 direction=read"), "bus traffic", 2.0),
        (at(" channel=m0 direction=written"), "bus traffic", 1.0),
        (at(" channel=m0"), "utilization", 0.5),
        (at(" channel=m0"), "queue length", 3.0),
        (at(" home=h0"), "occupancy", 4.0),
        (at(" home=h0"), "queue length", 0.0),
        (at(" home=h0"), "rejections", 0.0),
        (at(" stage=core"), "latency", 20.0),
        (at(" stage=memory"), "latency", 50.0),
    ];
    assert_eq!(own[1..], expected);
    assert!(result.cells.iter().all(|cell| cell.samples.len() as f64 == samples));
}

#[test]
fn without_detail_none_of_it_is_reported() {
    let engine = Simulated::new(two_nodes(1), pace);
    let result = engine.run("latency-matrix", &quick(), &mut Watcher::new()).unwrap();
    assert!(result.cells.iter().all(|cell| cell.measure == Measure::Latency && cell.at.0.len() == 2));
}

#[test]
fn a_host_does_not_show_what_happens_inside_it() {
    let options = Options { detail: true, ..quick() };
    let outcome = Bench::new(two_nodes(1)).run("latency-matrix", &options);
    let error = outcome.result.unwrap_err();
    assert_eq!(error, ExperimentError::NothingInside);
    assert!(error.hint(&OptionNames::default()).unwrap().contains("--on"));
    assert!(outcome.workloads.is_empty());
}

#[test]
fn a_survey_of_a_model_needs_no_clock_either() {
    let mut engine = Simulated::new(square(), pace);
    let results = zerohop_experiment::survey(&mut engine, &quick(), &mut Watcher::with(&Threads(2))).unwrap();
    assert!(results.len() >= 7 && results.iter().all(|result| !result.cells.is_empty()));
    let one = run(&results[0].experiment, &mut engine, &quick(), &mut Watcher::new()).unwrap();
    assert_eq!(one, results[0]);
}

/// A model was simulated once for `copy` and once more for `scale`, and again for what another experiment of a survey had asked for.
#[test]
fn work_with_several_names_is_done_once() {
    let engine = || Simulated::new(two_nodes(2), pace);
    let (apart, once) = (engine(), engine().moving_lines_only());
    let run = |engine: &Simulated, executor: &dyn Executor| {
        let mut watcher = Watcher::with(executor);
        let result = engine.run("stream", &quick(), &mut watcher).unwrap();
        assert_eq!(watcher.done(), 8 * 3, "every workload counts as done");
        result
    };
    let (one, other) = (run(&apart, &Sequential), run(&once, &Threads(3)));
    assert_eq!(one.cells.len(), other.cells.len());
    assert_eq!(apart.taken(), 2 * once.taken());
    let of = |kernel: &str| -> Vec<Vec<f64>> {
        let cells = other.cells.iter().filter(|cell| cell.at.is(Axis::Kernel, kernel));
        cells.map(|cell| cell.samples.clone()).collect()
    };
    assert!(!of("copy").is_empty());
    for [one, other] in [["copy", "scale"], ["add", "triad"], ["copy_nt", "scale_nt"], ["add_nt", "triad_nt"]]
    {
        assert_eq!(of(one), of(other), "{one} and {other}");
    }
    assert_ne!(of("copy"), of("add"));
}

/// Every pair of cores was simulated, although a model cannot tell cores at one router apart.
#[test]
fn workloads_of_cores_at_the_same_places_are_simulated_once() {
    // Two workers at one place are closer than those at two.
    let place = |pu: PuId| pu.0 / 2;
    let pace = move |workload: &Workload, rank: usize| {
        let places = workload.workers.iter().map(|worker| f64::from(place(worker.pu)));
        100.0 + places.sum::<f64>() + 10.0 * f64::from(place(workload.workers[rank].pu))
    };
    let engine = || Simulated::new(square(), pace).moving_lines_only();
    for name in ["core-latency", "core-to-core"] {
        let (each, once) = (engine(), engine().with_places_of(2));
        let [one, other] = [&each, &once].map(|engine| {
            let result = engine.run(name, &quick(), &mut Watcher::new()).unwrap();
            serde_json::to_string(&result).unwrap()
        });
        assert!(one == other, "{name}: the same to the last bit");
        assert!(once.taken() * 3 < each.taken() * 2, "{name}: {} and {}", once.taken(), each.taken());
    }
}

/// `mixes` and `injection` both read with all nodes, and `stream` and `mixes` both have a triad.
#[test]
fn experiments_of_a_survey_share_their_work() {
    let surveyed = |engine: &Simulated| {
        let mut watcher = Watcher::new();
        let results = zerohop_experiment::survey(&mut engine.clone(), &quick(), &mut watcher).unwrap();
        (results, engine.taken())
    };
    let (engine, single) = (Simulated::new(square(), pace), Simulated::new(square(), pace));
    let (results, taken) = surveyed(&engine);
    // A survey's ramp has one of local memory beside it.
    for result in results.iter().filter(|result| result.experiment != "ramp") {
        let same = run(&result.experiment, &mut single.clone(), &quick(), &mut Watcher::new()).unwrap();
        assert_eq!(same, *result);
    }
    assert!(taken < single.taken(), "{taken} samples in a survey, {} one by one", single.taken());
}
