//! hwloc sees the same machine as this crate, both in the files that are read here and in the XML that is written here.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use roxmltree::{Document, ParsingOptions};
use tempfile::TempDir;
use zerohop_machine::{CacheKind, Capture, Machine, hwloc_xml, parse_hwloc_xml};

use crate::directory::Directory;
use crate::on_file::MACHINES;

/// The number of objects of each kind, and the sizes of the caches.
type Counts = BTreeMap<String, usize>;

fn counts_of_machine(machine: &Machine) -> Counts {
    let mut counts = Counts::new();
    counts.insert("Package".to_owned(), machine.packages.len());
    counts.insert("NUMANode".to_owned(), machine.nodes.len());
    counts.insert("Core".to_owned(), machine.cores.len());
    counts.insert("PU".to_owned(), machine.pus.len());
    for cache in &machine.caches {
        let suffix = if cache.kind == CacheKind::Instruction { "i" } else { "" };
        *counts.entry(format!("L{}{suffix}Cache of {}", cache.level, cache.size.get())).or_default() += 1;
    }
    counts
}

fn counts_of_xml(text: &str) -> Counts {
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options).unwrap();
    let mut counts = Counts::new();
    for object in document.descendants().filter(|node| node.has_tag_name("object")) {
        let kind = object.attribute("type").unwrap_or_default();
        if ["Package", "NUMANode", "Core", "PU"].contains(&kind) {
            *counts.entry(kind.to_owned()).or_default() += 1;
        } else if kind.starts_with('L') {
            let size = object.attribute("cache_size").unwrap_or_default();
            *counts.entry(format!("{kind} of {size}")).or_default() += 1;
        }
    }
    counts
}

/// The XML that `lstopo` writes, or nothing if it is not installed. CI installs it, and fails without it.
fn lstopo(arguments: &[&str], root: Option<&Path>) -> Option<String> {
    let mut command = Command::new("lstopo");
    command.args(arguments).args(["--no-io", "--disallowed", "--of", "xml", "-"]);
    // Its x86 component would query this host's processor even for a replayed machine.
    command.env("HWLOC_COMPONENTS", "-x86");
    if let Some(root) = root {
        command.env("HWLOC_FSROOT", root);
    }
    let output = match command.output() {
        Ok(output) => output,
        Err(error) => {
            skip(&error, env::var_os("CI").is_some());
            return None;
        }
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    // It reports XML that it does not understand on this stream.
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    Some(String::from_utf8(output.stdout).unwrap())
}

/// Says that a test was skipped. Where lstopo must be there, the test fails.
fn skip(error: &std::io::Error, must_be_there: bool) {
    assert!(!must_be_there, "cannot run lstopo, which `.ci/prepare` installs: {error}");
    // Past the harness, which shows nothing of tests that pass.
    let _ = writeln!(
        std::io::stderr(),
        "skipped: cannot run lstopo ({error}); the Debian packages hwloc and hwloc-nox have it"
    );
}

#[test]
#[should_panic(expected = "cannot run lstopo")]
fn without_lstopo_these_tests_fail_in_ci() {
    skip(&std::io::ErrorKind::NotFound.into(), true);
}

fn unpacked(tree: &Capture) -> TempDir {
    let root = TempDir::new().unwrap();
    let place = |path: &str| root.path().join(path.trim_start_matches('/'));
    for (path, content) in tree.files() {
        fs::create_dir_all(place(path).parent().unwrap()).unwrap();
        fs::write(place(path), content).unwrap();
    }
    tree.directories().for_each(|path| fs::create_dir_all(place(path)).unwrap());
    root
}

#[test]
fn this_host_is_the_same_to_lstopo() {
    let machine = Machine::load(&Directory { root: "/".into() }).unwrap();
    if let Some(xml) = lstopo(&[], None) {
        assert_eq!(counts_of_xml(&xml), counts_of_machine(&machine));
    }
}

#[test]
fn replayed_machines_are_the_same_to_lstopo() {
    for (name, tree, machine) in &*MACHINES {
        let root = unpacked(tree);
        let Some(xml) = lstopo(&[], Some(root.path())) else { return };
        assert_eq!(counts_of_xml(&xml), counts_of_machine(machine), "{name}");
    }
}

#[test]
fn lstopo_opens_what_is_exported() {
    let directory = TempDir::new().unwrap();
    for (name, _, machine) in &*MACHINES {
        let file = directory.path().join(name).with_extension("xml");
        fs::write(&file, hwloc_xml(machine)).unwrap();
        let Some(xml) = lstopo(&["--if", "xml", "-i", file.to_str().unwrap()], None) else { return };
        assert_eq!(counts_of_xml(&xml), counts_of_machine(machine), "{name}");
    }
}

#[test]
fn what_lstopo_writes_as_version_1_is_the_same_machine() {
    let directory = TempDir::new().unwrap();
    for (name, _, machine) in &*MACHINES {
        let file = directory.path().join(name).with_extension("xml");
        fs::write(&file, hwloc_xml(machine)).unwrap();
        let version_1 = ["--export-xml-flags", "1", "--if", "xml", "-i", file.to_str().unwrap()];
        let Some(xml) = lstopo(&version_1, None) else { return };
        if xml.contains("<topology version=") {
            // hwloc 3 no longer writes this.
            return;
        }
        let read = parse_hwloc_xml(&xml).unwrap();
        assert_eq!(counts_of_machine(&read), counts_of_machine(machine), "{name}");
        let pus = |machine: &Machine| -> Vec<_> {
            machine.nodes.iter().map(|node| (node.id, node.pus.clone(), node.memory)).collect()
        };
        assert_eq!(pus(&read), pus(machine), "{name}");
        let matrix = |machine: &Machine| machine.distances.clone().filter(|matrix| matrix.nodes.len() > 1);
        assert_eq!(matrix(&read), matrix(machine), "{name}");
    }
}
