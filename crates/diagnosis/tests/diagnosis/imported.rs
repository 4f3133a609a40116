//! Other tools' output: positive, negative and open cases.

use std::fs;

use zerohop_diagnosis::{Confidence, Diagnosis, Severity};

use crate::bench::{alarms, judged, repository};

pub(crate) fn diagnosed(text: &str) -> Diagnosis {
    let imported = zerohop_importers::import("mlc.txt", text, None).unwrap_or_else(|error| panic!("{error}"));
    judged("mlc.txt", &imported[0].result)
}

/// Two matrices of MLC's: latencies in ns, bandwidths in MB/s.
pub(crate) fn mlc(latencies: &[&[f64]], bandwidths: &[&[f64]]) -> String {
    let matrix = |head: &str, rows: &[&[f64]]| {
        let mut text = format!("{head}\n\t\tNuma node\nNuma node\t");
        text.push_str(&(0..rows[0].len()).map(|node| node.to_string()).collect::<Vec<_>>().join("\t"));
        for (from, row) in rows.iter().enumerate() {
            let row: Vec<String> = row.iter().map(|value| format!("{value:.1}")).collect();
            text.push_str(&format!("\n{from}\t{}", row.join("\t")));
        }
        text + "\n\n"
    };
    let latencies = matrix("Measuring idle latencies (in ns)...", latencies);
    let bandwidths = matrix("Measuring Memory Bandwidths between nodes within system", bandwidths);
    format!("Intel(R) Memory Latency Checker - v3.9\n\n{latencies}{bandwidths}")
}

pub(crate) const LATENCIES: [&[f64]; 2] = [&[81.2, 130.2], &[130.2, 81.1]];

/// Its memory was blamed, and three links.
#[test]
fn cpus_that_read_all_memory_slowly_are_one_finding_and_not_their_memory_and_links() {
    let latencies: [&[f64]; 4] = [
        &[91.3, 104.2, 113.1, 117.6],
        &[104.4, 91.1, 117.2, 113.5],
        &[113.6, 117.4, 91.5, 104.0],
        &[117.9, 113.2, 104.3, 91.2],
    ];
    let row = |factor: f64| [40_912.5 * factor, 41_020.1 * factor, 40_911.5 * factor, 40_892.3 * factor];
    let text = |factors: [f64; 4]| {
        let rows = factors.map(row);
        mlc(&latencies, &rows.each_ref().map(<[f64; 4]>::as_slice))
    };
    let diagnosis = diagnosed(&text([1.0, 1.0, 0.83, 1.0]));
    assert_eq!(alarms(&diagnosis), ["cpus-of-a-node"], "{diagnosis:#?}");
    assert_eq!(alarms(&diagnosed(&text([1.0; 4]))), Vec::<&str>::new());
    // Memory of node 1 that all read slowly is no matter of its CPUs.
    let diagnosis = diagnosed(&mlc(&LATENCIES, &[&[122_097.0, 51_327.0], &[51_309.0, 101_600.0]]));
    assert_eq!(alarms(&diagnosis), ["memory-of-a-node"]);
}

#[test]
fn a_node_that_reads_less_than_the_other_lacks_channels() {
    let diagnosis = diagnosed(&mlc(&LATENCIES, &[&[122097.0, 51327.0], &[51309.0, 101600.0]]));
    assert_eq!(alarms(&diagnosis), ["memory-of-a-node"]);
    assert!(
        diagnosis.findings[0].title.starts_with("node 1 reads 102 GB/s"),
        "{}",
        diagnosis.findings[0].title
    );
}

/// A published run of one channel among six had slow DIMMs as its second cause, 32 % likely: no DIMMs differ by as much.
#[test]
fn a_node_with_a_sixth_of_the_others_bandwidth_lacks_channels_and_has_no_slow_dimms() {
    let one_of_six: [&[f64]; 2] = [&[108000.0, 17000.0], &[50600.0, 19500.0]];
    let diagnosis = diagnosed(&mlc(&LATENCIES, &one_of_six));
    assert_eq!(alarms(&diagnosis), ["memory-of-a-node"]);
    let causes = &diagnosis.findings[0].causes;
    assert!(causes[0].words.starts_with("channels of node 1") && causes[0].likelihood > 0.75, "{causes:?}");
    assert!(causes.iter().all(|cause| !cause.words.contains("lower rate")), "{causes:?}");
}

