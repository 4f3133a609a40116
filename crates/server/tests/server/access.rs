//! Who may ask.

use zerohop_archive::Location;
use zerohop_server::{Limits, Offer, ServeError, Token, bind};
use zerohop_workload::StopFlag;

use crate::client::Server;
use crate::drawn::Drawn;

const TOKEN: &str = "a-token-of-30-letters-and-more";

#[test]
fn nothing_is_shown_without_the_token() {
    let server = Server::start(Some(TOKEN), false, Limits::default());
    let bearer = format!("Bearer {TOKEN}");
    let shown = [("authorization", bearer.as_str())];
    let result = Drawn::new(1, 0).value().to_string();
    assert_eq!(server.ask("POST", "/api/v1/results", &shown, result.as_bytes()).status, 200);
    for target in [
        "/",
        "/results",
        "/api/v1/machines",
        "/api/v1/openapi.json",
        "/metrics",
        "/nope",
        "/history?machine=node-01",
    ] {
        for heads in
            [&[] as &[(&str, &str)], &[("authorization", "Bearer wrong")], &[("cookie", "zerohop=wrong")]]
        {
            let reply = server.ask("GET", target, heads, b"");
            assert_eq!(reply.status, 401, "{target}");
            // Where a login leads is what the asker said.
            let own = format!("value=\"{target}\"");
            assert!(!reply.body.replace(&own, "").contains("node-01"), "{target}: {}", reply.body);
            assert_eq!(reply.head("www-authenticate"), Some("Bearer realm=\"zerohop\""));
        }
    }
    assert_eq!(server.post("/api/v1/results", &Drawn::new(2, 0).value().to_string()).status, 401);
    let machines = server.ask("GET", "/api/v1/machines", &shown, b"").json();
    assert_eq!(machines["machines"].as_array().unwrap().len(), 1);
}

#[test]
fn a_browser_logs_in_and_out() {
    let server = Server::start(Some(TOKEN), false, Limits::default());
    let form = server.get("/login");
    assert!(form.body.contains("action=\"/login\""), "{}", form.body);
    let wrong = server.post("/login", "token=nonsense");
    assert_eq!((wrong.status, wrong.head("set-cookie")), (401, None));
    assert!(wrong.body.contains("wrong token"));
    let right = server.post("/login", &format!("token={TOKEN}"));
    assert_eq!((right.status, right.head("location")), (303, Some("/")));
    // The page that was asked for is asked for again.
    let asked = server.get("/history?machine=node-01");
    assert!(asked.body.contains("name=\"to\" value=\"/history?machine=node-01\""), "{}", asked.body);
    let back = server.post("/login", &format!("token={TOKEN}&to=%2Fhistory%3Fmachine%3Dnode-01"));
    assert_eq!(back.head("location"), Some("/history?machine=node-01"));
    let wrong = server.post("/login", "token=nonsense&to=%2Ffleet");
    assert!(wrong.body.contains("name=\"to\" value=\"/fleet\""), "{}", wrong.body);
    let elsewhere = server.post("/login", &format!("token={TOKEN}&to=%2F%2Fevil.example"));
    assert_eq!(elsewhere.head("location"), Some("/"));
    let cookie = right.head("set-cookie").unwrap();
    assert!(cookie.contains("; HttpOnly; SameSite=Strict") && !cookie.contains(TOKEN), "{cookie}");
    assert!(!cookie.contains("Secure"));
    let pair = cookie.split(';').next().unwrap();
    assert_eq!(server.ask("GET", "/", &[("cookie", pair)], b"").status, 200);
    assert!(server.ask("GET", "/", &[("cookie", pair)], b"").body.contains("log out"));
    // A proxy says that the browser's connection is encrypted.
    let form = format!("token={TOKEN}");
    let secure = server.ask("POST", "/login", &[("x-forwarded-proto", "https")], form.as_bytes());
    assert!(secure.head("set-cookie").unwrap().ends_with("; Secure"));
    let out = server.ask("POST", "/logout", &[("cookie", pair)], b"");
    assert!(out.head("set-cookie").unwrap().starts_with("zerohop=; Path=/; Max-Age=0"));
    // Whoever has copied the cookie is out, too, and others are not.
    assert_eq!(server.ask("GET", "/", &[("cookie", pair)], b"").status, 401);
    let other = secure.head("set-cookie").unwrap().split(';').next().unwrap();
    assert_ne!(other, pair);
    assert_eq!(server.ask("GET", "/", &[("cookie", other)], b"").status, 200);
    let long = format!("token={}", "x".repeat(10_000));
    assert_eq!(server.post("/login", &long).status, 413);
}

