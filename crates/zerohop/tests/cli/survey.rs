//! `zerohop survey` on this host, with a budget too small for good numbers.

use std::fs;
use std::io::Write;
use std::process::{Command, Output};

use serde_json::Value;

use crate::binary::{SMALL, patiently, started_by, zerohop};
use crate::validator;

#[test]
fn a_survey_prints_a_page_and_leaves_four_files() {
    let directory = tempfile::tempdir().unwrap();
    let output =
        zerohop().current_dir(directory.path()).args(["survey", "--all", "-o", "out"]).args(SMALL).assert();
    let output = output.success().get_output().clone();
    let talk = String::from_utf8(output.stderr).unwrap();
    assert!(talk.ends_with("result: out/result.json\nreport: out/report.html\n"), "{talk}");

    let read = |name: &str| fs::read_to_string(directory.path().join("out").join(name)).unwrap();
    assert_eq!(read("survey.txt"), String::from_utf8(output.stdout).unwrap());
    assert!(read("survey.svg").contains("</svg>"));
    assert!(read("report.html").ends_with("</html>"));
    let result: Value = serde_json::from_str(&read("result.json")).unwrap();
    validator::check_result(&result);
    assert_eq!(result["completion"], "complete");
    assert_eq!(result["engine"]["kind"], "host");
    assert_eq!(result["settings"]["effort"], "custom", "a budget was set");
    let names: Vec<&str> = result["experiments"]
        .as_array()
        .unwrap()
        .iter()
        .map(|experiment| experiment["experiment"].as_str().unwrap())
        .collect();
    assert_eq!(names[..2], ["latency-matrix", "bandwidth-matrix"]);
    let times = ["started_at", "finished_at"].map(|key| result[key].as_str().unwrap());
    assert!(times[0] <= times[1] && times[1].ends_with('Z'), "{times:?}");
}

#[test]
fn one_allowed_cpu_and_no_directory_are_enough() {
    let directory = tempfile::tempdir().unwrap();
    if Command::new("taskset").arg("--version").output().is_err() {
        return writeln!(std::io::stderr(), "skipped: no taskset here").unwrap();
    }
    let within = |budget: &str| {
        let _ = fs::remove_dir_all(directory.path().join("zerohop-results"));
        started_by("taskset", &["-c", "0"])
            .current_dir(directory.path())
            .args(["survey", "--quick", "--format", "json", "-q"])
            .args(["--buffer", "16MiB", "--duration", "1ms", "--interval", "50%", "--budget", budget])
            .output()
            .unwrap()
    };
    // Every experiment that one CPU can do has had its turn.
    let is_complete = |output: &Output| {
        let Ok(result) = serde_json::from_slice::<Value>(&output.stdout) else { return false };
        let all = result["experiments"].as_array().unwrap();
        all.iter().filter(|one| one["cells"].as_array().unwrap().is_empty()).count() <= 2
    };
    let output = patiently(20, within, is_complete);
    let talk = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), talk.as_str()), (Some(0), ""));
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    for experiment in result["experiments"].as_array().unwrap() {
        let (name, cells) = (&experiment["experiment"], experiment["cells"].as_array().unwrap());
        if name == "loaded-latency" || name == "core-to-core" {
            assert!(cells.is_empty(), "{name} needs two CPUs");
            assert_eq!(experiment["warnings"][0]["warning"], "experiment_skipped");
        } else {
            assert!(!cells.is_empty(), "{name}");
            assert!(cells.iter().all(|cell| cell["evidence"]["workers"] == 1), "{name}");
        }
    }
    // Each survey gets a directory of its own.
    let results = directory.path().join("zerohop-results");
    let own: Vec<_> = fs::read_dir(results).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(own.len(), 1);
    let kept: Value = serde_json::from_str(&fs::read_to_string(own[0].join("result.json")).unwrap()).unwrap();
    assert_eq!(result, kept);
}

