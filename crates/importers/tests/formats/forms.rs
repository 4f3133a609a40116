//! Forms in which people and other programs pass on bandwidths.

use zerohop_importers::import;
use zerohop_machine::NodeId;
use zerohop_result::{Axis, Measure, ResultFile};
use zerohop_units::Bytes;

use crate::inputs::*;

#[track_caller]
fn read(text: &str) -> Vec<ResultFile> {
    let all = import("a.txt", text, None).unwrap_or_else(|error| panic!("{error}\n{text}"));
    all.into_iter()
        .map(|one| {
            assert!(one.unread.is_empty(), "{:?}", one.unread);
            one.result
        })
        .collect()
}

#[track_caller]
fn only(text: &str) -> ResultFile {
    let mut all = read(text);
    assert_eq!(all.len(), 1, "{text}");
    all.remove(0)
}

#[test]
fn streams_head_may_have_another_name_and_no_outer_bars() {
    let table = |heading: &str, rate: &str| {
        format!(
            "{heading}\nTask | Best Rate MB/s | Avg time | Min time | Max time |\n---|---|---|---|---|\n\
             Copy | {rate} | 0.013882 | 0.013861 | 0.013905 |\nTriad | {rate} | 0.020182 | 0.020161 | 0.020205 |\n\n"
        )
    };
    let text = format!(
        "Processors x 2: Intel(R) Xeon(R) CPU E5-2690 v4 @ 2.60GHz\nexport OMP_NUM_THREADS=28\n{}{}",
        table("Results with 16 GB DIMMs", "93,876.5"),
        table("Results with 64 GB DIMMs", "112,876.5")
    );
    let file = only(&text);
    assert_eq!(names(&file), ["stream-by-threads"]);
    let at = |case: &str| [(Axis::Case, word(case)), (Axis::Kernel, word("triad"))];
    let triad = |case: &str| value(&file, "stream-by-threads", Measure::Bandwidth, &at(case));
    assert_eq!(triad("Results with 16 GB DIMMs, 28 threads"), 93.8765);
    assert_eq!(triad("Results with 64 GB DIMMs, 28 threads"), 112.8765);
    assert_eq!(
        (file.machine.package_count(), file.machine.processor.model.contains("E5-2690 v4")),
        (Some(2), true)
    );
    let alone = import("a.txt", &table("Results", "93,876.5"), None).unwrap().remove(0).result;
    assert_eq!(names(&alone), ["stream"], "one table needs no name");
}

#[test]
fn a_table_of_placements_has_nodes_and_threads() {
    let text = "dual Xeon Gold 6530, 8x32 GB DDR5-5600 DIMMs configured at 4800 MT/s\n\n\
                | placement | threads | best read bandwidth | remarks |\n|---|---:|---:|---|\n\
                | node 0 local | 32 | 141.5 GB/s | |\n| node 0 memory on node 1 | 32 | 51.5 GB/s | |\n\
                | dual-node interleave | 64 | **251.5 GB/s** | best |\n";
    let file = only(text);
    let at = |from, to, threads: &str| {
        [
            (Axis::Initiator, from),
            (Axis::Target, to),
            (Axis::Case, word(threads)),
            (Axis::Kernel, word("read")),
        ]
    };
    let rate = |from, to, threads| {
        value(&file, "bandwidth-by-placement", Measure::Bandwidth, &at(from, to, threads))
    };
    assert_eq!(rate(number(0), word("local"), "32 threads"), 141.5);
    assert_eq!(rate(number(0), number(1), "32 threads"), 51.5);
    assert_eq!(rate(word("all"), word("interleaved"), "64 threads"), 251.5);
    assert_eq!(file.experiments[0].cells.iter().next().unwrap().evidence.workers, 32);
    assert_eq!(file.machine.dimms(), ["8 × 32 GiB DDR5 at 4800 MT/s"]);
    assert!(
        warnings(&file).iter().any(|warning| warning.contains("column `remarks`")),
        "{:?}",
        warnings(&file)
    );
}

#[test]
fn a_checkers_list_is_a_result_for_each_host() {
    let text = "Single-node Memory Bandwidth (STREAM), (memory_bandwidth_stream).......FAILED\nsubtest 'Triad' failed\n\
                - failing host n3 returned: '16977.5 MB/s'\n- failing host n1 returned: '9026.5 MB/s'\n";
    let all = read(text);
    let triad = |file: &ResultFile| file.experiments[0].cells.iter().next().unwrap().estimate.median;
    let found: Vec<_> = all.iter().map(|file| (file.machine.name.as_str(), triad(file))).collect();
    assert_eq!(found, [("n3", 16.9775), ("n1", 9.0265)]);
}

#[test]
fn cudas_bandwidth_test_is_read_with_the_memory_of_the_host() {
    let block = |way: &str, kind: &str, rows: &str| {
        format!(
            "{way} Bandwidth, 1 Device(s)\n {kind} Memory Transfers\n   Transfer Size (Bytes)\tBandwidth(MB/s)\n{rows}\n"
        )
    };
    let text = format!(
        "[CUDA Bandwidth Test] - Starting...\nRunning on...\n\n Device 0: Any GPU\n Quick Mode\n\n{}{}Result = PASS\n",
        block("Host to Device", "PINNED", "   33554432\t\t25123.5\n"),
        block("Device to Host", "PAGEABLE", "   33554432\t\t9123.5\n")
    );
    let file = only(&text);
    let at = |from: &str, to: &str, case: &str| {
        [(Axis::Initiator, word(from)), (Axis::Target, word(to)), (Axis::Case, word(case))]
    };
    let rate = |from, to, case| value(&file, "device-bandwidth", Measure::Bandwidth, &at(from, to, case));
    assert_eq!(rate("cpu 0", "gpu 0", "host to device, pinned"), 25.1235);
    assert_eq!(rate("gpu 0", "cpu 0", "device to host, pageable"), 9.1235);
    let series = text.replace("   33554432\t\t25123.5\n", "   1024\t\t123.5\n   33554432\t\t25123.5\n");
    let sizes = only(&series);
    assert_eq!(sizes.experiments[0].cells.len(), 3);
    assert!(sizes.experiments[0].cells.iter().all(|cell| cell.at.number(Axis::Footprint).is_some()));
}

