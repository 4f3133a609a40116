//! Clients that are slow, by intent or not: nobody else waits for them.

use std::io::Write;
use std::net::TcpStream;
use std::time::Duration;

use zerohop_server::Limits;

use crate::client::{Server, read};
use crate::drawn::Drawn;

/// Longer than any test waits for an answer.
const EVER: Duration = Duration::from_secs(3600);

fn begun(server: &Server, length: usize) -> TcpStream {
    let mut stream = server.connect();
    let head = format!(
        "POST /api/v1/results HTTP/1.1\r\nhost: localhost\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{{"
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream
}

fn result(machine: u64) -> String {
    Drawn::new(machine, 0).value().to_string()
}

#[test]
fn slow_bodies_keep_no_upload_waiting() {
    let limits = Limits { answer: EVER, grace: EVER, ..Limits::default() };
    let server = Server::start(None, false, limits);
    let mut slow: Vec<_> = (0..8).map(|_| begun(&server, 10_000)).collect();
    for round in 1..=3 {
        slow.iter_mut().for_each(|stream| stream.write_all(b" ").unwrap());
        let reply = server.post("/api/v1/results", &result(round));
        assert_eq!(reply.status, 200, "{}", reply.body);
    }
}

#[test]
fn a_body_that_comes_too_slowly_is_refused() {
    let limits =
        Limits { answer: EVER, grace: Duration::from_millis(200), pace: 1 << 20, ..Limits::default() };
    let server = Server::start(None, false, limits);
    let mut slow = begun(&server, 10_000);
    let reply = read(&mut slow);
    assert_eq!(reply.status, 408, "{}", reply.body);
    assert!(reply.body.contains("more slowly than 1048576 bytes a second"), "{}", reply.body);
}

#[test]
fn bodies_together_take_no_more_room_than_there_is() {
    let limits = Limits { bodies: 64 << 10, grace: EVER, answer: EVER, ..Limits::default() };
    let server = Server::start(None, false, limits);
    let large = " ".repeat(100 << 10);
    for _ in 0..3 {
        let reply = server.post("/api/v1/results", &large);
        assert_eq!((reply.status, reply.head("retry-after")), (503, Some("10")), "{}", reply.body);
    }
    // The room of those that were refused is free again.
    assert_eq!(server.post("/api/v1/results", &result(1)).status, 200);
}

#[test]
fn connections_that_say_nothing_make_room_for_those_that_do() {
    let limits = Limits { connections: 16, head: EVER, connection: EVER, ..Limits::default() };
    let server = Server::start(None, false, limits);
    let mut open = Vec::new();
    for rank in 0..40 {
        let mut stream = server.connect();
        if rank % 2 == 0 {
            stream.write_all(b"GET / HTTP/1.1\r\nhost: local").unwrap();
        }
        open.push(stream);
    }
    for _ in 0..3 {
        assert_eq!(server.get("/api/v1/machines").status, 200);
    }
    drop(open);
}

#[test]
fn a_connection_that_is_being_answered_is_not_ended_for_others() {
    let limits = Limits { connections: 4, head: EVER, connection: EVER, grace: EVER, ..Limits::default() };
    let server = Server::start(None, false, limits);
    let body = result(1);
    let mut slow = begun(&server, body.len());
    let _idle: Vec<_> = (0..12).map(|_| server.connect()).collect();
    assert_eq!(server.get("/api/v1/machines").status, 200);
    slow.write_all(&body.as_bytes()[1..]).unwrap();
    assert_eq!(read(&mut slow).status, 200);
}
