//! Every format, by texts as they are found in the wild, with numbers of our own.

mod asct;
mod commands;
mod cores;
mod devices;
mod doubts;
mod forms;
mod inputs;
mod joined;
mod later;
mod metrics;
mod nodes;
mod options;
mod placed;
mod shapes;
mod size_sweeps;
mod stated;
mod surroundings;
mod sweeps;
mod tables;
mod units;
mod wrappings;

use std::fs;
use std::path::Path;

use zerohop_importers::{Format, Hints, ImportError, import};
use zerohop_machine::NodeId;
use zerohop_result::{Axis, Measure, ResultFile};
use zerohop_units::Hertz;
use zerohop_workload::{Origin, Warning};

use crate::inputs::*;

#[test]
fn a_whole_run_of_mlc_has_all_its_blocks() {
    let file = only("mlc-full.txt", "mlc");
    let Origin::Imported(origin) = &file.origin else { panic!("{:?}", file.origin) };
    assert_eq!((origin.tool.as_str(), origin.version.as_deref()), ("mlc", Some("3.11")));
    let all =
        ["latency-matrix", "mixes", "bandwidth-matrix", "loaded-latency", "cache-to-cache", "core-to-core"];
    assert_eq!(names(&file), all);
    assert_eq!(value(&file, "latency-matrix", Measure::Latency, &between(1, 0)), 172.6);
    assert_eq!(value(&file, "bandwidth-matrix", Measure::Bandwidth, &between(0, 1)), 61.2341);
    let whole = [(Axis::Initiator, word("all")), (Axis::Target, word("local")), (Axis::Mix, word("2:1"))];
    assert_eq!(value(&file, "mixes", Measure::Bandwidth, &whole), 271.2345);
    let loaded = [
        (Axis::Initiator, number(0)),
        (Axis::Target, word("local")),
        (Axis::Delay, number(200)),
        (Axis::Load, word("machine")),
    ];
    assert_eq!(value(&file, "loaded-latency", Measure::Latency, &loaded), 101.0);
    assert_eq!(value(&file, "loaded-latency", Measure::Bandwidth, &loaded), 297.2);
    let hit = [(Axis::Level, word("L3")), (Axis::Placement, word("local")), (Axis::Scenario, word("clean"))];
    assert_eq!(value(&file, "core-to-core", Measure::Latency, &hit), 51.3);
    let remote = [
        (Axis::Initiator, number(1)),
        (Axis::Target, number(0)),
        (Axis::Placement, word("reader_node")),
        (Axis::Scenario, word("modified")),
    ];
    assert_eq!(value(&file, "cache-to-cache", Measure::Latency, &remote), 187.5);
    assert!(warnings(&file).iter().any(|warning| warning.contains("Unable to modify prefetchers")));
    assert!(imported("mlc-full.txt")[0].unread.is_empty());
}

#[test]
fn a_mail_with_numactl_and_two_invocations_is_one_machine_and_one_run() {
    let all = imported("mlc-mail.txt");
    assert_eq!(all.len(), 1);
    let file = &all[0].result;
    assert_eq!(names(file), ["latency-matrix", "bandwidth-matrix"]);
    // A node without CPUs has no row.
    assert_eq!(value(file, "latency-matrix", Measure::Latency, &between(1, 2)), 331.0);
    assert_eq!(file.experiments[0].cells.len(), 6);
    assert_eq!(file.machine.nodes.len(), 3);
    assert_eq!(file.machine.node(NodeId(2)).map(|node| node.pus.is_empty()), Some(true));
    let distances = file.machine.distances.as_ref().unwrap();
    assert_eq!(distances.get(NodeId(1), NodeId(2)), Some(24));
    let unread: Vec<&str> = all[0].unread.iter().map(|range| range.text.as_str()).collect();
    assert!(unread.iter().any(|text| text.contains("Is 331") || text.contains("expander")), "{unread:?}");
    assert!(warnings(file).iter().any(|warning| warning.contains("in no known format")));
}

