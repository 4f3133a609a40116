//! Texts that lack most of what a tool prints, or have what no tool measures: no panic, and no sentence that means nothing.

use zerohop_diagnosis::Diagnosis;
use zerohop_importers::Imported;
use zerohop_model::Solver;
use zerohop_result::Axis;

use crate::bench::{MATRICES, alarms, judged, judged_beside, machine, result};
use crate::documented::documents;
use crate::drawn::Random;
use crate::mlc_texts::{NOISE, imported, text, values};

const LATENCY: &str = "Measuring idle latencies (in ns)...\n\t\tNuma node\nNuma node\t";
const BANDWIDTH: &str = "Measuring Memory Bandwidths between nodes within system\nBandwidths are in MB/sec (1 MB/sec = 1,000,000 Bytes/sec)\n\t\tNuma node\nNuma node\t";
const PEAK: &str = "Measuring Peak Injection Memory Bandwidths for the system\nBandwidths are in MB/sec\n";
const LOADED: &str = "Measuring Loaded Latencies for the system\nInject\tLatency\tBandwidth\nDelay\t(ns)\tMB/sec\n==========================\n";

/// Texts without the line of their tool.
fn texts() -> Vec<(&'static str, String)> {
    let two = format!(
        "{LATENCY}0\t1\n0\t81.2\t130.2\n1\t130.4\t81.1\n\n{BANDWIDTH}0\t1\n0\t108000.0\t51000.0\n1\t50900.0\t107500.0\n\n"
    );
    let curve = format!(
        "{LOADED} 00000\t231.40\t 241000.0\n 00050\t224.9\t 240900.1\n 00300\t97.10\t 89400.0\n 20000\t80.50\t 2100.0\n\n"
    );
    vec![
        ("one node", format!("{LATENCY}0\n0\t81.2\n\n{BANDWIDTH}0\n0\t108000.0\n\n")),
        ("one node, latency", format!("{LATENCY}0\n0\t81.2\n\n")),
        ("one node, bandwidth", format!("{BANDWIDTH}0\n0\t108000.0\n\n")),
        ("one node, curve", format!("{LATENCY}0\n0\t81.2\n\n{curve}")),
        (
            "zeros",
            format!(
                "{LATENCY}0\t1\n0\t0.0\t0.0\n1\t0.0\t0.0\n\n{BANDWIDTH}0\t1\n0\t0.0\t0.0\n1\t0.0\t0.0\n\n"
            ),
        ),
        (
            "a zero",
            format!(
                "{LATENCY}0\t1\n0\t81.2\t130.2\n1\t130.4\t81.1\n\n{BANDWIDTH}0\t1\n0\t108000.0\t0.0\n1\t50900.0\t107500.0\n\n"
            ),
        ),
        (
            "own zero",
            format!(
                "{LATENCY}0\t1\n0\t81.2\t130.2\n1\t130.4\t81.1\n\n{BANDWIDTH}0\t1\n0\t0.0\t51000.0\n1\t50900.0\t107500.0\n\n"
            ),
        ),
        (
            "zero latency",
            format!(
                "{LATENCY}0\t1\n0\t0.0\t130.2\n1\t130.4\t81.1\n\n{BANDWIDTH}0\t1\n0\t108000.0\t51000.0\n1\t50900.0\t107500.0\n\n"
            ),
        ),
        ("curve alone", curve.clone()),
        ("idle alone", format!("{LATENCY}0\t1\n0\t81.2\t130.2\n1\t130.4\t81.1\n\n")),
        ("bandwidth alone", format!("{BANDWIDTH}0\t1\n0\t108000.0\t51000.0\n1\t50900.0\t107500.0\n\n")),
        ("two runs", format!("{two}{two}")),
        ("two runs that differ", format!("{two}{}", two.replace("107500.0", "54000.0"))),
        (
            "gigabytes",
            two.replace("MB/sec (1 MB/sec = 1,000,000 Bytes/sec)", "GB/sec")
                .replace("000.0", ".0")
                .replace("50900.0", "50.9")
                .replace("107500.0", "107.5"),
        ),
        (
            "gigabytes as megabytes",
            two.replace("108000.0", "108.0")
                .replace("51000.0", "51.0")
                .replace("50900.0", "50.9")
                .replace("107500.0", "107.5"),
        ),
        ("peak alone", format!("{PEAK}ALL Reads        :\t241000.0\n3:1 Reads-Writes :\t0.0\n\n")),
        (
            "three nodes, a part",
            format!(
                "{LATENCY}0\t1\t2\n0\t81.2\t130.2\t131.0\n\n{BANDWIDTH}0\t1\t2\n0\t108000.0\t51000.0\t51000.0\n\n"
            ),
        ),
        (
            "nodes 0 and 8",
            format!(
                "{LATENCY}0\t8\n0\t81.2\t130.2\n8\t130.4\t81.1\n\n{BANDWIDTH}0\t8\n0\t108000.0\t51000.0\n8\t50900.0\t107500.0\n\n"
            ),
        ),
        (
            "huge",
            format!(
                "{LATENCY}0\t1\n0\t1e30\t130.2\n1\t130.4\t81.1\n\n{BANDWIDTH}0\t1\n0\t1e300\t51000.0\n1\t50900.0\t107500.0\n\n"
            ),
        ),
        (
            "negative",
            format!(
                "{LATENCY}0\t1\n0\t-81.2\t130.2\n1\t130.4\t81.1\n\n{BANDWIDTH}0\t1\n0\t-108000.0\t51000.0\n1\t50900.0\t107500.0\n\n"
            ),
        ),
        (
            "flat curve",
            format!(
                "{LOADED} 00000\t80.0\t 100.0\n 00050\t80.0\t 100.0\n 00300\t80.0\t 100.0\n 20000\t80.0\t 100.0\n\n"
            ),
        ),
        (
            "zero curve",
            format!("{LOADED} 00000\t0.0\t 0.0\n 00050\t0.0\t 0.0\n 00300\t0.0\t 0.0\n 20000\t0.0\t 0.0\n\n"),
        ),
    ]
}

