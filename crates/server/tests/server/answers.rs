//! What is answered: pages, lists part by part, and whether an answer is still so.

use std::collections::BTreeSet;

use crate::client::{Server, ids};
use crate::drawn::Drawn;

#[test]
fn every_page_is_a_document_with_its_policy() {
    let server = Server::with([Drawn::new(1, 0), Drawn::new(1, 1), Drawn::new(2, 0)]);
    server.wait_for_judgements(2);
    let id = Drawn::new(1, 1).id();
    for (target, holds) in [
        ("/", "2 machines"),
        ("/?trait=firmware%3D1.2", "node-01"),
        ("/results", "3 results"),
        ("/history?machine=node-01", "history of node-01"),
        ("/history?machine=node-01&scope=everything", "cpu 0"),
        ("/history?machine=node-01&query=latency-matrix+latency+lowest", "history of node-01"),
        ("/changes", "in 2 machines"),
        ("/compare?id=node-01", "node-01"),
        ("/findings", "node-02"),
        ("/fleet", "fleet of"),
        (&format!("/results/{id}"), "every value"),
    ] {
        let reply = server.get(target);
        assert_eq!(reply.status, 200, "{target}: {}", reply.body);
        assert!(reply.body.starts_with("<!DOCTYPE html>") && reply.body.contains(holds), "{target}");
        let policy = reply.head("content-security-policy").unwrap();
        for part in
            ["default-src 'none'", "script-src 'sha256-", "form-action 'self'", "frame-ancestors 'none'"]
        {
            assert!(policy.contains(part), "{target}: {policy}");
        }
        assert!(!policy.contains("unsafe"), "{policy}");
        assert_eq!(reply.head("x-content-type-options"), Some("nosniff"));
        // Nothing is fetched from elsewhere.
        assert!(!reply.body.contains("src=\"http") && !reply.body.contains("<link"), "{target}");
    }
}

#[test]
fn machines_and_results_lead_to_their_pages() {
    let server = Server::with([Drawn::new(1, 0), Drawn { firmware: "1.3", ..Drawn::new(2, 0) }]);
    let machines = server.get("/").body;
    assert!(machines.contains("<a href=\"/history?machine=node-01\">node-01</a>"), "{machines}");
    assert!(machines.contains("1.2</option>") && machines.contains("1.3</option>"), "{machines}");
    let results = server.get("/results").body;
    let id = Drawn::new(1, 0).id();
    assert!(results.contains(&format!("<a href=\"/results/{id}\">")), "{results}");
    assert!(results.contains(&format!("name=\"id\" form=\"picked\" value=\"{id}\"")), "{results}");
}

#[test]
fn machines_are_chosen_by_what_they_are() {
    let server = Server::with([Drawn::new(1, 0), Drawn { firmware: "1.3", ..Drawn::new(2, 0) }]);
    let names = |query: &str| {
        let list = server.json(&format!("/api/v1/machines{query}"));
        let machines = list["machines"].as_array().unwrap().clone();
        machines.iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names(""), ["node-01", "node-02"]);
    let html = server.get("/").body;
    let choice = |value: &str| html.split('"').find(|part| part.ends_with(&format!("={value}"))).unwrap();
    let chosen =
        |value: &str| names(&format!("?trait={}", choice(value).replace(' ', "+").replace('=', "%3D")));
    assert_eq!(chosen("1.2"), ["node-01"]);
    assert_eq!(chosen("1.3"), ["node-02"]);
    assert!(names("?trait=firmware%3Dnone").is_empty());
}

