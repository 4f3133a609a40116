//! Tables in which people collected many runs of a tool, with columns of their own. The numbers are ours.

use zerohop_importers::import;
use zerohop_result::{Axis, Measure};

use crate::inputs::*;

const HEAD: &str =
    "function,num_times,n_elements,sizeof,max_mbytes_per_sec,min_runtime,max_runtime,avg_runtime";

/// They were dropped without a word.
#[test]
fn columns_that_people_add_to_babelstreams_csv_are_named() {
    let text = format!(
        "{HEAD},run,threads_per_core\nCopy,100,250000000,8,105000.0,0.038,0.039,0.0385,1,2\n\
         Triad,100,250000000,8,118000.0,0.0508,0.052,0.051,1,2\nCopy,100,250000000,8,106000.0,0.0377,0.039,0.0385,2,2\n"
    );
    let all = import("a.csv", &text, None).unwrap();
    assert_eq!(all.len(), 2);
    assert_eq!(all[0].left_out, ["column `run` of line 1", "column `threads_per_core` of line 1"]);
    let plain = text.replace(",run,threads_per_core", "").replace(",1,2\n", "\n").replace(",2,2\n", "\n");
    assert!(import("a.csv", &plain, None).unwrap()[0].left_out.is_empty());
}

/// Each size was a run of its own, and nothing told them apart.
#[test]
fn arrays_of_several_sizes_are_a_table_by_size() {
    let row = |elements: u64, rate: f64| format!("Triad,100,{elements},8,{rate},0.1,0.1,0.1\n");
    let text =
        format!("{HEAD}\n{}{}{}", row(1 << 20, 250_000.0), row(1 << 25, 120_000.0), row(1 << 20, 251_000.0));
    let all = import("a.csv", &text, None).unwrap();
    assert_eq!(all.len(), 2);
    let at = |elements: u64| [(Axis::Footprint, number(elements * 24)), (Axis::Kernel, word("triad"))];
    let rate = |run: usize, elements| {
        value(&all[run].result, "bandwidth-by-size", Measure::Bandwidth, &at(elements))
    };
    assert_eq!((rate(0, 1 << 20), rate(0, 1 << 25), rate(1, 1 << 20)), (250.0, 120.0, 251.0));
    // One size is the whole machine's.
    let file =
        import("a.csv", &format!("{HEAD}\n{}", row(1 << 25, 120_000.0)), None).unwrap().remove(0).result;
    assert_eq!(names(&file), ["stream"]);
}

/// The rate that the rows state for their size is compared with their times, as in the table.
#[test]
fn the_size_of_a_row_of_csv_contradicts_a_wrong_rate() {
    let text = format!("{HEAD}\nTriad,100,33554432,8,900000.0,0.00671,0.00702,0.00682\n");
    let file = import("a.csv", &text, None).unwrap().remove(0).result;
    assert!(warnings(&file).iter().any(|warning| warning.contains("arrays")), "{:?}", warnings(&file));
}

/// Scripts keep some of multiload's columns, and add others.
#[test]
fn a_part_of_multiloads_columns_is_enough() {
    let text = "LoadThds,ChaseNS,ChaseMibs,LdMaxMibs,Total Load\n1,145.5,53.0,0.0,53.0\n8,178.5,43.0,100000.0,100043.0\n";
    let all = import("a.csv", text, None).unwrap();
    assert_eq!(
        (all.len(), all[0].left_out.as_slice()),
        (1, ["column `total load` of line 1".to_owned()].as_slice())
    );
    let at = |threads: &str| [(Axis::Kernel, word("none")), (Axis::Case, word(threads))];
    let file = &all[0].result;
    assert_eq!(value(file, "chase-under-load", Measure::Latency, &at("1 thread")), 145.5);
    assert_eq!(value(file, "chase-under-load", Measure::Bandwidth, &at("8 threads")), 104.8576);
    assert_eq!(file.experiments[0].cells.len(), 3);
}

