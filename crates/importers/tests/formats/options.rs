//! Options of MLC that change what its values are, and tables in which its values are typed anew.

use zerohop_importers::{Imported, import};
use zerohop_result::{Axis, Coordinate, Measure, ResultFile};
use zerohop_workload::Origin;

use crate::inputs::*;

#[track_caller]
fn read(text: &str) -> Vec<Imported> {
    import("a.txt", text, None).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

#[track_caller]
fn only_run(text: &str) -> ResultFile {
    let mut all = read(text);
    assert_eq!(all.len(), 1, "{text}");
    all.remove(0).result
}

fn invocation(options: &str, output: &str) -> String {
    format!("Intel(R) Memory Latency Checker - v3.11\nCommand line parameters: {options}\n\n{output}\n")
}

/// The latencies of caches and of memory were four runs of one value.
#[test]
fn latencies_of_buffers_that_caches_hold_have_their_size() {
    let idle = |options: &str, size: &str, latency: f64| {
        let output =
            format!("Using buffer size of {size}\nEach iteration took 9.5 core clocks (\t{latency}\tns)");
        invocation(options, &output)
    };
    let text =
        [idle("--idle_latency -b64", "0.062MiB", 1.4), idle("--idle_latency -b1800000", "1757.812MiB", 77.5)];
    let file = only_run(&text.concat());
    let at = |size: Option<u64>| {
        let place = [(Axis::Cpu, number(0)), (Axis::Target, word("local"))];
        place.into_iter().chain(size.map(|size| (Axis::Footprint, number(size)))).collect::<Vec<_>>()
    };
    let latency = |size| value(&file, "idle-latency", Measure::Latency, &at(size));
    assert_eq!((latency(Some(64 << 10)), latency(None)), (1.4, 77.5));
    let doubts = |size: Option<u64>| {
        let cell = file.experiments[0].cells.iter().find(|cell| cell.at.number(Axis::Footprint) == size);
        cell.map_or(9, |cell| cell.warnings.len())
    };
    assert_eq!((doubts(Some(64 << 10)), doubts(None)), (1, 0));
}

/// 11.7 TB/s of the first-level caches were the bandwidth of the machine's memory.
#[test]
fn loads_of_small_buffers_are_not_those_of_memory() {
    let rows = "Inject  Latency Bandwidth\nDelay   (ns)    MB/sec\n==========================\n 00000    5.00  11721640.9";
    let file = only_run(&invocation("--loaded_latency -d0 -b24k -t5 -R", rows));
    let cells: Vec<_> = file.experiments[0].cells.iter().collect();
    assert!(cells.iter().all(|cell| cell.at.number(Axis::Footprint) == Some(24 << 10)), "{cells:?}");
    assert!(warnings(&file).iter().any(|warning| warning.contains("24 KiB")), "{:?}", warnings(&file));
}

/// Random access had the key of sequential access.
#[test]
fn bandwidths_of_random_access_have_a_key_of_their_own() {
    let matrix = |value: f64| {
        format!(
            "Measuring Memory Bandwidths between nodes within system\n\t\tNuma node\nNuma node\t 0\t 1\n\
             0\t{value:.1}\t51234.5\n1\t51345.6\t{value:.1}"
        )
    };
    let peak = "Measuring Peak Injection Memory Bandwidths for the system\nALL Reads        :      151234.5";
    let text = [
        invocation("--bandwidth_matrix", &matrix(151_234.5)),
        invocation("--bandwidth_matrix -U", &matrix(91_234.5)),
        invocation("--bandwidth_matrix -U -W5", &matrix(81_234.5)),
        invocation("--peak_injection_bandwidth -U", peak),
    ];
    let file = only_run(&text.concat());
    let own = |kernel: Option<&str>| {
        let at = between(0, 0).into_iter().chain(kernel.map(|kernel| (Axis::Kernel, word(kernel))));
        value(&file, "bandwidth-matrix", Measure::Bandwidth, &at.collect::<Vec<_>>())
    };
    assert_eq!(own(None), 151.2345);
    assert_eq!((own(Some("random reads")), own(Some("mix_1_1, random"))), (91.2345, 81.2345));
    let at: [(Axis, Coordinate); 4] = [
        (Axis::Initiator, word("all")),
        (Axis::Target, word("local")),
        (Axis::Kernel, word("random")),
        (Axis::Mix, word("all_reads")),
    ];
    assert_eq!(value(&file, "mixes", Measure::Bandwidth, &at), 151.2345);
}

#[test]
fn random_latencies_and_huge_pages_are_remarked() {
    let matrix = "Measuring idle latencies (in ns)...\n\t\tNuma node\nNuma node\t 0\t 1\n0\t78.5\t119.4\n1\t120.8\t76.6";
    let file = only_run(&invocation("--latency_matrix -r -h", matrix));
    let said = warnings(&file);
    assert!(said.iter().any(|warning| warning.contains("`-r`")), "{said:?}");
    assert!(said.iter().any(|warning| warning.contains("`-h`")), "{said:?}");
}

/// The smallest of three statistics was the value.
#[test]
fn the_mean_of_a_transfer_is_its_value_where_a_head_names_it() {
    let head = "| Metric | min | max | avg | Unit |\n|--|--|--|--|--|\n";
    let row = "| Local Socket L2->L2 HIT  latency | 51.0 | 91.5 | 60.25 | nanoseconds |\n\
               | Local Socket L2->L2 HITM latency | 52.0 | 82.5 | 61.75 | nanoseconds |\n";
    let file = only_run(&format!("{head}{row}"));
    let at = [(Axis::Level, word("L3")), (Axis::Placement, word("local")), (Axis::Scenario, word("clean"))];
    assert_eq!(value(&file, "core-to-core", Measure::Latency, &at), 60.25);
    let error = import("a.txt", row, None).unwrap_err().to_string();
    assert!(error.contains("the mean"), "{error}");
}

/// The whole text was refused.
#[test]
fn the_end_of_a_raw_string_costs_nothing() {
    let text = "outputs = {\n\t\"--peak\": `Intel(R) Memory Latency Checker - v3.12\n\
                Measuring Peak Injection Memory Bandwidths for various Read/Write Ratios\nALL Reads        :\t298450.5`,\n}\n";
    let at = [(Axis::Initiator, word("all")), (Axis::Target, word("local")), (Axis::Mix, word("all_reads"))];
    assert_eq!(value(&only_run(text), "mixes", Measure::Bandwidth, &at), 298.4505);
}

#[test]
fn matrices_may_be_typed_with_the_words_of_people() {
    let head = "| requester NUMA node | memory node 0 | memory node 1 |\n|---:|---:|---:|\n";
    let text = format!(
        "MLC latency matrix，单位 ns：\n\n{head}| 0 | 82.5 | 140.5 |\n| 1 | 155.5 | 81.5 |\n\n\
         MLC read-only bandwidth matrix，单位 MB/s：\n\n{head}| 0 | 74078.5 | 34280.5 |\n| 1 | 34360.5 | 74238.5 |\n"
    );
    let file = only_run(&text);
    assert_eq!(value(&file, "latency-matrix", Measure::Latency, &between(1, 0)), 155.5);
    assert_eq!(value(&file, "bandwidth-matrix", Measure::Bandwidth, &between(0, 1)), 34.2805);
}

#[test]
fn a_matrix_may_have_its_title_in_its_corner_and_blanks_between_cells() {
    let text = "        threads:           1\n        region size in KB: 524288\n\
                \x20       Idle Latency (ns) - RandomInChunk       Node-0    Node-1    Node-2\n\
                \x20       Node-0                                  78.55     120.5     379.5\n\
                \x20       Node-1                                  119.5     80.95     177.5\n";
    let file = only_run(text);
    assert_eq!(value(&file, "latency-matrix", Measure::Latency, &between(1, 2)), 177.5);
    assert_eq!(file.experiments[0].cells.len(), 6);
    let Origin::Imported(origin) = &file.origin else { panic!("{:?}", file.origin) };
    assert_eq!(origin.tool, "mm-mem");
    // Counters by node are no matrix.
    let counters =
        "                           node0           node1\nnuma_hit                  7655          9212\n";
    assert!(import("a.txt", counters, None).unwrap_err().to_string().contains("numastat"));
}
