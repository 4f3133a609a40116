//! `zerohop sweep`: rows, files, what is refused, and what is left when it is stopped.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use snapbox::{Data, str};

use crate::binary::{plain, zerohop};
use crate::folder::{SQUARE, directory};
use crate::validator;

fn sweep(directory: &Path, arguments: &str) -> snapbox::cmd::Command {
    let words = arguments.split(' ').filter(|word| !word.is_empty());
    zerohop().current_dir(directory).arg("sweep").args(words)
}

/// What a sweep prints when all is well.
fn printed(directory: &Path, arguments: &str) -> String {
    let command = sweep(directory, arguments).arg("-q");
    String::from_utf8(command.assert().success().stderr_eq("").get_output().stdout.clone()).unwrap()
}

const SMALL: &str =
    "./options.toml --set speed=fast,slow --set channels=2,4 --experiment latency-matrix --solver flow";

#[test]
fn every_combination_is_a_row_and_what_is_refused_is_named() {
    let directory = directory();
    sweep(directory.path(), SMALL).assert().code(0).stderr_eq("").stdout_eq(str![[r#"
sweep ./options.toml [..] 4 points

  set             speed = fast, slow
  set             channels = 2, 4
  run             latency-matrix
  solver          flow

points ─[..]
  best: lowest latency-matrix.[..].latency_ns; [..]
...
  speed  channels  latency-matrix  latency-matrix
[..]
[..]
...
rejected by the machine file ─[..]
  – 1 point: speed=slow, channels=4 is refused: four channels would wait for the links
  with speed=slow, channels=4

"#]]);
}

#[test]
fn every_form_says_the_same_on_any_number_of_threads() {
    let directory = directory();
    let json = printed(directory.path(), &format!("{SMALL} --format json --threads 1"));
    assert_eq!(json, printed(directory.path(), &format!("{SMALL} --format json --threads 3")));
    let result: Value = serde_json::from_str(&json).unwrap();
    validator::check("sweep-result", &result);
    let rows = result["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 4);
    assert_eq!(rows[0]["merit"], "best");
    let refused = rows.iter().find(|row| row["outcome"] == "refused").unwrap();
    assert_eq!(refused["settings"], serde_json::json!({ "speed": "slow", "channels": "4" }));
    let csv = printed(directory.path(), &format!("{SMALL} --format csv"));
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines.len(), 5);
    assert!(
        lines[0].starts_with("point,speed,channels,outcome,merit,latency-matrix.local.latency_ns,"),
        "{csv}"
    );
    let local = rows[0]["values"]["latency-matrix.local.latency_ns"].as_f64().unwrap();
    assert!(lines[1].contains(&format!(",done,best,{local}")), "{csv}");
}

/// Rows of a sweep did not say that a model computed them.
#[test]
fn a_row_of_a_sweep_says_where_it_comes_from() {
    let directory = directory();
    let csv = printed(directory.path(), &format!("{SMALL} --format csv"));
    let mut lines = csv.lines();
    assert!(lines.next().unwrap().ends_with(",origin,machine,started_at,produced_by"), "{csv}");
    for line in lines {
        let [_, speed, channels, ..] = line.split(',').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let version = env!("CARGO_PKG_VERSION");
        let end = format!(
            ",model (flow),\"./options.toml (speed={speed}, channels={channels})\",,zerohop {version}"
        );
        assert!(line.ends_with(&end), "{line}");
    }
    assert_eq!(csv.lines().count(), 5);
}

#[test]
fn what_a_row_says_is_what_a_run_says() {
    let directory = directory();
    let sweep =
        "./options.toml --set core.k8.in_flight.strided=2,6 --experiment hops --solver event --format json";
    let result: Value = serde_json::from_str(&printed(directory.path(), sweep)).unwrap();
    for row in result["rows"].as_array().unwrap() {
        let set = format!(
            "core.k8.in_flight.strided={}",
            row["settings"]["core.k8.in_flight.strided"].as_str().unwrap()
        );
        let run = ["run", "hops", "--on", "./options.toml", "--set", &set, "--format", "json", "-q"];
        let output =
            zerohop().current_dir(directory.path()).args(run).assert().success().get_output().clone();
        let run: Value = serde_json::from_slice(&output.stdout).unwrap();
        let local = run["experiments"][0]["cells"].as_array().unwrap().iter().find(|cell| {
            cell["measure"] == "time_per_line_ns"
                && cell["at"] == serde_json::json!({ "initiator": 0, "target": 0, "kernel": "read" })
        });
        let value = &row["values"]["hops.read.local.time_per_line_ns"];
        let estimate = &local.unwrap()["estimate"];
        assert_eq!(value, &estimate["median"]);
        let interval = row["intervals"].get("hops.read.local.time_per_line_ns");
        let expected = serde_json::json!([estimate["low"], estimate["high"]]);
        assert!(interval.is_none_or(|interval| *interval == expected), "{interval:?}");
        assert_eq!(interval.is_none(), estimate["low"] == estimate["high"]);
    }
}

#[test]
fn chosen_measures_are_the_columns() {
    let directory = directory();
    let command =
        sweep(directory.path(), "quartet --set home.k8.latency=10ns,20ns --solver flow --format csv");
    let assert = command
        .args(["--experiment", "hops --initiators 0", "--experiment", "latency-matrix"])
        .args([
            "--measure",
            "far: latency-matrix latency remote highest",
            "--measure",
            "hops time-per-line kernel=read target=1",
        ])
        .assert()
        .success();
    let text = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
    let head = text.lines().next().unwrap();
    assert_eq!(
        head,
        "point,home.k8.latency,outcome,merit,hops.1.read.time_per_line_ns,latency-matrix.far.latency_ns,notes,rank,\
         origin,machine,started_at,produced_by"
    );
}

#[test]
fn cases_are_told_by_scenario_and_summed_up_where_they_are_many() {
    let directory = directory();
    let of = |run: &str| {
        let words = [
            "sweep",
            "quartet",
            "--set",
            "home.k8.latency=10ns",
            "--solver",
            "flow",
            "-q",
            "--format",
            "json",
        ];
        let command = zerohop().current_dir(directory.path()).args(words).args(["--experiment", run]);
        let output = command.assert().success().get_output().clone();
        let result: Value = serde_json::from_slice(&output.stdout).unwrap();
        let columns = result["columns"].as_array().unwrap().iter();
        columns.map(|column| column["what"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(of("crossfire"), ["base", "local", "no-crossfire", "crossfire", "same-node"]);
    assert_eq!(of("crossfire --case \"0.0.w.1 1.0.w.0\""), ["base", "0.0.w.1 1.0.w.0"]);
    assert_eq!(of("crossfire --all --nodes 0,1"), ["lowest", "median", "highest"]);
}

#[test]
fn points_that_do_not_differ_share_a_rank_and_none_is_best() {
    let directory = directory();
    // A core of the square has one miss in flight: how many it may have in a sequence does not matter.
    let sweep = "quartet --set core.k8.in_flight.sequential=4,8 --experiment latency-matrix --solver flow";
    let page = printed(directory.path(), sweep);
    assert!(page.contains("no value differs by 0.1 % or more between these points"), "{page}");
    let json = printed(directory.path(), &format!("{sweep} --format json"));
    let result: Value = serde_json::from_str(&json).unwrap();
    for row in result["rows"].as_array().unwrap() {
        assert_eq!((row.get("merit"), &row["rank"]), (None, &Value::from(1)), "{row}");
    }
}

#[test]
fn what_makes_no_sweep_is_refused() {
    let directory = directory();
    let refused = |arguments: &str| {
        let assert = sweep(directory.path(), arguments).assert().code(2).stdout_eq("");
        String::from_utf8(assert.get_output().stderr.clone()).unwrap()
    };
    for (arguments, message) in [
        ("options.toml --set sped=slow --experiment hops", "did you mean `speed`?"),
        ("options.toml --set speed=quick,swift --experiment hops", "`speed` cannot be `quick`"),
        ("options.toml --set speed=slow,fsat --experiment hops", "did you mean `fast`?"),
        ("options.toml --set core.k8.clok=2GHz --experiment hops", "hint: "),
        ("quartet --set home.k8.latency=10ns,10parsec --experiment hops", "`10parsec` is not a latency"),
        ("options.toml --set speed=slow --set speed=fast --experiment hops", "`speed` is set twice"),
        ("options.toml --set speed= --experiment hops", "invalid setting"),
        ("options.toml --set speed=slow --experiment hop", "hint: did you mean `hops`?"),
        ("options.toml --set speed=slow --experiment hops --measure stream", "is not a measure"),
        (
            "options.toml --set speed=slow --experiment hops -o a.xls",
            "use the extension .txt, .json, .csv, .parquet or .html",
        ),
        ("options.toml --set speed=slow", "--experiment"),
        ("quartett --set a=1 --experiment hops", "did you mean `quartet`?"),
    ] {
        let error = refused(arguments);
        assert!(error.starts_with("error: ") && error.contains(message), "{arguments}: {error}");
    }
    assert!(!directory.path().join("a.xls.journal").exists());
}

#[test]
fn a_number_that_is_nowhere_is_told() {
    sweep(directory().path(), "quartet --set home.k8.latency=10ns --experiment hops --solver flow -q")
        .args(["--measure", "hops latency"])
        .assert()
        .code(2)
        .stderr_eq(str![[r#"
error: no point has `hops.latency_ns`
hint: [..]

"#]]);
}

const FILE: &str = r#"
machine = "options.toml"

[grid]
speed = ["fast", "slow"]
core.k8.in_flight.strided = [2, 4]

[run]
idle = "latency-matrix"

[[measure]]
name = "near"
run = "idle"
measure = "latency_ns"
pairs = "local"
"#;

#[test]
fn a_file_says_what_arguments_say() {
    let directory = directory();
    fs::create_dir(directory.path().join("deep")).unwrap();
    let text = FILE.replace("options.toml", "../options.toml");
    fs::write(directory.path().join("deep/what-if.toml"), text).unwrap();
    let csv = printed(directory.path(), "--file deep/what-if.toml --solver flow --format csv");
    assert!(
        csv.starts_with(
            "point,speed,core.k8.in_flight.strided,outcome,merit,idle.near.latency_ns,notes,rank,origin,machine,started_at,produced_by\n"
        ),
        "{csv}"
    );
    assert_eq!(csv.lines().count(), 5);
    let toml: toml::Table = FILE.parse().unwrap();
    validator::check("sweep", &serde_json::to_value(toml).unwrap());
}

#[test]
fn what_is_wrong_with_a_file_is_shown_where_it_stands() {
    let directory = directory();
    let refused = |text: String, error: Data| {
        fs::write(directory.path().join("what-if.toml"), text).unwrap();
        sweep(directory.path(), "-f what-if.toml").assert().code(2).stdout_eq("").stderr_eq(error);
    };
    refused(
        FILE.replace("\"slow\"", "\"slwo\""),
        str![[r#"
error: `speed` cannot be `slwo`
 --> what-if.toml:5:18
  |
5 | speed = ["fast", "slwo"]
  |                  ^^^^^^
hint: did you mean `slow`?

"#]]
        .into(),
    );
    refused(
        FILE.replace("\"latency-matrix\"", "\"latency-matrx\""),
        str![[r#"
error: no experiment `latency-matrx`
 --> what-if.toml:9:8
  |
9 | idle = "latency-matrx"
  |        ^^^^^^^^^^^^^^^
hint: did you mean `latency-matrix`?

"#]]
        .into(),
    );
    refused(
        FILE.replace("run = \"idle\"", "run = \"ilde\""),
        str![[r#"
error: no run `ilde`
  --> what-if.toml:13:7
   |
13 | run = "ilde"
   |       ^^^^^^
   |
   = hint: did you mean `idle`?

"#]]
        .into(),
    );
}

/// Points that take a while each.
const LONG: &str = "./options.toml --set core.k8.in_flight.strided=1,2,3,4,5,6 --set home.k8.latency=10ns,12ns,14ns \
                    --experiment hops,latency-matrix --solver event";

/// A sweep under way, of which at least so many points are kept.
fn begun(directory: &Path, output: &str, points: usize) -> Child {
    let words = LONG.split(' ').filter(|word| !word.is_empty());
    let mut child = plain()
        .current_dir(directory)
        .arg("sweep")
        .args(words)
        .args(["-o", output, "--threads", "2"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let journal = directory.join(format!("{output}.journal"));
    let deadline = Instant::now() + Duration::from_secs(120);
    while fs::read_to_string(&journal).unwrap_or_default().lines().count() <= points {
        assert!(Instant::now() < deadline, "no {points} points");
        assert_eq!(child.try_wait().unwrap(), None, "it ended before {points} points");
        thread::sleep(Duration::from_millis(1));
    }
    child
}

fn talk(child: &mut Child) -> String {
    BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_killed_and_an_interrupted_sweep_go_on_to_the_same_rows() {
    let directory = directory();
    let at = directory.path();
    printed(at, &format!("{LONG} -o whole.csv"));
    let whole = fs::read_to_string(at.join("whole.csv")).unwrap();
    assert_eq!(whole.lines().count(), 19);

    let mut killed = begun(at, "part.csv", 3);
    kill_process(Pid::from_child(&killed), Signal::KILL).unwrap();
    assert_eq!(killed.wait().unwrap().code(), None);
    assert!(!at.join("part.csv").exists(), "it was killed before its end");
    let after_kill = fs::read_to_string(at.join("part.csv.journal")).unwrap();
    // As if the last line had been under way.
    fs::write(at.join("part.csv.journal"), &after_kill[..after_kill.len() - 5]).unwrap();

    let mut interrupted = begun(at, "part.csv", 6);
    kill_process(Pid::from_child(&interrupted), Signal::INT).unwrap();
    let said = talk(&mut interrupted);
    assert_eq!(interrupted.wait().unwrap().code(), Some(130), "{said}");
    assert!(
        said.contains("points were already done") && said.contains("the same command resumes from there"),
        "{said}"
    );
    let part = fs::read_to_string(at.join("part.csv")).unwrap();
    let kept = part.lines().count() - 1;
    assert!((6..18).contains(&kept), "{kept} points");

    let assert = sweep(at, &format!("{LONG} -o part.csv")).assert().success();
    let said = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
    assert!(said.starts_with(&format!("{kept} of 18 points were already done\n")), "{said}");
    assert_eq!(fs::read_to_string(at.join("part.csv")).unwrap(), whole);
}

/// It was trusted: rows changed silently, and a run that does not exist was a panic.
#[test]
fn a_journal_that_was_changed_gives_the_same_rows_or_is_refused() {
    let directory = directory();
    let at = directory.path();
    printed(at, &format!("{SMALL} -o a.csv"));
    let whole = fs::read_to_string(at.join("a.csv")).unwrap();
    let journal = at.join("a.csv.journal");
    let right = fs::read(&journal).unwrap();
    let head = right.iter().position(|&byte| byte == b'\n').unwrap();
    let changed = |place: usize, byte: u8| {
        let mut bytes = right.clone();
        bytes[place] = byte;
        bytes
    };
    let text = String::from_utf8(right.clone()).unwrap();
    let mut journals = vec![text.replace("\"run\":0", "\"run\":8").into_bytes()];
    let step = (right.len() - head) / 24;
    journals.extend((head + 1..right.len()).step_by(step).map(|place| changed(place, right[place] ^ 1)));
    journals.push(changed(head + 40, b'\n'));
    journals.push(right[..right.len() - 7].to_vec());
    for bytes in journals {
        fs::write(&journal, &bytes).unwrap();
        let said = sweep(at, &format!("{SMALL} -o a.csv")).assert().success().get_output().stderr.clone();
        let said = String::from_utf8(said).unwrap();
        assert!(!said.contains("4 of 4 points"), "{said}");
        assert_eq!(fs::read_to_string(at.join("a.csv")).unwrap(), whole);
    }
    for place in [0, 20, head - 3] {
        fs::write(&journal, changed(place, right[place] ^ 1)).unwrap();
        let refused = sweep(at, &format!("{SMALL} -o a.csv")).assert().code(2).stdout_eq("");
        let error = String::from_utf8(refused.get_output().stderr.clone()).unwrap();
        assert!(error.contains("its first line is corrupt"), "{error}");
    }
}

#[test]
fn points_that_failed_are_tried_again() {
    let directory = directory();
    let at = directory.path();
    let sweep_to_file = format!("{SMALL} -o a.csv");
    printed(at, &sweep_to_file);
    let whole = fs::read_to_string(at.join("a.csv")).unwrap();
    // As if the first two points had not had the memory that they take.
    let journal = at.join("a.csv.journal");
    let kept = fs::read_to_string(&journal).unwrap();
    let form = zerohop_experiment::campaign::JournalFormat::of(kept.as_bytes()).unwrap();
    let failed = kept.lines().enumerate().map(|(rank, line)| {
        if rank == 1 || rank == 2 {
            let point: Value = serde_json::from_str(line.split_once(' ').unwrap().1).unwrap();
            let outcome = serde_json::json!({ "failed": { "reason": "no memory" } });
            form.line(point["rank"].as_u64().unwrap() as usize, &outcome).unwrap()
        } else {
            format!("{line}\n")
        }
    });
    fs::write(&journal, failed.collect::<String>()).unwrap();
    let assert = sweep(at, &sweep_to_file).assert().success();
    let said = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
    assert!(said.starts_with("2 of 4 points were already done\n"), "{said}");
    assert_eq!(fs::read_to_string(at.join("a.csv")).unwrap(), whole);
    // The journal tells both what failed and what came of it.
    assert_eq!(fs::read_to_string(&journal).unwrap().lines().count(), 1 + 4 + 2);
}

#[test]
fn another_question_does_not_go_into_the_same_file() {
    let directory = directory();
    printed(directory.path(), &format!("{SMALL} -o a.csv"));
    let before = fs::read_to_string(directory.path().join("a.csv")).unwrap();
    let more = SMALL.replace("fast,slow", "slow");
    sweep(directory.path(), &format!("{more} -o a.csv")).assert().code(2).stdout_eq("").stderr_eq(str![[
        r#"
error: `a.csv.journal` belongs to another sweep: the settings changed
hint: choose another file with -o, or remove this one to start over

"#
    ]]);
    // The same words mean something else when the machine's file has changed.
    let square = SQUARE.replacen("in_flight", "in_flight ", 1);
    fs::write(directory.path().join("square.toml"), square).unwrap();
    printed(directory.path(), &format!("{SMALL} -o a.csv"));
    let options = fs::read_to_string(directory.path().join("options.toml")).unwrap();
    fs::write(directory.path().join("options.toml"), options.replacen("2 GB/s", "3 GB/s", 1)).unwrap();
    let refused = sweep(directory.path(), &format!("{SMALL} -o a.csv")).assert().code(2);
    let error = String::from_utf8(refused.get_output().stderr.clone()).unwrap();
    assert!(error.contains("belongs to another sweep: the machine file changed"), "{error}");
    assert_eq!(fs::read_to_string(directory.path().join("a.csv")).unwrap(), before);
}

#[test]
fn files_have_the_form_that_their_name_says() {
    let directory = directory();
    for name in ["a.json", "a.csv", "a.parquet"] {
        printed(directory.path(), &format!("{SMALL} -o {name}"));
    }
    let json: Value =
        serde_json::from_str(&fs::read_to_string(directory.path().join("a.json")).unwrap()).unwrap();
    validator::check("sweep-result", &json);
    assert!(fs::read_to_string(directory.path().join("a.csv")).unwrap().starts_with("point,"));
    let parquet = fs::read(directory.path().join("a.parquet")).unwrap();
    assert!(parquet.starts_with(b"PAR1") && parquet.ends_with(b"PAR1"));
}

/// One value that contradicts the rest of the file ended the whole sweep in a panic.
#[test]
fn a_setting_that_contradicts_the_machine_is_a_row_that_failed() {
    let directory = directory();
    let some = "quartet --set home.k8.table=24,4 --experiment latency-matrix --solver flow -q";
    let page = sweep(directory.path(), some).assert().code(2);
    let page = String::from_utf8(page.get_output().stdout.clone()).unwrap();
    assert!(page.contains("  24 ") && page.contains("1 point: "), "{page}");
    assert!(page.contains("allows 24 requests, more than the table of 4"), "{page}");
    assert!(page.contains("latency-matrix"), "{page}");
    let none = "quartet --set home.k8.table=4,5 --experiment latency-matrix --solver flow";
    let error = sweep(directory.path(), none).assert().code(2);
    let error = String::from_utf8(error.get_output().stderr.clone()).unwrap();
    assert!(error.contains("allows 24 requests, more than the table of 4"), "{error}");
}
