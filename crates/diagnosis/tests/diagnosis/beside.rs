//! Faults that no comparison within a result shows, found beside what the machine should be.

use zerohop_diagnosis::{Diagnosis, Finding, Severity};
use zerohop_importers::import;
use zerohop_model::Solver;

use crate::bench::{MATRICES, alarms, diagnosed, faulty, held_against, judged_beside, machine, result};
use crate::constructed::replace;
use crate::documented::documents;
use crate::imported::mlc;

/// The stated machine, the one that is measured with its faults, and the rule that comes first. All nodes, or all pairs of them, are
/// faulty alike: none has a sister that is sound.
const ALIKE: &[(&str, &str, &str, &str)] = &[
    ("sr665-v3,links=4", "sr665-v3,links=4", "link:0-1=down", "links-missing"),
    ("sr665-v3,links=4", "sr665-v3,links=4", "link:0-1=x8", "slow-far-memory"),
    ("xeon-ice-lake,cores=16,links=3", "xeon-ice-lake,cores=16,links=3", "link:0-1=down", "links-missing"),
    (
        "xeon-cascade-lake,cores=12,links=3",
        "xeon-cascade-lake,cores=12,links=3",
        "link:0-1=down",
        "links-missing",
    ),
    (
        "xeon-cascade-lake,cores=12,channels=6",
        "xeon-cascade-lake,cores=12,channels=4",
        "",
        "channels-missing",
    ),
    (
        "xeon-cascade-lake,cores=24,channels=6",
        "xeon-cascade-lake,cores=24,channels=5",
        "",
        "channels-missing",
    ),
    (
        "cascade-lake-4s",
        "cascade-lake-4s",
        "link:0-1=x8 link:0-2=x8 link:0-3=x8 link:1-2=x8 link:1-3=x8 link:2-3=x8",
        "slow-far-memory",
    ),
    (
        "cascade-lake-4s",
        "cascade-lake-4s",
        "slow-dimm:node0=2133 slow-dimm:node1=2133 slow-dimm:node2=2133 slow-dimm:node3=2133",
        "slow-own-memory",
    ),
    (
        "quartet",
        "quartet",
        "slow-dimm:node0=200 slow-dimm:node1=200 slow-dimm:node2=200 slow-dimm:node3=200",
        "slow-own-memory",
    ),
    ("sr665-v3,nps=4", "sr665-v3,nps=1", "", "nodes-not-taken"),
    ("sr665-v3", "sr665-v3", "nps=0", "nodes-not-taken"),
];

#[test]
fn faults_of_all_nodes_or_pairs_alike_are_found_beside_the_stated_machine() {
    let wrong = ALIKE.iter().filter_map(|(stated, name, faults, rule)| {
        let diagnosis = held_against(stated, name, faults);
        let found = alarms(&diagnosis);
        (found.first() != Some(rule)).then(|| format!("{name} {faults}: {found:?} instead of {rule}"))
    });
    assert_eq!(wrong.collect::<Vec<_>>(), Vec::<String>::new());
    let all = ALIKE.len();
    documents(&format!("{all} faults that all nodes or all pairs have alike"));
    documents(&format!("are found with the machine stated, the right rule first, all {all}"));
}

/// One of four links was missed: nothing in a result says how many there should be.
#[test]
fn one_of_four_links_that_is_down_is_found_if_the_machine_is_handed_over() {
    let fault = ("sr665-v3", "link:0-1=down");
    assert_eq!(alarms(&diagnosed(fault.0, fault.1)), Vec::<&str>::new());
    // As many links are usual, but nobody stated them.
    let usual = held_against("sr665-v3", fault.0, fault.1);
    let first = &usual.findings[0];
    assert_eq!((first.rule.as_str(), first.severity), ("links-below-usual", Severity::Warning), "{usual:#?}");
    assert!(first.title.contains("matches 3") && first.title.contains("usually has 4"), "{}", first.title);
    let stated = held_against("sr665-v3,links=4", "sr665-v3,links=4", fault.1);
    let first = &stated.findings[0];
    assert_eq!((first.rule.as_str(), first.severity), ("links-missing", Severity::Fault), "{stated:#?}");
    assert!(first.causes[0].words.contains("is down"), "{:?}", first.causes);
    assert!(first.evidence[0].words.contains("4 give"), "{:?}", first.evidence);
}

