//! SIGINT, SIGTERM and SIGHUP while something is simulated: it ends within half a second, and what was done is kept.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::binary::started_by;
use crate::validator;

/// Half a second is what a user gets; tests run in an unoptimized program beside many others.
const SOON: Duration = Duration::from_secs(30);

fn start(directory: &Path, arguments: &[&str]) -> Child {
    // Tests that `nohup` runs would pass on that it is to be ignored.
    started_by("env", &["--default-signal=HUP"])
        .current_dir(directory)
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Sends `signal`, and waits for the end, which must come soon and with the status of an interruption; gives standard output and
/// standard error.
fn stop(mut child: Child, signal: Signal) -> (String, String) {
    assert_eq!(child.try_wait().unwrap(), None, "it ended before it could be stopped");
    let sent = Instant::now();
    kill_process(Pid::from_child(&child), signal).unwrap();
    let output = child.wait_with_output().unwrap();
    let took = sent.elapsed();
    let talk = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{talk}");
    assert!(took < SOON, "{took:?}");
    (String::from_utf8(output.stdout).unwrap(), talk)
}

fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !is_so() {
        assert!(Instant::now() < deadline, "{what}");
        thread::sleep(Duration::from_millis(5));
    }
}

/// The result, which is whole.
fn result_at(path: &Path) -> Value {
    let result = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    validator::check_result(&result);
    result
}

/// An experiment of which no simulation is done within minutes: 64 cores stream to eight nodes.
const LONG: [&str; 5] = ["run", "ramp", "--on", "opteron-6274-4s", "--duration=10s"];

#[test]
fn a_simulation_ends_in_the_middle_of_a_workload() {
    for (threads, signal) in [("1", Signal::INT), ("2", Signal::TERM), ("1", Signal::HUP)] {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("out.json");
        let arguments = [&LONG[..], &["--threads", threads, "-o", "out.json"]].concat();
        let child = start(directory.path(), &arguments);
        wait_until("nothing was begun", || path.exists());
        // Before the first sample, and in the middle of it.
        if threads == "2" {
            thread::sleep(Duration::from_millis(500));
        }
        let (_, talk) = stop(child, signal);
        assert!(talk.contains("ramp: stopped") && talk.contains("interrupted: "), "{talk}");
        let result = result_at(&path);
        assert_eq!(result["completion"], "interrupted");
        assert_eq!(result["experiments"][0]["completion"], "interrupted");
    }
}

#[test]
fn a_simulated_survey_keeps_the_experiments_that_were_done() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("out/result.json");
    let child = start(directory.path(), &["survey", "--on", "xeon-phi-7250", "--all", "-o", "out"]);
    let experiments = || {
        let text = fs::read_to_string(&path).unwrap_or_default();
        // What is on the disk is whole at any time.
        let result: Value = if text.is_empty() { Value::Null } else { serde_json::from_str(&text).unwrap() };
        result["experiments"].as_array().map_or(0, Vec::len)
    };
    wait_until("no experiment was done", || experiments() > 0);
    let (page, _) = stop(child, Signal::TERM);
    let result = result_at(&path);
    assert_eq!(result["completion"], "interrupted");
    let completions: Vec<_> =
        result["experiments"].as_array().unwrap().iter().map(|one| &one["completion"]).collect();
    assert_eq!(
        (completions[0], completions[completions.len() - 1]),
        (&Value::from("complete"), &Value::from("interrupted"))
    );
    assert_eq!(fs::read_to_string(directory.path().join("out/survey.txt")).unwrap(), page);
}

#[test]
fn a_signal_at_any_moment_leaves_a_whole_result() {
    for milliseconds in [0, 10, 40, 100, 250] {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("out.json");
        let child =
            start(directory.path(), &["run", "crossfire", "--all", "--on", "quartet", "-o", "out.json"]);
        wait_until("nothing was begun", || path.exists());
        thread::sleep(Duration::from_millis(milliseconds));
        stop(child, Signal::INT);
        assert_eq!(result_at(&path)["completion"], "interrupted");
        let left: Vec<_> =
            fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["out.json"], "a draft is left");
    }
}

