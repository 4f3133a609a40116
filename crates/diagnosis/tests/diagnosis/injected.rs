//! Faults injected into models, and what the rules make of them.

use zerohop_diagnosis::{Diagnosis, Severity};
use zerohop_model::Solver;

use crate::bench::{alarms, diagnosed, faulty, held_against, judged, machine, result};
use crate::documented::{documents, share};

/// A fault, the machine that has it, the rule that should come first, and words of its likeliest cause.
const TABLE: &[(&str, &str, &str, &str)] = &[
    ("cascade-lake-4s", "channels:node1=5", "memory-of-a-node", "no working DIMM"),
    ("cascade-lake-4s", "channels:node1=3", "memory-of-a-node", "no working DIMM"),
    ("cascade-lake-4s", "slow-dimm:node2=2400", "memory-of-a-node", "lower rate"),
    ("cascade-lake-4s", "link:0-1=down", "way-around", "is down"),
    ("cascade-lake-4s", "link:0-1=x8", "narrow-link", "fewer lanes"),
    ("cascade-lake-4s", "link:2-3=x4", "narrow-link", "fewer lanes"),
    ("cascade-lake-4s", "link:1-2=8", "pair-of-nodes", "lower rate"),
    ("cascade-lake-4s", "interleaving=on", "fewer-nodes", "interleaves"),
    ("cascade-lake-4s", "data-on-one-node", "all-data-on-one-node", ""),
    ("cascade-lake-4s", "channels:node3=0", "memoryless-node", ""),
    ("quartet", "slow-dimm:node2=200", "memory-of-a-node", "lower rate"),
    ("quartet", "link:0-1=down", "way-around", "is down"),
    ("quartet", "interleaving=on", "fewer-nodes", "interleaves"),
    ("quartet", "data-on-one-node", "all-data-on-one-node", ""),
    ("quartet", "noise=busy", "busy-cpus", "other programs"),
    ("quartet", "vm=steal", "stolen-time", "other guests"),
    ("quartet", "pages=4k", "small-pages", "huge pages"),
    ("opteron-6274-4s", "channels:node3=1", "memory-of-a-node", "no working DIMM"),
    ("opteron-6274-4s", "slow-dimm:node5=1066", "memory-of-a-node", "lower rate"),
    ("opteron-6274-4s", "link:0-2=x4", "pair-of-nodes", "fewer lanes"),
    ("sr665-v3", "channels:node1=8", "memory-of-a-node", "no working DIMM"),
    ("sr665-v3", "slow-dimm:node0=3600", "memory-of-a-node", "lower rate"),
    ("sr665-v3", "nps=0", "fewer-nodes", "interleaves"),
    ("sr665-v3", "link:0-1=x4", "far-bandwidth", "fewer lanes"),
    ("xeon-skylake,cores=8", "channels:node0=4", "memory-of-a-node", "no working DIMM"),
    ("xeon-skylake,cores=8", "slow-dimm:node1=2133", "memory-of-a-node", "lower rate"),
    ("epyc-7003,cores=16", "channels:node0=6", "memory-of-a-node", "no working DIMM"),
    ("xeon-haswell,cores=8", "channels:node1=3", "memory-of-a-node", "no working DIMM"),
];

/// Faults that were not looked at when rules and thresholds were chosen.
const UNSEEN: &[(&str, &str, &str, &str)] = &[
    ("cascade-lake-4s", "channels:node0=2 noise=busy", "busy-cpus", ""),
    ("cascade-lake-4s", "slow-dimm:node3=2133", "memory-of-a-node", "lower rate"),
    ("cascade-lake-4s", "link:0-3=down", "way-around", "is down"),
    ("cascade-lake-4s", "link:0-2=9.2", "pair-of-nodes", "lower rate"),
    ("cascade-lake-4s", "link:1-3=x12", "pair-of-nodes", "fewer lanes"),
    ("cascade-lake-4s-ring", "channels:node2=4", "memory-of-a-node", "no working DIMM"),
    ("quartet", "link:1-3=down", "way-around", "is down"),
    ("quartet", "link:2-3=x4", "narrow-link", "fewer lanes"),
    ("opteron-6274-4s", "link:2-4=down", "way-around", "is down"),
    ("opteron-6274-4s", "link:4-5=x8", "pair-of-nodes", "fewer lanes"),
    ("opteron-6274-4s-doubloon", "channels:node6=1", "memory-of-a-node", "no working DIMM"),
    ("opteron-6274-4s-doubloon", "link:0-1=x4", "narrow-link", "fewer lanes"),
    ("sr665-v3,nps=4", "channels:node5=2", "memory-of-a-node", "no working DIMM"),
    ("sr665-v3,nps=2", "slow-dimm:node2=4000", "memory-of-a-node", "lower rate"),
    ("sr665-v3", "link:0-1=x8", "far-bandwidth", "fewer lanes"),
    ("sr665-v3", "link:0-1=down", "far-bandwidth", "is down"),
    ("xeon-ice-lake,cores=16", "link:0-1=down", "far-bandwidth", "is down"),
    ("xeon-ice-lake,cores=16", "channels:node1=7", "memory-of-a-node", "no working DIMM"),
    ("xeon-broadwell,cores=10", "slow-dimm:node0=1866", "memory-of-a-node", "lower rate"),
    ("epyc-9004,cores=32", "channels:node1=10", "memory-of-a-node", "no working DIMM"),
    ("epyc-7002,cores=32", "nps=0", "fewer-nodes", "interleaves"),
    ("xeon-nehalem", "data-on-one-node", "all-data-on-one-node", ""),
];

