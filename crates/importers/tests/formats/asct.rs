//! ASCT's text, CSV and JSON.

use zerohop_importers::{Hints, ImportError, import};
use zerohop_result::{Axis, Coordinate, Measure};
use zerohop_units::Hertz;

use crate::inputs::*;

fn loaded(nops: u64) -> [(Axis, Coordinate); 4] {
    [
        (Axis::Initiator, number(0)),
        (Axis::Target, word("local")),
        (Axis::Delay, number(nops)),
        (Axis::Load, word("machine")),
    ]
}

fn mix(name: &str) -> [(Axis, Coordinate); 3] {
    [(Axis::Initiator, word("all")), (Axis::Target, word("local")), (Axis::Mix, word(name))]
}

#[test]
fn a_whole_run_has_all_its_tables() {
    let file = only("asct.txt", "asct");
    let all = [
        "cache-latency",
        "latency-matrix",
        "mixes",
        "bandwidth-matrix",
        "cache-bandwidth",
        "loaded-latency",
        "cache-to-cache",
    ];
    assert_eq!(names(&file), all);
    assert_eq!(value(&file, "latency-matrix", Measure::Latency, &between(0, 1)), 261.5);
    assert_eq!(value(&file, "bandwidth-matrix", Measure::Bandwidth, &between(1, 0)), 80.5);
    assert_eq!(value(&file, "mixes", Measure::Bandwidth, &mix("all_reads")), 921.3);
    assert_eq!(value(&file, "mixes", Measure::Bandwidth, &mix("2:1")), 858.5);
    assert_eq!(value(&file, "mixes", Measure::Bandwidth, &mix("2:1_nt")), 651.5);
    assert_eq!(value(&file, "loaded-latency", Measure::Latency, &loaded(50)), 157.5);
    assert_eq!(value(&file, "loaded-latency", Measure::Bandwidth, &loaded(0)), 919.5);
    let memory = [(Axis::Level, word("memory"))];
    assert_eq!(value(&file, "cache-latency", Measure::Latency, &memory), 111.3);
    assert_eq!(value(&file, "cache-bandwidth", Measure::Bandwidth, &memory), 37.5);
    let far = [(Axis::Initiator, number(1)), (Axis::Target, number(0)), (Axis::Placement, word("own_node"))];
    assert_eq!(value(&file, "cache-to-cache", Measure::Latency, &far), 153.5);
    assert!(imported("asct.txt")[0].unread.is_empty());
    let said = warnings(&file).join("\n");
    assert!(said.contains("injected NOPs") && said.contains("scaled to all CPUs"), "{said}");
    let report = warnings(&only("peak-bandwidth.csv", "asct")).join("\n");
    assert!(!report.contains("multiplied"), "nothing shows a second node: {report}");
}

#[test]
fn csv_files_and_the_report_say_the_same() {
    for name in ["idle-latency.csv", "asct-report.json"] {
        let file = only(name, "asct");
        // Columns are the nodes of the memory in both, though the report lists them first.
        assert_eq!(value(&file, "latency-matrix", Measure::Latency, &between(0, 1)), 261.57, "{name}");
        assert_eq!(value(&file, "latency-matrix", Measure::Latency, &between(1, 0)), 262.51, "{name}");
    }
    for name in ["peak-bandwidth.csv", "asct-report.json"] {
        let file = only(name, "asct");
        assert_eq!(value(&file, "mixes", Measure::Bandwidth, &mix("3:1")), 866.54, "{name}");
    }
    let report = only("asct-report.json", "asct");
    assert_eq!(value(&report, "loaded-latency", Measure::Latency, &loaded(0)), 304.55);
    let memory = [(Axis::Level, word("memory"))];
    assert_eq!(value(&report, "cache-latency", Measure::Latency, &memory), 111.35);
}

#[test]
fn a_pair_of_cores_counts_once_with_memory_on_the_first_core_s_node() {
    let file = only("c2c-latency.csv", "asct");
    let pair = |from, to| [(Axis::From, number(from)), (Axis::To, number(to))];
    assert_eq!(value(&file, "core-to-core", Measure::Latency, &pair(0, 1)), 31.51);
    assert_eq!(value(&file, "core-to-core", Measure::Latency, &pair(2, 0)), 153.55);
    assert!(warnings(&file).join("\n").contains("1 transfers of lines whose memory is on another node"));
}

#[test]
fn cycles_need_a_clock() {
    let text = "Latencies of random memory access at idle (cycle)\n---\n        Node 0 Node 1\nNode 0  280.0  560.0\nNode 1  560.0  280.0\n";
    let error = import("a.txt", text, None).expect_err("nobody knows the clock");
    assert!(error.to_string().contains("--clock"), "{error}");
    let hints = Hints { format: None, clock: Some(Hertz(2.8e9)) };
    let file = import("a.txt", text, hints).unwrap().remove(0).result;
    let latency = value(&file, "latency-matrix", Measure::Latency, &between(0, 1));
    assert!((latency - 200.0).abs() < 1e-9, "{latency}");
}

#[test]
fn a_row_that_lacks_a_value_is_named() {
    let text = "Latencies of random memory access at idle (ns)\n\n        Node 0 Node 1\nNode 0  113.5\nNode 1  266.5  115.5\n";
    match import("a.txt", text, None) {
        Err(ImportError::Broken { line: Some(4), .. }) => {}
        other => panic!("{other:?}"),
    }
}

#[test]
fn mixes_of_mlc_beside_it_stay_those_of_mlc() {
    let text = format!("{}\n{}", input("asct.txt"), input("mlc-full.txt"));
    let all = import("a.txt", &text, None).unwrap();
    let formats: Vec<&str> = all.iter().map(|one| one.format.name()).collect();
    assert_eq!(formats, ["asct", "mlc"]);
    assert_eq!(value(&all[0].result, "mixes", Measure::Bandwidth, &mix("2:1")), 858.5);
    assert_eq!(value(&all[1].result, "mixes", Measure::Bandwidth, &mix("2:1")), 271.2345);
}
