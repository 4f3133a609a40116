//! Rules, machines and results for tests.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use zerohop_diagnosis::{Diagnosis, Rule, diagnose};
use zerohop_experiment::{Effort, Options, Unobserved, run};
use zerohop_machine::{Hardware, Library, MachineFile, Settings, Template};
use zerohop_model::Solver;
use zerohop_result::{Completion, ExperimentName, MeasuringSettings, ResultFile, SCHEMA_VERSION};
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

/// A machine by its name, or by that of a template with what is stated: `xeon-skylake,cores=16`.
pub(crate) fn machine(name: &str) -> Hardware {
    let (base, stated) = name.split_once(',').unwrap_or((name, ""));
    let template = repository().join("templates").join(format!("{base}.toml"));
    let file = if template.exists() {
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
    };
    file.and_then(|file| file.hardware()).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// A machine with faults, a word each.
pub(crate) fn faulty(name: &str, faults: &str) -> Hardware {
    faults.split_whitespace().fold(machine(name), |hardware, fault| {
        hardware.inject(&fault.parse().unwrap()).unwrap_or_else(|error| panic!("{name}, {fault}: {error}"))
    })
}

/// The experiments that most rules look at.
pub(crate) const MATRICES: [&str; 2] = ["latency-matrix", "bandwidth-matrix"];

/// The result of these experiments on that machine.
pub(crate) fn result(
    hardware: Hardware,
    experiments: &[&'static str],
    solver: Solver,
    seed: u64,
) -> ResultFile {
    let hardware = Arc::new(hardware);
    let mut engine = solver.engine(Arc::clone(&hardware), seed, &StopFlag::new());
    let options = Options { seed, ..Options::new(Effort::Quick) };
    let ran = experiments.iter().map(|name| {
        run(&ExperimentName::known(name), &mut *engine, &options, &mut Unobserved::new())
            .unwrap_or_else(|error| panic!("{}, {name}: {error}", hardware.machine.name))
    });
    let ran = ran.collect();
    ResultFile {
        schema_version: SCHEMA_VERSION,
        produced_by: String::new(),
        started_at: None,
        finished_at: None,
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

/// What the rules say about a machine with faults, from its two matrices.
pub(crate) fn diagnosed(name: &str, faults: &str) -> Diagnosis {
    diagnose(rules(), name, &result(faulty(name, faults), &MATRICES, Solver::Auto, 1))
}

/// The rules whose findings are faults or warnings, the worst first.
pub(crate) fn alarms(diagnosis: &Diagnosis) -> Vec<&str> {
    diagnosis.alarms().map(|finding| finding.rule.as_str()).collect()
}
