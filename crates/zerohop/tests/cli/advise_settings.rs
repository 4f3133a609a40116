//! `zerohop advise settings`: what documents recommend for their machines comes out for them, and why.

use std::fs;

use serde_json::Value;

use crate::binary::zerohop;

/// The advice on a machine, as JSON.
fn advice(arguments: &[&str]) -> Value {
    let run = zerohop().args(["advise", "settings", "--format", "json"]).args(arguments).assert().success();
    serde_json::from_slice(&run.get_output().stdout).unwrap()
}

/// The page about a machine.
fn page(arguments: &[&str]) -> String {
    let run = zerohop().args(["advise", "settings"]).args(arguments).assert().success();
    String::from_utf8(run.get_output().stdout.clone()).unwrap()
}

/// How a change stands, and what it is worth in percent.
#[track_caller]
fn change<'a>(advice: &'a Value, kind: &str, to: &str) -> (&'a str, f64) {
    let changes = advice["changes"].as_array().unwrap();
    let found = changes.iter().find(|change| change["kind"] == kind && change["to"] == to);
    let found = found.unwrap_or_else(|| panic!("no change of {kind} to {to}: {changes:#?}"));
    (found["standing"].as_str().unwrap(), found["effect"]["percent"].as_f64().unwrap_or(f64::NAN))
}

/// The kinds and values that are worth changing, the best first.
fn gains(advice: &Value) -> Vec<(&str, &str)> {
    let changes = advice["changes"].as_array().unwrap().iter();
    changes
        .filter(|change| change["standing"] == "gain")
        .map(|change| (change["kind"].as_str().unwrap(), change["to"].as_str().unwrap()))
        .collect()
}

/// IBM's story: the menu changes nothing, each of the three new register values cures the collapse.
#[test]
fn ibm_s_register_cures_the_collapse_and_its_menu_does_not() {
    let advice = advice(&["cascade-lake-4s", "--workload", "numa-unaware"]);
    for value in ["x", "y", "z"] {
        let (standing, percent) = change(&advice, "threshold-register", value);
        assert!(standing == "gain" && percent > 50.0, "{value}: {standing}, {percent} %");
    }
    for value in ["low", "medium", "high"] {
        assert_eq!(change_or_none(&advice, "local-remote-threshold", value), "same or absent");
    }
    let text = advice.to_string();
    assert!(text.contains("balanced"), "IBM's preference of Y, with why");
    assert!(text.contains("newer BIOS"), "no menu leads there");
}

/// `same or absent`, unless a change makes a difference.
fn change_or_none(advice: &Value, kind: &str, to: &str) -> String {
    let changes = advice["changes"].as_array().unwrap();
    match changes.iter().find(|change| change["kind"] == kind && change["to"] == to) {
        Some(change) if change["standing"] != "same" => change["standing"].to_string(),
        _ => "same or absent".to_owned(),
    }
}

/// The laboratory's story: with all data on one node, node interleaving gives several times the bandwidth.
#[test]
fn the_laboratory_s_node_interleaving_is_the_first_advice_for_programs_that_do_not_place_data() {
    let unaware = advice(&["opteron-6274-4s", "--workload", "numa-unaware"]);
    let found = change(&unaware, "node-interleaving", "on");
    let one = &unaware["changes"][0]["probes"]["one thread's data"]["percent"];
    assert_eq!(found.0, "gain", "{unaware:#}");
    assert!(one.as_f64().unwrap() > 200.0, "first touch by one thread: {one} %");
    assert!(unaware.to_string().contains("numactl --interleave=all"), "the milder cure");
    assert!(unaware.to_string().contains("Advanced Chipset Control"), "the board's menu");
}

/// AMD's advice: keep data local; interleave last.
#[test]
fn amd_keeps_nodes_apart_for_programs_that_place_their_data() {
    for machine in ["quartet", "opteron-6274-4s"] {
        let aware = advice(&[machine, "--workload", "numa-aware"]);
        assert_eq!(change(&aware, "node-interleaving", "on").0, "loss", "{machine}");
        let back = advice(&[machine, "--set", "node_interleaving=on", "--workload", "numa-aware"]);
        assert_eq!(gains(&back).first(), Some(&("node-interleaving", "off")), "{machine}");
        assert!(back.to_string().contains("interleave only data that is really shared"), "{machine}");
    }
}

