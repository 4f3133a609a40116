//! `zerohop fleet analyse --archive`: the machines of an archive, held against each other.

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
