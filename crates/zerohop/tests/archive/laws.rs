//! What holds of archives in either database.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::drawn::Drawn;
use crate::server::{Server, free_port};
use crate::{ids, printed, said};

#[test]
fn results_come_back_from_a_file_as_they_were_added() {
    let folder = tempfile::tempdir().unwrap();
    results_come_back(folder.path(), "a.sqlite");
}

#[test]
#[ignore = "long: starts a server of PostgreSQL"]
fn results_come_back_from_a_server_as_they_were_added() {
    let (folder, server) = (tempfile::tempdir().unwrap(), Server::start(None));
    results_come_back(folder.path(), &server.url());
}

#[test]
#[ignore = "long: starts a server of PostgreSQL"]
fn a_server_on_loopback_asks_for_its_password() {
    let folder = tempfile::tempdir().unwrap();
    let port = free_port();
    let _server = Server::start(Some(port));
    Drawn::new(1, 1).write(&folder.path().join("in"));
    let url = |password: &str| format!("postgresql://postgres:{password}@127.0.0.1:{port}/postgres");
    printed(folder.path(), &url("s3cret"), &["archive", "add", "in"]);
    assert_eq!(ids(folder.path(), &url("s3cret")).len(), 1);
    let (_, talk, status) = said(folder.path(), &url("wr0ng"), &["archive", "list"]);
    assert!(status == 2 && talk.contains("password authentication failed"), "{talk}");
    assert!(!talk.contains("wr0ng"), "{talk}");
}

/// Everything that people do with an archive, in both databases.
fn results_come_back(folder: &Path, archive: &str) {
    let at = |arguments: &[&str]| said(folder, archive, arguments);
    let print = |arguments: &[&str]| printed(folder, archive, arguments);
    for day in 0..6 {
        let later = Drawn { factor: 1.17, firmware: "1.3", ..Drawn::new(1, day) };
        if day < 3 { Drawn::new(1, day) } else { later }.write(&folder.join("in"));
    }
    Drawn { completion: "interrupted", ..Drawn::new(1, 6) }.write(&folder.join("in"));
    Drawn::new(2, 3).write(&folder.join("in/deeper"));

    // Added once, however often.
    let (_, talk, status) = at(&["archive", "add", "in"]);
    assert!(status == 0 && talk.contains("8 results added"), "{talk}");
    let (_, talk, _) = at(&["archive", "add", "in", "in/deeper"]);
    assert!(talk.contains("0 results added, 9 there before"), "{talk}");
    assert_eq!(ids(folder, archive).len(), 8);

    // One that does not count is marked.
    let listed = print(&["archive", "list"]);
    assert!(listed.contains("not counted") && listed.contains("1 result: it was interrupted"), "{listed}");
    let machines = print(&["archive", "machines", "--format", "json"]);
    let machines: Value = serde_json::from_str(&machines).unwrap();
    assert_eq!(machines["machines"][0]["name"], "node-01");
    assert_eq!(
        (&machines["machines"][0]["results"], &machines["machines"][0]["usable"]),
        (&7.into(), &6.into())
    );
    assert_eq!(machines["machines"][0]["latest"], Drawn::new(1, 5).id());
    let since = print(&["archive", "list", "node-01", "--since", "2026-01-05", "--format", "csv"]);
    assert_eq!(since.lines().count(), 1 + 3, "{since}");
    assert_eq!(print(&["archive", "list", "--last", "2", "--format", "csv"]).lines().count(), 1 + 2);

    // What changed is named where it changed.
    let history = print(&["archive", "history", "node-01"]);
    assert!(history.contains("2026-01-04 03:00: firmware: 1.2 → 1.3"), "{history}");
    let cell: Value = serde_json::from_str(&print(&[
        "archive",
        "history",
        "node-01",
        "latency-matrix",
        "latency",
        "cpu=3",
        "--format",
        "json",
    ]))
    .unwrap();
    let values: Vec<f64> = cell["courses"][0]["readings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["value"].as_f64().unwrap())
        .collect();
    assert_eq!(values, [103.0, 103.0, 103.0, 103.0 * 1.17, 103.0 * 1.17, 103.0 * 1.17]);

    // A text comes back as it went in.
    print(&["archive", "export", "-q", "-o", "out"]);
    let mut exported: Vec<String> = fs::read_dir(folder.join("out"))
        .unwrap()
        .map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap())
        .collect();
    exported.sort();
    assert_eq!(exported.len(), 8);
    let drawn = Drawn::new(2, 3);
    let back = exported.iter().map(|text| serde_json::from_str::<Value>(text).unwrap());
    let back = back.into_iter().find(|value| value["run"]["id"] == drawn.id().as_str()).unwrap();
    assert_eq!(back["experiments"], drawn.value()["experiments"]);
    let shown = print(&["archive", "text", &drawn.id()[..14]]);
    assert!(exported.contains(&shown));
    assert!(print(&["archive", "show", &drawn.id()[..14]]).contains("node-02"));

    // The index is made again from the texts, and is the same; names are kept.
    print(&["archive", "rename", "node-01", "the odd one"]);
    let before = print(&["archive", "list", "--all", "--format", "csv"]);
    let (_, talk, status) = at(&["archive", "verify"]);
    assert!(status == 0 && talk.contains("8 results intact, 0 damaged"), "{talk}");
    assert_eq!(print(&["archive", "list", "--all", "--format", "csv"]), before);
    assert!(before.contains("the odd one") && !before.contains("node-01"), "{before}");

    // Pruning keeps the latest that count, and says what it would do.
    let (would, _, _) =
        at(&["archive", "prune", "the odd one", "--before", "2026-01-06", "--keep", "3", "--dry-run"]);
    assert_eq!(would.lines().count(), 3, "{would}");
    assert_eq!(ids(folder, archive).len(), 8);
    print(&["archive", "prune", "the odd one", "--before", "2026-01-06", "--keep", "3"]);
    assert_eq!(ids(folder, archive).len(), 5);
    print(&["archive", "prune", "--unusable", "--keep", "0"]);
    let kept = [(1, 3), (2, 3), (1, 4), (1, 5)].map(|(machine, day)| Drawn::new(machine, day).id());
    assert_eq!(ids(folder, archive), kept);
    let (_, talk, status) = at(&["archive", "prune", "the odd one"]);
    assert!(status == 2 && talk.contains("no condition selects the results to remove"), "{talk}");
    let (_, talk, status) = at(&["archive", "prune"]);
    assert!(status == 2 && talk.contains("no condition selects the results"), "{talk}");
    // A slip in one id removes none of them.
    let last = Drawn::new(1, 5).id();
    assert_eq!(at(&["archive", "remove", &last[..14], "0123"]).2, 2);
    assert_eq!(ids(folder, archive), kept);
    print(&["archive", "remove", &last[..14]]);
    assert_eq!(ids(folder, archive), kept[..3]);
    let (_, talk, status) = at(&["archive", "history", "node-01"]);
    assert!(status == 2 && talk.contains("hint: it has node-02, the odd one"), "{talk}");
}
