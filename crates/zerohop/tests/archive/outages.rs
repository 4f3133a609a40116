//! Databases that end connections, start again, or fall silent.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};
use std::thread::{scope, sleep};
use std::time::{Duration, Instant};

use rustix::process::Signal;
use zerohop_app::NamedResult;
use zerohop_archive::query::entry;
use zerohop_archive::{Access, Archive, ArchiveError, Environment, Filter, Location, Owner, Scope, Shows};
use zerohop_result::{ResultFile, Timestamp};

use crate::drawn::Drawn;
use crate::serve::Serving;
use crate::server::Server;
use crate::{ids, printed, said, zerohop};

/// The status of an answer, and the answer. A text is sent as an upload.
fn asked(server: &Serving, target: &str, text: Option<&str>) -> (u16, String) {
    let mut stream = TcpStream::connect(&server.address).unwrap();
    let heads = "host: localhost\r\nconnection: close\r\n";
    let request = match text {
        None => format!("GET {target} HTTP/1.1\r\n{heads}\r\n"),
        Some(text) => {
            format!("POST {target} HTTP/1.1\r\n{heads}content-length: {}\r\n\r\n{text}", text.len())
        }
    };
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    (answer.split(' ').nth(1).unwrap().parse().unwrap(), answer)
}

/// Each connection that the server of pages held gave an answer of 500, and uploads were lost.
#[test]
#[ignore = "long: starts a server of PostgreSQL"]
fn a_database_that_was_started_again_costs_no_answer() {
    let (folder, database) = (tempfile::tempdir().unwrap(), Server::start(None));
    for day in 0..6 {
        Drawn::new(1, day).write(&folder.path().join("in"));
    }
    printed(folder.path(), &database.url(), &["archive", "add", "in"]);
    let server = Serving::start(folder.path(), &database.url(), &[]);
    let ends: [&dyn Fn(); 3] = [&|| database.hang_up(), &|| database.restart(), &|| database.hang_up()];
    for (rank, end) in ends.into_iter().enumerate() {
        // Several connections.
        scope(|scope| {
            for _ in 0..6 {
                scope.spawn(|| assert_eq!(asked(&server, "/results", None).0, 200));
            }
        });
        end();
        let day = 100 + rank as u64;
        let upload = Drawn::new(2, day).value().to_string();
        let (status, answer) = asked(&server, "/api/v1/results", Some(&upload));
        assert!(status == 200 && answer.contains("\"added\""), "{answer}");
        end();
        for _ in 0..8 {
            let (status, answer) = asked(&server, "/api/v1/machines", None);
            assert_eq!(status, 200, "{answer}");
        }
        assert!(asked(&server, "/api/v1/results", None).1.contains(&Drawn::new(2, day).id()));
    }
}

/// A client that holds a lock until it is dropped.
struct Holder(Child);

impl Holder {
    fn of(server: &Server, statement: &str) -> Self {
        let mut child = server.psql().stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        writeln!(child.stdin.as_mut().unwrap(), "BEGIN; {statement}; SELECT 'held';").unwrap();
        let mut held = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        assert!(held.any(|line| line == "held"));
        Self(child)
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        // It ends with its input.
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}

/// The process of the server that waits for a lock of zerohop's, other than this one.
fn waiting(server: &Server, other: &str) -> String {
    let statement =
        "SELECT pid FROM pg_stat_activity WHERE application_name = 'zerohop' AND wait_event_type = 'Lock'";
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(60) {
        let found = server.sql(statement);
        if !found.is_empty() && found != other {
            return found;
        }
        sleep(Duration::from_millis(20));
    }
    panic!("nothing waits");
}

#[test]
#[ignore = "long: starts a server of PostgreSQL"]
fn a_connection_that_is_lost_within_an_add_costs_nothing() {
    let (folder, database) = (tempfile::tempdir().unwrap(), Server::start(None));
    for day in 0..3 {
        Drawn::new(1, day).write(&folder.path().join("in"));
    }
    printed(folder.path(), &database.url(), &["archive", "add", "in"]);
    // Before the transaction writes, and in its middle.
    let locks = ["SELECT pg_advisory_lock(8819581268094054400)", "LOCK TABLE document", "LOCK TABLE reading"];
    for (rank, lock) in locks.into_iter().enumerate() {
        let more = folder.path().join(format!("more-{rank}"));
        for day in 0..3 {
            Drawn::new(2 + rank as u64, day).write(&more);
        }
        let holder = Holder::of(&database, lock);
        let mut adding = zerohop(folder.path(), &database.url());
        let adding = adding.args(["archive", "add"]).arg(&more).stderr(Stdio::piped()).spawn().unwrap();
        let first = waiting(&database, "");
        database.hang_up();
        waiting(&database, &first);
        drop(holder);
        let output = adding.wait_with_output().unwrap();
        let talk = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success() && talk.contains("3 results added"), "{lock}: {talk}");
    }
    assert_eq!(ids(folder.path(), &database.url()).len(), 12);
    let (_, talk, status) = said(folder.path(), &database.url(), &["archive", "verify"]);
    assert_eq!(status, 0, "{talk}");
}

