//! `zerohop import`: the output of other tools.

use std::fs;
use std::path::Path;
use std::process::Output;

use tempfile::TempDir;

use crate::binary::zerohop;

const MATRIX: &str = "Intel(R) Memory Latency Checker - v3.9\nMeasuring idle latencies (in ns)...\n\
                      \t\tNuma node\nNuma node\t     0\t     1\t\n       0\t  81.5\t 131.4\t\n       1\t 132.8\t  82.6\t\n";

fn with(files: &[(&str, &str)]) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    for (name, text) in files {
        fs::write(directory.path().join(name), text).unwrap();
    }
    directory
}

fn run(directory: &Path, arguments: &[&str]) -> (String, String, i32) {
    let Output { stdout, stderr, status } =
        zerohop().current_dir(directory).args(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(stdout), text(stderr), status.code().unwrap())
}

#[test]
fn a_run_of_mlc_is_a_page_that_states_its_origin() {
    let directory = with(&[("mlc.txt", MATRIX)]);
    let (page, talk, status) = run(directory.path(), &["import", "mlc.txt"]);
    assert_eq!((talk.as_str(), status), ("", 0));
    assert!(page.contains("imported from mlc.txt, written by mlc 3.9"), "{page}");
    assert!(page.contains("131.4"), "{page}");
}

/// The page showed node 0 and all nodes side by side, and not that node 0's memory was node 1's.
#[test]
fn memory_of_another_node_is_shown_where_others_have_their_own() {
    let run_of = |triad: &str| {
        format!("Function Best Rate MB/s Avg time Min time Max time\nTriad: {triad} 0.030 0.027 0.033\n")
    };
    let text = format!("$ numactl -N0 -m1 ./stream\n{}$ ./stream\n{}", run_of("45000.5"), run_of("95000.5"));
    let directory = with(&[("stream.txt", &text)]);
    let (page, ..) = run(directory.path(), &["import", "stream.txt"]);
    assert!(page.contains("STREAM, memory of node 1") && page.contains("STREAM, local memory"), "{page}");
}

/// What zerohop printed in MLC's form is, imported, the result that it came from.
#[test]
fn an_imported_run_is_compared_with_a_result() {
    let directory = tempfile::tempdir().unwrap();
    for name in ["a.json", "a.txt"] {
        let form = if name == "a.txt" { "mlc" } else { "json" };
        let arguments = ["run", "latency-matrix", "--on", "quartet", "--quiet", "--format", form];
        let (text, ..) = run(directory.path(), &arguments);
        fs::write(directory.path().join(name), text).unwrap();
    }
    let (.., status) = run(directory.path(), &["import", "a.txt", "-o", "b.json"]);
    assert_eq!(status, 0);
    let (page, talk, status) = run(directory.path(), &["compare", "a.json", "b.json", "--at-least", "0.99"]);
    assert_eq!(status, 0, "{page}{talk}");
    assert!(page.contains("16 cells"), "{page}");
}

#[test]
fn several_runs_are_several_files() {
    let twice = format!("{MATRIX}\n{}", MATRIX.replace("81.5", "91.5"));
    let directory = with(&[("mlc.txt", &twice)]);
    let (page, talk, status) = run(directory.path(), &["import", "mlc.txt", "-o", "mlc.json"]);
    assert_eq!(status, 0, "{talk}");
    assert!(talk.contains("wrote result 2 of 2 to mlc-2.json"), "{talk}");
    assert!(page.contains("mlc.txt, run 1 of 2") && page.contains("mlc.txt, run 2 of 2"), "{page}");
    let second = fs::read_to_string(directory.path().join("mlc-2.json")).unwrap();
    assert!(second.contains("91.5"), "{second}");
    let (_, talk, status) = run(directory.path(), &["import", "mlc.txt", "--format", "json"]);
    assert_eq!(status, 2);
    assert!(talk.contains("2 results") && talk.contains("hint:"), "{talk}");
    let (json, _, status) = run(directory.path(), &["import", "mlc.txt", "--format", "json", "--run", "2"]);
    assert!(status == 0 && json.contains("91.5"), "{json}");
    let (_, talk, status) = run(directory.path(), &["import", "mlc.txt", "--run", "3"]);
    assert!(status == 2 && talk.contains("no run 3"), "{talk}");
}

/// The second result replaced a file that the command line does not name.
#[test]
fn a_further_file_that_is_there_is_not_replaced() {
    let twice = format!("{MATRIX}\n{}", MATRIX.replace("81.5", "91.5"));
    let directory = with(&[("mlc.txt", &twice), ("mlc-2.json", "mine")]);
    let (_, talk, status) = run(directory.path(), &["import", "mlc.txt", "-o", "mlc.json"]);
    assert!(status == 2 && talk.contains("`mlc-2.json` already exists"), "{talk}");
    assert_eq!(fs::read_to_string(directory.path().join("mlc-2.json")).unwrap(), "mine");
    assert!(!directory.path().join("mlc.json").exists());
}

/// `-o a.sqlite` replaced an archive that nothing else on the command line names.
#[test]
fn no_database_is_replaced() {
    let directory = with(&[("mlc.txt", MATRIX)]);
    let database = [&b"SQLite format 3\0"[..], &[0; 84]].concat();
    fs::write(directory.path().join("a.json"), &database).unwrap();
    for arguments in
        [&["import", "mlc.txt", "-o", "a.json"][..], &["fleet", "baseline", "mlc.txt", "-o", "a.json"]]
    {
        let (_, talk, status) = run(directory.path(), arguments);
        assert!(status == 2 && talk.contains("cannot write `a.json`: it is a database"), "{talk}");
        assert_eq!(fs::read(directory.path().join("a.json")).unwrap(), database);
    }
}

