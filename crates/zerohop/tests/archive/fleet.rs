//! `zerohop fleet analyse --archive`: the machines of an archive, held against each other.

use std::fs;

use serde_json::Value;

use crate::drawn::Drawn;
use crate::{printed, said};

const ARCHIVE: &str = "a.sqlite";

/// Sixteen nights of twelve machines: two become slower on the eleventh, with new firmware, and one has been slow since its first.
fn fleet() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for machine in 1..=12 {
        for day in 0..16 {
            // No two machines and no two nights are alike.
            let noise = 1.0 + 0.002 * (((day * 7 + machine * 3) % 13) as f64 - 6.0) / 6.0;
            let (slow, firmware) = match (machine, day) {
                (3 | 7, 10..) => (1.3, "1.3"),
                (9, _) => (1.4, "1.2"),
                _ => (1.0, "1.2"),
            };
            let drawn = Drawn { factor: slow * noise, firmware, ..Drawn::new(machine, day) };
            drawn.write(&folder.path().join("in"));
        }
    }
    printed(folder.path(), ARCHIVE, &["archive", "add", "in", "-q"]);
    folder
}

#[test]
fn bad_machines_of_an_archive_are_named_with_since_when_and_what_changed_then() {
    let folder = fleet();
    let page = printed(folder.path(), ARCHIVE, &["fleet", "analyse", "--archive", "-q"]);
    assert!(page.contains("3 of 12 nodes are bad"), "{page}");
    for (node, since) in [("node-03", "2026-01-11"), ("node-07", "2026-01-11"), ("node-09", "always")] {
        let line = page.lines().find(|line| line.trim_start().starts_with(node)).unwrap_or_default();
        assert!(line.contains(since), "{node}: {page}");
    }
    let onset = "became bad between 2026-01-10 and 2026-01-11, when firmware became 1.3 (was 1.2)";
    assert!(page.split_whitespace().collect::<Vec<_>>().join(" ").contains(onset), "{page}");

    let named = ["fleet", "analyse", "--archive=a.sqlite", "-q", "--format"];
    let form = |form| printed(folder.path(), "elsewhere.sqlite", &[&named[..], &[form]].concat());
    let json: Value = serde_json::from_str(&form("json")).unwrap();
    let bad = json["groups"][0]["bad"].as_array().unwrap();
    let of = |node: &str| &bad.iter().find(|one| one["node"] == node).unwrap()["since"];
    assert_eq!(of("node-03")["from"], "2026-01-11T03:00:00Z");
    assert_eq!(of("node-03")["until"], "2026-01-10T03:00:00Z");
    assert_eq!(
        (&of("node-09")["until"], &of("node-09")["from"]),
        (&Value::Null, &"2026-01-01T03:00:00Z".into())
    );
    assert!(form("csv").lines().next().unwrap().contains(",since,"));
    assert!(form("markdown").contains("| since |") && form("html").contains("2026-01-11"));

    let strict = ["fleet", "analyse", "--archive", "--strict", "-q"];
    assert_eq!(said(folder.path(), ARCHIVE, &strict).2, 1);
}

#[test]
fn files_have_no_past_and_an_archive_of_nothing_is_no_fleet() {
    let folder = fleet();
    let latest: Vec<String> =
        (1..=12).map(|machine| format!("in/{}.json", Drawn::new(machine, 15).id())).collect();
    let arguments: Vec<&str> =
        ["fleet", "analyse", "-q"].into_iter().chain(latest.iter().map(String::as_str)).collect();
    let page = printed(folder.path(), ARCHIVE, &arguments);
    assert!(page.contains("3 of 12 nodes are bad") && !page.contains("since"), "{page}");

    let (_, talk, status) = said(folder.path(), "none.sqlite", &["fleet", "analyse", "--archive", "-q"]);
    assert_eq!(status, 2, "{talk}");
    let (_, talk, status) = said(folder.path(), ARCHIVE, &["fleet", "analyse", ARCHIVE, "-q"]);
    assert!(status == 2 && talk.contains("--archive=FILE"), "{talk}");
    let (_, talk, status) = said(folder.path(), ARCHIVE, &["fleet", "analyse", "in", "--archive", "-q"]);
    assert!(status == 2 && talk.contains("cannot be used with"), "{talk}");
}

/// Eight hosts that were all called `localhost` were one node, whose average hid the slow one: exit status 0.
#[test]
fn hosts_of_one_name_are_told_apart_by_their_machine_ids_in_files_as_in_an_archive() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("in")).unwrap();
    for machine in 1..=8 {
        let factor = if machine == 4 { 1.4 } else { 1.0 + 0.001 * machine as f64 };
        let drawn = Drawn { factor, ..Drawn::new(machine, 1) };
        let mut file = drawn.value();
        file["run"]["host"]["name"] = "localhost".into();
        file["machine"]["name"] = "localhost".into();
        fs::write(folder.path().join("in").join(format!("x{machine}.json")), file.to_string()).unwrap();
    }
    let bad = |arguments: &[&str]| {
        let json = printed(folder.path(), ARCHIVE, &[arguments, &["-q", "--format", "json"]].concat());
        let json: Value = serde_json::from_str(&json).unwrap();
        assert_eq!(json["groups"][0]["nodes"], 8, "{json}");
        let bad = json["groups"][0]["bad"].as_array().unwrap();
        assert_eq!(bad.len(), 1, "{json}");
        bad[0]["node"].as_str().unwrap().to_owned()
    };
    let of_files = bad(&["fleet", "analyse", "in"]);
    assert!(of_files.strip_prefix("localhost-").is_some_and(|digits| digits.len() == 6), "{of_files}");
    printed(folder.path(), ARCHIVE, &["archive", "add", "in", "-q"]);
    assert_eq!(bad(&["fleet", "analyse", "--archive"]), of_files);
    assert_eq!(said(folder.path(), ARCHIVE, &["fleet", "analyse", "in", "--strict", "-q"]).2, 1);
}

