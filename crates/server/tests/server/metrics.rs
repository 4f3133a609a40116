//! The text of metrics, read by its rules; and the dashboard that reads it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use regex::Regex;
use serde_json::Value;

use crate::client::{MLC, Server};
use crate::drawn::Drawn;

/// A metric: its type, its unit, and its values by their labels.
#[derive(Debug, Default)]
struct Metric {
    kind: String,
    unit: String,
    values: BTreeMap<BTreeMap<String, String>, f64>,
}

/// Reads a text by the rules of OpenMetrics 1.0, as far as gauges go: what breaks one of them is named.
fn parsed(text: &str) -> Result<BTreeMap<String, Metric>, String> {
    let name = Regex::new("^[a-zA-Z_:][a-zA-Z0-9_:]*$").unwrap();
    let mut metrics: BTreeMap<String, Metric> = BTreeMap::new();
    let mut current = String::new();
    let body = text.strip_suffix("# EOF\n").ok_or("it does not end with # EOF")?;
    for line in body.lines() {
        let wrong = |words: &str| format!("{words}: {line}");
        if let Some(rest) = line.strip_prefix("# ") {
            let mut words = rest.splitn(3, ' ');
            let (what, of) = (words.next().unwrap_or(""), words.next().ok_or_else(|| wrong("no name"))?);
            let value = words.next().unwrap_or("");
            if !name.is_match(of) {
                return Err(wrong("no name"));
            }
            if of != current {
                if metrics.contains_key(of) {
                    return Err(wrong("a metric is there in two places"));
                }
                of.clone_into(&mut current);
            }
            let metric = metrics.entry(current.clone()).or_default();
            if !metric.values.is_empty() {
                return Err(wrong("after a value"));
            }
            match what {
                "HELP" => {}
                "TYPE" if value == "gauge" => value.clone_into(&mut metric.kind),
                "UNIT" if of.ends_with(&format!("_{value}")) => value.clone_into(&mut metric.unit),
                _ => return Err(wrong("no rule for it")),
            }
            continue;
        }
        let (of, rest) = line.split_at(line.find(['{', ' ']).ok_or_else(|| wrong("no value"))?);
        if of != current {
            return Err(wrong("a value without its metric"));
        }
        let (labels, rest) = match rest.strip_prefix('{') {
            Some(rest) => labels(rest).ok_or_else(|| wrong("labels"))?,
            None => (BTreeMap::new(), rest),
        };
        let value = rest.strip_prefix(' ').and_then(|value| value.parse::<f64>().ok());
        let value = value.filter(|value| value.is_finite()).ok_or_else(|| wrong("no number"))?;
        let metric = metrics.entry(current.clone()).or_default();
        if metric.kind.is_empty() {
            return Err(wrong("a value without a type"));
        }
        if metric.values.insert(labels, value).is_some() {
            return Err(wrong("the same labels twice"));
        }
    }
    Ok(metrics)
}

/// Labels after `{`, and what follows `}`.
fn labels(mut rest: &str) -> Option<(BTreeMap<String, String>, &str)> {
    let mut labels = BTreeMap::new();
    loop {
        let (name, after) = rest.split_once("=\"")?;
        if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            return None;
        }
        let mut value = String::new();
        let mut letters = after.char_indices();
        let end = loop {
            match letters.next()? {
                (at, '"') => break at,
                (_, '\\') => value.push(match letters.next()?.1 {
                    'n' => '\n',
                    letter @ ('\\' | '"') => letter,
                    _ => return None,
                }),
                (_, letter) => value.push(letter),
            }
        };
        if labels.insert(name.to_owned(), value).is_some() {
            return None;
        }
        rest = &after[end + 1..];
        match rest.strip_prefix(',') {
            Some(more) => rest = more,
            None => return Some((labels, rest.strip_prefix('}')?)),
        }
    }
}

