//! `zerohop advise placement`, on models and surveys.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::binary::zerohop;

fn advice(arguments: &[&str]) -> String {
    let run = zerohop().args(["advise", "placement"]).args(arguments).assert().success();
    String::from_utf8(run.get_output().stdout.clone()).unwrap()
}

fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&advice(&[arguments, &["--format", "json"]].concat())).unwrap()
}

fn refused(arguments: &[&str]) -> String {
    let run = zerohop().args(["advise", "placement"]).args(arguments).assert().code(2);
    let message = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
    assert!(message.contains("hint: ") || message.contains("--help"), "{message}");
    message
}

const PRIVATE: [&str; 6] = ["--threads", "4", "--data", "private", "--bytes", "1G"];

#[test]
fn the_square_s_own_rule_is_its_advice_with_lines_and_intervals() {
    let arguments = [&["--on", "quartet"], &PRIVATE[..]].concat();
    let page = advice(&arguments);
    assert!(page.starts_with("placement on quartet") && page.contains("model (event)"), "{page}");
    assert!(page.contains("taskset -c 0,2,4,6 ./program"), "{page}");
    let found = json(&arguments);
    let best = &found["alternatives"][0];
    assert_eq!(best["placement"]["memory"]["policy"], "local");
    let figure = |end: &str| best["figure"][end].as_f64().unwrap();
    assert!(figure("low") < figure("value") && figure("value") < figure("high"), "{best}");
}

