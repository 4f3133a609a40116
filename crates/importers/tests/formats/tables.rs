//! Tables that people type or that scripts write: STREAM's kernels as columns, a row for each pair, AsciiDoc, reStructuredText.
//! The numbers are ours.

use zerohop_importers::{ImportError, Imported, import};
use zerohop_result::{Axis, Measure, ResultFile};

use crate::inputs::*;

#[track_caller]
fn one(text: &str) -> Imported {
    let mut all = import("a.txt", text, None).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(all.len(), 1, "{text}");
    all.remove(0)
}

#[track_caller]
fn stream(file: &ResultFile, kernel: &str) -> f64 {
    let at = [(Axis::Initiator, word("all")), (Axis::Target, word("local")), (Axis::Kernel, word(kernel))];
    value(file, "stream", Measure::Bandwidth, &at)
}

#[track_caller]
fn case(file: &ResultFile, case: &str, kernel: &str) -> f64 {
    let at = [(Axis::Case, word(case)), (Axis::Kernel, word(kernel))];
    value(file, "stream-by-threads", Measure::Bandwidth, &at)
}

#[test]
fn streams_kernels_may_be_columns() {
    let file = only("stream-threads.md", "stream");
    assert_eq!((stream(&file, "triad"), case(&file, "8 threads", "add")), (111.2005, 91.1005));
    let head = "threads,copy,scale,add,triad";
    for text in [
        format!("STREAM, GB/s\n{head}\n8,80.5,51.5,56.5,57.5\n16,90.5,61.5,66.5,67.5\n"),
        format!("{}\n8 80.5 51.5 56.5 57.5\n16 90.5 61.5 66.5 67.5\nGB/s\n", head.replace(',', " ")),
        format!("{}\n8, 80.5 GB/s, 51.5, 56.5, 57.5\n16, 90.5, 61.5, 66.5, 67.5\n", head.replace(',', ", ")),
        format!("{head}\n8,80500,51500,56500,57500\n16,90500,61500,66500,67500\n"),
        "| Threads | Copy [GB/s] | Scale [GB/s] | Add [GB/s] | Triad* [GB/s] |\n|--:|--:|--:|--:|--:|\n| 8 | 80.5 | 51.5 | 56.5 | **57.5** |\n| 16 | 90.5 | 61.5 | 66.5 | 67.5 |\n".to_owned(),
    ] {
        let file = one(&text).result;
        assert_eq!((case(&file, "8 threads", "triad"), stream(&file, "copy")), (57.5, 90.5), "{text}");
    }
}

#[test]
fn rows_of_streams_tables_may_be_named() {
    let text = "Rates in MB/s:\n\n| Machine | Copy | Scale | Add | Triad | Notes |\n|---|---|---|---|---|---|\n\
                | two sockets, spread | 380,100.5 | 270,100.5 | 300,100.5 | 301,100.5 | NPS1 |\n| one socket | 190,100.5 | - | 150,100.5 | 151,100.5 | |\n";
    let imported = one(text);
    assert_eq!(case(&imported.result, "two sockets, spread", "copy"), 380.1005);
    assert_eq!(case(&imported.result, "one socket", "triad"), 151.1005);
    assert_eq!(imported.left_out, ["column `Notes` of the table of line 3"]);
    let by_kernel = "| Kernel | one socket (GB/s) | two sockets (GB/s) | gain |\n|---|---|---|---|\n| Copy | 190.5 | 380.5 | 99% |\n| Triad | 151.5 | 301.5 | 99% |\n";
    let imported = one(by_kernel);
    assert_eq!(case(&imported.result, "two sockets (GB/s)", "triad"), 301.5);
    assert_eq!(imported.left_out, ["column `gain` of the table of line 1"]);
    let compared = " Copy:  97700.5 (0.00 pct)   95930.5  (-1.80 pct)\nTriad:  94890.5 (0.00 pct)   96390.5  (1.50 pct)\n";
    assert_eq!(case(&one(compared).result, "column 2", "triad"), 96.3905);
}

/// The message said that a block of MLC was expected.
#[test]
fn a_table_about_nodes_is_not_called_mlcs() {
    let text = "| NUMA node | Role | Distance from node 0 |\n|---|---|---|\n| node 0 | local | 10 |\n| node 2 | far | 31 |\n";
    match import("a", text, None) {
        Err(ImportError::Unrecognized { .. }) => {}
        other => panic!("{other:?}"),
    }
}