/// `zerohop` where it may map no more than `mib` MiB.
fn limited(mib: u32) -> Command {
    started_by("sh", &["-c", &format!("ulimit -v {} && exec \"$0\" \"$@\"", mib << 10)])
}

/// What `zerohop survey` does there.
fn within(mib: u32) -> (Option<i32>, String, String) {
    let directory = tempfile::tempdir().unwrap();
    let within = |budget: &str| {
        let mut command = limited(mib);
        command.current_dir(directory.path());
        command
            .args(["survey", "--all", "--quick", "--duration", "1ms", "--budget", budget])
            .output()
            .unwrap()
    };
    let is_busy = |output: &Output| {
        let talk = String::from_utf8_lossy(&output.stderr);
        talk.contains("before its turn") || talk.contains("other programs took")
    };
    let output = patiently(3, within, |output| output.status.success() || !is_busy(output));
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn a_limit_of_address_space_shrinks_buffers_and_is_reported() {
    let (status, page, talk) = within(512);
    assert_eq!(status, Some(0), "{talk}");
    assert!(page.contains("512 MiB mapped by this process (ulimit)"), "{page}");
    assert!(!talk.contains("Cannot allocate memory"), "{talk}");
}

#[test]
fn a_survey_in_which_nothing_could_be_measured_is_no_success() {
    // Enough to start, which takes more the less the program was optimized, and not enough for a buffer.
    let starts = |mib: &u32| limited(*mib).arg("--version").output().unwrap().status.success();
    let mib = (1..64).map(|count| 4 * count).find(starts).unwrap() + 8;
    let (status, _, talk) = within(mib);
    assert_eq!(status, Some(2), "{talk}");
    assert!(talk.contains("error: could not measure anything: "), "{talk}");
    assert!(talk.contains(&format!("hint: memory is limited to {mib} MiB here")), "{talk}");
}

#[test]
fn repeats_lie_beside_the_first_result_and_are_compared_as_one_configuration() {
    let directory = tempfile::tempdir().unwrap();
    let within = |budget: &str| {
        let _ = fs::remove_dir_all(directory.path().join("runs"));
        let brief = ["survey", "--buffer", "8MiB", "--duration", "2ms", "--quiet", "--budget", budget];
        zerohop()
            .current_dir(directory.path())
            .args(brief)
            .args(["--repeat", "2", "-o", "runs"])
            .output()
            .unwrap()
    };
    let output = patiently(5, within, |output| output.status.success());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let runs = directory.path().join("runs");
    assert!(runs.join("result.json").exists() && runs.join("result-2.json").exists());
    assert!(!runs.join("result-3.json").exists());
    let compared =
        zerohop().current_dir(directory.path()).args(["compare", "runs", "runs"]).output().unwrap();
    let page = String::from_utf8(compared.stdout).unwrap();
    assert!(page.contains("runs (2 runs) (base)"), "{page}");
    for (more, hint) in [(["-o", "one.json"], "directory"), (["--on", "quartet"], "--seed")] {
        let output = zerohop()
            .current_dir(directory.path())
            .args(["survey", "--repeat", "2"])
            .args(more)
            .output()
            .unwrap();
        let talk = String::from_utf8(output.stderr).unwrap();
        assert!(
            output.status.code() == Some(2) && talk.contains("--repeat") && talk.contains(hint),
            "{talk}"
        );
    }
}

/// In 20 repeats of one bandwidth, trials chose eight forms, and `compare` found a difference.
#[test]
fn a_result_lends_another_run_its_forms_of_kernels() {
    let directory = tempfile::tempdir().unwrap();
    let run = |more: &[&str]| {
        let within = |budget: &str| {
            let run = ["run", "bandwidth-matrix", "--buffer", "16MiB", "--budget", budget];
            zerohop().current_dir(directory.path()).args(run).args(more).output().unwrap()
        };
        let is_busy =
            |output: &Output| String::from_utf8_lossy(&output.stderr).contains("other programs took");
        patiently(3, within, |output| output.status.success() || !is_busy(output))
    };
    let read = |name: &str| -> Value {
        serde_json::from_slice(&fs::read(directory.path().join(name)).unwrap()).unwrap()
    };
    assert!(run(&["-o", "first.json"]).status.success());
    assert!(run(&["-o", "second.json", "--forms-from", "first.json"]).status.success());
    let (first, second) = (read("first.json"), read("second.json"));
    let forms = |result: &Value| result["engine"]["chosen_forms"].clone();
    assert_eq!((forms(&first).as_array().unwrap().is_empty(), forms(&second)), (false, forms(&first)));
    let trials = |result: &Value| result["engine"]["time_spent"]["trials"].as_f64().unwrap();
    assert!(trials(&second) < trials(&first) / 10.0, "{} and {} s", trials(&second), trials(&first));
    let refused = |more: &[&str], words: &str| {
        let output = run(more);
        let talk = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && talk.contains(words), "{talk}");
    };
    refused(&["--forms-from", "none.json"], "none.json");
    let model = zerohop()
        .current_dir(directory.path())
        .args(["run", "hops", "--on", "quartet", "-o", "model.json"])
        .output()
        .unwrap();
    assert!(model.status.success());
    refused(&["--forms-from", "model.json"], "contains no kernel variants");
}

