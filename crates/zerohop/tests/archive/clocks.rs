//! Results of a machine whose clock was wrong.

use std::fs;

use serde_json::Value;

use crate::drawn::Drawn;
use crate::{printed, said};

const ARCHIVE: &str = "a.sqlite";

/// One result of 2099 was the latest of its machine for ever, and what the machine lost later was not seen.
#[test]
fn a_result_of_the_future_hides_no_bad_machine() {
    let folder = tempfile::tempdir().unwrap();
    let at = |arguments: &[&str]| said(folder.path(), ARCHIVE, arguments);
    for machine in 1..=8 {
        for day in 1..=3 {
            let noise = 1.0 + 0.001 * machine as f64;
            let slow = if machine == 1 { 2.0 } else { 1.0 };
            Drawn { factor: slow * noise, ..Drawn::new(machine, day) }.write(&folder.path().join("in"));
        }
    }
    let odd = Drawn::new(1, 0);
    let mut value = odd.value();
    value["started_at"] = "2099-01-01T03:00:00Z".into();
    // Its name is the last of the folder.
    fs::write(folder.path().join("in/zzz.json"), value.to_string()).unwrap();
    let (_, talk, status) = at(&["archive", "add", "in", "-q"]);
    assert!(
        status == 0 && talk.contains("`in/zzz.json`: wrong clock: it claims to have started at 2099-01-01"),
        "{talk}"
    );
    assert_eq!(at(&["archive", "add", "in/zzz.json"]).1.matches("wrong clock").count(), 1);

    let (page, _, status) = at(&["fleet", "analyse", "--archive", "--strict", "-q"]);
    assert!(status == 1 && page.contains("1 of 8 nodes is bad") && page.contains("node-01"), "{page}");

    // What it says stays to be seen.
    let machines: Value =
        serde_json::from_str(&printed(folder.path(), ARCHIVE, &["archive", "machines", "--format", "json"]))
            .unwrap();
    let machine = &machines["machines"][0];
    assert_eq!((&machine["wrong_clocks"], &machine["latest"]), (&1.into(), &Drawn::new(1, 3).id().into()));
    assert_eq!(machine["last"], "2026-01-04T03:00:00Z");
    for arguments in [&["archive", "list", "node-01"][..], &["archive", "history", "node-01"]] {
        let page = printed(folder.path(), ARCHIVE, arguments);
        assert!(page.contains("wrong clocks"), "{page}");
        assert!(page.contains("node-01 claims to have started at 2099-01-01 03:00"), "{page}");
    }
    let csv = printed(folder.path(), ARCHIVE, &["archive", "list", "--all", "--format", "csv"]);
    let line = csv.lines().find(|line| line.starts_with(&odd.id())).unwrap();
    assert!(
        csv.starts_with("id,machine,began_at,stated_at,") && line.contains(",2099-01-01T03:00:00Z,"),
        "{line}"
    );
    let text = printed(folder.path(), ARCHIVE, &["archive", "text", &odd.id()]);
    assert!(text.contains("2099-01-01T03:00:00Z"));
    let metrics = printed(folder.path(), ARCHIVE, &["archive", "export", "--format", "openmetrics", "-q"]);
    assert!(metrics.contains("zerohop_results_with_wrong_clock{machine=\"node-01\"} 1"), "{metrics}");
    assert!(
        metrics.contains("zerohop_last_result_timestamp_seconds{machine=\"node-01\"} 1767495600"),
        "{metrics}"
    );
    // The index that is made again says the same.
    let before = printed(folder.path(), ARCHIVE, &["archive", "list", "--all", "--format", "csv"]);
    printed(folder.path(), ARCHIVE, &["archive", "verify", "-q"]);
    assert_eq!(printed(folder.path(), ARCHIVE, &["archive", "list", "--all", "--format", "csv"]), before);
    // What is pruned is what is old by the same time, and never the latest.
    let would = at(&["archive", "prune", "node-01", "--keep", "1", "--dry-run"]).0;
    assert!(would.lines().count() == 3 && !would.contains(&Drawn::new(1, 3).id()), "{would}");
}
