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
    assert!(shown.contains(&"9.00 GB/s of reads alone, 23.0 GB/s of reads and writes (1:1)"), "{shown:?}");
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
    let case = |rule, texts: [&String; 3]| (rule, texts.map(|text| diagnosed(text)));
    vec![
        case("write-allocate", [&streams, &alike, &steady]),
        case("placement-undone", [&undone, &done, &steady]),
        case("contradicts-itself", [&unsteady, &steady, &streams]),
        case("invented-nodes", [&fake, &apart, &streams]),
        case("alternating-cpus", [&alternating, &apart, &streams]),
    ]
}
