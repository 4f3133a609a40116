//! Results held against one another.

use zerohop_compare::{CompareError, ComparisonFile, Configuration, Numbering, Tendency, compare};
use zerohop_machine::Machine;
use zerohop_result::{
    Axis, Cell, Cells, Completion, Coordinates, Estimate, Evidence, ExperimentName, ExperimentResult,
    Measure, MeasuringSettings, Placing, ResultFile, RoundSpread, SCHEMA_VERSION,
};
use zerohop_units::Seconds;
use zerohop_workload::{EngineDescription, Origin, SolverName};

/// A cell of a stream at that node: its number, give or take so much.
pub(crate) fn cell(node: u32, measure: Measure, value: f64, margin: f64) -> Cell {
    let estimate = Estimate {
        median: value,
        low: value - margin,
        high: value + margin,
        min: value - margin,
        max: value + margin,
        mean: value,
        standard_deviation: margin,
    };
    let at = Coordinates::new().with(Axis::Initiator, node);
    Cell { at, measure, estimate, evidence: Evidence::default(), samples: vec![value], warnings: Vec::new() }
}

pub(crate) fn experiment(experiment: ExperimentName, cells: Vec<Cell>) -> ExperimentResult {
    let (completion, cells) = (Completion::Complete, Cells::new(cells).unwrap());
    ExperimentResult { experiment, completion, elapsed: Seconds(1.0), cells, warnings: Vec::new() }
}

pub(crate) fn file(experiments: Vec<ExperimentResult>) -> ResultFile {
    let machine = Machine { name: "square".to_owned(), ..Machine::default() };
    let origin = Origin::model(&machine, SolverName::Event, Some(1));
    ResultFile {
        schema_version: SCHEMA_VERSION,
        produced_by: "a test".to_owned(),
        started_at: None,
        finished_at: None,
        run: None,
        completion: Completion::Complete,
        engine: EngineDescription::new(&origin, "none", Vec::new()),
        origin,
        machine,
        settings: MeasuringSettings::default(),
        experiments,
        warnings: Vec::new(),
        unknown: Vec::new(),
    }
}

/// Bandwidths of two nodes.
fn stream(values: [f64; 2]) -> ResultFile {
    let cells = (0..).zip(values).map(|(node, value)| cell(node, Measure::Bandwidth, value, value / 100.0));
    file(vec![experiment(ExperimentName::known("stream"), cells.collect())])
}

pub(crate) fn compared(results: &[(&str, &ResultFile)]) -> ComparisonFile {
    let named: Vec<Configuration<'_>> =
        results.iter().map(|&(name, result)| Configuration { name, result, repeats: &[] }).collect();
    compare(&named, Numbering::ByTopology).unwrap()
}

fn order(comparison: &ComparisonFile) -> Vec<&str> {
    comparison.ranking.iter().map(|ranked| ranked.name.as_str()).collect()
}

#[test]
fn the_best_mean_comes_first_and_the_base_stands_where_it_belongs() {
    let (base, better, worse) = (stream([10.0, 10.0]), stream([10.0, 40.0]), stream([0.6, 10.0]));
    let comparison = compared(&[("base", &base), ("worse", &worse), ("better", &better)]);
    assert_eq!(order(&comparison), ["better", "base", "worse"]);
    let means: Vec<f64> = comparison.ranking.iter().map(|ranked| ranked.overall.mean.value).collect();
    assert!((means[0] - 2.0).abs() < 1e-12, "the geometric mean of 1 and 4");
    assert!((means[1] - 1.0).abs() < 1e-12);
    assert!((means[2] - 0.06_f64.sqrt()).abs() < 1e-12);
    assert!((comparison.ranking[2].worst - 0.06).abs() < 1e-12);
    let better = comparison.ranking[0].overall;
    assert_eq!((better.cells, better.better, better.worse), (2, 1, 0));
}

#[test]
fn less_time_is_better() {
    let chase = |ns: f64| {
        file(vec![experiment(
            ExperimentName::known("latency-matrix"),
            vec![cell(0, Measure::Latency, ns, 0.5), cell(1, Measure::TimePerLine, ns, 0.5)],
        )])
    };
    let (slow, fast) = (chase(120.0), chase(80.0));
    let comparison = compared(&[("slow", &slow), ("fast", &fast)]);
    assert_eq!(order(&comparison), ["fast", "slow"]);
    for cell in &comparison.cells {
        assert!((cell.others[0].ratio.value - 1.5).abs() < 1e-12);
        assert_eq!(cell.others[0].tendency, Tendency::Better);
    }
}