/// Without nodes, MLC writes sockets above the matrices of transfers between caches.
#[test]
fn transfers_between_caches_of_sockets_are_read() {
    let file = only("mlc-sockets.txt", "mlc");
    let at = |home: &str| {
        [
            (Axis::Initiator, number(1)),
            (Axis::Target, number(0)),
            (Axis::Placement, word(home)),
            (Axis::Scenario, word("modified")),
        ]
    };
    assert_eq!(value(&file, "cache-to-cache", Measure::Latency, &at("owner_node")), 133.5);
    assert_eq!(value(&file, "cache-to-cache", Measure::Latency, &at("reader_node")), 143.5);
    assert!(imported("mlc-sockets.txt")[0].unread.is_empty());
}

#[test]
fn a_markdown_table_of_mlc_is_read() {
    let file = only("mlc-markdown.md", "mlc");
    assert_eq!(value(&file, "latency-matrix", Measure::Latency, &between(1, 0)), 132.5);
    assert_eq!(file.experiments[1].cells.len(), 4);
    assert_eq!(file.experiments[2].cells.len(), 2);
    assert!(!warnings(&file).iter().any(|warning| warning.contains("no values")), "{:?}", warnings(&file));
}

#[test]
fn latencies_by_core_and_one_latency_are_kinds_of_their_own() {
    let file = only("mlc-cores.txt", "mlc");
    let at = [(Axis::Cpu, number(2)), (Axis::Target, number(1))];
    assert_eq!(value(&file, "core-latency", Measure::Latency, &at), 111.2);
    let at = [(Axis::Cpu, number(0)), (Axis::Target, word("local"))];
    assert_eq!(value(&file, "idle-latency", Measure::Latency, &at), 111.5);
}

/// The same matrix, however its blanks and lines arrive.
#[test]
fn a_matrix_survives_what_people_do_to_it() {
    let plain = "Measuring idle latencies (in ns)...\n\t\tNuma node\nNuma node\t     0\t     1\t\n       0\t  78.5\t 119.4\t\n       1\t 120.8\t  76.6\t\n";
    let variants = [
        plain.to_owned(),
        plain.replace('\t', "  "),
        plain.replace('\t', "\t\t"),
        plain.replace('\t', ""),
        plain.replace('\n', "\r\n"),
        plain.replace('\n', "\n\n"),
        plain.lines().map(|line| format!("> > {line}\n")).collect(),
        format!("```\n{plain}```\n这一部分\n"),
        plain.replace("78.5", "\u{1b}[31m78.5\u{1b}[0m"),
        plain.replace(' ', "\u{a0}"),
        plain.replace("Numa node\n", "Numa node   Numa node\n"),
        plain.replacen("\t\tNuma node\nNuma node", "\tMemory node\nSocket", 1),
        plain.replace("  78.5\t 119.4", "78.5119.4"),
        format!("$ ./mlc\nsome words\n{plain}\n$ exit\nbye 1 2 3\n"),
    ];
    for text in variants {
        let all = import("a", &text, None).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let file = &all[0].result;
        for (from, to, latency) in [(0, 0, 78.5), (0, 1, 119.4), (1, 0, 120.8), (1, 1, 76.6)] {
            assert_eq!(
                value(file, "latency-matrix", Measure::Latency, &between(from, to)),
                latency,
                "{text:?}"
            );
        }
        assert_eq!(file.experiments[0].cells.len(), 4, "{text:?}");
    }
}

#[test]
fn a_matrix_without_heading_is_judged_by_what_stands_before_it_or_by_its_size() {
    let text = "Numa node  0  1\n 0  82542.2 76679.9\n 1 76536.0 82986.5\n";
    let file = &import("a", text, Some("mlc".parse().unwrap())).unwrap()[0].result;
    assert_eq!(names(file), ["bandwidth-matrix"]);
    let text = "the latency matrix:\nNuma node  0  1\n 0  2542.2 3679.9\n 1 3536.0 2986.5\n";
    let file = &import("a", text, None).unwrap()[0].result;
    assert_eq!(names(file), ["latency-matrix"]);
}

