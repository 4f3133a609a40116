//! What an archive answers to requests that it cannot carry out as they are.

use std::fs;
use std::fs::File;
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, fcntl_lock};
use rustix::process::{Pid, Signal, kill_process};

use crate::drawn::Drawn;
use crate::robustness::damage_a_text;
use crate::{printed, said, zerohop};

const ARCHIVE: &str = "a.sqlite";

/// An archive with results of two machines.
fn of_two() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (machine, day) in [(1, 1), (1, 2), (2, 3)] {
        Drawn::new(machine, day).write(&folder.path().join("in"));
    }
    printed(folder.path(), ARCHIVE, &["archive", "add", "in"]);
    folder
}

/// `rename ' node-02'` made one machine of two, without a word.
#[test]
fn two_machines_become_one_only_if_they_should() {
    let folder = of_two();
    for name in ["node-02", " node-02 "] {
        let (_, talk, status) = said(folder.path(), ARCHIVE, &["archive", "rename", "node-01", name]);
        assert!(status == 2 && talk.contains("another machine named `node-02`"), "{talk}");
        assert!(talk.contains("hint: `zerohop archive rename --merge`"), "{talk}");
    }
    let machines = || printed(folder.path(), ARCHIVE, &["archive", "machines", "--format", "csv"]);
    assert_eq!(machines().lines().count(), 3);
    printed(folder.path(), ARCHIVE, &["archive", "rename", "node-01", "node-01"]);
    printed(folder.path(), ARCHIVE, &["archive", "rename", "--merge", "node-01", "node-02"]);
    assert_eq!(machines().lines().count(), 2);
}

/// Two blanks of Hangul, a braille cell without a dot and others were names.
#[test]
fn what_nobody_sees_is_no_name() {
    let folder = of_two();
    for name in [
        "\u{3164}",
        "\u{115f}",
        "\u{2800}",
        "\u{34f}",
        "\u{ad}",
        "\u{e0041}\u{e007f}",
        "\u{2066}",
        "a\u{3164}",
    ] {
        let (_, talk, status) = said(folder.path(), ARCHIVE, &["archive", "rename", "node-01", name]);
        assert!(status == 2 && talk.contains("invalid machine name"), "{name:?}: {talk}");
        assert!(!talk.chars().any(|c| c != '\n' && zerohop_result::is_obeyed(c)), "{talk:?}");
    }
}

/// The largest number was a failure of the database, and 40,000 names a lost connection.
#[test]
fn no_number_and_no_list_is_too_large_for_words() {
    let folder = of_two();
    let all = printed(
        folder.path(),
        ARCHIVE,
        &["archive", "list", "--last", "18446744073709551615", "--format", "csv"],
    );
    assert_eq!(all.lines().count(), 4);
    let mut many = vec!["archive", "list"];
    many.extend(std::iter::repeat_n("node-01", 12_000));
    let (_, talk, status) = said(folder.path(), ARCHIVE, &many);
    assert!(status == 2 && talk.contains("too many machines: 12000; the maximum is 10000"), "{talk}");
    assert!(printed(folder.path(), ARCHIVE, &many[..9_000]).lines().count() > 2);
}

#[test]
fn a_machine_of_which_nothing_counts_has_nothing_to_compare() {
    let folder = tempfile::tempdir().unwrap();
    Drawn { completion: "interrupted", ..Drawn::new(1, 1) }.write(&folder.path().join("in"));
    printed(folder.path(), ARCHIVE, &["archive", "add", "in"]);
    let (_, talk, status) = said(folder.path(), ARCHIVE, &["archive", "compare", "node-01"]);
    assert!(status == 2 && talk.contains("machine `node-01` has no usable result"), "{talk}");
}

#[test]
fn a_folder_without_results_adds_nothing_and_fails() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("in")).unwrap();
    let (_, talk, status) = said(folder.path(), ARCHIVE, &["archive", "add", "in"]);
    assert!(status == 2 && talk.contains("nothing was added: `in` contains no results"), "{talk}");
    fs::write(folder.path().join("in/note"), "hello").unwrap();
    let (_, talk, status) = said(folder.path(), ARCHIVE, &["archive", "add", "in", "in"]);
    assert!(
        status == 2 && talk.contains("skipped: in/note") && talk.contains("2 files and directories"),
        "{talk}"
    );
    // What is there already is fine.
    let folder = of_two();
    printed(folder.path(), ARCHIVE, &["archive", "add", "in"]);
}

