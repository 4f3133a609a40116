//! Texts whose trouble is not the machine's: a placement that had no effect, a run that was not quiet, a compiler, nodes that are none. Such texts are
//! what people ask about in public most of the time. Figures are made for these tests, in the form that each tool prints.

use zerohop_diagnosis::Severity;
use zerohop_diagnosis::{Diagnosis, Finding};

use crate::bench::{alarms, judged};
use crate::cases::Case;
use crate::mlc_texts::imported;

fn diagnosed(text: &str) -> Diagnosis {
    judged("a text", &imported(text))
}

fn finding<'a>(diagnosis: &'a Diagnosis, rule: &str) -> &'a Finding {
    let found = diagnosis.findings.iter().find(|finding| finding.rule == rule);
    found.unwrap_or_else(|| panic!("no {rule} in {:?}", diagnosis.findings))
}

fn has(diagnosis: &Diagnosis, rule: &str) -> bool {
    diagnosis.findings.iter().any(|finding| finding.rule == rule)
}

fn stream(copy: f64, scale: f64, add: f64, triad: f64) -> String {
    let row = |name: &str, rate: f64| format!("{name}:{rate:16.1}     0.012     0.011     0.013\n");
    format!(
        "STREAM version $Revision: 5.10 $\nFunction    Best Rate MB/s  Avg time     Min time     Max time\n{}{}{}{}",
        row("Copy", copy),
        row("Scale", scale),
        row("Add", add),
        row("Triad", triad)
    )
}

/// A copy at 1.5 times the other kernels was "nothing found" without a word.
#[test]
fn a_compiler_that_streams_in_copy_alone_is_a_note_with_what_the_memory_moves() {
    let diagnosis = diagnosed(&stream(180_000.0, 119_000.0, 134_000.0, 133_500.0));
    assert_eq!(alarms(&diagnosis), Vec::<&str>::new());
    let note = finding(&diagnosis, "write-allocate");
    assert_eq!(note.severity, Severity::Note);
    assert!(note.title.contains("scale 178 GB/s of 119 GB/s"), "{}", note.title);
    for (name, text) in [
        ("all stream", stream(180_000.0, 178_000.0, 181_000.0, 180_500.0)),
        ("none does", stream(120_000.0, 119_000.0, 134_000.0, 133_500.0)),
        ("copy is something else", stream(300_000.0, 119_000.0, 134_000.0, 133_500.0)),
    ] {
        assert!(!has(&diagnosed(&text), "write-allocate"), "{name}");
    }
}

fn likwid(wrapper: &str, far: f64) -> String {
    let run = |memory: &str, rate: f64| {
        format!(
            "$ {wrapper}likwid-bench -t load_avx512 -w S0:10GB:24-0:{memory}\nCycles:\t\t\t5500000000\nTime:\t\t\t2.100000e+00 sec\nMByte/s:\t\t{rate:.2}\n"
        )
    };
    format!("{}{}", run("S0", 210_000.0), run("S1", far))
}

/// 95 % of local bandwidth from another socket was "nothing found".
#[test]
fn many_threads_that_read_another_socket_as_fast_as_their_own_were_not_placed() {
    let wrapped = diagnosed(&likwid("likwid-pin -c N:0-47 ", 203_000.0));
    let found = finding(&wrapped, "placement-undone");
    assert_eq!(found.severity, Severity::Warning);
    assert!(found.causes[0].words.starts_with("a wrapper that pins"), "{:?}", found.causes);
    assert!(
        found.evidence.iter().any(|shown| shown.words.contains("likwid-pin -c N:0-47")),
        "{:?}",
        found.evidence
    );
    let bare = diagnosed(&likwid("", 203_000.0));
    assert!(finding(&bare, "placement-undone").causes[0].words.starts_with("another thread touched"));
    assert!(!has(&diagnosed(&likwid("likwid-pin -c N:0-47 ", 96_000.0)), "placement-undone"));
    // Nodes of one socket share its memory controllers' fabric: on an EPYC 9224, they read each other's memory as fast as their own.
    let nodes = likwid("", 203_000.0).replace("S0", "M0").replace("S1", "M1");
    assert!(!has(&diagnosed(&nodes), "placement-undone"));
}

