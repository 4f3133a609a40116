//! SIGINT and SIGTERM while something is measured.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStderr, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::pipe::fcntl_getpipe_size;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::binary::plain;
use crate::validator;

/// A survey that takes its time, in `directory`; its page goes to `page`.
fn long_survey(directory: &Path, page: Stdio) -> Child {
    plain()
        .current_dir(directory)
        .args(["survey", "--all", "--buffer", "32MiB", "--interval", "0.001%", "-o", "out"])
        .stdout(page)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Waits until the file of the survey in `directory` has experiments in progress.
fn wait_for_a_checkpoint(directory: &Path) {
    let limit = Instant::now() + Duration::from_secs(120);
    let saved = || {
        let text = fs::read_to_string(directory.join("out/result.json")).ok()?;
        let result: Value = serde_json::from_str(&text).ok()?;
        Some(!result["experiments"].as_array()?.is_empty())
    };
    while saved() != Some(true) {
        assert!(Instant::now() < limit, "nothing was saved on the way");
        thread::sleep(Duration::from_millis(20));
    }
}

/// Sends `signal` once the survey in `directory` has a checkpoint; gives the output after the end.
fn stop_midway(child: Child, directory: &Path, signal: Signal) -> Output {
    wait_for_a_checkpoint(directory);
    kill_process(Pid::from_child(&child), signal).unwrap();
    child.wait_with_output().unwrap()
}

fn result_in(directory: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(directory.join("out/result.json")).unwrap()).unwrap()
}

/// A second survey replaced the result of the first, and lost it when it was killed.
#[test]
fn a_second_survey_of_the_same_directory_leaves_the_first_alone() {
    let directory = tempfile::tempdir().unwrap();
    let first = long_survey(directory.path(), Stdio::piped());
    wait_for_a_checkpoint(directory.path());
    let refused = long_survey(directory.path(), Stdio::piped()).wait_with_output().unwrap();
    let talk = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(2), "{talk}");
    assert!(talk.contains("another run is writing `out/result.json`") && talk.contains("hint: "), "{talk}");
    let output = stop_midway(first, directory.path(), Signal::INT);
    assert_eq!(output.status.code(), Some(130));
    assert!(!result_in(directory.path())["experiments"].as_array().unwrap().is_empty());
}

#[test]
fn the_first_signal_saves_what_was_measured() {
    for signal in [Signal::INT, Signal::TERM] {
        let directory = tempfile::tempdir().unwrap();
        let survey = long_survey(directory.path(), Stdio::piped());
        let output = stop_midway(survey, directory.path(), signal);
        let talk = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(130), "{talk}");
        assert!(
            talk.contains("interrupted: ")
                && talk.trim_end().ends_with("result: out/result.json\nreport: out/report.html"),
            "{talk}"
        );
        let result = result_in(directory.path());
        validator::check_result(&result);
        assert_eq!(result["completion"], "interrupted");
        let experiments = result["experiments"].as_array().unwrap();
        // All were visited in turns, so all have something.
        assert!(experiments.len() > 1);
        for experiment in experiments.iter().filter(|one| !one["cells"].as_array().unwrap().is_empty()) {
            assert_eq!(experiment["completion"], "interrupted");
        }
        assert!(!experiments[0]["cells"].as_array().unwrap().is_empty());
        let page = String::from_utf8(output.stdout).unwrap();
        assert!(page.contains("idle latency"), "{page}");
        assert_eq!(fs::read_to_string(directory.path().join("out/survey.txt")).unwrap(), page);
    }
}

#[test]
fn a_killed_survey_leaves_what_was_measured() {
    let directory = tempfile::tempdir().unwrap();
    let survey = long_survey(directory.path(), Stdio::piped());
    let output = stop_midway(survey, directory.path(), Signal::KILL);
    assert_eq!(output.status.code(), None);
    let result = result_in(directory.path());
    validator::check_result(&result);
    assert_eq!(result["completion"], "running");
    let first = &result["experiments"][0];
    assert_eq!(first["experiment"], "latency-matrix");
    assert_eq!(first["completion"], "running");
    assert!(!first["cells"].as_array().unwrap().is_empty());
    // Nothing keeps the next one from writing there.
    let next = ["survey", "--on", "quartet", "--solver", "flow", "--quiet", "-o", "out"];
    let next = plain().current_dir(directory.path()).args(next).stdout(Stdio::null()).status().unwrap();
    assert!(next.success());
    assert_eq!(result_in(directory.path())["completion"], "complete");
}

/// Waits until the survey in `directory` has begun; gives the rest of its talk.
fn begun(child: &mut Child, directory: &Path) -> BufReader<ChildStderr> {
    let mut talk = BufReader::new(child.stderr.take().unwrap());
    while !directory.join("out/result.json").exists() {
        assert!(talk.read_line(&mut String::new()).unwrap() > 0, "ended before it began");
    }
    talk
}

#[test]
fn signals_that_come_together_are_one_wish() {
    let directory = tempfile::tempdir().unwrap();
    let mut child = long_survey(directory.path(), Stdio::piped());
    let talk = begun(&mut child, directory.path());
    for signal in [Signal::INT, Signal::TERM] {
        kill_process(Pid::from_child(&child), signal).unwrap();
    }
    let rest: Vec<String> = talk.lines().map_while(Result::ok).collect();
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(130), "{rest:?}");
    assert_eq!(result_in(directory.path())["completion"], "interrupted");
}

#[test]
fn a_later_signal_ends_at_once() {
    let directory = tempfile::tempdir().unwrap();
    // A pipe that is full and that nobody reads: printing the page cannot come to an end.
    let (unread, mut full) = std::io::pipe().unwrap();
    full.write_all(&vec![0; fcntl_getpipe_size(&full).unwrap()]).unwrap();
    let mut child = long_survey(directory.path(), full.into());
    let talk = begun(&mut child, directory.path());
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    thread::sleep(Duration::from_secs(2));
    assert_eq!(child.try_wait().unwrap(), None, "printing did not wait");
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let deadline = Instant::now() + Duration::from_secs(60);
    let status = loop {
        match child.try_wait().unwrap() {
            Some(status) => break status,
            None if Instant::now() < deadline => thread::sleep(Duration::from_millis(10)),
            None => {
                child.kill().unwrap();
                panic!("still there");
            }
        }
    };
    assert_eq!(status.code(), Some(130));
    drop((talk, unread));
}