/// A budget of a second took two, and of two seconds eight: the fewest visits and the memory for them came on top.
#[test]
fn cells_for_which_a_budget_has_no_time_are_named_with_one_that_has() {
    let directory = tempfile::tempdir().unwrap();
    let output = zerohop()
        .current_dir(directory.path())
        .args(["survey", "--all", "--buffer", "16MiB", "--budget", "400ms", "-o", "short.json"])
        .output()
        .unwrap();
    let talk = String::from_utf8(output.stderr).unwrap();
    // A survey has dozens of cells, of which each should be sampled for 25 ms in four rounds: that is more than a second on any machine.
    assert!(talk.contains(" more skipped: a budget of "), "{talk}");
    assert!(talk.contains(" s is enough for all cells; here, the time ran out before its turn"), "{talk}");
    if output.status.success() {
        let result: Value =
            serde_json::from_slice(&fs::read(directory.path().join("short.json")).unwrap()).unwrap();
        let spent = &result["engine"]["time_spent"];
        assert!(spent["whole"].as_f64() > spent["sampling"].as_f64(), "{spent}");
    } else {
        // Where other programs have the CPUs, there may be no time for any cell.
        assert!(talk.contains("hint: allow more time with --budget"), "{talk}");
    }
}

/// A buffer of 1 MiB stays in the last-level cache of almost any machine, and is marked.
#[test]
fn a_strict_run_that_is_not_good_exits_with_3() {
    let run = |more: &[&str]| {
        zerohop()
            .args([
                "run",
                "latency-matrix",
                "--budget",
                "2s",
                "--buffer",
                "64KiB",
                "--duration",
                "2ms",
                "--quiet",
            ])
            .args(more)
            .output()
            .unwrap()
    };
    let output = run(&["--strict"]);
    let page = String::from_utf8(output.stdout).unwrap();
    // A buffer that stays in the caches makes every value doubtful, on any machine at any time.
    assert!(page.contains("verdict         not usable"), "{page}");
    let talk = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{talk}");
    assert!(talk.contains("the measurement is ") && page.contains("what to do"), "{talk}{page}");
    assert_eq!(run(&[]).status.code(), Some(0));
    // Nothing disturbs a simulation, so there is nothing to wait for and nothing to doubt.
    let model = zerohop()
        .args(["run", "latency-matrix", "--on", "quartet", "--strict", "--wait-quiet", "1h", "--quiet"])
        .output()
        .unwrap();
    let page = String::from_utf8(model.stdout).unwrap();
    assert!(model.status.success() && !page.contains("verdict"), "{page}");
}
