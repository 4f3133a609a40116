//! What logs, automation, web pages and papers put around a text, and what people write into it.

use zerohop_importers::{ImportError, import};
use zerohop_machine::NodeId;
use zerohop_result::{Axis, Measure, ResultFile};

use crate::inputs::*;

/// Texts of formats with columns, colons, commas and signs.
const TEXTS: [&str; 8] = [
    "mlc-full.txt",
    "stream.txt",
    "babelstream.txt",
    "numactl-sparse.txt",
    "likwid.txt",
    "lat_mem_rd.txt",
    "nvbandwidth.txt",
    "core-to-core.txt",
];

/// Values, and the nodes of the machine: what a text says, whatever is around it.
fn said(name: &str, text: &str) -> Vec<ResultFile> {
    let all = import(name, text, None).unwrap_or_else(|error| panic!("{name}: {error}\n{text}"));
    all.into_iter().map(|one| one.result).collect()
}

#[track_caller]
fn says_the_same(wrapping: &str, wrapped: impl Fn(&str) -> String) {
    for name in TEXTS {
        let text = input(name);
        let (plain, found) = (said(name, &text), said(name, &wrapped(&text)));
        assert_eq!(found.len(), plain.len(), "{name} in {wrapping}");
        for (one, other) in plain.iter().zip(&found) {
            assert_eq!(one.experiments, other.experiments, "{name} in {wrapping}");
            assert_eq!(one.machine.nodes, other.machine.nodes, "{name} in {wrapping}");
            assert_eq!(one.machine.distances, other.machine.distances, "{name} in {wrapping}");
        }
    }
}

fn each_line(text: &str, wrapped: impl Fn(usize, &str) -> String) -> String {
    text.lines().enumerate().map(|(rank, line)| wrapped(rank, line) + "\n").collect()
}

/// Docker, Kubernetes, journald, `ts`, continuous integration, loggers of Python and Go.
#[test]
fn times_before_each_line_are_no_part_of_the_text() {
    for prefix in [
        "2024-05-01T12:00:SS.1234567Z ",
        "2024-05-01 12:00:SS ",
        "[2024-05-01T12:00:SS.123Z] ",
        "May 01 12:00:SS ",
        "May  1 12:00:SS node07 mlc[4242]: ",
        "[12:00:SS] ",
        "2024-05-01 12:00:SS,123 INFO bench.runner: ",
        "I0501 12:00:SS.123456 4242 runner.go:55] ",
    ] {
        let stamp = |rank: usize| prefix.replace("SS", &format!("{:02}", rank % 60));
        says_the_same(prefix, |text| each_line(text, |rank, line| stamp(rank) + line));
    }
}

#[test]
fn names_of_containers_before_each_line_are_hosts() {
    for prefix in ["bench-1  | ", "[pod/bench-xk2/mlc] ", "out/run1.txt:"] {
        says_the_same(prefix, |text| each_line(text, |_, line| format!("{prefix}{line}")));
    }
    let name = said("a", &each_line(&input("stream.txt"), |_, line| format!("bench-1  | {line}")));
    assert_eq!(name[0].machine.name, "bench-1");
}

#[test]
fn marks_of_comments_patches_and_boxes_are_no_part_of_the_text() {
    for mark in ["# ", "// ", "; ", " * ", "+", ": "] {
        says_the_same(mark, |text| each_line(text, |_, line| format!("{mark}{line}")));
    }
    says_the_same("a box", |text| each_line(text, |_, line| format!("│ {line:70} │")));
}

#[test]
fn output_inside_json_is_read_from_its_strings() {
    let quoted = |line: &str| serde_json::to_string(line).unwrap();
    says_the_same("a list of lines", |text| {
        let lines: Vec<String> = text.lines().map(|line| format!("        {}", quoted(line))).collect();
        format!(
            "node07 | CHANGED => {{\n    \"changed\": true,\n    \"stdout_lines\": [\n{}\n    ]\n}}\n",
            lines.join(",\n")
        )
    });
    says_the_same("a string", |text| {
        format!("{{\n \"cmd\": [\"mlc\"],\n \"rc\": 0,\n \"stdout\": {}\n}}\n", quoted(text))
    });
    says_the_same("an object for each line", |text| {
        let log = |line: &str| quoted(&format!("{line}\n"));
        each_line(text, |_, line| format!("{{\"log\":{},\"stream\":\"stdout\"}}", log(line)))
    });
}

