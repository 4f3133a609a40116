//! The schema of machine files.

use serde_json::Value;

use crate::machine_file_schema;

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
