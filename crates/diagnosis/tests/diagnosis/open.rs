//! What nobody can tell: what intervals leave open, and what was not looked at.

use zerohop_diagnosis::{Confidence, Diagnosis, Severity};
use zerohop_machine::Setting;
use zerohop_model::Solver;
use zerohop_result::{Axis, ResultFile};
use zerohop_workload::Warning;

use crate::bench::{MATRICES, faulty, held_against, judged, machine, result};

/// Widens the interval of a node's own bandwidth to this many times its value, in both directions.
fn widened(mut file: ResultFile, node: u64, times: f64) -> ResultFile {
    for experiment in file.experiments.iter_mut().filter(|one| one.experiment == "bandwidth-matrix") {
        let widen = |cells: &mut Vec<zerohop_result::Cell>| {
            for cell in cells {
                if [Axis::Initiator, Axis::Target].map(|axis| cell.at.number(axis)) == [Some(node); 2] {
                    cell.estimate.low = cell.estimate.median / times;
                    cell.estimate.high = cell.estimate.median * times;
                }
            }
        };
        experiment.cells.change(widen).unwrap();
    }
    file
}

fn untold<'a>(diagnosis: &'a Diagnosis, rule: &str) -> Option<&'a str> {
    diagnosis.untold.iter().find(|untold| untold.rule == rule).map(|untold| untold.missing.as_str())
}

/// Rules about comparable values found a fault of which they were "not sure", where all other rules say that they cannot tell.
#[test]
fn values_whose_intervals_overlap_with_those_of_their_sisters_decide_nothing() {
    let sick = || result(faulty("cascade-lake-4s", "channels:node1=4"), &MATRICES, Solver::Auto, 1);
    let rule = "memory-of-a-node";
    let clear = judged("clear", &widened(sick(), 1, 1.01));
    assert!(clear.findings.iter().any(|one| one.rule == rule), "{clear:?}");
    let open = judged("open", &widened(sick(), 1, 2.0));
    assert!(open.findings.iter().all(|one| one.rule != rule), "{:?}", open.findings);
    let missing = untold(&open, rule).unwrap();
    assert!(
        missing.contains("narrower intervals") && missing.contains("node 1 → its own memory"),
        "{missing}"
    );
}

/// A survey of four sockets found nothing, and no line said that nobody had looked for a collapse; a link that was down between two was no word.
#[test]
fn what_was_not_tested_is_said_with_what_tests_it() {
    let said = |name: &str, experiments: &[&'static str]| {
        let diagnosis = judged(name, &result(machine(name), experiments, Solver::Auto, 1));
        diagnosis.not_tested().map(str::to_owned).collect::<Vec<_>>()
    };
    let both = said("sr665-v3", &MATRICES);
    assert!(
        both.len() == 2 && both[0].contains("collapses") && both[0].contains("zerohop run ramp"),
        "{both:?}"
    );
    assert!(both[1].contains("the result does not show how many there are") && both[1].contains("--machine"));
    // Of four sockets, other pairs show how fast a link is.
    assert_eq!(said("quartet", &MATRICES).len(), 1);
    assert_eq!(said("quartet", &["bandwidth-matrix", "ramp"]), [""; 0]);
    let stated = held_against("sr665-v3,links=4", "sr665-v3", "link:0-1=down");
    assert_eq!(stated.not_tested().count(), 1, "{:?}", stated.untold);
}

/// "not tested: run ramp" was said where a ramp had been left out, and the links were asked for of a model that had been given them.
#[test]
fn nothing_is_asked_for_again_that_was_left_out_or_stated() {
    let mut file = result(machine("quartet"), &MATRICES, Solver::Auto, 1);
    let asked = |file: &ResultFile| judged("quartet", file).not_tested().count();
    assert_eq!(asked(&file), 1);
    let reason = "no other node's CPUs are in use".to_owned();
    file.warnings.push(Warning::ExperimentSkipped { experiment: "ramp".to_owned(), reason });
    assert_eq!(asked(&file), 0);
    let mut two = result(machine("sr665-v3"), &MATRICES, Solver::Auto, 1);
    let links = |file: &ResultFile| {
        judged("sr665-v3", file).not_tested().any(|words| words.contains("how many there are"))
    };
    assert!(links(&two));
    two.machine.settings.push(Setting { name: "links".to_owned(), value: "3".to_owned() });
    assert!(!links(&two));
}

#[test]
fn a_diagnosis_cannot_tell_where_the_measurement_is_not_good_enough_or_no_rule_can() {
    let sound = judged("quartet", &result(machine("quartet"), &MATRICES, Solver::Auto, 1));
    assert!(!sound.cannot_tell() && sound.verdict.is_none(), "a model is not measured");
    let busy = judged("busy", &result(faulty("quartet", "noise=busy"), &MATRICES, Solver::Auto, 1));
    assert!(busy.cannot_tell() && busy.unfit.is_some(), "{busy:?}");
    assert!(busy.findings.iter().all(|one| one.severity < Severity::Fault));
    assert!(busy.findings.iter().all(|one| one.confidence <= Confidence::Medium || one.rule == "unfit"));
}
