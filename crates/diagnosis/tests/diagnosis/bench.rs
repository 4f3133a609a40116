//! Rules, machines and results for tests.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, OnceLock};

use zerohop_diagnosis::{Diagnosis, Given, Rule, diagnose};
use zerohop_expectation::{Alternative, Expectations, Fact, Known, KnownErrors, Stated, expect};
use zerohop_experiment::{Effort, NullObserver, Options, run};
use zerohop_machine::Settings;
use zerohop_machine_file::{Hardware, Library, MachineFile, MachineFileError, Template};
use zerohop_model::{Solved, Solver};
use zerohop_result::{
    Completion, ExperimentName, ExperimentResult, MeasuringSettings, ResultFile, SCHEMA_VERSION,
};
use zerohop_workload::StopFlag;

/// The folder of the repository.
pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All rules, by name.
pub(crate) fn rules() -> &'static [Rule] {
    static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
        let entries = fs::read_dir(repository().join("rules")).unwrap();
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        let rule = |path: &PathBuf| {
            let name = path.file_stem().unwrap().to_str().unwrap();
            let text = fs::read_to_string(path).unwrap();
            Rule::parse(name, &path.display().to_string(), &text).unwrap_or_else(|error| panic!("{error}"))
        };
        paths.iter().map(rule).collect()
    });
    &RULES
}

/// Files that machine files extend.
struct Machines;

impl Library for Machines {
    fn read(&self, name: &str, _: &str) -> Option<String> {
        fs::read_to_string(repository().join("machines").join(format!("{name}.toml"))).ok()
    }

    fn names(&self) -> Vec<String> {
        Vec::new()
    }
}

/// A machine by its name, or by that of a template with what is stated: `xeon-skylake,cores=16`. Many tests start from the same ones: each
/// is generated once.
pub(crate) fn machine(name: &str) -> Hardware {
    static KNOWN: Mutex<BTreeMap<String, Hardware>> = Mutex::new(BTreeMap::new());
    if let Some(known) = KNOWN.lock().unwrap().get(name) {
        return known.clone();
    }
    let file = machine_file(name).unwrap_or_else(|error| panic!("{name}: {error}"));
    let hardware = file.hardware().unwrap_or_else(|error| panic!("{name}: {error}"));
    KNOWN.lock().unwrap().insert(name.to_owned(), hardware.clone());
    hardware
}

/// Whether there is a machine of that name.
pub(crate) fn is_machine(name: &str) -> bool {
    machine_file(name).is_ok_and(|file| file.hardware().is_ok())
}

fn machine_file(name: &str) -> Result<MachineFile, MachineFileError> {
    let (base, stated) = name.split_once(',').unwrap_or((name, ""));
    let template = repository().join("templates").join(format!("{base}.toml"));
    if template.exists() {
        let text = fs::read_to_string(template).unwrap();
        let settings: Settings =
            stated.split(',').filter(|word| !word.is_empty()).map(|word| word.parse().unwrap()).collect();
        let template = Arc::new(Template::parse(base, &text).unwrap_or_else(|error| panic!("{error}")));
        template.machine_file(&settings, &Settings::none())
    } else {
        let text = fs::read_to_string(repository().join("machines").join(format!("{base}.toml"))).unwrap();
        let settings: Settings =
            stated.split(',').filter(|word| !word.is_empty()).map(|word| word.parse().unwrap()).collect();
        MachineFile::parse(base, &text, &Machines).and_then(|file| file.set(&settings))
    }
}

/// A machine with faults, a word each.
pub(crate) fn faulty(name: &str, faults: &str) -> Hardware {
    faults.split_whitespace().fold(machine(name), |hardware, fault| {
        hardware.inject(&fault.parse().unwrap()).unwrap_or_else(|error| panic!("{name}, {fault}: {error}"))
    })
}

/// The experiments that most rules look at.
pub(crate) const MATRICES: [&str; 2] = ["latency-matrix", "bandwidth-matrix"];

/// A machine and what is run on it, with what that gives once it has been simulated.
struct Simulated {
    hardware: Arc<Hardware>,
    experiments: Vec<&'static str>,
    solver: Solver,
    seed: u64,
    file: OnceLock<ResultFile>,
}

