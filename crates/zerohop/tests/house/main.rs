//! Holds the source to the rules of the house: floors, no circles of files, `unsafe`.

mod architecture;
mod circles;
mod documentation;
mod modules;
mod recommendations;

use std::fs;
use std::path::{Path, PathBuf};

/// The crates from the ground up: one may use those above it in this list, never those below it.
const FLOORS: [&str; 27] = [
    "units",
    "statistics",
    "document",
    "machine",
    "machine-file",
    "workload",
    "result",
    "model",
    "experiment",
    "importers",
    "study",
    "compare",
    "expectation",
    "fleet",
    "placement",
    "host",
    "calibration",
    "advise",
    "diagnosis",
    "report",
    "fuzzing",
    "app",
    "archive",
    "launch",
    "server",
    "explorer",
    "zerohop",
];

/// The only crate that may contain `unsafe`, and that no other library may use.
const HOST: &str = "host";

/// Tables of a manifest that name dependencies.
const DEPENDENCIES: [&str; 3] = ["dependencies", "dev-dependencies", "build-dependencies"];

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn floor(name: &str) -> usize {
    FLOORS.iter().position(|&floor| floor == name).unwrap_or_else(|| panic!("crate `{name}` has no floor"))
}

/// The crates of this workspace that a crate depends on, by their directory's name.
fn dependencies(name: &str) -> Vec<String> {
    let text = fs::read_to_string(crates().join(name).join("Cargo.toml")).unwrap();
    let manifest: toml::Table = text.parse().unwrap();
    let mut tables: Vec<&toml::Table> =
        DEPENDENCIES.iter().filter_map(|key| manifest.get(*key)?.as_table()).collect();
    if let Some(targets) = manifest.get("target").and_then(toml::Value::as_table) {
        for target in targets.values() {
            tables.extend(DEPENDENCIES.iter().filter_map(|key| target.get(*key)?.as_table()));
        }
    }
    tables
        .into_iter()
        .flat_map(toml::Table::keys)
        .filter_map(|key| key.strip_prefix("zerohop-").map(str::to_owned))
        .collect()
}

/// Every Rust file below a directory.
fn sources(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found
}

#[test]
fn every_crate_has_its_floor() {
    let mut names: Vec<String> = fs::read_dir(crates())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    let mut floors = FLOORS.map(str::to_owned);
    names.sort();
    floors.sort();
    assert_eq!(names, floors);
}

#[test]
fn nobody_reaches_down() {
    for name in FLOORS {
        for dependency in dependencies(name) {
            assert!(floor(&dependency) < floor(name), "{name} uses {dependency}, which lies below it");
        }
    }
}

#[test]
fn only_the_binary_knows_the_host() {
    for name in FLOORS.into_iter().filter(|&name| name != "zerohop") {
        assert!(!dependencies(name).contains(&HOST.to_owned()), "{name} uses {HOST}");
    }
    assert!(dependencies("zerohop").contains(&HOST.to_owned()), "the test reads no dependencies at all");
}

#[test]
fn unsafe_is_forbidden_but_in_host() {
    for name in FLOORS.into_iter().filter(|&name| name != HOST) {
        let root = if name == "zerohop" { "main.rs" } else { "lib.rs" };
        let text = fs::read_to_string(crates().join(name).join("src").join(root)).unwrap();
        assert!(
            text.lines().any(|line| line == "#![forbid(unsafe_code)]"),
            "{name} does not forbid unsafe code"
        );
    }
}

#[test]
fn no_files_use_each_other_in_a_circle() {
    for name in FLOORS {
        let source = crates().join(name).join("src");
        let circles = circles::circles(&modules::uses(&source));
        assert!(circles.is_empty(), "files of {name} use each other in a circle: {}", circles.join("\n"));
    }
}