/// The run with 32 threads was taken as the whole machine.
#[test]
fn a_named_row_beside_threads_may_be_the_whole_machine() {
    let text = "| Threads | Triad (GB/s) | Copy (GB/s) |\n|---|---|---|\n| 1 | Infinity | - |\n| 32 | 246.5 | 337.5 |\n| 64 (full node) | 236.5 | 327.5 |\n";
    let file = one(text).result;
    assert_eq!(names(&file), ["stream-by-threads"]);
    assert_eq!((case(&file, "32 threads", "triad"), case(&file, "64 (full node)", "copy")), (246.5, 327.5));
}

#[test]
fn units_may_stand_beside_kernels_and_columns_may_be_devices() {
    let text = "| | GPU 0 | GPU 1 |\n|---|---|---|\n| Copy (GB/s) | 899.5 | not run |\n| Triad (GB/s) | 811.5 | 821.5 |\n";
    let file = one(text).result;
    assert_eq!((names(&file), file.experiments[0].cells.len()), (vec!["device-bandwidth"], 3));
}

#[test]
fn round_trips_are_no_latencies_of_a_way() {
    let text = "test,cpu_a,cpu_b,median_ns_rt,stddev_ns_rt\nc2c,0,1,88.5,2.1\nc2c,0,2,262.5,5.5\n";
    assert!(import("a", text, None).is_err());
}

