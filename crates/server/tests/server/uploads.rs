//! What is sent to the server, and what it keeps of it.

use zerohop_server::Limits;

use crate::client::{MLC, Server};
use crate::drawn::Drawn;

#[test]
fn a_result_is_added_once_and_is_the_one_that_was_sent() {
    let server = Server::with([]);
    let drawn = Drawn::new(1, 0);
    let reply = server.post("/api/v1/results?name=a.json", &drawn.value().to_string()).json();
    assert_eq!(reply["results"][0]["outcome"], "added");
    assert_eq!(
        (reply["results"][0]["id"].as_str(), reply["results"][0]["name"].as_str()),
        (Some(drawn.id().as_str()), Some("a.json"))
    );
    let again = server.post("/api/v1/results", &drawn.value().to_string()).json();
    assert_eq!(again["results"][0]["outcome"], "known");
    let other = Drawn { factor: 2.0, ..drawn };
    assert_eq!(
        server.post("/api/v1/results", &other.value().to_string()).json()["results"][0]["outcome"],
        "left_out"
    );
    let kept = server.json(&format!("/api/v1/results/{}", drawn.id()));
    assert_eq!(kept["experiments"][0]["cells"][0]["estimate"]["median"], 100.0);
    assert_eq!(server.ids(), [drawn.id()]);
}

/// Nobody said so, and the result was the latest of its machine for ever.
#[test]
fn a_clock_that_was_wrong_is_named_and_does_not_count() {
    let server = Server::with([Drawn::new(1, 3)]);
    let mut value = Drawn::new(1, 0).value();
    value["started_at"] = "2099-01-01T03:00:00Z".into();
    let reply = server.post("/api/v1/results", &value.to_string()).json();
    let remark = reply["results"][0]["clock"].as_str().unwrap_or_default();
    assert!(remark.starts_with("wrong clock: it claims to have started at 2099-01-01T03:00:00Z"), "{reply}");
    let machine = &server.json("/api/v1/machines")["machines"][0];
    assert_eq!(machine["wrong_clocks"], 1);
    assert!(!machine["last"].as_str().unwrap().starts_with("2099"), "{machine}");
    assert!(server.get("/results").body.contains("claims to have started at 2099-01-01 03:00"));
    let plain = server.post("/api/v1/results", &Drawn::new(1, 4).value().to_string()).json();
    assert_eq!(plain["results"][0].get("clock"), None);
}

#[test]
fn the_output_of_a_tool_needs_the_name_of_its_machine() {
    let server = Server::with([]);
    let refused = server.post("/api/v1/results?name=mlc.txt", MLC);
    assert_eq!(refused.status, 400);
    assert_eq!(refused.json()["error"], "`mlc.txt` does not name its machine");
    assert_eq!(refused.json()["hint"], "give the machine with the parameter `machine`");
    // A form has its own words for it.
    assert_eq!(refused.json()["parameter"], "machine");
    let added = server.post("/api/v1/results?name=mlc.txt&machine=node+%C3%A4", MLC);
    assert_eq!(added.json()["results"][0]["outcome"], "added", "{}", added.body);
    assert_eq!(server.json("/api/v1/machines")["machines"][0]["name"], "node ä");
    for name in ["%20", "a%0Ab", &"x".repeat(201)] {
        let refused = server.post(&format!("/api/v1/results?machine={name}"), MLC);
        assert!(
            refused.status == 400 && refused.body.contains("invalid machine name"),
            "{name}: {}",
            refused.body
        );
    }
}

#[test]
fn what_is_no_result_says_what_it_is_and_changes_nothing() {
    let server = Server::with([Drawn::new(1, 0)]);
    let whole = Drawn::new(2, 0).value().to_string();
    let generation = server.get("/api/v1/machines").head("etag").unwrap().to_owned();
    for (body, words) in [
        (b"".as_slice(), ""),
        (b"hello", ""),
        (b"{}", ""),
        (b"{\"schema_version\": 99999}", ""),
        (&whole.as_bytes()[..whole.len() / 2], ""),
        (b"\x1f\x8b\x08\x00abc", "gzip"),
        (b"PAR1abc", "Parquet"),
        (b"\xff\xfe\x00\x00\xff", ""),
        (b"[[[[[[[[", ""),
        (&[b'['; 100_000], ""),
        (&[b'{'; 100_000], ""),
    ] {
        let reply = server.ask("POST", "/api/v1/results?machine=m", &[], body);
        assert_eq!(
            reply.status,
            400,
            "{:?}: {}",
            String::from_utf8_lossy(&body[..body.len().min(20)]),
            reply.body
        );
        let error = reply.json()["error"].as_str().unwrap().to_owned();
        assert!(!error.is_empty() && reply.body.contains(words), "{error}");
    }
    assert_eq!(server.get("/api/v1/machines").head("etag").unwrap(), generation);
}

