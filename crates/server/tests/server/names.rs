//! Names that somebody else chose: short and plain wherever they are shown, and whole where the result itself is.

use serde_json::{Value, json};
use zerohop_result::{LONGEST_NAME, is_obeyed};
use zerohop_server::Limits;

use crate::client::{MLC, Reply, Server};
use crate::drawn::Drawn;

/// What reorders, hides, ends lines, or is none in XML.
const HOSTILE: &str = "n\u{202e}gnp\u{2066}\u{2028}\u{9b}2J\u{1b}[31m\0\u{feff}\n\u{200b}x";

/// A result whose names are all this one.
fn named(machine: u64, name: &str) -> Value {
    let mut value = Drawn::new(machine, 0).value();
    for pointer in [
        "/run/host/name",
        "/machine/name",
        "/machine/platform/maker",
        "/machine/platform/product",
        "/machine/platform/firmware_version",
        "/machine/processor/model",
        "/machine/system/kernel",
        "/produced_by",
        "/engine/clock",
        "/settings/effort",
    ] {
        if let Some(text) = value.pointer_mut(pointer) {
            *text = name.into();
        }
    }
    value["machine"]["gaps"] = json!([name, name]);
    value["machine"]["system"]["kernel"] = name.into();
    value["experiments"][0]["cells"][0]["at"]["placement"] = name.into();
    value
}

fn is_plain(reply: &Reply) -> bool {
    !reply.body.chars().any(|c| is_obeyed(c) && !"\n\t".contains(c))
}

/// Everything that can be asked, with these machines and results.
fn targets(machine: &str, [id, other]: [String; 2]) -> Vec<String> {
    let machine = form_encoded(machine);
    let mut all: Vec<String> = [
        "machines",
        "results",
        "changes",
        "findings",
        "fleet",
        &format!("results/{id}"),
        &format!("history?machine={machine}"),
        &format!("history?machine={machine}&scope=everything"),
        &format!("changes?machine={machine}"),
        &format!("comparison?id={id}&id={other}"),
    ]
    .map(|path| format!("/api/v1/{path}"))
    .to_vec();
    let pages: Vec<String> =
        all.iter().map(|path| path.replace("/api/v1", "").replace("comparison", "compare")).collect();
    all.extend(pages.into_iter().map(|page| if page == "/machines" { "/".to_owned() } else { page }));
    all.push("/metrics".to_owned());
    all
}

fn form_encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

#[test]
fn hostile_names_are_plain_on_every_page_in_every_document_and_in_metrics() {
    let server = Server::start(None, false, Limits::default());
    for machine in 1..=2 {
        let name = format!("{HOSTILE}{machine}");
        let reply = server.post("/api/v1/results", &named(machine, &name).to_string());
        assert_eq!(reply.status, 200, "{}", reply.body);
        assert!(reply.body.contains("that cannot be printed as they are"), "{}", reply.body);
    }
    // The name of a file is the sender's, too.
    let sent = server.post(&format!("/api/v1/results?machine=m&name={}", form_encoded(HOSTILE)), MLC);
    assert!(sent.status == 400 && is_plain(&sent), "{}", sent.body);
    server.wait_for_judgements(2);
    let machines = server.json("/api/v1/machines");
    let name = machines["machines"][1]["name"].as_str().unwrap();
    assert!(name.starts_with(r"n\u202egnp\u2066\u2028\u009b2J\u001b"), "{name}");
    for target in targets(name, [1, 2].map(|machine| Drawn::new(machine, 0).id())) {
        let reply = server.get(&target);
        assert_eq!(reply.status, 200, "{target}: {}", reply.body);
        assert!(is_plain(&reply), "{target}: {:?}", reply.body);
    }
    // Whatever is asked for is not repeated as it is.
    for target in targets(HOSTILE, [form_encoded(HOSTILE), form_encoded(HOSTILE)]) {
        let reply = server.get(&target);
        assert!(reply.status < 500 && is_plain(&reply), "{target}: {} {:?}", reply.status, reply.body);
    }
}

#[test]
fn the_result_itself_is_kept_whole() {
    let server = Server::start(None, false, Limits::default());
    let sent = named(1, &format!("{HOSTILE}{}", "é".repeat(3000)));
    assert_eq!(server.post("/api/v1/results", &sent.to_string()).status, 200);
    let kept = server.json(&format!("/api/v1/results/{}", Drawn::new(1, 0).id()));
    for pointer in
        ["/run/host/name", "/machine/name", "/machine/gaps/1", "/experiments/0/cells/0/at/placement"]
    {
        assert_eq!(kept.pointer(pointer), sent.pointer(pointer), "{pointer}");
        assert!(kept.pointer(pointer).is_some(), "{pointer}");
    }
}

