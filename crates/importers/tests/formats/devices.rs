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
