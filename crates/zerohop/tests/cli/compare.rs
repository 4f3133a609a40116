//! `zerohop compare`: results of a model, set one way and another.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::binary::zerohop;

/// Two results of the same experiment: Quartet as it is, and with links of half the capacity.
fn results() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    run(directory.path(), "before.json", &[]);
    run(directory.path(), "after.json", &["--set", "wire.ht1000.capacity=2 GB/s"]);
    directory
}

fn run(directory: &Path, file: &str, more: &[&str]) {
    zerohop()
        .current_dir(directory)
        .args(["run", "bandwidth-matrix", "--on", "quartet", "--nodes", "0,1", "--quiet", "-o", file])
        .args(more)
        .assert()
        .success();
}

/// What `zerohop compare` prints and says, and its exit status.
fn compare(directory: &TempDir, arguments: &[&str]) -> (String, String, i32) {
    let output = zerohop().current_dir(directory.path()).arg("compare").args(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr), output.status.code().unwrap())
}

#[test]
fn slower_links_come_last_and_are_named_as_the_difference() {
    let directory = results();
    let (page, talk, status) = compare(&directory, &["before.json", "after.json"]);
    assert_eq!((talk.as_str(), status), ("", 0));
    let line = |start: &str| page.lines().position(|line| line.trim_start().starts_with(start)).unwrap();
    assert!(line("before (base)") < line("after  "), "{page}");
    assert!(page.contains("  after: ") && page.contains(" % worse"), "{page}");
    assert!(page.contains("largest changes: after"), "{page}");
    assert!(page.contains("wire.ht1000.capacity=2 GB/s in after"), "{page}");
    // The other way round, it is the other that is better.
    let (page, ..) = compare(&directory, &["after.json", "before.json"]);
    let line = |start: &str| page.lines().position(|line| line.trim_start().starts_with(start)).unwrap();
    assert!(line("before  ") < line("after (base)"), "{page}");
}

#[test]
fn gates_decide_the_exit_status() {
    let directory = results();
    let status = |gate: &[&str]| {
        let (_, talk, status) = compare(&directory, &[&["before.json", "after.json"], gate].concat());
        (talk, status)
    };
    assert_eq!(status(&["--at-least", "0.2", "--each-at-least", "0.2"]), (String::new(), 0));
    let (talk, code) = status(&["--at-least", "0.99"]);
    assert!(code == 1 && talk.contains("after: the mean 0.") && talk.contains("is below 0.99"), "{talk}");
    let (talk, code) = status(&["--each-at-least", "0.99"]);
    assert!(code == 1 && talk.contains("after: the worst cell"), "{talk}");
    // What is compared with itself is as good as itself.
    let (_, talk, code) = compare(&directory, &["before.json", "before.json", "--at-least", "1"]);
    assert_eq!((talk.as_str(), code), ("", 0));
    assert_eq!(status(&["--at-least", "zero"]).1, 2);
}

#[test]
fn a_survey_s_directory_stands_for_the_result_in_it() {
    let directory = results();
    for name in ["before", "after"] {
        fs::create_dir(directory.path().join(name)).unwrap();
        let file = directory.path().join(format!("{name}.json"));
        fs::rename(file, directory.path().join(name).join("result.json")).unwrap();
    }
    let (page, talk, status) = compare(&directory, &["before", "after"]);
    assert_eq!((talk.as_str(), status), ("", 0));
    assert!(page.contains("before (base)") && page.contains("computed by a model of quartet"), "{page}");
    let (_, talk, status) = compare(&directory, &["before", "."]);
    assert!(
        status == 2 && talk.contains("`.` is a directory that contains 2 surveys") && talk.contains("hint: "),
        "{talk}"
    );
}

/// `after.json` with a change to the estimate of its first cell.
fn spoilt(directory: &TempDir, change: impl Fn(&mut serde_json::Value)) {
    let path = directory.path().join("after.json");
    let mut file: serde_json::Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    change(&mut file);
    fs::write(path, file.to_string()).unwrap();
}