fn mlc(idle: f64, reads: f64, mixed: f64) -> String {
    format!(
        "Measuring idle latencies (in ns)...\n\t\tNuma node\nNuma node\t0\n0\t{idle:.1}\n\n\
         Measuring Peak Injection Memory Bandwidths for the system\nBandwidths are in MB/sec\n\
         ALL Reads        :\t{reads:.1}\n3:1 Reads-Writes :\t{:.1}\n2:1 Reads-Writes :\t{:.1}\n1:1 Reads-Writes :\t{mixed:.1}\n\n\
         Measuring Loaded Latencies for the system\nInject\tLatency\tBandwidth\nDelay\t(ns)\tMB/sec\n==========================\n \
         00000\t390.00\t  9000.0\n 00050\t130.10\t 20000.0\n 00100\t104.00\t 12000.0\n 01000\t110.00\t  2000.0\n 20000\t100.00\t   700.0\n\n",
        reads * 0.99,
        reads * 0.98
    )
}

/// A laptop that was not quiet had home agents that reject requests, with settings of servers.
#[test]
fn a_run_that_contradicts_itself_says_so_and_blames_no_hardware() {
    let unsteady = diagnosed(&mlc(150.0, 9_000.0, 23_000.0));
    assert_eq!(alarms(&unsteady), ["contradicts-itself"]);
    let found = finding(&unsteady, "contradicts-itself");
    assert_eq!(found.explains, ["load-collapse"]);
    let shown: Vec<&str> = found.evidence.iter().map(|shown| shown.words.as_str()).collect();
    assert!(shown.contains(&"150 ns idle, 100 ns at the lightest load"), "{shown:?}");
    assert!(shown.contains(&"9.00 GB/s with only reads, 23.0 GB/s with reads and writes (1:1)"), "{shown:?}");
    assert!(found.causes[0].words.starts_with("other programs"), "{:?}", found.causes);
    let steady = diagnosed(&mlc(99.0, 21_000.0, 19_000.0));
    assert!(!has(&steady, "contradicts-itself") && has(&steady, "load-collapse"));
}

fn listing(nodes: &[(&str, u32)], distances: &[&str]) -> String {
    let mut text = format!("available: {} nodes (0-{})\n", nodes.len(), nodes.len() - 1);
    for (rank, (cpus, size)) in nodes.iter().enumerate() {
        text += &format!(
            "node {rank} cpus: {cpus}\nnode {rank} size: {size} MB\nnode {rank} free: {} MB\n",
            size / 2
        );
    }
    text += "node distances:\nnode ";
    text += &(0..nodes.len()).map(|node| format!("{node:4}")).collect::<String>();
    for (rank, row) in distances.iter().enumerate() {
        text += &format!("\n{rank:3}: {row}");
    }
    text + "\n"
}

/// Four nodes with the same CPUs were three DIMMs that are missing.
#[test]
fn nodes_that_share_their_cpus_are_the_kernels_and_lack_no_dimm() {
    let cpus = "0 1 2 3 4 5 6 7";
    let row = "  10  10";
    let fake = diagnosed(&listing(&[(cpus, 60_000), (cpus, 120_000)], &[row, row]));
    assert_eq!(alarms(&fake), ["invented-nodes"]);
    let found = finding(&fake, "invented-nodes");
    assert!(
        found.causes[0].words.contains("numa=fake") && found.causes[0].likelihood > 0.9,
        "{:?}",
        found.causes
    );
    assert!(!has(&fake, "alternating-cpus"));
    let guest = diagnosed(&listing(&[("0 1 2 3", 60_000), ("4 5 6 7", 60_000)], &[row, row]));
    assert_eq!(finding(&guest, "invented-nodes").causes.len(), 2);
    let real = diagnosed(&listing(&[("0 1 2 3", 60_000), ("4 5 6 7", 60_000)], &["  10  21", "  21  10"]));
    assert_eq!(alarms(&real), Vec::<&str>::new());
}

#[test]
fn cpu_numbers_that_alternate_are_a_note() {
    let distances = ["  10  21", "  21  10"];
    let alternating = diagnosed(&listing(&[("0 2 4 6", 60_000), ("1 3 5 7", 60_000)], &distances));
    assert_eq!(finding(&alternating, "alternating-cpus").severity, Severity::Note);
    // The usual order: cores of one node, cores of the other, then their second threads.
    let blocks = diagnosed(&listing(&[("0 1 4 5", 60_000), ("2 3 6 7", 60_000)], &distances));
    assert!(!has(&blocks, "alternating-cpus"));
}