/// Lenovo's advice: NUMA-unaware programs need the links at full speed and width.
#[test]
fn lenovo_s_links_run_at_full_speed_for_programs_that_do_not_place_data() {
    let slow = ["sr665-v3", "--set", "speed=16", "--set", "width=x8", "--set", "links=3"];
    let unaware = advice(&[&slow[..], &["--workload", "numa-unaware"]].concat());
    for (kind, to) in [("xgmi-speed", "32"), ("xgmi-max-width", "x16"), ("xgmi-links", "4")] {
        assert_eq!(change(&unaware, kind, to).0, "gain", "{kind}");
    }
    assert!(unaware["together"]["effect"]["percent"].as_f64().unwrap() > 0.0);
    let text = unaware.to_string();
    assert!(
        text.contains("onecli config set Processors.3-LinkxGMIMaxSpeed \\\\\\\"32Gbps\\\\\\\"")
            || text.contains("Processors.3-LinkxGMIMaxSpeed"),
        "{text}"
    );
    assert!(text.contains("Operating Mode must be `custom`"), "{text}");
    assert!(text.contains("SC17B23935"), "the cable of the fourth link");
}

/// The trap: a preset for efficiency slows the links without anyone having chosen that.
#[test]
fn the_efficiency_preset_s_slow_links_are_found() {
    let preset = ["sr665-v3", "--set", "mode=maximum-efficiency", "--workload", "numa-unaware"];
    let advice = advice(&preset);
    assert_eq!(change(&advice, "operating-mode", "maximum-performance").0, "gain");
    assert_eq!(change(&advice, "xgmi-speed", "32").0, "gain");
}

/// Lenovo's other advice: NUMA-aware programs lose nothing with slower links, which save power.
#[test]
fn slower_links_cost_programs_that_place_their_data_nothing() {
    let power = advice(&["sr665-v3", "--goal", "power", "--workload", "numa-aware"]);
    for (kind, to) in [("xgmi-speed", "16"), ("xgmi-max-width", "x4")] {
        let (standing, percent) = change(&power, kind, to);
        assert!(standing == "same" && percent.abs() < 1.0, "{kind}: {standing}, {percent} %");
    }
    let unaware = advice(&["sr665-v3", "--goal", "power", "--workload", "numa-unaware"]);
    assert_eq!(change(&unaware, "xgmi-speed", "16").0, "loss");
}

/// McCalpin's tables: local memory is nearest with four clusters.
#[test]
fn a_xeon_phi_s_clusters_are_nearest() {
    let set = ["xeon-phi-7250", "--set", "cluster=all-to-all", "--goal", "latency"];
    let advice = advice(&[&set[..], &["--workload", "numa-aware"]].concat());
    assert_eq!(gains(&advice).first(), Some(&("cluster-mode", "snc4")), "{advice:#}");
    assert!(advice["changes"][0]["recommended_by"].to_string().contains("McCalpin"));
}

#[test]
fn a_machine_from_a_spec_sheet_is_advised_and_says_what_was_assumed() {
    let advice = advice(&[
        "epyc-9004,links=4",
        "--set",
        "link_rate=16 GT/s",
        "--vendor",
        "dell",
        "--workload",
        "numa-unaware",
    ]);
    assert_eq!(change(&advice, "xgmi-speed", "32").0, "gain");
    let notes = advice["notes"].to_string();
    assert!(notes.contains("assumed:"), "{notes}");
}

