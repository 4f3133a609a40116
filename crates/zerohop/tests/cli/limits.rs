//! Limits of the shell (`ulimit`) under which the program used to crash.

use std::fs;
use std::path::Path;
use std::process::Output;

use crate::binary::started_by;

/// What `zerohop` does where the shell sets that limit; `rest` is what else the shell is told.
fn within(limit: &str, arguments: &[&str], rest: &str, directory: &Path) -> Output {
    let script = format!("ulimit {limit} && exec \"$0\" \"$@\" {rest}");
    started_by("sh", &["-c", &script]).current_dir(directory).args(arguments).output().unwrap()
}

/// Asserts that it ended with an error in words, and not by a signal.
fn assert_told(output: &Output, words: &str) {
    let talk = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{:?}: {talk}", output.status);
    assert!(talk.contains("error: ") && talk.contains("hint: ") && talk.contains(words), "{talk}");
}

/// The stack overflowed, and the process was aborted.
#[test]
fn a_stack_that_is_too_small_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    for arguments in [&["survey"][..], &["machine", "show"]] {
        assert_told(&within("-s 64", arguments, "", directory.path()), "ulimit -s");
    }
}

/// Where the program itself hardly fits, a survey was aborted.
#[test]
fn memory_that_runs_out_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    let starts = |kib: &u32| {
        let output = within(&format!("-v {kib}"), &["--version"], "", directory.path());
        output.status.success()
    };
    // How large the program is depends on how it was built.
    let least = (4..400).map(|step| step * 1000).find(starts).unwrap();
    for more in [0, 500, 1500] {
        let limit = format!("-v {}", least + more);
        assert_told(&within(&limit, &["survey", "--budget", "1s"], "", directory.path()), "");
    }
    fs::write(directory.path().join("large.txt"), "x".repeat(least as usize * 1024)).unwrap();
    let limit = format!("-v {}", least + least / 2);
    assert_told(&within(&limit, &["import", "large.txt"], "", directory.path()), "out of memory");
}

/// A page in a file ended the process without a word.
#[test]
fn a_file_that_may_not_grow_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    let to_a_file = within("-f 1", &["machine", "list", "--format", "json"], "> list.json", directory.path());
    let talk = String::from_utf8_lossy(&to_a_file.stderr);
    assert_eq!(to_a_file.status.code(), Some(2), "{:?}: {talk}", to_a_file.status);
    assert!(talk.contains("error: cannot write to standard output: File too large"), "{talk}");
    let output =
        within("-f 1", &["machine", "list", "--format", "json", "-o", "own.json"], "", directory.path());
    assert_told(&output, "cannot write `own.json`: File too large");
}
