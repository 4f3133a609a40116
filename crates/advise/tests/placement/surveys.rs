//! A survey of a model leads to the same advice as the model itself.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use zerohop_advise::placement::{
    AdviceError, DataUse, Evaluator, Program, Sensitivity, SurveyEvaluator, search,
};
use zerohop_experiment::{Effort, NullObserver, Options, catalogue, run};
use zerohop_machine::NodeId;
use zerohop_machine_file::{Hardware, symmetries};
use zerohop_model::AutoEngine;
use zerohop_result::{
    Completion, ExperimentName, ExperimentResult, MeasuringSettings, ResultFile, SCHEMA_VERSION,
};
use zerohop_units::Bytes;
use zerohop_workload::{Engine, Kernel, Warning};

use crate::grounds::{advice, ground, machine, program};

/// Experiments on the model of a machine that comes with the program; the ramp is one of the first node's own cores.
pub(crate) fn survey(hardware: &Arc<Hardware>, names: &[&'static str]) -> ResultFile {
    let engine = AutoEngine::new(Arc::clone(hardware), 1);
    let experiments = names.iter().map(|name| ran(hardware, name)).collect();
    ResultFile {
        schema_version: SCHEMA_VERSION,
        produced_by: "zerohop".to_owned(),
        started_at: None,
        finished_at: None,
        run: None,
        completion: Completion::Complete,
        origin: engine.origin(),
        engine: engine.description(),
        machine: hardware.machine.clone(),
        settings: MeasuringSettings::default(),
        experiments,
        warnings: Vec::new(),
        unknown: Vec::new(),
    }
}

/// An experiment, run once for all surveys that have it.
fn ran(hardware: &Arc<Hardware>, name: &'static str) -> ExperimentResult {
    static KNOWN: Mutex<BTreeMap<String, ExperimentResult>> = Mutex::new(BTreeMap::new());
    let key = format!("{} {name}", hardware.machine.name);
    // Held while it runs: others that want it need not run it, too.
    let mut known = KNOWN.lock().unwrap();
    let run_it = || {
        let mut options = Options::new(Effort::Quick);
        if name == "ramp" {
            let own = Some(vec![NodeId(0)]);
            options =
                Options { initiators: own.clone(), targets: own, kernel: Some(Kernel::Read), ..options };
        }
        let mut engine = AutoEngine::new(Arc::clone(hardware), 1);
        run(&ExperimentName::known(name), &mut engine, &options, &mut NullObserver::new()).unwrap()
    };
    known.entry(key).or_insert_with(run_it).clone()
}

const ALL: [&str; 5] = ["latency-matrix", "bandwidth-matrix", "mixes", "injection", "ramp"];

/// The best placement by the survey achieves nearly as much on the model as the best by the model.
fn must_agree(name: &str, experiments: &[&'static str], programs: &[Program], least: f64) {
    let hardware = machine(name);
    let survey = survey(&hardware, experiments);
    for program in programs {
        let mut by_survey = SurveyEvaluator::new("survey", &[&survey], catalogue(), program).unwrap();
        let advised = search(program, &mut by_survey, &[]).unwrap().ranked.swap_remove(0).0;
        let mut model = ground(&hardware);
        let best = search(program, &mut model, &symmetries(&hardware)).unwrap().ranked.swap_remove(0);
        let achieved = model.outcome(program, &advised).unwrap().figure.value;
        let share = program.sensitivity.times(achieved, best.1.figure.value);
        assert!(share >= least, "{name} {program:?}: {advised:?} achieves {share} of {best:?}");
    }
}

fn programs(threads: &[usize]) -> Vec<Program> {
    let mut all = Vec::new();
    for &threads in threads {
        all.push(program(threads, DataUse::Private));
        all.push(Program { kernel: Kernel::Mix2To1, ..program(threads, DataUse::Private) });
        all.push(Program { sensitivity: Sensitivity::Latency, ..program(threads, DataUse::Shared) });
    }
    all
}

#[test]
#[ignore = "long: searches twelve placements on the survey and on the model"]
fn a_survey_of_the_square_agrees_with_its_model() {
    must_agree("quartet", &ALL, &programs(&[2, 4, 6, 8]), 0.94);
}

#[test]
fn a_survey_of_two_sockets_agrees_with_its_model() {
    let latency = Program { sensitivity: Sensitivity::Latency, ..program(16, DataUse::Shared) };
    let programs = [program(16, DataUse::Private), latency];
    must_agree("sr665-v3", &["latency-matrix", "bandwidth-matrix"], &programs, 0.97);
}

#[test]
fn shared_data_is_placed_nearly_as_well_by_a_survey() {
    // Four memories of the square were taken for as fast as three, although `injection` had measured that they are not.
    must_agree("quartet", &ALL, &[program(8, DataUse::Shared)], 0.95);
    must_agree(
        "cascade-lake-4s",
        &["latency-matrix", "bandwidth-matrix"],
        &[program(96, DataUse::Shared)],
        0.8,
    );
}

#[test]
fn a_survey_says_what_it_cannot_show() {
    let hardware = machine("quartet");
    let bare = survey(&hardware, &["bandwidth-matrix"]);
    let program = Program { kernel: Kernel::Mix2To1, ..program(2, DataUse::Private) };
    let ground = SurveyEvaluator::new("bare", &[&bare], catalogue(), &program).unwrap();
    assert!(!ground.knows_threads());
    let unknown = ground.unknown(&program).join("; ");
    assert!(
        unknown.contains("no ramp was measured") && unknown.contains("2:1 reads:writes was not measured"),
        "{unknown}"
    );
    // Threads far from their data were as fast as others, and nothing said why.
    assert!(unknown.contains("no latencies were measured"), "{unknown}");
    let both = survey(&hardware, &["bandwidth-matrix", "latency-matrix"]);
    let ground = SurveyEvaluator::new("both", &[&both], catalogue(), &program).unwrap();
    assert!(!ground.unknown(&program).join("; ").contains("no latencies"));
}

#[test]
fn a_result_without_a_matrix_is_refused_with_what_to_measure() {
    let hardware = machine("quartet");
    let mixes = survey(&hardware, &["mixes"]);
    let error = SurveyEvaluator::new("mixes.json", &[&mixes], catalogue(), &program(2, DataUse::Private))
        .unwrap_err();
    assert!(matches!(error, AdviceError::NotMeasured { .. }));
    assert_eq!(error.to_string(), "mixes.json has no matrix of bandwidth from every node to every node");
    assert!(error.hint().unwrap().contains("zerohop survey"), "{error:?}");
}

/// Advice by a survey that says of itself that it is not usable looked like any other.
#[test]
fn doubtful_values_make_doubtful_advice() {
    let hardware = machine("quartet");
    let mut result = survey(&hardware, &["bandwidth-matrix"]);
    let program = program(2, DataUse::Private);
    let doubts = |result: &ResultFile| {
        let ground = SurveyEvaluator::new("today", &[result], catalogue(), &program).unwrap();
        ground.unknown(&program).into_iter().filter(|one| one.contains("are in doubt")).collect::<Vec<_>>()
    };
    assert_eq!(doubts(&result), [""; 0]);
    let (buffer, cache) = (Bytes::mib(8), Bytes::mib(32));
    let near = Warning::BufferNearCache { buffer, cache };
    result.experiments[0].cells.change(|cells| cells[3].warnings.push(near)).unwrap();
    let found = doubts(&result);
    assert_eq!(found.len(), 1);
    assert!(
        found[0].starts_with("1 of 16 values of bandwidth") && found[0].contains("32 MiB cache"),
        "{found:?}"
    );
}

#[test]
fn data_that_caches_hold_is_named() {
    let notes = |bytes| {
        let advice = advice("cascade-lake-4s", &Program { bytes, ..program(4, DataUse::Shared) });
        advice.unknown.into_iter().filter(|one| one.contains("fit into the caches")).count()
    };
    assert_eq!((notes(Bytes::kib(64)), notes(Bytes::gib(4))), (1, 0));
}
