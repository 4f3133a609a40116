//! Numbers that somebody typed in another unit, in other columns or over two lines, each named after what was read wrongly without a word.

use zerohop_importers::{Imported, import};
use zerohop_result::{Axis, Cell, Measure, ResultFile};
use zerohop_workload::Warning;

use crate::inputs::*;

#[track_caller]
fn one(text: &str) -> Imported {
    let mut all = import("a.txt", text, None).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(all.len(), 1, "{text}");
    all.remove(0)
}

fn cells(file: &ResultFile) -> impl Iterator<Item = &Cell> {
    file.experiments.iter().flat_map(|experiment| &experiment.cells)
}

/// The number of values that are marked as implausible.
fn implausible(text: &str) -> usize {
    let file = one(text).result;
    let is_marked =
        |cell: &&Cell| cell.warnings.iter().any(|warning| matches!(warning, Warning::Implausible { .. }));
    cells(&file).filter(is_marked).count()
}

fn latencies(title: &str, rows: &str) -> String {
    format!("Measuring idle latencies ({title})...\n\t\tNuma node\nNuma node\t 0\t 1\n{rows}")
}

#[test]
fn latencies_in_other_units_are_converted_or_refused() {
    for (title, rows) in [
        ("in us", "0 0.0785 0.1205\n1 0.1195 0.0765\n"),
        ("\u{b5}s", "0 0.0785 0.1205\n1 0.1195 0.0765\n"),
        ("in ps", "0 78500 120500\n1 119500 76500\n"),
    ] {
        let file = one(&latencies(title, rows)).result;
        let remote = value(&file, "latency-matrix", Measure::Latency, &between(0, 1));
        assert!((remote - 120.5).abs() < 1e-9, "{title}: {remote}");
    }
    let loaded =
        "Inject Delay\tLatency (us)\tBandwidth (MB/sec)\n00000\t0.2505\t270500.0\n00100\t0.1205\t250500.0\n";
    assert_eq!(cells(&one(loaded).result).next().unwrap().estimate.median, 250.5);
    let refused = import("a.txt", &latencies("in clocks", "0 200.5 301.5\n1 300.5 201.5\n"), None);
    let refused = refused.unwrap_err().to_string();
    assert!(refused.contains("line 1") && refused.contains("latencies in ns"), "{refused}");
}

/// 78,512 is a decimal comma with three digits, or thousands: neither memory nor a person would say 78512 ns.
#[test]
fn latencies_that_no_idle_memory_has_are_marked() {
    assert_eq!(implausible(&latencies("in ns", "0 78,512 120,513\n1 119,514 76,515\n")), 4);
    assert_eq!(implausible(&latencies("in ns", "0 0.0785 0.1205\n1 0.1195 0.0765\n")), 4);
    assert_eq!(implausible(&latencies("in ns", "0 78.5 1205.5\n1 1195.5 76.5\n")), 0);
    assert_eq!(
        implausible("rd_percentage,pause,bandwidth,latency\n100,0,201500,341.5\n100,500,90.5,95.5\n"),
        1
    );
}

#[test]
fn bandwidths_in_units_of_other_sizes_are_converted() {
    // Latencies beside what they are of the least.
    let pairs = "Measuring idle latencies (in ns)...\nNuma node 0 1\n0 81 100 130 160\n1 130 160 81 100\n";
    assert!(import("a", pairs, None).is_err());
    let mixes = "Measuring Peak Injection Memory Bandwidths for the system\nBandwidths are in KB/sec\n\
                 ALL Reads :  190500500.0\n3:1 Reads-Writes : 180500500.0\n";
    assert_eq!(cells(&one(mixes).result).next().unwrap().estimate.median, 190.5005);
    let mixes = mixes.replace("KB", "TB").replace("190500500.0", "0.1905").replace("180500500.0", "0.1805");
    assert!((cells(&one(&mixes).result).next().unwrap().estimate.median - 190.5).abs() < 1e-9);
}

#[test]
fn loads_with_the_bandwidth_in_front_are_not_swapped() {
    let text = "Measuring Loaded Latencies for the system\nInject\tBandwidth\tLatency\nDelay\tMB/sec\t(ns)\n=====\n \
                00000\t270500.0\t250.50\n 00100\t250500.0\t120.50\n";
    let file = one(text).result;
    let medians: Vec<f64> = cells(&file).map(|cell| cell.estimate.median).collect();
    assert_eq!(medians, [250.5, 270.5, 120.5, 250.5]);
}

/// The average became a node.
#[test]
fn columns_that_are_computed_from_others_are_no_nodes() {
    let text = "Measuring idle latencies (in ns)...\nNuma node\t0\t1\tAvg\n0\t78.5\t120.5\t99.5\n1\t119.5\t76.5\t98.0\n";
    let imported = one(text);
    assert_eq!(cells(&imported.result).count(), 4);
    assert!(imported.unread.is_empty(), "{:?}", imported.unread);
}

