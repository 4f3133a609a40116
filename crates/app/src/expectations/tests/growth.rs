//! What is expected of many cells costs little more than what is expected of few: the model does not run for each of them, and the rest is
//! done in time in proportion to their number.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use zerohop_experiment::{Executor, catalogue};
use zerohop_machine::PuId;

use super::*;

/// A processor that is known by its name.
const PROCESSOR: &str = "Intel(R) Xeon(R) Platinum 8260 CPU @ 2.40GHz";

/// Cells of the smaller result.
const CELLS: u32 = 1000;

/// How many times as many the larger one has.
const TIMES: u32 = 4;

/// In proportion, it takes [`TIMES`] times as long; in a square, 16 times.
const MOST_TIMES_AS_LONG: f64 = 9.0;

/// Shorter times tell nothing.
const SHORTEST: Duration = Duration::from_millis(200);

/// The best of this many tries counts: others compute meanwhile.
const TRIES: usize = 4;

/// Columns of a table.
const WIDTH: u32 = 7;

/// Counts what the model measures.
#[derive(Default)]
struct Counting(AtomicUsize);

impl Executor for Counting {
    fn run(&self, jobs: usize, job: &(dyn Fn(usize) + Sync)) {
        self.0.fetch_add(jobs, Ordering::Relaxed);
        Sequential.run(jobs, job);
    }

    fn width(&self) -> usize {
        Sequential.width()
    }
}

/// What is expected of a result, and how many measurements of the model that took.
fn counted_by(result: &ResultFile, machine: Option<&str>) -> (Expectations, usize) {
    let (executor, stop) = (Counting::default(), StopFlag::new());
    let crew = CampaignRunner { executor: &executor, stop: &stop, attendant: &NoAttendant };
    let found = expectations(result, machine, &NoFiles, &crew).unwrap();
    (found, executor.0.into_inner())
}

/// A result of a host of so many sockets, which shows its processor and nothing else of its hardware.
fn host(sockets: u32, experiment: &str, cells: Vec<Cell>) -> ResultFile {
    let (file, _) = machine_file(&format!("Xeon Platinum 8260,sockets={sockets}"), &NoFiles).unwrap();
    let mut machine = library::hardware_of(&file, &Settings::none()).unwrap().machine;
    machine.processor.model = PROCESSOR.to_owned();
    machine.prediction = None;
    let done = ExperimentResult {
        experiment: experiment.parse().unwrap(),
        completion: Completion::Complete,
        elapsed: Seconds(0.0),
        cells: Cells::new(cells).unwrap(),
        warnings: Vec::new(),
    };
    result_of(machine, Origin::HOST, vec![done])
}

/// Every pair of cores.
fn all_pairs(sockets: u32) -> ResultFile {
    let cores: Vec<PuId> = {
        let machine = host(sockets, "core-to-core", Vec::new()).machine;
        machine.cores.iter().filter_map(|core| core.pus.first()).collect()
    };
    let pairs = cores.iter().enumerate().flat_map(|(rank, from)| {
        let at = |to: &PuId| Coordinates::new().with(Axis::From, from.0).with(Axis::To, to.0);
        cores[rank + 1..].iter().map(move |to| cell(at(to), Measure::Latency, 60.0))
    });
    host(sockets, "core-to-core", pairs.collect())
}

/// A curve of so many points.
fn curve(points: u32) -> ResultFile {
    let cells = (0..points).flat_map(|delay| {
        let at = || {
            let of_all = Coordinates::new().with(Axis::Initiator, 0u32).with(Axis::Target, "local");
            of_all.with(Axis::ReadPercent, 100u32).with(Axis::Delay, delay)
        };
        let load = f64::from(points) / f64::from(points + delay);
        [cell(at(), Measure::Bandwidth, 90.0 * load), cell(at(), Measure::Latency, 80.0 + 60.0 * load)]
    });
    host(2, "load-curves", cells.collect())
}

