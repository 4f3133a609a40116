//! What takes too long: it is said so, and nothing else waits for it.

use std::thread;
use std::time::{Duration, Instant};

use zerohop_server::Limits;

use crate::client::Server;
use crate::drawn::Drawn;

#[test]
fn a_result_that_takes_too_long_to_judge_is_named_everywhere() {
    let limits = Limits { judgement: Duration::from_nanos(1), ..Limits::default() };
    let server = Server::start(None, false, limits);
    for machine in 1..=3 {
        assert_eq!(server.post("/api/v1/results", &Drawn::new(machine, 0).value().to_string()).status, 200);
    }
    let begun = Instant::now();
    let found = loop {
        let found = server.json("/api/v1/findings");
        if found["not_judged"].as_array().is_some_and(|all| all.len() == 3) {
            break found;
        }
        assert!(begun.elapsed() < Duration::from_secs(120), "{found}");
        thread::sleep(Duration::from_millis(20));
    };
    assert_eq!(found["diagnoses"].as_array().unwrap().len(), 0);
    assert_eq!(found["not_judged"][0]["machine"], "node-01");
    assert_eq!(found["not_judged"][0]["reason"], "it took longer than 0 s");
    let page = server.get("/findings").body;
    assert!(
        page.contains("node-02</a>: not judged: it took longer than 0 s")
            && !page.contains("are being judged"),
        "{page}"
    );
    let metrics = server.get("/metrics").body;
    for line in ["zerohop_machines_not_judged 3.0\n", "zerohop_machines_judged 0.0\n", "zerohop_bugs 0.0\n"] {
        assert!(metrics.contains(line), "{line}: {metrics}");
    }
    assert_eq!(server.get("/fleet").status, 200);
}

#[test]
fn an_answer_that_takes_too_long_is_refused_and_nothing_waits_for_it() {
    let limits = Limits { answer: Duration::from_nanos(1), ..Limits::default() };
    let server = Server::start(None, false, limits);
    for target in ["/", "/results", "/changes", "/api/v1/fleet"] {
        let reply = server.get(target);
        assert_eq!((reply.status, reply.head("retry-after")), (503, Some("10")), "{target}: {}", reply.body);
        assert!(reply.body.contains("request timed out after 0 s"), "{target}: {}", reply.body);
    }
}