#[test]
fn what_is_not_understood_is_listed() {
    let directory = with(&[("mail.txt", &format!("Dear all,\n\nthis is it:\n{MATRIX}\nBest wishes\n"))]);
    let (page, talk, status) = run(directory.path(), &["import", "mail.txt"]);
    assert_eq!(status, 0);
    assert!(talk.contains("mail.txt: 4 lines not understood"), "{talk}");
    assert!(talk.contains("lines 1 to 3: `Dear all,`") && talk.contains("`Best wishes`"), "{talk}");
    assert!(page.contains("not imported: 4 lines in no known format: 1-3, 11"), "{page}");
    let (_, talk, _) = run(directory.path(), &["import", "mail.txt", "--quiet"]);
    assert_eq!(talk, "");
}

#[test]
fn a_broken_text_is_refused_with_its_line() {
    let directory = with(&[
        ("mlc.txt", &MATRIX.replace("131.4", "oops")),
        ("letter.txt", "Dear all,\n"),
        ("none.txt", ""),
    ]);
    let (_, talk, status) = run(directory.path(), &["import", "mlc.txt"]);
    assert_eq!(status, 2);
    assert!(talk.contains("`mlc.txt`, line 5: expected a number"), "{talk}");
    assert!(talk.contains("found `oops`") && talk.contains("hint: it was read as mlc"), "{talk}");
    let (_, talk, status) = run(directory.path(), &["import", "letter.txt"]);
    assert!(status == 2 && talk.contains("cannot recognize a format in `letter.txt`"), "{talk}");
    assert!(talk.contains("--as FORMAT") && talk.contains("numactl"), "{talk}");
    let (_, talk, status) = run(directory.path(), &["import", "none.txt"]);
    assert!(status == 2 && talk.contains("`none.txt` is empty"), "{talk}");
    let (_, talk, status) = run(directory.path(), &["import", "--as", "excel", "mlc.txt"]);
    assert!(status == 2 && talk.contains("likwid-bench"), "{talk}");
}

#[test]
fn an_imported_file_is_not_replaced() {
    let directory = with(&[("mlc.txt", MATRIX)]);
    let (_, talk, status) = run(directory.path(), &["import", "mlc.txt", "-o", "mlc.txt"]);
    assert!(status == 2 && talk.contains("would overwrite"), "{talk}");
    assert_eq!(fs::read_to_string(directory.path().join("mlc.txt")).unwrap(), MATRIX);
}

#[test]
fn the_output_of_other_tools_is_compared_as_it_is() {
    let directory = with(&[("mlc.txt", MATRIX)]);
    fs::write(directory.path().join("later.txt"), MATRIX.replace("131.4", "195.4")).unwrap();
    let (page, talk, status) = run(directory.path(), &["compare", "mlc.txt", "later.txt"]);
    assert!(status == 0 && page.contains("later compared with mlc"), "{talk}{page}");
    fs::write(directory.path().join("two.txt"), [MATRIX, &MATRIX.replace("131.4", "195.4")].concat())
        .unwrap();
    let (_, talk, status) = run(directory.path(), &["compare", "mlc.txt", "two.txt"]);
    assert!(
        status == 2 && talk.contains("`two.txt` holds 2 results") && talk.contains("zerohop import"),
        "{talk}"
    );
}

/// No word said which verb reads it.
#[test]
fn a_dump_of_firmware_leads_to_the_verb_that_reads_it() {
    let dump = r#"{"@odata.id": "/redfish/v1/systems/1/bios/settings/", "Attributes": {"PowerRegulator": "OsControl"}}"#;
    let directory = with(&[("bios.json", dump)]);
    for verb in ["import", "diagnose"] {
        let (page, talk, status) = run(directory.path(), &[verb, "bios.json"]);
        assert_eq!((page.as_str(), status), ("", 2), "{verb}: {talk}");
        assert!(talk.contains("contains firmware settings"), "{talk}");
        assert!(talk.contains("`zerohop advise settings --bios bios.json` reads it"), "{talk}");
    }
    let (page, _, status) = run(directory.path(), &["advise", "settings", "--bios", "bios.json"]);
    assert_eq!(status, 0);
    assert!(page.contains("the settings for the next boot, not the current ones"), "{page}");
    assert!(page.contains("OsControl (os-control)"), "{page}");
}

/// The second listing of nodes was understood and dropped.
#[test]
fn what_was_loaded_between_two_listings_is_shown() {
    let listing = |free: [u32; 2]| {
        format!(
            "node 0 cpus: 0-7\nnode 0 size: 64000 MB\nnode 0 free: {} MB\nnode 1 cpus: 8-15\nnode 1 size: 64000 MB\nnode 1 free: {} MB\n",
            free[0], free[1]
        )
    };
    let text = format!("{}$ ./serve\n{}", listing([60000, 61000]), listing([51000, 60000]));
    let directory = with(&[("nodes.txt", &text)]);
    let (page, talk, status) = run(directory.path(), &["import", "nodes.txt"]);
    assert_eq!((talk.as_str(), status), ("", 0));
    assert!(page.contains("memory taken") && page.contains("90 % on node 0"), "{page}");
}
