//! Passwords in the wrong place: a database is named where a file is expected.

use crate::binary::plain;

/// Each of these took the name for a file's, and repeated the password on the terminal, in a log or in a monitor's line.
#[test]
fn no_verb_repeats_a_password_that_stands_where_a_file_is_expected() {
    let directory = tempfile::tempdir().unwrap();
    let verbs: [&[&str]; 14] = [
        &["report"],
        &["show"],
        &["diagnose"],
        &["import"],
        &["compare", "a.json"],
        &["archive", "add"],
        &["fleet", "analyse"],
        &["calibrate"],
        &["machine", "show"],
        &["survey", "--on"],
        &["advise", "distances"],
        &["check", "--format", "nagios", "--baseline"],
        &["serve", "--token-file"],
        &["archive", "list", "--archive"],
    ];
    let names = [
        "postgresql://me:s3cret@db.invalid/z?nonsense=1",
        "pgsql://me:s3cret@db.invalid/z",
        "postgres:/me:s3cret@db.invalid/z",
        "Host=h;Password=s3cret",
        "me:s3cret@db.invalid/z",
        "PGPASSWORD=s3cret",
        "mysql://me:s3cret@db.invalid",
        "https://me:s3cret@db.invalid/a.json",
    ];
    for verb in verbs {
        for name in names {
            let mut command = plain();
            let output = command
                .current_dir(directory.path())
                .env("ZEROHOP_ARCHIVE", "a.sqlite")
                .args(verb)
                .arg(name)
                .output()
                .unwrap();
            let printed = [output.stdout, output.stderr].concat();
            let printed = String::from_utf8(printed).unwrap();
            assert!(!printed.contains("s3cret"), "{verb:?} {name}: {printed}");
            let expected = if verb[0] == "check" { 3 } else { 2 };
            assert_eq!(output.status.code(), Some(expected), "{verb:?} {name}: {printed}");
            assert!(printed.contains("hint: "), "{verb:?} {name}: {printed}");
        }
    }
}

/// A file that is there is meant, whatever its name.
#[test]
fn a_file_that_is_there_is_read_under_any_name() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("me:x@y.txt"), "").unwrap();
    let output = plain().current_dir(directory.path()).args(["show", "me:x@y.txt"]).output().unwrap();
    let talk = String::from_utf8(output.stderr).unwrap();
    assert!(talk.contains("`me:x@y.txt`") && !talk.contains("password"), "{talk}");
}
