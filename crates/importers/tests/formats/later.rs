//! Long texts: output far behind the beginning, as in a console's log or a long mail; and more runs than anybody keeps.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use zerohop_importers::import;

/// So many lines of something else.
fn others(count: usize) -> String {
    (0..count).map(|rank| format!("something else happened at step {rank} of a script\n")).collect()
}

/// The formats that are recognized in a text, and the number of values.
fn found(text: &str) -> Option<(BTreeSet<&'static str>, usize)> {
    let imported = import("console.txt", text, None).ok()?;
    let experiments = imported.iter().flat_map(|one| &one.result.experiments);
    let values = experiments.map(|experiment| experiment.cells.len()).sum();
    Some((imported.iter().map(|one| one.format.name()).collect(), values))
}

/// A long text is looked at where words of tools are. Whatever is found behind a few lines is found behind many, too.
#[test]
fn what_is_found_behind_a_few_lines_is_found_behind_a_megabyte() {
    assert!(found_behind_a_megabyte(6) > 6);
}

#[test]
#[ignore = "long: reads a megabyte before and after each text of a tool"]
fn whatever_is_found_behind_a_few_lines_is_found_behind_a_megabyte() {
    assert!(found_behind_a_megabyte(1) > 40);
}

/// Checks one text of `each` that are there, and counts those in which something is found.
fn found_behind_a_megabyte(each: usize) -> usize {
    let mut count = 0;
    for folder in ["tests/inputs", "../../tickets"] {
        let entries = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)).unwrap();
        let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        for path in paths.iter().step_by(each) {
            let is_text = path.extension().is_some_and(|end| end != "toml" && end != "md");
            let Some(text) = fs::read_to_string(path).ok().filter(|_| is_text) else { continue };
            let Some(near) = found(&format!("{}\n{text}", others(20))) else { continue };
            let far = found(&format!("{}\n{text}\n{}", others(12_000), others(6_000)));
            assert_eq!(far, Some(near), "{}", path.display());
            count += 1;
        }
    }
    count
}

/// Each line of 20,000 was a result, with a machine of its own.
#[test]
fn more_runs_than_anybody_keeps_are_named() {
    let lines: String = (0..12_000).map(|rank| format!("16.00 {rank}.5\n")).collect();
    let imported = import("bw.txt", &lines, None).unwrap();
    assert_eq!(imported.len(), 10_000);
    assert!(
        imported[0].left_out.iter().any(|what| what == "the last 2000 runs"),
        "{:?}",
        imported[0].left_out
    );
}

/// A command line of a megabyte above 4,000 runs took 4 GB: each run is a result with the words of its command.
#[test]
fn many_runs_below_a_long_command_take_memory_in_proportion() {
    let table = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/inputs/stream.txt"));
    let table = table.unwrap();
    let values: String =
        (0..300).map(|run| table.replace("260000.5", &format!("{}.1", 100_000 + run))).collect();
    let text = format!("$ ./stream {}\n{values}", "x".repeat(1 << 20));
    let imported = import("console.txt", &text, None).unwrap();
    let words = |one: &zerohop_importers::Imported| one.result.text().len();
    let all: usize = imported.iter().map(words).sum();
    assert!(all < 64 * text.len(), "{} results of {all} bytes", imported.len());
}