/// What `stream_mpi.x` of Mess prints when it is run by hand.
#[test]
fn the_load_of_mess_is_a_point_of_a_curve() {
    let row = |pause: u64, rates: &str| {
        format!(
            "$ Memory bandwidth load kernel $\nData is distributed across 16 MPI ranks\n\nMeasurements:\n\
             Percentage of RD traffic    Pause      Avg  BW      Min  BW      Max  BW\nMemory BW load  64  {pause}  {rates}\n"
        )
    };
    let text = row(1000, "8300.5 7800.5 8400.5") + &row(100, "9300.5 8800.5 9400.5");
    let all = import("a.txt", &text, None).unwrap();
    assert!(all.len() == 1 && all[0].unread.is_empty(), "{:?}", all[0].unread);
    let at = [
        (Axis::Initiator, number(0)),
        (Axis::Target, word("local")),
        (Axis::Delay, number(1000)),
        (Axis::ReadPercent, number(64)),
    ];
    assert_eq!(value(&all[0].result, "load-curves", Measure::Bandwidth, &at), 8.3005);
    assert_eq!(all[0].result.experiments[0].cells.len(), 2);
}

/// The message named the head, and that there were no rows.
#[test]
fn a_rate_of_stream_that_is_none_is_shown() {
    let text = "Function     Rate (MB/s)  Avg time   Min time  Max time\nCopy:        Infinity      0.0000      0.0000      0.0000\n";
    let message = import("a.txt", text, None).unwrap_err().to_string();
    assert!(message.contains("line 2") && message.contains("Infinity"), "{message}");
}

/// `make see` of lmbench: it was refused. Cells may be empty, and stand to the left of their dashes.
#[test]
fn the_summary_of_lmbench_has_a_case_for_each_system() {
    let text = "                 L M B E N C H  3 . 0   S U M M A R Y\n                 ------------------------------------\n\n\
        *Local* Communication bandwidths in MB/s - bigger is better\n\
        -----------------------------------------------------------------------------\n\
        Host                OS  Pipe AF    TCP  File   Mmap  Bcopy  Bcopy  Mem   Mem\n                             \
                                     UNIX      reread reread (libc) (hand) read write\n\
        --------- ------------- ---- ---- ---- ------ ------ ------ ------ ---- -----\n\
        example.h Linux 2.6.12- 141. 292. 57.2  140.5  224.7  1097.5   88.5 224. 155.5\n\
        example.h  Linux 6.1.0- 151. 302.              234.7   13.5K   98.5 234. 165.5\n\n\
        Memory latencies in nanoseconds - smaller is better\n    (WARNING - may not be correct, check graphs)\n\
        ------------------------------------------------------------------------------\n\
        Host                 OS   Mhz   L1 $   L2 $    Main mem    Rand mem    Guesses\n\
        --------- -------------   ---   ----   ----    --------    --------    -------\n\
        example.h Linux 2.6.12-   985 3.0750   45.5  109.5       254.5\n\
        example.h  Linux 6.1.0-  2985 1.0750   15.5        99.5       154.5\n\nregards\n";
    let all = import("a.txt", text, None).unwrap();
    assert_eq!(all.len(), 1);
    let file = &all[0].result;
    let rate = |system: &str, kernel: &str| {
        let at = [(Axis::Kernel, word(kernel)), (Axis::Case, word(&format!("example.h Linux {system}")))];
        value(file, "kernel-bandwidth", Measure::Bandwidth, &at)
    };
    assert_eq!((rate("2.6.12-", "rd"), rate("2.6.12-", "bcopy libc")), (0.224, 1.0975));
    assert_eq!((rate("6.1.0-", "wr"), rate("6.1.0-", "bcopy libc")), (0.1655, 13.5));
    let latency = |name: &str, system: &str| {
        let at = [(Axis::Case, word(&format!("{name}, example.h Linux {system}")))];
        value(file, "load-latency", Measure::Latency, &at)
    };
    assert_eq!((latency("L1", "2.6.12-"), latency("main memory", "2.6.12-")), (3.075, 109.5));
    assert_eq!((latency("L2", "6.1.0-"), latency("main memory, random", "6.1.0-")), (15.5, 154.5));
    assert_eq!(file.experiments.iter().map(|one| one.cells.len()).sum::<usize>(), 16);
    assert_eq!(all[0].unread.iter().map(|range| range.text.as_str()).collect::<Vec<_>>(), ["`regards`"]);
    // Before version 3, a MB was 2^20 bytes.
    let old = import("a.txt", &text.replace("3 . 0", "2 . 0"), None).unwrap().remove(0).result;
    let at = [(Axis::Kernel, word("rd")), (Axis::Case, word("example.h Linux 2.6.12-"))];
    let rate = value(&old, "kernel-bandwidth", Measure::Bandwidth, &at);
    assert!((rate - 0.224 * 1.048_576).abs() < 1e-12, "{rate}");
}