#[test]
fn a_value_that_comes_again_begins_the_next_run() {
    let once = input("mlc-full.txt");
    let twice = format!("{once}\n{}", once.replace("101.5", "111.5"));
    let all = import("a", &twice, None).unwrap();
    assert_eq!(all.len(), 2);
    assert_eq!(value(&all[1].result, "latency-matrix", Measure::Latency, &between(0, 0)), 111.5);
    assert_eq!(all[1].result.experiments.len(), 6);
}

#[test]
fn missing_values_are_named_and_the_others_kept() {
    let text = "Measuring idle latencies (in ns)...\nNuma node 0 1\n 0 78.5 119.4\n 1 120.8\n";
    let file = &import("a", text, None).unwrap()[0].result;
    assert_eq!(file.experiments[0].cells.len(), 3);
    assert!(warnings(file).iter().any(|warning| warning.contains("line 4")), "{:?}", warnings(file));
}

#[test]
fn stream_is_the_whole_machine_s_and_keeps_its_spread() {
    let file = only("stream.txt", "stream");
    let at = [(Axis::Initiator, word("all")), (Axis::Target, word("local")), (Axis::Kernel, word("triad"))];
    assert_eq!(value(&file, "stream", Measure::Bandwidth, &at), 211.0005);
    let cell = &file.experiments[0].cells[0];
    assert!(cell.estimate.min < cell.estimate.mean && cell.estimate.mean < cell.estimate.max);
    assert_eq!(cell.evidence.workers, 64);
    assert!(imported("stream.txt")[0].unread.is_empty());
    let file = only("stream-fortran.txt", "stream");
    assert!((value(&file, "stream", Measure::Bandwidth, &at) - 57.2345678).abs() < 1e-9);
}

#[test]
fn babelstream_in_both_forms_and_units() {
    let at = [(Axis::Initiator, word("all")), (Axis::Target, word("local")), (Axis::Kernel, word("scale"))];
    let file = only("babelstream.txt", "babelstream");
    assert_eq!(value(&file, "stream", Measure::Bandwidth, &at), 161.751736);
    let file = only("babelstream.csv", "babelstream");
    let value = value(&file, "stream", Measure::Bandwidth, &at);
    assert!((value - 161.690).abs() < 0.001, "{value}");
}

#[test]
fn numactl_shows_sparse_nodes_without_cpus_or_memory() {
    let file = only("numactl-sparse.txt", "numactl");
    let nodes: Vec<u32> = file.machine.nodes.iter().map(|node| node.id.0).collect();
    assert_eq!(nodes, [0, 2, 8]);
    let node = |id| file.machine.node(NodeId(id)).unwrap();
    assert_eq!((node(0).pus.len(), node(2).pus.len(), node(8).pus.len()), (32, 10, 0));
    assert_eq!((node(2).memory.get(), node(8).memory.get()), (0, 128_000 << 20));
    let distances = file.machine.distances.as_ref().unwrap();
    assert!(!distances.is_symmetric());
    assert_eq!(distances.get(NodeId(2), NodeId(8)), Some(28));
    assert!(file.experiments.is_empty());
}

/// A terminal of 80 columns wraps the distances of many nodes.
#[test]
fn wrapped_distances_are_whole() {
    let text = "node distances:\nnode 0 1 2\n3\n 0: 10 21 21\n31\n 1: 21 10 31\n21\n 2: 21 31 10\n21\n 3: 31 21 21\n10\n";
    let file = import("a", text, None).unwrap().remove(0).result;
    assert_eq!(file.machine.distances.unwrap().get(NodeId(3), NodeId(0)), Some(31));
}

/// `lscpu` lists the CPUs of nodes and not their memory: they must not pass for nodes without memory.
#[test]
fn nodes_of_unknown_memory_are_gaps() {
    let text = format!(
        "Model name: Example\nNUMA node0 CPU(s): 0-3\nNUMA node1 CPU(s): 4-7\n{}",
        input("mlc-full.txt")
    );
    let file = import("a", &text, None).unwrap().remove(0).result;
    assert!(file.machine.nodes.is_empty() && file.machine.processor.model == "Example");
    assert!(
        file.machine.gaps.iter().any(|gap| gap.contains("node 1") && gap.contains("4-7")),
        "{:?}",
        file.machine.gaps
    );
}

