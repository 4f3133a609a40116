//! `zerohop run` on this host, with measurements too short to mean anything.

use std::io::Write;
use std::path::Path;

use serde_json::Value;

use crate::binary::{SMALL, measured, zerohop};
use crate::validator;

/// What `zerohop run EXPERIMENT …` prints.
fn run(arguments: &[&str]) -> String {
    let output = measured(&[&["run", "-q"], arguments].concat(), Path::new("."));
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn experiments_run_and_their_json_is_valid() {
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
        let output = measured(&["run", experiment, "--format", "json", "-q"], Path::new("."));
        let talk = String::from_utf8(output.stderr).unwrap();
        // A machine of one core has nobody to hand a line to, and no core for a load beside the chase.
        if output.status.code() == Some(2) && std::thread::available_parallelism().unwrap().get() == 1 {
            assert!(talk.contains("cannot run "), "{experiment}: {talk}");
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
    let talk = String::from_utf8(measured(&arguments, directory.path()).stderr).unwrap();
    assert!(talk.ends_with("result: kept/one.json\n"), "{talk}");
    assert!(talk.contains("latency-matrix: "), "no progress in a log: {talk}");
    let text = std::fs::read_to_string(directory.path().join("kept/one.json")).unwrap();
    validator::check_result(&serde_json::from_str(&text).unwrap());
}

#[test]
fn csv_has_coordinates_that_no_row_has_only_with_all_columns() {
    let head = |more: &[&str]| {
        let csv = run(&[&["latency-matrix", "--format", "csv"], more].concat());
        csv.lines().next().unwrap().split(',').map(str::to_owned).collect::<Vec<_>>()
    };
    let (filled, all) = (head(&[]), head(&["--all-columns"]));
    assert!(filled.len() < 25 && all.len() > 45, "{filled:?} {all:?}");
    for column in ["background", "stage", "unknown_axes"] {
        assert!(!filled.iter().any(|name| name == column) && all.iter().any(|name| name == column));
    }
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

/// What a run on a model keeps in a file of that name.
fn kept(name: &str, more: &[&str]) -> (String, String) {
    let directory = tempfile::tempdir().unwrap();
    let arguments = ["run", "latency-matrix", "--on", "quartet", "-q", "-o", name];
    let output = zerohop().current_dir(directory.path()).args(arguments).args(more).assert().success();
    let printed = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    (std::fs::read_to_string(directory.path().join(name)).unwrap(), printed)
}

#[test]
fn a_picture_that_was_to_be_kept_is_not_json() {
    let (picture, printed) = kept("pic.svg", &["--format", "svg"]);
    assert!(picture.starts_with("<svg"), "{picture}");
    assert_eq!(printed, picture);
    let (picture, page) = kept("pic.svg", &[]);
    assert!(picture.starts_with("<svg"), "{picture}");
    assert!(page.starts_with("latency-matrix: idle latency"), "{page}");
}

#[test]
fn the_ending_of_a_name_decides_the_form() {
    assert!(kept("a.csv", &[]).0.starts_with("experiment,initiator,"));
    let (page, printed) = kept("a.txt", &[]);
    assert_eq!(page, printed);
    assert!(kept("a.txt", &["--format", "mlc"]).0.contains("Measuring idle latencies"));
    let json: Value = serde_json::from_str(&kept("a.json", &[]).0).unwrap();
    validator::check_result(&json);
}

#[test]
fn a_form_that_the_name_contradicts_or_nobody_has_is_refused() {
    let refused = |arguments: &[&str]| {
        let run = ["run", "stream", "--on", "quartet", "-q"];
        let output = zerohop().args(run).args(arguments).assert().code(2).stdout_eq("");
        String::from_utf8(output.get_output().stderr.clone()).unwrap()
    };
    let contradiction = refused(&["--format", "svg", "-o", "a.json"]);
    assert!(contradiction.contains("`--format svg` contradicts the file name `a.json`"), "{contradiction}");
    assert!(contradiction.contains("hint: omit --format, or use the extension .svg"), "{contradiction}");
    let markdown = refused(&["-o", "a.md"]);
    assert!(markdown.contains("cannot write an experiment to `a.md`"), "{markdown}");
    assert!(
        markdown.contains("hint: use the extension .txt, .json, .csv, .parquet, .svg, .png or .html"),
        "{markdown}"
    );
    let nothing = refused(&["-o", "result"]);
    assert!(
        nothing.contains("cannot tell the format of an experiment from the file name `result`"),
        "{nothing}"
    );
    assert!(refused(&["--format", "parquet"]).contains("save it to a file: -o FILE.parquet"));
}
