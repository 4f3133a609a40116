//! Whatever happens to a text, every parser keeps its promise.

use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;
use std::thread;

use zerohop_fuzzing::{Mutations, Target};

/// What is put into the output of tools: signs that importers look for.
const OF_TOOLS: [&str; 40] = [
    "=3D",
    "=\n",
    "<tr>\n<td>",
    "</td></tr>",
    "\\\\\n",
    " & ",
    "||",
    " GB/s",
    "SUM a_b 1",
    ",,\n",
    "\t",
    "\n",
    " ",
    "0",
    "-",
    ".",
    ",",
    ":",
    ";",
    "nan",
    "1e999",
    "Numa node",
    "Measuring ",
    "{",
    "}",
    "[",
    "<",
    "\"",
    "|",
    "99999999999999999999",
    "\u{1b}[",
    "\u{1b}]",
    "\r",
    "é",
    "Copy:",
    "node 0 cpus:",
    "(ns)",
    "\nnode07: ",
    "---\nn1\n---\n",
    "[1,0]<stdout>:",
];

/// What is put into dumps of firmware settings.
const OF_DUMPS: [&str; 22] = [
    "\n",
    "\t",
    " ",
    "=",
    ",",
    ";",
    "\"",
    "{",
    "}",
    "[",
    "]",
    ":",
    "#",
    "[Key=",
    "null",
    "\u{1b}[",
    "\u{202e}",
    "é",
    "Attributes",
    "BIOS.Setup.1-1",
    "\\u0000",
    "(Pending Value=",
];

/// What is put into machine files.
const OF_MACHINES: [&str; 20] = [
    "\n",
    " ",
    "=",
    ",",
    "\"",
    "{",
    "}",
    "[",
    "]",
    ".",
    "#",
    "0",
    "-1",
    "1e999",
    "nan",
    "GB/s",
    "extend = \"square\"\n",
    "[[link]]\n",
    "true",
    "é",
];

/// What is put into XML and JSON.
const OF_TREES: [&str; 16] =
    ["\n", " ", "<", ">", "/", "\"", "=", "{", "}", "[", "]", ",", "0", "4294967295", "\\u0000", "&"];

/// The texts of a folder of this repository, in the order of their names.
fn inputs(folder: &str) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
    let mut paths: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.retain(|path| path.is_file());
    paths.iter().map(|path| fs::read_to_string(path).unwrap()).collect()
}

/// Checks `count` mutations of each input, and returns how many could be parsed.
fn checked(target: &Target, folder: &str, pieces: &[&str], count: usize) -> usize {
    let inputs = inputs(folder);
    assert!(!inputs.is_empty(), "{folder}");
    let mutations = inputs.iter().flat_map(|text| Mutations::of(text, pieces, 20).take(count));
    mutations.filter(|text| target.check(text)).count()
}

/// Checks `count` mutations of the output of each tool.
fn check_outputs(count: usize) {
    let any = Target::named("import_recognized");
    let forced: Vec<Target> = Target::formats().collect();
    let imported_of = |text: &String| {
        let mutations = Mutations::of(text, &OF_TOOLS, 20).take(count).enumerate();
        // Every fourth as a format that it may not be.
        let target =
            |rank: usize| if rank.is_multiple_of(4) { &forced[rank / 4 % forced.len()] } else { &any };
        mutations.filter(|(rank, text)| target(*rank).check(text)).count()
    };
    let texts = inputs("crates/importers/tests/inputs");
    let share = texts.len().div_ceil(thread::available_parallelism().map_or(1, NonZeroUsize::get));
    let imported: usize = thread::scope(|scope| {
        let of_part = |part: &[String]| part.iter().map(imported_of).sum::<usize>();
        let parts = texts.chunks(share).map(|part| scope.spawn(move || of_part(part)));
        parts.collect::<Vec<_>>().into_iter().map(|part| part.join().unwrap()).sum()
    });
    assert!(imported > count, "most mutations leave something to import");
}

/// Checks `count` mutations of each dump.
fn check_dumps(count: usize) {
    let read = checked(&Target::named("bios_dump"), "crates/advise/tests/inputs", &OF_DUMPS, count);
    assert!(read > count, "{read}");
}

#[test]
fn mutations_of_outputs_of_tools_do_not_panic() {
    check_outputs(200);
}

#[test]
#[ignore = "long: imports half a million texts"]
fn ten_thousand_mutations_of_each_output_of_a_tool_do_not_panic() {
    check_outputs(10_000);
}

#[test]
fn mutations_of_dumps_do_not_panic() {
    check_dumps(500);
}

#[test]
#[ignore = "long: reads a hundred thousand dumps"]
fn ten_thousand_mutations_of_each_dump_do_not_panic() {
    check_dumps(10_000);
}

#[test]
fn mutations_of_machine_files_do_not_panic() {
    let read = checked(&Target::named("machine_file"), "crates/machine-file/tests/files", &OF_MACHINES, 1000);
    // Few: a file is refused for any key or value that it should not have.
    assert!(read > 10, "{read}");
}

#[test]
fn mutations_of_captures_and_of_topologies_do_not_panic() {
    let read = checked(&Target::named("capture"), "crates/machine/tests/machines", &OF_TREES, 50);
    assert!(read > 10, "{read}");
    let xml = fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../importers/tests/inputs/lstopo.xml"),
    );
    let target = Target::named("hwloc_xml");
    let read = Mutations::of(&xml.unwrap(), &OF_TREES, 20).take(2000).filter(|text| target.check(text));
    assert!(read.count() > 100);
}

/// libFuzzer builds what stands in `fuzz/`.
#[test]
fn every_target_has_a_fuzz_target() {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
    let manifest = fs::read_to_string(fuzz.join("Cargo.toml")).unwrap();
    for Target { name, .. } in Target::all() {
        let text = fs::read_to_string(fuzz.join("fuzz_targets").join(format!("{name}.rs"))).unwrap();
        assert!(text.contains(&format!("Target::named(\"{name}\").check(text)")), "{name}: {text}");
        assert!(manifest.contains(&format!("path = \"fuzz_targets/{name}.rs\"")), "{name} is not built");
    }
    assert_eq!(fs::read_dir(fuzz.join("fuzz_targets")).unwrap().count(), Target::all().count());
}
