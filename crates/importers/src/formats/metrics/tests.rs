use super::*;

/// What is written into the files of names is what the rest of the program knows.
#[test]
fn meanings_are_of_experiments_that_are_known() {
    let kinds = include_str!("../../kinds.rs");
    for tool in tools() {
        assert!(!tool.metrics.is_empty(), "{}", tool.name);
        for Metric { name, meaning, .. } in &tool.metrics {
            if let Meaning::Value { experiment, .. } = meaning {
                let is_known = kinds.contains(&format!("\"{experiment}\""));
                assert!(is_known, "{}: {name}: {experiment}", tool.name);
            }
        }
    }
}

#[test]
fn what_is_no_table_of_metrics_is_left_to_others() {
    for text in [
        "",
        "{",
        "{}",
        "[1, 2]",
        "{\"node\": \"n1\", \"kernel-launch/event_time:0\": 0.005}",
        "rd 1 2\nwr 1 2\n",
        "a b c\nd e f\ng h i\n",
    ] {
        assert!(found(text).is_none(), "{text}");
        assert!(parts(text).is_none(), "{text}");
    }
}
