//! What tools print about devices, in forms that their versions and people gave it. The numbers are ours.

use serde_json::json;
use zerohop_importers::{Imported, import};
use zerohop_result::{Axis, Measure, ResultFile};

use crate::inputs::*;

#[track_caller]
fn one(text: &str) -> ResultFile {
    let mut all = import("a.txt", text, None).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(all.len(), 1, "{text}");
    let Imported { result, unread, .. } = all.remove(0);
    assert!(unread.is_empty(), "{unread:?}");
    result
}

#[track_caller]
fn rate(file: &ResultFile, from: &str, to: &str, test: &str) -> f64 {
    let at = [(Axis::Initiator, word(from)), (Axis::Target, word(to)), (Axis::Case, word(test))];
    value(file, "device-bandwidth", Measure::Bandwidth, &at)
}

/// A test of both directions prints three matrices; the first had the name of the test and the others those of their sums. Early
/// versions call the rows CPUs, and print 0 for what they do not measure.
#[test]
fn both_directions_of_nvbandwidth_are_three_matrices_of_gpus() {
    let matrix = |part: &str, sum: &str, rates: [f64; 2]| {
        format!(
            "memcpy CE CPU(row) <-> GPU(column) {part} bandwidth (GB/s)\n          0         1\n0      0.00 {:9}\n\
             1 {:9}      0.00\n\nSUM device_to_device_bidirectional_memcpy_read_ce_{sum} 1.5\n\n",
            rates[0], rates[1]
        )
    };
    let text = format!(
        "Running device_to_device_bidirectional_memcpy_read_ce.\n{}{}{}",
        matrix("Read1", "read1", [180.5, 181.5]),
        matrix("Read2", "read2", [182.5, 183.5]),
        matrix("Total", "total", [363.0, 365.0])
    );
    let file = one(&text);
    let name = |part: &str| format!("device_to_device_bidirectional_memcpy_read_ce_{part}");
    assert_eq!(rate(&file, "gpu 0", "gpu 1", &name("read1")), 180.5);
    assert_eq!(rate(&file, "gpu 1", "gpu 0", &name("read2")), 183.5);
    assert_eq!(rate(&file, "gpu 1", "gpu 0", &name("total")), 365.0);
    assert_eq!(file.experiments[0].cells.len(), 6);
}

/// The rows of the three matrices follow each other in JSON: they were GPUs 2 to 5 of a machine with two.
#[test]
fn the_matrices_of_a_test_in_json_are_told_apart() {
    let text = json!({ "nvbandwidth": { "testcases": [{
        "name": "device_to_device_bidirectional_memcpy_write_ce",
        "status": "Passed",
        "bandwidth_description": "memcpy CE GPU(row) <-> GPU(column) Total bandwidth (GB/s)",
        "bandwidth_matrix": [
            ["N/A", "70.5"], ["71.5", "N/A"], ["N/A", "72.5"], ["73.5", "N/A"], ["N/A", "143.0"], ["145.0", "N/A"]
        ]
    }] } });
    let file = one(&text.to_string());
    let name = |part: &str| format!("device_to_device_bidirectional_memcpy_write_ce_{part}");
    assert_eq!(rate(&file, "gpu 1", "gpu 0", &name("write1")), 71.5);
    assert_eq!(rate(&file, "gpu 0", "gpu 1", &name("write2")), 72.5);
    assert_eq!(rate(&file, "gpu 1", "gpu 0", &name("total")), 145.0);
    assert_eq!(file.experiments[0].cells.len(), 6);
}

/// They were left out, and their sum stood for them.
#[test]
fn copies_inside_a_gpu_are_from_that_gpu_and_sums_over_gpus_are_from_all() {
    let text = "Running device_local_copy.\nmemcpy local GPU(column) bandwidth (GB/s)\n           0         1\n \
                0   1500.25   1510.25\n\nSUM device_local_copy 3010.50\n\n\
                Running all_to_one_write_ce.\nmemcpy CE All Gpus -> GPU(column) total bandwidth (GB/s)\n           0         1\n \
                0    250.25    260.25\n\nSUM all_to_one_write_ce 510.50\n\n\
                Running one_to_all_read_ce.\nmemcpy CE GPU(row) <- GPU(column) bandwidth (GB/s)\n           0         1\n \
                0    270.25    280.25\n\nSUM one_to_all_read_ce 550.50\n\n\
                NOTE: The reported results may not reflect the full capabilities of the platform.\n\
                Performance can vary with software drivers, hardware clocks, and system topology.\n";
    let file = one(text);
    assert_eq!(rate(&file, "gpu 1", "gpu 1", "device_local_copy"), 1510.25);
    assert_eq!(rate(&file, "all gpus", "gpu 0", "all_to_one_write_ce"), 250.25);
    assert_eq!(rate(&file, "all gpus", "gpu 1", "one_to_all_read_ce"), 280.25);
}

