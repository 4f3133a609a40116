//! Every answer has one form: what is no document says in JSON or on a page what is wrong, whoever refused it, and has the heads of all others.

use std::io::Write;

use serde_json::Value;
use zerohop_server::{Limits, openapi};

use crate::client::{Reply, Server, read};
use crate::drawn::Drawn;

const TOKEN: &str = "a-token-of-30-letters-and-more";

const PAGES: [&str; 10] = [
    "/",
    "/results",
    "/results/0198",
    "/history",
    "/changes",
    "/compare",
    "/findings",
    "/fleet",
    "/login",
    "/logout",
];

/// Addresses of all operations.
fn addresses() -> Vec<String> {
    let document = openapi();
    let paths = document["paths"].as_object().unwrap().keys().map(|path| path.replace("{id}", "0198"));
    let others = ["/api/v1/openapi.json", "/favicon.ico", "/nowhere", "/api/v1/nowhere"];
    paths.chain(PAGES.into_iter().chain(others).map(str::to_owned)).collect()
}

/// Whether an answer is as all answers of the server are.
fn has_form(what: &str, reply: &Reply) {
    let Reply { status, body, .. } = reply;
    for (name, value) in [
        ("x-content-type-options", "nosniff"),
        ("x-frame-options", "DENY"),
        ("cross-origin-resource-policy", "same-origin"),
        ("cache-control", "private, no-cache"),
    ] {
        assert_eq!(reply.head(name), Some(value), "{what}: {status} {body}");
    }
    let policy = reply.head("content-security-policy").unwrap_or_default();
    assert!(
        policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"),
        "{what}: {policy}"
    );
    if *status < 400 {
        return;
    }
    if reply.head("content-type") == Some("application/json") {
        let problem: Value =
            serde_json::from_str(body).unwrap_or_else(|error| panic!("{what}: {error}: {body}"));
        let words = |name: &str| problem[name].as_str().is_some_and(|words| !words.is_empty());
        assert!(words("error") && words("hint"), "{what}: {body}");
    } else {
        assert_eq!(reply.head("content-type"), Some("text/html; charset=utf-8"), "{what}");
        assert!(body.starts_with("<!DOCTYPE html>"), "{what}: {body}");
        assert!(*status == 401 || body.contains("class=\"alert\""), "{what}: {body}");
    }
}

#[test]
fn every_address_with_broken_pieces_is_answered_in_one_form() {
    let server = Server::with([Drawn::new(1, 0)]);
    let long = "x".repeat(60_000);
    let pieces = [
        "%ff",
        "%c3",
        "%",
        "%zz",
        "%00",
        "%0d%0a",
        "%2e%2e",
        "%2f",
        "..",
        ".",
        "//",
        "/",
        "?%ff",
        "?%ff=1",
        "?machine=%ff",
        "?machine=%",
        "?name=%c3&machine=%a4",
        "?=",
        "?&&",
        "?machine",
        "?nonsense=1",
        "?machine=a&machine=b",
        "/%ff",
        "/../..",
        "/%2e%2e/",
        ";a=b",
        &long,
        "?",
        "",
    ];
    let mut tried = 0;
    for address in addresses() {
        for piece in pieces {
            let target = format!("{address}{piece}");
            let reply = server.get(&target);
            let shown = &target[..target.len().min(80)];
            has_form(shown, &reply);
            assert!(reply.status < 500, "{shown}: {}", reply.status);
            if piece.contains("%ff") || piece.contains("%c3") || piece.contains("%zz") {
                let expected = "invalid encoding in the address";
                assert!(
                    reply.status == 400 && reply.body.contains(expected),
                    "{shown}: {} {}",
                    reply.status,
                    reply.body
                );
            }
            tried += 1;
        }
    }
    assert!(tried > 600, "{tried}");
}

#[test]
fn every_method_and_every_kind_of_body_is_answered_in_one_form() {
    let server = Server::with([Drawn::new(1, 0)]);
    for address in addresses() {
        for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "NONSENSE"] {
            for head in [
                ("x-none", ""),
                ("content-type", "multipart/form-data; boundary=x"),
                ("content-type", "\u{7f}"),
            ] {
                let reply = server.ask(method, &address, &[head], b"nonsense");
                has_form(&format!("{method} {address} {head:?}"), &reply);
                assert!((200..500).contains(&reply.status), "{method} {address}: {}", reply.status);
                assert!(reply.status != 405 || reply.head("allow").is_some(), "{method} {address}");
            }
        }
        // What a head would be the head of.
        let reply = server.ask("HEAD", &address, &[], b"");
        assert!(reply.head("content-security-policy").is_some() && reply.body.is_empty(), "{address}");
    }
}