#[test]
fn a_web_page_is_read_as_a_browser_shows_it() {
    let escaped = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    says_the_same("<pre>", |text| {
        format!(
            "<html><body>\n<p>Our result:</p>\n<pre><code>{}</code></pre>\n</body></html>\n",
            escaped(text)
        )
    });
    says_the_same("<br>", |text| {
        let lines: Vec<String> = text.lines().map(|line| escaped(line).replace(' ', "&nbsp;")).collect();
        format!("<div>{}</div>\n", lines.join("<br/>"))
    });
    says_the_same("Jira", |text| format!("{{noformat}}\n{text}{{noformat}}\n"));
    says_the_same("<span>", |text| {
        each_line(text, |_, line| {
            format!("<div class=\"line\"><span class=\"cl\">{}</span></div>", escaped(line))
        })
    });
}

#[test]
fn ligatures_and_typographic_signs_of_a_paper_are_plain_letters() {
    says_the_same("a paper", |text| {
        text.replace("fi", "\u{fb01}")
            .replace("ff", "\u{fb00}")
            .replace('-', "\u{2010}")
            .replace(' ', "\u{a0}")
    });
    says_the_same("signs of full width", |text| {
        text.replace(':', "\u{ff1a}").replace('(', "\u{ff08}").replace(')', "\u{ff09}")
    });
}

/// The number of lines of a page or a list stays that of the file, where that has a line for each.
#[test]
fn a_fault_inside_a_wrapping_is_named_with_the_line_of_the_file() {
    let text = "Measuring idle latencies (in ns)...\nNuma node 0 1\n0 78.5 119.4\n1 120.8 oops\n";
    let stamped = each_line(text, |rank, line| format!("2024-05-01T12:00:0{rank}Z {line}"));
    let listed = each_line(text, |_, line| format!("  \"{line}\","));
    let page = format!("<pre>\n{text}</pre>\n");
    for (wrapped, expected) in [(stamped, 4), (format!("[\n{listed}]\n"), 5), (page, 5)] {
        let Err(ImportError::Broken { line, .. }) = import("a", &wrapped, None) else { panic!("{wrapped}") };
        assert_eq!(line, Some(expected), "{wrapped}");
    }
}

#[test]
fn remarks_behind_values_do_not_cost_the_values() {
    let loads = "Inject  Latency Bandwidth\nDelay   (ns)    MB/sec\n==========================\n\
                 00000  861.25   48582.5    <- all of it\n\"00100   98.75    68357.5\" <--- pass: \"over 81000\"\n00300  85.25  1000.5\n";
    let file = said("a", loads).remove(0);
    assert_eq!(file.experiments[0].cells.len(), 6);
    let matrix = "Measuring idle latencies (in ns)...\nNuma node 0 1\n0 78.5 119.4  (own, other)\n1 120.8 76.6  # fine\n";
    assert_eq!(said("a", matrix)[0].experiments[0].cells.len(), 4);
    let mixes =
        "ALL Reads        :      190909.5  (88 % of 217 GB/s)\n3:1 Reads-Writes :      180909.5 <- ok\n";
    assert_eq!(said("a", mixes)[0].experiments[0].cells.len(), 2);
    let stream = "Function    Best Rate MB/s  Avg time     Min time     Max time\nCopy: 12345.5 0.02 0.01 0.03 # best of 3\n";
    let at = [(Axis::Initiator, word("all")), (Axis::Target, word("local")), (Axis::Kernel, word("copy"))];
    assert_eq!(value(&said("a", stream)[0], "stream", Measure::Bandwidth, &at), 12.3455);
    let chase = "$ ./multichase -a -n 10\n66.5   <=== the mean with -a\n";
    assert_eq!(said("a", chase)[0].experiments[0].cells.len(), 1);
}

/// `4 threads with 8 GiB each.` below a matrix of four rows has as many words as a row has columns.
#[test]
fn prose_that_begins_with_the_number_of_the_next_row_is_no_row() {
    let text =
        "Measuring idle latencies (in ns)...\nNuma node 0 1\n0 78.5 119.4\n1 120.8 76.6\n\n2 threads each\n";
    let all = import("a", text, None).unwrap();
    assert_eq!(all[0].result.experiments[0].cells.len(), 4);
    assert_eq!(all[0].unread.iter().next().map(|range| range.first), Some(6));
}

#[test]
fn rows_of_stream_may_begin_with_the_host() {
    let text = "Function    Best Rate MB/s  Avg time     Min time     Max time\n\
                c101-001.cluster Copy:  95230.5 0.017 0.016 0.018\nc101-001.cluster Triad: 78301.5 0.031 0.030 0.032\n";
    let file = said("a", text).remove(0);
    let at = [(Axis::Initiator, word("all")), (Axis::Target, word("local")), (Axis::Kernel, word("triad"))];
    assert_eq!(value(&file, "stream", Measure::Bandwidth, &at), 78.3015);
}

