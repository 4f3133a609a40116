//! The JSON Schemas on file are those of the types.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::binary::zerohop;
use crate::validator;

#[test]
fn schemas_on_file_are_those_of_the_types() {
    for of in [
        "result",
        "machine",
        "machine-file",
        "published",
        "reproduction",
        "comparison",
        "sweep",
        "sweep-result",
        "settings-advice",
        "settings",
        "vendor-settings",
        "metrics",
        "diagnosis",
        "rule",
        "whereabouts",
        "placed-file",
        "doctor",
        "fleet",
        "baseline",
        "expectations",
        "placement-advice",
        "ceiling",
    ] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../schema/{of}.schema.json"));
        let output = zerohop().args(["schema", of]).assert().success().get_output().clone();
        let generated = String::from_utf8(output.stdout).unwrap();
        assert!(
            fs::read_to_string(&path).is_ok_and(|filed| filed == generated),
            "schema/{of}.schema.json has drifted: write it anew with `cargo run -- schema {of} > schema/{of}.schema.json`"
        );
    }
}

#[test]
fn files_of_metrics_are_as_their_schema_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../metrics");
    let mut files = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let text = fs::read_to_string(entry.unwrap().path()).unwrap();
        let table: toml::Table = toml::from_str(&text).unwrap();
        let table = serde_json::to_value(table).unwrap();
        validator::check("metrics", &table);
        let mut slip = table.clone();
        slip["metric"][0]["experimnt"] = "stream".into();
        let mut bare = table;
        bare.as_object_mut().unwrap().remove("source");
        for wrong in [slip, bare] {
            let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schema/metrics.schema.json");
            let schema: Value = serde_json::from_str(&fs::read_to_string(schema).unwrap()).unwrap();
            assert!(validator::holds(&schema, &schema, &wrong).is_err(), "{wrong}");
        }
        files += 1;
    }
    assert!(files >= 5);
}
