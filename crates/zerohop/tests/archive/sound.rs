//! Reading verbs write nothing, and no verb writes into what is no archive.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use crate::drawn::Drawn;
use crate::server::Server;
use crate::{ids, printed, said};

/// Every verb that reads an archive.
const READING: [&[&str]; 14] = [
    &["archive", "list"],
    &["archive", "machines"],
    &["archive", "history", "node-01"],
    &["archive", "show", "019"],
    &["archive", "text", "019"],
    &["archive", "compare", "node-01"],
    &["archive", "export", "-o", "out"],
    &["archive", "export", "--format", "openmetrics"],
    &["archive", "prune", "--before", "1d", "--dry-run"],
    &["archive", "prune", "--damaged", "--dry-run"],
    &["changes"],
    &["changes", "--strict"],
    &["fleet", "analyse", "--archive"],
    &["serve", "--read-only", "--listen", "127.0.0.1:0"],
];

/// Every verb that changes one that is there.
const CHANGING: [&[&str]; 4] = [
    &["archive", "rename", "node-01", "other"],
    &["archive", "prune", "--unusable"],
    &["archive", "prune", "--damaged"],
    &["archive", "verify"],
];

/// Every file of a folder, and its bytes.
fn all(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let files =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_file());
    let mut all: Vec<_> = files.map(|path| (path.display().to_string(), fs::read(&path).unwrap())).collect();
    all.sort();
    all
}

/// `archive list` put seven tables into a database of another program, and 61 kB into an empty file.
#[test]
fn what_is_no_archive_is_named_and_stays_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    Drawn::new(1, 1).write(&at("in"));
    printed(folder.path(), "a.sqlite", &["archive", "add", "in"]);
    // A database with the same tables that does not say that it is of zerohop.
    let mut bytes = fs::read(at("a.sqlite")).unwrap();
    bytes[68..72].fill(0);
    fs::write(at("other.db"), bytes).unwrap();
    fs::write(at("result.json"), Drawn::new(1, 1).value().to_string()).unwrap();
    fs::write(at("notes.txt"), "no database").unwrap();
    fs::write(at("empty"), "").unwrap();
    let before = all(folder.path());
    for (archive, words) in [
        ("other.db", "is a database of another program, with the tables archive, document, latest"),
        ("result.json", "is a result, which `zerohop archive add` adds to an archive"),
        ("notes.txt", "is a text"),
        ("in", "is a directory"),
        ("empty", "is an empty file"),
        ("absent/a.sqlite", "no archive"),
    ] {
        for arguments in READING.iter().chain(&CHANGING) {
            let (_, talk, status) = said(folder.path(), archive, arguments);
            assert!(status == 2 && talk.contains(words), "{archive}, {arguments:?}: {status}: {talk}");
            assert!(talk.contains("hint: "), "{talk}");
        }
    }
    for (archive, words) in [
        ("other.db", "is not a zerohop archive"),
        ("result.json", "is not a zerohop archive"),
        ("notes.txt", "is not a zerohop archive"),
        ("in", "is a directory, not an archive file"),
    ] {
        let (_, talk, status) = said(folder.path(), archive, &["archive", "add", "in"]);
        assert!(status == 2 && talk.contains(words), "{talk}");
        let (_, talk, status) = said(folder.path(), archive, &["serve", "--listen", "127.0.0.1:0"]);
        assert!(status == 2 && talk.contains(words), "{talk}");
        // Before it measures.
        let option = format!("--archive={archive}");
        let survey = ["survey", "--on", "sr665-v3", "--solver", "flow", "--quick", &option];
        let (page, talk, status) = said(folder.path(), archive, &survey);
        assert!(status == 2 && page.is_empty() && talk.contains(words), "{talk}");
    }
    assert_eq!(all(folder.path()), before);
    assert!(!at("absent").exists());
    // A slip in a path makes no folders.
    let (_, talk, status) = said(folder.path(), "absent/a.sqlite", &["archive", "add", "in"]);
    assert!(status == 2 && talk.contains("no such directory: `"), "{talk}");
    assert!(!at("absent").exists());
    // Whoever adds makes an archive of an empty file, and of none.
    for archive in ["empty", "new.sqlite"] {
        printed(folder.path(), archive, &["archive", "add", "in"]);
        assert_eq!(ids(folder.path(), archive).len(), 1);
    }
}

#[test]
fn reading_verbs_leave_an_archive_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    for day in 0..3 {
        Drawn::new(1, day).write(&folder.path().join("in"));
    }
    printed(folder.path(), "a.sqlite", &["archive", "add", "in"]);
    let before = all(folder.path());
    for arguments in READING.iter().filter(|arguments| arguments[0] != "serve") {
        let (_, talk, status) = said(folder.path(), "a.sqlite", arguments);
        assert!((0..=3).contains(&status) && !talk.contains("readonly"), "{arguments:?}: {talk}");
        assert_eq!(all(folder.path()), before, "{arguments:?}");
    }
}

