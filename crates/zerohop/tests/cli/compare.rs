//! `zerohop compare`: results of a model, set one way and another.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::binary::zerohop;

/// Two results of the same experiment: Quartet as it is, and with links of half the capacity.
fn results() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    run(directory.path(), "before.json", &[]);
    run(directory.path(), "after.json", &["--set", "wire.ht1000.capacity=2 GB/s"]);
    directory
}

fn run(directory: &Path, file: &str, more: &[&str]) {
    zerohop()
        .current_dir(directory)
        .args(["run", "bandwidth-matrix", "--on", "quartet", "--nodes", "0,1", "--quiet", "-o", file])
        .args(more)
        .assert()
        .success();
}

/// What `zerohop compare` prints and says, and its exit status.
fn compare(directory: &TempDir, arguments: &[&str]) -> (String, String, i32) {
    let output = zerohop().current_dir(directory.path()).arg("compare").args(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr), output.status.code().unwrap())
}

#[test]
fn slower_links_come_last_and_are_named_as_the_difference() {
    let directory = results();
    let (page, talk, status) = compare(&directory, &["before.json", "after.json"]);
    assert_eq!((talk.as_str(), status), ("", 0));
    let line = |start: &str| page.lines().position(|line| line.trim_start().starts_with(start)).unwrap();
    assert!(line("before (base)") < line("after "), "{page}");
    assert!(page.contains("what moved most: after"), "{page}");
    assert!(page.contains("wire.ht1000.capacity=2 GB/s in after"), "{page}");
    // The other way round, it is the other that is better.
    let (page, ..) = compare(&directory, &["after.json", "before.json"]);
    let line = |start: &str| page.lines().position(|line| line.trim_start().starts_with(start)).unwrap();
    assert!(line("before ") < line("after (base)"), "{page}");
}

#[test]
fn gates_decide_the_exit_status() {
    let directory = results();
    let status = |gate: &[&str]| {
        let (_, talk, status) = compare(&directory, &[&["before.json", "after.json"], gate].concat());
        (talk, status)
    };
    assert_eq!(status(&["--at-least", "0.2", "--each-at-least", "0.2"]), (String::new(), 0));
    let (talk, code) = status(&["--at-least", "0.99"]);
    assert!(code == 1 && talk.contains("after: the mean 0.") && talk.contains("is below 0.99"), "{talk}");
    let (talk, code) = status(&["--each-at-least", "0.99"]);
    assert!(code == 1 && talk.contains("after: the worst cell"), "{talk}");
    // What is compared with itself is as good as itself.
    let (_, talk, code) = compare(&directory, &["before.json", "before.json", "--at-least", "1"]);
    assert_eq!((talk.as_str(), code), ("", 0));
    assert_eq!(status(&["--at-least", "zero"]).1, 2);
}

#[test]
fn every_format_has_every_cell() {
    let directory = results();
    let (table, ..) = compare(&directory, &["before.json", "after.json", "--format", "csv"]);
    assert_eq!(table.lines().count(), 1 + 4, "{table}");
    assert!(table.starts_with("result,experiment,initiator,target,"), "{table}");
    let (text, ..) = compare(&directory, &["before.json", "after.json", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["cells"].as_array().unwrap().len(), 4);
    assert_eq!(json["base"], "before");
    crate::validator::check("comparison", &json);
}

#[test]
fn what_cannot_be_compared_is_the_user_s_error() {
    let directory = results();
    let (_, talk, status) = compare(&directory, &["before.json"]);
    assert!(status == 2 && talk.contains("nothing to compare `before` with"), "{talk}");
    fs::write(directory.path().join("no.json"), "{}").unwrap();
    let (_, talk, status) = compare(&directory, &["before.json", "no.json"]);
    assert!(status == 2 && talk.contains("`no.json` is no result of zerohop"), "{talk}");
    zerohop()
        .current_dir(directory.path())
        .args(["run", "hops", "--on", "quartet", "--initiators", "0", "--quiet", "-o", "hops.json"])
        .assert()
        .success();
    let (_, talk, status) = compare(&directory, &["before.json", "hops.json"]);
    assert!(status == 2 && talk.contains("no number that all of these results have"), "{talk}");
}

#[test]
fn a_comparison_is_kept_in_the_form_of_its_name() {
    let directory = results();
    let (page, talk, status) = compare(&directory, &["before.json", "after.json", "-o", "both.csv"]);
    assert_eq!((talk.as_str(), status), ("", 0));
    assert!(page.contains("before (base)"), "{page}");
    let (csv, ..) = compare(&directory, &["before.json", "after.json", "--format", "csv"]);
    assert_eq!(fs::read_to_string(directory.path().join("both.csv")).unwrap(), csv);
    let (_, talk, status) = compare(&directory, &["before.json", "after.json", "-o", "both.svg"]);
    assert_eq!(status, 2);
    assert!(talk.contains("a comparison cannot be written to `both.svg`"), "{talk}");
}