#[test]
fn lstopos_text_is_a_machine() {
    let package = |rank: u32| {
        format!(
            "  Package L#{rank}\n    NUMANode L#{rank} (P#{rank} 125GB)\n    L3 L#{rank} (32MB)\n      \
             L2 L#{rank} (1024KB) + L1d L#{rank} (32KB) + L1i L#{rank} (32KB) + Core L#{rank} + PU L#{rank} (P#{rank})\n"
        )
    };
    let machine = only(&format!("Machine (250GB total)\n{}{}", package(0), package(1))).machine;
    assert_eq!((machine.packages.len(), machine.cores.len(), machine.pus.len()), (2, 2, 2));
    assert_eq!(machine.node(NodeId(1)).map(|node| node.memory), Some(Bytes::gib(125)));
    assert_eq!(machine.stated.caches.len(), 4);
}

#[test]
fn superbenchs_results_are_refused_by_name() {
    let text = "{\"node\": \"n1\", \"mem-bw/H2D_Mem_BW\": 25.5, \"monitor/gpu_temperature:0\": 50}\n";
    let error = import("results.jsonl", text, None).unwrap_err();
    assert!(error.to_string().contains("SuperBench") && error.hint().contains("outputs"), "{error}");
}

#[test]
fn numademos_rates_are_by_policy() {
    let file = only_input("numademo.txt");
    let at = [(Axis::Kernel, word("memset")), (Axis::Case, word("memory on node 1"))];
    let rate = value(&file, "kernel-bandwidth", Measure::Bandwidth, &at);
    assert!(is_near(rate, 5.10111), "{rate}");
    let cell = file.experiments[0].cells.iter().find(|cell| is_near(cell.estimate.median, 5.10111)).unwrap();
    assert!(is_near(cell.estimate.min, 5.10033) && is_near(cell.estimate.max, 5.10222), "{cell:?}");
}

#[test]
fn tests_of_perf_bench_are_cases_with_their_threads() {
    let file = only_input("perf-bench-numa.txt");
    for (case, rate, workers) in
        [("RAM-bw-local", 12.668, 1), ("RAM-bw-remote", 7.409, 1), ("4x4-bw-thread", 52.96, 16)]
    {
        let at = [(Axis::Kernel, word("numa-mem")), (Axis::Case, word(case))];
        assert_eq!(value(&file, "kernel-bandwidth", Measure::Bandwidth, &at), rate, "{case}");
        let cell = file.experiments[0].cells.iter().find(|cell| cell.at.is(Axis::Case, case)).unwrap();
        assert_eq!(cell.evidence.workers, workers, "{case}");
    }
    let bare =
        import("rows.csv", "          6.539,GB/sec,thread-speed\n        104.612,GB/sec,total-speed\n", None)
            .unwrap();
    assert_eq!(bare[0].result.experiments[0].cells[0].estimate.median, 104.612);
}

/// MB/s as GB/s have an error in the last digit.
fn is_near(one: f64, other: f64) -> bool {
    (one - other).abs() < 1e-9
}

#[track_caller]
fn only_input(name: &str) -> ResultFile {
    let mut all = imported(name);
    assert_eq!(all.len(), 1);
    all.remove(0).result
}

#[test]
fn traffic_that_counters_saw_is_no_bandwidth_of_memory() {
    let file = only_input("pcm-memory.txt");
    assert_eq!(names(&file), ["memory-traffic"]);
    let rate = |node, kind: &str| {
        let at = [(Axis::Target, node), (Axis::Kernel, word(kind))];
        value(&file, "memory-traffic", Measure::Bandwidth, &at)
    };
    assert!(is_near(rate(number(0), "reads"), 30.52071));
    assert!(is_near(rate(number(1), "writes"), 0.12034));
    assert!(is_near(rate(word("all"), "all traffic"), 43.6821));
    assert!(
        warnings(&file).iter().any(|warning| warning.contains("counts of single channels (lines: 1")),
        "{:?}",
        warnings(&file)
    );
    let file = only_input("likwid-perfctr.txt");
    let at = [(Axis::Target, word("all")), (Axis::Kernel, word("reads")), (Axis::Case, word("region triad"))];
    assert!(is_near(value(&file, "memory-traffic", Measure::Bandwidth, &at), 81.2010002));
    // Readings one after the other are samples.
    let twice = input("pcm-memory.txt").repeat(2).replacen("30520.71", "30522.71", 1);
    let file = import("a.txt", &twice, None).unwrap().remove(0).result;
    let cell = file.experiments[0].cells.iter().find(|cell| is_near(cell.estimate.median, 30.52171));
    assert_eq!(cell.map(|cell| cell.samples.len()), Some(2));
}