/// The end of the head became a row: node 4 reached node 0 in 5 ns.
#[test]
fn a_matrix_that_a_terminal_wrapped_is_put_together() {
    let row = |node: u64| {
        let values: Vec<String> =
            (0..6).map(|other: u64| format!("{}.5", if node == other { 80 } else { 130 + other })).collect();
        format!("{node} {}\n{}\n", values[..4].join(" "), values[4..].join(" "))
    };
    let rows: String = (0..6).map(row).collect();
    let text = format!("Measuring idle latencies (in ns)...\nNuma node 0 1 2 3\n4 5\n{rows}");
    let imported = one(&text);
    assert_eq!(cells(&imported.result).count(), 36);
    assert_eq!(value(&imported.result, "latency-matrix", Measure::Latency, &between(5, 4)), 134.5);
    // Where a value is cut in two, nothing can be put together.
    let cut = text.replace("80.5\n134.5", "80.5 13\n4.5");
    let refused = import("a.txt", &cut, None).unwrap_err().to_string();
    assert!(refused.contains("wrapped"), "{refused}");
}

#[test]
fn writes_of_pairs_are_no_reads() {
    let head = "cpu_node,mem_node,write_bandwidth_gbps,read_bandwidth_gbps";
    let imported = one(&format!("{head}\n0,0,80.5,100.5\n0,1,14.5,20.5\n1,0,16.5,22.5\n1,1,80.5,101.5\n"));
    assert_eq!(value(&imported.result, "bandwidth-matrix", Measure::Bandwidth, &between(0, 1)), 20.5);
    let said = format!("{:?}", imported.result.warnings);
    assert!(said.contains("write_bandwidth_gbps"), "{said}");
}

#[test]
fn rates_of_stream_that_its_times_contradict_are_marked() {
    let text = |rate: &str| {
        format!(
            "Total memory required = 9155.3 MiB (= 8.9 GiB).\nFunction    Best Rate MB/s  Avg time     Min time     Max time\n\
             Copy: {rate} 0.025000 0.024615 0.026000\nTriad: 211000.5 0.046000 0.045498 0.047000\n"
        )
    };
    assert_eq!(implausible(&text("260000.5")), 0);
    assert_eq!(implausible(&text("260.0")), 1, "GB/s below a head of MB/s");
    assert_eq!(implausible(&text("26000.5")), 1, "a digit is lost");
}

#[test]
fn sizes_of_numactl_may_have_commas_between_thousands() {
    let text = "available: 2 nodes (0-1)\nnode 0 cpus: 0 1\nnode 0 size: 64,000 MB\n";
    let machine = one(text).result.machine;
    assert_eq!(machine.nodes[0].memory.get(), 64_000 << 20);
    assert!(machine.gaps.iter().any(|gap| gap.contains("announces 2 but describes 1")), "{:?}", machine.gaps);
}

#[test]
fn thousands_of_programs_of_people_and_of_france_are_read() {
    let head = "Measuring Memory Bandwidths between nodes within system\nNuma node 0 1\n";
    for rows in [
        "0 122_097 51_327\n1 51_309 122_005\n",
        "0 122.097k 51.327k\n1 51.309k 122.005K\n",
        "0 122 097 51 327\n1 51 309 122 005\n",
        "0 122 097.0 51 327.0\n1 51 309.0 122 005.0\n",
    ] {
        let file = import("a", &format!("{head}{rows}"), None).unwrap().remove(0).result;
        let at = |from, to| value(&file, "bandwidth-matrix", Measure::Bandwidth, &between(from, to));
        assert_eq!((at(0, 0), at(0, 1), at(1, 1)), (122.097, 51.327, 122.005), "{rows}");
    }
    let mixes =
        import("a", "ALL Reads : 243.2k\n3:1 Reads-Writes : 219.1k\n", None).unwrap().remove(0).result;
    let at =
        |mix: &str| [(Axis::Initiator, word("all")), (Axis::Target, word("local")), (Axis::Mix, word(mix))];
    assert_eq!(value(&mixes, "mixes", Measure::Bandwidth, &at("3:1")), 219.1);
    let text = "Function Best Rate MB/s Avg time Min time Max time\nCopy: 150.6k 0.1 0.1 0.1\nTriad: 160.6k 0.1 0.1 0.1\n";
    let stream = import("a", text, None).unwrap().remove(0).result;
    let at = [(Axis::Initiator, word("all")), (Axis::Target, word("local")), (Axis::Kernel, word("triad"))];
    assert_eq!(value(&stream, "stream", Measure::Bandwidth, &at), 160.6);
}

