//! Dumps of firmware settings as vendors' tools print them, with values of our own: what is known of each.

use std::fs;
use std::path::Path;

use zerohop_advise::settings::{BiosState, Dump, Facts, Goal, WorkloadKind, differences};

fn inputs() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/inputs");
    let mut inputs: Vec<(String, String)> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            (path.file_name().unwrap().display().to_string(), fs::read_to_string(path).unwrap())
        })
        .collect();
    inputs.sort();
    inputs
}

fn input(name: &str) -> (Dump, BiosState) {
    let (_, text) = inputs().into_iter().find(|(known, _)| known == name).unwrap();
    let dump = Dump::read(&text).unwrap();
    let state = BiosState::of(name, &dump);
    (dump, state)
}

/// Ids and values of what decides how fast memory is.
fn values(name: &str) -> (Option<String>, Vec<(String, Option<String>)>) {
    let (_, state) = input(name);
    (state.vendor, state.settings.into_iter().map(|one| (one.kind, one.value)).collect())
}

fn expect(name: &str, vendor: &str, wanted: &[(&str, Option<&str>)]) {
    let (found, values) = values(name);
    assert_eq!(found.as_deref(), Some(vendor), "{name}");
    let values: Vec<_> = values.iter().map(|(kind, value)| (kind.as_str(), value.as_deref())).collect();
    assert_eq!(values, wanted, "{name}");
}

#[test]
fn every_vendor_s_dump_is_understood() {
    expect(
        "lenovo-redfish.json",
        "lenovo",
        &[
            ("nps", Some("1")),
            ("llc-as-numa", Some("off")),
            ("memory-speed", Some("maximum")),
            ("channel-interleaving", Some("on")),
            ("operating-mode", Some("maximum-efficiency")),
            ("fabric-p-state", Some("auto")),
            ("fabric-c-state", Some("on")),
        ],
    );
    expect(
        "lenovo-onecli.txt",
        "lenovo",
        &[
            ("xgmi-speed", Some("16")),
            ("xgmi-speed", Some("16")),
            ("xgmi-max-width", Some("x8")),
            ("xgmi-force-width", Some("auto")),
            ("memory-speed", Some("maximum")),
            ("operating-mode", Some("custom")),
        ],
    );
    expect(
        "dell-racadm.txt",
        "dell",
        &[("nps", Some("1")), ("llc-as-numa", Some("off")), ("operating-mode", Some("maximum-efficiency"))],
    );
    expect(
        "dell-profile.json",
        "dell",
        &[
            ("nps", Some("1")),
            ("xgmi-force-width", Some("auto")),
            ("operating-mode", Some("maximum-performance")),
            ("fabric-p-state", Some("auto")),
        ],
    );
    expect(
        "hpe-redfish.json",
        "hpe",
        &[
            ("nps", None),
            ("llc-as-numa", Some("off")),
            ("xgmi-speed", None),
            ("xgmi-force-width", Some("auto")),
            ("fabric-p-state", Some("auto")),
            ("fabric-c-state", Some("auto")),
        ],
    );
    expect(
        "supermicro-redfish.json",
        "supermicro",
        &[
            ("nps", Some("4")),
            ("llc-as-numa", None),
            ("channel-interleaving", Some("auto")),
            ("fabric-p-state", Some("auto")),
            ("fabric-c-state", Some("auto")),
        ],
    );
    expect(
        "dell.csv",
        "dell",
        &[
            ("node-interleaving", Some("on")),
            ("snc", Some("off")),
            ("upi-prefetch", Some("on")),
            ("uncore-frequency", Some("auto")),
        ],
    );
}

/// Of all these, the interleaving of channels alone was known.
#[test]
fn settings_of_proliants_with_xeons_are_known() {
    expect(
        "hpe-gen10.json",
        "hpe",
        &[
            ("hardware-prefetchers", Some("off")),
            ("adjacent-prefetch", Some("off")),
            ("l1-stream-prefetch", Some("off")),
            ("l1-ip-prefetch", Some("on")),
            ("memory-protection", Some("adddc")),
            ("refresh-rate", Some("normal")),
            ("power-regulator", Some("os-control")),
            ("idle-states", Some("c6")),
            ("package-idle-state", Some("none")),
            ("energy-bias", Some("balanced-power")),
            ("collaborative-power", Some("on")),
            ("power-capping", Some("on")),
            ("turbo", Some("on")),
            ("smt", Some("off")),
            ("memory-speed", None),
        ],
    );
    expect(
        "hp-gen9.json",
        "hpe",
        &[
            ("node-interleaving", Some("on")),
            ("upi-speed", Some("minimum")),
            ("upi-links", Some("one")),
            ("upi-power", Some("off")),
            ("qpi-snoop", Some("early")),
            ("qpi-directory", Some("on")),
            ("qpi-bandwidth", Some("devices")),
            ("power-regulator", Some("static-low")),
            ("idle-states", Some("none")),
            ("memory-speed", Some("maximum")),
        ],
    );
}

/// Names that vendors share come from the same firmware, whoever has most of a report's names.
#[test]
fn a_report_has_the_names_of_several_vendors() {
    let (_, state) = input("platform-report.json");
    let found: Vec<_> =
        state.settings.iter().map(|one| (one.kind.as_str(), one.value.as_deref().unwrap_or("?"))).collect();
    for wanted in [
        ("nps", "4"),
        ("smt", "off"),
        ("l1-stream-prefetch", "off"),
        ("hardware-prefetchers", "on"),
        ("determinism", "performance"),
    ] {
        assert!(found.contains(&wanted), "{wanted:?} is not among {found:?}");
    }
}

#[test]
fn a_pending_value_is_shown_beside_the_present_one() {
    let (_, state) = input("dell-racadm.txt");
    assert_eq!(state.settings[0].pending.as_deref(), Some("4"));
}

#[test]
fn a_dump_differs_from_itself_in_nothing() {
    for (name, text) in inputs() {
        let dump = Dump::read(&text).unwrap();
        let mut state = BiosState::of(&name, &dump);
        state.recommend(Goal::Latency, WorkloadKind::Mixed, &[], &Facts::default());
        assert!(differences((&dump, &state), (&dump, &state)).is_empty(), "{name}");
    }
}
