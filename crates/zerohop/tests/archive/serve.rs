//! `zerohop serve` as a program: what it shows is what the other verbs write, and how it begins and ends.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use crate::drawn::Drawn;
use crate::server::Server as Database;
use crate::{printed, said, zerohop};

const ARCHIVE: &str = "a.sqlite";

/// A server that runs, and where.
pub(crate) struct Serving {
    child: Child,
    pub(crate) address: String,
}

impl Serving {
    pub(crate) fn start(folder: &Path, archive: &str, more: &[&str]) -> Self {
        let arguments = [&["serve", "--listen", "127.0.0.1:0"], more].concat();
        let mut child = zerohop(folder, archive).args(arguments).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stderr.as_mut().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().rsplit_once("http://").unwrap_or_else(|| panic!("{line}")).1.to_owned();
        Self { child, address }
    }

    /// The body of an answer.
    pub(crate) fn get(&self, target: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let head = format!("GET {target} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (heads, body) = answer.split_once("\r\n\r\n").unwrap();
        assert!(heads.starts_with("HTTP/1.1 200"), "{target}: {answer}");
        body.to_owned()
    }

    /// Its exit status after a signal.
    pub(crate) fn end(mut self, signal: Signal) -> i32 {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
        self.child.wait().unwrap().code().unwrap_or(-1)
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        // One that has ended is beyond harm.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn filled(archive: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for day in 0..8 {
        let factor = if day < 4 { 1.0 } else { 0.8 };
        Drawn { factor, ..Drawn::new(1, day) }.write(&folder.path().join("in"));
        Drawn::new(2, day).write(&folder.path().join("in"));
    }
    printed(folder.path(), archive, &["archive", "add", "in"]);
    folder
}

#[test]
fn its_documents_are_those_of_the_other_verbs() {
    documents_are_those_of_the_other_verbs(ARCHIVE);
}

#[test]
#[ignore = "long: starts a server of PostgreSQL"]
fn the_same_holds_of_a_database_of_postgresql() {
    let database = Database::start(None);
    documents_are_those_of_the_other_verbs(&database.url());
}

fn documents_are_those_of_the_other_verbs(archive: &str) {
    let folder = filled(archive);
    let server = Serving::start(folder.path(), archive, &["--read-only"]);
    let id = Drawn::new(1, 7).id();
    let earlier = Drawn::new(1, 0).id();
    for (target, arguments) in [
        ("/api/v1/machines", &["archive", "machines"] as &[&str]),
        ("/api/v1/results?limit=1000", &["archive", "list", "--all"]),
        ("/api/v1/results?machine=node-02&limit=3", &["archive", "list", "node-02", "--last", "3"]),
        ("/api/v1/history?machine=node-01", &["archive", "history", "node-01"]),
        ("/api/v1/changes", &["changes"]),
        (
            "/api/v1/changes?machine=node-01&since=2026-02-01",
            &["changes", "node-01", "--since", "2026-02-01"],
        ),
        (&format!("/api/v1/comparison?id={earlier}&id={id}"), &["archive", "compare", &earlier, &id]),
        ("/api/v1/comparison?id=node-01", &["archive", "compare", "node-01"]),
    ] {
        let expected = printed(folder.path(), archive, &[arguments, &["--format", "json"]].concat());
        assert!(expected.len() > 50, "{expected}");
        assert_eq!(server.get(target), expected, "{target}");
    }
    assert_eq!(
        server.get(&format!("/api/v1/results/{id}")),
        printed(folder.path(), archive, &["archive", "text", &id])
    );
    // Part by part, it is the same list.
    let first = server.get("/api/v1/results?limit=5");
    let last = first.rsplit("\"id\": \"").next().unwrap().split('"').next().unwrap().to_owned();
    let rest = server.get(&format!("/api/v1/results?limit=1000&after={last}"));
    assert_eq!(rest.matches("\"id\": ").count() + 5, 16, "{rest}");
    let metrics = server.get("/metrics");
    assert!(metrics.contains("zerohop_results{machine=\"node-01\",counted=\"true\"} 8.0\n"), "{metrics}");
    assert!(metrics.contains("zerohop_time_seconds{machine=\"node-02\","), "{metrics}");
    assert!(server.get("/?trait=").contains("2 machines"));
    assert_eq!(server.end(Signal::TERM), 0);
}

/// The page of a fleet diagnosed bad machines alone, as if nobody knew others of their kind.
#[test]
fn a_fleet_is_what_fleet_analyse_makes_of_it() {
    let folder = tempfile::tempdir().unwrap();
    for machine in 1..=9 {
        let factor = if machine == 4 { 1.5 } else { 1.0 + 0.002 * machine as f64 };
        Drawn { factor, ..Drawn::new(machine, 3) }.write(&folder.path().join("in"));
    }
    printed(folder.path(), ARCHIVE, &["archive", "add", "in"]);
    let expected =
        printed(folder.path(), ARCHIVE, &["fleet", "analyse", "in", "--format", "json", "--quiet"]);
    assert!(expected.contains("\"rule\": \"late-in-fleet\""), "{expected}");
    let server = Serving::start(folder.path(), ARCHIVE, &["--read-only"]);
    let mut seen = String::new();
    for _ in 0..2400 {
        seen = server.get("/api/v1/fleet");
        if seen == expected {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    assert_eq!(seen, expected);
    // Another result changes it, once it is judged.
    Drawn { factor: 1.4, ..Drawn::new(7, 4) }.write(&folder.path().join("more"));
    printed(folder.path(), ARCHIVE, &["archive", "add", "more"]);
    for _ in 0..2400 {
        seen = server.get("/api/v1/fleet");
        if seen.matches("late-in-fleet").count() > expected.matches("late-in-fleet").count() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    let diagnosed = |name: &str| seen.contains(&format!("\"result\": \"{name}\""));
    assert!(diagnosed("node-04") && diagnosed("node-07"), "{seen}");
}

#[test]
fn a_signal_ends_it_with_success_and_the_archive_whole() {
    let folder = filled(ARCHIVE);
    for signal in [Signal::INT, Signal::TERM] {
        let server = Serving::start(folder.path(), ARCHIVE, &[]);
        assert!(server.get("/").contains("2 machines"));
        assert_eq!(server.end(signal), 0);
    }
    printed(folder.path(), ARCHIVE, &["archive", "verify"]);
}

#[test]
#[ignore = "long: starts a server of PostgreSQL"]
fn a_signal_ends_it_although_its_database_does_not_answer() {
    let database = Database::start(None);
    let folder = filled(&database.url());
    let server = Serving::start(folder.path(), &database.url(), &[]);
    assert!(server.get("/").contains("2 machines"));
    database.hold(true);
    let mut waiting = TcpStream::connect(&server.address).unwrap();
    waiting.write_all(b"GET /results HTTP/1.1\r\nhost: localhost\r\n\r\n").unwrap();
    std::thread::sleep(std::time::Duration::from_millis(500));
    // It would wait for as long as the database is held: it is let go only after this.
    assert_eq!(server.end(Signal::TERM), 0);
    database.hold(false);
}

#[test]
fn a_second_signal_ends_it_at_once() {
    let folder = filled(ARCHIVE);
    let server = Serving::start(folder.path(), ARCHIVE, &[]);
    let mut slow = TcpStream::connect(&server.address).unwrap();
    let head = "POST /api/v1/results HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{";
    slow.write_all(head.as_bytes()).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(300));
    kill_process(Pid::from_child(&server.child), Signal::TERM).unwrap();
    // Signals that come together are one.
    std::thread::sleep(std::time::Duration::from_millis(1500));
    assert_eq!(server.end(Signal::TERM), 130);
    printed(folder.path(), ARCHIVE, &["archive", "verify"]);
}

#[test]
fn what_keeps_it_from_serving_has_a_hint() {
    let folder = filled(ARCHIVE);
    for (name, text, mode) in [
        ("short", "secret\n", 0o600),
        ("blank", "a secret of many words\n", 0o400),
        ("open", "a-token-that-others-may-read\n", 0o644),
        ("shared", "a-token-that-others-may-write\n", 0o620),
    ] {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    }
    let server = Serving::start(folder.path(), ARCHIVE, &[]);
    for (arguments, error, hint) in [
        (
            &["--listen", "0.0.0.0:0"] as &[&str],
            "other hosts can reach",
            "hint: protect it with --token-file FILE",
        ),
        (
            &["--token-file", "short"],
            "`short`: the token is too short: 6 characters",
            "hint: create one with `head -c 24",
        ),
        (
            &["--token-file", "blank"],
            "`blank`: the token must be one line",
            "hint: create one with `head -c 24",
        ),
        (
            &["--token-file", "open"],
            "other users can read the token in `open`: its mode is 0644",
            "hint: chmod 600 open",
        ),
        (&["--token-file", "shared"], "its mode is 0620", "hint: chmod 600 shared"),
        (&["--token-file", "none"], "cannot read `none`", "hint: give a file that contains a token"),
        (&["--listen", "localhost"], "invalid address", "127.0.0.1:7717"),
        (&["--listen", &server.address], "cannot listen on", "another program is listening there"),
        (
            &["--read-only", "--archive", "nowhere.sqlite", "--listen", "127.0.0.1:0"],
            "nowhere.sqlite",
            "hint: ",
        ),
        (&["--archive", "in", "--listen", "127.0.0.1:0"], "in", "hint: "),
    ] {
        let (_, talk, status) = said(folder.path(), ARCHIVE, &[&["serve"], arguments].concat());
        assert!(status == 2 && talk.contains(error) && talk.contains(hint), "{arguments:?}: {status} {talk}");
    }
    assert!(!folder.path().join("nowhere.sqlite").exists());
}

#[test]
fn metrics_are_written_for_a_collector_as_they_are_served() {
    let folder = filled(ARCHIVE);
    let (_, talk, status) =
        said(folder.path(), ARCHIVE, &["archive", "export", "--format", "openmetrics", "-o", "m.prom"]);
    assert_eq!(status, 0, "{talk}");
    let written = fs::read_to_string(folder.path().join("m.prom")).unwrap();
    assert!(written.contains("zerohop_results{machine=\"node-01\",counted=\"true\"} 8.0\n"), "{written}");
    assert!(written.ends_with("# EOF\n"));
    let server = Serving::start(folder.path(), ARCHIVE, &["--read-only"]);
    let all_judged = |text: &String| text.contains("zerohop_machines_judged 2.0\n");
    let served = (0..600).map(|_| {
        std::thread::sleep(std::time::Duration::from_millis(50));
        server.get("/metrics")
    });
    let served = served.into_iter().find(all_judged).unwrap();
    // Only a server has these.
    let is_of_server =
        |line: &&str| line.contains("zerohop_abandoned_threads") || line.contains("zerohop_bugs");
    assert_eq!(served.lines().filter(is_of_server).count(), 6, "{served}");
    assert!(served.contains("zerohop_abandoned_threads 0.0\n"), "{served}");
    let shared: String =
        served.lines().filter(|line| !is_of_server(line)).flat_map(|line| [line, "\n"]).collect();
    assert_eq!(shared, written);
    server.end(Signal::TERM);
    let one = printed(folder.path(), ARCHIVE, &["archive", "export", "node-02", "--format", "openmetrics"]);
    assert!(one.contains("node-02") && !one.contains("node-01"), "{one}");
    let (_, talk, status) =
        said(folder.path(), ARCHIVE, &["archive", "export", "nodo", "--format", "openmetrics"]);
    assert!(status == 2 && talk.contains("? It has node-01, node-02"), "{talk}");
}

#[test]
fn kept_results_are_compared_by_id_or_by_machine() {
    let folder = filled(ARCHIVE);
    let shown = printed(folder.path(), ARCHIVE, &["archive", "compare", "node-01", "node-02"]);
    assert!(
        shown.contains("node-01 2026-01-08 03:00") && shown.contains("node-02 2026-01-08 03:00"),
        "{shown}"
    );
    let alike = printed(folder.path(), ARCHIVE, &["archive", "compare", "node-02"]);
    assert!(alike.contains("2026-01-07") && alike.contains("2026-01-08"), "{alike}");
    let (_, talk, status) = said(folder.path(), ARCHIVE, &["archive", "compare", &Drawn::new(1, 0).id()]);
    assert!(status == 2 && talk.contains("nothing to compare"), "{talk}");
    let (_, talk, status) = said(folder.path(), ARCHIVE, &["archive", "compare", "node-3"]);
    assert!(status == 2 && talk.contains("no result `node-3`"), "{talk}");
}

/// The server made a new archive at the place of one that was moved, and filled it; results went below the mount point of a missing disk.
#[test]
fn an_archive_that_was_moved_is_not_made_anew() {
    let folder = filled(ARCHIVE);
    let server = Serving::start(folder.path(), ARCHIVE, &[]);
    let (path, away) = (folder.path().join(ARCHIVE), folder.path().join("away"));
    let upload = |day: u64| {
        let text = Drawn::new(3, day).value().to_string();
        let mut stream = TcpStream::connect(&server.address).unwrap();
        let head = format!(
            "POST /api/v1/results HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
            text.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(text.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    };
    assert!(upload(0).starts_with("HTTP/1.1 200"));
    fs::rename(&path, &away).unwrap();
    for day in 1..4 {
        let answer = upload(day);
        assert!(answer.starts_with("HTTP/1.1 503"), "{answer}");
        assert!(answer.contains("was moved or replaced, or its disk is not mounted"), "{answer}");
    }
    assert!(!path.exists());
    // Another archive at its place is not filled, either.
    printed(folder.path(), "other.sqlite", &["archive", "add", "in", "-q"]);
    fs::copy(folder.path().join("other.sqlite"), &path).unwrap();
    assert!(upload(4).contains("another archive is there now"));
    // Back at its place, it goes on.
    fs::rename(&away, &path).unwrap();
    assert!(upload(5).starts_with("HTTP/1.1 200"));
    server.end(Signal::TERM);
    assert_eq!(crate::ids(folder.path(), ARCHIVE).len(), 16 + 2);
}