/// Those of [`UNSEEN`] that are missed, or whose cause does not come first.
const MISSED: [&str; 6] = [
    "cascade-lake-4s link:1-3=x12",
    "opteron-6274-4s link:4-5=x8",
    // A quarter of what a node reads of its own memory may be all that the links of such a machine carry.
    "sr665-v3 link:0-1=x8",
    "sr665-v3 link:0-1=down",
    "xeon-ice-lake,cores=16 link:0-1=down",
    // Sixteen cores hardly fill eight channels.
    "xeon-ice-lake,cores=16 channels:node1=7",
];

/// Those of [`TABLE`].
const MISSED_OF_TABLE: [&str; 2] = [
    "opteron-6274-4s link:0-2=x4",
    // Eight cores do not fill six channels.
    "xeon-skylake,cores=8 slow-dimm:node1=2133",
];

/// Those of both, beside the machine.
const MISSED_BESIDE: [&str; 3] =
    ["opteron-6274-4s link:0-2=x4", "cascade-lake-4s link:1-3=x12", "opteron-6274-4s link:4-5=x8"];

/// One of ten of them.
#[test]
fn of_some_faults_that_no_rule_was_made_for_most_are_found() {
    let some: Vec<_> = UNSEEN.iter().step_by(10).copied().collect();
    let missed = missed(&some, diagnosed);
    assert!(some.len() > 2 && missed.iter().all(|fault| MISSED.contains(&fault.as_str())), "{missed:?}");
}

/// docs/diagnosis.md has the numbers of both tests.
#[test]
#[ignore = "long: simulates 22 machines, some with hundreds of cores"]
fn of_faults_that_no_rule_was_made_for_most_are_found() {
    assert_eq!(missed(UNSEEN, diagnosed), MISSED);
    let found = share(UNSEEN.len(), MISSED.len());
    documents(&format!(
        "| {} others, on these and other machines, chosen before they were tried | {found} |",
        UNSEEN.len()
    ));
}

/// The faults of which the right rule and cause do not come first.
fn missed(faults: &[(&str, &str, &str, &str)], diagnosed: impl Fn(&str, &str) -> Diagnosis) -> Vec<String> {
    let missed = faults.iter().filter(|(name, fault, rule, cause)| {
        let diagnosis = diagnosed(name, fault);
        !is_found(&diagnosis, rule, cause)
    });
    missed.map(|(name, fault, ..)| format!("{name} {fault}")).collect()
}

/// Whether the first alarm is that rule with that cause.
fn is_found(diagnosis: &Diagnosis, rule: &str, cause: &str) -> bool {
    let Some(first) = diagnosis.alarms().next() else { return false };
    first.rule == rule && first.causes.first().is_some_and(|found| found.words.contains(cause))
}

#[test]
fn injected_faults_are_found_with_their_cause() {
    // Eight cores of the Skylake do not fill its channels, however slow they are.
    assert_eq!(missed(TABLE, diagnosed), MISSED_OF_TABLE);
    let found = share(TABLE.len(), MISSED_OF_TABLE.len());
    documents(&format!("| {} that rules and thresholds were tried on | {found} |", TABLE.len()));
}

/// Of the faults of these machines, those that are not found beside the machine that has them, and what is: another rule may find them first, if
/// it names the cause.
fn missed_beside(is_tried: impl Fn(&str) -> bool) -> (Vec<String>, Vec<String>) {
    let (mut missed, mut seen) = (Vec::new(), Vec::new());
    for (name, fault, rule, cause) in TABLE.iter().chain(UNSEEN).filter(|(name, ..)| is_tried(name)) {
        let diagnosis = held_against(name, name, fault);
        let first = diagnosis.alarms().next();
        // DIMMs that firmware lists say the same in other words.
        let also = match *cause {
            "lower rate" => "slower DIMMs",
            "no working DIMM" => "is missing, was not trained",
            other => other,
        };
        let words = [*cause, also];
        let likeliest = first.and_then(|first| first.causes.first());
        let is_named = likeliest.is_some_and(|found| words.iter().any(|words| found.words.contains(words)));
        let is_rule = first.is_some_and(|first| first.rule == *rule);
        if !(if cause.is_empty() { is_rule } else { is_named }) {
            seen.push(format!("{name} {fault}: {likeliest:?}"));
            missed.push(format!("{name} {fault}"));
        }
    }
    (missed, seen)
}

