//! Askers who mean harm: names, queries, bytes, and connections that are never done.

use std::io::{Read, Write};
use std::time::{Duration, Instant};

use zerohop_server::Limits;

use crate::client::{MLC, Server, read};
use crate::drawn::Drawn;

const SCRIPT: &str = "\"'><script>alert(1)</script><img src=x onerror=alert(1)>&{{7*7}}";

fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

#[test]
fn names_are_text_on_every_page() {
    let server = Server::with([Drawn::new(1, 0)]);
    let machine = encoded(SCRIPT);
    let name = encoded("<b>.txt");
    assert_eq!(server.post(&format!("/api/v1/results?machine={machine}&name={name}"), MLC).status, 200);
    let mut value = Drawn::new(2, 0).value();
    value["run"]["host"]["name"] = SCRIPT.into();
    value["machine"]["name"] = SCRIPT.into();
    value["machine"]["platform"]["firmware_version"] = SCRIPT.into();
    value["produced_by"] = SCRIPT.into();
    assert_eq!(server.post("/api/v1/results", &value.to_string()).status, 200);
    server.wait_for_judgements(2);
    let id = Drawn::new(2, 0).id();
    for target in [
        "/",
        "/results",
        &format!("/results/{id}"),
        &format!("/history?machine={machine}"),
        &format!("/history?machine={machine}&query={machine}"),
        &format!("/changes?machine={machine}"),
        &format!("/compare?id={id}&id={machine}"),
        &format!("/compare?id={machine}"),
        "/findings",
        "/fleet",
        &format!("/?trait={machine}"),
        &format!("/{machine}"),
        &format!("/results/{machine}"),
        &format!("/results?{machine}={machine}"),
    ] {
        let reply = server.get(target);
        let body = reply.body.to_ascii_lowercase();
        assert!(!body.contains("<script>alert") && !body.contains("<img src=x"), "{target}: {}", reply.body);
        assert!(
            reply
                .head("content-security-policy")
                .is_some_and(|policy| policy.starts_with("default-src 'none'"))
        );
        assert!(reply.status < 500, "{target}: {}", reply.status);
    }
}

#[test]
fn queries_change_nothing_and_break_nothing() {
    let server = Server::with([Drawn::new(1, 0), Drawn::new(2, 0)]);
    server.wait_for_judgements(2);
    let before = server.get("/api/v1/results").body;
    let mark = server.get("/api/v1/machines").head("etag").unwrap().to_owned();
    let long = "9".repeat(5000);
    let nasty = [
        "'; DROP TABLE result; --",
        "\" OR 1=1 --",
        "$1",
        "%",
        "_",
        "\0",
        "../../../etc/passwd",
        "-",
        "\u{202e}abc",
        "\u{feff}",
        "NaN",
        "-1",
        "1e400",
        "99999999999999999999",
        "0000-00-00",
        "{}",
        long.as_str(),
    ];
    for value in nasty {
        let value = encoded(value);
        for target in [
            format!("/results/{value}"),
            format!("/api/v1/results/{value}"),
            format!("/results?machine={value}"),
            format!("/results?after={value}"),
            format!("/results?since={value}"),
            format!("/results?limit={value}"),
            format!("/history?machine={value}"),
            format!("/history?machine=node-01&query={value}"),
            format!("/history?machine=node-01&query=stream+{value}"),
            format!("/changes?least={value}&machine={value}"),
            format!("/compare?id={value}&id={value}"),
            format!("/findings?machine={value}"),
            format!("/?trait={value}"),
            format!("/?{value}={value}"),
            format!("/{value}"),
        ] {
            let reply = server.get(&target);
            assert!((200..500).contains(&reply.status), "{target}: {} {}", reply.status, reply.body);
            assert!(!reply.body.contains("root:"), "{target}");
        }
    }
    assert_eq!(server.get("/api/v1/results").body, before);
    assert_eq!(server.get("/api/v1/machines").head("etag"), Some(mark.as_str()));
}

#[test]
fn what_is_no_request_harms_nobody() {
    let server = Server::with([Drawn::new(1, 0)]);
    let long = format!("GET /{} HTTP/1.1\r\nhost: localhost\r\n\r\n", "a".repeat(1 << 20));
    let heads = format!("GET / HTTP/1.1\r\n{}\r\n", "x: y\r\n".repeat(5000));
    for bytes in [
        b"\x00\x01\x02\xff\xfe\r\n\r\n".as_slice(),
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"POST /api/v1/results HTTP/1.1\r\nhost: localhost\r\ncontent-length: -5\r\n\r\n",
        b"POST /api/v1/results HTTP/1.1\r\nhost: localhost\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nabcde",
        b"POST /api/v1/results HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
        b"GET /results/%ff%fe HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n",
        b"GET http://evil.example/ HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n",
        b"DELETE /api/v1/results HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n",
        b"PUT / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 0\r\nconnection: close\r\n\r\n",
        long.as_bytes(),
        heads.as_bytes(),
    ] {
        let mut stream = server.connect();
        stream.set_read_timeout(Some(Duration::from_secs(2))).unwrap();
        let _ = stream.write_all(bytes);
        // Nobody waits for an answer that never comes.
        stream.shutdown(std::net::Shutdown::Write).unwrap_or_default();
        let reply = read(&mut stream);
        assert!(reply.status < 500 || reply.status == 505, "{:?}: {}", String::from_utf8_lossy(&bytes[..bytes.len().min(40)]), reply.status);
    }
    assert_eq!(server.ids(), [Drawn::new(1, 0).id()]);
}

