//! Tables of core-to-core-latency: several benchmarks, tables that are cut off, deviations. The numbers are ours.

use zerohop_importers::{Imported, import};
use zerohop_result::{Axis, Coordinate, Measure};

use crate::inputs::*;

#[track_caller]
fn read(text: &str) -> Vec<Imported> {
    import("a.txt", text, None).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn table(title: &str, first: u64) -> String {
    format!(
        "{title}\n\n           0       1       2\n      0\n      1   {first}±1\n      2   63±2    49±0\n\n"
    )
}

fn pair(kernel: Option<&str>) -> Vec<(Axis, Coordinate)> {
    let pair = [(Axis::From, number(0)), (Axis::To, number(1))];
    pair.into_iter().chain(kernel.map(|kernel| (Axis::Kernel, word(kernel)))).collect()
}

/// The latencies of another benchmark were a second run of the first.
#[test]
fn benchmarks_of_core_to_core_latency_are_told_apart() {
    let titles = [
        "1) CAS latency on a single shared cache line",
        "2) Single-writer single-reader latency on two shared cache lines",
        "3) One writer and one reader on many cache line",
    ];
    let text = format!("{}{}{}", table(titles[0], 41), table(titles[1], 52), table(titles[2], 93));
    let kernels = [None, Some("single writer, single reader"), Some("one writer, one reader, many lines")];
    let all = read(&text);
    assert_eq!(all.len(), 1);
    let latency = |kernel| value(&all[0].result, "core-to-core", Measure::Latency, &pair(kernel));
    assert_eq!(kernels.map(latency), [41.0, 52.0, 93.0]);
    // The CSV below has more decimals, in the same order.
    let matrix = |first: f64| format!(",,\n{first},,\n63.25,49.25,\n");
    let all = read(&format!("{text}{}{}{}", matrix(41.25), matrix(52.25), matrix(93.25)));
    assert_eq!(all.len(), 1);
    let latency = |kernel| value(&all[0].result, "core-to-core", Measure::Latency, &pair(kernel));
    assert_eq!(kernels.map(latency), [41.25, 52.25, 93.25]);
}

#[test]
fn deviations_are_kept() {
    let all = read(&table("1) CAS latency on a single shared cache line", 41));
    let deviations = all[0].result.experiments[0].cells.iter().map(|cell| cell.estimate.standard_deviation);
    assert_eq!(deviations.collect::<Vec<_>>(), [1.0, 2.0, 0.0]);
}

/// Cores were missing without a word.
#[test]
fn a_table_that_is_cut_off_says_so() {
    let text = table("1) CAS latency on a single shared cache line", 41)
        .replace("1       2\n", "1       2       3       4\n");
    let all = read(&text);
    assert_eq!(all[0].left_out, ["the rows of 2 of 5 cores: the table is cut off"]);
}

#[test]
fn the_csv_of_an_interrupted_run_is_read() {
    let all = read(",,,,,\n41.25,,,,,\n63.25,49.25,,,,\n");
    assert_eq!(all[0].result.experiments[0].cells.len(), 3);
    assert_eq!(all[0].left_out, ["the rows of 3 of 6 cores: the text ends before them"]);
}
