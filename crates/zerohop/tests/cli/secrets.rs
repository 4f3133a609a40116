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
        "postgresql://db.invalid/z&password=s3cret",
        "host=db.invalid;user=me;password=s3cret",
        "{\"password\":\"s3cret\"}",
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

/// A wrong sign between two options made the password a part of a host's name, or of a database's, which messages repeated.
#[test]
fn no_name_of_an_archive_repeats_a_password_that_is_part_of_another_option() {
    let directory = tempfile::tempdir().unwrap();
    for name in [
        "postgresql://h.invalid/db&password=s3cret",
        "postgresql://h.invalid/db;password=s3cret",
        "postgresql://h.invalid;password=s3cret/db",
        "postgresql:///db?host=/x;password=s3cret",
        "host=h.invalid;user=u;password=s3cret",
        "host=h.invalid,user=u,password=s3cret",
        "host=h.invalid&password=s3cret",
        "dbname=x;password=s3cret",
        "user=u:s3cret host=h.invalid",
        "user=u/s3cret host=h.invalid",
        "host=u:s3cret@h.invalid",
        "{\"password\":\"s3cret\"}",
        "host=h.invalid dbname=postgresql://u:s3cret@h/db",
        "host=h.invalid sslrootcert=/x;password=s3cret",
    ] {
        for verb in [["archive", "list"], ["archive", "machines"], ["serve", "--quiet"]] {
            let archive = format!("--archive={name}");
            let output = plain().current_dir(directory.path()).args(verb).arg(archive).output().unwrap();
            let printed = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
            assert!(!printed.contains("s3cret"), "{name}: {printed}");
            assert!(output.status.code() == Some(2) && printed.contains("hint: "), "{name}: {printed}");
        }
    }
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0, "no file has such a name");
}

/// The record of a fleet and the command line of ssh had the password, which every user of the host could read.
#[test]
fn a_fleet_passes_no_password_on() {
    let directory = tempfile::tempdir().unwrap();
    let run = ["fleet", "run", "-o", "fs", "--launcher", "ssh", "--nodelist", "n1.invalid", "--"];
    let output = plain()
        .current_dir(directory.path())
        .args(run)
        .arg("--archive=postgresql://u:s3cret@h/db")
        .output()
        .unwrap();
    let printed = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    assert!(output.status.code() == Some(2) && printed.contains("~/.pgpass on the nodes"), "{printed}");
    assert!(!printed.contains("s3cret") && !directory.path().join("fs").exists(), "{printed}");
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
