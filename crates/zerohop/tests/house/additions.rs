//! Holds CONTRIBUTING's table of what to change for an addition to its numbers.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use zerohop_experiment::catalogue;
use zerohop_importers::{Format, KINDS};

use super::{crates, sources};

/// Files whose own words are the same as an experiment's name: a scenario, a column head, and a label of published figures.
const SAME_WORDS: [(&str, &str); 3] = [
    ("crossfire", "experiment/src/choices/scenario.rs"),
    ("hops", "report/src/terminal/hardware.rs"),
    ("mixes", "expectation/src/kind.rs"),
];

/// Where imported values get the names of the experiments that measure the same: a new experiment changes nothing there.
const MEANINGS: &str = "importers/src/";

/// Files that choose experiments: those that stand for a kind of programs, that a diagnosis looks at, that a model is fitted to. A new
/// experiment changes nothing there.
const CHOOSERS: [&str; 3] =
    ["advise/src/settings/probe.rs", "diagnosis/src/experiments.rs", "study/src/calibration.rs"];

/// Files whose hints show commands as examples: an addition changes none of them.
const EXAMPLES: [&str; 1] = ["zerohop/src/misunderstood.rs"];

/// Files below `crates/*/src` whose code, without comments and tests, has this text.
fn files_with(text: &str) -> BTreeSet<String> {
    // Read once: the tests ask for hundreds of texts.
    static CODE: LazyLock<Vec<(String, String)>> = LazyLock::new(|| {
        let named = |path: &Path| path.strip_prefix(crates()).unwrap().display().to_string();
        let is_source =
            |name: &str| name.contains("/src/") && !name.contains("/tests/") && !name.ends_with("/tests.rs");
        let counts = |name: &str| is_source(name) && !EXAMPLES.contains(&name);
        let files = sources(&crates()).into_iter().map(|path| (named(&path), path));
        files.filter(|(name, _)| counts(name)).map(|(name, path)| (name, code(&path))).collect()
    });
    CODE.iter().filter(|(_, code)| code.contains(text)).map(|(name, _)| name.clone()).collect()
}

/// What a file has before its unit tests, without comments.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let code = text.rsplit_once("#[cfg(test)]").map_or(text.as_str(), |(code, _)| code).to_owned();
    code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

#[test]
fn an_experiment_is_its_plan_and_its_place_in_the_list() {
    for known in catalogue().all() {
        let module = known.name.replace('-', "_");
        let plan = format!("experiment/src/plans/{module}.rs");
        let mut files = files_with(&format!("\"{}\"", known.name));
        files.retain(|file| {
            !SAME_WORDS.contains(&(known.name, file.as_str()))
                && !file.starts_with(MEANINGS)
                && !CHOOSERS.contains(&file.as_str())
        });
        assert_eq!(files, BTreeSet::from([plan]), "{} is named elsewhere", known.name);
        let listed = files_with(&format!("{module}::EXPERIMENT,"));
        assert_eq!(listed, BTreeSet::from(["experiment/src/plans.rs".to_owned()]), "{}", known.name);
    }
}

#[test]
fn an_importer_is_its_file_and_its_place_in_the_list() {
    for format in Format::all() {
        // The file is named after the tool, perhaps in a shorter form.
        let mut files = files_with(&format!("name: \"{}\"", format.name()));
        files.retain(|file| file.starts_with(MEANINGS));
        let [file] = files.iter().collect::<Vec<_>>()[..] else { panic!("{format}: {files:?}") };
        let module = file.strip_prefix("importers/src/formats/").and_then(|file| file.strip_suffix(".rs"));
        let listed = files_with(&format!("&{}::FORMAT,", module.unwrap_or_else(|| panic!("{file}"))));
        assert_eq!(listed, BTreeSet::from(["importers/src/formats.rs".to_owned()]), "{format}");
    }
    for kind in KINDS {
        assert!(catalogue().get(&kind.name()).is_none(), "{} is an experiment", kind.name);
    }
}

#[test]
fn imported_values_are_of_kinds_that_are_known() {
    let text = fs::read_to_string(crates().join("importers/src/kinds.rs")).unwrap();
    let named = text.split("ExperimentName::known(\"").skip(1);
    let names: Vec<&str> = named.filter_map(|rest| rest.split('"').next()).collect();
    assert!(names.len() > 5, "{names:?}");
    for name in names {
        assert!(catalogue().all().any(|known| known.name == name), "{name} is no experiment");
    }
}

#[test]
fn a_form_is_known_to_few_files() {
    // Those that no verb has as its default, or gives a meaning of its own.
    for form in ["Csv", "Markdown"] {
        let files = files_with(&format!("Form::{form}"));
        assert_eq!(files, BTreeSet::from(["report/src/render.rs".to_owned()]), "{form}");
        let declared = files_with(&format!("Self::{form} =>"));
        assert!(declared.contains("report/src/form.rs"), "{declared:?}");
    }
}