#[test]
fn intervals_that_touch_tell_nothing() {
    let (base, other) = (stream([10.0, 10.0]), stream([10.1, 11.0]));
    let comparison = compared(&[("base", &base), ("other", &other)]);
    let tendencies: Vec<_> = comparison.cells.iter().map(|cell| cell.others[0].tendency).collect();
    assert_eq!(tendencies, [Tendency::Same, Tendency::Better]);
    // Two independent intervals of 1 % make one of 1.41 %.
    let ratio = comparison.cells[1].others[0].ratio;
    let reach = 0.01 * 2f64.sqrt();
    assert!((ratio.low - 1.1 * libm::exp(-reach)).abs() < 1e-4, "{ratio:?}");
    assert!((ratio.high - 1.1 * libm::exp(reach)).abs() < 1e-4, "{ratio:?}");
}

#[test]
fn each_experiment_has_a_mean_of_its_own() {
    let both = |stream: f64, latency: f64| {
        file(vec![
            experiment(ExperimentName::known("stream"), vec![cell(0, Measure::Bandwidth, stream, 0.0)]),
            experiment(
                ExperimentName::known("latency-matrix"),
                vec![cell(0, Measure::Latency, latency, 0.0)],
            ),
        ])
    };
    let comparison = compared(&[("base", &both(10.0, 100.0)), ("other", &both(20.0, 200.0))]);
    let other = comparison.ranking.iter().find(|ranked| ranked.name == "other").unwrap();
    let scores: Vec<_> =
        other.experiments.iter().map(|one| (one.experiment.clone(), one.score.mean.value)).collect();
    assert_eq!(
        scores,
        [(ExperimentName::known("stream"), 2.0), (ExperimentName::known("latency-matrix"), 0.5)]
    );
    assert!((other.overall.mean.value - 1.0).abs() < 1e-12);
}

#[test]
fn a_result_does_not_win_by_what_it_leaves_out() {
    let base = stream([10.0, 10.0]);
    let mut partial = stream([5.0, 10.0]);
    partial.experiments[0].cells.change(|cells| drop(cells.remove(0))).unwrap();
    let third = stream([1.0, 12.0]);
    let comparison = compared(&[("base", &base), ("partial", &partial), ("third", &third)]);
    assert_eq!(comparison.cells.len(), 1, "all means are over what all have");
    assert_eq!(order(&comparison), ["third", "base", "partial"]);
    let told: Vec<_> = comparison.unmatched.iter().map(|one| (&*one.only_in, one.cells)).collect();
    assert_eq!(told, [("base", 1), ("third", 1)]);
    assert_eq!(comparison.unmatched[0].missing_in, ["partial"]);
    assert_eq!(comparison.unmatched[0].reason, "the options differ: kernel, nodes, cores or cases");
}

#[test]
fn why_cells_are_missing_is_told_as_far_as_it_can_be() {
    let reason = |change: fn(&mut ResultFile)| {
        let base = stream([10.0, 10.0]);
        let mut other = stream([10.0, 10.0]);
        change(&mut other);
        compared(&[("base", &base), ("other", &other)]).unmatched[0].reason.clone()
    };
    let unfinished = reason(|file| {
        file.experiments[0].cells.change(|cells| drop(cells.pop())).unwrap();
        file.experiments[0].completion = Completion::Interrupted;
    });
    assert_eq!(unfinished, "the experiment did not finish");
    let effort = reason(|file| {
        file.experiments[0].cells.change(|cells| drop(cells.pop())).unwrap();
        file.settings.effort = "full".to_owned();
    });
    assert!(effort.contains("full"), "{effort}");
    let extra =
        experiment(ExperimentName::known("latency-matrix"), vec![cell(0, Measure::Latency, 80.0, 0.0)]);
    let (mut base, other) = (stream([10.0, 10.0]), stream([10.0, 10.0]));
    base.experiments.push(extra);
    let comparison = compared(&[("base", &base), ("other", &other)]);
    assert_eq!(comparison.unmatched[0].reason, "the experiment was not run");
}