/// The result of these experiments on that machine. Many tests start from the same ones: each is simulated once.
pub(crate) fn result(
    hardware: Hardware,
    experiments: &[&'static str],
    solver: Solver,
    seed: u64,
) -> ResultFile {
    static KNOWN: Mutex<Vec<Arc<Simulated>>> = Mutex::new(Vec::new());
    let simulated = {
        let mut all = KNOWN.lock().unwrap();
        let is_same = |one: &&Arc<Simulated>| {
            (one.solver, one.seed, &one.experiments[..]) == (solver, seed, experiments)
                && *one.hardware == hardware
        };
        match all.iter().find(is_same) {
            Some(known) => Arc::clone(known),
            None => {
                let (hardware, file) = (Arc::new(hardware), OnceLock::new());
                let experiments = experiments.to_vec();
                let new = Arc::new(Simulated { hardware, experiments, solver, seed, file });
                all.push(Arc::clone(&new));
                new
            }
        }
    };
    simulated.file.get_or_init(|| simulated.run()).clone()
}

impl Simulated {
    fn run(&self) -> ResultFile {
        let Self { hardware, solver, seed, .. } = self;
        // Machines with a fault in one part are like the sound one in all others.
        static SOLVED: LazyLock<Solved> = LazyLock::new(Solved::default);
        let mut engine = solver.engine(Arc::clone(hardware), *seed, &SOLVED, &StopFlag::new());
        let options = Options { seed: *seed, ..Options::new(Effort::Quick) };
        let ran = self.experiments.iter().filter_map(|name| {
            match run(&ExperimentName::known(name), &mut *engine, &options, &mut NullObserver::new()) {
                Ok(ran) => Some(ran),
                // It leaves out what it cannot solve.
                Err(_) if *solver == Solver::Flow => None,
                Err(error) => panic!("{}, {name}: {error}", hardware.machine.name),
            }
        });
        let ran = ran.collect();
        ResultFile {
            schema_version: SCHEMA_VERSION,
            produced_by: String::new(),
            started_at: None,
            finished_at: None,
            run: None,
            completion: Completion::Complete,
            origin: engine.origin(),
            engine: engine.description(),
            machine: hardware.machine.clone(),
            settings: MeasuringSettings::default(),
            experiments: ran,
            warnings: Vec::new(),
            unknown: Vec::new(),
        }
    }
}

/// What the rules say about a machine with faults, from its two matrices.
pub(crate) fn diagnosed(name: &str, faults: &str) -> Diagnosis {
    judged(name, &result(faulty(name, faults), &MATRICES, Solver::Auto, 1))
}

/// What the rules say about a result, of which nothing else is known.
pub(crate) fn judged(name: &str, file: &ResultFile) -> Diagnosis {
    diagnose(rules(), name, file, Given::default())
}

/// A machine, what its model gives, and what it gives with other numbers of links and channels.
struct Modeled {
    hardware: Hardware,
    results: Vec<ExperimentResult>,
    alternatives: Vec<Alternative>,
}

/// The same for each machine and experiments, computed once.
fn modeled(stated: &str, names: &[&'static str]) -> Arc<Modeled> {
    static KNOWN: Mutex<BTreeMap<String, Arc<Modeled>>> = Mutex::new(BTreeMap::new());
    let key = format!("{stated} {names:?}");
    if let Some(known) = KNOWN.lock().unwrap().get(&key) {
        return Arc::clone(known);
    }
    let of = |name: &str, experiments: &[&'static str]| {
        result(machine(name), experiments, Solver::Auto, 1).experiments
    };
    let of_bandwidth: Vec<&str> = names.iter().copied().filter(|name| *name != "latency-matrix").collect();
    let mut alternatives = Vec::new();
    for fact in machine_file(stated).unwrap().open_facts() {
        let known_fact = Fact::ALL.into_iter().find(|known| known.name() == fact.name).unwrap();
        let least = if known_fact == Fact::Channels { fact.most.div_ceil(2) } else { 1 };
        for value in (least..=fact.most).filter(|value| *value != fact.value) {
            let other = format!("{stated},{}={value}", fact.name);
            // Not every machine file has a choice of all numbers.
            if machine_file(&other).is_err() {
                continue;
            }
            let is_named = stated.contains(&format!("{}=", fact.name));
            alternatives.push(Alternative {
                fact: known_fact,
                known: if is_named { Stated::Known } else { Stated::Assumed },
                nominal: fact.value,
                value,
                most: fact.most,
                noun: fact.noun.clone(),
                results: of(&other, &of_bandwidth),
            });
        }
    }
    let modeled = Arc::new(Modeled { hardware: machine(stated), results: of(stated, names), alternatives });
    KNOWN.lock().unwrap().insert(key, Arc::clone(&modeled));
    modeled
}

/// What the values of a result should be on that machine, by models of it with its own and with other numbers of links and channels.
pub(crate) fn expectations(stated: &str, file: &ResultFile, is_stated: bool) -> Expectations {
    static KNOWN_ERRORS: LazyLock<KnownErrors> = LazyLock::new(|| {
        KnownErrors::read(&fs::read_to_string(repository().join("validation/errors.toml")).unwrap()).unwrap()
    });
    let names: Vec<&'static str> = (MATRICES.into_iter().chain(["injection"]))
        .filter(|name| file.experiments.iter().any(|experiment| experiment.experiment.as_str() == *name))
        .collect();
    let modeled = modeled(stated, &names);
    let known = Known {
        hardware: &modeled.hardware,
        results: &modeled.results,
        stated: is_stated,
        doubts: Vec::new(),
        alternatives: modeled.alternatives.clone(),
    };
    expect(file, Ok(&known), &KNOWN_ERRORS)
}

/// What the rules say about a machine with faults that is held against another one, which the user states.
pub(crate) fn held_against(stated: &str, name: &str, faults: &str) -> Diagnosis {
    let file = result(faulty(name, faults), &MATRICES, Solver::Auto, 1);
    judged_beside(stated, &file, true)
}

/// What the rules say about a result that is held against a machine, which the user states or which the result shows.
pub(crate) fn judged_beside(stated: &str, file: &ResultFile, is_stated: bool) -> Diagnosis {
    let expectations = expectations(stated, file, is_stated);
    let machine = machine(stated).machine;
    let given = Given {
        expectations: Some(&expectations),
        machine: is_stated.then_some(&machine),
        ..Given::default()
    };
    diagnose(rules(), stated, file, given)
}

/// The rules whose findings are faults or warnings, the worst first.
pub(crate) fn alarms(diagnosis: &Diagnosis) -> Vec<&str> {
    diagnosis.alarms().map(|finding| finding.rule.as_str()).collect()
}
