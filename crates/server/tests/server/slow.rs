//! Clients that are slow, by intent or not: nobody else waits for them.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
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
    assert!(reply.body.contains("upload slower than 1048576 bytes per second"), "{}", reply.body);
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
fn a_body_that_stops_in_the_middle_is_refused_however_fast_it_began() {
    let limits = Limits { answer: EVER, grace: Duration::from_millis(300), pace: 1000, ..Limits::default() };
    let server = Server::start(None, false, limits);
    let mut stream = begun(&server, 4 << 20);
    stream.write_all(&[b' '; 1 << 20]).unwrap();
    let reply = read(&mut stream);
    assert_eq!(reply.status, 408, "{}", reply.body);
}

/// Limits under which no slow client is ever refused for being slow.
const PATIENT: Limits = Limits {
    connections: 32,
    of_an_address: 32,
    head: EVER,
    answer: EVER,
    connection: EVER,
    pace: 1,
    grace: EVER,
    login: EVER,
    bodies: 64 << 20,
    judgement: Duration::from_secs(20),
};

/// Clients that open connections, begin with these bytes, send the others one by one, and come again when they are put out.
struct Slow {
    ended: Arc<AtomicBool>,
    running: Option<JoinHandle<()>>,
}

impl Slow {
    fn clients(address: SocketAddr, count: usize, begin: &str, then: &'static [u8]) -> Self {
        let ended = Arc::new(AtomicBool::new(false));
        let (own, begin) = (Arc::clone(&ended), begin.to_owned());
        let open = move || {
            let mut stream = TcpStream::connect(address).unwrap();
            stream.write_all(begin.as_bytes()).unwrap();
            stream
        };
        let mut all: Vec<_> = (0..count).map(|_| open()).collect();
        let running = Some(thread::spawn(move || {
            while !own.load(Ordering::Relaxed) {
                for stream in &mut all {
                    if stream.write_all(then).is_err() {
                        *stream = open();
                    }
                }
                thread::sleep(Duration::from_millis(100));
            }
        }));
        Self { ended, running }
    }
}

impl Drop for Slow {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Relaxed);
        self.running.take().unwrap().join().unwrap();
    }
}

const BODY: &str = "POST /api/v1/results HTTP/1.1\r\nhost: localhost\r\ncontent-length: 33000000\r\n\r\n{";
const LOGIN: &str = "POST /login HTTP/1.1\r\nhost: localhost\r\ncontent-length: 4000\r\n\r\nt";
const HEAD: &str = "GET / HTTP/1.1\r\nhost: localhost\r\nx: ";
const PIPELINED: &str = "GET /api/v1/openapi.json HTTP/1.1\r\nhost: localhost\r\n\r\n";

/// 262 of them, on the same host, held up everyone else for as long as they liked.
#[test]
fn slow_clients_of_any_kind_hold_up_nobody() {
    for (begin, then) in [
        (BODY, [b' '; 100].as_slice()),
        (LOGIN, b"x"),
        (HEAD, b"x"),
        // They do not read what they ask for.
        (&PIPELINED.repeat(200), b"G"),
    ] {
        let server = Server::start(None, false, PATIENT);
        let what = &begin[..20];
        let slow = Slow::clients(server.address, 40, begin, then);
        for machine in 1..=5 {
            assert_eq!(server.get("/api/v1/machines").status, 200, "{what}");
            assert_eq!(server.post("/api/v1/results", &result(machine)).status, 200, "{what}");
        }
        drop(slow);
    }
}

#[test]
fn a_fast_upload_is_not_cut_off_for_others() {
    let server = Server::start(None, false, Limits { connections: 4, ..PATIENT });
    let body = format!("{}{}", result(1), " ".repeat(8 << 20));
    let mut stream = begun(&server, body.len());
    let (first, second) = body[1..].split_at(7 << 20);
    stream.write_all(first.as_bytes()).unwrap();
    let slow = Slow::clients(server.address, 12, BODY, b" ");
    let _idle: Vec<_> = (0..12).map(|_| server.connect()).collect();
    for _ in 0..5 {
        assert_eq!(server.get("/api/v1/machines").status, 200);
    }
    stream.write_all(second.as_bytes()).unwrap();
    let reply = read(&mut stream);
    assert_eq!(reply.status, 200, "{}", reply.body);
    drop(slow);
}

/// It counted as idle once it had begun, and the longest idle one was ended for the next connection.
#[test]
fn a_download_is_not_cut_off_for_connections_that_say_nothing() {
    const DOWNLOADS: usize = 400;
    let server = Server::start(None, false, Limits { connections: 4, ..PATIENT });
    let length = server.get("/api/v1/openapi.json").body.len();
    let mut stream = server.connect();
    let last = PIPELINED.replace("\r\n\r\n", "\r\nconnection: close\r\n\r\n");
    let mut writing = stream.try_clone().unwrap();
    let asking = thread::spawn(move || {
        writing.write_all(PIPELINED.repeat(DOWNLOADS - 1).as_bytes()).unwrap();
        writing.write_all(last.as_bytes()).unwrap();
    });
    // More than the buffers of both sides hold is still to come when the others connect.
    let mut some = vec![0; 1 << 20];
    stream.read_exact(&mut some).unwrap();
    let idle: Vec<_> = (0..12).map(|_| server.connect()).collect();
    assert_eq!(server.get("/api/v1/machines").status, 200);
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).unwrap();
    assert!(some.len() + rest.len() > DOWNLOADS * length, "{} of {}", rest.len(), DOWNLOADS * length);
    asking.join().unwrap();
    drop(idle);
}

#[test]
fn the_form_of_a_login_is_short_and_quick() {
    const TOKEN: &str = "a-token-of-30-letters-and-more";
    let limits = Limits { login: Duration::from_millis(300), ..PATIENT };
    let server = Server::start(Some(TOKEN), false, limits);
    let mut stream = server.connect();
    stream.write_all(LOGIN.as_bytes()).unwrap();
    let reply = read(&mut stream);
    assert_eq!(reply.status, 408, "{}", reply.body);
    assert!(reply.body.contains("upload timed out after"), "{}", reply.body);
    assert_eq!(server.post("/login", &format!("token={TOKEN}&x={}", "x".repeat(5000))).status, 413);
    assert_eq!(server.post("/login", &format!("token={TOKEN}")).status, 303);
}