/// 81 % are five of six channels, or DIMMs at 2400 instead of 2933 MT/s: the first one was stated as if that was settled.
#[test]
fn two_causes_that_are_about_as_likely_are_named_together_with_what_tells_them_apart() {
    let next = |own: f64| {
        let diagnosis = diagnosed(&mlc(&LATENCIES, &[&[122_097.0, 51_327.0], &[51_309.0, own]]));
        assert_eq!(alarms(&diagnosis), ["memory-of-a-node"]);
        let first = diagnosis.findings[0].clone();
        (first.undecided().is_some(), first.next.unwrap())
    };
    let (is_open, open) = next(98_900.0);
    assert!(is_open && open.starts_with("either ") && open.contains(", or "), "{open}");
    for words in [
        "channels of node 1 have no working DIMM",
        "DIMMs of node 1 run at a lower rate",
        "`dmidecode -t memory`",
    ] {
        assert!(open.contains(words), "{open}");
    }
    let (is_open, settled) = next(20_300.0);
    assert!(!is_open && settled.starts_with("`dmidecode"), "{settled}");
}

/// Each way between opposite corners of a square goes over one of its sides: those of a narrow side were two faults of one direction each.
#[test]
fn a_narrow_side_of_a_square_is_one_fault() {
    let latencies: [&[f64]; 4] = [
        &[113.6, 154.8, 152.2, 179.2],
        &[155.4, 114.4, 182.5, 153.1],
        &[156.8, 187.6, 113.1, 162.8],
        &[187.5, 155.8, 164.4, 116.1],
    ];
    let reads: [&[f64]; 4] = [
        &[4932.2, 2607.6, 3007.5, 3007.0],
        &[2619.6, 4966.5, 3089.7, 3030.0],
        &[3012.0, 2317.4, 4897.9, 1977.7],
        &[2272.6, 3028.8, 1983.3, 4900.0],
    ];
    let diagnosis = diagnosed(&mlc(&latencies, &reads));
    assert_eq!(alarms(&diagnosis), ["pair-of-nodes"], "{:#?}", diagnosis.findings);
    assert!(diagnosis.findings[0].title.starts_with("nodes 2 and 3 exchange 1.98 GB/s"));
    // One direction of a side alone is a fault of one direction.
    let one: [&[f64]; 4] =
        [reads[0], reads[1], &[3012.0, 3080.4, 4897.9, 1977.7], &[3002.6, 3028.8, 2613.3, 4900.0]];
    assert_eq!(alarms(&diagnosed(&mlc(&latencies, &one))), ["pair-direction"]);
}

#[test]
fn one_direction_below_the_other_is_named() {
    let diagnosis = diagnosed(&mlc(&LATENCIES, &[&[122097.0, 38000.0], &[51309.0, 122005.0]]));
    assert_eq!(alarms(&diagnosis), ["pair-direction"]);
    assert!(diagnosis.findings[0].title.contains("node 0 reads 38.0 GB/s from node 1"));
}

#[test]
fn one_link_of_three_shows_in_the_proportion() {
    let diagnosis = diagnosed(&mlc(&LATENCIES, &[&[122097.0, 17200.0], &[17150.0, 122005.0]]));
    assert_eq!(alarms(&diagnosis), ["far-bandwidth"]);
}

#[test]
fn all_memory_on_one_node_makes_rows_alike() {
    let diagnosis =
        diagnosed(&mlc(&[&[81.2, 81.4], &[130.2, 130.9]], &[&[122097.0, 121800.0], &[51309.0, 51200.0]]));
    assert_eq!(alarms(&diagnosis), ["all-data-on-one-node"]);
    assert!(diagnosis.findings[0].title.contains("node 0"), "{}", diagnosis.findings[0].title);
}

