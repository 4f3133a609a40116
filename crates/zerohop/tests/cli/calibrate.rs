//! Models fitted to results.

use std::fs;

use serde_json::Value;

use crate::binary::zerohop;

/// The output of MLC on two sockets, as a result.
const MLC: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../importers/tests/inputs/mlc-full.txt");

#[test]
fn imported_results_calibrate_a_template() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (result, machine) = (path("mlc.json"), path("box.toml"));
    zerohop().args(["import", MLC, "--quiet", "-o", &result]).assert().success();
    let template = "xeon-cascade-lake,cores=18";
    let calibrate = ["calibrate", &result, "--machine", template, "-o", &machine];
    let page = zerohop().args(calibrate).assert().success();
    let page = String::from_utf8(page.get_output().stdout.clone()).unwrap();
    assert!(page.contains("wire.socket.latency") && page.contains("held out"), "{page}");
    // The fitted machine is as the result says, and says where that comes from.
    let show = ["run", "latency-matrix", "--on", &machine, "--solver", "flow", "--format", "csv", "--quiet"];
    let rows = zerohop().args(show).assert().success();
    let rows = String::from_utf8(rows.get_output().stdout.clone()).unwrap();
    let mut lines = rows.lines();
    let column = lines.next().unwrap().split(',').position(|head| head == "median").unwrap();
    let values: Vec<f64> = lines.map(|line| line.split(',').nth(column).unwrap().parse().unwrap()).collect();
    for (value, measured) in values.iter().zip([101.5, 171.2, 172.6, 102.3]) {
        assert!((value / measured - 1.0).abs() < 0.02, "{value} instead of {measured}");
    }
    assert!(fs::read_to_string(&machine).unwrap().contains("measured: fitted to a result, imported from"));
}

#[test]
fn a_result_that_names_no_processor_needs_a_machine_to_begin_with() {
    let folder = tempfile::tempdir().unwrap();
    let result = folder.path().join("mlc.json").display().to_string();
    zerohop().args(["import", MLC, "--quiet", "-o", &result]).assert().success();
    let refused = zerohop().args(["calibrate", &result]).assert().code(2);
    let message = String::from_utf8(refused.get_output().stderr.clone()).unwrap();
    assert!(
        message.contains("processor is unknown")
            && message.contains("hint: give the initial model with --machine"),
        "{message}"
    );
}

/// The survey of a template's model names the template, and no processor on the market.
#[test]
fn a_survey_of_a_model_begins_with_the_template_that_it_names() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (result, machine) = (path("latencies.json"), path("box.toml"));
    let on = "xeon-cascade-lake,cores=4,channels=2";
    let run = ["run", "latency-matrix", "--on", on, "--solver", "flow", "--quiet", "-o", &result];
    zerohop().args(run).assert().success();
    let page = zerohop().args(["calibrate", &result, "-o", &machine]).assert().success();
    let page = String::from_utf8(page.get_output().stdout.clone()).unwrap();
    assert!(page.contains("core.core.to_router"), "{page}");
    let new = zerohop().args(["machine", "new", "--from", &result]).assert().success();
    let new = String::from_utf8(new.get_output().stdout.clone()).unwrap();
    assert!(new.contains("2 sockets of 4 cores and 2 channels of DDR4"), "{new}");
}

#[test]
fn a_value_that_does_not_fit_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let result = folder.path().join("latencies.json").display().to_string();
    let on = "xeon-cascade-lake,sockets=4,cores=4";
    let run = ["run", "latency-matrix", "--on", on, "--solver", "flow", "--quiet", "-o", &result];
    zerohop().args(run).assert().success();
    let mut file: Value = serde_json::from_str(&fs::read_to_string(&result).unwrap()).unwrap();
    for cell in file["experiments"][0]["cells"].as_array_mut().unwrap() {
        if cell["at"]["initiator"] == 0 && cell["at"]["target"] == 3 {
            for value in cell["estimate"].as_object_mut().unwrap().values_mut().filter(|value| value.is_f64())
            {
                *value = (value.as_f64().unwrap() * 1.3).into();
            }
        }
    }
    fs::write(&result, file.to_string()).unwrap();
    let page = zerohop().args(["calibrate", &result, "--solver", "flow"]).assert().success();
    let page = String::from_utf8(page.get_output().stdout.clone()).unwrap();
    let named = page.lines().any(|line| {
        line.contains("does not fit: latency-matrix, node 0, node 3: ") && line.contains("+30 %")
    });
    assert!(named, "{page}");
}

/// A machine with other nodes and cores was fitted without a word, and the page claimed errors of 0 %.
#[test]
fn a_result_of_another_machine_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let result = folder.path().join("quartet.json").display().to_string();
    let run = ["run", "latency-matrix", "--on", "quartet", "--solver", "flow", "--quiet", "-o", &result];
    zerohop().args(run).assert().success();
    let page = zerohop().args(["calibrate", &result, "--machine", "xeon-skylake,cores=4"]).assert().success();
    let page = String::from_utf8(page.get_output().stdout.clone()).unwrap();
    for words in
        ["the result has 4 nodes, but the stated machine has 2", "4 packages, but the stated machine has 2"]
    {
        assert!(page.contains(words), "{words}: {page}");
    }
    let page = zerohop().args(["calibrate", &result, "--machine", "quartet"]).assert().success();
    let page = String::from_utf8(page.get_output().stdout.clone()).unwrap();
    assert!(!page.contains("the stated machine"), "{page}");
}