#[test]
fn a_dump_is_read_and_judged() {
    let folder = tempfile::tempdir().unwrap();
    let bad = folder.path().join("bad.txt");
    let good = folder.path().join("good.json");
    fs::write(&bad, "onecli\nOperatingModes.ChooseOperatingMode=Maximum Efficiency\nProcessors.4-LinkxGMIMaxSpeed=Minimum\nProcessors.xGMIForceLinkWidth=Auto\nMemory.MemorySpeed=Maximum\n").unwrap();
    fs::write(&good, r#"{"Attributes": {"OperatingModes_ChooseOperatingMode": "CustomMode", "Memory_MemorySpeed": "Maximum", "Memory_NUMANodesperSocket": "NPS1"}}"#).unwrap();
    let (bad, good) = (bad.to_str().unwrap(), good.to_str().unwrap());
    let one = page(&["--bios", bad, "--workload", "numa-unaware"]);
    assert!(one.contains("Lenovo ThinkSystem") && one.contains("Minimum (16)"), "{one}");
    assert!(one.contains("onecli config set Processors.4-LinkxGMIMaxSpeed \"32Gbps\""), "{one}");
    let both = page(&["--bios", good, "--bios", bad]);
    assert!(both.contains("what differs") && both.contains("absent"), "{both}");
    let same = page(&["--bios", good, "--bios", good]);
    assert!(same.contains("same settings with the same values"), "{same}");
    let with_model =
        page(&["sr665-v3", "--set", "mode=maximum-efficiency", "--bios", bad, "--workload", "numa-unaware"]);
    assert!(with_model.contains("the model of the machine: +"), "{with_model}");
}

/// A Xeon was advised on the clock of EPYC's fabric, by a dump of an EPYC's firmware.
#[test]
fn a_dump_of_another_machine_is_named_and_not_advised_on() {
    let folder = tempfile::tempdir().unwrap();
    let dump = folder.path().join("epyc.json");
    fs::write(&dump, r#"{"Attributes": {"NUMANodesPerSocket_703E": "NPS1", "APBDIS_00F6": "Auto"}}"#)
        .unwrap();
    let dump = dump.to_str().unwrap();
    let other = page(&["cascade-lake-4s", "--bios", dump]);
    assert!(other.contains("seems to be from another machine"), "{other}");
    assert!(!other.contains("Fabric P-state"), "{other}");
    let own = page(&["sr665-v3", "--bios", dump]);
    assert!(own.contains("Fabric P-state") && !own.contains("another machine's"), "{own}");
}

#[test]
fn this_host_s_kernel_settings_are_read() {
    let advice = advice(&[]);
    let system = advice["system"].as_array().unwrap();
    assert!(system.iter().any(|one| one["kind"] == "kernel-numa"), "{advice:#}");
    for one in system {
        let is_advice = one.get("recommended").is_some();
        assert_eq!(is_advice, one.get("commands").is_some(), "{one:#}");
    }
}

#[test]
fn what_cannot_be_advised_on_is_refused() {
    let refused = |arguments: &[&str]| {
        let run = zerohop().args(["advise", "settings"]).args(arguments).assert().code(2);
        String::from_utf8(run.get_output().stderr.clone()).unwrap()
    };
    assert!(refused(&["no-such-machine"]).contains("hint:"));
    assert!(refused(&["--bios", "/nowhere"]).contains("/nowhere"));
    assert!(refused(&["sr665-v3", "--set", "speed=17"]).contains("17"));
    assert!(refused(&["sr665-v3", "--goal", "beauty"]).contains("bandwidth"));
    assert!(refused(&["--bios", "a", "--bios", "b", "--bios", "c"]).contains("two dumps at a time"));
    let folder = tempfile::tempdir().unwrap();
    let prose = folder.path().join("prose.txt");
    fs::write(&prose, "the quick brown fox\n").unwrap();
    assert!(refused(&["--bios", prose.to_str().unwrap()]).contains("no BIOS settings"));
}

/// Lenovo's advice on the width of links: a forced one ends their jitter, and overrides the maximum.
#[test]
fn lenovo_s_forced_width_ends_jitter_and_overrides_the_maximum() {
    let dynamic = ["sr665-v3", "--set", "width_management=dynamic", "--goal", "latency"];
    let unaware = advice(&[&dynamic[..], &["--workload", "numa-unaware"]].concat()).to_string();
    assert!(unaware.contains("eliminates the latency jitter"), "{unaware}");
    assert!(unaware.contains("not in the F1 setup: OneCLI only"), "{unaware}");
    let narrow = ["sr665-v3", "--set", "width=x8", "--workload", "numa-unaware"];
    let narrow = advice(&narrow).to_string();
    assert!(narrow.contains("ignored unless xGMI Force Link Width is Auto"), "{narrow}");
}

/// Lenovo's summary: programs that place their data do not need the fourth link.
#[test]
fn lenovo_s_three_links_are_enough_for_programs_that_place_their_data() {
    let aware = advice(&["sr665-v3", "--workload", "numa-aware"]);
    let (standing, percent) = change(&aware, "xgmi-links", "3");
    assert!(standing == "same" && percent.abs() < 1.0, "{standing}, {percent} %");
    let unaware = advice(&["sr665-v3", "--workload", "numa-unaware"]);
    assert_eq!(change(&unaware, "xgmi-links", "3").0, "loss");
}

/// McCalpin's other advice: shorter ways than all-to-all without more nodes.
#[test]
#[ignore = "long: simulates 68 cores with each setting"]
fn a_xeon_phi_s_quadrants_are_for_programs_that_do_not_place_data() {
    let set = ["xeon-phi-7250", "--set", "cluster=all-to-all", "--workload", "numa-unaware"];
    let advice = advice(&set);
    let found = advice["changes"].as_array().unwrap().iter();
    let quadrant =
        found.clone().find(|change| change["kind"] == "cluster-mode" && change["to"] == "quadrant");
    let quadrant = quadrant.unwrap_or_else(|| panic!("{advice:#}"));
    assert_ne!(quadrant["standing"], "loss", "{quadrant:#}");
    assert!(quadrant["recommended_by"].to_string().contains("shorter paths than All-to-All"), "{quadrant:#}");
}