/// Each matrix was a run of its own of a test `unnamed`.
#[test]
fn a_matrix_without_its_test_has_the_name_of_its_command_line_or_of_what_it_describes() {
    let matrix = |arrow: &str, rate: f64| {
        format!("memcpy CE CPU(row) {arrow} GPU(column) bandwidth (GB/s)\n           0\n 0 {rate:9}\n")
    };
    let (to, from, both) = (matrix("->", 2.5), matrix("<-", 3.5), matrix("<->", 4.5));
    let file = one(&format!("{to}\n{from}\n{both}"));
    assert_eq!(rate(&file, "cpu 0", "gpu 0", "memcpy CE CPU -> GPU"), 2.5);
    assert_eq!(rate(&file, "cpu 0", "gpu 0", "memcpy CE CPU <- GPU"), 3.5);
    assert_eq!(rate(&file, "cpu 0", "gpu 0", "memcpy CE CPU <-> GPU"), 4.5);
    let file = one(&format!(
        "$ ./nvbandwidth -t 0    # host_to_device_memcpy_ce\n{to}\n$ ./nvbandwidth -t device_to_host_memcpy_ce -b 512\n{from}\n\
         $ ./nvbandwidth -t 2\n{both}\nRunning benchmark host_to_device_memcpy_sm.\n{to}"
    ));
    assert_eq!(rate(&file, "cpu 0", "gpu 0", "host_to_device_memcpy_ce"), 2.5);
    assert_eq!(rate(&file, "cpu 0", "gpu 0", "device_to_host_memcpy_ce"), 3.5);
    assert_eq!(rate(&file, "cpu 0", "gpu 0", "memcpy CE CPU <-> GPU"), 4.5);
    assert_eq!(rate(&file, "cpu 0", "gpu 0", "host_to_device_memcpy_sm"), 2.5);
}

#[test]
fn the_processes_of_several_hosts_are_known() {
    one(
        "nvbandwidth Version: v0.7\nBuilt from Git version: v0.7\n\nMPI version: Open MPI v4.1.4\nCUDA Runtime Version: 12080\n\
         Process 0 (worker-0): device 0: Example GPU (00000008:01:00)\nProcess 1 (worker-1): device 0: Example GPU (00000008:01:00)\n\n\
         Running multinode_device_to_device_memcpy_read_ce.\nmemcpy CE GPU(row) -> GPU(column) bandwidth (GB/s)\n           0         1\n \
         0       N/A    700.25\n 1    701.25       N/A\n\nSUM multinode_device_to_device_memcpy_read_ce 1401.50\n",
    );
}

/// hwloc 2 has matrices of many kinds. They were dropped without a word.
#[test]
fn what_a_machine_has_no_place_for_in_lstopos_xml_is_named() {
    let matrix = |tag: &str, attributes: &str| {
        format!("<{tag} nbobjs=\"2\" {attributes}><indexes length=\"4\">0 1 </indexes></{tag}>\n")
    };
    let others = matrix("distances2", "type=\"NUMANode\" kind=\"5\" name=\"NUMALatency\" indexing=\"os\"")
        + &matrix("distances2", "type=\"OSDev\" kind=\"9\" name=\"XGMIBandwidth\" indexing=\"gp\"")
        + &matrix("distances2", "type=\"Package\" kind=\"5\" indexing=\"os\"")
        + &matrix("distances2hetero", "kind=\"9\" name=\"NVLinkBandwidth\"")
        + "<memattr name=\"Latency\" flags=\"6\"/>\n<memattr name=\"Cost\" flags=\"2\"><memattr_value value=\"1\"/></memattr>\n";
    let text = input("lstopo.xml").replace("</topology>", &format!("{others}</topology>"));
    let imported = import("a.xml", &text, None).unwrap().remove(0);
    let left_out = [
        "distances XGMIBandwidth between objects of OSDev",
        "distances between objects of Package",
        "distances NVLinkBandwidth between objects of several types",
        "memory attribute Cost",
    ];
    assert_eq!(imported.left_out, left_out);
    assert!(warnings(&imported.result).iter().any(|warning| warning.contains("XGMIBandwidth")));
}

