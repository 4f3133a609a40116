//! Settings of every built-in machine: whatever is written after the `=`, the answer is a machine or a message.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use zerohop_document::Value;

use super::LIBRARY;
use crate::{Library, MachineFile};
use zerohop_machine::{Setting, Settings};

/// The built-in machines, which may extend one another.
struct BuiltIn;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../machines")
}

impl Library for BuiltIn {
    fn read(&self, name: &str, _: &str) -> Option<String> {
        fs::read_to_string(folder().join(format!("{name}.toml"))).ok()
    }
}

fn built_in(name: &str) -> MachineFile {
    let text = BuiltIn.read(name, "").unwrap();
    MachineFile::parse(name, &text, &BuiltIn).unwrap_or_else(|error| panic!("{error}"))
}

fn names() -> Vec<String> {
    let files = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let mut names: Vec<String> =
        files.filter_map(|file| Some(file.file_stem()?.to_str()?.to_owned())).collect();
    names.sort_unstable();
    names
}

/// What comes of a setting: nothing, or the message.
fn outcome(file: &MachineFile, name: &str, value: &str) -> Result<(), String> {
    let settings = Settings::none().with(Setting::new(name, value));
    let set = file.set(&settings).and_then(|file| file.hardware());
    set.map(drop).map_err(|error| error.of_settings(&settings).to_string())
}

/// Paths of everything in a file that can be set: numbers, texts and words.
fn paths(file: &MachineFile) -> Vec<String> {
    let mut paths = Vec::new();
    collect(&file.base, "", &mut paths);
    paths
}

fn collect(value: &Value, path: &str, paths: &mut Vec<String>) {
    for entry in value.entries().into_iter().flatten() {
        let inner = if path.is_empty() { entry.key.clone() } else { format!("{path}.{}", entry.key) };
        if entry.value.merges() {
            collect(&entry.value, &inner, paths);
        } else if inner.contains('.') {
            paths.push(inner);
        }
    }
}

/// `--set link.0-1.wire=ht800` ended in a panic: the setting's text was gone when names were resolved.
#[test]
fn a_name_that_is_set_and_not_there_is_shown_where_it_was_set() {
    let quartet = built_in("quartet");
    insta::assert_snapshot!(outcome(&quartet, "link.0-1.wire", "ht800").unwrap_err(), @r#"
    no kind of link `ht800`
     --> --set:1:15
      |
    1 | link.0-1.wire=ht800
      |               ^^^^^
      |
      = hint: did you mean `ht1000`?
    "#);
    let cascade_lake = built_in("cascade-lake-4s");
    let message = outcome(&cascade_lake, "core.cascade-lake.cache.l3.latency", "5ns").unwrap_err();
    assert!(message.contains("takes 5 ns, not longer than an L2 hit"), "{message}");
    assert!(message.contains("--set:1:36"), "{message}");
}

/// What a setting contradicts stands in the file, on a line that nobody has touched.
#[test]
fn a_contradiction_in_the_file_names_the_setting_that_made_it() {
    let message = outcome(&built_in("quartet"), "home.k8.table", "4").unwrap_err();
    assert!(
        message.starts_with(
            "`local_limit` allows 24 requests, more than the table of 4 (with home.k8.table=4)\n"
        ),
        "{message}"
    );
}

/// 2,173 of 17,364 such settings ended in a panic.
#[test]
fn no_value_of_any_path_of_some_machines_panics() {
    no_value_of_any_path_panics(6);
}

#[test]
#[ignore = "long: sets every path of every built-in machine to many values"]
fn no_value_of_any_path_of_any_machine_panics() {
    no_value_of_any_path_panics(1);
}

/// Tries one machine of `each` built-in ones.
fn no_value_of_any_path_panics(each: usize) {
    const VALUES: [&str; 18] = [
        "0",
        "1",
        "-1",
        "3",
        "65536",
        "99999999999999999999",
        "0 ns",
        "5ns",
        "1 GHz",
        "0.001 GB/s",
        "1 TiB",
        "100 %",
        "nobody",
        "\"\"",
        "[]",
        "[1, 0]",
        "{}",
        "{ value = 1, source = \"x\" }",
    ];
    for name in names().into_iter().step_by(each) {
        let file = built_in(&name);
        let paths = paths(&file);
        assert!(paths.len() > 50 || name.contains('-'), "{name}: {}", paths.len());
        // Many nodes and routers are alike: a few of each kind of path are enough, whichever their numbers are.
        let mut seen = HashMap::<String, u32>::new();
        for path in paths {
            let kind: String = path.chars().filter(|c| !c.is_ascii_digit()).collect();
            let times = seen.entry(kind).or_default();
            *times += 1;
            if *times > 2 {
                continue;
            }
            for value in VALUES {
                if let Err(message) = outcome(&file, &path, value) {
                    assert!(message.contains(&format!("{path}={value}")), "{name} {path}={value}: {message}");
                }
            }
        }
    }
}

#[test]
fn a_file_that_extends_another_can_be_set_as_well() {
    let text = "extend = \"square\"\n[node.0]\nmemory = { value = \"4 GiB\", source = \"made up\" }";
    let file = MachineFile::parse("child.toml", text, &LIBRARY).unwrap();
    assert!(outcome(&file, "node.0.memory", "1 GiB").is_ok());
    assert!(outcome(&file, "node.0.homes.kind", "k9").unwrap_err().contains("no kind of home agent"));
}