/// A machine that nobody stated may have been built with fewer links: both readings are possible.
#[test]
fn fewer_links_than_usual_are_a_note_where_the_result_only_shows_its_processor() {
    let file = result(faulty("xeon-cascade-lake,cores=12,links=2", ""), &MATRICES, Solver::Auto, 1);
    let diagnosis = judged_beside("xeon-cascade-lake,cores=12", &file, false);
    assert_eq!(alarms(&diagnosis), Vec::<&str>::new(), "{diagnosis:#?}");
    let note = found(&diagnosis, "links-possible");
    assert!(note.title.contains("matches 2 UPI links; 3 would give"), "{}", note.title);
}

/// One cluster alone does not fill two links of three: nothing was found, because every single value was as expected. All of them together do.
#[test]
fn a_link_that_only_all_clusters_together_miss_is_found() {
    let (stated, fault) = ("xeon-sapphire-rapids,cores=32,nodes=4,links=3", "link:0-4=down");
    let (healthy, faulty) = (faulty(stated, ""), faulty(stated, fault));
    let measured = |machine| result(machine, &["bandwidth-matrix", "injection"], Solver::Auto, 1);
    assert_eq!(alarms(&judged_beside(stated, &measured(healthy), true)), Vec::<&str>::new());
    let diagnosis = judged_beside(stated, &measured(faulty), true);
    assert_eq!(alarms(&diagnosis), ["links-missing"], "{diagnosis:#?}");
    let Finding { evidence, causes, .. } = &diagnosis.findings[0];
    assert!(evidence.iter().all(|one| one.words.starts_with("injection, ")), "{evidence:?}");
    assert!(causes[0].words.contains("is down"), "{causes:?}");
}

/// The findings of a missing channel are one, also beside what the machine should be.
#[test]
fn a_fault_of_one_node_is_reported_once_beside_the_stated_machine() {
    let diagnosis = held_against("cascade-lake-4s", "cascade-lake-4s", "channels:node1=3");
    assert_eq!(alarms(&diagnosis), ["memory-of-a-node"], "{diagnosis:#?}");
    let template = "xeon-cascade-lake,cores=12,channels=6";
    let diagnosis = held_against(template, template, "channels:node1=4");
    assert_eq!(alarms(&diagnosis), ["memory-of-a-node"], "{diagnosis:#?}");
}

/// What a package of Graviton4 reads from the other one is 0.17 of its own memory's bandwidth; it was an alarm beside the machine that expects it.
#[test]
fn far_memory_that_is_slow_as_the_stated_machine_s_is_no_finding() {
    let text = |far: f64| {
        let latencies: [&[f64]; 2] = [&[113.3, 266.9], &[266.5, 115.7]];
        mlc(&latencies, &[&[459_100.0, far], &[far, 459_200.0]])
    };
    for (far, beside) in [(78_500.0, &[][..]), (39_000.0, &["slow-far-memory"])] {
        let result = import("mlc.txt", &text(far), None).unwrap().remove(0).result;
        assert_eq!(alarms(&judged_beside("quartet", &result, false)), ["far-bandwidth"]);
        let diagnosis = judged_beside("graviton4,sockets=2", &result, true);
        assert_eq!(alarms(&diagnosis), beside, "{far}: {diagnosis:#?}");
    }
}

/// A result of another machine than the stated one says nothing about that.
#[test]
fn a_result_of_another_machine_leaves_rules_about_the_stated_one_open() {
    let diagnosis = held_against("cascade-lake-4s", "quartet", "");
    let open = |rule: &str| diagnosis.untold.iter().any(|untold| untold.rule == rule);
    assert!(open("slow-own-memory") && open("links-missing"), "{:?}", diagnosis.untold);
}

/// Two nodes of a machine with four sockets were "one NUMA node for all packages", and interleaving was blamed.
#[test]
fn matrices_of_two_nodes_of_a_machine_with_four_sockets_are_a_part_of_it() {
    let latencies: [&[f64]; 2] = [&[81.2, 131.3], &[130.9, 81.1]];
    let text = mlc(&latencies, &[&[118_000.0, 17_100.0], &[17_000.0, 118_400.0]]);
    let imported = import("mlc.txt", &text, None).unwrap();
    for stated in ["cascade-lake-4s", "xeon-cascade-lake,sockets=4,links=3,cores=18"] {
        let diagnosis = judged_beside(stated, &imported[0].result, true);
        let about_nodes = ["nodes-not-taken", "fewer-nodes", "fewer-nodes-than-dies", "flat-nodes"];
        assert!(alarms(&diagnosis).iter().all(|rule| !about_nodes.contains(rule)), "{diagnosis:#?}");
        let blamed = diagnosis.findings.iter().flat_map(|finding| &finding.causes);
        assert!(blamed.into_iter().all(|cause| !cause.words.contains("interleave")), "{diagnosis:#?}");
        let open = diagnosis.untold.iter().find(|untold| untold.rule == "nodes-not-taken").unwrap();
        assert!(open.missing.contains("may be incomplete"), "{}", open.missing);
    }
    // A survey lists its nodes: there are no more.
    let whole = held_against("cascade-lake-4s", "cascade-lake-4s", "interleaving=on");
    assert_eq!(alarms(&whole).first(), Some(&"nodes-not-taken"), "{whole:#?}");
    assert!(whole.findings[0].causes[0].words.contains("interleaves"), "{whole:#?}");
}

