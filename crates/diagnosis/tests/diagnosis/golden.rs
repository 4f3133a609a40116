//! Whole texts of Intel MLC into which a fault is written as it would show in all of their blocks, with the rule and the cause that come first.

use std::fmt::Write;

use zerohop_diagnosis::Diagnosis;

use crate::bench::{alarms, judged, judged_beside};
use crate::imported::diagnosed;

/// Two packages of Cascade Lake with six channels and three links each.
const TWO: &str = "xeon-cascade-lake,cores=28,channels=6,rate=2933 MT/s,links=3";

/// What MLC measures: latencies in ns, bandwidths in GB/s, all reads together, and a curve of delays, latencies and bandwidths.
#[derive(Clone)]
struct Mlc {
    latency: Vec<Vec<f64>>,
    read: Vec<Vec<f64>>,
    whole: f64,
    curve: Vec<(u32, f64, f64)>,
}

impl Mlc {
    /// A sound machine of two packages.
    fn two() -> Self {
        Self {
            latency: vec![vec![80.6, 131.3], vec![130.9, 80.9]],
            read: vec![vec![120.8, 50.9], vec![51.0, 121.1]],
            whole: 241.2,
            curve: vec![
                (0, 231.4, 241.0),
                (8, 230.2, 241.3),
                (50, 224.9, 241.1),
                (100, 160.2, 233.7),
                (300, 97.1, 89.4),
                (1000, 84.4, 27.9),
                (20_000, 80.5, 2.1),
            ],
        }
    }

    /// One of four clusters, two in each package.
    fn clusters() -> Self {
        let latency = |from: usize, to: usize| match (from == to, from / 2 == to / 2) {
            (true, _) => 82.4,
            (_, true) => 88.1,
            _ => 143.6,
        };
        let read = |from: usize, to: usize| if from / 2 == to / 2 { 53.6 } else { 34.1 };
        let matrix = |of: &dyn Fn(usize, usize) -> f64| -> Vec<Vec<f64>> {
            (0..4)
                .map(|from| (0..4).map(|to| of(from, to) * (1.0 + 0.001 * (from + 2 * to) as f64)).collect())
                .collect()
        };
        Self { latency: matrix(&latency), read: matrix(&read), whole: 214.1, curve: Vec::new() }
    }

    /// The same after a change.
    fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }

    fn text(&self) -> String {
        let mut text = "Intel(R) Memory Latency Checker - v3.9a\n".to_owned();
        let mut matrix = |head: &str, rows: &[Vec<f64>], unit: f64| {
            let nodes: Vec<String> = (0..rows[0].len()).map(|node| node.to_string()).collect();
            let _ = write!(text, "{head}\n\t\tNuma node\nNuma node\t{}\n", nodes.join("\t"));
            for (from, row) in rows.iter().enumerate() {
                let row: Vec<String> = row.iter().map(|value| format!("{:.1}", value * unit)).collect();
                let _ = writeln!(text, "{from}\t{}\t", row.join("\t"));
            }
            text.push('\n');
        };
        matrix("Measuring idle latencies (in ns)...", &self.latency, 1.0);
        matrix("Measuring Memory Bandwidths between nodes within system", &self.read, 1000.0);
        let _ = writeln!(
            text,
            "Measuring Peak Injection Memory Bandwidths for the system\nBandwidths are in MB/sec\n\
             ALL Reads        :\t{:.1}\n3:1 Reads-Writes :\t{:.1}\n1:1 Reads-Writes :\t{:.1}\n",
            1000.0 * self.whole,
            900.0 * self.whole,
            835.0 * self.whole,
        );
        if !self.curve.is_empty() {
            text += "Measuring Loaded Latencies for the system\nInject\tLatency\tBandwidth\nDelay\t(ns)\tMB/sec\n\
                     ==========================\n";
            for (delay, latency, read) in &self.curve {
                let _ = writeln!(text, " {delay:05}\t{latency:.2}\t{:.1}", 1000.0 * read);
            }
        }
        text
    }
}

fn beside(machine: &str, text: &str) -> Diagnosis {
    let imported = zerohop_importers::import("mlc.txt", text, None).unwrap_or_else(|error| panic!("{error}"));
    judged_beside(machine, &imported[0].result, true)
}

/// The rule and the cause that come first.
fn first(diagnosis: &Diagnosis) -> (&str, &str) {
    diagnosis.alarms().next().map_or(("", ""), |first| (&*first.rule, &*first.causes[0].words))
}