fn of(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

/// A survey of a model, which has headlines of most kinds.
const SURVEY: &str = include_str!("../../../result/tests/files/version-2/host.json");

fn served() -> Server {
    let server = Server::with([
        Drawn::new(1, 0),
        Drawn::new(1, 1),
        Drawn { completion: "interrupted", ..Drawn::new(1, 2) },
    ]);
    assert_eq!(server.post("/api/v1/results", SURVEY).status, 200);
    assert_eq!(server.post("/api/v1/results?machine=a%5C%22b%0Ac", MLC).status, 400);
    assert_eq!(server.post("/api/v1/results?machine=a%5C%22b", MLC).status, 200);
    let bandwidth = MLC.replace("idle latencies (in ns)...", "Memory Bandwidths between nodes within system");
    assert_eq!(server.post("/api/v1/results?machine=other", &bandwidth).status, 200);
    server.wait_for_judgements(3);
    server
}

#[test]
fn the_text_is_one_of_openmetrics_and_says_what_the_archive_has() {
    let server = served();
    let reply =
        server.ask("GET", "/metrics", &[("accept", "application/openmetrics-text;version=1.0.0")], b"");
    assert!(reply.head("content-type").unwrap().starts_with("application/openmetrics-text; version=1.0.0"));
    let metrics = parsed(&reply.body).unwrap_or_else(|error| panic!("{error}"));
    let value = |name: &str, pairs: &[(&str, &str)]| {
        let metric = metrics.get(name).unwrap_or_else(|| panic!("{name}: {:?}", metrics.keys()));
        *metric.values.get(&of(pairs)).unwrap_or_else(|| panic!("{name}: {pairs:?}: {metric:?}"))
    };
    assert_eq!(value("zerohop_results", &[("machine", "node-01"), ("counted", "true")]), 2.0);
    assert_eq!(value("zerohop_results", &[("machine", "node-01"), ("counted", "false")]), 1.0);
    // 2026-01-03T03:00:00Z
    assert_eq!(value("zerohop_last_result_timestamp_seconds", &[("machine", "node-01")]), 1_767_409_200.0);
    let mlc = [("machine", "a\\\"b"), ("measure", "latency"), ("place", "local")];
    let experiment = ("experiment", "latency-matrix");
    for node in ["0", "1"] {
        let found = value("zerohop_time_seconds", &[&mlc[..], &[experiment, ("node", node)]].concat());
        assert!((found - 80e-9).abs() < 1e-12, "{found}");
    }
    for severity in ["fault", "warning", "note"] {
        assert!(value("zerohop_findings", &[("machine", "node-01"), ("severity", severity)]) >= 0.0);
    }
    assert_eq!(metrics["zerohop_time_seconds"].unit, "seconds");
}

#[test]
fn older_askers_get_the_form_that_they_read() {
    let server = served();
    let older = server.get("/metrics");
    assert!(older.head("content-type").unwrap().starts_with("text/plain; version=0.0.4"));
    let newer = server.ask("GET", "/metrics", &[("accept", "application/openmetrics-text")], b"");
    assert_eq!(older.body, newer.body);
    // In that form, a line with `#` that is neither HELP nor TYPE is a comment.
    let known = ["# HELP ", "# TYPE ", "# UNIT ", "# EOF"];
    assert!(
        older
            .body
            .lines()
            .filter(|line| line.starts_with('#'))
            .all(|line| known.iter().any(|known| line.starts_with(known)))
    );
}

#[test]
fn what_breaks_the_rules_is_found() {
    let good = "# HELP a_seconds x\n# TYPE a_seconds gauge\n# UNIT a_seconds seconds\na_seconds{b=\"c\\\"\"} 1.5\n# EOF\n";
    assert!(parsed(good).is_ok());
    for (from, to) in [
        ("# EOF\n", ""),
        ("gauge", "thing"),
        ("# UNIT a_seconds seconds", "# UNIT a_seconds bytes"),
        ("1.5", "NaN"),
        ("1.5", "x"),
        ("c\\\"\"", "c\\\""),
        ("\\\"", "\\x"),
        ("# EOF", "a_seconds{b=\"c\\\"\"} 2\n# EOF"),
        ("# EOF", "other 2\n# EOF"),
        ("# EOF", "# HELP a_seconds again\n# EOF"),
        ("# TYPE a_seconds gauge\n", ""),
    ] {
        assert!(parsed(&good.replacen(from, to, 1)).is_err(), "{from} -> {to}");
    }
}

#[test]
fn the_dashboard_reads_metrics_and_labels_that_there_are() {
    let metrics = parsed(&served().get("/metrics").body).unwrap();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packaging/grafana/zerohop.json");
    let dashboard: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let name = Regex::new(r"\bzerohop_[a-z_]+\b").unwrap();
    let matcher = Regex::new(r"\{([^}]*)\}").unwrap();
    let label = Regex::new(r#"([a-z_]+)\s*(?:=~|!~|!=|=)\s*""#).unwrap();
    let grouped = Regex::new(r"\bby\s*\(([^)]*)\)").unwrap();
    let mut read = BTreeSet::new();
    let mut queries: Vec<(String, String)> = Vec::new();
    for panel in dashboard["panels"].as_array().unwrap() {
        assert!(panel["title"].is_string());
        for target in panel["targets"].as_array().into_iter().flatten() {
            let text = |key: &str| target[key].as_str().unwrap_or_default().to_owned();
            queries.push((text("expr"), text("legendFormat")));
        }
    }
    for variable in dashboard["templating"]["list"].as_array().unwrap() {
        if let Some(query) = variable["query"]["query"].as_str() {
            queries.push((query.to_owned(), String::new()));
        }
    }
    for (query, legend) in &queries {
        let names: Vec<&str> = name.find_iter(query).map(|found| found.as_str()).collect();
        assert!(!names.is_empty(), "{query}");
        let mut has = BTreeSet::new();
        for name in names {
            let metric =
                metrics.get(name).unwrap_or_else(|| panic!("`{name}` of the dashboard is not written"));
            has.extend(metric.values.keys().flat_map(|labels| labels.keys().cloned()));
            read.insert(name.to_owned());
        }
        let in_matchers = matcher.captures_iter(query).flat_map(|found| {
            let inside = found[1].to_owned();
            label.captures_iter(&inside).map(|found| found[1].to_owned()).collect::<Vec<_>>()
        });
        let in_groups = grouped
            .captures_iter(query)
            .flat_map(|found| found[1].split(',').map(|name| name.trim().to_owned()).collect::<Vec<_>>());
        let in_legend =
            legend.split("{{").skip(1).map(|part| part.split("}}").next().unwrap().trim().to_owned());
        for label in in_matchers.chain(in_groups).chain(in_legend) {
            assert!(has.contains(&label), "`{label}` in `{query}` is no label of it: {has:?}");
        }
    }
    assert!(read.len() >= 5, "{read:?}");
}
