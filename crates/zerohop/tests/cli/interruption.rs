//! SIGINT and SIGTERM while something is measured.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Output, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::binary::plain;
use crate::validator;

/// A survey that would take many minutes, in `directory`.
fn long_survey(directory: &Path) -> Child {
    plain()
        .current_dir(directory)
        .args(["survey", "--full", "--buffer", "32MiB", "--interval", "0.01%", "-o", "out"])
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

#[test]
fn the_first_signal_saves_what_was_measured() {
    for signal in [Signal::INT, Signal::TERM] {
        let directory = tempfile::tempdir().unwrap();
        let output = stop(long_survey(directory.path()), signal, "latency-matrix:");
        let talk = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(130), "{talk}");
        assert!(talk.contains("interrupted: "), "{talk}");
        let result = result_in(directory.path());
        validator::check_result(&result);
        assert_eq!(result["completion"], "interrupted");
        assert!(!output.stdout.is_empty(), "no page");
        assert!(directory.path().join("out/survey.txt").exists());
    }
}

#[test]
fn a_killed_survey_leaves_a_file_that_can_be_read() {
    let directory = tempfile::tempdir().unwrap();
    let output = stop(long_survey(directory.path()), Signal::KILL, "latency-matrix:");
    assert_eq!(output.status.code(), None);
    let result = result_in(directory.path());
    validator::check_result(&result);
    assert_eq!(result["completion"], "running");
}
