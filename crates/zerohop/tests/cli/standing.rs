//! What is wrong with a machine is said by every verb that reads a result of it.

use std::fs;
use std::path::Path;

use crate::binary::zerohop;

fn page(directory: &Path, arguments: &str, status: i32) -> String {
    let words = shlex::split(arguments).unwrap();
    let output = zerohop().current_dir(directory).args(words).assert().code(status).get_output().clone();
    let text = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// `show` dropped the fault that `survey` had printed, the picture had neither it nor a mark, and advice never mentioned the broken node.
#[test]
fn the_fault_of_a_survey_is_on_every_page_about_its_machine() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    let survey = page(at, "survey --on sr665-v3 --solver auto --fault channels:node1=1 -o sick", 0);
    let found = "fault: node 1 reads";
    let cause = "channels of node 1 have no working DIMM";
    assert!(survey.contains(found) && survey.contains(cause), "{survey}");
    for arguments in [
        "show sick",
        "show sick --all",
        "diagnose sick",
        "advise placement sick --threads 16 --data shared --bytes 4G",
        "advise placement sick --workload stream-of-weights --bytes-per-step 4G",
        "advise settings sick --threads 1",
    ] {
        let page = page(at, arguments, 0);
        assert!(page.contains("node 1 reads") && page.contains(cause), "{arguments}: {page}");
        // Whether a link is down, nothing says of two sockets.
        assert!(page.contains("not tested whether all links"), "{arguments}: {page}");
    }
    let whole = fs::read_to_string(at.join("sick/survey.txt")).unwrap();
    assert!(whole.contains("! fault: node 1 reads"), "{whole}");
    let picture = fs::read_to_string(at.join("sick/survey.svg")).unwrap();
    assert!(picture.contains(found) && picture.contains("deviates from comparable values"), "{picture}");
    let json = page(at, "advise placement sick --threads 16 --data shared --bytes 4G --format json", 0);
    assert!(json.contains("\"diagnosis\": { \"result\": \"sick\""), "{json}");
    // The settings are tried on a model that is not broken, and the page says so.
    let settings = page(at, "advise settings sick --threads 1", 0);
    assert!(settings.contains("a model of the machine without these faults"), "{settings}");
}

#[test]
fn a_link_that_may_be_down_between_two_sockets_is_said_to_be_unknown() {
    let directory = tempfile::tempdir().unwrap();
    let survey = "survey --on sr665-v3 --solver auto --fault link:0-1=down -o down";
    let page_of = |arguments: &str| page(directory.path(), arguments, 0);
    let survey = page_of(survey);
    for words in ["diagnosis nothing found", "how many there are", "--machine NAME,links=N"] {
        assert!(survey.contains(words), "{words}: {survey}");
    }
    let stated = page_of("diagnose down --machine sr665-v3,links=4");
    assert!(stated.contains("links-missing") && !stated.contains("not tested"), "{stated}");
}

/// A strict diagnosis of a measurement that shows nothing was a success.
#[test]
fn a_strict_diagnosis_of_what_is_not_good_enough_cannot_tell() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    page(at, "survey --on quartet --solver auto --fault noise=busy -o busy.json --strict", 3);
    let strict = page(at, "diagnose busy.json --strict", 3);
    assert!(strict.contains("whether its machine is healthy"), "{strict}");
    assert!(page(at, "diagnose busy.json", 0).contains("not good enough"));
}

/// From channels times rate to what its cores read: the costs of each node add up, and what is missing stands where the fault is.
#[test]
fn the_bandwidth_of_a_node_is_taken_apart_in_table_picture_and_json() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    page(
        at,
        "run bandwidth-matrix --on cascade-lake-4s --solver auto --fault channels:node1=4 -o sick.json",
        0,
    );
    let json = zerohop()
        .current_dir(at)
        .args(["show", "sick.json", "--machine", "cascade-lake-4s", "--format", "json", "--quiet"])
        .assert()
        .success();
    let shown: serde_json::Value = serde_json::from_slice(&json.get_output().stdout).unwrap();
    let nodes = shown["waterfalls"].as_array().unwrap();
    assert_eq!(nodes.len(), 4);
    for node in nodes {
        let of = |name: &str| node[name].as_f64().unwrap();
        let all = [of("theoretical"), of("sustained"), of("expected")];
        assert!(all.is_sorted_by(|one, other| one >= other), "{node}");
        assert!((of("theoretical") - 140.8).abs() < 0.05, "{node}");
        let share = of("found") / of("expected");
        let (least, most) = if node["node"] == 1 { (0.6, 0.75) } else { (0.95, 1.05) };
        assert!(share > least && share < most, "{node}");
    }
    let table = page(at, "show sick.json --machine cascade-lake-4s --all", 0);
    assert!(table.contains("missing or slow") && table.contains("140.8 −"), "{table}");
    page(at, "show sick.json --machine cascade-lake-4s -o sick.svg", 0);
    let picture = fs::read_to_string(at.join("sick.svg")).unwrap();
    assert!(picture.contains("where each node's bandwidth goes") && picture.contains("! 59 %"));
    assert!(!page(at, "show sick.json --all", 0).contains("missing or slow"), "nothing is known of it");
}

#[test]
#[cfg(feature = "png")]
fn a_picture_is_written_in_pixels_and_not_printed() {
    let directory = tempfile::tempdir().unwrap();
    page(directory.path(), "machine show quartet -o machine.png", 0);
    let bytes = fs::read(directory.path().join("machine.png")).unwrap();
    assert!(bytes.starts_with(b"\x89PNG\r\n") && bytes.len() > 10_000, "{}", bytes.len());
    let refused = page(directory.path(), "machine show quartet --format png", 2);
    assert!(refused.contains("`png` is binary and cannot be printed"), "{refused}");
}