/// It was the host's.
#[test]
fn stream_for_gpus_is_about_the_device() {
    let table = "Function      Rate (MB/s)   Avg time     Min time     Max time\n\
                 Copy:      1774000.5000       0.0006       0.0006       0.0006\n\
                 Triad:     1790000.5000       0.0009       0.0009       0.0009\n";
    let title = " STREAM Benchmark implementation in CUDA\n Array size (double)=67108864*8*8 (4096 MB)\n";
    let at = |device: &str| {
        [
            (Axis::Initiator, word(device)),
            (Axis::Case, word("memory of the device")),
            (Axis::Kernel, word("triad")),
        ]
    };
    for (text, device) in [
        (format!("Device Selected 6: \"Example GPU\"\n{title}{table}"), "Example GPU"),
        (format!("{title}{table}"), "the device"),
    ] {
        let file = one(&text);
        assert_eq!(value(&file, "device-bandwidth", Measure::Bandwidth, &at(device)), 1790.0005);
        assert_eq!(names(&file), ["device-bandwidth"]);
    }
}

/// A device without a name was the host's processor, and its memory that of all nodes.
#[test]
fn a_device_without_a_name_is_not_the_host() {
    let table = "Function    MBytes/sec  Min (sec)   Max         Average\nCopy        202217.5  0.00415     0.00420     0.00418\n\
                 Triad       205717.5  0.00612     0.00616     0.00613\n";
    for head in ["Using OpenCL device \n", "Implementation: CUDA\n", "Implementation: HIP\n"] {
        let all = import("a.txt", &format!("GPU-STREAM\nVersion: 0.9\n{head}{table}"), None).unwrap();
        assert_eq!(names(&all[0].result), ["device-bandwidth"], "{head}");
    }
}

/// Rates of two configurations were two runs of one.
#[test]
fn columns_of_babelstream_that_tell_rows_apart_are_their_case() {
    let head = "config,function,num_times,n_elements,sizeof,max_mbytes_per_sec,min_runtime,max_runtime,average_runtime\n";
    let row = |config: &str, rate: f64| format!("{config},Copy,100,33554432,8,{rate},0.0,0.0,0.0\n");
    let text = format!("{head}{}{}", row("bare", 201_234.5), row("virtual", 15_234.5));
    let all = import("a.csv", &text, None).unwrap();
    assert_eq!(all.len(), 1);
    let at = |case: &str| [(Axis::Case, word(case)), (Axis::Kernel, word("copy"))];
    let file = &all[0].result;
    assert_eq!(value(file, "stream-by-threads", Measure::Bandwidth, &at("virtual")), 15.2345);
    assert_eq!(value(file, "stream-by-threads", Measure::Bandwidth, &at("bare")), 201.2345);
}

/// The CSV of scripts was refused.
#[test]
fn scripts_call_babelstreams_functions_kernels() {
    let row = |rep: u32, size: u64, rate: u64| format!("native,{rep},Mul,{size},{rate}\n");
    let rows = [row(1, 262_144, 613_202), row(1, 67_108_864, 669_907), row(2, 262_144, 639_473)];
    let all = import("a.csv", &format!("mode,rep,kernel,n_elements,mbps\n{}", rows.concat()), None).unwrap();
    assert_eq!(all.len(), 2);
    let at = [(Axis::Footprint, number(3 * 8 * 262_144)), (Axis::Kernel, word("scale"))];
    assert_eq!(value(&all[1].result, "bandwidth-by-size", Measure::Bandwidth, &at), 639.473);
    assert!(
        all[0].left_out.contains(&"column `mode` (`native`) of line 1".to_owned()),
        "{:?}",
        all[0].left_out
    );
}

fn run_of_clpeak(backend: &str, device: &str, rate: f64) -> String {
    format!(
        "  <run backend=\"{backend}\" platform=\"{backend}\" device=\"{device}\" driver=\"1\">\n\
         <category name=\"bandwidth\"><test name=\"global_memory_bandwidth\" unit=\"gbps\">\n\
         <metric name=\"float\">{rate}</metric></test></category>\n  </run>\n"
    )
}

/// The rates of four backends were runs of one.
#[test]
fn backends_of_clpeak_are_told_apart() {
    let xeon = "Example Xeon";
    let runs = [
        run_of_clpeak("oneAPI", xeon, 353.5),
        run_of_clpeak("CPU", xeon, 253.5),
        run_of_clpeak("Vulkan", "Example GPU", 453.5),
        run_of_clpeak("OpenCL", "Example GPU", 443.5),
    ];
    let text = format!("<clpeak format_version=\"2\" clpeak_version=\"2.0\">\n{}</clpeak>\n", runs.concat());
    let all = import("a.xml", &text, None).unwrap();
    assert_eq!(all.len(), 1);
    let file = &all[0].result;
    let at = |case: &str| {
        [(Axis::Case, word(case)), (Axis::Width, number(4)), (Axis::Placement, word("unstated"))]
    };
    let host = |case: &str| value(file, "global-bandwidth", Measure::Bandwidth, &at(case));
    assert_eq!((host("oneAPI"), host("CPU")), (353.5, 253.5));
    assert_eq!(file.experiments[1].cells.len(), 2);
    assert_eq!(file.machine.processor.model, xeon);
}