#[test]
fn more_points_of_a_curve_need_no_more_of_the_model() {
    let [(few, runs_of_few), (many, runs_of_many)] =
        [CELLS, TIMES * CELLS].map(|points| counted_by(&curve(points), None));
    assert_eq!((few.cells.len(), many.cells.len()), (1001, 4001), "{:?}", few.without);
    assert_eq!(runs_of_few, runs_of_many);
    // The model runs the curves of all its kernels.
    assert!(runs_of_many < 200, "{runs_of_many}");
}

/// A model simulates pairs of cores of each relation, however many cores there are; of the rest nothing is expected, with a reason.
#[test]
fn all_pairs_of_many_cores_are_not_simulated_one_by_one() {
    for (sockets, pairs) in [(2, 1128), (8, 18_336)] {
        let result = all_pairs(sockets);
        let (found, runs) = counted_by(&result, None);
        assert_eq!(result.experiments[0].cells.len(), pairs);
        assert!(!found.is_empty() && runs < 300, "{runs} runs for {pairs} pairs");
        let rest: usize = found.without.iter().map(|without| without.cells).sum();
        assert_eq!(found.cells.len() + rest, pairs);
        assert_eq!(found.without[0].reason, "the model has no value at this place");
    }
}

/// A ramp of 480 cores was simulated for 6 s, and nothing was expected of it.
#[test]
fn a_model_does_not_run_what_nothing_is_expected_of() {
    let names = ["ramp", "hops", "crossfire", "global-bandwidth", "memory-suite"];
    let whole = modeled("quartet", Settings::none(), Solver::Auto, &names);
    assert_eq!(whole.experiments.len(), names.len());
    for done in &whole.experiments {
        let result = result_of(whole.machine.clone(), Origin::HOST, vec![done.clone()]);
        let nothing = result_of(whole.machine.clone(), Origin::HOST, Vec::new());
        let (found, runs) = counted_by(&result, Some("quartet"));
        assert!(found.is_empty(), "{}", done.experiment);
        assert_eq!(runs, counted_by(&nothing, Some("quartet")).1, "{}", done.experiment);
    }
}

/// A result with so many cells of an experiment, at places along the axes of its first layout.
fn along_its_layout(rank: usize, count: u32) -> Option<ResultFile> {
    let known = catalogue().all().nth(rank)?;
    let layout = known.layouts.first()?;
    let measure = *layout.measures.first()?;
    let place = |number: u32| match layout.columns.any_axis() {
        Some(axis) => Coordinates::new().with(layout.rows, number / WIDTH).with(axis, number % WIDTH),
        None => Coordinates::new().with(layout.rows, number),
    };
    let cells = (0..count).map(|number| cell(place(number), measure, 100.0 + f64::from(number % 13)));
    Some(host(2, known.name, cells.collect()))
}

/// The CPU time of a judgement.
fn time(result: &ResultFile) -> Duration {
    let now = || {
        let now = clock_gettime(ClockId::ThreadCPUTime);
        Duration::new(now.tv_sec.unsigned_abs(), u32::try_from(now.tv_nsec).unwrap_or(0))
    };
    let start = now();
    let (found, _) = counted_by(result, None);
    drop(diagnose(rules(), "host", result, Given { expectations: Some(&found), ..Given::default() }));
    now().saturating_sub(start)
}

#[test]
fn results_of_many_cells_are_judged_in_proportion() {
    let count = catalogue().all().count();
    let by_layout = |rank: usize| Some([CELLS, TIMES * CELLS].map(|count| along_its_layout(rank, count)));
    let mut pairs: Vec<_> = (0..count).filter_map(by_layout).collect();
    pairs.push([CELLS, TIMES * CELLS].map(|points| Some(curve(points / 2))));
    let mut found = Vec::new();
    for pair in pairs {
        let [Some(small), Some(large)] = pair else { continue };
        let mut best = [Duration::MAX; 2];
        let is_square = (0..TRIES).all(|_| {
            best[1] = best[1].min(time(&large));
            if best[1] < SHORTEST {
                return false;
            }
            best[0] = best[0].min(time(&small));
            best[1].as_secs_f64() > MOST_TIMES_AS_LONG * best[0].as_secs_f64()
        });
        if is_square {
            found.push(format!("{}: {:?} and {:?}", large.experiments[0].experiment, best[0], best[1]));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}