/// Nothing but the limit of an answer ended the wait, and a signal did not end the program.
#[test]
#[ignore = "long: starts a server of PostgreSQL, and waits half a minute"]
fn a_database_that_is_silent_is_said_to_be() {
    let (folder, database) = (tempfile::tempdir().unwrap(), Server::start(None));
    Drawn::new(1, 1).write(&folder.path().join("in"));
    printed(folder.path(), &database.url(), &["archive", "add", "in"]);
    let server = Serving::start(folder.path(), &database.url(), &[]);
    assert_eq!(asked(&server, "/results", None).0, 200);
    let halted = database.halt();
    // One connection is there already, and another would be new.
    scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let (status, answer) = asked(&server, "/api/v1/machines", None);
                assert!(status == 503 && answer.contains("request timed out after"), "{answer}");
                assert!(answer.contains("\"hint\":\"try again later"), "{answer}");
            });
        }
        scope.spawn(|| {
            let mut command = zerohop(folder.path(), &database.url());
            let output = command.env("PGCONNECT_TIMEOUT", "2").args(["archive", "list"]).output().unwrap();
            let talk = String::from_utf8(output.stderr).unwrap();
            assert!(
                output.status.code() == Some(2) && talk.contains("request timed out after 2 s"),
                "{talk}"
            );
            assert!(talk.contains("hint: try again later"), "{talk}");
        });
    });
    drop(halted);
    assert_eq!(asked(&server, "/results", None).0, 200);
    assert_eq!(server.end(Signal::TERM), 0);
}

#[test]
#[ignore = "long: starts a server of PostgreSQL"]
fn a_database_that_is_not_there_is_said_not_to_be() {
    let (folder, database) = (tempfile::tempdir().unwrap(), Server::start(None));
    Drawn::new(1, 1).write(&folder.path().join("in"));
    printed(folder.path(), &database.url(), &["archive", "add", "in"]);
    let (url, server) = (database.url(), Serving::start(folder.path(), &database.url(), &[]));
    drop(database);
    let (status, answer) = asked(&server, "/api/v1/machines", None);
    assert!(
        status == 503 && answer.contains("cannot reach the archive") && answer.contains("\"hint\""),
        "{answer}"
    );
    let upload = Drawn::new(2, 1).value().to_string();
    let (status, answer) = asked(&server, "/api/v1/results", Some(&upload));
    assert!(status == 503 && answer.contains("cannot reach the archive"), "{answer}");
    let (_, talk, status) = said(folder.path(), &url, &["archive", "list"]);
    assert!(
        status == 2 && talk.contains("cannot reach the archive") && talk.contains("hint: try again"),
        "{talk}"
    );
}

#[test]
#[ignore = "long: starts a server of PostgreSQL"]
fn a_user_without_rights_reads_what_may_be_read_and_is_told_what_is_missing() {
    let (folder, database) = (tempfile::tempdir().unwrap(), Server::start(None));
    Drawn::new(1, 1).write(&folder.path().join("in"));
    database.sql("CREATE ROLE reader LOGIN");
    let of_reader = database.url().replace("user=postgres", "user=reader");
    let (_, talk, status) = said(folder.path(), &of_reader, &["archive", "add", "in"]);
    assert!(status == 2 && talk.contains("permission denied for schema public"), "{talk}");
    assert!(talk.contains("hint: the first `zerohop archive add` creates tables"), "{talk}");
    // Its own schema comes first, and has no tables.
    database.sql("CREATE SCHEMA reader AUTHORIZATION reader");
    printed(folder.path(), &database.url(), &["archive", "add", "in"]);
    database.sql("GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader");
    assert_eq!(ids(folder.path(), &of_reader).len(), 1);
    Drawn::new(2, 1).write(&folder.path().join("in"));
    let (_, talk, status) = said(folder.path(), &of_reader, &["archive", "add", "in"]);
    assert!(
        status == 2 && talk.contains("permission denied by the archive") && talk.contains("hint: "),
        "{talk}"
    );
}

/// One result whose machine had such a name kept its whole batch out of PostgreSQL.
#[test]
#[ignore = "long: starts a server of PostgreSQL"]
fn names_that_a_file_takes_a_server_takes_too() {
    let (folder, database) = (tempfile::tempdir().unwrap(), Server::start(None));
    // Nothing that could be packed.
    let long: String =
        (0..20_000_u32).map(|rank| format!("{:08x}", rank.wrapping_mul(2_654_435_761))).collect();
    let file = folder.path().join("a.sqlite").display().to_string();
    for (name, nul) in [(&file, "a\0b"), (&database.url(), "a\u{2400}b")] {
        let location = Location::named(name, &Environment::of_process()).unwrap();
        let mut archive = Archive::open(&location, Access::Write).unwrap();
        let entries = ["a\0b", &long, "plain"].into_iter().enumerate().map(|(rank, name)| {
            let text = Drawn::new(rank as u64, 1).value().to_string();
            let result = ResultFile::read(&text).unwrap();
            let named = NamedResult { name: String::new(), result, machine: String::new() };
            let mut entry = entry(named, None).unwrap().entry;
            entry.machine = Owner::Called { name: name.to_owned(), shows: Shows::Nothing };
            entry
        });
        let entries: Vec<_> = entries.collect();
        archive.add(&entries, Timestamp::exactly(jiff::Timestamp::now())).unwrap();
        let mut names: Vec<String> = archive.machines().unwrap().into_iter().map(|one| one.name).collect();
        names.sort();
        let mut expected = [nul.to_owned(), long.clone(), "plain".to_owned()];
        expected.sort();
        assert_eq!(names, expected);
        for name in ["a\0b", &long] {
            assert_eq!(archive.history(name, Scope::Headlines).unwrap().runs.len(), 1);
        }
        let none = Filter { machines: vec!["\0".to_owned()], ..Filter::default() };
        assert!(matches!(archive.list(&none), Err(ArchiveError::NoMachine { .. })));
    }
    // Nor is a question for one an error of the server: nobody has such a name.
    let server = Serving::start(folder.path(), &database.url(), &["--read-only"]);
    for target in ["/history?machine=x%00y", "/results?machine=%00", "/api/v1/results?machine=%00"] {
        assert_eq!(asked(&server, target, None).0, 400, "{target}");
    }
    fs::remove_file(Path::new(&file)).unwrap();
}