/// Some versions of PerfSpect name them otherwise: their JSON was refused.
#[test]
fn the_benchmarks_of_perfspect_are_read_under_both_of_their_names() {
    for (memory, numa) in [("Memory Benchmark", "NUMA Benchmark"), ("Memory Latency", "NUMA Bandwidth")] {
        let text = format!(
            "{{\"CPU\": [{{\"CPU Model\": \"Example Processor\"}}],\n\
             \"{memory}\": [{{\"Latency (ns)\": \"101.5\", \"Bandwidth (GB/s)\": \"2.5\"}}],\n\
             \"{numa}\": [{{\"Node\": \"0\", \"0\": \"151.5\", \"1\": \"51.5\"}}, {{\"Node\": \"1\", \"0\": \"52.5\", \"1\": \"152.5\"}}]}}"
        );
        let all = import("a.json", &text, None).unwrap();
        assert_eq!(names(&all[0].result), ["latency-by-load", "bandwidth-matrix"], "{memory}");
        assert_eq!(value(&all[0].result, "bandwidth-matrix", Measure::Bandwidth, &between(1, 0)), 52.5);
    }
}

/// alpaka's version of BabelStream names kernels and columns in its own way.
#[test]
fn alpakas_babelstream_is_read() {
    let run = |device: &str, precision: &str| {
        format!(
            "AcceleratorType:AccCpuSerial<1,unsigned int>\nNumberOfRuns:100\nPrecision:{precision}\nDataSize(items):33554432\n\
             DeviceName:{device}\nWorkDivCopy :{{gridBlockExtent: (33554432), blockThreadExtent: (1), threadElemExtent: (1)}}\n\
             Kernels         Bandwidths(GB/s) MinTime(s) MaxTime(s) AvgTime(s) DataUsage(MB) \n \
             InitKernel      12.5         0.0220 0.0244 0.0235 268.435 \n CopyKernel      20.5         0.0131 0.0141 0.0133 268.435 \n \
             MultKernel      21.5         0.0127 0.0161 0.0129 268.435 \n\n"
        )
    };
    let text = run("Example Core(TM) CPU", "single") + &run("Example GPU", "single");
    let all = import("a.txt", &text, None).unwrap();
    assert!(all.len() == 1 && all[0].unread.is_empty(), "{:?}", all[0].unread);
    let at = [(Axis::Initiator, word("all")), (Axis::Target, word("local")), (Axis::Kernel, word("scale"))];
    assert_eq!(value(&all[0].result, "stream", Measure::Bandwidth, &at), 21.5);
    assert_eq!(names(&all[0].result), ["stream", "device-bandwidth"]);
    assert_eq!(all[0].result.experiments.iter().map(|one| one.cells.len()).collect::<Vec<_>>(), [2, 2]);
}

