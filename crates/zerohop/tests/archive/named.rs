//! What names an archive, and what is shown of its name.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::drawn::Drawn;
use crate::serve::Serving;
use crate::server::{Server, free_port};
use crate::{printed, said, zerohop};

#[test]
fn an_archive_that_would_keep_nothing_takes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    Drawn::new(1, 1).write(&folder.path().join("in"));
    for (name, words) in [
        ("", "the value is empty; is a variable unset?"),
        (" ", "the name of the archive is empty"),
        (":memory:", "it would be lost at exit"),
        ("sqlite::memory:", "it would be lost at exit"),
        ("file:x.sqlite?mode=memory", "cannot start with `file:`"),
        ("file:x.sqlite", "cannot start with `file:`"),
        ("new/", "`new/` is a directory"),
        ("in", "`in` is a directory"),
        ("postgres:x.sqlite", "expected `postgresql://`"),
    ] {
        let (shown, talk, status) =
            said(folder.path(), "a.sqlite", &["archive", "add", "in", "--archive", name]);
        assert!(status == 2 && shown.is_empty() && talk.contains(words), "{name}: {talk}");
        assert!(talk.contains("hint: "), "{name}: {talk}");
        let mut by_variable = zerohop(folder.path(), name);
        let output = by_variable
            .env("HOME", folder.path())
            .env_remove("XDG_DATA_HOME")
            .args(["archive", "list"])
            .output()
            .unwrap();
        let talk = String::from_utf8(output.stderr).unwrap();
        // An empty variable counts as unset.
        let expected = if name.is_empty() { "/.local/share/zerohop/archive.sqlite" } else { words };
        assert!(output.status.code() == Some(2) && talk.contains(expected), "{name}: {talk}");
    }
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["in"]);
}

#[test]
fn no_message_repeats_a_password() {
    let folder = tempfile::tempdir().unwrap();
    for name in [
        "postgresql://me:s3cret?x@/z?host=127.0.0.1&port=1",
        "postgresql://me:s3cret@127.0.0.1:1/z",
        "postgresql://me:s3cret@@127.0.0.1:1/z",
        "postgresql://me:s3cret/x@127.0.0.1:1/z",
        "postgresql://127.0.0.1:1/z?passwort=s3cret",
        "host=127.0.0.1 port=1 password=s3cret",
        "host=127.0.0.1 port=1 pass word=s3cret",
        "user=me password = 's3cret",
        "jdbc:postgresql://127.0.0.1/z?password=s3cret",
        "postgres:me:s3cret@127.0.0.1",
    ] {
        let archive = format!("--archive={name}");
        for arguments in [
            &["archive", "list", &archive] as &[&str],
            &["serve", &archive],
            &["survey", &archive, "quartet"],
        ] {
            let (shown, talk, status) = said(folder.path(), "", arguments);
            assert_eq!(status, 2, "{arguments:?}: {talk}");
            assert!(!(shown + &talk).contains("s3cret"), "{arguments:?}: {talk}");
        }
        let (shown, talk, status) = said(folder.path(), name, &["archive", "machines"]);
        assert!(status == 2 && !(shown + &talk).contains("s3cret"), "{name}: {talk}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    let help = printed(folder.path(), "postgresql://me:s3cret@db/z", &["archive", "list", "--help"]);
    assert!(!help.contains("s3cret"), "{help}");
}

/// The password was cut at its `?`; terminals and everyone who asked the server saw the rest of it.
#[test]
#[ignore = "long: starts a server of PostgreSQL"]
fn what_is_served_of_a_database_is_its_name_and_its_host() {
    let (folder, port) = (tempfile::tempdir().unwrap(), free_port());
    let database = Server::start(Some(port));
    database.sql("CREATE ROLE s3cret LOGIN SUPERUSER PASSWORD 'ri?ght'");
    let url = format!("postgresql://s3cret:ri?ght@/postgres?host=127.0.0.1&port={port}");
    let pairs = format!("host=127.0.0.1 port={port} user=s3cret password=ri?ght dbname=postgres");
    let shown = format!("PostgreSQL database postgres on 127.0.0.1:{port}");
    Drawn::new(1, 1).write(&folder.path().join("in"));
    for name in [url.as_str(), &pairs] {
        let (page, talk, status) = said(folder.path(), name, &["archive", "add", "in"]);
        assert!(status == 0 && talk.contains(&shown), "{talk}");
        let list = printed(folder.path(), name, &["archive", "list"]);
        let document = printed(folder.path(), name, &["archive", "machines", "--format", "json"]);
        let server = Serving::start(folder.path(), name, &["--read-only"]);
        let served = server.get("/api/v1/machines");
        assert!(served.contains(&format!("\"archive\": \"{shown}\"")), "{served}");
        for text in [&page, &talk, &list, &document, &served, &server.get("/"), &server.get("/results")] {
            assert!(!text.contains("ri?ght") && !text.contains("s3cret"), "{text}");
        }
    }
}

/// A password had to stand in the list of arguments, which all users of a host see.
#[test]
#[ignore = "long: starts a server of PostgreSQL"]
fn a_password_comes_from_where_psql_finds_it() {
    let (folder, port) = (tempfile::tempdir().unwrap(), free_port());
    let database = Server::start(Some(port));
    let home = folder.path();
    Drawn::new(1, 1).write(&home.join("in"));
    let asked = |variables: &[(&str, &str)], archive: &str| {
        let mut command = zerohop(home, archive);
        command.env("HOME", home).envs(variables.iter().copied()).args(["archive", "add", "in"]);
        let output = command.output().unwrap();
        (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let url = database.address("127.0.0.1");
    let (status, talk) = asked(&[], &url);
    assert!(status == 2 && talk.contains("password missing") && talk.contains("hint: "), "{talk}");
    assert!(talk.contains("PGPASSWORD") && talk.contains("~/.pgpass"), "{talk}");
    let (status, talk) = asked(&[("PGPASSWORD", "s3cret")], &url);
    assert!(status == 0 && talk.contains("1 result added"), "{talk}");
    let port = port.to_string();
    let all = [
        ("PGHOST", "127.0.0.1"),
        ("PGPORT", port.as_str()),
        ("PGUSER", "postgres"),
        ("PGDATABASE", "postgres"),
        ("PGPASSWORD", "s3cret"),
    ];
    assert_eq!(asked(&all, "postgresql://").0, 0);
    let line = format!("127.0.0.1:{port}:postgres:postgres:s3cret\n");
    write(&home.join(".pgpass"), &line, 0o600);
    assert_eq!(asked(&[], &url).0, 0);
    write(
        &home.join(".pg_service.conf"),
        &format!("[team]\nhost=127.0.0.1\nport={port}\nuser=postgres\n"),
        0o644,
    );
    assert_eq!(asked(&[], "postgresql:///postgres?service=team").0, 0);
    write(&home.join(".pgpass"), &line, 0o644);
    let (status, talk) = asked(&[], &url);
    assert!(status == 2 && talk.contains("users other than its owner can access it"), "{talk}");
}

fn write(file: &Path, text: &str, mode: u32) {
    fs::write(file, text).unwrap();
    fs::set_permissions(file, Permissions::from_mode(mode)).unwrap();
}