/// Four equal nodes, two without CPUs, and one with three times its share.
fn misplaced() -> String {
    let row = "  10  20  20  20";
    listing(&[("0 2 3 4 6 7", 64_000), ("1 5", 64_000), ("", 64_000), ("", 64_000)], &[row; 4])
}

/// CPUs that firmware listed at another node were nodes of HBM.
#[test]
fn cpus_that_are_listed_at_another_node_are_not_memory_alone() {
    let found = diagnosed(&misplaced());
    assert_eq!(alarms(&found), ["misplaced-cpus"]);
    assert!(finding(&found, "misplaced-cpus").title.contains("nodes 2 and 3"), "{found:?}");
    // Memory alone has no CPUs that another node could have.
    let row = "  10  20  20";
    let device = diagnosed(&listing(&[("0 1 2 3", 64_000), ("4 5 6 7", 64_000), ("", 64_000)], &[row; 3]));
    assert!(!has(&device, "misplaced-cpus"));
}

/// A partition of seven nodes of 4 to 25 GB missed a DIMM.
#[test]
fn sizes_that_no_dimms_add_up_to_are_those_of_a_partition() {
    let first = |sizes: [u32; 2]| {
        let nodes = [("0 1 2 3", sizes[0]), ("4 5 6 7", sizes[1])];
        let found = diagnosed(&listing(&nodes, &["  10  40", "  40  10"]));
        finding(&found, "uneven-memory").causes[0].words.clone()
    };
    assert!(first([6_603, 24_815]).starts_with("a hypervisor"), "{}", first([6_603, 24_815]));
    assert!(first([31_900, 64_300]).starts_with("a DIMM"), "{}", first([31_900, 64_300]));
}

/// `numastat -p` of a program, in MB on each node.
fn one_sided(first: f64, second: f64) -> String {
    let rule = "----------------  --------------- --------------- ---------------";
    format!(
        "Per-node process memory usage (in MBs) for PID 77 (worker)
                           Node 0          Node 1           Total
{rule}
         Private   {first:.2} {second:.2} {0:.2}
{rule}
Total     {first:.2} {second:.2} {0:.2}
",
        first + second
    )
}

#[test]
fn a_process_whose_memory_is_on_one_node_is_named_with_it() {
    let found = diagnosed(&one_sided(400_000.0, 5.0));
    let of = finding(&found, "pages-on-one-node");
    assert!(of.title.contains("PID 77 (worker): 390.6 GiB, 100 % of it on node 0"), "{}", of.title);
    assert!(of.causes[0].words.starts_with("one thread touched"), "{:?}", of.causes);
    // What was taken between two listings is that of whoever ran between them.
    let before = listing(&[("0 1", 64_000), ("2 3", 64_000)], &["  10  21", "  21  10"]);
    let after = before.replacen("free: 32000", "free: 12000", 1);
    let taken = diagnosed(&format!(
        "{before}
{after}"
    ));
    assert!(finding(&taken, "pages-on-one-node").title.contains("between two listings"), "{taken:?}");
    assert!(
        !has(&diagnosed(&one_sided(300.0, 0.0)), "pages-on-one-node"),
        "of little, a node holds all by chance"
    );
}

/// Kernels of one run that took two to three times their best time were a result like any other.
#[test]
fn passes_of_stream_that_are_far_apart_contradict_each_other() {
    // Name, bytes that a kernel moves, rate: 35 million elements, of which each pass takes the mean and the longest time beside its best.
    let rows = [
        ("Copy", 560.0, 42_000.0),
        ("Scale", 560.0, 13_300.0),
        ("Add", 840.0, 17_700.0),
        ("Triad", 840.0, 12_100.0),
    ];
    let text = |mean: f64, longest: f64| {
        let row = |(name, megabytes, rate): (&str, f64, f64)| {
            let best = megabytes / rate;
            format!("{name}:{rate:16.1}  {:.6}  {best:.6}  {:.6}\n", mean * best, longest * best)
        };
        format!("Function    Best Rate MB/s  Avg time     Min time     Max time\n{}", rows.map(row).concat())
    };
    let unsteady = text(1.6, 2.8);
    let found = diagnosed(&unsteady);
    assert_eq!(alarms(&found), ["contradicts-itself"]);
    assert!(finding(&found, "contradicts-itself").title.contains("2.80"), "{found:?}");
    // One slow pass of ten.
    assert!(!has(&diagnosed(&text(1.1, 2.8)), "contradicts-itself"));
}