/// A page about one tool mentions others.
#[test]
fn prose_that_mentions_a_tool_is_no_output_of_it() {
    let text = format!(
        "We also tried lmbench and bw_mem.\nAdd: more memory\n1 is slow, 2 sockets are fast\n3:1 Reads-Writes is odd: why\n\
         The Local Socket L2->L2 HITM latency says little.\n{}\n2 nodes are enough\nCopy: that\n",
        input("mlc-full.txt")
    );
    let all = import("a", &text, None).unwrap();
    assert_eq!((all.len(), all[0].result.experiments.len()), (1, 6));
    assert!(all[0].unread.len() >= 2);
}

#[test]
fn clpeak_in_its_log_its_json_and_its_xml() {
    let wide = |bytes| [(Axis::Width, number(bytes)), (Axis::Placement, word("unstated"))];
    let file = only("clpeak.log", "clpeak");
    assert_eq!(value(&file, "global-bandwidth", Measure::Bandwidth, &wide(64)), 45.2);
    assert!(file.machine.processor.model.contains("Example Processor"));
    assert!(warnings(&file).iter().any(|warning| warning.contains("Single-precision compute")));
    let file = only("clpeak.json", "clpeak");
    assert_eq!(value(&file, "global-bandwidth", Measure::Bandwidth, &wide(16)), 43.5);
    let file = only("clpeak-3.json", "clpeak");
    assert_eq!(value(&file, "global-bandwidth", Measure::Bandwidth, &wide(8)), 32.0);
    // A GPU is a device of its own.
    let file = only("clpeak.xml", "clpeak");
    assert_eq!(names(&file), ["device-bandwidth"]);
}

#[test]
fn clpeak_s_csv_has_quoted_names_and_what_was_not_measured() {
    let file = only("clpeak.csv", "clpeak");
    let wide = [(Axis::Width, number(64)), (Axis::Placement, word("unstated"))];
    assert_eq!(value(&file, "global-bandwidth", Measure::Bandwidth, &wide), 45.25);
    assert_eq!(file.machine.processor.model, "Example Processor 9000, 64-Core");
    let at = [
        (Axis::Initiator, word("Example GPU (OpenCL)")),
        (Axis::Case, word("global_memory_bandwidth")),
        (Axis::Kernel, word("float4")),
    ];
    assert_eq!(value(&file, "device-bandwidth", Measure::Bandwidth, &at), 402.75);
    let warnings = warnings(&file).join("; ");
    assert!(warnings.contains("single precision compute") && warnings.contains("no images"), "{warnings}");
}

/// Of two columns, the file's name says the share of reads, and only the user knows the clock.
#[test]
fn mess_curves_in_two_columns_and_in_json() {
    let at = |rank, share| [(Axis::Case, number(rank)), (Axis::ReadPercent, number(share))];
    let file = only("bwlat_66.txt", "mess");
    assert_eq!(value(&file, "latency-by-load", Measure::Bandwidth, &at(3, 66)), 75.00025);
    assert!(file.experiments[0].cells.iter().all(|cell| cell.measure == Measure::Bandwidth));
    assert!(warnings(&file).iter().any(|warning| warning.contains("--clock")), "{:?}", warnings(&file));
    let hints = Hints { clock: Some(Hertz(2.1e9)), format: None };
    let file = import("curves/bwlat_66.txt", &input("bwlat_66.txt"), hints).unwrap().remove(0).result;
    assert_eq!(value(&file, "latency-by-load", Measure::Latency, &at(6, 66)), 89.5);
    // Under another name, the columns alone show it.
    let file = import("a.txt", &input("bwlat_66.txt"), hints).unwrap().remove(0).result;
    assert_eq!(value(&file, "latency-by-load", Measure::Latency, &[(Axis::Case, number(5))]), 90.0);
    let file = only("mess.json", "mess");
    assert_eq!(value(&file, "latency-by-load", Measure::Latency, &at(2, 100)), 88.5);
}