#[test]
fn a_head_that_never_ends_is_not_waited_for() {
    let limits = Limits { head: Duration::from_millis(300), ..Limits::default() };
    let server = Server::start(None, false, limits);
    let mut stream = server.connect();
    stream.write_all(b"GET / HTTP/1.1\r\nhost: local").unwrap();
    let begin = Instant::now();
    let mut rest = Vec::new();
    let _ = stream.read_to_end(&mut rest);
    assert!(begin.elapsed() < Duration::from_secs(30), "{:?}", begin.elapsed());
    assert_eq!(server.get("/").status, 200);
}

#[test]
fn a_body_that_never_ends_is_not_waited_for() {
    let limits = Limits { answer: Duration::from_millis(500), ..Limits::default() };
    let server = Server::start(None, false, limits);
    let mut waiting: Vec<_> = (0..4)
        .map(|_| {
            let mut stream = server.connect();
            let head = "POST /api/v1/results HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\nconnection: close\r\n\r\n{";
            stream.write_all(head.as_bytes()).unwrap();
            stream
        })
        .collect();
    for stream in &mut waiting {
        let reply = read(stream);
        assert_eq!(reply.status, 503, "{}", reply.body);
        assert!(reply.body.contains("request timed out"), "{}", reply.body);
    }
    // They hold nothing: another one is served.
    assert_eq!(server.post("/api/v1/results", &Drawn::new(1, 0).value().to_string()).status, 200);
}

#[test]
fn idle_connections_keep_others_out_only_for_a_while() {
    let limits = Limits { connections: 3, head: Duration::from_millis(500), ..Limits::default() };
    let server = Server::start(None, false, limits);
    let idle: Vec<_> = (0..3).map(|_| server.connect()).collect();
    // It waits in the kernel's queue until one of them has been silent for too long.
    assert_eq!(server.get("/api/v1/machines").status, 200);
    drop(idle);
}

/// The server waited for threads that wait: for the archive, up to a minute.
#[test]
fn a_server_ends_although_its_archive_is_locked_and_clients_say_nothing() {
    let server = Server::with([Drawn::new(1, 0)]);
    let archive = rusqlite::Connection::open(server.folder.path().join("a.sqlite")).unwrap();
    archive.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let body = Drawn::new(2, 0).value().to_string();
    let head =
        format!("POST /api/v1/results HTTP/1.1\r\nhost: localhost\r\ncontent-length: {}\r\n\r\n", body.len());
    let mut writing = server.connect();
    writing.write_all(format!("{head}{body}").as_bytes()).unwrap();
    let mut half = server.connect();
    half.write_all(head.as_bytes()).unwrap();
    std::thread::sleep(Duration::from_millis(500));
    let begin = Instant::now();
    let folder = server.end();
    // It is ten seconds on a host that is idle; the lock is waited for a minute.
    assert!(begin.elapsed() < Duration::from_secs(40), "{:?}", begin.elapsed());
    archive.execute_batch("ROLLBACK").unwrap();
    drop((archive, writing, half));
    let again = Server::over(folder, None, true, Limits::default());
    assert!(again.ids().contains(&Drawn::new(1, 0).id()));
}

#[test]
fn a_server_that_ends_answers_what_was_asked() {
    let server = Server::with([Drawn::new(1, 0)]);
    let body = Drawn::new(2, 0).value().to_string();
    let head =
        format!("POST /api/v1/results HTTP/1.1\r\nhost: localhost\r\ncontent-length: {}\r\n\r\n", body.len());
    let mut stream = server.connect();
    let (first, second) = body.split_at(body.len() / 2);
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(first.as_bytes()).unwrap();
    std::thread::sleep(Duration::from_millis(200));
    server.stop();
    std::thread::sleep(Duration::from_millis(300));
    stream.write_all(second.as_bytes()).unwrap();
    let reply = read(&mut stream);
    assert_eq!(reply.status, 200, "{}", reply.body);
    let again = Server::over(server.end(), None, true, Limits::default());
    assert_eq!(again.ids().len(), 2);
}