#[test]
fn what_says_the_same_once_more_is_left_out() {
    let with_more = || {
        let mut result = stream([10.0, 10.0]);
        let mut part = cell(0, Measure::Bandwidth, 99.0, 0.0);
        part.at = part.at.with(Axis::Statistic, "peak");
        let more = [cell(0, Measure::BusTraffic, 99.0, 0.0), cell(0, Measure::RelativeTime, 99.0, 0.0), part];
        result.experiments[0].cells.change(|cells| cells.extend(more)).unwrap();
        result
    };
    let comparison = compared(&[("base", &with_more()), ("other", &with_more())]);
    assert_eq!(comparison.cells.len(), 2);
}

#[test]
fn what_else_is_different_is_told() {
    let base = stream([10.0, 10.0]);
    let mut other = stream([10.0, 10.0]);
    other.machine.name = "ring".to_owned();
    other.settings.seed = Some(7);
    let comparison = compared(&[("base", &base), ("other", &other)]);
    let told: Vec<_> =
        comparison.differences.iter().map(|one| (&*one.what, &*one.base, &*one.other)).collect();
    assert_eq!(told, [("machine", "square", "ring"), ("seed", "none", "7")]);
}

#[test]
fn what_cannot_be_compared_says_why() {
    let base = stream([10.0, 10.0]);
    fn named<'a>(name: &'a str, result: &'a ResultFile) -> Configuration<'a> {
        Configuration { name, result, repeats: &[] }
    }
    let alone = compare(&[named("base", &base)], Numbering::ByTopology).unwrap_err();
    assert_eq!(alone.to_string(), "nothing to compare `base` with");
    let cells: Vec<_> = base.experiments[0].cells.iter().cloned().collect();
    for (cells, words) in [(cells, "other has hops"), (Vec::new(), "other has no values")] {
        let other = file(vec![experiment(ExperimentName::known("hops"), cells)]);
        let error =
            compare(&[named("base", &base), named("other", &other)], Numbering::ByTopology).unwrap_err();
        assert!(matches!(error, CompareError::NothingInCommon { .. }));
        assert!(error.to_string().contains(&format!("base has stream; {words}")), "{error}");
    }
}

/// A measured bandwidth of a node, with the estimates of its rounds.
fn measured(values: &[[f64; 8]]) -> ResultFile {
    let cells = (0..).zip(values).map(|(node, rounds)| {
        let mut sorted = *rounds;
        sorted.sort_by(f64::total_cmp);
        let median = f64::midpoint(sorted[3], sorted[4]);
        let mean = rounds.iter().sum::<f64>() / 8.0;
        let deviation = (rounds.iter().map(|round| (round - mean).powi(2)).sum::<f64>() / 7.0).sqrt();
        let mut cell = cell(node, Measure::Bandwidth, median, 2.365 * 1.15 * deviation / 8f64.sqrt());
        cell.evidence.rounds = rounds.to_vec();
        cell
    });
    let mut file = file(vec![experiment(ExperimentName::known("stream"), cells.collect())]);
    file.origin = Origin::HOST;
    file.engine = EngineDescription::new(&file.origin, "tsc", Vec::new());
    file
}

/// Random numbers that are normal, more or less.
pub(crate) struct Chance(pub(crate) u64);

impl Chance {
    pub(crate) fn normal(&mut self) -> f64 {
        let mut sum = -6.0;
        for _ in 0..12 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            sum += (self.0 >> 11) as f64 / (1u64 << 53) as f64;
        }
        sum
    }

    /// A run of 20 cells: each has drifted since the last run, by `drift`, and its rounds by 2 %.
    fn run(&mut self, drift: f64, faster: f64) -> ResultFile {
        let cells: Vec<[f64; 8]> = (0..20)
            .map(|node| {
                let level = (10.0 + f64::from(node)) * faster * libm::exp(drift * self.normal());
                [(); 8].map(|()| level * libm::exp(0.02 * self.normal()))
            })
            .collect();
        measured(&cells)
    }
}