/// Interleaved memory of two sockets that a text shows as one node was not seen: the matrix could be a part.
#[test]
fn one_node_that_reads_more_than_a_socket_can_deliver_is_that_of_all_sockets() {
    let judge = |bandwidth: f64| {
        let text = mlc(&[&[112.4]], &[&[bandwidth]]);
        let imported = import("mlc.txt", &text, None).unwrap();
        judged_beside("xeon-skylake,cores=24,links=3", &imported[0].result, true)
    };
    let whole = judge(183_412.1);
    assert_eq!(alarms(&whole).first(), Some(&"nodes-not-taken"), "{whole:#?}");
    assert!(whole.findings[0].causes[0].words.contains("interleaves"), "{whole:#?}");
    let part = judge(108_412.1);
    assert!(!alarms(&part).contains(&"nodes-not-taken"), "{part:#?}");
}

/// Eight of the 24 lanes of UPI 2.0 are a third, and were called links that are down.
#[test]
fn eight_lanes_of_twenty_four_are_narrow_links() {
    for stated in ["xeon-sapphire-rapids,cores=48,links=3", "xeon-emerald-rapids,cores=56,links=4"] {
        let diagnosis = held_against(stated, stated, "link:0-1=x8");
        let cause = &diagnosis.findings[0].causes[0];
        assert!(cause.words.contains("fewer lanes"), "{stated}: {:#?}", diagnosis.findings[0].causes);
    }
}

fn found<'a>(diagnosis: &'a Diagnosis, rule: &str) -> &'a Finding {
    let found = diagnosis.findings.iter().find(|finding| finding.rule == rule);
    found.unwrap_or_else(|| panic!("{rule}: {diagnosis:#?}"))
}

/// Channels and links gave a fault each, as if two things had broken by the same share.
#[test]
fn bandwidths_that_are_all_lower_by_one_share_have_one_cause() {
    let name = "xeon-cascade-lake,cores=28,links=3,channels=6";
    let mut file = result(machine(name), &MATRICES, Solver::Auto, 1);
    replace(&mut file, "bandwidth-matrix", |_, _, old| old * 0.8);
    let diagnosis = judged_beside(name, &file, true);
    assert_eq!(alarms(&diagnosis), ["bandwidths-alike"], "{:#?}", diagnosis.findings);
}

/// Mixes of all nodes that are as slow as one node's memory were also said to lack channels.
#[test]
fn data_on_one_node_lacks_no_channels() {
    let text = format!(
        "{}Measuring Peak Injection Memory Bandwidths for the system\nALL Reads : 121579.7\n3:1 Reads-Writes : 109566.3\n\
         2:1 Reads-Writes : 108301.6\n1:1 Reads-Writes : 101856.5\n",
        mlc(&[&[81.2, 130.2], &[130.2, 81.1]], &[&[122_097.7, 51_327.9], &[51_309.2, 122_005.5]])
    );
    let file = import("mlc.txt", &text, None).unwrap().remove(0).result;
    let diagnosis = judged_beside("xeon-cascade-lake,cores=28,links=3,channels=6", &file, true);
    assert_eq!(alarms(&diagnosis), ["whole-like-one-node"], "{:#?}", diagnosis.findings);
}

/// A text that shows the processor and no packages: five sixths of the other node's bandwidth were slow DIMMs, as if any number of channels were usual.
#[test]
fn a_node_with_five_of_the_processor_s_six_channels_lacks_one() {
    let text = mlc(&[&[78.9, 139.5], &[139.4, 79.1]], &[&[103_500.0, 51_200.0], &[51_200.0, 124_200.0]]);
    let file = import("mlc.txt", &text, None).unwrap().remove(0).result;
    let diagnosis = judged_beside("xeon-cascade-lake,cores=26,links=3,channels=6", &file, false);
    let finding = &diagnosis.findings[0];
    assert_eq!(finding.rule, "memory-of-a-node", "{diagnosis:#?}");
    assert!(finding.causes[0].words.contains("no working DIMM"), "{:#?}", finding.causes);
}