#[test]
fn what_is_too_long_is_refused_before_it_is_read() {
    let server = Server::with([]);
    let head = format!(
        "POST /api/v1/results HTTP/1.1\r\nhost: {}\r\ncontent-length: 99999999999\r\nconnection: close\r\n\r\n{{",
        server.address
    );
    let reply = server.raw(head.as_bytes());
    assert_eq!(reply.status, 413, "{}", reply.body);
    assert!(reply.body.contains("zerohop archive add"), "{}", reply.body);
    // The same without a length.
    let chunk = format!("{:x}\r\n{}\r\n", 1 << 20, " ".repeat(1 << 20));
    let head = format!(
        "POST /api/v1/results HTTP/1.1\r\nhost: {}\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n",
        server.address
    );
    let reply = server.raw(format!("{head}{}", chunk.repeat(33)).as_bytes());
    assert!([413, 0].contains(&reply.status), "{}", reply.status);
    assert!(server.ids().is_empty());
}

#[test]
fn a_server_that_only_shows_takes_nothing() {
    let folder = Server::with([Drawn::new(1, 0)]).end();
    let server = Server::over(folder, None, true, Limits::default());
    let refused = server.post("/api/v1/results", &Drawn::new(2, 0).value().to_string());
    assert_eq!(refused.status, 403);
    assert_eq!(refused.json()["hint"], "the server runs with --read-only");
    assert_eq!(server.ids(), [Drawn::new(1, 0).id()]);
    assert!(!server.get("/").body.contains("id=\"upload\""));
}

/// `curl -F` and `--form` send a file as a part of a form; the server read that as a text of no tool.
#[test]
fn what_is_sent_inside_of_something_else_is_refused_with_how_to_send_it() {
    let server = Server::with([]);
    let value = Drawn::new(1, 0).value().to_string();
    let form = format!(
        "--limit\r\ncontent-disposition: form-data; name=\"file\"; filename=\"a.json\"\r\n\r\n{value}\r\n--limit--\r\n"
    );
    // Programs send all of it before they read: the refusal must not be lost to that.
    let long = format!("{form}{}", " ".repeat(8 << 20));
    for (head, body, words) in [
        (("content-type", "multipart/form-data; boundary=limit"), &form, "multipart"),
        (("content-type", " Multipart/Form-Data; boundary=limit"), &long, "multipart"),
        (("content-encoding", "gzip"), &value, "compressed"),
    ] {
        let reply = server.ask("POST", "/api/v1/results?name=a.json", &[head], body.as_bytes());
        assert_eq!(reply.status, 415, "{head:?}: {}", reply.body);
        assert!(reply.json()["error"].as_str().unwrap().contains(words), "{}", reply.body);
        assert_eq!(reply.json()["hint"], "send only the file: curl --data-binary @FILE ADDRESS");
    }
    assert!(server.ids().is_empty());
    // As curl says by itself.
    let head = ("content-type", "application/x-www-form-urlencoded");
    assert_eq!(server.ask("POST", "/api/v1/results", &[head], value.as_bytes()).status, 200);
}

/// Whoever named a machine put another host's result on its page.
#[test]
fn a_result_of_another_host_is_not_put_on_the_page_of_a_machine() {
    let server = Server::with([Drawn::new(1, 0), Drawn::new(2, 0)]);
    let names = || {
        let list = server.json("/api/v1/machines");
        let machines = list["machines"].as_array().unwrap().clone();
        let told = |one: &serde_json::Value| format!("{} {}", one["name"].as_str().unwrap(), one["results"]);
        machines.iter().map(told).collect::<Vec<_>>()
    };
    let post = |query: &str, drawn: Drawn| {
        server.post(&format!("/api/v1/results?{query}"), &drawn.value().to_string())
    };
    for (drawn, words) in [
        (Drawn::new(2, 1), "the result is not from the machine `node-01`, but from `node-02`"),
        (Drawn::new(3, 1), "the result is not from the machine `node-01`"),
    ] {
        let refused = post("machine=node-01", drawn);
        assert_eq!((refused.status, refused.json()["error"].as_str()), (409, Some(words)));
        let hint = refused.json()["hint"].as_str().unwrap().to_owned();
        assert!(
            hint.starts_with("add it without the parameter `machine`") && hint.contains("rename"),
            "{hint}"
        );
    }
    // A machine that is known does not change its name by an upload, either.
    assert_eq!(post("machine=node-99", Drawn::new(2, 1)).status, 409);
    assert_eq!(names(), ["node-01 1", "node-02 1"]);
    // Its own, one of a machine that has only a name yet, and one that gets its name.
    assert_eq!(post("machine=node-01", Drawn::new(1, 1)).status, 200);
    assert_eq!(server.post("/api/v1/results?machine=node-04", MLC).status, 200);
    assert_eq!(post("machine=node-04", Drawn::new(4, 0)).status, 200);
    assert_eq!(post("machine=rack-5", Drawn::new(5, 0)).status, 200);
    assert_eq!(post("", Drawn::new(5, 1)).status, 200);
    assert_eq!(names(), ["node-01 2", "node-02 1", "node-04 2", "rack-5 2"]);
    // What is there stays, and the answer says so.
    let there = post("machine=node-01", Drawn::new(2, 0)).json();
    assert_eq!(there["results"][0]["outcome"], "known");
    assert_eq!(there["results"][0]["stays_with"], "node-02");
    assert_eq!(post("machine=node-02", Drawn::new(2, 0)).json()["results"][0].get("stays_with"), None);
}
