//! Results that cannot be written.

use std::fs;
use std::os::unix::fs::{PermissionsExt, lchown, symlink};
use std::path::Path;
use std::process::Stdio;

use snapbox::str;

use crate::binary::{started_by, zerohop};

#[test]
fn an_unwritable_place_is_found_out_before_anything_is_measured() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("file"), "not a directory").unwrap();
    let there = || zerohop().current_dir(directory.path());
    let stream = ["run", "stream", "-q", "-o"];
    there().args(["survey", "-q", "-o", "file"]).assert().code(2).stdout_eq("").stderr_eq(str![[r#"
error: cannot create the directory `file`: a file of that name exists
hint: choose a writable directory with -o

"#]]);
    for (name, hint) in [
        ("report.pdf", ".txt, .json, .csv, .parquet, .svg, .png, .md or .html"),
        ("a.json.gz", ".json"),
        ("x.mlc", "or write `x.mlc/` for a directory"),
        ("-", ""),
    ] {
        let refused = there().args(["survey", "-q", "-o", name]).assert().code(2).stdout_eq("");
        let told = String::from_utf8(refused.get_output().stderr.clone()).unwrap();
        assert!(told.contains(&format!("`{name}` has the name of a file")) && told.contains(hint), "{told}");
        assert!(!directory.path().join(name).exists());
    }
    there().args(["survey", "-q", "-o", "/proc/out"]).assert().code(2).stdout_eq("").stderr_eq(str![[r#"
error: cannot create the directory `/proc/out`: No such file or directory (os error 2)
hint: choose a writable directory with -o

"#]]);
    there().args(stream).arg(".").assert().code(2).stdout_eq("").stderr_eq(str![[r#"
error: cannot write `.`: it is not a regular file
hint: choose a file; without -o, output goes to standard output

"#]]);
    there().args(stream).arg("/dev/full").assert().code(2).stdout_eq("").stderr_eq(str![[r#"
error: cannot write `/dev/full`: it is not a regular file
hint: choose a file; without -o, output goes to standard output

"#]]);
    there().args(stream).arg("file/a.json").assert().code(2).stdout_eq("").stderr_eq(str![[r#"
error: cannot create the directory `file`: a file of that name exists
hint: choose a writable directory with -o

"#]]);
}

/// The size of the file while it holds no experiment yet: that much fits on the disk, and no more.
fn size_of_an_empty_result(directory: &Path) -> u64 {
    let path = directory.join("small.json");
    zerohop().args(["run", "latency-matrix", "--on", "quartet", "-q", "-o"]).arg(&path).assert().success();
    let mut result: serde_json::Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    result["experiments"] = serde_json::json!([]);
    serde_json::to_string_pretty(&result).unwrap().len() as u64
}

#[test]
fn a_disk_that_fills_up_costs_the_file_but_not_the_page() {
    let directory = tempfile::tempdir().unwrap();
    // `ulimit -f` counts blocks of 512 bytes; the finished result is larger than that.
    let blocks = size_of_an_empty_result(directory.path()).div_ceil(512);
    let limited = format!("ulimit -f {blocks} && exec \"$0\" \"$@\"");
    let output = started_by("sh", &["-c", &limited])
        .current_dir(directory.path())
        .args(["run", "stream", "--on", "quartet", "-o", "a.json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    let talk = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{talk}");
    assert!(talk.contains("error: cannot write `a.json`: File too large"), "{talk}");
    assert!(talk.contains("hint: "), "{talk}");
    assert!(String::from_utf8(output.stdout).unwrap().contains("triad"), "no page");
    // What was there before is whole.
    let kept = fs::read_to_string(directory.path().join("a.json")).unwrap();
    assert!(serde_json::from_str::<serde_json::Value>(&kept).is_ok());
    let left: Vec<_> =
        fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 2, "{left:?}");
}

/// Root alone can make another user's link.
#[test]
fn another_user_s_link_in_a_directory_for_all_is_not_followed() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    fs::create_dir(at("tmp")).unwrap();
    fs::set_permissions(at("tmp"), fs::Permissions::from_mode(0o1777)).unwrap();
    fs::write(at("victim"), "old").unwrap();
    symlink(at("victim"), at("tmp/link")).unwrap();
    if lchown(at("tmp/link"), Some(12_345), None).is_err() {
        return;
    }
    zerohop()
        .current_dir(directory.path())
        .args(["machine", "capture", "-o", "tmp/link"])
        .assert()
        .code(2)
        .stdout_eq("")
        .stderr_eq(str![[r#"
error: cannot write `tmp/link`: `link` is another user's symbolic link in a world-writable directory
hint: choose a file in your own directory with -o

"#]]);
    assert_eq!(fs::read_to_string(at("victim")).unwrap(), "old");
}
