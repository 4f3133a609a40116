//! `zerohop show` and `--machine`: results beside what their values should be.

use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use crate::binary::zerohop;
use crate::validator;

/// Results of a model with two of three links, in a directory of their own.
fn with_results() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    let on = "xeon-cascade-lake,links=2,cores=18";
    run(directory.path(), &["survey", "--on", on, "--solver", "auto", "-q", "-o", "two.json"]);
    directory
}

fn run(directory: &Path, arguments: &[&str]) -> String {
    let output = zerohop().current_dir(directory).args(arguments).assert().success().get_output().clone();
    String::from_utf8(output.stdout).unwrap()
}

fn refused(directory: &Path, arguments: &[&str]) -> String {
    let output = zerohop().current_dir(directory).args(arguments).assert().code(2).get_output().clone();
    String::from_utf8(output.stderr).unwrap()
}

fn words(page: &str) -> String {
    page.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn the_first_screen_has_what_is_expected_beside_what_is_there() {
    let directory = with_results();
    let stated = "xeon-cascade-lake,cores=18,links=3";
    let page = run(directory.path(), &["show", "two.json", "--machine", stated]);
    assert!(page.lines().all(|line| line.chars().count() <= 100), "{page}");
    let text = words(&page);
    assert!(text.contains("fits 2 of 3 UPI links"), "{page}");
    assert!(text.contains("but 3 are known to be present"), "{page}");
    assert!(text.contains("(-33 %): 3 x 17.1 GB/s of data"), "{page}");
    assert!(page.lines().any(|line| line.ends_with("worst         expected")), "{page}");
    assert!(page.contains("34.1!"), "{page}");
    assert!(text.contains("! not as expected"), "{page}");
    let page = run(directory.path(), &["show", "two.json", "--machine", "xeon-cascade-lake,cores=18"]);
    assert!(words(&page).contains("their number was not given, and 3 were assumed"), "{page}");
    assert!(!page.contains("34.1!"), "what an assumption explains is no deviation: {page}");
    let page = run(directory.path(), &["show", "two.json", "--machine", "Xeon Gold 6240,links=2", "--all"]);
    assert!(page.contains("12 x DDR4-2933 = 281.6 GB/s x 0.78"), "{page}");
    assert!(page.contains("2 x 17.1 GB/s of data"), "{page}");
}

#[test]
fn expectations_are_a_document_with_a_schema() {
    let directory = with_results();
    let show = ["show", "two.json", "--machine", "xeon-cascade-lake,cores=18", "--format", "json"];
    let shown: Value = serde_json::from_str(&run(directory.path(), &show)).unwrap();
    validator::check("expectations", &shown);
    let cells = shown["cells"].as_array().unwrap();
    let latency = cells.iter().find(|cell| cell["measure"] == "latency_ns").unwrap();
    let expected = &latency["expected"];
    let number = |value: &Value| value.as_f64().unwrap();
    assert!(number(&expected["low"]) < number(&latency["value"]), "{latency}");
    assert!(number(&latency["value"]) < number(&expected["high"]), "{latency}");
    assert_eq!(expected["basis"], "template");
    let readings = shown["readings"].as_array().unwrap();
    assert!(
        readings.iter().any(|one| one["fact"] == "links" && one["value"] == 2 && one["fits_best"] == true)
    );
}

#[test]
fn a_model_is_held_against_nothing_unless_a_machine_is_named() {
    let directory = with_results();
    let page = run(directory.path(), &["show", "two.json"]);
    assert!(!words(&page).contains("expected"), "{page}");
    let arguments = ["survey", "--on", "quartet", "--solver", "flow", "-q", "--machine", "quartet"];
    let page = run(directory.path(), &arguments);
    assert!(words(&page).contains("values as expected by the model quartet (stated)"), "{page}");
    assert!(!page.contains("! "), "{page}");
}

#[test]
fn an_imported_text_is_held_against_the_stated_machine() {
    let directory = tempfile::tempdir().unwrap();
    let input = concat!(env!("CARGO_MANIFEST_DIR"), "/../importers/tests/inputs/mlc-full.txt");
    run(directory.path(), &["import", input, "-q", "-o", "mlc.json"]);
    let stated = ["--machine", "Xeon Platinum 8280"];
    let page = run(directory.path(), &[&["show", "mlc.json"], &stated[..]].concat());
    assert!(words(&page).contains("values as expected by the model"), "{page}");
    let page = run(directory.path(), &[&["import", input, "-q"], &stated[..]].concat());
    assert!(page.contains("expected values"), "{page}");
}

/// `diagnose`, `report`, `compare`, `fleet` and `archive` read such a text, and these did not.
#[test]
fn the_text_of_another_tool_is_read_like_a_result_of_it() {
    let directory = tempfile::tempdir().unwrap();
    let input = concat!(env!("CARGO_MANIFEST_DIR"), "/../importers/tests/inputs/mlc-full.txt");
    run(directory.path(), &["import", input, "-q", "-o", "mlc.json"]);
    let stated: &[&str] = &["--machine", "xeon-cascade-lake,cores=18"];
    for (verb, more) in [(&["show"][..], stated), (&["calibrate"], stated), (&["advise", "distances"], &[])] {
        let of = |file: &str| {
            let page = run(directory.path(), &[verb, &[file], more].concat());
            words(&page).replace(input, "FILE").replace("mlc.json", "FILE")
        };
        assert_eq!(of(input), of("mlc.json"), "{verb:?}");
    }
    std::fs::write(directory.path().join("other.txt"), "nothing of the sort\n").unwrap();
    let talk = refused(directory.path(), &["show", "other.txt"]);
    assert!(talk.contains("other.txt") && talk.contains("hint: "), "{talk}");
}

#[test]
fn a_slip_in_the_name_of_the_machine_is_refused_before_anything_is_measured() {
    let directory = tempfile::tempdir().unwrap();
    let talk = refused(directory.path(), &["survey", "--machine", "xeon-cascade-like"]);
    assert!(talk.contains("xeon-cascade-like"), "{talk}");
    assert!(std::fs::read_dir(directory.path()).unwrap().next().is_none(), "nothing was measured");
    let talk = refused(directory.path(), &["survey", "--machine", "xeon-cascade-lake,links=9"]);
    assert!(talk.contains("at most 3"), "{talk}");
}

/// `show` once was a slip for `machine show`.
#[test]
fn the_name_of_a_machine_is_no_result() {
    let directory = tempfile::tempdir().unwrap();
    let talk = refused(directory.path(), &["show", "quartet"]);
    assert!(talk.contains("did you mean `zerohop machine show quartet`?"), "{talk}");
}