pub(crate) fn changes(comparison: &ComparisonFile) -> usize {
    comparison.cells.iter().filter(|cell| cell.others[0].tendency != Tendency::Same).count()
}

#[test]
fn an_unchanged_noisy_host_is_not_called_better_or_worse() {
    let mut chance = Chance(1);
    let wrong = (0..200).filter(|_| {
        let (one, other) = (chance.run(0.015, 1.0), chance.run(0.015, 1.0));
        changes(&compared(&[("one", &one), ("other", &other)])) > 0
    });
    let wrong = wrong.count();
    assert!(wrong <= 10, "{wrong} of 200 comparisons found a change");
}

#[test]
fn a_real_change_is_found_without_repeats() {
    let mut chance = Chance(2);
    let (slow, fast) = (chance.run(0.01, 1.0), chance.run(0.01, 1.5));
    assert!(changes(&compared(&[("slow", &slow), ("fast", &fast)])) >= 18);
}

#[test]
fn repeats_show_how_far_runs_drift() {
    let mut chance = Chance(3);
    let mut compare_repeats = |drift: f64, faster: f64| {
        let base: Vec<ResultFile> = (0..3).map(|_| chance.run(drift, 1.0)).collect();
        let other: Vec<ResultFile> = (0..3).map(|_| chance.run(drift, faster)).collect();
        let named =
            |name, runs: &'static [ResultFile]| Configuration { name, result: &runs[0], repeats: &runs[1..] };
        let named = [named("base", base.leak()), named("other", other.leak())];
        changes(&compare(&named, Numbering::ByTopology).unwrap())
    };
    // Runs that drift by 10 % show no change of 8 %; runs that stay show it everywhere.
    assert_eq!(compare_repeats(0.10, 1.08), 0);
    assert!(compare_repeats(0.0, 1.08) >= 18);
    let wrong = (0..50).filter(|_| compare_repeats(0.10, 1.0) > 0).count();
    assert!(wrong <= 5, "{wrong} of 50");
}

#[test]
fn a_doubtful_cell_decides_nothing() {
    let (base, mut other) = (stream([10.0, 10.0]), stream([20.0, 10.0]));
    other.experiments[0]
        .cells
        .change(|cells| cells[0].warnings.push(zerohop_workload::Warning::CpuTaken { share: 0.4 }))
        .unwrap();
    let comparison = compared(&[("base", &base), ("other", &other)]);
    let number = &comparison.cells[0].others[0];
    assert!(number.doubtful && number.tendency == Tendency::Same);
    let overall = comparison.ranking.iter().find(|ranked| ranked.name == "other").unwrap().overall;
    assert_eq!((overall.cells, overall.doubtful, overall.better), (1, 1, 0));
    assert!((overall.mean.value - 1.0).abs() < 1e-12);
}

/// Changes every cell of a result.
fn each(mut file: ResultFile, change: impl Fn(&mut Cell)) -> ResultFile {
    for experiment in &mut file.experiments {
        experiment.cells.change(|cells| cells.iter_mut().for_each(&change)).unwrap();
    }
    file
}

/// The rounds of a 2 s run on a virtual machine agree within 1 %, and another run differs by 5 %.
#[test]
fn the_drift_of_a_virtual_machine_is_not_called_better_or_worse() {
    let mut chance = Chance(3);
    let mut run = || {
        let cells: Vec<[f64; 8]> = (0..20)
            .map(|_| {
                let level = 10.0 * libm::exp(0.03 * chance.normal());
                [(); 8].map(|()| level * libm::exp(0.002 * chance.normal()))
            })
            .collect();
        measured(&cells)
    };
    let (mut allowed, mut denied) = (0, 0);
    for _ in 0..100 {
        let (one, other) = (run(), run());
        denied += usize::from(changes(&compared(&[("one", &one), ("other", &other)])) > 0);
        let [one, other] =
            [one, other].map(|file| each(file, |cell| *cell = cell.clone().with_unseen_drift(0.03)));
        allowed += usize::from(changes(&compared(&[("one", &one), ("other", &other)])) > 0);
    }
    assert!(allowed <= 5 && denied > 90, "{allowed} {denied}");
}

