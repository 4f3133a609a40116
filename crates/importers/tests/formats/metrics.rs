//! Tables of metric names and values: forms and names are those of public results, numbers are our own.

use zerohop_result::{Axis, Measure, ResultFile};

use crate::inputs::*;

fn hosts(name: &str) -> Vec<(String, ResultFile)> {
    let all = imported(name).into_iter();
    let all = all.inspect(|one| assert_eq!(one.format.name(), "metrics", "{name}"));
    all.map(|one| (one.result.machine.name.clone(), one.result)).collect()
}

fn tool(file: &ResultFile) -> &str {
    let zerohop_workload::Origin::Imported(origin) = &file.origin else { panic!("{:?}", file.origin) };
    &origin.tool
}

/// A rate in another unit may differ in the last digit.
#[track_caller]
fn assert_near(value: f64, wanted: f64) {
    assert!((value - wanted).abs() < 1e-9, "{value} and {wanted}");
}

#[test]
fn superbench_has_a_line_for_each_node() {
    let all = hosts("superbench.jsonl");
    let names: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["gpu-node-01", "gpu-node-02"]);
    let file = &all[0].1;
    assert_eq!(tool(file), "superbench");
    assert_near(value(file, "bandwidth-matrix", Measure::Bandwidth, &between(0, 1)), 61.1112);
    assert_near(value(file, "latency-matrix", Measure::Latency, &between(1, 0)), 142.25);
    let triad =
        [(Axis::Initiator, word("all")), (Axis::Target, word("local")), (Axis::Mix, word("stream-triad"))];
    assert_near(value(file, "maximum-bandwidth", Measure::Bandwidth, &triad), 146.2221);
    let left_out = warnings(file).join("\n");
    assert!(
        left_out
            .contains("2 other metrics (`cpu-memory-bw-latency/return_code`, `kernel-launch/event_time`)"),
        "{left_out}"
    );
}

/// 0.18557 "ns of latency" is 1000 over 5388.75 MB/s: the rate of a copy, turned over.
#[test]
fn what_superbench_calls_a_latency_off_x86_is_none() {
    let all = hosts("superbench-arm.jsonl");
    let file = &all[0].1;
    let at = [&between(0, 1)[..], &[(Axis::Case, word("memcpy from node to node"))]].concat();
    assert_near(value(file, "bandwidth-by-placement", Measure::Bandwidth, &at), 5.38875);
    assert!(names(file).iter().all(|name| !name.contains("latency") && *name != "bandwidth-matrix"));
    let said = warnings(file).join("\n");
    assert!(
        said.contains("is no latency: the time of a copy over its size") && said.contains("one thread"),
        "{said}"
    );
}

#[test]
fn hwbench_s_megabytes_are_of_two_to_the_twentieth() {
    let file = only("hwbench.json", "metrics");
    assert_eq!(tool(&file), "hwbench");
    let of = |case: &str, kernel: &str| {
        value(
            &file,
            "kernel-bandwidth",
            Measure::Bandwidth,
            &[(Axis::Kernel, word(kernel)), (Axis::Case, word(case))],
        )
    };
    assert_near(of("memrate_0", "read64"), 324_480.0 * 1.048_576e-3);
    assert_near(of("stream_1", "stress-ng stream, writes"), 1075.0 * 1.048_576e-3);
}

#[test]
fn reframe_s_report_and_its_log_say_the_same_of_each_host() {
    let triad =
        [(Axis::Initiator, word("all")), (Axis::Target, word("local")), (Axis::Kernel, word("triad"))];
    let report = hosts("reframe.json");
    let log = hosts("reframe-perflog.txt");
    for all in [&report, &log] {
        let (_, of_one) = all.iter().find(|(name, _)| name == "cn002").unwrap();
        assert_eq!(tool(of_one), "reframe");
        assert_near(value(of_one, "stream", Measure::Bandwidth, &triad), 202.1115);
    }
    assert_eq!(report.len(), 2);
    assert_eq!(log.iter().filter(|(name, _)| name == "cn001").count(), 2, "it ran twice there");
}

#[test]
fn rows_of_spare_cores_have_sizes_and_no_zeros() {
    let file = only("membench.csv", "metrics");
    let at = |kernel: &str| {
        [
            (Axis::Footprint, number(32768 * 1024)),
            (Axis::Kernel, word(kernel)),
            (Axis::Case, word("all threads")),
        ]
    };
    assert_near(value(&file, "bandwidth-by-size", Measure::Bandwidth, &at("write")), 77000.1 * 1.048_576e-3);
    let chase = [(Axis::Footprint, number(32768 * 1024)), (Axis::Case, word("one thread"))];
    assert_near(value(&file, "load-latency", Measure::Latency, &chase), 113.4);
    assert_eq!(file.experiments.iter().map(|one| one.cells.len()).sum::<usize>(), 7);
    assert!(warnings(&file).join("\n").contains("each byte counts once"));
    let file = only("sparecores-bw-mem.txt", "metrics");
    let at = [
        (Axis::Footprint, number(512_000_000)),
        (Axis::Kernel, word("wr")),
        (Axis::Case, word("all threads")),
    ];
    assert_near(value(&file, "bandwidth-by-size", Measure::Bandwidth, &at), 36.11183);
    assert_eq!(file.experiments[0].cells.len(), 6);
}

/// A unit that is none of bandwidth or time is an error that says where, and not a value.
#[test]
fn a_unit_that_is_not_known_is_named_with_its_line() {
    let text = input("reframe-perflog.txt").replace("|202111.5|MB/s|", "|202111.5|apples|");
    let error = zerohop_importers::import("log.txt", &text, None);
    let all = error.unwrap();
    let said = all.iter().flat_map(|one| warnings(&one.result)).collect::<Vec<_>>().join("\n");
    assert!(said.contains("apples") && said.contains("cn002"), "{said}");
}