/// A node of a quarter of a socket is slower than every way to it: its bandwidth is the same for all who read it. Only its latency
/// shows who asks, and links that are down were blamed, and an artefact of latencies beside the fault.
#[test]
fn all_memory_on_a_quarter_of_a_socket_is_one_fault_and_nothing_else() {
    let latencies = [96.2, 108.1, 108.1, 108.1, 200.0, 200.0, 200.0, 200.0].map(|latency| [latency; 8]);
    let bandwidths =
        [43974.9, 43938.9, 43938.9, 43938.9, 43297.3, 43297.3, 43297.3, 43297.3].map(|read| [read; 8]);
    let text = mlc(&latencies.each_ref().map(|row| &row[..]), &bandwidths.each_ref().map(|row| &row[..]));
    let diagnosis = diagnosed(&text);
    assert_eq!(alarms(&diagnosis), ["all-data-on-one-node"]);
    let even = [[43974.9, 43974.9], [43938.9, 43938.9]];
    let alike = mlc(&[&[96.2, 96.2], &[97.0, 97.0]], &[&even[0], &even[1]]);
    assert!(!alarms(&diagnosed(&alike)).contains(&"all-data-on-one-node"));
}

#[test]
fn nodes_between_which_nothing_differs_are_invented() {
    let diagnosis =
        diagnosed(&mlc(&[&[96.0, 97.0], &[97.1, 96.4]], &[&[82000.0, 81700.0], &[81900.0, 82100.0]]));
    assert_eq!(alarms(&diagnosis), ["flat-nodes"]);
}

/// A published run whose node 1 reads a third of the opposite direction from node 0: that was taken for a consequence of a tenth that
/// node 0 reads less of its own memory.
#[test]
fn a_direction_that_loses_more_than_its_memory_is_a_fault_of_its_own() {
    let diagnosis = diagnosed(&mlc(&LATENCIES, &[&[51999.2, 30097.0], &[11091.6, 58205.7]]));
    let mut found = alarms(&diagnosis);
    found.sort_unstable();
    assert_eq!(found, ["memory-of-a-node", "pair-direction"]);
    assert_eq!(diagnosis.findings[0].rule, "pair-direction", "{:#?}", diagnosis.findings);
}

/// A published run of two E5-2630 v4 whose memory is interleaved: a hypervisor that invents nodes was its likeliest cause.
#[test]
fn sockets_between_which_nothing_differs_have_interleaved_memory() {
    let text = mlc(&[&[106.9, 106.9], &[107.2, 107.2]], &[&[50444.8, 50349.9], &[50487.7, 50583.0]]);
    let text = text.replace("\t\tNuma node\nNuma node\t", "\tMemory node\nSocket\t");
    let diagnosis = diagnosed(&text);
    assert_eq!(alarms(&diagnosis), ["flat-nodes"]);
    let causes = &diagnosis.findings[0].causes;
    assert!(causes[0].words.contains("node interleaving") && causes[0].likelihood > 0.7, "{causes:#?}");
}

#[test]
fn a_link_that_is_down_shows_without_distances() {
    let far = 130.0;
    let rows: [&[f64]; 4] =
        [&[80.0, 190.0, far, far], &[190.0, 80.0, far, far], &[far, far, 80.0, far], &[far, far, far, 80.0]];
    let read: [&[f64]; 4] = [
        &[110e3, 15e3, 17e3, 17e3],
        &[15e3, 110e3, 17e3, 17e3],
        &[17e3, 17e3, 110e3, 17e3],
        &[17e3, 17e3, 17e3, 110e3],
    ];
    let diagnosis = diagnosed(&mlc(&rows, &read));
    assert_eq!(alarms(&diagnosis), ["way-around"]);
    assert_eq!(diagnosis.findings[0].explains, ["pair-of-nodes"]);
}