#[test]
fn two_commands_in_a_line_have_a_value_each() {
    let file = said("a", "$ ./bw_mem 64m rd; ./bw_mem 64m wr\n67.11 3150.5\n67.11 2710.5\n").remove(0);
    let at = |kernel| [(Axis::Footprint, number(67_108_864)), (Axis::Kernel, word(kernel))];
    assert_eq!(value(&file, "bandwidth-by-size", Measure::Bandwidth, &at("rd")), 3.1505);
    assert_eq!(value(&file, "bandwidth-by-size", Measure::Bandwidth, &at("wr")), 2.7105);
}

#[test]
fn the_first_version_of_core_to_core_latency_has_a_title_of_its_own() {
    let text = "Num cores: 2\nUsing RDTSC to measure time: false\nNum round trips per samples: 5000\nNum samples: 300\n\
                Showing latency=round-trip-time/2 in nanoseconds:\n\n       0       1\n  0\n  1  576±6\n\nMean latency: 576.0ns\n";
    let all = import("a", text, None).unwrap();
    let at = [(Axis::From, number(0)), (Axis::To, number(1))];
    assert_eq!(value(&all[0].result, "core-to-core", Measure::Latency, &at), 576.0);
    assert!(all[0].unread.is_empty(), "{:?}", all[0].unread);
}

/// The table is rounded to whole ns, and is printed beside the CSV.
#[test]
fn a_table_above_its_csv_gives_way_to_it() {
    let text = "CPU: A Processor\nNum cores: 3\n\n1) CAS latency on a single shared cache line\n\n           0       1       2\n      0\n      1   32±0\n\
                2   39±0    40±1\n\n    Mean latency: 37.6ns\n,,\n31.875,,\n38.75,40.25,\n";
    let all = said("a", text);
    assert_eq!(all.len(), 1);
    assert_eq!(all[0].experiments[0].cells.len(), 3);
    let at = [(Axis::From, number(1)), (Axis::To, number(2))];
    assert_eq!(value(&all[0], "core-to-core", Measure::Latency, &at), 40.25);
}

#[test]
fn the_sum_names_a_matrix_whose_first_line_is_missing() {
    let text = "memcpy CE GPU(row) -> GPU(column) bandwidth (GB/s)\n     0      1\n 0   N/A  26.5\n 1  26.25   N/A\n\n\
                SUM device_to_device_memcpy_read_ce 52.75\n";
    let file = said("a", text).remove(0);
    assert!(file.experiments[0].cells[0].at.to_string().contains("device_to_device_memcpy_read_ce"));
}

#[test]
fn the_last_row_of_a_csv_may_be_cut_off() {
    let text = "rd_percentage,pause,bandwidth,latency\n50,0,120.5,98.5\n50,100,60.5,90.25\n50,1000,6.";
    let file = said("a", text).remove(0);
    assert_eq!(file.experiments[0].cells.len(), 4);
    assert!(warnings(&file).iter().any(|warning| warning.contains("line 4")), "{:?}", warnings(&file));
}

#[test]
fn loads_whose_head_is_cut_off_are_read() {
    let text = " 00100  394.57   178862.5\n 20000  220.25     1350.5\n\nMeasuring cache-to-cache transfer latency (in ns)...\n\
                Local Socket L2->L2 HIT  latency        178.5\n";
    let all = import("a", text, None).unwrap();
    assert_eq!(names(&all[0].result), ["loaded-latency", "core-to-core"]);
    assert_eq!((all[0].result.experiments[0].cells.len(), all[0].unread.len()), (4, 0));
}

#[test]
fn distances_may_have_remarks_and_lack_colons() {
    for rows in ["0: 10 21 <- own, other (2.1x)\n1: 21 10\n", "0 10 21\n1 21 10\n"] {
        let file = said("a", &format!("node distances:\nnode 0 1\n{rows}\nmore\n")).remove(0);
        let distances = file.machine.distances.unwrap_or_else(|| panic!("{rows}"));
        assert_eq!(distances.rows, [[10, 21], [21, 10]], "{rows}");
    }
}

/// A text of which the head of the nodes is lost keeps what is left.
#[test]
fn a_page_of_a_book_keeps_the_nodes_that_it_shows() {
    let text = "In-Depth Information\nnode 0 size: 8190 MB\nnode 1 cpus: 6 7 8\nnode 1 size: 8192 MB\nnode distances:\nnode 0 1\n\
                0: 10 16\n1: 16 10\n[oracle@server1 ~]$\n";
    let file = said("a", text).remove(0);
    assert_eq!(file.machine.nodes.len(), 2);
    assert_eq!(file.machine.distances.and_then(|all| all.get(NodeId(0), NodeId(1))), Some(16));
}
