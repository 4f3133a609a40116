//! What is added to an archive, and as what.

use std::fs;

use crate::drawn::Drawn;
use crate::{ids, printed, said};

const ARCHIVE: &str = "a.sqlite";

#[test]
fn the_output_of_a_tool_needs_the_name_of_its_machine() {
    let folder = tempfile::tempdir().unwrap();
    let text = "Intel(R) Memory Latency Checker - v3.9\nMeasuring idle latencies (in ns)...\n\
                \t\tNuma node\nNuma node\t     0\t     1\n       0\t  80.0\t 140.0\n       1\t 140.0\t  80.0\n";
    for name in ["mlc.txt", "copy.txt"] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let at = |arguments: &[&str]| said(folder.path(), ARCHIVE, arguments);
    let (_, talk, status) = at(&["archive", "add", "mlc.txt"]);
    assert!(status == 2 && talk.contains("does not say which machine it is of"), "{talk}");
    assert!(talk.contains("hint: name the machine with --of MACHINE"), "{talk}");
    // A copy under another name is the same result.
    let (_, talk, _) = at(&["archive", "add", "mlc.txt", "copy.txt", "--of", "node-07"]);
    assert!(talk.contains("1 result added, 1 there before"), "{talk}");
    let listed = printed(folder.path(), ARCHIVE, &["archive", "list"]);
    assert!(listed.contains("node-07") && listed.contains("imported (mlc)"), "{listed}");
}

#[test]
fn a_machine_that_people_name_is_the_one_that_results_show() {
    let folder = tempfile::tempdir().unwrap();
    let drawn = Drawn::new(7, 0);
    drawn.write(&folder.path().join("in"));
    printed(folder.path(), ARCHIVE, &["archive", "add", "in"]);
    Drawn::new(8, 1).write(&folder.path().join("more"));
    printed(folder.path(), ARCHIVE, &["archive", "add", "more", "--of", "node-07"]);
    let machines = printed(folder.path(), ARCHIVE, &["archive", "machines", "--format", "csv"]);
    assert_eq!(machines.lines().nth(1).unwrap().split(',').take(2).collect::<Vec<_>>(), ["node-07", "2"]);
    assert_eq!(machines.lines().count(), 2);
}

#[test]
fn machines_of_one_name_are_told_apart_by_what_they_are() {
    let folder = tempfile::tempdir().unwrap();
    for machine in 1..=2 {
        let mut value = Drawn::new(machine, 0).value();
        value["run"]["host"]["name"] = "localhost".into();
        fs::write(folder.path().join(format!("{machine}.json")), value.to_string()).unwrap();
    }
    printed(folder.path(), ARCHIVE, &["archive", "add", "1.json", "2.json"]);
    let machines = printed(folder.path(), ARCHIVE, &["archive", "machines", "--format", "csv"]);
    let names: Vec<&str> = machines.lines().skip(1).map(|line| line.split(',').next().unwrap()).collect();
    assert_eq!((names.len(), names[0]), (2, "localhost"), "{machines}");
    assert!(names[1].starts_with("localhost-") && names[1].len() == 16, "{machines}");
    // One machine that was installed again is one once somebody says so.
    printed(folder.path(), ARCHIVE, &["archive", "rename", "--merge", names[1], "localhost"]);
    let machines = printed(folder.path(), ARCHIVE, &["archive", "machines", "--format", "csv"]);
    assert_eq!(machines.lines().nth(1).unwrap().split(',').take(2).collect::<Vec<_>>(), ["localhost", "2"]);
}

#[test]
fn a_run_that_went_on_takes_the_place_of_its_beginning_and_never_the_other_way_round() {
    let folder = tempfile::tempdir().unwrap();
    let whole = Drawn::new(1, 0);
    let begun = Drawn { completion: "running", cells: 2, ..whole };
    let add = |drawn: Drawn| {
        fs::write(folder.path().join("a.json"), drawn.value().to_string()).unwrap();
        said(folder.path(), ARCHIVE, &["archive", "add", "a.json"]).1
    };
    assert!(add(begun).contains("1 result added"));
    let talk = add(whole);
    assert!(talk.contains("0 results added, 1 instead of an unfinished one"), "{talk}");
    let talk = add(begun);
    assert!(talk.contains("has the id of a result that is there and says something else"), "{talk}");
    let talk = add(Drawn { factor: 2.0, ..whole });
    assert!(talk.contains("it was left out"), "{talk}");
    let listed = printed(folder.path(), ARCHIVE, &["archive", "list", "--format", "csv"]);
    assert!(listed.contains(",complete,") && listed.contains(",4,"), "{listed}");
    assert_eq!(listed.lines().count(), 2);
}

#[test]
fn surveys_of_models_are_added_where_that_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let survey = ["survey", "--on", "quartet", "--solver", "flow", "-q", "-o", "out"];
    printed(folder.path(), ARCHIVE, &survey);
    assert!(!folder.path().join(ARCHIVE).exists());
    fs::create_dir(folder.path().join("b")).unwrap();
    let path = folder.path().join("b/c.sqlite");
    let archive = format!("--archive={}", path.display());
    printed(folder.path(), ARCHIVE, &[survey.as_slice(), &[&archive]].concat());
    let archive = path.to_str().unwrap();
    assert_eq!(ids(folder.path(), archive).len(), 1);
    let history = printed(folder.path(), archive, &["archive", "history", "quartet (model)"]);
    assert!(history.contains("bandwidth") && history.contains("latency"), "{history}");
}

#[test]
fn pages_of_lists_and_histories_have_all_forms() {
    let folder = tempfile::tempdir().unwrap();
    for day in 0..3 {
        Drawn::new(1, day).write(&folder.path().join("in"));
    }
    printed(folder.path(), ARCHIVE, &["archive", "add", "in"]);
    for verb in [["archive", "list"].as_slice(), &["archive", "machines"], &["archive", "history", "node-01"]]
    {
        for (form, holds) in [
            ("table", "node-01"),
            ("json", "\"node-01\""),
            ("csv", "node-01,"),
            ("markdown", "# "),
            ("html", "<!DOCTYPE html>"),
        ] {
            let text = printed(folder.path(), ARCHIVE, &[verb, &["--format", form]].concat());
            assert!(text.contains(holds), "{verb:?} {form}: {text}");
        }
        let file = [verb, &["-o", "a.html"]].concat();
        printed(folder.path(), ARCHIVE, &file);
        assert!(fs::read_to_string(folder.path().join("a.html")).unwrap().contains("node-01"));
    }
}