/// Whether both judgements, alone and beside the machine, have this rule and a cause with these words first.
fn both(mlc: &Mlc, rule: &str, words: &str) {
    let text = mlc.text();
    for diagnosis in [diagnosed(&text), beside(TWO, &text)] {
        let (found, cause) = first(&diagnosis);
        assert!(found == rule && cause.contains(words), "{rule}, {words}: {:#?}", diagnosis.findings);
    }
}

#[test]
fn sound_texts_give_no_alarm() {
    let text = Mlc::two().text();
    assert_eq!(alarms(&diagnosed(&text)), Vec::<&str>::new());
    assert_eq!(alarms(&beside(TWO, &text)), Vec::<&str>::new());
    assert_eq!(alarms(&diagnosed(&Mlc::clusters().text())), Vec::<&str>::new());
}

/// Slow DIMMs were the first cause: that seven of eight channels are missing was held for as likely as that one is.
#[test]
fn an_eighth_or_a_sixth_less_on_one_node_is_a_missing_channel() {
    for share in [7.0 / 8.0, 5.0 / 6.0] {
        let mlc = Mlc::two().with(|mlc| {
            mlc.read[1][1] *= share;
            mlc.whole *= (1.0 + share) / 2.0;
            mlc.curve.iter_mut().for_each(|point| point.2 = point.2.min(241.3 * (1.0 + share) / 2.0));
        });
        let diagnosis = diagnosed(&mlc.text());
        let (rule, cause) = first(&diagnosis);
        assert!(rule == "memory-of-a-node" && cause.starts_with("channels of node 1"), "{rule}, {cause}");
    }
}

/// Slow DIMMs were the first cause, because the missing channels were divided among two causes.
#[test]
fn five_of_six_channels_on_every_node_are_missing_channels() {
    let mlc = Mlc::two().with(|mlc| {
        (0..2).for_each(|node| mlc.read[node][node] *= 5.0 / 6.0);
        mlc.whole *= 5.0 / 6.0;
        mlc.curve.clear();
    });
    let diagnosis = beside(TWO, &mlc.text());
    let (rule, cause) = first(&diagnosis);
    assert!(
        rule == "channels-missing" && cause.starts_with("channels have no working DIMM"),
        "{rule}, {cause}"
    );
}

/// Nothing was found alone, and slow memory beside the machine.
#[test]
fn exchanged_columns_are_exchanged_memories_and_nothing_else() {
    for of in ["latency", "read", "both"] {
        let mlc = Mlc::two().with(|mlc| {
            if of != "read" {
                mlc.latency.iter_mut().for_each(|row| row.swap(0, 1));
            }
            if of != "latency" {
                mlc.read.iter_mut().for_each(|row| row.swap(0, 1));
            }
        });
        both(&mlc, "exchanged-nodes", "labels");
        assert_eq!(alarms(&beside(TWO, &mlc.text())), ["exchanged-nodes"], "{of}");
    }
    // Of clusters, whose bandwidths hardly tell, one of each package.
    let mlc = Mlc::clusters().with(|mlc| mlc.latency.iter_mut().for_each(|row| row.swap(0, 2)));
    let diagnosis = diagnosed(&mlc.text());
    assert_eq!(alarms(&diagnosis), ["exchanged-nodes"], "{:#?}", diagnosis.findings);
    assert!(diagnosis.findings[0].title.starts_with("nodes 0 and 2"), "{}", diagnosis.findings[0].title);
}

/// A node whose memory is slower than a link is no exchange: the other one reaches its own best.
#[test]
fn a_node_that_reads_another_s_memory_faster_than_its_own_has_lost_channels() {
    let mlc = Mlc::two().with(|mlc| {
        mlc.read = vec![vec![120.8, 19.6], vec![51.0, 20.1]];
        mlc.whole = 140.0;
        mlc.curve.clear();
    });
    assert_eq!(first(&diagnosed(&mlc.text())).0, "memory-of-a-node");
}

/// Nothing was found: latencies were compared with those of other pairs alone.
#[test]
fn one_direction_that_answers_later_is_a_warning() {
    let late = |by: f64| Mlc::two().with(|mlc| mlc.latency[0][1] += by);
    both(&late(45.0), "late-direction", "while this direction was measured");
    // The published machine with the largest difference has a tenth.
    assert_eq!(alarms(&diagnosed(&late(12.0).text())), Vec::<&str>::new());
    // Memory that answers late to all is a matter of its node.
    let memory = Mlc::two().with(|mlc| mlc.latency.iter_mut().for_each(|row| row[1] += 32.0));
    assert_eq!(alarms(&diagnosed(&memory.text())), ["latency-of-a-node"]);
    // With less bandwidth in the same direction, its link is likelier than other programs.
    let both_kinds = late(45.0).with(|mlc| mlc.read[0][1] *= 0.7);
    let diagnosis = diagnosed(&both_kinds.text());
    let late = diagnosis.findings.iter().find(|finding| finding.rule == "late-direction");
    assert!(
        late.is_none_or(|late| late.causes[0].words.contains("retransmits packets")),
        "{:#?}",
        diagnosis.findings
    );
}

