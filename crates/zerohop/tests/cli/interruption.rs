//! SIGINT and SIGTERM while something is measured.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Output, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::binary::plain;
use crate::validator;

/// A survey that takes its time, in `directory`.
fn long_survey(directory: &Path) -> Child {
    plain()
        .current_dir(directory)
        .args(["survey", "--buffer", "32MiB", "--interval", "0.001%", "-o", "out"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Sends `signal` once standard error has a line that `contains` this; gives the output after the end.
fn stop(mut child: Child, signal: Signal, contains: &str) -> Output {
    let mut talk = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains(contains) {
        line.clear();
        assert!(talk.read_line(&mut line).unwrap() > 0, "ended before `{contains}` was said");
    }
    kill_process(Pid::from_child(&child), signal).unwrap();
    // The rest of the talk, so that its pipe does not fill.
    let rest: Vec<String> = talk.lines().map_while(Result::ok).collect();
    let mut output = child.wait_with_output().unwrap();
    output.stderr = rest.join("\n").into_bytes();
    output
}

fn result_in(directory: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(directory.join("out/result.json")).unwrap()).unwrap()
}

/// The first line of the second experiment: one is done, and another is under way.
const MIDWAY: &str = "bandwidth-matrix: ";

#[test]
fn the_first_signal_saves_what_was_measured() {
    for signal in [Signal::INT, Signal::TERM] {
        let directory = tempfile::tempdir().unwrap();
        let output = stop(long_survey(directory.path()), signal, MIDWAY);
        let talk = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(130), "{talk}");
        assert!(talk.contains("interrupted: ") && talk.ends_with("result: out/result.json"), "{talk}");
        let result = result_in(directory.path());
        validator::check_result(&result);
        assert_eq!(result["completion"], "interrupted");
        let experiments = result["experiments"].as_array().unwrap();
        assert_eq!(experiments[0]["completion"], "complete");
        assert_eq!(experiments.last().unwrap()["completion"], "interrupted");
        let page = String::from_utf8(output.stdout).unwrap();
        assert!(page.contains("idle latency"), "{page}");
        assert_eq!(fs::read_to_string(directory.path().join("out/survey.txt")).unwrap(), page);
    }
}

#[test]
fn a_killed_survey_leaves_the_experiments_that_were_done() {
    let directory = tempfile::tempdir().unwrap();
    let output = stop(long_survey(directory.path()), Signal::KILL, MIDWAY);
    assert_eq!(output.status.code(), None);
    let result = result_in(directory.path());
    validator::check_result(&result);
    assert_eq!(result["completion"], "running");
    assert_eq!(result["experiments"][0]["experiment"], "latency-matrix");
}

#[test]
fn the_second_signal_ends_at_once() {
    let directory = tempfile::tempdir().unwrap();
    let mut child = long_survey(directory.path());
    let process = Pid::from_child(&child);
    let mut talk = BufReader::new(child.stderr.take().unwrap());
    while !talk.read_line(&mut String::new()).is_ok_and(|length| length == 0) {
        if directory.path().join("out/result.json").exists() {
            break;
        }
    }
    kill_process(process, Signal::INT).unwrap();
    kill_process(process, Signal::TERM).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    // Nothing was closed any more.
    assert_eq!(result_in(directory.path())["completion"], "running");
    assert!(!directory.path().join("out/survey.txt").exists());
}