/// SQLite takes `:memory:` for an archive that is gone when the program ends.
#[test]
fn no_name_stands_for_an_archive_in_memory() {
    for archive in [":memory:", "file:x.db?mode=memory", "./:memory:"] {
        let folder = tempfile::tempdir().unwrap();
        Drawn::new(1, 1).write(&folder.path().join("in"));
        let (_, talk, status) = said(folder.path(), archive, &["archive", "add", "in"]);
        // It is refused, or a file of this name.
        let is_kept = || folder.path().join(archive).is_file() && ids(folder.path(), archive).len() == 1;
        assert!(status == 2 || is_kept(), "{archive}: {status}: {talk}");
    }
}

#[test]
#[ignore = "long: starts a server of PostgreSQL"]
fn a_server_gets_tables_from_writers_only_and_never_beside_those_of_others() {
    let (folder, server) = (tempfile::tempdir().unwrap(), Server::start(None));
    let archive = server.url();
    Drawn::new(1, 1).write(&folder.path().join("in"));
    let psql = |statement: &str| {
        let output = Command::new("psql").args(["-At", "-c", statement, &archive]).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let tables = || psql("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1");
    for arguments in READING.iter().chain(&CHANGING) {
        let (_, talk, status) = said(folder.path(), &archive, arguments);
        assert!(status == 2 && talk.contains("no archive"), "{arguments:?}: {talk}");
        assert!(talk.contains("hint: create it with `zerohop archive add FILE`"), "{talk}");
    }
    assert_eq!(tables(), "");
    for table in ["archive", "machine"] {
        psql(&format!("CREATE TABLE {table} (a INT)"));
        for arguments in [&["archive", "list"][..], &["archive", "add", "in"]] {
            let (_, talk, status) = said(folder.path(), &archive, arguments);
            let words = format!("a database with a table `{table}` of another program");
            assert!(status == 2 && talk.contains(&words), "{talk}");
        }
        assert_eq!(tables().trim(), table);
        psql(&format!("DROP TABLE {table}"));
    }
    printed(folder.path(), &archive, &["archive", "add", "in"]);
    assert_eq!(ids(folder.path(), &archive).len(), 1);
    // Lost tables of the index are made again.
    psql("DROP TABLE reading");
    let (_, talk, status) = said(folder.path(), &archive, &["archive", "history", "node-01"]);
    assert!(
        status == 2 && talk.contains("the index of the archive") && talk.contains("archive verify"),
        "{talk}"
    );
    printed(folder.path(), &archive, &["archive", "verify"]);
    printed(folder.path(), &archive, &["archive", "history", "node-01"]);
    // Whoever may only read it can.
    psql("CREATE ROLE reader LOGIN; GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader");
    let reader = archive.replace("user=postgres", "user=reader");
    assert_eq!(ids(folder.path(), &reader).len(), 1);
    let (_, talk, status) = said(folder.path(), &reader, &["archive", "add", "in"]);
    assert!(status == 2 && talk.contains("permission denied"), "{talk}");
}

/// What a writer leaves that is killed in the middle of a change is undone by a reader who may, and named by one who may not.
#[test]
fn what_a_killed_writer_left_is_undone_or_named() {
    let has_sqlite = Command::new("sqlite3").arg("-version").output().is_ok();
    // Only root can be another user.
    if !rustix::process::geteuid().is_root() || !has_sqlite {
        return;
    }
    let (folder, killed) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for day in 0..3 {
        Drawn::new(1, day).write(&folder.path().join("in"));
    }
    printed(folder.path(), "a.sqlite", &["archive", "add", "in", "-q"]);
    let whole = fs::read(folder.path().join("a.sqlite")).unwrap();
    // With little memory, the file is written before the change is whole.
    let copy = |name: &str| format!(".shell cp {name} {}\n", killed.path().display());
    let lines = format!(
        "PRAGMA cache_size = 2;\nBEGIN IMMEDIATE;\nUPDATE document SET body = zeroblob(100000);\n{}{}ROLLBACK;\n",
        copy("a.sqlite"),
        copy("a.sqlite-journal")
    );
    fs::write(folder.path().join("lines"), lines).unwrap();
    let lines = fs::File::open(folder.path().join("lines")).unwrap();
    let mut sqlite = Command::new("sqlite3");
    assert!(sqlite.arg("a.sqlite").current_dir(folder.path()).stdin(lines).status().unwrap().success());
    let archive = killed.path().join("a.sqlite");
    assert_ne!(fs::read(&archive).unwrap(), whole);

    let program = killed.path().join("zerohop");
    fs::copy(snapbox::cmd::cargo_bin!("zerohop"), &program).unwrap();
    let mode = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    mode(killed.path(), 0o755);
    mode(&archive, 0o644);
    mode(&killed.path().join("a.sqlite-journal"), 0o644);
    let before = all(killed.path());
    let mut other = Command::new("setpriv");
    other.args(["--reuid", "65534", "--regid", "65534", "--clear-groups"]).arg(&program);
    let output =
        other.args(["archive", "list", "--archive", "a.sqlite"]).current_dir(killed.path()).output().unwrap();
    let talk = String::from_utf8(output.stderr).unwrap();
    assert!(talk.contains("has an unfinished change from a killed program"), "{talk}");
    assert!(
        output.status.code() == Some(2) && talk.contains("hint: ask a user with write permission"),
        "{talk}"
    );
    assert_eq!(all(killed.path()), before);

    assert_eq!(ids(killed.path(), "a.sqlite").len(), 3);
    assert_eq!(fs::read(&archive).unwrap(), whole);
}