#[test]
fn a_list_comes_part_by_part_and_each_result_once() {
    let server = Server::with((0..7).map(|day| Drawn::new(1, day)));
    let all = server.ids();
    assert_eq!(all.len(), 7);
    let mut target = "/api/v1/results?limit=3".to_owned();
    let mut found = Vec::new();
    for part in 0.. {
        let reply = server.get(&target);
        found.extend(ids(&reply.json()));
        let Some(next) = reply.head("link") else { break };
        // What is added meanwhile is the latest: no part of what follows.
        server.post("/api/v1/results", &Drawn::new(2, 20 + part).value().to_string());
        target = next.strip_prefix('<').and_then(|next| next.split_once('>')).unwrap().0.to_owned();
    }
    assert_eq!(found, all);
    let page = server.get("/results?limit=4").body;
    assert!(page.contains("rel=\"next\" href=\"/results?limit=4&amp;after="), "{page}");
}

#[test]
fn results_are_chosen_by_machine_and_time() {
    let server = Server::with((0..4).flat_map(|day| [Drawn::new(1, day), Drawn::new(2, day)]));
    let of = |query: &str| {
        let list = server.json(&format!("/api/v1/results?{query}"));
        let results = list["results"].as_array().unwrap().clone();
        let told = |one: &serde_json::Value| {
            format!("{} {}", one["machine"].as_str().unwrap(), &one["began_at"].as_str().unwrap()[..10])
        };
        results.iter().map(told).collect::<BTreeSet<_>>()
    };
    assert_eq!(of("machine=node-01&since=2026-01-04"), ["node-01 2026-01-04".to_owned()].into());
    assert_eq!(of("machine=node-02&machine=node-01&before=2026-01-02").len(), 2);
    assert_eq!(server.get("/api/v1/results?machine=node-99").status, 404);
    let after = server.get("/api/v1/results?after=0198");
    assert!(after.status == 404 && after.body.contains("no result"), "{}", after.body);
}

#[test]
fn an_answer_is_sent_again_only_if_it_changed() {
    let server = Server::with([Drawn::new(1, 0), Drawn::new(2, 0)]);
    for target in ["/", "/api/v1/machines", "/api/v1/changes", "/results"] {
        let (mark, again) = server.unchanged(target);
        assert_eq!((again.status, again.body.as_str()), (304, ""), "{target}");
        assert_eq!(again.head("etag"), Some(mark.as_str()), "{target}");
        // It would replace that of the page that a browser has, whose style and script would then be blocked.
        assert_eq!(again.head("content-security-policy"), None, "{target}");
        let several = format!("\"x\", {mark}");
        let again = server.ask("GET", target, &[("if-none-match", &several)], b"");
        // A page is another one once more is judged.
        assert!(again.status == 304 || !target.starts_with("/api"), "{target}: {}", again.status);
        let day = server.ids().len() as u64;
        server.post("/api/v1/results", &Drawn::new(1, day).value().to_string());
        let changed = server.ask("GET", target, &[("if-none-match", &mark)], b"");
        assert_eq!(changed.status, 200, "{target}");
        assert_ne!(changed.head("etag"), Some(mark.as_str()));
    }
    // What was judged changes what is found.
    server.wait_for_judgements(2);
    assert_eq!(server.unchanged("/findings").1.status, 304);
    // Another server may have another archive.
    let mark = server.get("/api/v1/machines").head("etag").unwrap().to_owned();
    let other = Server::over(server.end(), None, false, zerohop_server::Limits::default());
    assert_eq!(other.ask("GET", "/api/v1/machines", &[("if-none-match", &mark)], b"").status, 200);
}

#[test]
fn what_another_program_adds_shows_at_once() {
    let server = Server::with([Drawn::new(1, 0)]);
    assert_eq!(server.ids().len(), 1);
    let location = zerohop_archive::Location::File(server.folder.path().join("a.sqlite"));
    let mut archive = zerohop_archive::Archive::open(&location, zerohop_archive::Access::Write).unwrap();
    archive.rename("node-01", "node-33", false).unwrap();
    assert_eq!(server.json("/api/v1/machines")["machines"][0]["name"], "node-33");
    assert!(server.get("/").body.contains("node-33"));
}