#[test]
fn multichase_and_its_companions() {
    let file = only("multichase.txt", "multichase");
    let at = [(Axis::Footprint, number(1 << 30)), (Axis::Case, word("simple, stride 256"))];
    assert_eq!(value(&file, "load-latency", Measure::Latency, &at), 96.4);
    let file = only("multiload.txt", "multichase");
    let at = [(Axis::Kernel, word("stream-sum")), (Axis::Case, word("15 threads"))];
    assert_eq!(value(&file, "chase-under-load", Measure::Latency, &at), 131.406);
    assert_eq!(value(&file, "chase-under-load", Measure::Bandwidth, &at), 92525.0 * 1.048_576e-3);
    let file = only("fairness.txt", "multichase");
    let at = [(Axis::Cpu, number(1)), (Axis::Scenario, word("unrelaxed"))];
    assert_eq!(value(&file, "locked-increments", Measure::Latency, &at), 62.5);
    let file = only("pingpong.txt", "multichase");
    let at = [(Axis::From, number(1)), (Axis::To, number(3))];
    assert_eq!(value(&file, "core-to-core", Measure::Latency, &at), 112.5);
}

#[test]
fn lmbench_has_two_units_of_a_megabyte() {
    let file = only("lat_mem_rd.txt", "lmbench");
    let at = [(Axis::Footprint, number(512 << 20)), (Axis::Case, word("stride 128"))];
    assert_eq!(value(&file, "load-latency", Measure::Latency, &at), 91.504);
    let file = only("bw_mem.txt", "lmbench");
    let at = [(Axis::Footprint, number(512 << 20)), (Axis::Kernel, word("rd"))];
    assert_eq!(value(&file, "bandwidth-by-size", Measure::Bandwidth, &at), 12.34567);
    let file = only("lmbench-run.txt", "lmbench");
    let at = [(Axis::Footprint, number(128 << 20)), (Axis::Kernel, word("wr"))];
    assert_eq!(value(&file, "bandwidth-by-size", Measure::Bandwidth, &at), 9.08432);
}

#[test]
fn likwid_mess_and_perfspect() {
    let file = only("likwid.txt", "likwid-bench");
    let at = [
        (Axis::Kernel, word("load_avx512")),
        (Axis::Case, word("8 threads")),
        (Axis::Footprint, number(1_000_000_000)),
    ];
    assert_eq!(value(&file, "kernel-bandwidth", Measure::Bandwidth, &at), 123.1875);
    let file = only("mess.csv", "mess");
    let at = [
        (Axis::Initiator, number(0)),
        (Axis::Target, word("local")),
        (Axis::Delay, number(5000)),
        (Axis::ReadPercent, number(100)),
    ];
    assert_eq!(value(&file, "load-curves", Measure::Latency, &at), 91.5);
    let file = only("perfspect.json", "perfspect");
    assert_eq!(value(&file, "bandwidth-matrix", Measure::Bandwidth, &between(1, 0)), 52.5);
    assert_eq!(value(&file, "latency-matrix", Measure::Latency, &between(0, 1)), 171.5);
    assert_eq!(value(&file, "cache-latency", Measure::Latency, &[(Axis::Level, word("L2"))]), 4.5);
    assert_eq!(file.machine.processor.model, "Example Processor");
}

#[test]
fn cores_topologies_and_devices() {
    let at = [(Axis::From, number(0)), (Axis::To, number(2))];
    let file = only("core-to-core.csv", "core-to-core-latency");
    assert_eq!(value(&file, "core-to-core", Measure::Latency, &at), 47.5);
    let file = only("core-to-core.txt", "core-to-core-latency");
    assert_eq!(value(&file, "core-to-core", Measure::Latency, &at), 63.0);
    let file = only("lstopo.xml", "lstopo");
    assert_eq!((file.machine.pus.len(), file.machine.nodes.len()), (2, 1));
    // The file names it, where the text does not.
    assert_eq!(file.machine.name, "lstopo");
    let at = [
        (Axis::Initiator, word("gpu 0")),
        (Axis::Target, word("gpu 1")),
        (Axis::Case, word("device_to_device_memcpy_read_ce")),
    ];
    let file = only("nvbandwidth.json", "nvbandwidth");
    assert_eq!(value(&file, "device-bandwidth", Measure::Bandwidth, &at), 276.5);
    let file = only("nvbandwidth.txt", "nvbandwidth");
    assert_eq!(file.experiments[0].cells.len(), 2);
}

