//! `zerohop doctor`, on this host and on captured machines.

use serde_json::Value;

use crate::binary::{machines, zerohop};

fn of_capture(name: &str) -> String {
    let path = machines().join(format!("{name}.json"));
    let run = zerohop().arg("--sysfs-root").arg(path).arg("doctor").assert().success();
    String::from_utf8(run.get_output().stdout.clone()).unwrap()
}

#[test]
fn this_host_is_examined_and_what_costs_something_has_a_cure() {
    let run = zerohop().args(["doctor", "--format", "json"]).assert().success();
    let report: Value = serde_json::from_slice(&run.get_output().stdout).unwrap();
    assert_eq!(report["live"], true);
    let checks = report["checks"].as_array().unwrap();
    let whats: Vec<&str> = checks.iter().map(|check| check["what"].as_str().unwrap()).collect();
    for what in ["nodes", "CPUs allowed", "DIMMs", "virtual machine", "clock", "counters", "prefetchers"] {
        assert!(whats.contains(&what), "no {what} in {whats:?}");
    }
    for check in checks {
        let costs = check["standing"] != "fine";
        assert_eq!((check.get("cost").is_some(), check.get("cure").is_some()), (costs, costs), "{check}");
    }
    let page = zerohop().arg("doctor").assert().success();
    let page = String::from_utf8_lossy(&page.get_output().stdout).into_owned();
    assert!(page.starts_with("what ") && page.contains("CPUs allowed"), "{page}");
}

#[test]
fn a_captured_machine_is_judged_by_its_files() {
    let page = of_capture("offline-pus");
    assert!(page.contains("sudo chcpu --enable "), "{page}");
    assert!(page.contains("read from a copy of its files"), "{page}");
    let page = of_capture("one-pu-allowed");
    assert!(page.contains("CPUs allowed") && page.contains("--cpuset-cpus"), "{page}");
}

#[test]
fn a_ticket_is_written_in_markdown() {
    let path = machines().join("offline-pus.json");
    let run = zerohop().arg("--sysfs-root").arg(path).args(["doctor", "--format", "markdown"]).assert();
    let page = String::from_utf8(run.success().get_output().stdout.clone()).unwrap();
    assert!(page.starts_with("# What ") && page.contains("\n```text\nsudo chcpu --enable "), "{page}");
    assert!(page.contains("\nread from a copy of its files"), "{page}");
}
