//! The JSON Schemas on file are those of the types.

use std::fs;
use std::path::Path;

use crate::binary::zerohop;

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
