//! The schema of machine files.

use serde_json::Value;

use super::{Files, QUARTET};
use crate::{MachineFile, machine_file_keys, machine_file_schema};

/// Every key has a description, and the schema on file is this one.
#[test]
fn the_schema_on_file_is_that_of_the_tables() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../schema/machine-file.schema.json");
    let filed: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    assert!(
        filed == machine_file_schema(),
        "schema/machine-file.schema.json has drifted: `just schema` writes it anew"
    );
}

#[test]
fn every_key_is_described() {
    let schema = machine_file_schema();
    let tables = schema["$defs"].as_object().unwrap().values().chain([&schema]);
    let mut keys = 0;
    for table in tables.filter_map(|table| table["properties"].as_object()) {
        for (key, of) in table {
            assert!(of["description"].as_str().is_some_and(|words| !words.is_empty()), "{key}: {of}");
            keys += 1;
        }
    }
    assert!(keys > 100, "{keys} keys");
}

const GUIDE: &str = include_str!("../../../../../docs/machine-files.md");

/// The heading under which the guide lists all keys.
const REFERENCE: &str = "\n## All keys\n\n";

#[test]
fn the_guide_lists_the_keys_that_are_declared() {
    let (_, listed) = GUIDE.split_once(REFERENCE).unwrap();
    assert!(
        listed == machine_file_keys(),
        "the end of docs/machine-files.md has drifted from what is declared: `just machine-keys` writes it anew"
    );
}

#[test]
fn a_key_is_listed_with_its_unit_default_bounds_and_words() {
    let keys = machine_file_keys();
    for line in [
        "| *`threads`* | count | `1` | 1 to 65536 | PUs (hardware threads) of a core. |",
        "| *`ahead`* | count |  | 1 to 128 | ",
        "| *`release`* | word | `\"read\"` |  | ",
        "`\"sent\"`: When its line is on its first link. |",
        "### `[node.NAME.cache]`",
    ] {
        assert!(keys.contains(line), "{line}\n{keys}");
    }
}

#[test]
fn the_guide_s_examples_are_machine_files() {
    let examples: Vec<&str> = GUIDE
        .split("\n```toml\n")
        .skip(1)
        .map(|rest| rest.split("\n```").next().unwrap())
        .filter(|example| example.contains("title"))
        .collect();
    assert_eq!(examples.len(), 2);
    let library = Files(&[("quartet", QUARTET)]);
    let hops = |example: &str| {
        let file = MachineFile::parse("example.toml", example, &library);
        let hardware = file.and_then(|file| file.hardware()).unwrap_or_else(|error| panic!("{error}"));
        hardware.hop_matrix()
    };
    assert_eq!(hops(examples[0])[0], [0, 1, 1, 1], "with a diagonal");
    assert_eq!(hops(examples[1]), [[0, 1], [1, 0]]);
}