#[test]
fn whoever_guesses_the_token_waits() {
    let server = Server::start(Some(TOKEN), false, Limits::default());
    let login = server.post("/login", &format!("token={TOKEN}"));
    let cookie = login.head("set-cookie").unwrap().split(';').next().unwrap().to_owned();
    let guess = |rank: u32| server.post("/login", &format!("token=guess-{rank:016}")).status;
    let shown = (0..200).take_while(|rank| guess(*rank) == 401).count();
    assert!((20..200).contains(&shown), "{shown}");
    let refused = server.post("/login", "token=guess");
    assert_eq!((refused.status, refused.head("retry-after")), (429, Some("10")), "{}", refused.body);
    // A head is a guess, too; logins go on.
    let mut bearer = server.ask("GET", "/metrics", &[("authorization", "Bearer guess")], b"").status;
    if bearer == 401 {
        bearer = server.ask("GET", "/metrics", &[("authorization", "Bearer guess")], b"").status;
    }
    assert_eq!(bearer, 429);
    assert_eq!(server.ask("GET", "/", &[("cookie", &cookie)], b"").status, 200);
}

#[test]
fn a_server_that_is_started_again_knows_no_logins() {
    let server = Server::start(Some(TOKEN), false, Limits::default());
    let login = server.post("/login", &format!("token={TOKEN}"));
    let cookie = login.head("set-cookie").unwrap().split(';').next().unwrap().to_owned();
    let again = Server::over(server.end(), Some(TOKEN), false, Limits::default());
    assert_eq!(again.ask("GET", "/", &[("cookie", &cookie)], b"").status, 401);
}

#[test]
fn pages_of_other_sites_change_nothing() {
    let server = Server::start(Some(TOKEN), false, Limits::default());
    let login = server.post("/login", &format!("token={TOKEN}"));
    let cookie = login.head("set-cookie").unwrap().split(';').next().unwrap().to_owned();
    let body = Drawn::new(1, 0).value().to_string();
    let own = format!("http://{}", server.address);
    for (head, status) in [
        (("origin", "http://evil.example"), 403),
        (("origin", "null"), 403),
        (("sec-fetch-site", "cross-site"), 403),
        (("origin", own.as_str()), 200),
    ] {
        let reply = server.ask("POST", "/api/v1/results", &[("cookie", &cookie), head], body.as_bytes());
        assert_eq!(reply.status, status, "{head:?}: {}", reply.body);
    }
    // Without a token, the name in the request is what tells.
    let open = Server::with([Drawn::new(1, 0)]);
    let reply = open.ask("GET", "/api/v1/machines", &[("host", "evil.example")], b"");
    assert_eq!(reply.status, 421);
    assert!(reply.body.contains("--token-file") && !reply.body.contains("node-01"), "{}", reply.body);
    assert_eq!(open.ask("GET", "/api/v1/machines", &[("host", "localhost:1")], b"").status, 200);
}

#[test]
fn what_others_can_reach_needs_a_token() {
    let folder = tempfile::tempdir().unwrap();
    let bound = |address: &str, token: Option<&str>| {
        let offer = Offer {
            archive: Location::File(folder.path().join("a.sqlite")),
            token: token.map(|token| Token::new(token).unwrap()),
            read_only: false,
            limits: Limits::default(),
        };
        bind(address.parse().unwrap(), offer, &StopFlag::new())
    };
    for address in ["0.0.0.0:0", "[::]:0", "192.0.2.1:80"] {
        assert!(matches!(bound(address, None), Err(ServeError::Unprotected { .. })), "{address}");
    }
    assert!(bound("0.0.0.0:0", Some(TOKEN)).is_ok());
    assert!(bound("127.0.0.1:0", None).is_ok());
    let taken = bound("127.0.0.1:0", None).unwrap();
    assert!(matches!(bound(&taken.address().to_string(), None), Err(ServeError::Address { .. })));
}