/// A node that is bad since last week was averaged with the nights before.
#[test]
fn of_many_results_of_a_node_the_latest_is_judged() {
    let folder = fleet();
    let json = printed(folder.path(), ARCHIVE, &["fleet", "analyse", "in", "-q", "--format", "json"]);
    let json: Value = serde_json::from_str(&json).unwrap();
    let bad = json["groups"][0]["bad"].as_array().unwrap();
    let loss = |node: &str| bad.iter().find(|one| one["node"] == node).unwrap()["loss"].as_f64().unwrap();
    // Latencies of 1.3 and 1.4 times what is usual.
    assert!((loss("node-03") - 0.23).abs() < 0.01 && (loss("node-09") - 0.286).abs() < 0.01, "{json}");
    let note = json["notes"][0]["words"].as_str().unwrap();
    assert!(note.ends_with(" results of a node with several results: only the newest is judged"), "{note}");
}

/// Gates that saw nothing said that all is well.
#[test]
fn a_strict_gate_says_where_it_could_not_judge() {
    let folder = tempfile::tempdir().unwrap();
    let status = |directory: &str| {
        let (page, talk, status) =
            said(folder.path(), ARCHIVE, &["fleet", "analyse", directory, "--strict", "-q"]);
        assert_eq!(said(folder.path(), ARCHIVE, &["fleet", "analyse", directory, "-q"]).2, 0, "{talk}");
        (status, page)
    };
    let write = |directory: &str, machine: u64, factor: f64, completion: &'static str| {
        let drawn = Drawn { factor, completion, ..Drawn::new(machine, 1) };
        drawn.write(&folder.path().join(directory));
    };
    for machine in 1..=4 {
        let factor = 1.0 + 0.001 * machine as f64;
        write("well", machine, factor, "complete");
        write("zero", machine, if machine == 4 { 0.0 } else { factor }, "complete");
        write("cut", machine, factor, if machine == 4 { "interrupted" } else { "complete" });
        if machine <= 2 {
            write("two", machine, factor, "complete");
        }
    }
    assert_eq!(status("well").0, 0);
    for (directory, words) in [
        ("two", "not judged: at least 3 nodes of a kind are required"),
        ("zero", "1 latest result without a value that can be judged"),
        ("cut", "1 incomplete result of which only the finished part is judged"),
    ] {
        let (status, page) = status(directory);
        assert!(status == 3 && page.contains(words), "{directory}: {status} {page}");
    }
    // What is bad is bad, whatever else is open.
    write("zero", 5, 1.5, "complete");
    assert_eq!(status("zero").0, 1);
}

/// A node that lost three of eight DIMMs was as usual, since its latest result did not count and the one before did.
#[test]
fn the_parts_are_those_of_the_latest_result_whether_it_counts_or_not() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("in")).unwrap();
    let dimm = serde_json::json!({ "locator": "", "bank": "", "size": 1_u64 << 30, "technology": "DDR4" });
    let write = |machine: u64, day: u64, dimms: usize, completion: &str| {
        let drawn = Drawn { factor: 1.0 + 0.001 * machine as f64, ..Drawn::new(machine, day) };
        let mut file = drawn.value();
        file["completion"] = completion.into();
        file["machine"]["memory_devices"] = vec![dimm.clone(); dimms].into();
        fs::write(folder.path().join("in").join(format!("{machine}-{day}.json")), file.to_string()).unwrap();
    };
    (1..=8).for_each(|machine| write(machine, 1, 8, "complete"));
    let strict = |arguments: &[&str]| {
        let (page, talk, status) = said(folder.path(), ARCHIVE, &[arguments, &["--strict", "-q"]].concat());
        (format!("{page}{talk}"), status)
    };
    let archived = ["fleet", "analyse", "--archive"];
    let add = || printed(folder.path(), ARCHIVE, &["archive", "add", "in", "-q"]);
    add();
    let (page, status) = strict(&archived);
    assert_eq!(status, 0, "{page}");
    // Its values are not known, and its parts are as usual.
    write(3, 2, 8, "interrupted");
    add();
    let (page, status) = strict(&archived);
    assert!(status == 3 && page.contains("whose newest result is unusable"), "{page}");
    write(4, 2, 5, "interrupted");
    add();
    for arguments in [&archived[..], &["fleet", "analyse", "in"]] {
        let (page, status) = strict(arguments);
        assert!(status == 1 && page.contains("5 of 8 DIMMs"), "{arguments:?}: {page}");
    }
}
