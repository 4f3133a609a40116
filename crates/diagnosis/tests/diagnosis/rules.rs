//! Every rule's file, and what is wrong with wrong ones.

use std::collections::BTreeSet;
use std::fs;

use zerohop_diagnosis::Rule;

use crate::bench::{repository, rules};

#[test]
fn every_rule_has_causes_that_are_told_apart_and_something_to_do() {
    assert!(rules().len() >= 30, "{}", rules().len());
    for rule in rules() {
        let several = rule.causes.len() > 1;
        for cause in &rule.causes {
            assert!(!several || cause.tells.is_some(), "{}: {} has no sign", rule.name, cause.words);
        }
        assert!(!rule.remedies.is_empty() && rule.next.is_some(), "{}", rule.name);
        // Where remedies are told apart by causes, each cause that is told has one.
        if rule.remedies.iter().any(|remedy| !remedy.causes.is_empty()) {
            for (rank, cause) in rule.causes.iter().enumerate().filter(|(_, cause)| cause.likelihood >= 0.1) {
                let has_one = rule.remedies.iter().any(|remedy| remedy.causes.contains(&rank));
                assert!(has_one, "{}: nothing to do about {}", rule.name, cause.words);
            }
        }
        let sum: f64 = rule.causes.iter().map(|cause| cause.likelihood).sum();
        assert!((sum - 1.0).abs() < 1e-6, "{}: likelihoods add up to {sum}", rule.name);
    }
}

/// A misspelled name would be that of a warning which never comes.
#[test]
fn rules_name_warnings_that_exist() {
    let schema = fs::read_to_string(repository().join("schema/result.schema.json")).unwrap();
    let mut seen = BTreeSet::new();
    for entry in fs::read_dir(repository().join("rules")).unwrap() {
        let text = fs::read_to_string(entry.unwrap().path()).unwrap();
        for list in text.split("warnings = [").skip(1) {
            let (list, _) = list.split_once(']').unwrap();
            seen.extend(list.split('"').skip(1).step_by(2).map(ToOwned::to_owned));
        }
    }
    assert!(seen.len() > 10, "{seen:?}");
    for name in seen {
        assert!(schema.contains(&format!("\"const\": \"{name}\"")), "no warning is named {name}");
    }
}

const RIGHT: &str = r#"
title = "node {node} is odd"
about = "odd nodes"
severity = "note"
source = "a test"
when = { test = "flat", within = 0.1 }

[[cause]]
words = "it is so"
likelihood = "100 %"
"#;

#[test]
fn a_wrong_rule_is_shown_where_it_is_wrong() {
    assert!(Rule::parse("odd", "odd.toml", RIGHT).is_ok());
    for (from, to, message) in [
        ("\"flat\"", "\"round\"", "unknown variant `round`"),
        ("within = 0.1", "within = 0.1, about = 3", "unknown field `about`"),
        ("severity = \"note\"", "severity = \"bad\"", "unknown variant `bad`"),
        ("likelihood", "liklihood", "has no key `liklihood`"),
        (
            "test = \"flat\", within = 0.1",
            "test = \"falls\", experiment = \"ramp\", query = \"bandwidth\", along = \"cores\", least = 0.1",
            "unknown axis `cores`",
        ),
        (
            "test = \"flat\", within = 0.1",
            "test = \"node-below-sisters\", experiment = \"ramp\", query = \"speed\", least = 0.1",
            "`speed` is not a measure",
        ),
    ] {
        let text = RIGHT.replace(from, to);
        assert_ne!(text, RIGHT, "{from}");
        let error = Rule::parse("odd", "odd.toml", &text).unwrap_err().to_string();
        assert!(error.contains(message) && error.contains("--> odd.toml:"), "{error}");
    }
    let without = RIGHT.split("[[cause]]").next().unwrap();
    let error = Rule::parse("odd", "odd.toml", without).unwrap_err().to_string();
    assert!(error.contains("a rule needs at least one `[[cause]]`"), "{error}");
}