/// The course of a value ended at the first damaged text.
#[test]
fn a_history_goes_on_behind_a_damaged_text() {
    let folder = tempfile::tempdir().unwrap();
    (1..=4).for_each(|day| Drawn::new(1, day).write(&folder.path().join("in")));
    printed(folder.path(), ARCHIVE, &["archive", "add", "in"]);
    let history = ["archive", "history", "node-01", "latency-matrix", "latency", "highest"];
    let whole = printed(folder.path(), ARCHIVE, &history);
    damage_a_text(&folder.path().join(ARCHIVE));
    let (shown, talk, status) = said(folder.path(), ARCHIVE, &history);
    assert!(status == 1 && talk.contains("is damaged") && talk.contains("skipped"), "{talk}");
    assert!(talk.contains("hint: "), "{talk}");
    assert!(shown.lines().count() + 1 >= whole.lines().count() && shown.contains("2026"), "{shown}");
}

/// A reader of an archive that another program had given a log left its files behind.
#[test]
fn a_reader_leaves_no_log_behind() {
    let folder = of_two();
    let path = folder.path().join(ARCHIVE);
    // How the file is written and read: with a write-ahead log.
    let mut bytes = fs::read(&path).unwrap();
    bytes[18..20].fill(2);
    fs::write(&path, bytes).unwrap();
    for verb in [&["archive", "list"][..], &["archive", "machines"], &["changes"]] {
        printed(folder.path(), ARCHIVE, verb);
        let names = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<_> = names.collect();
        names.sort();
        assert_eq!(names, ["a.sqlite", "in"], "{verb:?}");
    }
}

/// Ctrl-C during a wait for another program ended it without a word, or, after a survey, not at all for a minute.
#[test]
fn a_signal_ends_the_wait_for_another_program() {
    for verb in [&["archive", "rename", "node-01", "other"][..], &["archive", "list"]] {
        for signal in [Signal::TERM, Signal::INT] {
            let folder = of_two();
            let path = folder.path().join(ARCHIVE);
            let before = fs::read(&path).unwrap();
            // As another program locks it.
            let held = File::options().read(true).write(true).open(&path).unwrap();
            fcntl_lock(&held, FlockOperation::LockExclusive).unwrap();
            let mut command = zerohop(folder.path(), ARCHIVE);
            let mut child = command.args(verb).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
            let begun = Instant::now();
            // It waits, and has said what is to happen on a signal.
            let status = format!("/proc/{}/status", child.id());
            let catches = || {
                let status = fs::read_to_string(&status).unwrap_or_default();
                let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
                let caught = caught.and_then(|digits| u64::from_str_radix(digits.trim(), 16).ok());
                caught.is_some_and(|signals| signals & (1 << (signal.as_raw() - 1)) != 0)
            };
            while !catches() {
                assert!(begun.elapsed() < Duration::from_secs(60) && child.try_wait().unwrap().is_none());
                sleep(Duration::from_millis(5));
            }
            sleep(Duration::from_millis(100));
            kill_process(Pid::from_child(&child), signal).unwrap();
            let output = child.wait_with_output().unwrap();
            let talk = String::from_utf8(output.stderr).unwrap();
            assert!(begun.elapsed() < Duration::from_secs(110), "{talk}");
            assert_eq!(output.status.code(), Some(130), "{verb:?}: {talk}");
            assert!(talk.contains("nothing was changed since then"), "{talk}");
            drop(held);
            assert_eq!(fs::read(&path).unwrap(), before);
        }
    }
}

/// A survey of minutes was measured, and then could not be added.
#[test]
fn an_archive_that_cannot_be_written_is_noticed_before_anything_is_measured() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("file"), "").unwrap();
    fs::write(folder.path().join("text"), "no archive").unwrap();
    for archive in ["none/a.sqlite", "file/a.sqlite", "text"] {
        let option = format!("--archive={archive}");
        let arguments = ["survey", "--on", "quartet", "--solver", "flow", &option, "-o", "out"];
        let (shown, talk, status) = said(folder.path(), ARCHIVE, &arguments);
        assert!(status == 2 && shown.is_empty() && talk.contains("hint: "), "{archive}: {talk}");
        assert!(!folder.path().join("out").exists(), "{archive}: it was measured");
    }
}
