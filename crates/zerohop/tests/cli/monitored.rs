//! `check` for monitors: one line, whatever happens.

use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::binary::plain;

/// With an option before the verb, a monitor got no line, and a status that means a bad node.
#[test]
fn a_check_answers_its_monitor_behind_any_option() {
    for before in [&["--color", "never"][..], &["--color=never"], &["-q"], &["--sysfs-root", "none"]] {
        let output =
            plain().args(before).args(["check", "--format", "nagios", "--nonsense"]).output().unwrap();
        let line = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(3), "{before:?}: {line}");
        assert!(line.contains("UNKNOWN") && line.lines().count() == 1, "{before:?}: {line}");
    }
    // A word that only looks like the verb.
    let output = plain().args(["--color", "check", "survey", "--format", "nagios"]).output().unwrap();
    assert!(output.status.code() == Some(2) && output.stdout.is_empty());
}

/// A monitor that gives up sends a signal, and got nothing.
#[test]
fn a_check_that_is_stopped_answers_its_monitor() {
    for signal in [Signal::TERM, Signal::INT] {
        let mut command = plain();
        command.args(["check", "--format", "nagios", "--baseline", "/dev/stdin"]);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // It waits for its baseline. Its handlers are there once the kernel says so.
        let limit = Instant::now() + Duration::from_secs(60);
        let caught = |pid: u32| {
            let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
            let mask =
                status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap().trim().to_owned();
            u64::from_str_radix(&mask, 16).unwrap() >> 14 & 1 == 1
        };
        while !caught(child.id()) {
            assert!(Instant::now() < limit, "it watches for no signal");
            sleep(Duration::from_millis(10));
        }
        sleep(Duration::from_millis(200));
        kill_process(Pid::from_child(&child), signal).unwrap();
        let stdin = child.stdin.take();
        let output = child.wait_with_output().unwrap();
        drop(stdin);
        let line = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(3), "{line}");
        assert!(line.contains("UNKNOWN") && line.contains("stopped by a signal"), "{line}");
        assert_eq!(line.lines().count(), 1, "{line}");
    }
}
