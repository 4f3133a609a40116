//! Claims about a machine that is set one way and another.

use zerohop_document::FractionalBytes;
use zerohop_machine::NodeId;
use zerohop_machine_file::{
    Buffers, Control, Link, Networks, NodeMemory, Packets, PassesOn, Spread, WireParameters,
};
use zerohop_study::{Finding, Study, Verdict, reproduce};
use zerohop_units::{Bytes, GigabytesPerSecond, Nanoseconds};

use crate::bench::{hardware, results};

const STUDY: &str = r#"
name = "notes"
title = "Two threads"
machine = "square"
document = { title = "Notes", publisher = "Someone", number = "1", date = "2006" }

[run]
four = "crossfire --case local"
three = { command = "crossfire --case local", set = { links = "3", "core.k8.clock" = "3 GHz" } }

[place]
near = { at = { case = "near" } }
far = { at = { case = "far" } }
"in the middle" = { at = { case = "farther" } }

[[passage]]
id = "fig-1"
label = "Fig. 1"
about = "one after the other"
grade = "identity"
reason = "a test"
run = "four"
tolerance = "3 %"
"#;

fn study(claims: &str) -> Study {
    Study::parse("study.toml", &format!("{STUDY}{claims}")).unwrap_or_else(|error| panic!("{error}"))
}

/// All that the study names is claimed about.
const REST: &str =
    "order = [{ what = \"all\", ascending = [[\"near in three\"], [\"in the middle\", \"far\"]] }]\n";

#[test]
fn a_place_may_be_named_with_its_run() {
    let ratio =
        "ratio = [{ what = \"far\", of = \"far in four\", to = \"far in three\", published = \"133 %\" }]\n";
    let study = study(&format!("{ratio}{REST}"));
    assert_eq!(study.variants.len(), 2);
    assert_eq!(study.runs[1].variant, 1);
    let machine = hardware(&[]);
    let outcome =
        reproduce(&study, &results([4.0, 8.0, 9.0], [3.0, 6.0, 9.0]), &[&machine, &machine]).unwrap();
    let [ratio, order] = &outcome.passages[0].rows[..] else { panic!("{outcome:?}") };
    let Finding::Value { model, .. } = ratio.finding else { panic!("{ratio:?}") };
    assert!((model.get() - 400.0 / 3.0).abs() < 1e-9);
    assert_eq!(ratio.verdict, Verdict::Ok);
    assert_eq!(
        ratio.runs,
        ["crossfire --case local", "crossfire --case local --set 'core.k8.clock=3 GHz' --set links=3"]
    );
    // 3 of the second run lies below 9 and 8 of the first.
    assert_eq!(order.verdict, Verdict::Ok);
    let off = reproduce(&study, &results([4.0, 6.0, 9.0], [3.0, 6.0, 9.0]), &[&machine, &machine]).unwrap();
    assert_eq!(off.passages[0].rows[0].verdict, Verdict::Off);
}

#[test]
fn a_machine_is_needed_for_every_variant() {
    let study = study(REST);
    let machine = hardware(&[]);
    let error = reproduce(&study, &results([1.0; 3], [1.0; 3]), &[&machine]).unwrap_err().to_string();
    assert_eq!(error, "the study has 2 variants of its machine, but there are 1 machines");
}

#[test]
fn what_any_variant_was_fitted_to_is_fitted() {
    let study = study(REST);
    let (plain, fitted) = (hardware(&[]), hardware(&["notes/fig-1"]));
    let outcome = reproduce(&study, &results([1.0; 3], [1.0; 3]), &[&plain, &fitted]).unwrap();
    assert_eq!((outcome.totals.identity.claims, outcome.totals.fitted), (0, 1));
}

#[test]
fn a_peak_takes_no_run() {
    let peaks = r#"
peak = [
    { what = "both ways", link = "A-B", directions = 2, published = "40 GB/s", tolerance = "0 %" },
    { what = "one way, set", link = "A-B", set = { links = "3", "core.k8.clock" = "3 GHz" }, published = "21 GB/s" },
    { what = "memory", node = 0, published = "0 GB/s", tolerance = "0 %" },
]
"#;
    let study = study(&format!("{peaks}{REST}"));
    assert_eq!(study.variants.len(), 2, "a peak is of the same machine as a run with the same settings");
    let machine = |capacity: f64| {
        let mut machine = hardware(&[]);
        machine.links.push(Link {
            name: "A-B".to_owned(),
            ends: [0, 1],
            capacity: GigabytesPerSecond(capacity),
            back: None,
            kind: "A".to_owned(),
            wires: 1,
            buffers: Buffers { request: 1, write: 1, probe: 1, response: 1 },
            parameters: WireParameters {
                latency: Nanoseconds(1.0),
                passes_on: PassesOn::Head,
                control: Control::Waits,
                narrowing: None,
                networks: Networks::Shared,
                packets: Packets {
                    request: Bytes(8),
                    probe: Bytes(8),
                    response: Bytes(8),
                    data: Bytes(72),
                    write: Bytes(72),
                    credit: FractionalBytes(0.0),
                },
            },
        });
        machine.memories.push(NodeMemory {
            node: NodeId(0),
            homes: Vec::new(),
            home_spread: Spread::Interleaved(Bytes(64)),
            channels: Vec::new(),
            channel_spread: Spread::Interleaved(Bytes(64)),
            channels_of_home: Vec::new(),
            cache: None,
        });
        machine
    };
    let (one, other) = (machine(20.0), machine(15.0));
    let outcome = reproduce(&study, &results([1.0; 3], [1.0; 3]), &[&one, &other]).unwrap();
    let models: Vec<f64> = outcome.passages[0].rows[..3]
        .iter()
        .map(|row| match row.finding {
            Finding::Value { model, .. } => model.get(),
            _ => panic!("{row:?}"),
        })
        .collect();
    assert_eq!(models, [40.0, 15.0, 0.0]);
    assert_eq!(outcome.passages[0].rows[0].verdict, Verdict::Ok);
    assert_eq!(outcome.passages[0].rows[1].verdict, Verdict::Off);
    let bare = hardware(&[]);
    let error = reproduce(&study, &results([1.0; 3], [1.0; 3]), &[&bare, &bare]).unwrap_err();
    assert_eq!(error.to_string(), "Fig. 1 needs the peak of link A-B, which square does not have");
}

#[test]
fn peaks_and_places_that_are_none() {
    let wrong = [
        "peak = [{ what = \"all\", published = \"1 GB/s\" }]\n",
        "peak = [{ what = \"all\", node = 0, link = \"A-B\", published = \"1 GB/s\" }]\n",
        "peak = [{ what = \"all\", link = \"A-B\", directions = 3, published = \"1 GB/s\" }]\n",
        "ratio = [{ what = \"far\", of = \"far in five\", to = \"far\", published = \"1 %\" }]\n",
    ];
    let told: Vec<String> = wrong
        .iter()
        .map(|claims| Study::parse("study.toml", &format!("{STUDY}{claims}{REST}")).unwrap_err().to_string())
        .collect();
    insta::assert_snapshot!(told.join("\n\n"));
}
