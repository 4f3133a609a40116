//! `zerohop changes`: what changed, between which results, and gates on it.

use std::path::Path;

use serde_json::Value;

use crate::drawn::Drawn;
use crate::{printed, said};

const ARCHIVE: &str = "a.sqlite";

/// Twenty nights of a machine whose latency becomes this many times as high on the night of that rank, with new firmware.
fn nights(folder: &Path, machine: u64, at: u64, factor: f64) {
    for day in 0..20 {
        // A little noise, which no two nights share.
        let noise = 1.0 + 0.002 * ((day * 7 % 11) as f64 - 5.0) / 5.0;
        let drawn = if day < at {
            Drawn { factor: noise, ..Drawn::new(machine, day) }
        } else {
            Drawn { factor: factor * noise, firmware: "1.3", ..Drawn::new(machine, day) }
        };
        drawn.write(&folder.join("in"));
    }
    printed(folder, ARCHIVE, &["archive", "add", "in", "-q"]);
}

#[test]
fn a_step_is_one_change_with_its_runs_its_size_and_the_new_firmware() {
    let folder = tempfile::tempdir().unwrap();
    nights(folder.path(), 1, 12, 1.17);
    nights(folder.path(), 2, 30, 1.0);
    let page = printed(folder.path(), ARCHIVE, &["changes"]);
    assert!(
        page.contains("between 2026-01-12 03:00 and 2026-01-13 03:00: 5 of 5 values are worse"),
        "{page}"
    );
    assert!(page.contains("firmware: 1.2 → 1.3"), "{page}");
    assert!(page.contains("without a change") && page.contains("node-02"), "{page}");
    let json: Value =
        serde_json::from_str(&printed(folder.path(), ARCHIVE, &["changes", "--format", "json"])).unwrap();
    let change = &json["machines"][0]["changes"][0];
    assert_eq!(change["before"]["id"], Drawn::new(1, 11).id());
    assert_eq!(change["after"]["id"], Drawn::new(1, 12).id());
    let first = &change["values"][0];
    let number = |name: &str| first[name].as_f64().unwrap();
    assert!(
        (number("ratio") - 1.17).abs() < 0.01 && number("low") < 1.17 && 1.17 < number("high"),
        "{first}"
    );
    assert_eq!((first["headline"].as_bool(), first["better"].as_bool()), (Some(true), Some(false)));
    for (form, holds) in [
        ("csv", "firmware: 1.2 → 1.3"),
        ("markdown", "# 1 change in 2 machines"),
        ("html", "<!DOCTYPE html>"),
    ] {
        let text = printed(folder.path(), ARCHIVE, &["changes", "--format", form]);
        assert!(text.contains(holds), "{form}: {text}");
    }
}

/// Ten nights, then eight of which `change` makes something that cannot be compared: the gate passed.
fn strict_after(change: impl Fn(u64, &mut Value)) -> (String, String, i32) {
    let folder = tempfile::tempdir().unwrap();
    let files = folder.path().join("in");
    for day in 0..18 {
        let noise = 1.0 + 0.002 * ((day * 7 % 11) as f64 - 5.0) / 5.0;
        let drawn = Drawn { factor: noise, ..Drawn::new(1, day) };
        drawn.write(&files);
        if day >= 10 {
            let mut value = drawn.value();
            change(day - 10, &mut value);
            std::fs::write(files.join(format!("{}.json", drawn.id())), value.to_string()).unwrap();
        }
    }
    printed(folder.path(), ARCHIVE, &["archive", "add", "in", "-q"]);
    said(folder.path(), ARCHIVE, &["changes", "--strict"])
}

fn cells(value: &mut Value) -> &mut Vec<Value> {
    value["experiments"][0]["cells"].as_array_mut().unwrap()
}

#[test]
fn a_gate_cannot_tell_where_the_last_results_cannot_be_judged() {
    let (_, talk, status) = strict_after(|_, _| {});
    assert_eq!((talk.as_str(), status), ("", 0));
    let (_, talk, status) = strict_after(|_, value| {
        for cell in cells(value) {
            cell["warnings"] = serde_json::json!([{ "warning": "cpu_taken", "share": 0.9 }]);
        }
    });
    assert!(
        status == 3 && talk.contains("the newest 8 results are unusable: resolves no differences"),
        "{talk}"
    );
    let (_, talk, status) = strict_after(|_, value| value["completion"] = "interrupted".into());
    assert!(status == 3 && talk.contains("the newest 8 results are unusable: it was interrupted"), "{talk}");
    // One value of many: the result counts.
    let (_, talk, status) = strict_after(|_, value| {
        let cell = &mut cells(value)[0];
        for name in ["median", "low", "high", "min", "max", "mean"] {
            cell["estimate"][name] = 0.0.into();
        }
        cell["samples"] = serde_json::json!([0.0]);
    });
    assert!(status == 3 && talk.contains("values of the newest result that are zero or negative"), "{talk}");
}

/// Slow results of 1970 that were added together with sound ones counted as those before them: "values are better".
#[test]
fn results_with_a_wrong_clock_among_others_are_not_ordered() {
    let (page, talk, status) = strict_after(|rank, value| {
        value["started_at"] = format!("1970-01-01T00:0{rank}:00Z").into();
        for cell in cells(value) {
            for name in ["median", "low", "high", "min", "max", "mean"] {
                cell["estimate"][name] = (cell["estimate"][name].as_f64().unwrap() * 2.0).into();
            }
        }
    });
    assert!(status == 3 && talk.contains("skipped 8 results: their clock was wrong"), "{status} {talk}");
    assert!(
        !page.contains("better") && page.contains("with a wrong clock: their order is unknown"),
        "{page}"
    );
}

#[test]
fn a_gate_fails_if_something_got_worse_and_cannot_tell_of_one_night() {
    let folder = tempfile::tempdir().unwrap();
    let status =
        |arguments: &[&str]| said(folder.path(), ARCHIVE, &[&["changes", "--strict"], arguments].concat()).2;
    nights(folder.path(), 1, 12, 1.17);
    nights(folder.path(), 2, 12, 0.8);
    nights(folder.path(), 3, 19, 1.3);
    nights(folder.path(), 4, 30, 1.0);
    assert_eq!(status(&["node-01"]), 1);
    assert_eq!(status(&["node-02"]), 0, "what got better passes");
    assert_eq!(status(&["node-03"]), 3, "one night may be a burst");
    assert_eq!(status(&["node-04"]), 0);
    assert_eq!(status(&["node-01", "--least", "30%"]), 0);
    assert_eq!(status(&["node-01", "--since", "2026-01-14"]), 0);
    assert_eq!(status(&["node-01", "--since", "2026-01-13"]), 1);
    Drawn::new(5, 0).write(&folder.path().join("in"));
    printed(folder.path(), ARCHIVE, &["archive", "add", "in", "-q"]);
    assert_eq!(status(&["node-05"]), 3, "one result tells nothing");
    assert_eq!(status(&["node-09"]), 2);
    assert_eq!(
        said(folder.path(), ARCHIVE, &["changes", "node-01"]).2,
        0,
        "without --strict, there is no gate"
    );
    let (_, talk, _) = said(folder.path(), ARCHIVE, &["changes", "--strict"]);
    assert!(talk.contains("values got worse: node-01"), "{talk}");
}