/// The shares were read as bandwidths of less than 1 GB/s, or kept the whole text from being read.
#[test]
fn shares_of_a_peak_are_no_bandwidths() {
    for text in [
        "| Mix | MB/s | % of peak |\n|---|---|---|\n| ALL Reads | 243159.4 | 86.2 |\n| 3:1 Reads-Writes | 219132.5 | 77.7 |\n",
        "              MB/s      % of peak\nALL Reads        : 243159.4  86.2%\n3:1 Reads-Writes : 219132.5  77.7%\n",
        "| Mix | MB/s | % of peak |\n| ALL Reads | 243159.4 | 86.2 % |\n| 3:1 Reads-Writes | 219132.5 | 77.7 % |\n",
    ] {
        let file = import("a", text, None).unwrap_or_else(|error| panic!("{error}\n{text}")).remove(0).result;
        let at = [(Axis::Initiator, word("all")), (Axis::Target, word("local")), (Axis::Mix, word("3:1"))];
        assert_eq!(value(&file, "mixes", Measure::Bandwidth, &at), 219.1325, "{text}");
        assert_eq!(file.experiments[0].cells.len(), 2, "{text}");
    }
}

#[test]
fn the_title_of_a_matrix_is_understood() {
    let all =
        import("a", "NUMA bandwidth matrix (Gbps)\n   0    1\n0 122.1 51.3\n1 51.3 122.0\n", None).unwrap();
    assert!(all[0].unread.is_empty(), "{:?}", all[0].unread);
}

/// All of these were idle latencies and read bandwidths.
#[test]
fn a_matrix_whose_title_names_something_else_is_left_out() {
    let matrix = |title: &str| format!("{title}\nNuma node 0 1\n0 81.2 130.2\n1 130.5 81.1\n");
    for title in [
        "Write bandwidth matrix (MB/s)",
        "Relative latency (local = 100)",
        "Latency change after the update (ns)",
        "Standard deviation (in ns)",
        "Theoretical bandwidth (GB/s)",
        "P99 latency (ns)",
        "Loaded latency matrix (ns)",
    ] {
        let all = import("a", &format!("{}\n{}", matrix("Idle latency (ns)"), matrix(title)), None).unwrap();
        assert_eq!(all.len(), 1, "{title}");
        assert_eq!(names(&all[0].result), ["latency-matrix"], "{title}");
        assert!(warnings(&all[0].result).iter().any(|one| one.contains("matrix of line 7")), "{title}");
        let doubled = matrix(title).replace("Numa node 0", "\t\tNuma node\nNuma node 0");
        assert!(import("a", &doubled, None).is_err(), "{title}");
        let error = import("a", &matrix(title), None).unwrap_err().to_string();
        assert!(error.contains("idle latencies or read bandwidths"), "{error}");
    }
    let distances = import("a", "Numa node 0 1\n0 10 21\n1 21 10\n", None).unwrap_err().to_string();
    assert!(distances.contains("idle latencies or read bandwidths"), "{distances}");
}

/// The value from node 0 to node 1 was that from node 1 to node 0.
#[test]
fn a_corner_says_which_side_the_memory_is_on() {
    let text = "Idle latency (ns)\n| mem \\ cpu | node 0 | node 1 |\n|---|---|---|\n| node 0 | 81.2 | 130.2 |\n| node 1 | 135.2 | 82.2 |\n";
    let by_memory = import("a", text, None).unwrap().remove(0).result;
    assert_eq!(value(&by_memory, "latency-matrix", Measure::Latency, &between(0, 1)), 135.2);
    let by_reader = import("a", &text.replace("mem \\ cpu", "cpu \\ mem"), None).unwrap().remove(0).result;
    assert_eq!(value(&by_reader, "latency-matrix", Measure::Latency, &between(0, 1)), 130.2);
}

/// Writes were reads, and node 1's memory was local.
#[test]
fn options_of_mlc_at_a_prompt_count() {
    let text = "$ sudo ./mlc --bandwidth_matrix -W6\nNuma node 0 1\n0 61000.5 30000.2\n1 30100.5 61100.2\n";
    let file = import("a", text, None).unwrap().remove(0).result;
    let [initiator, target] = between(0, 1);
    let at = [initiator, target, (Axis::Kernel, word("write_nt"))];
    assert_eq!(value(&file, "bandwidth-matrix", Measure::Bandwidth, &at), 30.0002);
    let took = |nanoseconds: f64| format!("Each iteration took 360.2 core clocks (\t{nanoseconds}\tns)\n");
    let text =
        format!("$ for j in 0 1; do ./mlc --idle_latency -c0 -j$j; done\n{}{}", took(80.5), took(140.5));
    let file = import("a", &text, None).unwrap().remove(0).result;
    let at = |node| [(Axis::Cpu, number(0)), (Axis::Target, number(node))];
    let latency = |node| value(&file, "idle-latency", Measure::Latency, &at(node));
    assert_eq!((latency(0), latency(1)), (80.5, 140.5));
}