/// What a text shows alone and beside a machine.
fn judgements(text: &str) -> Vec<Diagnosis> {
    let Ok(imported) = zerohop_importers::import("mlc.txt", text, None) else { return Vec::new() };
    let both = |one: &Imported| {
        [judged("mlc.txt", &one.result), judged_beside("xeon-skylake,cores=24,links=3", &one.result, true)]
    };
    imported.iter().flat_map(both).collect()
}

/// A figure that is none, and a name that was not filled in.
const SENSELESS: [&str; 8] = ["NaN", "inf", "{", "}", "-0 %", " 0.00 GB/s", " 0.0 ns", "(-100 %)"];

#[test]
fn odd_texts_are_judged_without_a_panic_and_without_a_sentence_that_means_nothing() {
    for (what, body) in texts() {
        for diagnosis in judgements(&format!("Intel(R) Memory Latency Checker - v3.11\n{body}")) {
            for finding in &diagnosis.findings {
                let causes = finding.causes.iter().map(|cause| cause.words.as_str());
                let evidence = finding.evidence.iter().map(|one| one.words.as_str());
                let all = [finding.title.as_str(), finding.next.as_deref().unwrap_or_default()];
                for words in all.into_iter().chain(causes).chain(evidence) {
                    let senseless = SENSELESS.iter().find(|senseless| words.contains(**senseless));
                    assert_eq!(senseless, None, "{what}: {words}");
                }
            }
            // Of these, one has a node that reads half of what the other does. No other shows a fault, only that it cannot be judged.
            let rules = alarms(&diagnosis);
            let is_fine = match what {
                "two runs that differ" => rules.is_empty() || rules == ["memory-of-a-node"],
                _ => rules.is_empty() || rules == ["unfit"],
            };
            assert!(is_fine, "{what}: {:#?}", diagnosis.findings);
        }
    }
    documents(&format!("{} texts that lack most of what MLC prints", texts().len()));
}

/// One node of a machine that has several shows all of them if it reads more than its own memory gives and waits longer: node interleaving.
#[test]
fn a_text_of_one_node_that_is_late_and_fast_is_of_interleaved_nodes() {
    for (name, is_found) in [
        ("xeon-haswell,cores=18", true),
        ("epyc-7003,cores=64,links=3", true),
        ("epyc-7003,cores=64,nodes=4,links=3", true),
        ("epyc-9004,cores=96,links=3", true),
        ("xeon-sapphire-rapids,cores=56", true),
        // Its links let it read no more than the memory of one package gives: late alone may be small pages.
        ("ampere-altra,cores=80", false),
    ] {
        let interleaved = machine(name).inject(&"interleaving=on".parse().unwrap()).unwrap();
        let [interleaved, sound] = [interleaved, machine(name)].map(|hardware| {
            let values = values(&result(hardware, &MATRICES, Solver::Auto, 1));
            imported(&text(&values, &mut Random(7), NOISE))
        });
        let found = judged_beside(name, &interleaved, true);
        assert_eq!(alarms(&found) == ["nodes-not-taken"], is_found, "{name}: {:#?}", found.findings);
        if is_found {
            assert!(found.findings[0].causes[0].words.contains("interleaves"), "{:#?}", found.findings);
        }
        assert_eq!(alarms(&judged("mlc.txt", &interleaved)), Vec::<&str>::new());
        // A text that has the first node alone is a part of all, and no reason for an alarm.
        let mut part = sound;
        for done in &mut part.experiments {
            done.cells
                .change(|cells| {
                    cells.retain(|cell| {
                        [Axis::Initiator, Axis::Target].iter().all(|axis| cell.at.number(*axis) == Some(0))
                    });
                })
                .unwrap();
        }
        assert_eq!(alarms(&judged_beside(name, &part, true)), Vec::<&str>::new(), "{name}");
    }
}