/// 6 ns in 64 MiB, of a tool that reads forwards, was nothing.
#[test]
fn a_large_buffer_that_answers_like_a_cache_was_prefetched() {
    let series = |last: f64| {
        format!("\"stride=128\n0.00049 1.182\n0.03125 1.184\n0.25000 3.884\n4.00000 5.154\n64.00000 {last}\n")
    };
    assert_eq!(alarms(&diagnosed(&series(6.03))), ["prefetched-latency"]);
    assert_eq!(alarms(&diagnosed(&series(96.0))), Vec::<&str>::new());
}

/// Of the two couples of a table, the better one was the measure, with one direction that no other value agreed with.
#[test]
fn a_direction_that_is_too_fast_makes_no_other_couple_slow() {
    let rows = [
        "90.3 236.2 272.6 240.7",
        "141.8 93.4 247.6 277.6",
        "268.4 242.9 89.2 233.7",
        "239.6 268.2 241.5 90.2",
    ];
    let table =
        rows.iter().enumerate().map(|(node, row)| format!("       {node}\t{}\n", row.replace(' ', "\t")));
    let text = format!(
        "Measuring idle latencies (in ns)...\n\t\tNuma node\nNuma node\t0\t1\t2\t3\n{}",
        table.collect::<String>()
    );
    assert_eq!(alarms(&diagnosed(&text)), ["late-direction"]);
}

/// Guests of WSL 2 have one node, and no line of it named its hypervisor.
#[test]
fn a_large_guest_of_one_package_is_a_note() {
    let counts =
        "CPU(s):              36\nThread(s) per core:  2\nCore(s) per socket:  18\nSocket(s):           1\n";
    let guest = diagnosed(&format!("4.19.84-microsoft-standard\n$ lscpu\n{counts}"));
    assert_eq!(finding(&guest, "one-virtual-node").severity, Severity::Note);
    assert!(!has(&diagnosed(counts), "one-virtual-node"));
}

/// Whoever has dies without controllers was told to populate their channels.
#[test]
fn a_remedy_is_told_for_a_cause_that_may_be_it() {
    let nodes = [("0 1", 0), ("2 3", 64_000)];
    let text = listing(&nodes, &["  10  16", "  16  10"]);
    let remedies = |text: &str| finding(&diagnosed(text), "memoryless-node").remedies.clone();
    let unknown = remedies(&text);
    assert!(unknown.iter().any(|remedy| remedy.starts_with("populate")), "{unknown:?}");
    let known = remedies(&format!("Model name: AMD Ryzen Threadripper 2990WX 32-Core Processor\n{text}"));
    assert!(known.iter().all(|remedy| !remedy.starts_with("populate")) && known.len() == 1, "{known:?}");
}

fn two_sockets(own: f64, far: f64, late: f64) -> String {
    format!(
        "Measuring idle latencies (in ns)...\n\t\tNuma node\nNuma node\t0\t1\n0\t84.0\t{late:.1}\n1\t{late:.1}\t84.4\n\n\
         Measuring Memory Bandwidths between nodes within system\nBandwidths are in MB/sec\nUsing Read-only traffic type\n\
         \t\tNuma node\nNuma node\t0\t1\n0\t{own:.1}\t{far:.1}\n1\t{far:.1}\t{own:.1}\n"
    )
}

/// Two of six channels, read over the link as well as from their own socket, were "nothing found".
#[test]
fn memory_that_gives_no_more_than_a_link_carries_is_the_limit() {
    let found = diagnosed(&two_sockets(38_000.0, 34_500.0, 139.0));
    assert_eq!(alarms(&found), ["own-memory-limits"]);
    assert!(finding(&found, "own-memory-limits").causes[0].words.starts_with("few channels"));
    for (own, far, late) in [(110_000.0, 34_500.0, 139.0), (38_000.0, 34_500.0, 98.0)] {
        assert!(!has(&diagnosed(&two_sockets(own, far, late)), "own-memory-limits"), "{own} {far} {late}");
    }
}

fn by_core(latencies: [f64; 4]) -> String {
    let rows = [0, 12, 24, 36].into_iter().zip(latencies);
    rows.map(|(core, latency)| format!("core:{core}\n64.00000 {latency:.3}\n")).collect()
}

