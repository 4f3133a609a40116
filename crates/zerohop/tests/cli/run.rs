//! `zerohop run` on this host, with measurements too short to mean anything.

use std::io::Write;

use serde_json::Value;

use crate::binary::{SMALL, zerohop};
use crate::validator;

/// What `zerohop run EXPERIMENT …` prints.
fn run(arguments: &[&str]) -> String {
    let output = zerohop().arg("run").args(arguments).args(SMALL).arg("-q").assert().success().stderr_eq("");
    String::from_utf8(output.get_output().stdout.clone()).unwrap()
}

#[test]
fn every_experiment_runs_and_its_json_is_valid() {
    for experiment in [
        "latency-matrix",
        "bandwidth-matrix",
        "stream",
        "mixes",
        "loaded-latency",
        "cache-latency",
        "core-to-core",
        "core-latency",
        "global-bandwidth",
    ] {
        // One cache line is no buffer to choose the size of.
        let small = if experiment == "core-to-core" { &SMALL[2..] } else { &SMALL };
        let output =
            zerohop().args(["run", experiment, "--format", "json", "-q"]).args(small).output().unwrap();
        let talk = String::from_utf8(output.stderr).unwrap();
        // A machine of one core has nobody to hand a line to, and no core for a load beside the chase.
        if output.status.code() == Some(2) && std::thread::available_parallelism().unwrap().get() == 1 {
            assert!(talk.contains("cannot be done here"), "{experiment}: {talk}");
            continue;
        }
        assert_eq!(output.status.code(), Some(0), "{experiment}: {talk}");
        let result: Value = serde_json::from_slice(&output.stdout).unwrap();
        validator::check_result(&result);
        assert_eq!(result["completion"], "complete");
        assert_eq!(result["experiments"][0]["experiment"], experiment);
        assert!(!result["experiments"][0]["cells"].as_array().unwrap().is_empty(), "{experiment}");
    }
}

#[test]
fn the_result_is_kept_where_it_was_asked_for() {
    let directory = tempfile::tempdir().unwrap();
    let arguments = ["run", "latency-matrix", "-o", "kept/one.json"];
    let output = zerohop().current_dir(directory.path()).args(arguments).args(SMALL).assert().success();
    let talk = String::from_utf8(output.get_output().stderr.clone()).unwrap();
    assert!(talk.ends_with("result: kept/one.json\n"), "{talk}");
    assert!(talk.contains("latency-matrix: "), "no progress in a log: {talk}");
    let text = std::fs::read_to_string(directory.path().join("kept/one.json")).unwrap();
    validator::check_result(&serde_json::from_str(&text).unwrap());
}

#[test]
fn csv_has_a_head_and_a_line_for_each_cell() {
    let csv = run(&["latency-matrix", "--format", "csv"]);
    let mut lines = csv.lines();
    let head = lines.next().unwrap();
    assert!(head.starts_with("experiment,"), "{head}");
    for column in ["initiator", "target", "measure", "unit", "median", "low", "high", "warnings"] {
        assert!(head.split(',').any(|name| name == column), "no column {column} in {head}");
    }
    assert!(lines.all(|line| line.starts_with("latency-matrix,")), "{csv}");
}

#[test]
fn mlc_output_has_the_lines_its_readers_look_for() {
    let block = run(&["latency-matrix", "--format", "mlc"]);
    assert!(block.contains("Measuring idle latencies for"), "{block}");
    assert!(block.contains("Numa node"), "{block}");
    let block = run(&["mixes", "--format", "mlc"]);
    for line in ["ALL Reads", "3:1 Reads-Writes", "2:1 Reads-Writes", "1:1 Reads-Writes"] {
        assert!(block.contains(line), "no `{line}` in {block}");
    }
}

#[test]
fn what_cannot_be_measured_leaves_no_file() {
    let directory = tempfile::tempdir().unwrap();
    let arguments = ["run", "stream", "--pages", "1g", "-q", "-o", "a.json"];
    let output = zerohop().current_dir(directory.path()).args(arguments).args(SMALL).output().unwrap();
    if output.status.success() {
        return writeln!(std::io::stderr(), "skipped: pages of 1 GiB are reserved here").unwrap();
    }
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
}
