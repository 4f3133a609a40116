//! The OpenAPI document, held against what the server answers.

use serde_json::Value;
use zerohop_server::openapi;

use crate::client::{MLC, Server};
use crate::drawn::Drawn;
use crate::validator::holds;

/// A value for each parameter that an operation needs, or that changes what it answers.
fn target(path: &str, id: &str) -> String {
    let path = path.replace("{id}", id);
    let query = match path.as_str() {
        "/api/v1/history" => "?machine=node-01&scope=everything",
        "/api/v1/comparison" => "?id=node-01",
        "/api/v1/results" => "?limit=2&machine=node-01&since=2026-01-01&before=2027-01-01",
        _ => "",
    };
    format!("{path}{query}")
}

#[test]
fn every_answer_is_as_the_document_says() {
    let server = Server::with((0..8).flat_map(|day| {
        let factor = if day < 4 { 1.0 } else { 1.3 };
        [Drawn { factor, ..Drawn::new(1, day) }, Drawn::new(2, day)]
    }));
    server.wait_for_judgements(2);
    let document = server.json("/api/v1/openapi.json");
    assert_eq!(document, openapi());
    let paths = document["paths"].as_object().unwrap();
    assert!(paths.len() > 8, "{}", paths.len());
    let mut tried = 0;
    for (path, item) in paths.iter().filter(|(path, _)| *path != "/metrics") {
        let target = target(path, &Drawn::new(1, 2).id());
        let answer = server.json(&target);
        let schema = &item["get"]["responses"]["200"]["content"]["application/json"]["schema"];
        holds(&document, schema, &answer).unwrap_or_else(|error| panic!("{target}: {error}"));
        // A schema that holds of anything would hold of this, too.
        assert!(holds(&document, schema, &Value::from(7)).is_err(), "{target}");
        let wrong = server.get(&format!("{}?nonsense=1", path.replace("{id}", "0198")));
        let problem = &item["get"]["responses"]["default"]["content"]["application/json"]["schema"];
        assert_eq!(wrong.status, 400, "{path}");
        holds(&document, problem, &wrong.json()).unwrap();
        tried += 1;
    }
    assert!(tried > 7, "{tried}");
    let changes = server.json("/api/v1/changes?machine=node-01");
    assert_eq!(changes["machines"][0]["changes"].as_array().unwrap().len(), 1, "{changes}");
    let uploaded = server.post("/api/v1/results?machine=m", MLC).json();
    let schema = &document["paths"]["/api/v1/results"]["post"]["responses"]["200"]["content"]["application/json"]
        ["schema"];
    holds(&document, schema, &uploaded).unwrap();
}

#[test]
fn declared_parameters_are_those_that_are_taken() {
    let server = Server::with([Drawn::new(1, 0)]);
    let mut tried = 0;
    for (path, item) in openapi()["paths"].as_object().unwrap() {
        for parameter in item["get"]["parameters"].as_array().into_iter().flatten() {
            let name = parameter["name"].as_str().unwrap();
            if parameter["in"] == "path" {
                assert!(path.contains(&format!("{{{name}}}")));
                continue;
            }
            // Whatever its value: an unknown parameter would be named as such.
            let reply = server.get(&format!("{}?{name}=%00", path.replace("{id}", "0198")));
            assert!(!reply.body.contains("no parameter"), "{path}: {name}: {}", reply.body);
            assert!(parameter["description"].as_str().is_some_and(|words| words.len() > 5));
            tried += 1;
        }
    }
    assert!(tried > 10, "{tried}");
}

#[test]
fn references_lead_somewhere_and_names_are_unique() {
    let document = openapi();
    let text = document.to_string();
    let mut references = 0;
    for part in text.split("\"$ref\":\"#").skip(1) {
        let pointer = part.split('"').next().unwrap();
        assert!(document.pointer(pointer).is_some(), "{pointer}");
        references += 1;
    }
    assert!(references > 20, "{references}");
    let mut names: Vec<&str> =
        text.split("\"operationId\":\"").skip(1).map(|part| part.split('"').next().unwrap()).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
}