/// It was the peak, which MLC measures at one rate of injection.
#[test]
fn a_command_line_says_that_mixes_are_the_best_of_several_rates() {
    let mixes = "Bandwidths are in MB/sec (1 MB/sec = 1,000,000 Bytes/sec)\nALL Reads        :      12700.50\n3:1 Reads-Writes :      17300.50\n";
    let kinds = |text: &str| {
        names(&import("a.txt", text, None).unwrap()[0].result)
            .into_iter()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(kinds(&format!("$ sudo mlc --max_bandwidth -m2\n{mixes}")), ["maximum-bandwidth"]);
    assert_eq!(kinds(&format!("$ sudo mlc --peak_injection_bandwidth\n{mixes}")), ["mixes"]);
}

/// People quote BabelStream's kernels without its table, and write tables of rates without times.
#[test]
fn rates_of_streams_kernels_with_a_unit_are_enough() {
    let rates = "Running kernels 100 times\nCopy:   9500 MB/s\nMul:    9600 MB/s\nAdd:   10700 MB/s\nTriad: 10800 MB/s\nDot:   14900 MB/s\n";
    let all = import("a.txt", &format!("Version: 5.0\nImplementation: OpenMP\n{rates}"), None).unwrap();
    let at = |kernel| {
        [(Axis::Initiator, word("all")), (Axis::Target, word("local")), (Axis::Kernel, word(kernel))]
    };
    assert_eq!(value(&all[0].result, "stream", Measure::Bandwidth, &at("scale")), 9.6);
    assert_eq!(value(&all[0].result, "stream", Measure::Bandwidth, &at("dot")), 14.9);
    let all = import("a.txt", &format!("Version: 5.0\nImplementation: CUDA\n{rates}"), None).unwrap();
    assert_eq!(names(&all[0].result), ["device-bandwidth"]);
    let table = "Function      Best GB/s    Avg GB/s   Worst GB/s\n---------\nCopy   150.5  145.5  138.5\nTriad   154.5   149.5  141.5\n";
    let all = import("a.txt", table, None).unwrap();
    assert_eq!(value(&all[0].result, "stream", Measure::Bandwidth, &at("triad")), 154.5);
    assert!(all[0].result.warnings.iter().any(|one| one.to_string().contains("mean and worst rates")));
    let about = "Copy: ~39062 MB/s\nScale: ~24800 MB/s\nAdd: ≈27.1 GB/s\nTriad: ~27400 MB/s\n";
    let all = import("a.txt", about, None).unwrap();
    assert_eq!(value(&all[0].result, "stream", Measure::Bandwidth, &at("copy")), 39.062);
    assert_eq!(value(&all[0].result, "stream", Measure::Bandwidth, &at("add")), 27.1);
}

/// Shares in percent below MLC's matrices were latencies.
#[test]
fn a_matrix_without_heading_that_has_zeros_for_own_memory_is_left_out() {
    let matrix = |own: &str, far: &str| format!("NUMA node 0 1\n0 {own} {far}\n1 {far} {own}\n\n");
    let text = format!("Latency matrix (in ns)\n{}", matrix("80.5", "130.5"));
    let all = import("a.txt", &(text + &matrix("0.00", "100.00")), None).unwrap();
    assert_eq!(names(&all[0].result), ["latency-matrix"]);
    assert!(
        all[0].result.warnings.iter().any(|one| one.to_string().contains("the matrix of line 6")),
        "{:?}",
        all[0].result.warnings
    );
}

/// Two memories were two runs of one.
#[test]
fn columns_of_mess_that_tell_rows_apart_are_their_case() {
    let head = "type,note,rd_percentage,pause,bandwidth_mean,latency_mean\n";
    let text = format!("{head}DDR5,a,100,0,201.5,341.5\nHBM,a,100,0,801.5,441.5\n");
    let all = import("a.csv", &text, None).unwrap();
    assert_eq!(all.len(), 1);
    let cells: Vec<String> =
        all[0].result.experiments[0].cells.iter().map(|cell| cell.at.to_string()).collect();
    assert!(
        cells.iter().any(|at| at.contains("DDR5")) && cells.iter().any(|at| at.contains("HBM")),
        "{cells:?}"
    );
    assert_eq!(all[0].left_out, ["column `note` (`a`) of line 1"]);
}