#[test]
fn latencies_with_page_table_walks_are_doubted_before_anything_else() {
    let text = mlc(&[&[253.1, 429.6], &[392.7, 287.3]], &[&[101203.0, 80509.0], &[87389.0, 90140.0]]);
    let text =
        text.replace("v3.9\n", "v3.9\n*** Unable to modify prefetchers (try executing 'modprobe msr')\n");
    let diagnosis = diagnosed(&text);
    let latency = diagnosis.findings.iter().find(|finding| finding.rule == "idle-latency-artefact").unwrap();
    assert!(latency.causes[0].words.contains("small pages"), "{:?}", latency.causes);
    // What such a measurement shows of a node is no fault yet.
    let node = diagnosis.findings.iter().find(|finding| finding.rule == "memory-of-a-node").unwrap();
    assert_eq!((node.severity, node.confidence), (Severity::Warning, Confidence::Low));
    assert!(node.why.contains("higher than any DRAM should have"), "{}", node.why);
    assert!(diagnosis.findings.iter().any(|finding| finding.rule == "prefetchers-unchanged"));
}

#[test]
fn memory_without_cpus_gets_weights_and_no_alarm() {
    let latencies: [&[f64]; 2] = [&[117.4, 184.3, 391.0], &[186.0, 117.9, 391.0]];
    let diagnosis =
        diagnosed(&mlc(&latencies, &[&[100000.0, 63453.0, 17600.0], &[63465.0, 101000.0, 17600.0]]));
    assert_eq!(alarms(&diagnosis), Vec::<&str>::new());
    let finding = diagnosis.findings.iter().find(|finding| finding.rule == "slow-memory-node").unwrap();
    assert!(finding.remedies[0].contains("echo 6 > /sys/kernel/mm/mempolicy/weighted_interleave/node0"));
    assert!(finding.remedies[0].contains("echo 1 > /sys/kernel/mm/mempolicy/weighted_interleave/node2"));
}

#[test]
fn output_of_every_tool_is_judged_without_a_panic_and_says_what_is_missing() {
    let inputs = repository().join("crates/importers/tests/inputs");
    for entry in fs::read_dir(inputs).unwrap() {
        let path = entry.unwrap().path();
        let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
        let name = path.display().to_string();
        for one in zerohop_importers::import(&name, &text, None).unwrap() {
            let diagnosis = judged(&name, &one.result);
            let told = diagnosis.findings.len() + diagnosis.passed.len() + diagnosis.untold.len();
            assert!(told > 0 && diagnosis.untold.iter().all(|untold| !untold.missing.is_empty()), "{name}");
        }
    }
}

/// The bandwidths of two nodes of a laboratory, in clpeak's form.
pub(crate) fn clpeak(values: [f64; 5]) -> String {
    let widths = ["float", "float2", "float4", "float8", "float16"];
    let lines: String =
        widths.iter().zip(values).map(|(width, value)| format!("      {width:<7} : {value:.2}\n")).collect();
    format!(
        "Platform: AMD Accelerated Parallel Processing\n  Device: AMD Opteron(TM) Processor 6274\n    Driver version  : 1214.3 (Linux x64)\n    \
         Compute units   : 64\n    Clock frequency : 2200 MHz\n\n    Global memory bandwidth (GBPS)\n{lines}"
    )
}

#[test]
fn a_machine_that_reads_at_one_node_s_rate_has_its_data_there() {
    let bad = diagnosed(&clpeak([9.22, 9.64, 9.95, 10.16, 9.99]));
    assert_eq!(alarms(&bad), ["one-nodes-rate"], "{:#?}", bad.untold);
    assert!(bad.findings[0].causes[0].words.contains("touched the whole buffer first"));
    assert!(bad.findings[0].remedies[0].contains("numactl --interleave=all"));
    let good = diagnosed(&clpeak([37.66, 42.27, 58.08, 55.39, 43.31]));
    assert_eq!(alarms(&good), Vec::<&str>::new());
}

