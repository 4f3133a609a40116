//! Results name their run and their host.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::binary::zerohop;
use crate::validator;

/// The text of the result of one experiment.
fn result_of(folder: &Path, words: &[&str], variables: &[(&str, &str)]) -> String {
    let mut command =
        zerohop().current_dir(folder).args(["run", "hops", "--quiet", "-o", "a.json"]).args(words);
    for name in ["SLURMD_NODENAME", "NODE_NAME", "KUBERNETES_SERVICE_HOST"] {
        command = command.env_remove(name);
    }
    for (name, value) in variables {
        command = command.env(name, value);
    }
    command.assert().success();
    fs::read_to_string(folder.join("a.json")).unwrap()
}

/// A measurement that takes no time.
const SHORT: [&str; 8] = ["--nodes", "0", "--buffer", "16MiB", "--duration", "1ms", "--budget", "2s"];

#[test]
fn a_measured_result_names_its_run_its_start_and_its_host() {
    let folder = tempfile::tempdir().unwrap();
    let text = result_of(folder.path(), &SHORT, &[("SLURMD_NODENAME", "cn0007")]);
    let result: Value = serde_json::from_str(&text).unwrap();
    validator::check_result(&result);
    assert!(result["started_at"].as_str().unwrap().ends_with('Z'));
    let id = result["run"]["id"].as_str().unwrap();
    assert_eq!((id.len(), &id[14..15]), (36, "7"), "{id}");
    let host = &result["run"]["host"];
    assert_eq!(host["scheduler_node"], "cn0007");
    let name = fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
    assert_eq!(host["name"], name.trim());
    // Not every container has one.
    let Ok(machine_id) = fs::read_to_string("/etc/machine-id") else { return };
    let machine_id = machine_id.trim();
    if machine_id.len() == 32 {
        assert_eq!(host["machine_id"].as_str().unwrap().len(), 36);
        assert!(!text.replace('-', "").contains(machine_id), "the raw machine id is in the result");
    }
}

#[test]
fn two_measurements_of_one_host_are_two_runs() {
    let folder = tempfile::tempdir().unwrap();
    let run = || {
        let result: Value = serde_json::from_str(&result_of(folder.path(), &SHORT, &[])).unwrap();
        result["run"].clone()
    };
    let (one, other) = (run(), run());
    assert_ne!(one["id"], other["id"]);
    assert_eq!(one["host"], other["host"]);
}

/// What a model gives must not depend on when and where it runs.
#[test]
fn a_models_run_is_the_same_to_the_byte_and_another_one_has_another_name() {
    let folder = tempfile::tempdir().unwrap();
    let simulated = |more: &[&str], variables: &[(&str, &str)]| {
        let words = [&["--on", "quartet", "--solver", "flow"], more].concat();
        result_of(folder.path(), &words, variables)
    };
    let first = simulated(&[], &[]);
    assert_eq!(simulated(&[], &[("SLURMD_NODENAME", "cn0007")]), first);
    let run = |text: &str| serde_json::from_str::<Value>(text).unwrap()["run"].clone();
    assert_eq!(run(&first).as_object().unwrap().keys().collect::<Vec<_>>(), ["id"]);
    let others = simulated(&["--seed", "2"], &[]);
    assert_ne!(run(&others)["id"], run(&first)["id"]);
}