/// hyper answers some of these by itself.
#[test]
fn what_is_no_request_is_refused_in_the_same_form() {
    let server = Server::with([Drawn::new(1, 0)]);
    let long = |length: usize| format!("GET /{} HTTP/1.1\r\nhost: localhost\r\n\r\n", "a".repeat(length));
    let heads = format!("GET / HTTP/1.1\r\nhost: localhost\r\n{}\r\n", "x: y\r\n".repeat(5000));
    let (longer, longest) = (long(65_000), long(1 << 20));
    for (bytes, status) in [
        (b"\x00\x01\x02\xff\xfe\r\n\r\n".as_slice(), 400),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400),
        (b"GET\r\n\r\n", 400),
        (b"GET / HTTP/9.9\r\n\r\n", 400),
        (b"GET /a b HTTP/1.1\r\n\r\n", 400),
        (b"GET /\xff HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n", 400),
        (b"POST /api/v1/results HTTP/1.1\r\nhost: localhost\r\ncontent-length: -5\r\n\r\n", 400),
        (b"POST /login HTTP/1.1\r\nhost: localhost\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nabcde", 400),
        (b"POST /login HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: nonsense\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nhost: localhost\r\nbad head\r\n\r\n", 400),
        // A whole request before it.
        (b"GET /favicon.ico HTTP/1.1\r\nhost: localhost\r\n\r\nnonsense\r\n\r\n", 204),
        (b"OPTIONS * HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n", 0),
        (b"CONNECT localhost:1 HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n", 0),
        (b"GET http://evil.example/ HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n", 0),
        (b"GET / HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\n\r\n", 421),
        (b"POST / HTTP/1.1\r\nhost: localhost\r\nexpect: nonsense\r\nconnection: close\r\ncontent-length: 1\r\n\r\n", 0),
        (longer.as_bytes(), 0),
        (longest.as_bytes(), 0),
        (heads.as_bytes(), 0),
    ] {
        let what = String::from_utf8_lossy(&bytes[..bytes.len().min(60)]).into_owned();
        let mut stream = server.connect();
        let _ = stream.write_all(bytes);
        let reply = read(&mut stream);
        if bytes.len() > 1 << 20 && reply.status == 0 {
            // What was not read of it ends the connection before the answer is read.
            continue;
        }
        assert!(reply.status != 0 && (status == 0 || reply.status == status), "{what}: {}", reply.status);
        if reply.status != 204 {
            has_form(&what, &reply);
        }
        for more in reply.body.split("HTTP/1.1 ").skip(1) {
            assert!(more.starts_with("400") && more.contains("content-security-policy"), "{what}: {more}");
        }
    }
}

#[test]
fn answers_to_whoever_may_not_ask_have_the_same_form() {
    let folder = Server::with([Drawn::new(1, 0)]).end();
    let server = Server::over(folder, Some(TOKEN), true, Limits::default());
    for address in addresses() {
        for method in ["GET", "POST", "DELETE"] {
            has_form(&format!("{method} {address}"), &server.ask(method, &address, &[], b"x"));
        }
    }
    let bearer = format!("Bearer {TOKEN}");
    let shown = ("authorization", bearer.as_str());
    has_form("read only", &server.ask("POST", "/api/v1/results", &[shown], b"{}"));
    has_form(
        "another site",
        &server.ask("POST", "/logout", &[shown, ("origin", "http://evil.example")], b""),
    );
    has_form("nothing new", &server.ask("GET", "/favicon.ico", &[shown], b""));
}

/// Some addresses looked at none of their parameters.
#[test]
fn a_parameter_that_nothing_takes_is_refused_everywhere() {
    let server = Server::with([Drawn::new(1, 0)]);
    for address in addresses().into_iter().filter(|address| !address.ends_with("/nowhere")) {
        let methods: &[&str] =
            if ["/logout"].contains(&address.as_str()) { &["POST"] } else { &["GET", "HEAD"] };
        for method in methods {
            let reply = server.ask(method, &format!("{address}?nonsense=1"), &[], b"");
            assert_eq!(reply.status, 400, "{method} {address}: {}", reply.body);
            assert!(
                *method == "HEAD"
                    || reply
                        .body
                        .replace("<code>", "`")
                        .replace("</code>", "`")
                        .contains("no parameter `nonsense`"),
                "{address}: {}",
                reply.body
            );
        }
    }
    for address in ["/login", "/logout", "/api/v1/results"] {
        let reply = server.post(&format!("{address}?nonsense=1"), "");
        assert!(
            reply.status == 400
                && reply
                    .body
                    .replace("<code>", "`")
                    .replace("</code>", "`")
                    .contains("no parameter `nonsense`"),
            "{address}: {}",
            reply.body
        );
    }
}