/// Slow DIMMs of the other node were blamed.
#[test]
fn prefetchers_that_work_in_one_socket_alone_are_an_artefact() {
    let mlc = Mlc::two().with(|mlc| mlc.latency[0] = vec![31.4, 63.0]);
    both(&mlc, "prefetched-latency", "prefetchers");
    assert_eq!(alarms(&diagnosed(&mlc.text())), ["prefetched-latency"]);
}

#[test]
fn a_curve_that_loses_most_of_its_bandwidth_collapses_and_one_that_loses_a_fifth_declines() {
    let curve = |share: f64| Mlc::two().with(|mlc| mlc.curve[0] = (0, 900.0, 241.3 * share));
    both(&curve(0.3), "load-collapse", "reject and retry");
    both(&curve(0.8), "load-decline", "");
}

/// Beside the machine, channels were missing.
#[test]
fn an_interleaved_machine_lacks_no_channels() {
    let mlc = Mlc::two().with(|mlc| {
        mlc.latency = vec![vec![105.9, 106.3], vec![106.4, 105.8]];
        mlc.read = vec![vec![80.4, 80.2], vec![80.1, 80.5]];
        mlc.whole = 188.0;
        mlc.curve.clear();
    });
    both(&mlc, "flat-nodes", "interleaves");
    assert_eq!(alarms(&beside(TWO, &mlc.text())), ["flat-nodes"]);
    // A tool that may not write MSRs ran in a guest, or without root.
    let guest = mlc
        .text()
        .replace("v3.9a\n", "v3.9a\n*** Unable to modify prefetchers (try executing 'modprobe msr')\n");
    assert!(first(&diagnosed(&guest)).1.contains("hypervisor"));
}

/// Beside the machine, channels were missing, too.
#[test]
fn data_on_one_cluster_is_one_fault_beside_the_machine() {
    let mlc = Mlc::clusters().with(|mlc| {
        let (latency, read) = (mlc.latency.clone(), mlc.read.clone());
        for node in 0..4 {
            mlc.latency[node] = vec![latency[node][2]; 4];
            mlc.read[node] = vec![read[node][2]; 4];
        }
        mlc.whole = 54.0;
    });
    let machine = "xeon-cascade-lake,cores=26,channels=6,rate=2666 MT/s,links=3,nodes=2";
    let diagnosis = beside(machine, &mlc.text());
    assert_eq!(alarms(&diagnosis)[0], "all-data-on-one-node", "{:#?}", diagnosis.findings);
    assert!(!alarms(&diagnosis).iter().any(|rule| rule.starts_with("channels") || rule.starts_with("links")));
}

/// Beside the machine, links slept; and where all values are worse by one share, the cores' clock was the first cause.
#[test]
fn walks_and_taken_time_come_before_what_they_do_to_the_memory() {
    let guest = Mlc::two().with(|mlc| {
        mlc.latency = vec![vec![236.4, 371.0], vec![366.2, 241.9]];
        mlc.curve.clear();
    });
    assert_eq!(first(&beside(TWO, &guest.text())).0, "idle-latency-artefact");
    let taken = Mlc::two().with(|mlc| {
        mlc.latency.iter_mut().flatten().for_each(|value| *value /= 0.73);
        mlc.read.iter_mut().flatten().for_each(|value| *value *= 0.73);
        mlc.whole *= 0.73;
        mlc.curve.clear();
    });
    let diagnosis = beside(TWO, &taken.text());
    assert_eq!(alarms(&diagnosis), ["cpus-taken"], "{:#?}", diagnosis.findings);
}

/// A text whose values are all together hardly more than one node's, and whose mixes exceed that, has its data on all nodes.
#[test]
fn mixes_that_exceed_one_node_s_rate_show_that_data_is_on_all() {
    let of_text = |more: f64| {
        let mlc = Mlc::two().with(|mlc| {
            mlc.whole = 124.0;
            mlc.curve.clear();
        });
        let text = mlc
            .text()
            .replace("3:1 Reads-Writes :\t111600.0", &format!("3:1 Reads-Writes :\t{:.1}", more * 1000.0));
        let imported = zerohop_importers::import("mlc.txt", &text, None).unwrap();
        alarms(&judged("mlc.txt", &imported[0].result)).contains(&"whole-like-one-node")
    };
    assert!(of_text(111.6));
    assert!(!of_text(141.0));
}
