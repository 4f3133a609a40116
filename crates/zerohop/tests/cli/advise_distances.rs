//! `zerohop advise distances`: measured distances in the forms of firmware and hwloc.

use std::fs;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use crate::binary::{folder_with_result, zerohop};

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
    let directory = folder_with_result("latency-matrix", "quartet");
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
    let directory = folder_with_result("latency-matrix", "quartet");
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
    let directory = folder_with_result("latency-matrix", "quartet");
    let (xml, _, status) = advise(&directory, &["--format", "hwloc"]);
    assert!(
        xml.contains("name=\"NUMALatency\"") && xml.contains("name=\"ReadLatency\"") && status == 0,
        "{xml}"
    );
}

#[test]
fn programs_read_every_pair_as_json_and_as_csv() {
    let directory = folder_with_result("latency-matrix", "quartet");
    let (json, _, status) = advise(&directory, &["--format", "json"]);
    let file: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        (file["schema_version"].as_u64(), file["machine"].as_str(), status),
        (Some(1), Some("quartet"), 0)
    );
    assert_eq!(file["doubts"].as_array().map(Vec::len), Some(0), "{json}");
    let pairs = file["pairs"].as_array().unwrap();
    assert_eq!(pairs.len(), 16);
    assert_eq!((pairs[5]["measured"].as_u64(), pairs[5]["stated"].as_u64()), (Some(10), Some(10)));
    let (csv, _, _) = advise(&directory, &["--format", "csv"]);
    assert!(
        csv.starts_with("from,to,measured,stated,latency_ns,bandwidth_gbps,machine\n0,0,10,10,"),
        "{csv}"
    );
    assert_eq!(csv.lines().count(), 17);
}

/// A node's number is no proximity domain: Linux on POWER numbers nodes 0 and 8, and such a table would say 8 is domain 1.
#[test]
fn nodes_whose_numbers_leave_gaps_get_no_table_of_the_firmware() {
    let directory = tempfile::tempdir().unwrap();
    let text = "Measuring idle latencies (in ns)...\nNuma node 0 8\n0 85.5 195.5\n8 196.5 86.5\n";
    fs::write(directory.path().join("mlc.txt"), text).unwrap();
    let import = ["import", "mlc.txt", "--quiet", "-o", "result.json"];
    zerohop().current_dir(directory.path()).args(import).assert().success();
    let (_, talk, status) = advise(&directory, &["-o", "slit.dsl"]);
    assert!(talk.contains("the nodes are 0 and 8") && talk.contains("hint:") && status == 2, "{talk}");
    assert!(!directory.path().join("slit.dsl").exists());
    let (page, _, status) = advise(&directory, &[]);
    assert!(page.contains("the nodes are 0 and 8") && !page.contains("iasl") && status == 0, "{page}");
    assert_eq!(advise(&directory, &["--format", "hwloc"]).2, 0);
}

#[test]
fn nodes_without_cpus_are_pointed_out() {
    let directory = tempfile::tempdir().unwrap();
    let text = "node 0 cpus: 0 1\nnode 0 size: 1000 MB\nnode 1 cpus:\nnode 1 size: 1000 MB\nnode distances:\nnode 0 1\n\
                0: 10 20\n1: 20 10\n\nMeasuring idle latencies (in ns)...\nNuma node 0 1\n0 85.5 295.5\n";
    fs::write(directory.path().join("mlc.txt"), text).unwrap();
    let import = ["import", "mlc.txt", "--quiet", "-o", "result.json"];
    zerohop().current_dir(directory.path()).args(import).assert().success();
    let (page, _, status) = advise(&directory, &[]);
    assert!(page.contains("node 1 has no CPUs") && page.contains("iasl") && status == 0, "{page}");
    assert_eq!(advise(&directory, &["--format", "slit"]).2, 0);
}

#[test]
fn a_result_without_latencies_says_what_it_lacks() {
    let directory = folder_with_result("bandwidth-matrix", "quartet");
    let (_, talk, status) = advise(&directory, &[]);
    assert!(
        talk.contains("does not contain the experiment latency-matrix")
            && talk.contains("hint:")
            && status == 2,
        "{talk}"
    );
}
