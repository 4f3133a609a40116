//! `zerohop survey` on this host, with a budget too small for good numbers.

use std::fs;

use serde_json::Value;

use crate::binary::{SMALL, zerohop};
use crate::validator;

#[test]
fn a_survey_prints_a_page_and_leaves_three_files() {
    let directory = tempfile::tempdir().unwrap();
    let output = zerohop().current_dir(directory.path()).args(["survey", "-o", "out"]).args(SMALL).assert();
    let output = output.success().get_output().clone();
    let talk = String::from_utf8(output.stderr).unwrap();
    assert!(talk.ends_with("result: out/result.json\n"), "{talk}");

    let read = |name: &str| fs::read_to_string(directory.path().join("out").join(name)).unwrap();
    assert_eq!(read("survey.txt"), String::from_utf8(output.stdout).unwrap());
    assert!(read("survey.svg").contains("</svg>"));
    let result: Value = serde_json::from_str(&read("result.json")).unwrap();
    validator::check_result(&result);
    assert_eq!(result["completion"], "complete");
    assert_eq!(result["engine"]["kind"], "host");
    assert_eq!(result["settings"]["effort"], "custom", "a budget was set");
    let names: Vec<&str> = result["experiments"]
        .as_array()
        .unwrap()
        .iter()
        .map(|experiment| experiment["experiment"].as_str().unwrap())
        .collect();
    assert_eq!(names[..2], ["latency-matrix", "bandwidth-matrix"]);
    let times = ["started_at", "finished_at"].map(|key| result[key].as_str().unwrap());
    assert!(times[0] <= times[1] && times[1].ends_with('Z'), "{times:?}");
}

#[test]
fn without_a_directory_each_survey_gets_its_own() {
    let directory = tempfile::tempdir().unwrap();
    let arguments = ["survey", "--format", "json", "-q"];
    let output = zerohop().current_dir(directory.path()).args(arguments).args(SMALL).assert();
    let output = output.success().stderr_eq("").get_output().clone();
    let results = directory.path().join("zerohop-results");
    let own: Vec<_> = fs::read_dir(results).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(own.len(), 1);
    let kept: Value = serde_json::from_str(&fs::read_to_string(own[0].join("result.json")).unwrap()).unwrap();
    assert_eq!(serde_json::from_slice::<Value>(&output.stdout).unwrap(), kept);
}
