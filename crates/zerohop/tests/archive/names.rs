//! Names that somebody else chose, on the command line: short and plain wherever they are shown, and refused where they are given.

use std::fs;

use serde_json::Value;

use crate::drawn::Drawn;
use crate::{printed, said};

const ARCHIVE: &str = "a.sqlite";

/// What reorders, hides or ends lines.
const HOSTILE: &str = "n\u{202e}gnp\u{2066}\u{2028}\u{9b}2J\u{1b}[31m\0\u{feff}\n\u{200b}x";

fn is_plain(text: &str) -> bool {
    !text.chars().any(|c| zerohop_result::is_obeyed(c) && !"\n\t".contains(c))
}

/// A result of a machine of this name.
fn named(machine: u64, name: &str) -> Value {
    let mut value = Drawn::new(machine, 0).value();
    for pointer in ["/run/host/name", "/machine/name", "/machine/platform/firmware_version", "/produced_by"] {
        *value.pointer_mut(pointer).unwrap() = name.into();
    }
    value["machine"]["system"]["kernel"] = name.into();
    value["machine"]["gaps"] = serde_json::json!([name]);
    value
}

#[test]
fn names_of_others_are_plain_and_short_in_every_output() {
    let folder = tempfile::tempdir().unwrap();
    let long = format!("{HOSTILE}{}", "x".repeat(1_000_000));
    for (machine, name) in [(1, HOSTILE), (2, long.as_str())] {
        let path = folder.path().join("in").join(format!("{machine}.json"));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, named(machine, name).to_string()).unwrap();
    }
    let (_, talk, status) = said(folder.path(), ARCHIVE, &["archive", "add", "in"]);
    assert!(
        status == 0 && talk.contains("that cannot be printed as they are: too long") && is_plain(&talk),
        "{talk}"
    );
    let [first, second] = [1, 2].map(|machine| Drawn::new(machine, 0).id());
    let machines: Value =
        serde_json::from_str(&printed(folder.path(), ARCHIVE, &["archive", "machines", "--format", "json"]))
            .unwrap();
    let name = machines["machines"][0]["name"].as_str().unwrap();
    let shorts: [&[&str]; 12] = [
        &["archive", "machines"],
        &["archive", "machines", "--format", "csv"],
        &["archive", "list"],
        &["archive", "list", "--format", "json"],
        &["archive", "history", name],
        &["archive", "compare", &first, &second],
        &["archive", "export", "--format", "openmetrics"],
        &["archive", "show", &second],
        &["changes"],
        &["fleet", "analyse", "in"],
        &["report", "in/2.json"],
        &["diagnose", "in/2.json"],
    ];
    for arguments in shorts {
        let (text, talk, status) = said(folder.path(), ARCHIVE, arguments);
        assert!([0, 1, 3].contains(&status), "{arguments:?}: {status} {talk}");
        assert!(is_plain(&text) && is_plain(&talk), "{arguments:?}: {text:?} {talk:?}");
        assert!(text.len() + talk.len() < 200_000, "{arguments:?}: {}", text.len());
    }
    // The result itself is whole, and safe to look at.
    for (id, name) in [(first, HOSTILE), (second, &long)] {
        let text = printed(folder.path(), ARCHIVE, &["archive", "text", &id]);
        assert!(is_plain(&text));
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["machine"]["name"], name);
        assert_eq!(value["machine"]["gaps"][0], name);
    }
}

#[test]
fn what_the_server_refuses_as_a_name_is_refused_here() {
    let folder = tempfile::tempdir().unwrap();
    Drawn::new(1, 0).write(&folder.path().join("in"));
    printed(folder.path(), ARCHIVE, &["archive", "add", "in"]);
    let long = "x".repeat(201);
    // No option takes an empty text.
    let (_, talk, status) = said(folder.path(), ARCHIVE, &["archive", "add", "in", "--of", ""]);
    assert!(status == 2 && talk.contains("hint: "), "{talk}");
    for name in [" ", ".", "..", "a\nb", "a\u{202e}b", "a\u{9b}b", &long] {
        for arguments in
            [&["archive", "add", "in", "--of", name] as &[&str], &["archive", "rename", "node-01", name]]
        {
            let (text, talk, status) = said(folder.path(), ARCHIVE, arguments);
            assert_eq!((status, text.as_str()), (2, ""), "{arguments:?}: {talk}");
            assert!(talk.contains("invalid machine name") && is_plain(&talk), "{arguments:?}: {talk}");
            assert!(talk.contains("hint: use 1 to 200 visible characters on one line"), "{talk}");
        }
    }
    printed(folder.path(), ARCHIVE, &["archive", "rename", "node-01", " node ä "]);
    assert!(printed(folder.path(), ARCHIVE, &["archive", "machines"]).contains("node ä"));
}
