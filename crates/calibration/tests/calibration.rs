//! Machines whose parameters are known, found back from what their models show.

use std::path::Path;
use std::sync::Arc;

use zerohop_calibration::{CalibrateError, Calibration, HeldOut, calibrate, predict_held_out};
use zerohop_document::Grade;
use zerohop_experiment::{NullObserver, Options, Sequential, run};
use zerohop_machine::Settings;
use zerohop_machine_file::{MachineFile, Template};
use zerohop_model::{Solved, Solver};
use zerohop_result::{
    Axis, Cell, Cells, Completion, ExperimentName, ExperimentResult, MeasuringSettings, ResultFile,
    SCHEMA_VERSION,
};
use zerohop_study::{Fitted, Role, Stage, Unfitted, Why};
use zerohop_workload::{EngineDescription, StopFlag};

/// Two sockets of six cores.
fn template(words: &[&str]) -> MachineFile {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../templates/xeon-cascade-lake.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    let template = Arc::new(Template::parse("xeon-cascade-lake.toml", &text).unwrap());
    let settings = ["cores=6", "channels=3"].iter().chain(words).map(|word| word.parse().unwrap());
    let named: Settings = settings.collect();
    template.machine_file(&named, &Settings::none()).unwrap()
}

/// What a machine shows in these experiments, each value off by up to `noise` as a share.
fn survey(file: &MachineFile, experiments: &[&'static str], noise: f64) -> ResultFile {
    another_survey(file, experiments, noise, 7)
}

/// The same, with noise from a seed.
fn another_survey(file: &MachineFile, experiments: &[&'static str], noise: f64, seed: u64) -> ResultFile {
    let hardware = Arc::new(file.hardware().unwrap());
    // Seeds that follow each other begin far apart.
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut off = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        1.0 + noise * ((state >> 33) as f64 / f64::from(1_u32 << 30) - 1.0)
    };
    let mut engine = Solver::Flow.engine(hardware, 1, &Solved::default(), &StopFlag::new());
    let experiments = experiments.iter().map(|name| {
        let name = ExperimentName::known(name);
        let result = run(&name, &mut *engine, &Options::default(), &mut NullObserver::new()).unwrap();
        let disturbed = |cell: &Cell| {
            let factor = off();
            let mut cell = cell.clone();
            cell.estimate.median *= factor;
            (cell.estimate.low, cell.estimate.high) =
                (cell.estimate.median * (1.0 - noise), cell.estimate.median * (1.0 + noise));
            cell
        };
        let cells = Cells::new(result.cells.iter().map(disturbed).collect()).unwrap();
        ExperimentResult { cells, ..result }
    });
    let experiments = experiments.collect();
    let origin = engine.origin();
    ResultFile {
        schema_version: SCHEMA_VERSION,
        produced_by: "a test".to_owned(),
        started_at: None,
        finished_at: None,
        run: None,
        completion: Completion::Complete,
        engine: EngineDescription::new(&origin, "none", Vec::new()),
        origin,
        machine: engine.machine().clone(),
        settings: MeasuringSettings::default(),
        experiments,
        warnings: Vec::new(),
        unknown: Vec::new(),
    }
}

fn calibrated(file: &MachineFile, result: &ResultFile) -> Calibration {
    calibrate(file, result, Solver::Flow, &Sequential, &StopFlag::new()).unwrap()
}

fn factor(calibration: &Calibration, stage: Stage) -> f64 {
    let fitted: Vec<&Fitted> = calibration.report.fitted.iter().filter(|one| one.stage == stage).collect();
    let [only] = fitted[..] else { panic!("{fitted:?}") };
    only.factor
}

const ALL: [&str; 3] = ["latency-matrix", "bandwidth-matrix", "mixes"];

/// Draws of the noise.
const DRAWS: u64 = 20;

/// Asserts that the factors of a stage are off by at most twice their error in nine of ten draws. Some may be too weak to be fitted.
#[track_caller]
fn are_within_their_errors(calibrations: &[Calibration], stage: Stage, expected: f64) {
    let fitted: Vec<(f64, f64)> = calibrations
        .iter()
        .flat_map(|calibration| &calibration.report.fitted)
        .filter(|one| one.stage == stage)
        .map(|one| (one.factor, one.error))
        .collect();
    let is_within = |(factor, error): &&(f64, f64)| libm::log(factor / expected).abs() <= 2.0 * error;
    let within = fitted.iter().filter(is_within).count();
    assert!(within * 10 >= fitted.len() * 9, "{stage:?}: {fitted:?} instead of {expected}");
    // An error that is always right says nothing if it is far too large.
    let mut sizes: Vec<f64> = fitted.iter().map(|(_, error)| *error).collect();
    sizes.sort_by(f64::total_cmp);
    assert!(sizes.last().is_none_or(|largest| *largest < 0.26), "{stage:?}: {fitted:?}");
}

/// The error of each factor took all others for right: turning around was "found" at 0.857 ±2.8 % where it was 1.
#[test]
fn errors_of_factors_include_those_of_the_others() {
    let file = template(&["links=1"]);
    let calibrations: Vec<Calibration> =
        (1..=DRAWS).map(|seed| calibrated(&file, &another_survey(&file, &ALL, 0.02, seed))).collect();
    for stage in [Stage::LocalLatency, Stage::LocalBandwidth, Stage::RemoteBandwidth, Stage::Mixes] {
        are_within_their_errors(&calibrations, stage, 1.0);
    }
}

#[test]
fn parameters_that_differ_are_found_back_within_five_percent() {
    let file = template(&["links=1"]);
    let truth = [
        (Stage::LocalLatency, 1.30, &["core.core.to_router=20.28 ns", "core.core.from_router=13.52 ns"][..]),
        (Stage::RemoteLatency, 1.0, &[]),
        (Stage::LocalBandwidth, 0.90, &["channel.dimm.efficiency=83.7 %"]),
        (
            Stage::RemoteBandwidth,
            1.25,
            &["wire.socket.packets.data=97.5 B", "wire.socket.packets.write=107.5 B"],
        ),
    ];
    let settings = truth.iter().flat_map(|(.., words)| *words).map(|word| word.parse().unwrap());
    let machine = file.set(&settings.collect()).unwrap();
    // The noise of one value of 131 ns may be 6 % of the 44 ns that are fitted to it.
    let calibrations: Vec<Calibration> =
        (1..=DRAWS).map(|seed| calibrated(&file, &another_survey(&machine, &ALL, 0.01, seed))).collect();
    for (stage, expected, _) in truth {
        let mut found: Vec<f64> = calibrations.iter().map(|calibration| factor(calibration, stage)).collect();
        found.sort_by(f64::total_cmp);
        let middle = found[found.len() / 2];
        assert!((middle / expected - 1.0).abs() < 0.03, "{stage:?}: {found:?} instead of {expected}");
        let within = found.iter().filter(|found| (*found / expected - 1.0).abs() < 0.05).count();
        assert!(within * 10 >= found.len() * 9, "{stage:?}: {found:?} instead of {expected}");
    }
    let all = truth.map(|(stage, expected, _)| (stage, expected)).into_iter().chain([(Stage::Mixes, 1.0)]);
    for (stage, expected) in all {
        are_within_their_errors(&calibrations, stage, expected);
    }
    for check in calibrations.iter().flat_map(|calibration| &calibration.report.checks) {
        assert!(check.median < 0.03 && check.worst < 0.10, "{check:?}");
    }
    let calibration = &calibrations[0];
    // The fitted machine is a machine file of its own, with the values that the report names.
    let text = calibration.machine.to_toml();
    assert!(calibration.report.fitted.iter().all(|one| text.contains(&one.after[0])), "{text}");
    let read = MachineFile::parse("fitted.toml", &text, &()).unwrap().hardware().unwrap();
    let path = &calibration.report.fitted[0].paths[0];
    let parameter = read.parameters.iter().find(|parameter| parameter.path == *path).unwrap();
    assert_eq!(
        (&parameter.value, parameter.grade),
        (&calibration.report.fitted[0].after[0], Grade::Measured)
    );
}

/// Six cores hardly fill three links: what a line occupies on them was "found" to be anything from 1.0 to 1.4 of what it was.
#[test]
fn links_that_are_hardly_full_are_not_fitted_or_only_roughly() {
    let file = template(&[]);
    let mut weak = 0;
    for seed in 1..=6 {
        let report = calibrated(&file, &another_survey(&file, &ALL, 0.01, seed)).report;
        let of_links = |one: &&Fitted| one.stage == Stage::RemoteBandwidth;
        match report.fitted.iter().find(of_links) {
            Some(found) => assert!((found.factor - 1.0).abs() < 2.0 * found.error, "{found:?}"),
            None => {
                let is_weak =
                    |one: &Unfitted| one.stage == Stage::RemoteBandwidth && one.why == Why::WeakEffect;
                assert!(report.unfitted.iter().any(is_weak), "{:?}", report.unfitted);
                weak += 1;
            }
        }
    }
    assert!(weak > 0);
}

#[test]
fn a_machine_that_is_as_its_file_says_stays_so() {
    let file = template(&[]);
    let calibration = calibrated(&file, &survey(&file, &ALL, 0.0));
    for fitted in &calibration.report.fitted {
        assert!((fitted.factor - 1.0).abs() < 0.01, "{fitted:?}");
        assert!(!fitted.at_bound);
    }
    let roles = |role| calibration.report.values.iter().filter(|value| value.role == role).count();
    assert!(roles(Role::HeldOut) >= 6 && roles(Role::Used) >= roles(Role::HeldOut));
}

/// Predictions of published runs are made by the first half of a calibration alone.
#[test]
fn values_that_were_held_out_are_predicted_as_a_calibration_reports() {
    let file = template(&[]);
    let result = survey(&file, &ALL, 0.02);
    let reported = calibrated(&file, &result).report.values.into_iter();
    let reported: Vec<HeldOut> = reported
        .filter(|value| value.role == Role::HeldOut)
        .map(|value| HeldOut {
            experiment: value.experiment,
            at: value.at,
            measure: value.measure,
            measured: value.measured,
            predicted: value.half,
        })
        .collect();
    assert!(reported.len() >= 6, "{reported:?}");
    let predicted = predict_held_out(&file, &result, Solver::Flow, &Sequential, &StopFlag::new()).unwrap();
    assert_eq!(predicted, reported);
}

#[test]
fn what_the_result_does_not_show_is_not_fitted() {
    let file = template(&[]);
    let calibration = calibrated(&file, &survey(&file, &["latency-matrix"], 0.0));
    let unfitted: Vec<(Stage, Why)> =
        calibration.report.unfitted.iter().map(|one| (one.stage, one.why)).collect();
    assert!(unfitted.contains(&(Stage::LocalBandwidth, Why::NoValues)), "{unfitted:?}");
    assert!(unfitted.contains(&(Stage::Mixes, Why::NoValues)), "{unfitted:?}");
    let stages: Vec<Stage> = calibration.report.fitted.iter().map(|one| one.stage).collect();
    assert_eq!(stages, [Stage::LocalLatency, Stage::RemoteLatency]);
}

#[test]
fn a_factor_at_the_end_of_its_range_is_said_to_be_there() {
    let file = template(&[]);
    let mut result = survey(&file, &["bandwidth-matrix"], 0.0);
    let more = |cells: &mut Vec<Cell>| {
        for cell in cells {
            for value in [&mut cell.estimate.median, &mut cell.estimate.low, &mut cell.estimate.high] {
                *value *= 3.0;
            }
        }
    };
    result.experiments[0].cells.change(more).unwrap();
    let calibration = calibrated(&file, &result);
    let channel = calibration.report.fitted.iter().find(|one| one.stage == Stage::LocalBandwidth).unwrap();
    assert!(channel.at_bound, "{channel:?}");
}

#[test]
fn a_result_without_matrices_has_nothing_to_fit_to() {
    let file = template(&[]);
    let result = survey(&file, &["stream"], 0.0);
    let error = calibrate(&file, &result, Solver::Flow, &Sequential, &StopFlag::new()).unwrap_err();
    assert!(matches!(error, CalibrateError::NothingToFit { .. }), "{error}");
    assert!(error.hint().is_some());
}

#[test]
fn a_raised_flag_ends_it() {
    let file = template(&[]);
    let result = survey(&file, &["latency-matrix"], 0.0);
    let stop = StopFlag::new();
    stop.raise();
    let error = calibrate(&file, &result, Solver::Flow, &Sequential, &stop).unwrap_err();
    assert!(matches!(error, CalibrateError::Interrupted), "{error}");
}

/// Efficiencies of 93 % and half of that were "found" to be 65 % ±0.4 %.
#[test]
fn values_that_disagree_make_a_factor_uncertain() {
    let file = template(&["links=1"]);
    let mut result = survey(&file, &["bandwidth-matrix"], 0.0);
    let halve = |cells: &mut Vec<Cell>| {
        let last = cells.last_mut().unwrap();
        for value in [&mut last.estimate.median, &mut last.estimate.low, &mut last.estimate.high] {
            *value /= 2.0;
        }
    };
    result.experiments[0].cells.change(halve).unwrap();
    let calibration = calibrated(&file, &result);
    let channel = calibration.report.fitted.iter().find(|one| one.stage == Stage::LocalBandwidth).unwrap();
    assert!(channel.error > std::f64::consts::LN_2 / 2.0, "{channel:?}");
}

/// Multiplies values of an experiment between nodes, as a run that was disturbed might.
fn disturb(result: &mut ResultFile, experiment: &'static str, pairs: &[(u64, u64)], factor: f64) {
    let name = ExperimentName::known(experiment);
    let one = result.experiments.iter_mut().find(|one| one.experiment == name).unwrap();
    let change = |cells: &mut Vec<Cell>| {
        for cell in cells {
            let nodes = cell.at.number(Axis::Initiator).zip(cell.at.number(Axis::Target));
            if nodes.is_some_and(|nodes| pairs.contains(&nodes)) {
                for value in [&mut cell.estimate.median, &mut cell.estimate.low, &mut cell.estimate.high] {
                    *value *= factor;
                }
            }
        }
    };
    one.cells.change(change).unwrap();
}

/// One cell that was 30 % off turned the factor of its stage by as much as its share of the values, and what depends on that.
#[test]
fn one_or_two_disturbed_values_turn_no_factor() {
    let file = template(&["sockets=4", "links=3"]);
    let settings = ["core.core.to_router=18.2 ns", "channel.dimm.efficiency=83.7 %"];
    let machine = file.set(&settings.iter().map(|word| word.parse().unwrap()).collect()).unwrap();
    let clean = survey(&machine, &ALL, 0.005);
    let expected = calibrated(&file, &clean);
    assert_eq!(expected.report.outliers, []);
    for (experiment, pairs, factor) in [
        ("latency-matrix", &[(0, 3)][..], 1.3),
        ("latency-matrix", &[(1, 1)], 0.7),
        ("latency-matrix", &[(2, 2), (3, 1)], 1.3),
        ("bandwidth-matrix", &[(2, 2)], 0.7),
        ("bandwidth-matrix", &[(0, 2), (3, 1)], 0.7),
        ("bandwidth-matrix", &[(0, 0), (2, 3)], 1.3),
    ] {
        let mut result = clean.clone();
        disturb(&mut result, experiment, pairs, factor);
        let report = calibrated(&file, &result).report;
        let disturbed = format!("{experiment} {pairs:?}");
        for one in &expected.report.fitted {
            let found = report.fitted.iter().find(|other| other.paths == one.paths);
            let found = found.unwrap_or_else(|| panic!("{disturbed}: {:?} is not fitted", one.paths));
            let off = (found.factor / one.factor - 1.0).abs();
            assert!(off < 0.05, "{disturbed}: {found:?} instead of {}", one.factor);
        }
        let outliers: Vec<(u64, u64)> = report
            .outliers
            .iter()
            .filter(|one| {
                one.experiment.as_str() == experiment && (one.excess() / (factor - 1.0) - 1.0).abs() < 0.2
            })
            .filter_map(|one| one.at.number(Axis::Initiator).zip(one.at.number(Axis::Target)))
            .collect();
        assert_eq!((outliers.as_slice(), report.outliers.len()), (pairs, pairs.len()), "{disturbed}");
    }
}