/// A sixth less on one node, beside a peak that is as high as without the loss: a note said that the run was disturbed.
#[test]
fn a_node_that_lost_a_channel_beside_an_untouched_peak_is_a_warning() {
    let matrices = mlc(&[&[81.2, 130.2], &[130.2, 81.1]], &[&[122_097.7, 51_327.9], &[51_309.2, 101_671.3]]);
    let text = format!(
        "{matrices}Measuring Peak Injection Memory Bandwidths for the system\nBandwidths are in MB/sec\nALL Reads        :      243159.4\n"
    );
    let diagnosis = diagnosed(&text);
    assert_eq!(alarms(&diagnosis), ["node-in-doubt"], "{:#?}", diagnosis.findings);
    let finding = &diagnosis.findings[0];
    assert!(finding.title.starts_with("node 1 reads 102 GB/s"), "{}", finding.title);
    assert!(finding.explains.contains(&"disturbed-nodes".to_owned()), "{:?}", finding.explains);
}

/// MLC on an unnamed machine without access to its prefetchers: its second node was said to lack channels, and the peak of the whole machine
/// shows that it does not.
#[test]
fn a_node_that_only_read_less_when_it_was_measured_alone_lacks_no_channels() {
    let matrices = mlc(&[&[253.1, 429.6], &[392.7, 287.3]], &[&[101203.0, 80509.9], &[87389.3, 90140.2]]);
    let text = format!(
        "{}Measuring Peak Injection Memory Bandwidths for the system\nBandwidths are in MB/sec\nALL Reads        :      199381.1\n",
        matrices
            .replace("v3.9\n", "v3.11\n*** Unable to modify prefetchers (try executing 'modprobe msr')\n")
    );
    let diagnosis = diagnosed(&text);
    // Latencies with page table walks are no memory's, nor are differences between them.
    assert_eq!(alarms(&diagnosis), ["idle-latency-artefact"], "{:#?}", diagnosis.findings);
    let note = diagnosis.findings.iter().find(|finding| finding.rule == "disturbed-nodes").unwrap();
    assert_eq!(note.explains, ["memory-of-a-node"]);
}

/// Runs of STREAM on each node and on all of them showed nothing: only the bandwidth matrix was looked at.
#[test]
fn all_nodes_that_stream_like_one_have_their_data_on_one() {
    let run = |command: &str, threads: u32, triad: f64| {
        format!(
            "$ {command}\nNumber of Threads counted = {threads}\nFunction    Best Rate MB/s  Avg time     Min time     Max time\n\
             Triad:        {triad:.1}     0.0300     0.0270     0.0330\n"
        )
    };
    let one = |node: u32| run(&format!("numactl -N {node} -m {node} ./stream"), 16, 80_000.5);
    let of = |threads, all| diagnosed(&format!("{}{}{}", one(0), one(1), run("./stream", threads, all)));
    let rules = |diagnosis: &Diagnosis| -> Vec<String> {
        diagnosis.findings.iter().map(|finding| finding.rule.clone()).collect()
    };
    assert_eq!(rules(&of(32, 83_000.5)), ["whole-like-one-node"]);
    assert_eq!(rules(&of(32, 158_000.5)), [""; 0]);
    // As many threads as one node has may all run on one.
    assert_eq!(rules(&of(16, 83_000.5)), [""; 0]);
}

/// Two values of a published run of two packages with three clusters each were faults of links, which seven other ways use without a loss.
#[test]
fn a_direction_whose_links_other_clusters_use_without_a_loss_is_no_fault_of_links() {
    let row = |node: usize| -> Vec<f64> {
        let far = |other: usize| match (node, other) {
            (2, 4) => 27_886.4,
            (5, 1) => 44_861.0,
            _ => 93_730.5 + 10.0 * (node + other) as f64,
        };
        (0..6).map(|other| if node / 3 == other / 3 { 188_177.4 } else { far(other) }).collect()
    };
    let rows: Vec<Vec<f64>> = (0..6).map(row).collect();
    let rows: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
    let found: Vec<(String, Severity)> = diagnosed(&mlc(&LATENCIES, &rows))
        .findings
        .iter()
        .map(|finding| (finding.rule.clone(), finding.severity))
        .collect();
    let disturbed = ("disturbed-direction".to_owned(), Severity::Warning);
    assert_eq!(found, [disturbed.clone(), disturbed]);
}