#[test]
fn injected_faults_of_most_machines_are_found_beside_them() {
    let is_tried = |name: &str| !["quartet", "cascade-lake-4s"].contains(&name);
    let (missed, seen) = missed_beside(is_tried);
    let expected = MISSED_BESIDE.into_iter().filter(|fault| is_tried(fault.split(' ').next().unwrap()));
    assert_eq!(missed, expected.collect::<Vec<_>>(), "{seen:#?}");
}

#[test]
#[ignore = "long: models all machines with other numbers of links and channels"]
fn injected_faults_are_found_beside_the_stated_machine() {
    let (missed, seen) = missed_beside(|_| true);
    assert_eq!(missed, MISSED_BESIDE, "{seen:#?}");
    let all = TABLE.len() + UNSEEN.len();
    documents(&format!("| the same {all}, with the machine stated | {} |", share(all, MISSED_BESIDE.len())));
}

/// A missing channel slowed readers of the node, and the DIMMs told it too: five findings of one fault.
#[test]
fn a_fault_is_reported_once() {
    for (name, fault) in [
        ("quartet", "slow-dimm:node2=200"),
        ("quartet", "link:0-1=down"),
        ("cascade-lake-4s", "channels:node1=3"),
        ("opteron-6274-4s", "channels:node3=1"),
    ] {
        let diagnosis = diagnosed(name, fault);
        assert_eq!(diagnosis.alarms().count(), 1, "{name} {fault}: {:?}", alarms(&diagnosis));
    }
    // Two faults are two.
    let both = diagnosed("cascade-lake-4s", "channels:node3=3 link:0-1=x8");
    let mut both = alarms(&both);
    both.sort_unstable();
    assert_eq!(both, ["memory-of-a-node", "narrow-link"]);
}

#[test]
fn a_finding_names_the_node_its_figures_and_the_size_of_the_loss() {
    let diagnosis = diagnosed("cascade-lake-4s", "channels:node1=4");
    let first = &diagnosis.findings[0];
    assert_eq!((first.rule.as_str(), first.severity), ("memory-of-a-node", Severity::Fault));
    assert!(first.title.starts_with("node 1 reads "), "{}", first.title);
    let size = first.size.unwrap();
    assert!((0.25..0.40).contains(&size.loss), "two of six channels are missing: {size:?}");
    assert!(first.evidence[0].words.contains("node 1 → its own memory"), "{:?}", first.evidence);
    assert!(first.evidence.iter().any(|shown| shown.words.contains("(-33 %)")), "{:?}", first.evidence);
    assert!(
        first.causes[0].likelihood > 0.6 && first.causes[0].words.contains("no working DIMM"),
        "{:?}",
        first.causes
    );
    // Less memory on that node is a sign of the same, and no finding of its own beside it.
    assert!(
        !first.next.as_ref().unwrap().contains('{')
            && first.remedies.iter().all(|remedy| !remedy.contains('{'))
    );
}

#[test]
fn no_words_of_any_finding_keep_a_name_in_braces() {
    for (name, fault) in [
        ("cascade-lake-4s", "channels:node1=3 link:0-1=down"),
        ("quartet", "data-on-one-node"),
        ("quartet", "noise=busy vm=steal pages=4k"),
        ("cascade-lake-4s", "interleaving=on"),
    ] {
        for finding in diagnosed(name, fault).findings {
            let mut words = vec![&finding.title, &finding.why];
            words.extend(finding.causes.iter().map(|cause| &cause.words));
            words.extend(finding.causes.iter().filter_map(|cause| cause.tells.as_ref()));
            words.extend(&finding.remedies);
            words.extend(&finding.next);
            assert!(words.iter().all(|words| !words.contains('{')), "{words:#?}");
        }
    }
}

#[test]
fn the_collapse_under_remote_load_is_found_and_a_lower_threshold_cures_it() {
    let ramp = |name: &str, faults: &str| {
        let hardware = if faults.is_empty() { machine(name) } else { faulty(name, faults) };
        judged(name, &result(hardware, &["ramp"], Solver::Event, 1))
    };
    let collapsed = ramp("cascade-lake-4s", "");
    let first = &collapsed.findings[0];
    assert_eq!(first.rule, "collapse");
    assert!(first.causes[0].words.contains("thresholds"), "{:?}", first.causes);
    assert!(first.size.unwrap().loss > 0.8, "{:?}", first.size);
    assert_eq!(alarms(&ramp("cascade-lake-4s", "threshold=8")), Vec::<&str>::new());
}