/// Two runs on one virtual machine differed by 60 %: the hypervisor had moved a CPU to another package.
#[test]
fn cpus_that_a_hypervisor_has_moved_in_between_decide_nothing() {
    let placed =
        |value: f64, apart_ns| each(stream([value, value]), |cell| cell.evidence.apart_ns = apart_ns);
    let near = placed(10.0, Some((38.0, 44.0)));
    for (apart, decides) in [
        (Some((39.0, 60.0)), true),
        (None, true),
        (Some((210.0, 230.0)), false),
        (Some((40.0, 230.0)), false),
    ] {
        let comparison = compared(&[("near", &near), ("other", &placed(16.0, apart))]);
        assert_eq!(changes(&comparison), if decides { 2 } else { 0 }, "{apart:?}");
        assert_eq!(comparison.cells[0].others[0].doubtful, !decides);
    }
    // Moved in the middle of both: each value is somewhere between those of two places.
    let moved = |value| placed(value, Some((40.0, 220.0)));
    assert_eq!(changes(&compared(&[("one", &moved(10.0)), ("other", &moved(16.0))])), 0);
}

/// A trial had chosen an AVX2 form with eight streams once, and an AVX-512 form with one the next time: "worse, 0.878".
#[test]
fn kernels_that_ran_other_code_are_less_certain_to_differ_and_are_named() {
    let ran = |value: f64, form: &str| {
        each(stream([value, value]), |cell| {
            cell.evidence.kernel_forms.insert("read".to_owned(), form.to_owned());
        })
    };
    let (one, other) = (ran(17.1, "avx512, 1 stream"), ran(15.3, "avx2, 8 streams"));
    let comparison = compared(&[("one", &one), ("other", &other)]);
    assert_eq!(changes(&comparison), 0);
    assert!(comparison.cells.iter().all(|cell| cell.others[0].ratio.low < 0.83), "{:?}", comparison.cells);
    assert_eq!(changes(&compared(&[("one", &one), ("other", &ran(10.0, "avx2, 8 streams"))])), 2);
    let named = comparison.differences.iter().find(|one| one.what == "kernel forms").unwrap();
    assert_eq!((&*named.base, &*named.other), ("read: avx512, 1 stream", "read: avx2, 8 streams"));
    assert_eq!(changes(&compared(&[("one", &one), ("other", &ran(15.3, "avx512, 1 stream"))])), 2);
}

/// Most of one run had the CPUs in one cache, most of the other in two: no cell decided anything, although both had seen both.
#[test]
fn runs_whose_cpus_were_moved_are_compared_where_they_were_placed_alike() {
    let run = |placings: &[(f64, f64, f64)]| {
        let mut file = stream([placings[0].2; 2]);
        file.origin = Origin::HOST;
        each(file, |cell| {
            let placing = |&(apart, share, value): &(f64, f64, f64)| Placing {
                apart_ns: (apart, 1.1 * apart),
                share,
                estimate: Estimate { median: value, low: 0.98 * value, high: 1.02 * value, ..cell.estimate },
                round_spread: Some(RoundSpread { deviation: 0.01, degrees: 20.0 }),
            };
            let all: Vec<Placing> = placings.iter().map(placing).collect();
            cell.estimate = all[0].estimate;
            cell.evidence.apart_ns = Some(all[0].apart_ns);
            cell.evidence.placings = all;
        })
    };
    let (one, other) =
        (run(&[(21.0, 0.6, 42.0), (125.0, 0.4, 75.0)]), run(&[(125.0, 0.7, 75.5), (21.0, 0.3, 42.2)]));
    let comparison = compared(&[("one", &one), ("other", &other)]);
    assert_eq!((comparison.other_placings, changes(&comparison)), (2, 0));
    let number = &comparison.cells[0].others[0];
    assert!(!number.doubtful && (number.ratio.value - 75.5 / 75.0).abs() < 1e-9, "{number:?}");
    let halved = run(&[(125.0, 0.7, 37.0), (21.0, 0.3, 42.2)]);
    assert_eq!(changes(&compared(&[("one", &one), ("other", &halved)])), 2);
    let never = compared(&[("one", &run(&[(21.0, 1.0, 42.0)])), ("other", &run(&[(125.0, 1.0, 75.0)]))]);
    assert!(never.cells.iter().all(|cell| cell.others[0].doubtful) && never.other_placings == 0);
}
