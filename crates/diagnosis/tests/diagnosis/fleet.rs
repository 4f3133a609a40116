//! A machine beside others of its kind: what is slow as a whole has no sisters of its own.

use std::collections::BTreeMap;

use zerohop_diagnosis::{Diagnosis, Given, ReferenceResult, diagnose};
use zerohop_model::Solver;
use zerohop_result::ResultFile;

use crate::bench::{MATRICES, alarms, faulty, machine, result, rules};
use crate::constructed::replace;

pub(crate) const KIND: &str = "xeon-sapphire-rapids,cores=24";

/// The result of a machine of the kind, with a seed of its own.
pub(crate) fn one(faults: &str, seed: u64) -> ResultFile {
    result(faulty(KIND, faults), &MATRICES, Solver::Auto, seed)
}

/// What rules say of a result beside others of the kind.
pub(crate) fn beside(file: &ResultFile, fleet: &[ResultFile]) -> Diagnosis {
    let names: Vec<String> = (1..=fleet.len()).map(|rank| format!("n{rank}")).collect();
    let fellows = names.iter().zip(fleet).map(|(name, file)| ReferenceResult { name, file });
    diagnose(rules(), "this", file, Given { fleet: fellows.collect(), ..Given::default() })
}

pub(crate) fn sound() -> Vec<ResultFile> {
    (1..=3).map(|seed| one("", seed)).collect()
}

/// Which fault of a whole machine is found, and what is named first.
#[test]
fn what_concerns_a_whole_machine_alike_is_found_beside_others_of_its_kind() {
    let cases = [
        ("slow-dimm:node0=3200 slow-dimm:node1=3200", "slow-in-fleet", "DIMMs run at a lower rate"),
        ("channels:node0=6 channels:node1=6", "slow-in-fleet", "channels have no working DIMM"),
        ("link:0-1=8", "far-slow-in-fleet", "links run with fewer lanes"),
    ];
    let fleet = sound();
    for (faults, rule, cause) in cases {
        let diagnosis = beside(&one(faults, 7), &fleet);
        let first = diagnosis.alarms().next().unwrap_or_else(|| panic!("{faults}: nothing found"));
        assert_eq!(first.rule, rule, "{faults}: {:?}", alarms(&diagnosis));
        assert!(first.causes[0].words.starts_with(cause), "{faults}: {:?}", first.causes);
        let shown: Vec<&str> = first.evidence.iter().map(|shown| shown.words.as_str()).collect();
        assert!(shown.iter().any(|words| words.contains("others of its kind")), "{shown:?}");
    }
}

/// Without lists of DIMMs, many shares may be left by either cause: both are named.
#[test]
fn without_dimms_missing_channels_and_slow_dimms_are_both_named() {
    let without = |mut file: ResultFile| {
        file.machine.memory_devices.clear();
        file
    };
    let fleet: Vec<ResultFile> = sound().into_iter().map(without).collect();
    for faults in ["channels:node0=6 channels:node1=6", "slow-dimm:node0=4000 slow-dimm:node1=4000"] {
        let diagnosis = beside(&without(one(faults, 7)), &fleet);
        let finding = diagnosis.findings.iter().find(|finding| finding.rule == "slow-in-fleet").unwrap();
        let mut first: Vec<&str> = finding.causes[..2].iter().map(|cause| &cause.words[..8]).collect();
        first.sort_unstable();
        assert_eq!(first, ["DIMMs ru", "channels"], "{faults}: {:?}", finding.causes);
    }
}

#[test]
fn machines_that_are_alike_give_no_alarm_with_any_seed() {
    let fleet: Vec<ResultFile> = (1..=5).map(|seed| one("", seed)).collect();
    for (rank, file) in fleet.iter().enumerate() {
        let others: Vec<ResultFile> = fleet
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != rank)
            .map(|(_, file)| file.clone())
            .collect();
        assert_eq!(alarms(&beside(file, &others)), [""; 0], "{rank}");
    }
}

/// The sound ones do not suffer from a bad one among them.
#[test]
fn a_bad_machine_casts_no_doubt_on_the_others() {
    let bad = "slow-dimm:node0=3200 slow-dimm:node1=3200";
    let fleet = [one("", 1), one("", 2), one(bad, 3)];
    let diagnosis = beside(&one("", 4), &fleet);
    assert_eq!(alarms(&diagnosis), [""; 0]);
    assert!(diagnosis.passed.iter().any(|rule| rule == "slow-in-fleet"), "{:?}", diagnosis.untold);
}

/// With one other, or with others that differ among themselves, nobody knows what is usual.
#[test]
fn others_that_are_too_few_or_disagree_tell_nothing() {
    let bad = || one("slow-dimm:node0=3200 slow-dimm:node1=3200", 7);
    let scaled = |times: f64| {
        let mut file = one("", 1);
        replace(&mut file, "bandwidth-matrix", |_, _, old| old * times);
        file
    };
    for fleet in
        [vec![one("", 1)], vec![scaled(1.0), scaled(0.8)], vec![scaled(1.0), scaled(0.7), scaled(1.4)]]
    {
        let diagnosis = beside(&bad(), &fleet);
        let missing: BTreeMap<&str, &str> =
            diagnosis.untold.iter().map(|untold| (untold.rule.as_str(), untold.missing.as_str())).collect();
        assert!(missing.contains_key("slow-in-fleet"), "{:?}", alarms(&diagnosis));
        assert!(!diagnosis.alarms().any(|finding| finding.rule.ends_with("in-fleet")));
    }
}

/// A machine that another setting divides into other nodes is not compared value by value.
#[test]
fn another_number_of_nodes_is_named_before_its_consequences() {
    let snc = result(machine("xeon-sapphire-rapids,cores=24,nodes=4"), &MATRICES, Solver::Auto, 7);
    let diagnosis = beside(&snc, &sound());
    assert_eq!(alarms(&diagnosis).first(), Some(&"nodes-unlike-fleet"));
    let found = &diagnosis.findings[0];
    assert!(found.title.contains("8 nodes") && found.title.contains("2 nodes"), "{}", found.title);
}
