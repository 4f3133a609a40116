//! What is added to an archive, and as what.

use std::fs;
use std::path::Path;

use crate::drawn::Drawn;
use crate::{ids, printed, said};

const ARCHIVE: &str = "a.sqlite";

/// A result of a model.
const MODELED: &str = include_str!("../../../result/tests/files/version-2/model.json");

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
    assert!(status == 2 && talk.contains("does not name its machine"), "{talk}");
    assert!(talk.contains("hint: give the machine with --of MACHINE"), "{talk}");
    // A copy under another name is the same result.
    let (_, talk, _) = at(&["archive", "add", "mlc.txt", "copy.txt", "--of", "node-07"]);
    assert!(talk.contains("1 result added, 1 there before"), "{talk}");
    let listed = printed(folder.path(), ARCHIVE, &["archive", "list"]);
    assert!(listed.contains("node-07") && listed.contains("imported (mlc)"), "{listed}");
}

/// Machines and the numbers of their results.
fn machines(folder: &Path) -> Vec<String> {
    let machines = printed(folder, ARCHIVE, &["archive", "machines", "--format", "csv"]);
    let told = |line: &str| line.split(',').take(2).collect::<Vec<_>>().join(" ");
    machines.lines().skip(1).map(told).collect()
}

/// `--of` put the result of any host on any machine, whatever it showed.
#[test]
fn a_result_is_of_the_machine_that_it_shows_whatever_it_is_said_to_be_of() {
    let folder = tempfile::tempdir().unwrap();
    let add = |from: &str, of: &str| said(folder.path(), ARCHIVE, &["archive", "add", from, "--of", of]);
    Drawn::new(7, 0).write(&folder.path().join("in"));
    printed(folder.path(), ARCHIVE, &["archive", "add", "in"]);
    // One of another host is refused, and those that arrive with it are not.
    Drawn::new(8, 1).write(&folder.path().join("more"));
    Drawn::new(7, 1).write(&folder.path().join("more"));
    let (_, talk, status) = add("more", "node-07");
    assert!(status == 2 && talk.contains("1 result added, 1 failed"), "{talk}");
    assert!(talk.contains("the result is not from the machine `node-07`"), "{talk}");
    assert!(talk.contains("hint: add it without --of MACHINE; if both are the same machine"), "{talk}");
    assert_eq!(machines(folder.path()), ["node-07 2"]);
    // As the hint says.
    printed(folder.path(), ARCHIVE, &["archive", "add", "more"]);
    let (_, talk, status) = add("more", "node-09");
    assert!(status == 0 && talk.contains("stays with `node-0"), "{talk}");
    Drawn::new(8, 2).write(&folder.path().join("again"));
    let (_, talk, status) = add("again", "node-07");
    assert!(
        status == 2 && talk.contains("the result is not from the machine `node-07`, but from `node-08`"),
        "{talk}"
    );
    printed(folder.path(), ARCHIVE, &["archive", "rename", "--merge", "node-08", "node-07"]);
    assert_eq!(add("again", "node-07").2, 0);
    assert_eq!(machines(folder.path()), ["node-07 4"]);
}

#[test]
fn a_machine_gets_the_name_under_which_its_first_result_is_added() {
    let folder = tempfile::tempdir().unwrap();
    Drawn::new(3, 0).write(&folder.path().join("in"));
    printed(folder.path(), ARCHIVE, &["archive", "add", "in", "--of", "rack-3"]);
    Drawn::new(3, 1).write(&folder.path().join("more"));
    printed(folder.path(), ARCHIVE, &["archive", "add", "more"]);
    assert_eq!(machines(folder.path()), ["rack-3 2"]);
    printed(folder.path(), ARCHIVE, &["archive", "verify"]);
    assert_eq!(machines(folder.path()), ["rack-3 2"]);
}

#[test]
fn results_of_one_model_are_kept_apart_by_name_and_out_of_what_hosts_are_called() {
    let folder = tempfile::tempdir().unwrap();
    Drawn::new(7, 0).write(&folder.path().join("in"));
    printed(folder.path(), ARCHIVE, &["archive", "add", "in"]);
    for (rank, of) in ["n01", "n02", "node-07"].iter().enumerate() {
        let mut value: serde_json::Value = serde_json::from_str(MODELED).unwrap();
        value["run"] = serde_json::json!({ "id": format!("01900000-0000-7000-8000-{rank:012}") });
        fs::write(folder.path().join("model.json"), value.to_string()).unwrap();
        let (_, talk, status) = said(folder.path(), ARCHIVE, &["archive", "add", "model.json", "--of", of]);
        assert_eq!(status == 0, *of != "node-07", "{of}: {talk}");
    }
    assert_eq!(machines(folder.path()), ["n01 1", "n02 1", "node-07 1"]);
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
    // Whoever reads the id in a list is not the one who measured it.
    let mut of_another = whole.value();
    of_another["run"]["host"] =
        serde_json::json!({ "name": "other", "machine_id": "00000000-0000-4000-8000-0000000000ff" });
    fs::write(folder.path().join("b.json"), of_another.to_string()).unwrap();
    let (_, talk, _) = said(folder.path(), ARCHIVE, &["archive", "add", "b.json"]);
    assert!(talk.contains("another result with the same id is in the archive"), "{talk}");
    let talk = add(whole);
    assert!(talk.contains("0 results added, 1 instead of an unfinished one"), "{talk}");
    let talk = add(begun);
    assert!(talk.contains("another result with the same id is in the archive"), "{talk}");
    let talk = add(Drawn { factor: 2.0, ..whole });
    assert!(talk.contains("skipped `"), "{talk}");
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
    let one = ["archive", "history", "quartet (model)", "bandwidth-matrix"];
    let history = printed(folder.path(), archive, &one);
    assert!(history.contains("bandwidth-matrix") && !history.contains("latency-matrix"), "{history}");
    let (_, talk, _) =
        said(folder.path(), archive, &["archive", "history", "quartet (model)", "bandwith-matrix"]);
    assert!(talk.contains("did you mean `bandwidth-matrix`? It has those of"), "{talk}");
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