/// Two packages behind one node showed in the latencies of cores, which no rule looked at.
#[test]
fn cores_that_wait_in_two_ways_for_memory_stand_in_two_packages() {
    let found = diagnosed(&by_core([71.0, 108.2, 71.3, 107.7]));
    let two = finding(&found, "two-distances");
    assert!(two.title.contains("71.3 ns from cores 0 and 24, 108 ns from cores 12 and 36"), "{}", two.title);
    assert!(two.causes[0].words.starts_with("several packages form one"));
    for latencies in [[71.0, 72.0, 71.3, 73.0], [71.0, 85.0, 99.0, 112.0], [0.0, 71.0, 0.0, 71.3]] {
        assert!(!has(&diagnosed(&by_core(latencies)), "two-distances"), "{latencies:?}");
    }
}

fn copies(to_device: [f64; 3], to_host: [f64; 3]) -> String {
    let block = |test: &str, arrow: &str, rates: [f64; 3]| {
        format!(
            "Running {test}.\nmemcpy CE CPU(row) {arrow} GPU(column) bandwidth (GB/s)\n           0         1         2\n 0 {:9.2} {:9.2} {:9.2}\n\n",
            rates[0], rates[1], rates[2]
        )
    };
    format!(
        "{}{}",
        block("host_to_device_memcpy_ce", "->", to_device),
        block("device_to_host_memcpy_ce", "<-", to_host)
    )
}

#[test]
fn copies_that_are_slow_in_one_direction_on_all_devices_are_a_note() {
    let found = diagnosed(&copies([36.0, 36.2, 35.9], [54.8, 54.7, 54.8]));
    assert_eq!(alarms(&found), Vec::<&str>::new());
    let note = finding(&found, "one-direction");
    assert!(
        note.title.starts_with("copies from host to device reach 66 %")
            && note.title.contains("all 3 devices"),
        "{}",
        note.title
    );
    // One device alone is another matter.
    assert!(!has(&diagnosed(&copies([53.0, 36.2, 53.2], [54.8, 54.7, 54.8])), "one-direction"));
    assert!(!has(&diagnosed(&copies([53.0, 53.1, 53.2], [54.8, 54.7, 54.8])), "one-direction"));
    // Nor is a copy that did not happen a slow one.
    assert!(!has(&diagnosed(&copies([0.0; 3], [54.8; 3])), "one-direction"));
}

/// A case of each of these rules: a text in which it holds, one in which it does not, and one that cannot tell.
pub(crate) fn cases() -> Vec<Case> {
    let (near, far) = ("  10  21", "  21  10");
    let apart = listing(&[("0 1 2 3", 60_000), ("4 5 6 7", 60_000)], &[near, far]);
    let fake = listing(&[("0 1", 60_000), ("0 1", 60_000)], &["  10  10"; 2]);
    let alternating = listing(&[("0 2 4 6", 60_000), ("1 3 5 7", 60_000)], &[near, far]);
    let (unsteady, steady) = (mlc(150.0, 9_000.0, 23_000.0), mlc(99.0, 21_000.0, 19_000.0));
    let (undone, done) = (likwid("", 203_000.0), likwid("", 96_000.0));
    let streams = stream(180_000.0, 119_000.0, 134_000.0, 133_500.0);
    let alike = stream(180_000.0, 178_000.0, 181_000.0, 180_500.0);
    let misplaced = misplaced();
    let (narrow, wide) = (two_sockets(38_000.0, 34_500.0, 139.0), two_sockets(110_000.0, 34_500.0, 139.0));
    let (mixed, even) = (by_core([71.0, 108.2, 71.3, 107.7]), by_core([71.0, 71.2, 71.3, 71.1]));
    let (lame, sound) = (copies([36.0; 3], [54.8; 3]), copies([53.0; 3], [54.8; 3]));
    let case = |rule, texts: [&String; 3]| (rule, texts.map(|text| diagnosed(text)));
    vec![
        case("write-allocate", [&streams, &alike, &steady]),
        case("placement-undone", [&undone, &done, &steady]),
        case("contradicts-itself", [&unsteady, &steady, &apart]),
        case("misplaced-cpus", [&misplaced, &apart, &streams]),
        case("pages-on-one-node", [&one_sided(400_000.0, 5.0), &one_sided(200_000.0, 190_000.0), &streams]),
        case("invented-nodes", [&fake, &apart, &streams]),
        case("own-memory-limits", [&narrow, &wide, &streams]),
        case("two-distances", [&mixed, &even, &streams]),
        case("one-direction", [&lame, &sound, &streams]),
        case("alternating-cpus", [&alternating, &apart, &streams]),
    ]
}