#[test]
fn an_interrupted_reproduction_shows_the_studies_that_are_done() {
    let directory = tempfile::tempdir().unwrap();
    let quick = r#"
name = "quick"
title = "One reader on a square"
machine = "quartet"
document = { title = "Notes", publisher = "Someone", number = "1", date = "2006" }
[run]
hops = "hops --initiators 0"
[place]
near = { at = { kernel = "read", target = 0 } }
[[passage]]
id = "fig-1"
label = "Fig. 1"
about = "one reader"
grade = "predicted"
reason = "nothing was fitted to it"
run = "hops"
tolerance = "1 pp"
value = [{ at = "near", published = "100 %" }]
"#;
    fs::write(directory.path().join("quick.toml"), quick).unwrap();
    let long =
        quick.replace("\"quick\"", "\"long\"").replace("--initiators 0", "--initiators 0 --duration 10s");
    fs::write(directory.path().join("long.toml"), long).unwrap();
    let mut child = start(directory.path(), &["reproduce", "quick.toml", "long.toml"]);
    let mut talk = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.starts_with("long: ") {
        line.clear();
        assert!(talk.read_line(&mut line).unwrap() > 0, "it ended before the second study");
    }
    assert_eq!(line, "long: 1 run on quartet\n");
    // The first is done by then, and the other takes minutes.
    thread::sleep(Duration::from_secs(2));
    child.stderr = Some(talk.into_inner());
    let (page, said) = stop(child, Signal::TERM);
    assert!(page.contains("reproduce quick") && !page.contains("reproduce long"), "{page}");
    let said: Vec<&str> = said.lines().collect();
    assert!(
        matches!(said[..], [.., quick, "interrupted: 1 of 2 studies are complete"] if quick.starts_with("quick: 1 of 1")),
        "{said:?}"
    );
}

#[test]
fn an_interrupted_sweep_ends_in_the_middle_of_a_point() {
    let directory = tempfile::tempdir().unwrap();
    let arguments =
        ["sweep", "quartet", "--set", "home.k8.latency=10ns,20ns", "--experiment", "hops --duration 10s"];
    let child = start(directory.path(), &[&arguments[..], &["--solver", "event", "-o", "a.csv"]].concat());
    wait_until("it was not begun", || directory.path().join("a.csv.journal").exists());
    thread::sleep(Duration::from_millis(300));
    let (_, said) = stop(child, Signal::INT);
    assert!(said.contains("interrupted: 0 of 2 points are complete"), "{said}");
}

#[test]
fn a_log_says_how_far_a_simulation_is_only_by_what_is_done() {
    let directory = tempfile::tempdir().unwrap();
    let mut child = start(directory.path(), &LONG);
    thread::sleep(Duration::from_secs(1));
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let mut talk = String::new();
    child.stderr.take().unwrap().read_to_string(&mut talk).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(!talk.contains(" left"), "{talk}");
}

/// Until its first run began, a sweep looked for signals only between points; before that, the signal ended it without a word.
#[test]
fn a_sweep_stops_while_it_reads_and_plans() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("ring.toml"), crate::folder::ring(1024)).unwrap();
    let arguments =
        ["sweep", "./ring.toml", "--set", "coherence.lookup=1ns,2ns", "--experiment", "latency-matrix"];
    let sweep = start(directory.path(), &[&arguments[..], &["-o", "a.csv"]].concat());
    let status = format!("/proc/{}/status", sweep.id());
    wait_until("signals are not watched", || {
        fs::read_to_string(&status).is_ok_and(|status| status.contains("Threads:\t2"))
    });
    let (page, talk) = stop(sweep, Signal::TERM);
    assert_eq!((page.as_str(), talk.as_str()), ("", "interrupted before anything was measured\n"));
    assert!(!directory.path().join("a.csv").exists());
}

/// Planning a million cells did not look for signals: it went on for minutes.
#[test]
fn planning_stops_at_once() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("ring.toml"), crate::folder::ring(1024)).unwrap();
    let survey = start(directory.path(), &["survey", "--on", "./ring.toml", "-o", "out"]);
    let status = format!("/proc/{}/status", survey.id());
    // Signals are watched from then on, and planning begins.
    wait_until("signals are not watched", || {
        fs::read_to_string(&status).is_ok_and(|status| status.contains("Threads:\t2"))
    });
    thread::sleep(Duration::from_millis(300));
    let (page, talk) = stop(survey, Signal::INT);
    assert_eq!((page.as_str(), talk.as_str()), ("", "interrupted before anything was measured\n"));
    assert!(!directory.path().join("out/result.json").exists());
}

/// The first sign of life came after up to 11 s.
#[test]
fn preparing_is_said_before_anything_is_measured() {
    let run = crate::binary::zerohop()
        .args(["run", "latency-matrix", "--quick", "--budget", "1s"])
        .output()
        .unwrap();
    let talk = String::from_utf8(run.stderr).unwrap();
    let place = |words: &str| talk.find(words).unwrap_or_else(|| panic!("no `{words}` in {talk}"));
    assert!(place("preparing") < place("latency-matrix"), "{talk}");
}
