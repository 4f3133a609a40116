//! `zerohop man`, `zerohop help` and `zerohop version`.

use std::fs;
use std::path::Path;

use snapbox::str;

use crate::binary::zerohop;

fn output(arguments: &[&str]) -> String {
    let assert = zerohop().args(arguments).assert().success().stderr_eq("");
    String::from_utf8(assert.get_output().stdout.clone()).unwrap()
}

/// Names of the pages that a page names, and of those that there are, must be the same.
#[test]
fn every_verb_has_a_manual_page() {
    let directory = tempfile::tempdir().unwrap();
    zerohop()
        .current_dir(directory.path())
        .args(["man", "pages"])
        .assert()
        .success()
        .stdout_eq("")
        .stderr_eq("");
    let pages = directory.path().join("pages");
    let read = |path: &Path| fs::read_to_string(path).unwrap();
    let mut names: Vec<String> = Vec::new();
    let mut named: Vec<String> = vec!["zerohop.1".to_owned()];
    for entry in fs::read_dir(&pages).unwrap() {
        let path = entry.unwrap().path();
        let page = read(&path);
        assert!(page.contains(".SH NAME") && page.contains(".SH SYNOPSIS"), "{}", path.display());
        let below = page.lines().filter(|line| line.starts_with("zerohop") && line.ends_with("(1)"));
        named.extend(below.map(|line| line.replace("\\-", "-").replace("(1)", ".1")));
        names.push(path.file_name().unwrap().to_str().unwrap().to_owned());
    }
    names.sort();
    named.sort();
    assert_eq!(names, named);
    let run = read(&pages.join("zerohop-run.1"));
    assert!(
        run.contains("zerohop run latency\\-matrix \\-\\-pages 4k           the cost of TLB misses"),
        "{run}"
    );
}

#[test]
fn help_of_a_verb_is_what_its_option_prints() {
    assert_eq!(output(&["help"]), output(&["--help"]));
    for verb in [&["run"][..], &["machine", "show"], &["compare"]] {
        let with = |first: &[&str], last: &[&str]| output(&[first, verb, last].concat());
        assert_eq!(with(&["help"], &[]), with(&[], &["--help"]), "{verb:?}");
    }
}

#[test]
fn help_of_an_experiment_says_what_it_is_and_how_it_is_run() {
    let help = output(&["help", "run", "hops"]);
    assert!(help.starts_with("hops: "), "{help}");
    assert!(help.contains("\nUsage: zerohop run hops [OPTIONS]\n") && help.lines().count() < 60, "{help}");
    zerohop().args(["help", "run", "hosp"]).assert().code(2).stdout_eq("").stderr_eq(str![[r#"
error: no help on `hosp` after `zerohop run`
hint: did you mean `zerohop help run hops`? There is help on latency-matrix, [..]

"#]]);
    zerohop().args(["help", "rum"]).assert().code(2).stdout_eq("").stderr_eq(str![[r#"
error: no help on `rum` after `zerohop`
hint: did you mean `zerohop help run`? There is help on survey, run, [..]

"#]]);
}

#[test]
fn the_version_is_a_verb_as_well() {
    assert_eq!(output(&["version"]), output(&["--version"]));
}