/// A second card was a second run of the first.
#[test]
fn equal_devices_of_clpeak_are_numbered() {
    let device = |rate: f64| {
        format!("  Device: Example GPU\n\n    Global memory bandwidth (GBPS)\n      float   : {rate}\n\n")
    };
    let text = format!("Platform: Example\n{}{}", device(182.5), device(184.5));
    let all = import("a.log", &text, None).unwrap();
    assert_eq!(all.len(), 1);
    let initiators: Vec<String> = all[0].result.experiments[0]
        .cells
        .iter()
        .filter_map(|cell| cell.at.get(Axis::Initiator).map(ToString::to_string))
        .collect();
    assert_eq!(initiators, ["Example GPU", "Example GPU #2"]);
    // Another run of the program names the platform again.
    let again = format!("Platform: Example\n{}Platform: Example\n{}", device(182.5), device(184.5));
    assert_eq!(import("a.log", &again, None).unwrap().len(), 2);
}

/// A GPU was the host, and 2.5 TB/s of a mapping that moved nothing were a rate.
#[test]
fn a_gpu_under_pocl_is_a_device_and_its_mappings_are_doubtful() {
    let text = "Platform: Portable Computing Language\n  Device: NVIDIA Tegra X1\n\n    Global memory bandwidth (GBPS)\n      float   : 17.5\n\n\
                \x20   Transfer bandwidth (GBPS)\n      enqueueMapBuffer(for read) : 2487.5\n";
    let file = &import("a.log", text, None).unwrap()[0].result;
    assert_eq!(names(file), ["device-bandwidth"]);
    assert!(warnings(file).iter().any(|warning| warning.contains("probably no data was moved")));
}

#[test]
fn tools_of_scripts_and_devices_are_named_in_the_refusal() {
    for (text, tool) in [
        ("function,n_elements,one,other\nCopy,262144,626.5,20.5\n", "a script that runs BabelStream"),
        ("run_0,Copy,100,262144,8,116015,3.6e-05,4.4e-05,3.7e-05\n", "a script that runs BabelStream"),
        ("STREAM_COPY_double_gpu_0_buffer_4096_block_128\t6711.5\t81.5\n", "SuperBench's gpu-stream"),
        ("{\n \"cpu-memory-bw-latency/mem_bandwidth_matrix_numa_0_1_bw\": 5388.5,\n", "SuperBench"),
        (
            "Global memory bandwidth (GBPS)\nglobal_memory_bandwidth float: local-offset 63.5, global-offset 70.5 gbps\n",
            "clpeak with two values",
        ),
    ] {
        let error = import("a.txt", text, None).unwrap_err().to_string();
        assert!(error.contains(tool), "{error}");
    }
}

/// They were values like others.
#[test]
fn matrices_that_contradict_devices_or_sums_are_doubtful() {
    let test = |columns: &str, row: &str, sum: f64| {
        format!(
            "nvbandwidth Version: v0.6\n\nDevice 0: NVIDIA H100\nDevice 1: NVIDIA H100\n\nRunning host_to_device_memcpy_ce.\n\
             memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)\n {columns}\n 0 {row}\n\nSUM host_to_device_memcpy_ce {sum}\n"
        )
    };
    let doubts = |text: &str| {
        let file = one(text);
        let found = warnings(&file).into_iter().filter(|warning| warning.contains("implausible"));
        found.collect::<Vec<_>>()
    };
    assert_eq!(doubts(&test("0 1", "55.5 54.5", 110.0)), [""; 0]);
    assert!(doubts(&test("0 1", "55.5 54.5", 55.5))[0].contains("add up to 110.00"));
    assert!(doubts(&test("0 1 2", "55.5 54.5 53.5", 163.5))[0].contains("3 GPUs, but the text lists 2"));
    let text = json!({ "nvbandwidth": {
        "version": "0.8", "GPU Device list": ["0: NVIDIA H100"],
        "testcases": [{
            "name": "host_to_device_memcpy_ce", "status": "Passed",
            "bandwidth_description": "memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)",
            "bandwidth_matrix": [["26.5", "25.5"]], "sum": 26.5
        }]
    } });
    assert_eq!(doubts(&text.to_string()).len(), 2);
}