#[test]
fn long_names_make_nothing_long() {
    let server = Server::start(None, false, Limits::default());
    let mut sizes = Vec::new();
    for (machine, length) in [(1, 150), (2, 1_000_000)] {
        let before = server.get("/metrics").body.len();
        let reply = server.post("/api/v1/results", &named(machine, &"x".repeat(length)).to_string());
        assert_eq!(reply.status, 200, "{}", reply.body);
        sizes.push(server.get("/metrics").body.len() - before);
    }
    assert!(sizes[1] < 2 * sizes[0], "{sizes:?}");
    server.wait_for_judgements(2);
    let machines = server.json("/api/v1/machines");
    for machine in machines["machines"].as_array().unwrap() {
        let name = machine["name"].as_str().unwrap();
        assert!(name.chars().count() <= LONGEST_NAME, "{name}");
        for target in targets(name, [2, 1].map(|machine| Drawn::new(machine, 0).id())) {
            let reply = server.get(&target);
            let is_document = target == format!("/api/v1/results/{}", Drawn::new(2, 0).id());
            assert_eq!(reply.status, 200, "{target}: {}", reply.body);
            // The result itself is as long as it is, and a page carries it.
            if !is_document && !target.starts_with("/results/") {
                assert!(reply.body.len() < 400_000, "{target}: {}", reply.body.len());
            }
        }
    }
    let longest = server.get("/").body.split('<').map(str::len).max().unwrap();
    assert!(longest < 100_000, "{longest}");
}

#[test]
fn nothing_that_is_asked_for_is_a_fault_of_the_server() {
    let server = Server::with([Drawn::new(1, 0), Drawn::new(2, 0)]);
    server.wait_for_judgements(2);
    let digits = "a".repeat(50_001);
    let values = [
        digits.as_str(),
        &"-".repeat(50_001),
        &"%".repeat(3_000),
        &"x".repeat(20_000),
        "a\0b",
        "\0",
        "a\nb",
        HOSTILE,
        "\u{10ffff}\u{1f600}",
        "..",
        "' OR 1=1 --",
        "9223372036854775808",
        "1e999",
        "9999-12-31",
        "-9999-01-01",
        "9999-12-31T23:59:60Z",
    ];
    let description = server.json("/api/v1/openapi.json");
    let mut asked = 0;
    for (path, item) in description["paths"].as_object().unwrap() {
        let Some(parameters) = item["get"]["parameters"].as_array() else { continue };
        for parameter in parameters {
            let name = parameter["name"].as_str().unwrap();
            for value in values {
                let encoded: String = if value.is_ascii() && value.len() > 20_000 {
                    value.to_owned()
                } else {
                    form_encoded(value)
                };
                let target = match parameter["in"].as_str().unwrap() {
                    "path" => path.replace(&format!("{{{name}}}"), &encoded),
                    _ if name == "machine" || !path.ends_with("history") => {
                        format!("{path}?{name}={encoded}")
                    }
                    _ => format!("{path}?machine=node-01&{name}={encoded}"),
                };
                let reply = server.get(&target);
                let shown: String = target.chars().take(80).collect();
                assert!((200..500).contains(&reply.status), "{shown}: {} {}", reply.status, reply.body);
                assert!(is_plain(&reply) && reply.body.len() < 100_000, "{shown}: {}", reply.body.len());
                asked += 1;
            }
        }
    }
    assert!(asked > 15 * values.len(), "{asked}");
    for id in [digits.as_str(), &"-".repeat(50_001), "zz", "0198%00"] {
        assert_eq!(server.get(&format!("/results/{id}")).status, 404);
        assert_eq!(server.get(&format!("/api/v1/results/{id}")).status, 404);
    }
    assert_eq!(server.get("/history?machine=a%00b").status, 400);
    // Uploads, too.
    for name in ["%00", "a%0Ab", "..", &"x".repeat(201), &form_encoded(HOSTILE)] {
        let refused = server.post(&format!("/api/v1/results?machine={name}"), MLC);
        assert!(refused.status == 400 && is_plain(&refused), "{name}: {} {}", refused.status, refused.body);
    }
}
