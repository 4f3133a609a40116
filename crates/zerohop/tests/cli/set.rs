//! `--set`: options and numbers of described machines.

use std::fs;

use serde_json::Value;
use snapbox::str;
use tempfile::TempDir;

use crate::binary::zerohop;
use crate::folder::{OPTIONS, directory};
use crate::validator;

/// What `zerohop …` prints in that folder.
fn printed(directory: &TempDir, arguments: &[&str]) -> String {
    let command = zerohop().current_dir(directory.path()).args(arguments).arg("-q");
    String::from_utf8(command.assert().success().stderr_eq("").get_output().stdout.clone()).unwrap()
}

/// The first number of a run on the machine, and what its result says was set.
fn simulated(directory: &TempDir, set: &[&str]) -> (f64, Value) {
    let run =
        ["run", "hops", "--initiators", "0", "--targets", "1", "--on", "./options.toml", "--format", "json"];
    let text = printed(directory, &[&run, set].concat());
    let result: Value = serde_json::from_str(&text).unwrap();
    validator::check_result(&result);
    let settings = result["machine"].get("settings").cloned().unwrap_or_default();
    let cells = result["experiments"][0]["cells"].as_array().unwrap();
    let cell = cells.iter().find(|cell| cell["measure"] == "time_per_line_ns").unwrap();
    (cell["estimate"]["median"].as_f64().unwrap(), settings)
}

#[test]
fn what_is_set_is_simulated_and_told() {
    let directory = directory();
    let (plain, none) = simulated(&directory, &[]);
    assert_eq!(none, Value::Null);
    let (same, none) = simulated(&directory, &["--set", "speed=fast"]);
    assert_eq!((same, none), (plain, Value::Null), "that is what it is anyway");
    let (more, told) = simulated(&directory, &["--set", "core.k8.in_flight.strided=6"]);
    assert!(more < 0.8 * plain, "more lines in flight: {more} ns a line and {plain}");
    assert_eq!(told, serde_json::json!([{ "name": "core.k8.in_flight.strided", "value": "6" }]));
}

#[test]
fn a_result_is_drawn_on_the_machine_as_it_was_set() {
    let directory = directory();
    let run = "run hops --initiators 0 --on ./options.toml --set diagonal=0-3 --detail -o a.json";
    printed(&directory, &run.split(' ').collect::<Vec<_>>());
    let draw = |more: &[&str]| {
        let arguments = [&["machine", "draw", "./options.toml", "--load", "a.json"], more].concat();
        zerohop().current_dir(directory.path()).args(arguments).assert()
    };
    draw(&[]).success();
    draw(&["--set", "diagonal=1-2"]).code(2).stderr_eq(str![[r#"
error: cannot draw `a.json`: it is a result of options (diagonal=0-3), not options (diagonal=1-2)
hint: give the machine of the result, or omit the name

"#]]);
}

#[test]
fn check_tries_all_that_can_be_chosen() {
    let directory = directory();
    let page = printed(&directory, &["machine", "check", "options.toml"]);
    assert!(page.contains("all 15 combinations are valid, and the file rejects 3"), "{page}");
    let text =
        OPTIONS.replace("square", "./square.toml").replace("capacity = \"2 GB/s\"", "capacty = \"2 GB/s\"");
    fs::write(directory.path().join("wrong.toml"), text).unwrap();
    zerohop()
        .current_dir(directory.path())
        .args(["machine", "check", "wrong.toml"])
        .assert()
        .code(2)
        .stderr_eq(str![[r#"
error: `wire.ht1000` has no key `capacty` (with speed=slow)
...
   = hint: did you mean `capacity`?

"#]]);
}

#[test]
fn what_is_exported_is_set_for_good() {
    let directory = directory();
    let set = ["--set", "diagonal=1-2", "--set", "home.k8.latency=12ns"];
    let export = [&["machine", "export", "options.toml", "--format", "toml"][..], &set].concat();
    fs::write(directory.path().join("mine.toml"), printed(&directory, &export)).unwrap();
    let show = printed(&directory, &["machine", "show", "mine.toml"]);
    assert!(show.contains("1-2") && show.contains("here 1-2"), "{show}");
}

#[test]
fn what_cannot_be_set_is_refused() {
    let directory = directory();
    let refused = |arguments: &[&str]| {
        let assert = zerohop().current_dir(directory.path()).args(arguments).assert().code(2).stdout_eq("");
        String::from_utf8(assert.get_output().stderr.clone()).unwrap()
    };
    let run = ["run", "hops", "--on", "options.toml"];
    let on = |set: &[&str]| refused(&[&run, set].concat());
    assert!(on(&["--set", "sped=slow"]).contains("did you mean `speed`?"));
    assert!(
        on(&["--set", "speed=slow", "--set", "channels=4"])
            .contains("four channels would wait for the links")
    );
    assert!(on(&["--set", "speed=slow", "--set", "speed=fast"]).contains("`speed` is set twice"));
    assert!(on(&["--set", "speed"]).contains("expected NAME=VALUE"));
    let host = refused(&["run", "hops", "--set", "speed=slow"]);
    assert!(host.contains("needs a simulated machine") && host.contains("hint: "), "{host}");
    assert!(refused(&["machine", "show", "--set", "speed=slow"]).contains("needs a simulated machine"));
    assert!(refused(&["survey", "--set", "speed=slow"]).contains("needs a simulated machine"));
}

/// It ended in a panic.
#[test]
fn a_setting_that_names_what_is_not_there_is_shown() {
    let show = |set: &str| {
        let assert =
            zerohop().args(["machine", "show", "quartet", "--set", set]).assert().code(2).stdout_eq("");
        String::from_utf8(assert.get_output().stderr.clone()).unwrap()
    };
    let error = show("link.0-1.wire=ht800");
    assert!(error.contains("no kind of link `ht800`") && error.contains("hint: "), "{error}");
    let error = show("home.k8.table=4");
    assert!(error.contains("(with home.k8.table=4)") && error.contains("hint: "), "{error}");
    let error = show("home.k8.source=nowhere");
    assert!(error.contains("cannot be set") && error.contains("hint: "), "{error}");
}

/// `--set links=2,3,4,5` on a machine of three or four links gave nothing at all.
#[test]
fn a_value_that_cannot_be_costs_its_point_and_no_other() {
    let directory = directory();
    let arguments = "sweep options.toml --set speed=quick,slow,fast --experiment hops --solver flow -q";
    let sweep = zerohop().current_dir(directory.path()).args(arguments.split(' ')).assert().code(2);
    let output = sweep.get_output().stdout.clone();
    let page = String::from_utf8(output).unwrap();
    assert!(page.contains("`speed` cannot be `quick`"), "{page}");
    let values = |speed: &str| page.lines().any(|line| line.contains(speed) && line.contains('.'));
    assert!(values("slow") && values("fast"), "{page}");
}
