//! `zerohop advise distances`: measured distances in the forms of firmware and hwloc.

use std::fs;
use std::process::Command;

use tempfile::TempDir;

use crate::binary::zerohop;

fn measured() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    zerohop()
        .current_dir(directory.path())
        .args([
            "run",
            "latency-matrix",
            "--on",
            "quartet",
            "--solver",
            "flow",
            "--quiet",
            "-o",
            "result.json",
        ])
        .assert()
        .success();
    directory
}

fn advise(directory: &TempDir, arguments: &[&str]) -> (String, String, i32) {
    let output = zerohop()
        .current_dir(directory.path())
        .args(["advise", "distances", "result.json"])
        .args(arguments)
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr), output.status.code().unwrap())
}

#[test]
fn measured_distances_stand_beside_those_of_the_firmware() {
    let directory = measured();
    let (page, talk, status) = advise(&directory, &[]);
    assert_eq!((talk.as_str(), status), ("", 0));
    for words in [
        "distances of quartet",
        "measured, in proportion",
        "by firmware (SLIT)",
        "iasl measured.dsl",
        "kernel/firmware/acpi",
    ] {
        assert!(page.contains(words), "{words}: {page}");
    }
    let width = page.lines().map(|line| line.chars().count()).max().unwrap();
    assert!(width <= 100, "a line has {width} columns: {page}");
}

/// The compiler is not everywhere; the library's tests read the text back where it is missing.
#[test]
fn the_table_compiles_where_the_compiler_is_installed() {
    let directory = measured();
    let (_, _, status) = advise(&directory, &["-o", "slit.dsl"]);
    assert_eq!(status, 0);
    let text = fs::read_to_string(directory.path().join("slit.dsl")).unwrap();
    assert!(
        text.contains("Signature : \"SLIT\"") && text.contains("Localities : 0000000000000004"),
        "{text}"
    );
    if Command::new("iasl").arg("-v").output().is_err() {
        return;
    }
    let compiled = Command::new("iasl").arg("slit.dsl").current_dir(directory.path()).output().unwrap();
    let talk = String::from_utf8_lossy(&compiled.stdout).into_owned();
    assert!(compiled.status.success(), "{talk}{}", String::from_utf8_lossy(&compiled.stderr));
    let table = fs::read(directory.path().join("slit.aml")).unwrap();
    assert_eq!((&table[..4], table.len(), table[44]), (&b"SLIT"[..], 60, 10), "{talk}");
    assert_eq!(table.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte)), 0, "the checksum");
}

#[test]
fn a_topology_for_hwloc_has_the_measured_distances() {
    let directory = measured();
    let (xml, _, status) = advise(&directory, &["--format", "hwloc"]);
    assert!(
        xml.contains("name=\"NUMALatency\"") && xml.contains("name=\"ReadLatency\"") && status == 0,
        "{xml}"
    );
}

#[test]
fn a_result_without_latencies_says_what_it_lacks() {
    let directory = tempfile::tempdir().unwrap();
    zerohop()
        .current_dir(directory.path())
        .args([
            "run",
            "bandwidth-matrix",
            "--on",
            "quartet",
            "--solver",
            "flow",
            "--quiet",
            "-o",
            "result.json",
        ])
        .assert()
        .success();
    let (_, talk, status) = advise(&directory, &[]);
    assert!(
        talk.contains("lacks the experiment latency-matrix") && talk.contains("hint:") && status == 2,
        "{talk}"
    );
}
