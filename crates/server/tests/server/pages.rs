//! Pages that are more than a document: machines by state, a machine over time, findings by what they are, and errors with a way back.

use crate::client::Server;
use crate::drawn::Drawn;

/// Twelve days of a machine whose latencies grow by a quarter with another firmware on the seventh day.
fn worse() -> impl Iterator<Item = Drawn> {
    (0..12).map(|day| match day {
        0..6 => Drawn::new(1, day),
        _ => Drawn { factor: 1.25, firmware: "1.3", ..Drawn::new(1, day) },
    })
}

/// The rows of the list of machines.
fn rows(page: &str) -> Vec<&str> {
    page.split("<tr>").filter(|row| row.contains("class=\"machine\"")).collect()
}

/// Boxes that pick results.
fn boxes(page: &str) -> usize {
    page.matches("type=\"checkbox\" name=\"id\" form=\"picked\"").count()
}

#[test]
fn machines_are_listed_with_their_states_the_worst_first() {
    let server = Server::with([Drawn::new(2, 0), Drawn::new(1, 0)]);
    let page = server.page_with("/", "<svg class=\"spark\"");
    let [first, second] = rows(&page)[..] else { panic!("{page}") };
    // Results of January are old by now.
    assert!(first.contains("node-01") && second.contains("node-02"), "{page}");
    for row in [first, second] {
        assert!(
            row.contains("days ago") && row.contains("class=\"chip stale\"") || row.contains("class=\"chip "),
            "{row}"
        );
    }
    let one = server.get("/?name=DE-02").body;
    assert!(rows(&one).len() == 1 && one.contains("value=\"DE-02\""), "{one}");
    assert!(server.get("/?state=fault").body.contains("No machine is like that"));
    let by_name = server.get("/?sort=name&limit=1&page=2").body;
    assert!(rows(&by_name).len() == 1 && by_name.contains("2–2 of 2 machines"), "{by_name}");
    assert!(by_name.contains("rel=\"prev\" href=\"/?sort=name&amp;limit=1&amp;page=1\""), "{by_name}");
    let names = |query: &str| {
        let list = server.json(&format!("/api/v1/machines{query}"));
        let machines = list["machines"].as_array().unwrap().clone();
        machines.iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names("?limit=1&page=2"), ["node-02"]);
    assert_eq!(names("?name=01"), ["node-01"]);
    assert!(names("?page=3").is_empty());
}

#[test]
fn a_page_of_a_machine_marks_the_step_with_what_changed() {
    let server = Server::with(worse());
    let page = server.get("/history?machine=node-01").body;
    assert!(page.contains("firmware: 1.2 → 1.3") && page.contains("+25.0 % firmware</text>"), "{page}");
    let after = worse().nth(6).unwrap().id();
    assert!(page.contains(&format!("href=\"/results/{after}\" data-result=\"{after}\"")), "{page}");
    assert_eq!(boxes(&page), 12, "each result can be picked");
    // What a result's page says of its machine.
    let result = server.get(&format!("/results/{}", worse().last().unwrap().id())).body;
    assert!(
        result.contains("firmware: 1.2 → 1.3") && result.contains("href=\"/history?machine=node-01\""),
        "{result}"
    );
    let part = server.get("/history?machine=node-01&since=2026-01-09").body;
    assert_eq!(boxes(&part), 4, "{part}");
    assert_eq!(
        server.json("/api/v1/history?machine=node-01&since=2026-01-09")["runs"].as_array().unwrap().len(),
        4
    );
    let changes = server.get("/changes").body;
    assert!(
        changes.contains("<a href=\"/history?machine=node-01\">node-01</a>") && changes.contains("+25.0 %"),
        "{changes}"
    );
}

#[test]
fn a_finding_is_told_once_with_its_machines() {
    let server = Server::with([Drawn::new(1, 0), Drawn::new(2, 0)]);
    server.wait_for_judgements(2);
    let page = server.get("/findings").body;
    assert!(page.contains("of 2 machines"), "{page}");
    for machine in ["node-01", "node-02"] {
        assert!(page.contains(&format!("href=\"/history?machine={machine}\"")), "{machine}: {page}");
    }
    let ids: Vec<&str> = page
        .split("<section class=\"finding\" id=\"")
        .skip(1)
        .map(|part| part.split('"').next().unwrap())
        .collect();
    assert!(ids.iter().all(|id| ids.iter().filter(|other| other == &id).count() == 1), "{ids:?}");
}

#[test]
fn an_empty_archive_says_what_to_do_first() {
    let page = Server::with([]).get("/").body;
    for words in ["This archive is empty", "zerohop survey -o survey", "zerohop archive add", "id=\"upload\""]
    {
        assert!(page.contains(words), "{words}: {page}");
    }
}

#[test]
fn an_error_is_a_page_with_a_way_back() {
    let server = Server::with([Drawn::new(1, 0)]);
    for (target, status, words) in [
        ("/nowhere", 404, "no page at this address"),
        ("/results/ffff", 404, "href=\"/results\""),
        ("/history?machine=node-99", 404, "node-99"),
        ("/results?since=yesterday", 400, "<a href=\"/results\">All results</a>"),
        ("/compare", 400, "select"),
    ] {
        let reply = server.get(target);
        assert_eq!(reply.status, status, "{target}");
        assert!(
            reply.body.contains(words) && reply.body.contains("<a href=\"/\">All machines</a>"),
            "{target}: {}",
            reply.body
        );
        assert!(!reply.body.contains("openapi.json"), "{target}: {}", reply.body);
    }
}

/// Names on pages are words.
#[test]
fn no_page_has_an_underscore_in_what_it_shows() {
    let server = Server::with(worse());
    server.wait_for_judgements(1);
    for target in [
        "/",
        "/results",
        "/changes",
        "/findings",
        "/history?machine=node-01",
        "/history?machine=node-01&scope=everything",
    ] {
        let body = server.get(target).body;
        let main = body.split("<main").nth(1).unwrap().split("</main>").next().unwrap();
        let shown: String =
            main.split('<').filter_map(|part| part.split_once('>')).map(|(_, text)| text).collect();
        assert!(!shown.contains('_'), "{target}: {shown}");
    }
}
