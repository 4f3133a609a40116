//! Shapes in which people publish the output of tools, each named after what was not read, or read wrongly. The numbers are ours.

use zerohop_importers::{ImportError, Imported, import};
use zerohop_machine::NodeId;
use zerohop_result::{Axis, Coordinate, Measure, ResultFile};
use zerohop_workload::Origin;

use crate::inputs::*;

#[track_caller]
fn all(text: &str) -> Vec<Imported> {
    import("a.txt", text, None).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

#[track_caller]
fn one(text: &str) -> ResultFile {
    let mut all = all(text);
    assert_eq!(all.len(), 1, "{text}");
    assert!(all[0].unread.is_empty(), "{:?}", all[0].unread);
    all.remove(0).result
}

fn whole(axis: Axis, name: &str) -> [(Axis, Coordinate); 3] {
    [(Axis::Initiator, word("all")), (Axis::Target, word("local")), (axis, word(name))]
}

fn median(file: &ResultFile, experiment: usize, cell: usize) -> f64 {
    file.experiments[experiment].cells[cell].estimate.median
}

#[test]
fn babelstreams_triad_alone_is_in_gigabytes() {
    let head = "BabelStream\nVersion: 5.0\nImplementation: OpenMP\nRunning triad 100 times\nNumber of elements: 33554432\n\
                Precision: double\n";
    let log = "--------------------------------\nRuntime (seconds): 0.41\nBandwidth (GB/s):  195.125\n";
    let csv =
        "function,num_times,n_elements,sizeof,gbytes_per_sec,runtime\nTriad,100,33554432,8,195.125,0.41\n";
    for text in [format!("{head}{log}"), csv.to_owned()] {
        let file = one(&text);
        assert_eq!(value(&file, "stream", Measure::Bandwidth, &whole(Axis::Kernel, "triad")), 195.125);
    }
    let file = one(&csv.replace("gbytes", "gibytes"));
    let triad = value(&file, "stream", Measure::Bandwidth, &whole(Axis::Kernel, "triad"));
    assert!((triad - 195.125 * 1.073_741_824).abs() < 1e-9, "{triad}");
}

/// Versions before 4 begin with what they run, and were not recognized.
#[test]
fn babelstreams_triad_alone_needs_no_name() {
    let text = "Running triad 100 times\nNumber of elements: 33554432\nPrecision: double\nArray size: 268435.5 KB (=268.4 MB)\n\
                Using CUDA device Tesla P100\nDriver: 9020\n--------------------------------\n\
                Runtime (seconds): 0.148\nBandwidth (GB/s):  541.22\n";
    let imported = import("triad.txt", text, None).unwrap();
    let cells: Vec<f64> = imported[0]
        .result
        .experiments
        .iter()
        .flat_map(|done| done.cells.iter())
        .map(|cell| cell.estimate.median)
        .collect();
    assert_eq!(cells, [541.22]);
}

/// Writing and reading the arrays once is no kernel, in the CSV as in the log.
#[test]
fn the_phases_of_babelstreams_csv_are_no_kernels() {
    let file = one(
        "phase,n_elements,sizeof,max_mbytes_per_sec,runtime\nInit,1024,8,900.5,0.1\nRead,1024,8,901.5,0.1\n\
                    function,num_times,n_elements,sizeof,max_mbytes_per_sec,min_runtime,max_runtime,avg_runtime\n\
                    Copy,100,1024,8,90100.5,0.001,0.003,0.002\n",
    );
    assert_eq!(file.experiments[0].cells.len(), 1);
    assert_eq!(median(&file, 0, 0), 90.1005);
}

#[test]
fn the_table_by_size_of_old_babelstreams_is_read() {
    let text = "# Benchmark GPU-STREAM running on Example Xeon CPU\n# Precision: float. Range: [1024 .. 2048] step 1024\n\
                # For more details see https://github.com/UoB-HPC/GPU-STREAM\n\
                # ArrayElements  ArraySize(MB)  Copy(MBytes/s)  Mul(MBytes/s)\n 1024 0.003 9500.5 9600.5\n 2048 0.007 8500.5 8600.5\n";
    let file = one(text);
    let at = [(Axis::Footprint, number(2048 * 12)), (Axis::Kernel, word("scale"))];
    assert_eq!(value(&file, "bandwidth-by-size", Measure::Bandwidth, &at), 8.6005);
    let device = one(&text.replace("Example Xeon CPU", "Example GPU"));
    assert_eq!(names(&device), ["device-bandwidth"]);
}

#[test]
fn streams_with_a_column_of_directions_are_read() {
    let table = "Function     Direction    BestRateMBs     AvgTime      MinTime      MaxTime\n";
    let rows = "Copy:        0->0            100100.5     0.032662     0.031853     0.033301\n\
                Scale:       0->0            101100.5     0.032526     0.031664     0.032970\n";
    let file = one(&format!("{table}{rows}"));
    assert_eq!(value(&file, "stream", Measure::Bandwidth, &whole(Axis::Kernel, "scale")), 101.1005);
    // The next command's table may come without its head.
    assert_eq!(all(&format!("{table}{rows}\n{}", rows.replace("100100.5", "20100.5"))).len(), 2);
}

#[test]
fn a_mail_in_quoted_printable_is_decoded_and_keeps_its_lines() {
    let mail = "> numactl --membind=3D1 ./strea=\nm\n> Function Best Rate MB/s  Avg time  Min time  Max ti=\nme\n\
                > Copy:  20100.5  0.0341  0.0318  0.03=\n33\n> Scale:  20200.5  0.0341  0.0318  0.0333\n> Add: slow\n";
    match import("a", mail, None) {
        Err(ImportError::Broken { line: Some(8), .. }) => {}
        other => panic!("{other:?}"),
    }
    let file = all(&mail.replace("slow", "20300.5  0.0341  0.0318  0.0333")).remove(0).result;
    let at = [(Axis::Initiator, word("all")), (Axis::Target, number(1)), (Axis::Kernel, word("copy"))];
    assert_eq!(value(&file, "stream", Measure::Bandwidth, &at), 20.1005);
    assert_eq!(file.experiments[0].cells.len(), 3);
}

#[test]
fn a_table_of_streams_rates_has_no_colons() {
    for text in [
        "| Function | Best Rate MB/s | Avg time | Min time | Max time |\n|---|---|---|---|---|\n| Copy | 20100.5 | 0.0341 | 0.0318 | 0.0333 |\n| Triad | 20200.5 | 0.0341 | 0.0318 | 0.0333 |\n",
        "Function,Best Rate MB/s,Avg time,Min time,Max time\nCopy,20100.5,0.0341,0.0318,0.0333\nTriad,20200.5,0.0341,0.0318,0.0333\n",
    ] {
        let file = one(text);
        assert_eq!(value(&file, "stream", Measure::Bandwidth, &whole(Axis::Kernel, "triad")), 20.2005);
    }
}

#[test]
fn remarks_behind_lmbenchs_pairs_do_not_cost_them() {
    let file = one(
        "# \"stride=64\"\n# 0.00049   1.4   ← 512B: L1 (4 cycles)\n# 0.00098   1.5\n# ...\n# 1.0  13.5 # 1 MB - L3\n",
    );
    assert_eq!(file.experiments[0].cells.len(), 3);
    let file = all("Getting this output: \"stride=128\n0.00049 1.25\n0.00098 1.25\n").remove(0).result;
    let at = [(Axis::Footprint, number(1024)), (Axis::Case, word("stride 128"))];
    assert_eq!(value(&file, "load-latency", Measure::Latency, &at), 1.25);
}

/// All values had the name of the shell's variable, and each began a run of its own.
#[test]
fn a_loop_around_bw_mem_names_its_kernels() {
    let text = "1. bw_mem : test bandwidth (rd wr cp);\n for bm in rd wr cp\n do\n   numactl -C 0 bw_mem -P 1 32M $bm\n done\n-result\n\
                33.55 9500.5\n\n33.55 7800.5\n33.55 5200.5\n";
    let all = all(text);
    assert_eq!(all.len(), 1);
    let at = |kernel| {
        [(Axis::Footprint, number(32 << 20)), (Axis::Kernel, word(kernel)), (Axis::Case, word("CPUs 0"))]
    };
    for (kernel, rate) in [("rd", 9.5005), ("wr", 7.8005), ("cp", 5.2005)] {
        assert_eq!(value(&all[0].result, "bandwidth-by-size", Measure::Bandwidth, &at(kernel)), rate);
    }
}

#[test]
fn sums_alone_of_nvbandwidth_are_read_as_sums() {
    let file = one("SUM host_to_device_memcpy_ce 45.5\nSUM device_to_host_memcpy_ce 46.5\n");
    let at = [
        (Axis::Initiator, word("all")),
        (Axis::Target, word("all")),
        (Axis::Case, word("sum of device_to_host_memcpy_ce")),
    ];
    assert_eq!(value(&file, "device-bandwidth", Measure::Bandwidth, &at), 46.5);
}

#[test]
fn what_new_versions_of_nvbandwidth_print_around_a_matrix_is_known() {
    one(
        "nvbandwidth Version: v0.8\nexample-host\nDevice 0: Example GPU (00000000:01:00)\n\nRunning host_to_device_memcpy_ce.\n\
         memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)\n           0\n 0     12.5\n\nSUM host_to_device_memcpy_ce 12.5\n\
         COEFFICIENT_OF_VARIATION host_to_device_memcpy_ce 0.00\nWaived: \n",
    );
}

/// It was marked as read.
#[test]
fn a_line_in_place_of_a_matrixs_head_is_listed() {
    let all = all(
        "Running a_ce.\nmemcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)\nsome words\n           0\n 0     12.5\n",
    );
    assert_eq!(all[0].unread.iter().map(|range| range.first).collect::<Vec<_>>(), [3]);
    assert_eq!(median(&all[0].result, 0, 0), 12.5);
}

#[test]
fn json_inside_source_code_is_found() {
    let text = "fn parses() {\n    let text = r#\"{\n      \"nvbandwidth\": { \"testcases\": [{\n        \"name\": \"a_ce\", \"status\": \"Passed\",\n\
                \"bandwidth_description\": \"memcpy CE GPU(row) <- GPU(column) bandwidth (GB/s)\",\n\
                \"bandwidth_matrix\": [[\"N/A\", \"25.5\"], [\"24.5\", \"N/A\"]] }] }\n    }\"#;\n    check(text);\n}\n";
    let file = all(text).remove(0).result;
    assert_eq!(file.experiments[0].cells.len(), 2);
}

#[test]
fn matrices_of_several_benchmarks_follow_each_other() {
    let matrix = ",,\n40.5,,\n41.5,42.5,\n";
    let all = all(&format!("{matrix}{}{}", matrix.replace("4", "5"), matrix.replace("4", "6")));
    assert_eq!(all.len(), 3);
    let at = [(Axis::From, number(0)), (Axis::To, number(2))];
    assert_eq!(value(&all[2].result, "core-to-core", Measure::Latency, &at), 61.5);
    assert!(warnings(&all[2].result).iter().any(|warning| warning.contains("different benchmarks")));
}

/// The numbers of the cores were latencies.
#[test]
fn a_head_and_a_column_of_cores_are_no_latencies() {
    for text in [
        ",0,2,4\n0,,,\n2,40.5,,\n4,41.5,42.5,\n",
        "core,cpu0,cpu2,cpu4\ncpu0,0,40.5,41.5\ncpu2,40.5,0,42.5\ncpu4,41.5,42.5,0\n",
    ] {
        let file = one(text);
        let cells = &file.experiments[0].cells;
        assert!(cells.iter().all(|cell| cell.estimate.median > 40.0), "{text}");
        let at = [(Axis::From, number(2)), (Axis::To, number(4))];
        assert_eq!(value(&file, "core-to-core", Measure::Latency, &at), 42.5);
    }
}

#[test]
fn fairness_with_commas_alone_is_read() {
    let file = one(
        "results are avg latency per locked increment in ns, one column per thread\ncpu,0,2,avg,stdev,min,max\n\
                    Global counter 0 unrelaxed: [bw in ops/mSec per thread, latency in ns]\n,60.5,62.5,61.5,1.4,60.5,62.5\n\
                    Global counter 0 relaxed: [bw in ops/mSec per thread, latency in ns]\n,50.5,52.5,51.5,1.4,50.5,52.5\n",
    );
    let at = [(Axis::Cpu, number(2)), (Axis::Scenario, word("relaxed"))];
    assert_eq!(value(&file, "locked-increments", Measure::Latency, &at), 52.5);
}

const NODES: &str = "available: 2 nodes (0-1)\nnode 0 cpus: 0 1\nnode 0 size: 4000 MB\nnode 0 free: 100 MB\nnode 1 cpus: 2 3\nnode 1 size: 4000 MB\n\
                     node distances:\nnode 0 1\n 0: 10 21\n 1: 21 10\n";

/// The nodes of the second were put into the first.
#[test]
fn a_machine_before_and_after_a_change_is_two_machines() {
    let after = "available: 3 nodes (0-2)\nnode 0 cpus: 0 1\nnode 0 size: 4000 MB\nnode 1 cpus: 2 3\nnode 1 size: 4000 MB\nnode 2 cpus:\n\
                 node 2 size: 8000 MB\nnode distances:\nnode 0 1 2\n 0: 10 21 31\n 1: 21 10 32\n 2: 31 32 10\n";
    let all = all(&format!("{NODES}\n{after}"));
    assert_eq!(all.iter().map(|one| one.result.machine.nodes.len()).collect::<Vec<_>>(), [2, 3]);
    let distances = all[1].result.machine.distances.as_ref().unwrap();
    assert_eq!(distances.get(NodeId(2), NodeId(1)), Some(32));
    assert!(all.iter().all(|one| one.unread.is_empty()));
    // The same machine again, with other memory free, is one.
    assert_eq!(one(&format!("{NODES}\n{}", NODES.replace("100 MB", "90 MB"))).machine.nodes.len(), 2);
}

#[test]
fn mlcs_values_typed_in_gigabytes_are_not_a_thousand_times_too_small() {
    for text in [
        "Measuring Memory Bandwidths between nodes within system (GB/s)\n| Numa node | 0 | 1 |\n|---|---|---|\n| 0 | 111.5 | 51.5 |\n| 1 | 51.5 | 111.5 |\n",
        "Bandwidth (GB/s)\nNuma node 0 1\n0 111.5 51.5\n1 51.5 111.5\n",
        "Measuring Memory Bandwidths between nodes within system\nNuma node 0 1\n0 111.5 GB/s 51.5 GB/s\n1 51.5 GB/s 111.5 GB/s\n",
    ] {
        assert_eq!(
            value(&one_with_title(text), "bandwidth-matrix", Measure::Bandwidth, &between(0, 1)),
            51.5
        );
    }
    let file = one("ALL Reads : 190.5 GB/s\n3:1 Reads-Writes : 180.5 GB/s\n");
    assert_eq!(value(&file, "mixes", Measure::Bandwidth, &whole(Axis::Mix, "all_reads")), 190.5);
    let file =
        one("Inject Delay | Latency (ns) | Bandwidth (GB/s)\n00000 | 250.5 | 270.5\n00100 | 120.5 | 250.5\n");
    assert_eq!(median(&file, 0, 1), 270.5);
    // A title that is wrong about MLC's own values does not make them a thousand times too large.
    let file = one(
        "Measuring Memory Bandwidths between nodes within system (GB/s)\nNuma node 0 1\n0 111500.5 51500.5\n1 51500.5 111500.5\n",
    );
    assert_eq!(value(&file, "bandwidth-matrix", Measure::Bandwidth, &between(0, 1)), 51.5005);
}

/// A title of one's own is not understood, and stated so.
fn one_with_title(text: &str) -> ResultFile {
    all(text).remove(0).result
}

#[test]
fn latencies_with_their_unit_are_read() {
    let file = one("Measuring idle latencies...\nNuma node 0 1\n0 78.5ns 119.5ns\n1 120.5 ns 76.5 ns\n");
    assert_eq!(value(&file, "latency-matrix", Measure::Latency, &between(1, 0)), 120.5);
}

/// The cells of a spreadsheet: tabs, commas, semicolons, quotation marks, empty cells at the ends of rows.
#[test]
fn columns_of_mlc_are_read_as_a_spreadsheet_writes_them() {
    let lines = [
        "Measuring idle latencies (in ns)...,,,",
        "Numa node,0,1,",
        "0,78.5,119.5,",
        "1,120.5,76.5,",
        ",,,",
        "Measuring Peak Injection Memory Bandwidths for the system,,,",
        "ALL Reads,190900.5,,",
        "3:1 Reads-Writes,180900.5,,",
        ",,,",
        "Measuring Loaded Latencies for the system,,,",
        "Inject Delay,Latency (ns),Bandwidth (MB/s),",
        "0,281.5,271100.5,",
        "200,101.5,201100.5,",
    ];
    let text = lines.join("\n");
    let quoted = |line: &str| line.split(',').map(|cell| format!("\"{cell}\"")).collect::<Vec<_>>().join(",");
    for text in [
        text.clone(),
        text.replace(',', ";"),
        text.replace(',', "\t"),
        text.replace(',', ", "),
        lines.map(quoted).join("\n"),
        lines.map(|line| line.trim_end_matches(',')).join("\n"),
    ] {
        let file = one(&text);
        assert_eq!(names(&file), ["latency-matrix", "mixes", "loaded-latency"], "{text}");
        assert_eq!(value(&file, "latency-matrix", Measure::Latency, &between(1, 0)), 120.5);
        assert_eq!(value(&file, "mixes", Measure::Bandwidth, &whole(Axis::Mix, "3:1")), 180.9005);
        assert_eq!(file.experiments[2].cells.len(), 4);
    }
}

/// The values behind an empty cell moved to another column.
#[test]
fn an_empty_cell_of_a_table_keeps_its_column() {
    let title = "Remote Socket L2->L2 HITM latency (data address homed in writer socket)";
    let at = [
        (Axis::Initiator, number(2)),
        (Axis::Target, number(1)),
        (Axis::Placement, word("owner_node")),
        (Axis::Scenario, word("modified")),
    ];
    let rows = "<tr><th>Writer Numa Node</th><th>0</th><th>1</th><th>2</th></tr>\n<tr><td>0</td><td></td><td>111.5</td><td>112.5</td></tr>\n\
                <tr><td>1</td><td>113.5</td><td></td><td>114.5</td></tr>\n<tr><td>2</td><td>115.5</td><td>116.5</td><td></td></tr>\n";
    let spread = rows.replace("><t", ">\n  <t").replace("></t", ">\n</t");
    for text in [
        format!(
            "{title}\n| Writer Numa Node | 0 | 1 | 2 |\n|---|---|---|---|\n| 0 | | 111.5 | 112.5 |\n| 1 | 113.5 | | 114.5 |\n| 2 | 115.5 | 116.5 | |\n"
        ),
        format!("{title},,,\nWriter Numa Node,0,1,2\n0,,111.5,112.5\n1,113.5,,114.5\n2,115.5,116.5,\n"),
        format!("<p>{}</p>\n<table>\n{rows}</table>\n", title.replace('>', "&gt;")),
        format!("<p>{}</p>\n<table>\n{spread}</table>\n", title.replace('>', "&gt;")),
    ] {
        let file = one(&text);
        assert_eq!(value(&file, "cache-to-cache", Measure::Latency, &at), 114.5, "{text}");
        assert_eq!(file.experiments[0].cells.len(), 6);
    }
}

#[test]
fn a_table_of_likwids_kernels_is_read() {
    let file =
        one("Test,Threads,Size (Byte),MByte/s\nload,8,1000000000,120100.5\ncopy,8,1000000000,90100.5\n");
    let at = [
        (Axis::Kernel, word("copy")),
        (Axis::Case, word("8 threads")),
        (Axis::Footprint, number(1_000_000_000)),
    ];
    assert_eq!(value(&file, "kernel-bandwidth", Measure::Bandwidth, &at), 90.1005);
    let file = one("LIKWID MICRO BENCHMARK,\nTest: load,\nMByte/s,120100.5\nTest: copy,\nMByte/s,90100.5\n");
    assert_eq!(file.experiments[0].cells.len(), 2);
}

#[test]
fn other_tools_are_named_with_what_to_import_in_their_place() {
    for (text, name) in [
        (
            "sysbench 1.0.20\nTotal operations: 102400 (93452.21 per second)\n102400.00 MiB transferred (9345.22 MiB/sec)\n",
            "sysbench",
        ),
        ("AVG\tMethod: MEMCPY\tElapsed: 0.12\tMiB: 512.00000\tCopy: 4266.7 MiB/s\n", "mbw"),
    ] {
        match import("a.txt", text, None) {
            Err(error @ ImportError::Unrecognized { .. }) => {
                assert!(error.to_string().contains(name) && error.hint().contains("import"), "{error}");
            }
            other => panic!("{name}: {other:?}"),
        }
    }
}

#[test]
fn rates_of_links_and_of_memory_that_cannot_be_carry_a_warning() {
    let warned = |text: &str| {
        warnings(&all(text).remove(0).result)
            .iter()
            .filter(|one| one.contains("no link") || one.contains("unit"))
            .count()
    };
    let log = "Platform: P\n  Device: D\n    Global memory bandwidth (GBPS)\n      float   : 55.5\n    Transfer bandwidth (GBPS)\n\
               enqueueReadBuffer : 12.5\n      enqueueMapBuffer(for read) : 18300.5\n";
    assert_eq!(warned(log), 1);
    assert_eq!(
        warned(
            "Measuring Memory Bandwidths between nodes within system\nNuma node 0 1\n0 71.5 31.5\n1 31.5 72.5\n"
        ),
        4
    );
}

#[test]
fn version_5_10_of_stream_is_not_5_1() {
    let file =
        one("STREAM version $Revision: 5.10 $\nFunction Best Rate MB/s Avg time\nCopy: 20100.5 0.0341\n");
    let Origin::Imported(origin) = &file.origin else { panic!("{:?}", file.origin) };
    assert_eq!(origin.version.as_deref(), Some("5.10"));
}

/// A list with an ellipsis was refused, and the whole text with it.
#[test]
fn cpus_that_the_text_leaves_out_are_not_known() {
    let file = one(&NODES.replace("node 1 cpus: 2 3", "node 1 cpus: 2 3 ... 30 31"));
    let machine = &file.machine;
    assert_eq!(machine.node(NodeId(0)).map(|node| node.pus.len()), Some(2));
    assert!(machine.gaps.iter().any(|gap| gap.contains("leaves some out")), "{:?}", machine.gaps);
}

#[test]
fn strings_of_a_python_list_are_lines() {
    let text: String = NODES.lines().map(|line| format!("    '{line}', \n")).collect();
    let file = all(&format!("numa_info = [\n{text}]\n")).remove(0).result;
    assert_eq!(file.machine.nodes.len(), 2);
}

#[test]
fn mlcs_warning_in_a_list_of_markdown_is_its_warning() {
    let file = one(
        "* Unable to modify prefetchers (try executing 'modprobe msr')\n* So, enabling random access for latency measurements\n\
                    Measuring idle latencies (in ns)...\nNuma node 0 1\n0 78.5 119.5\n1 120.5 76.5\n",
    );
    assert!(warnings(&file).iter().any(|warning| warning.contains("Unable to modify prefetchers")));
}

#[test]
fn tables_that_people_type_have_heads_of_their_own() {
    for text in [
        "Latency (ns),Node 0,Node 1\nNode 0,78.5,119.5\nNode 1,120.5,76.5\n",
        "### Memory latency (ns)\n\n| | Node 0 | Node 1 |\n|---|---|---|\n| Node 0 | 78.5 | 119.5 |\n| Node 1 | 120.5 | 76.5 |\n",
        "Socket,0,1\n0,78.5,119.5\n1,120.5,76.5\nMeasuring idle latencies,,\nSocket,0,1\n0,78.5,119.5\n1,120.5,76.5\n",
    ] {
        let file = all(text).remove(0).result;
        assert_eq!(value(&file, "latency-matrix", Measure::Latency, &between(1, 0)), 120.5, "{text}");
    }
    let file = all("Bandwidth (GB/s),Node 0,Node 1\nNode 0,111.5,51.5\nNode 1,51.5,112.5\n").remove(0).result;
    assert_eq!(value(&file, "bandwidth-matrix", Measure::Bandwidth, &between(1, 1)), 112.5);
    let file =
        all("Read/Write Ratio,Bandwidth (GB/s)\nALL Reads,190.5\n3:1 Reads-Writes,180.5\n").remove(0).result;
    assert_eq!(value(&file, "mixes", Measure::Bandwidth, &whole(Axis::Mix, "3:1")), 180.5);
    let file = one("Delay,Latency (ns),Bandwidth (MB/sec)\n00000,281.5,271100.5\n00200,101.5,201100.5\n");
    assert_eq!(file.experiments[0].cells.len(), 4);
}

#[test]
fn matrices_in_json_and_yaml_are_read_and_other_members_named() {
    for text in [
        "{\"host\": \"n1\", \"idle_latency_ns\": [[81.2, 130.2], [130.5, 81.0]], \"bandwidth_gb_s\": [[122.5, 51.5], [51.25, 122.0]]}",
        "host: n1\nlatency_matrix:\n  - [81.2, 130.2]\n  - [130.5, 81.0]\nbandwidth_gb_s:\n  node0: [122.5, 51.5]\n  node1: [51.25, 122.0]\n",
    ] {
        let all = import("a", text, None).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let file = &all[0].result;
        assert_eq!(value(file, "latency-matrix", Measure::Latency, &between(1, 0)), 130.5);
        assert_eq!(value(file, "bandwidth-matrix", Measure::Bandwidth, &between(1, 0)), 51.25);
    }
}