#[test]
fn several_tools_in_one_text_are_several_results() {
    let text = format!("{}\n{}", input("stream.txt"), input("mlc-full.txt"));
    let tools: Vec<&str> = import("a", &text, None).unwrap().iter().map(|one| one.format.name()).collect();
    assert_eq!(tools, ["mlc", "stream"]);
}

#[test]
fn a_broken_text_names_the_line_and_what_was_expected() {
    for (text, line, expected) in [
        ("Measuring idle latencies (in ns)...\nNuma node 0 1\n 0 78.5 oops\n", 3, "a number"),
        ("Measuring idle latencies (in ns)...\nNuma node 0 1\n 0 78.5 79.5 80.5\n", 3, "2 values"),
        ("Measuring idle latencies (in ns)...\n", 1, "values below the heading"),
        ("Function Best Rate MB/s Avg time\nCopy: slow\n", 2, "the rate of copy"),
        ("node distances:\nnode 0 1\n 0: 10 21\n 1: 21\n", 4, "2 distances"),
        ("rd_percentage,pause,bandwidth,latency\n100,0,1\n", 2, "4 values"),
        ("function,num_times,max_mbytes_per_sec\nCopy,1,fast\n", 2, "the rate of Copy"),
        ("{\n \"nvbandwidth\": {\n", 3, "cut off"),
        ("<topology version=\"2.0\">\n<object>\n</topology>\n", 3, "XML"),
    ] {
        match import("a.txt", text, None) {
            Err(error @ ImportError::Broken { line: Some(found), .. }) => {
                assert!(found == line && error.to_string().contains(expected), "{error}");
                assert!(!error.hint().is_empty());
            }
            other => panic!("{text}: {other:?}"),
        }
    }
    assert!(matches!(import("a", " \n", None), Err(ImportError::Empty { .. })));
    assert!(matches!(import("a", "Dear all,\nhello\n", None), Err(ImportError::Unrecognized { .. })));
}

#[test]
fn values_that_cannot_be_true_carry_a_warning() {
    let implausible = |text: &str| {
        let file = import("a", text, None).unwrap().remove(0).result;
        let cells = file.experiments.iter().flat_map(|one| &one.cells);
        cells
            .filter(|cell| cell.warnings.iter().any(|one| matches!(one, Warning::Implausible { .. })))
            .count()
    };
    let head = "Measuring idle latencies (in ns)...\nNuma node 0 1\n";
    assert_eq!(implausible(&format!("{head} 0 78.5 119.4\n 1 120.8 76.6\n")), 0);
    assert_eq!(implausible(&format!("{head} 0 0.0 119.4\n 1 120.8 -76.6\n")), 2);
    assert_eq!(implausible(&format!("{head} 0 90.0 90.0\n 1 90.0 90.0\n")), 4);
    let file = import("a", &format!("{head} 0 nan 119.4\n 1 120.8 76.6\n"), None).unwrap().remove(0).result;
    assert_eq!(file.experiments[0].cells.len(), 3);
    assert!(warnings(&file).iter().any(|warning| warning.contains("is not a number")));
}

#[test]
fn a_forced_format_is_the_only_one_that_reads() {
    let stream: Format = "stream".parse().unwrap();
    assert!(matches!(import("a", &input("mlc-full.txt"), Some(stream)), Err(ImportError::Broken { .. })));
    let format: Format = "multichase".parse().unwrap();
    let all = import("a", "96.5\n", Some(format)).unwrap();
    assert_eq!(names(&all[0].result), ["load-latency"]);
}

#[test]
fn every_input_makes_a_result_that_is_read_back_equal() {
    for entry in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/inputs")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        for one in imported(&name) {
            let text = one.result.text();
            assert_eq!(ResultFile::read(&text).unwrap(), one.result, "{name}");
        }
    }
}