#[test]
fn an_interval_that_contains_a_gate_cannot_tell() {
    let directory = results();
    fs::copy(directory.path().join("before.json"), directory.path().join("after.json")).unwrap();
    spoilt(&directory, |file| {
        let estimate = &mut file["experiments"][0]["cells"][0]["estimate"];
        let median = estimate["median"].as_f64().unwrap();
        (estimate["low"], estimate["high"]) = ((median * 0.5).into(), (median * 2.0).into());
    });
    let (_, talk, status) = compare(&directory, &["before.json", "after.json", "--each-at-least", "0.99"]);
    assert!(status == 3 && talk.contains("1 of 4 cells may be above or below 0.99"), "{status} {talk}");
    let (_, talk, status) = compare(&directory, &["before.json", "after.json", "--each-at-least", "0.1"]);
    assert_eq!((talk.as_str(), status), ("", 0));
}

/// Three of four cells were doubtful, and the gate passed on the fourth.
#[test]
fn a_gate_that_most_cells_decide_nothing_of_cannot_tell() {
    let directory = results();
    fs::copy(directory.path().join("before.json"), directory.path().join("after.json")).unwrap();
    let doubt = |cells: usize| {
        spoilt(&directory, |file| {
            for cell in &mut file["experiments"][0]["cells"].as_array_mut().unwrap()[..cells] {
                cell["warnings"] = serde_json::json!([{ "warning": "cpu_taken", "share": 0.9 }]);
            }
        });
    };
    for (cells, expected) in [(2, 0), (3, 3)] {
        doubt(cells);
        for gate in ["--at-least", "--each-at-least"] {
            let (_, talk, status) = compare(&directory, &["before.json", "after.json", gate, "0.5"]);
            assert_eq!(status, expected, "{cells} {gate}: {talk}");
            assert_eq!(talk.contains("3 of 4 cells are in doubt"), expected == 3, "{talk}");
        }
    }
}

#[test]
fn runs_of_one_configuration_are_compared_together() {
    let directory = results();
    for name in ["before", "after"] {
        let at = |name: &str| directory.path().join(format!("{name}.json"));
        let text = fs::read_to_string(at(name)).unwrap();
        let mut again: serde_json::Value = serde_json::from_str(&text).unwrap();
        let estimate = &mut again["experiments"][0]["cells"][0]["estimate"];
        for end in ["median", "low", "high"] {
            estimate[end] = (estimate[end].as_f64().unwrap() * 1.001).into();
        }
        fs::write(at(&format!("{name}-2")), again.to_string()).unwrap();
    }
    let arguments = ["before.json", "before-2.json", "--", "after.json", "after-2.json"];
    let (page, talk, status) = compare(&directory, &arguments);
    assert_eq!((talk.as_str(), status), ("", 0));
    assert!(page.contains("before (2 runs) (base)") && page.contains("after (2 runs)"), "{page}");
}

/// The same file three times looked like three runs that do not drift at all: every difference was certain.
#[test]
fn a_run_that_is_given_again_is_no_other_run() {
    let directory = results();
    fs::copy(directory.path().join("before.json"), directory.path().join("copy.json")).unwrap();
    let (page, talk, status) =
        compare(&directory, &["before.json", "before.json", "copy.json", "--", "after.json"]);
    assert_eq!(status, 0);
    assert!(page.contains("before (base)") && !page.contains("runs)"), "{page}");
    let again = "warning: `copy.json` and `before.json` contain the same values: both count as one run";
    assert!(talk.lines().any(|line| line == again) && talk.lines().count() == 2, "{talk}");
}

#[test]
fn a_result_may_come_from_standard_input() {
    let directory = results();
    let text = fs::read(directory.path().join("after.json")).unwrap();
    let run =
        zerohop().current_dir(directory.path()).args(["compare", "before.json", "-"]).stdin(text).assert();
    let page = String::from_utf8(run.success().get_output().stdout.clone()).unwrap();
    assert!(page.contains("before (base)"), "{page}");
}

/// One cell that was no number let 15 that were twice as slow pass.
#[test]
fn what_is_no_number_passes_no_gate() {
    let numbers = [("0", "0.001", "0.001"), ("1e-320", "1e-320", "1e-320"), ("1e308", "1e308", "1e308")];
    for (median, low, high) in numbers {
        let directory = results();
        spoilt(&directory, |file| {
            let estimate = &mut file["experiments"][0]["cells"][0]["estimate"];
            for (end, number) in [("median", median), ("low", low), ("high", high)] {
                estimate[end] = number.parse::<f64>().unwrap().into();
            }
        });
        let gates = ["before.json", "after.json", "--at-least", "0.99", "--each-at-least", "0.99"];
        let (page, talk, status) = compare(&directory, &gates);
        assert!([1, 2].contains(&status), "{median}: {status}: {talk}{page}");
    }
}

