//! Series of sizes through the caches, a run of a tool each.

use zerohop_importers::import;
use zerohop_result::{Axis, Measure, ResultFile};

use crate::inputs::*;

#[track_caller]
fn only(text: &str) -> ResultFile {
    let mut all = import("a.txt", text, None).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(all.len(), 1, "{text}");
    all.remove(0).result
}

/// Each size that came again began another result, and every value was doubtful because caches might hold its buffer.
#[test]
fn likwids_sizes_are_one_table_and_equal_ones_are_samples() {
    let run = |size: &str, rate: f64| {
        format!("$ likwid-bench -t load -W N:{size}:1 | grep MByte\nMByte/s:\t\t{rate}\n")
    };
    let text = [
        run("96KB", 91_500.0),
        run("16KB", 140_500.0),
        run("96KB", 92_500.0),
        run("1GB", 12_500.0),
        run("8MB", 51_500.0),
    ]
    .concat();
    let file = only(&text);
    assert_eq!(names(&file), ["bandwidth-by-size"]);
    let sizes: Vec<u64> =
        file.experiments[0].cells.iter().filter_map(|cell| cell.at.number(Axis::Footprint)).collect();
    assert_eq!(sizes, [16_000, 96_000, 8_000_000, 1_000_000_000]);
    let twice = &file.experiments[0].cells.get(1).unwrap();
    assert_eq!((twice.samples.as_slice(), twice.estimate.median), ([91.5, 92.5].as_slice(), 92.0));
    assert!(warnings(&file).is_empty(), "{:?}", warnings(&file));
    let two = [run("96KB", 91_500.0), run("1GB", 12_500.0)].concat();
    let file = only(&two);
    assert_eq!(names(&file), ["kernel-bandwidth"], "two sizes are no series");
    assert!(warnings(&file).iter().any(|warning| warning.contains("caches are unknown")));
}

#[test]
fn sizes_of_mlcs_idle_latency_are_one_table() {
    let run = |size: &str, clocks: f64, ns: f64| {
        format!(
            "Intel(R) Memory Latency Checker - v3.9\nCommand line parameters: --idle_latency -b{size}\n\n\
             Each iteration took {clocks} core clocks (\t{ns}\tns)\n"
        )
    };
    let text = [run("500m", 260.5, 95.5), run("30k", 4.5, 1.5), run("1m", 14.5, 5.5)].concat();
    let file = only(&text);
    assert_eq!(names(&file), ["load-latency"]);
    let at = |size: u64| [(Axis::Footprint, number(size)), (Axis::Case, word("CPU 0"))];
    assert_eq!(value(&file, "load-latency", Measure::Latency, &at(30 << 10)), 1.5);
    assert_eq!(value(&file, "load-latency", Measure::Latency, &at(500 << 20)), 95.5);
    assert!(warnings(&file).is_empty(), "{:?}", warnings(&file));
}

/// What `grep` left of several cores' output was not understood.
#[test]
fn latencies_below_the_names_of_cores_are_a_case_each() {
    let file = only("core:0\n64.00000 101.517\ncore:24\n64.00000 69.284\n\ncore:48\n64.00000 101.170\n");
    let at = |core: &str| [(Axis::Footprint, number(64 << 20)), (Axis::Case, word(core))];
    assert_eq!(value(&file, "load-latency", Measure::Latency, &at("core 24")), 69.284);
    assert_eq!(value(&file, "load-latency", Measure::Latency, &at("core 48")), 101.17);
    assert!(import("a.txt", "core:0\n1 2\ncore:1\n3 4\n", None).is_err(), "any numbers");
}
