//! Advice from a survey of a model agrees with advice on the model itself, of sound machines and of faulty ones.

use std::sync::Arc;

use zerohop_advise::placement::{
    DataUse, Evaluator, PlacementAdvice, Program, Source, SurveyEvaluator, advise, search,
};
use zerohop_experiment::{Effort, NullObserver, Options, catalogue};
use zerohop_machine_file::{Hardware, symmetries};
use zerohop_model::AutoEngine;
use zerohop_result::ResultFile;
use zerohop_workload::Origin;

use crate::grounds::{ground, machine, program};
use crate::surveys::survey as result_of;

fn faulty(name: &str, fault: &str) -> Arc<Hardware> {
    let sound = machine(name);
    if fault.is_empty() {
        return sound;
    }
    let hardware = Hardware::clone(&sound).inject(&fault.parse().unwrap());
    Arc::new(hardware.unwrap_or_else(|error| panic!("{name}, {fault}: {error}")))
}

/// A quick survey, as the program makes it.
fn surveyed(hardware: &Arc<Hardware>) -> ResultFile {
    let mut engine = AutoEngine::new(Arc::clone(hardware), 1);
    let experiments =
        zerohop_experiment::survey(&mut engine, &Options::new(Effort::Quick), &mut NullObserver::new());
    ResultFile { experiments: experiments.unwrap(), ..result_of(hardware, &[]) }
}

fn advice(survey: &ResultFile, program: &Program) -> PlacementAdvice {
    let mut ground = SurveyEvaluator::new("survey", &[survey], catalogue(), program).unwrap();
    let source = Source { origin: Origin::HOST, result: None };
    advise(program, source, &mut ground, None, &[]).unwrap()
}

/// The most by which advice should be off.
const WITHIN: f64 = 0.10;

/// Advice from a survey, and what its model says of it.
struct Judged {
    words: String,
    /// What the advice says that its placement gets, over what it gets.
    said: f64,
    /// What its placement gets, over the best that there is.
    gets: f64,
}

fn judged(what: &str, hardware: &Arc<Hardware>, programs: &[Program]) -> Vec<Judged> {
    let survey = surveyed(hardware);
    let mut model = ground(hardware);
    let of = |program: &Program| {
        let advice = advice(&survey, program);
        let best = advice.best();
        let said = best.figure.value;
        let gets = model.outcome(program, &best.placement).unwrap().figure.value;
        let found = search(program, &mut model, &symmetries(hardware)).unwrap().ranked.swap_remove(0);
        let most = found.1.figure.value;
        let words = format!(
            "{what}, {} threads, {} data: {} said to get {said:.1} GB/s and gets {gets:.1}; the best is {:?} with {most:.1}",
            program.threads,
            program.data.name(),
            best.words,
            found.0,
        );
        Judged { words, said: said / gets, gets: gets / most }
    };
    programs.iter().map(of).collect()
}

/// Programs of one thread per core, of half as many, and of a quarter.
fn programs(hardware: &Hardware) -> Vec<Program> {
    let cores = hardware.machine.cores.len();
    let threads = [cores, cores / 2, cores / 4].into_iter().filter(|threads| *threads > 0);
    threads
        .flat_map(|threads| [DataUse::Shared, DataUse::Private].map(|data| program(threads, data)))
        .collect()
}

/// With 48 threads, weighted interleaving was said to get 163.9 GB/s, where the model gives plain interleaving 247.
#[test]
fn a_survey_of_four_sockets_advises_what_their_model_advises() {
    let hardware = machine("cascade-lake-4s");
    let programs = [program(48, DataUse::Shared), program(48, DataUse::Private)];
    for one in judged("cascade-lake-4s", &hardware, &programs) {
        assert!((one.said - 1.0).abs() <= WITHIN && one.gets >= 1.0 - WITHIN, "{}", one.words);
    }
}

/// All data on one node was the best placement on a machine that collapses exactly there, and interleaving the worst: the collapse's remedy.
#[test]
#[ignore = "long: surveys a machine of four sockets twice, and searches placements of 96 threads on it"]
fn where_bandwidth_collapses_spreading_data_is_better_than_one_node() {
    for fault in ["", "channels:node1=1"] {
        let hardware = faulty("cascade-lake-4s", fault);
        let program = program(96, DataUse::Shared);
        let advice = advice(&surveyed(&hardware), &program);
        let value = |name: &str| {
            let named = advice.alternatives.iter().find(|one| one.names.iter().any(|own| own == name));
            named.unwrap_or_else(|| panic!("{fault}: no {name}")).figure.value
        };
        assert!(
            value("interleaved over all nodes") > 1.5 * value("default"),
            "{fault}: {:?}",
            advice.alternatives
        );
        assert!(value("best") >= value("interleaved over all nodes"), "{fault}: {:?}", advice.alternatives);
        let mut model = ground(&hardware);
        let gets = model.outcome(&program, &advice.best().placement).unwrap().figure.value;
        assert!(gets > 100.0, "{fault}: {} gets {gets} GB/s", advice.best().words);
    }
}

/// docs/placement.md has these numbers.
#[test]
#[ignore = "long: surveys built-in machines of several nodes, with and without faults, and searches placements on them"]
fn advice_from_a_survey_of_any_machine_is_nearly_that_of_its_model() {
    let machines = [
        ("quartet", &["", "slow-dimm:node1=200"][..]),
        ("opteron-6274-4s", &["", "channels:node1=1"]),
        ("sr665-v3", &["", "channels:node1=6", "link:0-1=down"]),
        ("cascade-lake-4s", &["", "channels:node1=3"]),
    ];
    let mut all = Vec::new();
    for (name, faults) in machines {
        for fault in faults {
            let hardware = faulty(name, fault);
            all.extend(judged(&format!("{name} {fault}"), &hardware, &programs(&hardware)));
        }
    }
    all.sort_by(|one, other| one.gets.total_cmp(&other.gets));
    let words: Vec<String> =
        all.iter().map(|one| format!("{:.3} {:.3} {}", one.gets, one.said, one.words)).collect();
    let words = words.join("\n");
    let count = |is: &dyn Fn(&Judged) -> bool| all.iter().filter(|one| is(one)).count();
    let (good, right) =
        (count(&|one| one.gets >= 1.0 - WITHIN), count(&|one| (one.said - 1.0).abs() <= WITHIN));
    assert!(all.len() == 54 && good >= 46 && right >= 29, "{good} {right}\n{words}");
    assert!(all[0].gets > 0.65, "{words}");
}