/// 12.5 may be GB/s, or a few MB/s of a microcontroller.
#[test]
fn rates_without_a_unit_are_not_guessed() {
    match import("a", "node,Copy,Scale,Add,Triad\nn1,10.5,10.5,16.5,16.5\n", None) {
        Err(ImportError::Broken { .. }) => {}
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_row_for_each_pair_is_read() {
    let file = only("pairs.csv", "pairs");
    assert_eq!(names(&file), ["latency-matrix", "bandwidth-matrix"]);
    assert_eq!(value(&file, "latency-matrix", Measure::Latency, &between(1, 0)), 140.5);
    assert_eq!(value(&file, "bandwidth-matrix", Measure::Bandwidth, &between(0, 1)), 51.75);
    for text in [
        "cpu_node,mem_node,latency\n0,0,82.5\n0,1,141.5\n1,0,140.5\n1,1,81.5\n",
        "cpu_node;mem_node;latency\n0;0;82,5\n0;1;141,5\n1;0;140,5\n1;1;81,5\n",
        "from, to, latency (ns)\n0, 0, 82.5\n0, 1, 141.5\n1, 0, 140.5\n1, 1, 81.5\n",
        "| Source node | Target node | Latency |\n|---|---|---|\n| node0 | node0 | 82.5 ns |\n| node0 | node1 | 141.5 ns |\n| node1 | node0 | 140.5 ns |\n",
        "src\tdst\tlat_us\n0\t0\t0.0825\n1\t0\t0.1405\n0\t1\t0.1415\n",
    ] {
        let file = one(text).result;
        let found = value(&file, "latency-matrix", Measure::Latency, &between(1, 0));
        assert!((found - 140.5).abs() < 1e-9, "{text}: {found}");
    }
}

#[test]
fn pairs_of_cores_are_no_nodes() {
    let at = [(Axis::From, number(0)), (Axis::To, number(2))];
    for text in [
        "core1,core2,latency_ns,stddev_ns\n0,1,21.5,0.5\n0,2,44.5,0.5\n1,2,45.5,0.5\n",
        "source,target,latency\n0,0,0\n0,1,21.5\n0,2,44.5\n",
        "from,to,latency_ns\ncpu0,cpu1,21.5\ncpu0,cpu2,44.5\n",
    ] {
        assert_eq!(value(&one(text).result, "core-to-core", Measure::Latency, &at), 44.5, "{text}");
    }
}

#[test]
fn a_pair_with_a_word_for_its_value_is_a_fault() {
    match import("a", "source,target,latency_ns\n0,0,82.5\n0,1,slow\n", None) {
        Err(ImportError::Broken { line: Some(3), .. }) => {}
        other => panic!("{other:?}"),
    }
}

#[test]
fn tables_of_asciidoc_and_restructuredtext_are_read() {
    for table in [
        "[cols=\"1,1,1\"]\n|===\n|Numa node |0 |1\n\n|0\n|78.5\n|119.5\n\n|1\n|120.5\n|76.5\n|===\n",
        "|===\n|Numa node\n|0\n|1\n\n|0 |78.5 |119.5\n|1 |120.5 |76.5\n|===\n",
        ".. list-table:: Idle latency\n   :header-rows: 1\n\n   * - Numa node\n     - 0\n     - 1\n   * - 0\n     - 78.5\n     - 119.5\n   * - 1\n     - 120.5\n     - 76.5\n",
        ".. csv-table:: Idle latency\n   :header: \"Numa node\", \"0\", \"1\"\n\n   0, 78.5, 119.5\n   1, 120.5, 76.5\n",
        "=========  =====  =====\nNuma node      0      1\n=========  =====  =====\n0           78.5  119.5\n1          120.5   76.5\n=========  =====  =====\n",
        "+-----------+-------+-------+\n| Numa node | 0     | 1     |\n+===========+=======+=======+\n| 0         | 78.5  | 119.5 |\n+-----------+-------+-------+\n| 1         | 120.5 | 76.5  |\n+-----------+-------+-------+\n",
    ] {
        let file = one(&format!("Measuring idle latencies (in ns)...\n\n{table}")).result;
        assert_eq!(value(&file, "latency-matrix", Measure::Latency, &between(1, 0)), 120.5, "{table}");
        assert_eq!(file.experiments[0].cells.len(), 4, "{table}");
    }
}

#[test]
fn mixes_of_mlc_may_have_several_columns() {
    let text = "| Traffic | SSE | AVX2 |\n|---|---|---|\n| ALL Reads | 48,940 | 48,410 |\n| 3:1 Reads-Writes | 47,920 | 51,360 |\n";
    let file = one(text).result;
    let at = [
        (Axis::Initiator, word("all")),
        (Axis::Target, word("local")),
        (Axis::Mix, word("3:1")),
        (Axis::Case, word("AVX2")),
    ];
    assert_eq!(value(&file, "mixes", Measure::Bandwidth, &at), 51.36);
    let short = "| Ratio | Bandwidth MB/s |\n|---|---|\n| 100% Read | 61330.5\n| 2:1 R:W | 66940.5\n| Stream-triad like | 67880.5\n";
    assert_eq!(one(short).result.experiments[0].cells.len(), 3);
}

#[test]
fn a_title_makes_bare_numbers_a_matrix() {
    let text = "The NUMA bandwidth matrix (GB/s):\n\n      0   1   2\n  0 300 150 100\n  1 150 300  50\n\nand more\n";
    let file = one(text).result;
    assert_eq!(value(&file, "bandwidth-matrix", Measure::Bandwidth, &between(1, 2)), 50.0);
    assert_eq!(file.experiments[0].cells.len(), 6);
}

#[test]
fn devices_of_clpeak_may_have_numbers() {
    let text = "Backend: OpenCL\n  Platform 1: Some OpenCL\n    Device 0: Example 16-Core Processor\n      Compute units : 16\n\n    Global memory bandwidth (GBPS)\n      float   : 70.5\n      float2  : 98.5\n";
    assert_eq!(names(&one(text).result), ["global-bandwidth"]);
}

#[test]
fn output_inside_source_code_is_found() {
    let nodes = [
        "available: 2 nodes (0-1)",
        "node 0 cpus: 0 2",
        "node 0 size: 4000 MB",
        "node 1 cpus: 1 3",
        "node 1 size: 4000 MB",
        "node distances:",
        "node 0 1",
        "0: 10 20",
        "1: 20 10",
    ];
    let joined = nodes.map(|line| format!("        + \"{line}\\n\\t\"")).join("\n");
    for text in [
        format!("    String output = \"\"\n{joined};\n    check(output);\n"),
        format!("show(\"nodes\", \"numactl --hardware\",\n  \"{}\",\n  more);\n", nodes.join("\\n")),
    ] {
        assert_eq!(one(&text).result.machine.nodes.len(), 2, "{text}");
    }
}