#[test]
fn a_result_of_a_later_version_is_refused_with_its_name_and_versions() {
    let directory = results();
    spoilt(&directory, |file| file["schema_version"] = 99.into());
    let (page, talk, status) = compare(&directory, &["before.json", "after.json"]);
    assert_eq!((page.as_str(), status), ("", 2));
    let error =
        "error: cannot read `after.json`: it was written by zerohop of format 99; this one reads 2\nhint: ";
    assert!(talk.starts_with(error), "{talk}");
}

#[test]
fn what_a_later_version_added_is_reported_and_the_rest_compared() {
    let directory = results();
    spoilt(&directory, |file| {
        let cells = file["experiments"][0]["cells"].as_array_mut().unwrap();
        let mut cell = cells[0].clone();
        cell["measure"] = "row_misses_per_s".into();
        cells.push(cell);
        file["site"] = "rack 4".into();
    });
    let (page, talk, status) = compare(&directory, &["before.json", "after.json"]);
    let warning = "warning: `after.json` contains items that this version does not know: the field site (1), the measure \
                   row_misses_per_s (1)";
    assert!(status == 0 && talk.starts_with(warning), "{talk}");
    assert!(page.contains("largest changes: after"), "{page}");
}

#[test]
fn every_format_has_every_cell() {
    let directory = results();
    let (table, ..) = compare(&directory, &["before.json", "after.json", "--format", "csv"]);
    assert_eq!(table.lines().count(), 1 + 4, "{table}");
    assert!(table.starts_with("result,experiment,initiator,target,"), "{table}");
    let (text, ..) = compare(&directory, &["before.json", "after.json", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["cells"].as_array().unwrap().len(), 4);
    assert_eq!(json["base"], "before");
    crate::validator::check("comparison", &json);
}

#[test]
fn what_cannot_be_compared_is_the_user_s_error() {
    let directory = results();
    let (_, talk, status) = compare(&directory, &["before.json"]);
    assert!(status == 2 && talk.contains("nothing to compare `before` with"), "{talk}");
    fs::write(directory.path().join("no.json"), "{}").unwrap();
    let (_, talk, status) = compare(&directory, &["before.json", "no.json"]);
    assert!(status == 2 && talk.contains("cannot recognize a format in `no.json`"), "{talk}");
    zerohop()
        .current_dir(directory.path())
        .args(["run", "hops", "--on", "quartet", "--initiators", "0", "--quiet", "-o", "hops.json"])
        .assert()
        .success();
    let (_, talk, status) = compare(&directory, &["before.json", "hops.json"]);
    assert!(status == 2 && talk.contains("these results have no value in common"), "{talk}");
}

#[test]
fn a_comparison_is_kept_in_the_form_of_its_name() {
    let directory = results();
    let (page, talk, status) = compare(&directory, &["before.json", "after.json", "-o", "both.csv"]);
    assert_eq!((talk.as_str(), status), ("", 0));
    assert!(page.contains("before (base)"), "{page}");
    let (csv, ..) = compare(&directory, &["before.json", "after.json", "--format", "csv"]);
    assert_eq!(fs::read_to_string(directory.path().join("both.csv")).unwrap(), csv);
    let (_, talk, status) = compare(&directory, &["before.json", "after.json", "-o", "both.mlc"]);
    assert_eq!(status, 2);
    assert!(talk.contains("cannot write a comparison to `both.mlc`"), "{talk}");
    for name in ["both.svg", "both.html"] {
        assert_eq!(compare(&directory, &["before.json", "after.json", "-o", name]).2, 0);
        let picture = fs::read_to_string(directory.path().join(name)).unwrap();
        assert!(
            picture.contains("after beside before") && picture.contains("as a whole, and by experiment"),
            "{name}"
        );
    }
    assert_eq!(compare(&directory, &["before.json", "after.json", "-o", "both.png"]).2, 0);
    assert!(fs::read(directory.path().join("both.png")).unwrap().starts_with(b"\x89PNG"));
}

/// Cells of zero left the comparison without a word, and the gates passed.
#[test]
fn a_bandwidth_of_zero_passes_no_gate() {
    let directory = results();
    let path = directory.path().join("after.json");
    let mut result: serde_json::Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let estimate = result.pointer_mut("/experiments/0/cells/0/estimate").unwrap().as_object_mut().unwrap();
    for value in estimate.values_mut() {
        *value = 0.0.into();
    }
    fs::write(&path, result.to_string()).unwrap();
    let (page, talk, status) = compare(&directory, &["before.json", "after.json", "--each-at-least", "0.2"]);
    assert_eq!(talk, "warning: after: values of bandwidth-matrix that are zero or negative: 1\n");
    assert_eq!(status, 1);
    let page = page.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(page.contains("1 cell in before, not usable in after: no ratio"), "{page}");
}

/// A result that had lost all cells but one passed every gate.
#[test]
fn a_gate_cannot_tell_where_cells_of_the_baseline_are_missing() {
    let directory = results();
    fs::copy(directory.path().join("before.json"), directory.path().join("after.json")).unwrap();
    spoilt(&directory, |file| {
        file["experiments"][0]["cells"].as_array_mut().unwrap().truncate(1);
    });
    let (page, talk, status) = compare(&directory, &["before.json", "after.json"]);
    assert_eq!((talk.as_str(), status), ("", 0), "{page}");
    for gate in ["--at-least", "--each-at-least"] {
        let (_, talk, status) = compare(&directory, &["before.json", "after.json", gate, "0.9"]);
        assert!(
            status == 3 && talk.contains("after: 3 cells of bandwidth-matrix missing: "),
            "{status} {talk}"
        );
        // More than the baseline has is no loss.
        let (_, talk, status) = compare(&directory, &["after.json", "before.json", gate, "0.9"]);
        assert_eq!((talk.as_str(), status), ("", 0));
    }
    // What is known to be worse fails all the same.
    let (_, _, status) = compare(&directory, &["before.json", "after.json", "--at-least", "1.5"]);
    assert_eq!(status, 1);
    spoilt(&directory, |file| file["completion"] = "interrupted".into());
    let (_, _, status) = compare(&directory, &["before.json", "after.json", "--at-least", "0.9"]);
    assert_eq!(status, 3);
}

/// A gate passed where the baseline's own value could not be compared.
#[test]
fn a_gate_cannot_tell_where_the_baseline_has_no_usable_value() {
    let directory = results();
    fs::copy(directory.path().join("before.json"), directory.path().join("after.json")).unwrap();
    spoilt(&directory, |file| {
        for value in file["experiments"][0]["cells"][0]["estimate"].as_object_mut().unwrap().values_mut() {
            *value = 0.0.into();
        }
    });
    let (_, talk, status) = compare(&directory, &["after.json", "before.json", "--each-at-least", "0.2"]);
    assert!(status == 3 && talk.contains("cannot be compared with after"), "{status} {talk}");
}

/// `-o` with the name of a result that was read replaced the measurement.
#[test]
fn no_verb_replaces_the_result_that_it_reads() {
    let directory = results();
    let result = fs::read(directory.path().join("before.json")).unwrap();
    fs::create_dir(directory.path().join("survey")).unwrap();
    fs::write(directory.path().join("survey/result.json"), &result).unwrap();
    for words in [
        "compare after.json before.json -o before.json",
        "compare before.json after.json -o ./before.json",
        "show before.json -o before.json",
        "diagnose before.json -o before.json",
        "diagnose survey -o survey/result.json",
        "advise distances before.json -o before.json",
        "advise placement before.json --threads 1 --data shared --bytes 1M -o before.json",
        "advise settings ./before.json -o before.json",
    ] {
        let run = zerohop()
            .current_dir(directory.path())
            .args(words.split(' '))
            .assert()
            .code(2)
            .get_output()
            .clone();
        let talk = String::from_utf8(run.stderr).unwrap();
        assert!(talk.contains("-o would overwrite") && talk.contains("hint: "), "{words}: {talk}");
        for kept in ["before.json", "survey/result.json"] {
            assert_eq!(fs::read(directory.path().join(kept)).unwrap(), result, "{words}");
        }
    }
}

/// Both were pages without a value, with status 0.
#[test]
fn results_without_usable_values_say_so() {
    let directory = results();
    spoilt(&directory, |result| result["experiments"] = serde_json::json!([]));
    let output = zerohop().current_dir(directory.path()).args(["show", "after.json"]).assert().code(3);
    let shown = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    assert!(shown.contains("no values: no experiment in this result has a cell"), "{shown}");
    let (_, error, code) = compare(&directory, &["after.json", "after.json"]);
    assert_eq!(code, 2);
    assert!(error.contains("after.json has no values"), "{error}");
}