/// The columns that docs/csv.md lists for a document, in order.
fn documented(section: &str) -> String {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/csv.md")).unwrap();
    let text = page.split_once(&format!("\n## {section}\n")).unwrap().1;
    let text = text.split("\n## ").next().unwrap();
    let rows = text.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`'));
    rows.map(|(column, _)| column).collect::<Vec<_>>().join(",")
}

#[test]
fn the_columns_of_advice_are_documented() {
    let csv = advice(&[&["--on", "cascade-lake-4s", "--quick", "--format", "csv"], &PRIVATE[..]].concat());
    assert_eq!(csv.lines().next().unwrap(), documented("Placement advice"));
}

#[test]
fn without_simulation_there_are_no_intervals() {
    let found = json(&[&["--on", "quartet", "--quick"], &PRIVATE[..]].concat());
    let figure = &found["alternatives"][0]["figure"];
    assert_eq!(figure["low"], figure["high"]);
    assert_eq!(found["origin"]["model"]["solver"], "auto");
}

#[test]
fn a_survey_and_a_ramp_are_a_ground_for_advice() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let run = |experiment: &[&str], file: &str| {
        let common = ["--on", "quartet", "--solver", "auto", "-q", "-o", file];
        zerohop().arg("run").args(experiment).args(common).assert().success();
    };
    let (matrix, ramp) = (path("matrix.json"), path("ramp.json"));
    run(&["bandwidth-matrix"], &matrix);
    run(&["ramp", "--initiators", "0", "--targets", "0"], &ramp);
    let without = advice(&[&[matrix.as_str()], &PRIVATE[..]].concat());
    assert!(without.contains("no ramp was measured"), "{without}");
    let with = advice(&[&[matrix.as_str(), ramp.as_str()], &PRIVATE[..]].concat());
    assert!(!with.contains("no ramp was measured") && with.contains("1 on 0,1,2,3"), "{with}");
    let latency = [&[matrix.as_str(), "--sensitivity", "latency"], &PRIVATE[..]].concat();
    assert!(refused(&latency).contains("has no matrix of latency"));
    let other = path("other.json");
    zerohop()
        .args(["run", "latency-matrix", "--on", "sr665-v3", "--solver", "auto", "-q", "-o", &other])
        .assert()
        .success();
    let mixed = [&[matrix.as_str(), other.as_str()], &PRIVATE[..]].concat();
    assert!(refused(&mixed).contains("from different machines"));
}

#[test]
fn weights_that_are_streamed_have_a_ceiling() {
    let arguments =
        ["--on", "quartet", "--quick", "--workload", "stream-of-weights", "--bytes-per-step", "1G"];
    let page = advice(&arguments);
    assert!(page.contains("steps/s") && page.contains("llama-server"), "{page}");
    let found = json(&arguments);
    let rows = found["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 4, "{found}");
    assert_eq!(rows[0]["data"], "copy_on_each");
    let csv = advice(&[&arguments[..], &["--format", "csv"]].concat());
    assert_eq!(csv.lines().next().unwrap(), documented("Ceilings"));
}

#[test]
fn what_cannot_be_placed_is_refused_with_what_to_do() {
    let on = |more: &[&'static str]| [&["--on", "quartet", "--quick"], more].concat();
    assert!(refused(&PRIVATE).contains("is unknown"));
    let many = on(&["--threads", "9", "--data", "shared", "--bytes", "1G"]);
    assert!(refused(&many).contains("9 threads do not fit on 8 free CPUs"));
    let large = on(&["--threads", "2", "--data", "shared", "--bytes", "9G"]);
    assert!(refused(&large).contains("9 GiB of data do not fit in 8 GiB"));
    let odd = on(&["--threads", "2", "--data", "shared", "--bytes", "1G", "--mix", "7:3"]);
    assert!(refused(&odd).contains("unsupported mix"));
    assert!(refused(&on(&["--threads", "2", "--bytes", "1G"])).contains("--data"));
    assert!(refused(&on(&["--workload", "stream-of-weights"])).contains("--bytes-per-step"));
}

#[test]
fn advice_is_saved_in_the_format_of_the_file_s_name() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["advice.json", "advice.csv", "advice.txt"] {
        let path = folder.path().join(name);
        let arguments = ["--on", "cascade-lake-4s", "--quick", "-o", path.to_str().unwrap()];
        advice(&[&arguments, &PRIVATE[..]].concat());
        assert!(fs::read_to_string(&path).unwrap().contains("cascade-lake-4s"), "{name}");
    }
}

/// docs/placement.md shows what is printed.
#[test]
fn the_guide_to_placement_shows_what_is_printed() {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/placement.md");
    let mut text = fs::read_to_string(&guide).unwrap();
    for (arguments, sections) in [
        (&["--on", "quartet", "--threads", "4", "--data", "private", "--bytes", "2G"][..], 4),
        (
            &[
                "--on",
                "cascade-lake-4s",
                "--quick",
                "--workload",
                "stream-of-weights",
                "--bytes-per-step",
                "40G",
            ][..],
            2,
        ),
    ] {
        let page = advice(arguments);
        let shown: String = page
            .lines()
            .scan(0, |heads, line| {
                *heads += usize::from(line.contains("───"));
                (*heads < sections).then(|| format!("{}\n", line.trim_end()))
            })
            .collect();
        let shown = shown.trim_end();
        let command = format!("$ zerohop advise placement {}\n", arguments.join(" "));
        let start = text.find(&command).unwrap_or_else(|| panic!("docs/placement.md lacks `{command}`"))
            + command.len();
        let end = start + text[start..].find("\n```").unwrap();
        if &text[start..end] != shown {
            let overwrite = std::env::var("SNAPSHOTS").is_ok_and(|how| how == "overwrite");
            assert!(overwrite, "docs/placement.md shows something else than\n{shown}");
            text.replace_range(start..end, shown);
            fs::write(&guide, &text).unwrap();
        }
    }
}

/// These were left out of the advice without a word, or the hint named an option that changes nothing.
#[test]
fn options_that_do_not_apply_are_refused() {
    let shared = ["--on", "quartet", "--quick", "--threads", "4", "--data", "shared", "--bytes", "1G"];
    let with = |more: &[&str]| refused(&[&shared[..], more].concat());
    assert!(with(&["--bytes-per-step", "4G"]).contains("cannot be used with"));
    for option in [["--mix", "1:1"], ["--access", "random"]] {
        let talk = with(&[&["--sensitivity", "latency"], &option[..]].concat());
        assert!(talk.contains(&format!("{} does not apply to --sensitivity latency", option[0])), "{talk}");
    }
    let talk = with(&["--background", "0:99"]);
    assert!(talk.contains("99 threads of other programs do not fit on 2 CPUs of node 0"), "{talk}");
    assert!(talk.contains("hint: use at most 2 for node 0 with --background"), "{talk}");
    let talk =
        refused(&["--on", "quartet", "--quick", "--workload", "stream-of-weights", "--bytes-per-step", "1T"]);
    assert!(talk.contains("--bytes-per-step"), "{talk}");
}