#[test]
fn a_parameter_is_its_declaration_and_the_engines_that_model_it() {
    for (key, declaration) in [
        ("outbound_limit", "machine-file/src/hardware/agent.rs"),
        ("requests_in_a_row", "machine-file/src/hardware/agent.rs"),
        ("row_cycle", "machine-file/src/hardware/channel.rs"),
        ("to_one_in", "machine-file/src/hardware/fabric.rs"),
    ] {
        let (engines, others): (BTreeSet<String>, BTreeSet<String>) =
            files_with(key).into_iter().partition(|file| file.starts_with("model/"));
        assert!(others.contains(declaration), "{key}: {others:?}");
        assert!(engines.contains("model/src/flow/refusal.rs"), "{key}: {engines:?}");
        // Besides its declaration, only what relates it to other parameters, or writes files, names it.
        let related = [
            "machine-file/src/hardware/",
            "machine-file/src/file/resolve/",
            "machine-file/src/template/",
            "machine-file/src/fault/",
        ];
        let relates = |file: &String| related.iter().any(|folder| file.starts_with(folder));
        assert!(others.iter().all(relates), "{key} is also named in {others:?}");
    }
}

#[test]
fn a_counter_is_its_measure_and_the_engines_that_observe_it() {
    let engines = ["model/src/flow/inside.rs", "model/src/observe.rs"];
    for counter in ["LinkData", "Rejections"] {
        let files = files_with(&format!("Measure::{counter}"));
        assert_eq!(files, engines.map(ToOwned::to_owned).into(), "{counter}");
        let declared = files_with(&format!("    {counter} = \""));
        assert_eq!(declared, BTreeSet::from(["workload/src/measure.rs".to_owned()]), "{counter}");
    }
}

#[test]
fn a_machine_is_one_file() {
    let directory = crates().parent().unwrap().join("machines");
    let mut machines = 0;
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        machines += 1;
        for text in [format!("\"{name}\""), format!("{name}.toml")] {
            assert_eq!(files_with(&text), BTreeSet::new(), "{name} is named elsewhere");
        }
    }
    assert!(machines > 0);
}

/// What a document shows may be used anywhere if it is a machine, a part of one, or a file about one.
#[test]
fn a_document_is_its_file_its_page_and_its_verb() {
    let folder = crates().join("report/src/document");
    let mut seen = 0;
    for path in sources(&folder) {
        let module = path.file_stem().unwrap().to_str().unwrap();
        let code = code(&path);
        let after = code.split("Document for ").skip(1);
        let shown = after.filter_map(|rest| rest.split(|c: char| !c.is_alphanumeric()).next());
        for name in shown.filter(|name| {
            !files_with(&format!("pub struct {name}")).iter().any(|file| file.starts_with("machine/"))
        }) {
            seen += 1;
            let allowed = [
                format!("report/src/document/{module}.rs"),
                format!("report/src/terminal/{module}.rs"),
                format!("report/src/svg/{module}_picture.rs"),
                "report/src/document.rs".to_owned(),
                // It is made of other documents.
                "report/src/document/report.rs".to_owned(),
                "report/src/lib.rs".to_owned(),
                "report/src/json.rs".to_owned(),
                "report/src/markdown.rs".to_owned(),
                format!("report/src/markdown/{module}.rs"),
            ];
            let mut files = files_with(name);
            files.retain(|file| has_word(&self::code(&crates().join(file)), name));
            let report = files.iter().filter(|file| file.starts_with("report/src/"));
            let others: Vec<&String> = report.filter(|file| !allowed.contains(file)).collect();
            assert!(others.is_empty(), "{name} is named in {others:?}");
            let verbs = files.iter().filter(|file| file.starts_with("zerohop/src/verbs/"));
            let verbs: Vec<&String> = verbs.filter(|file| !file.ends_with("/schema.rs")).collect();
            // What is wrong with a machine goes around several documents.
            assert!(verbs.len() == 1 || name == "OfResult", "{name} is shown by {verbs:?}");
        }
    }
    assert!(seen > 10, "{seen} documents");
}

/// Whether `name` is a word of `code`, rather than a part of a longer one.
fn has_word(code: &str, name: &str) -> bool {
    code.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name)
}

#[test]
fn a_setting_is_its_table_and_its_spelling() {
    let folder = crates().parent().unwrap().join("settings");
    let text = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    let kinds: toml::Table = text("kinds.toml").parse().unwrap();
    let ids: Vec<&String> = kinds["kind"].as_table().unwrap().keys().collect();
    assert!(ids.len() > 20, "{ids:?}");
    // What the kernel shows of a setting of Linux has a place in the code, and nothing else has.
    let linux: toml::Table = text("linux.toml").parse().unwrap();
    let of_linux =
        linux["setting"].as_array().unwrap().iter().map(|setting| setting["kind"].as_str().unwrap());
    let of_linux: BTreeSet<&str> = of_linux.collect();
    for id in ids {
        let mut named = files_with(&format!("\"{id}\""));
        named.retain(|file| file.starts_with("advise/"));
        let allowed = match of_linux.contains(id.as_str()) {
            true => BTreeSet::from(["advise/src/settings/linux.rs".to_owned()]),
            false => BTreeSet::new(),
        };
        assert_eq!(named, allowed, "{id} is named in code");
    }
}

#[test]
fn a_rule_is_one_file() {
    let directory = crates().parent().unwrap().join("rules");
    let mut rules = 0;
    for entry in fs::read_dir(directory).unwrap() {
        let name = entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned();
        rules += 1;
        for text in [format!("\"{name}\""), format!("{name}.toml")] {
            assert_eq!(files_with(&text), BTreeSet::new(), "{name} is named elsewhere");
        }
    }
    assert!(rules > 0);
}
