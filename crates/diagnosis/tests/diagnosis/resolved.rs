//! What intervals leave open, and causes that the evidence contradicts.

use zerohop_diagnosis::Diagnosis;
use zerohop_result::{Cell, Estimate, Measure, ResultFile};
use zerohop_workload::Warning;

use crate::bench::{alarms, judged};
use crate::constructed::{edited, replace};
use crate::imported::mlc;

/// Gives every latency an interval that reaches this share either way.
fn widen(file: &mut ResultFile, share: f64) {
    for experiment in &mut file.experiments {
        let change = |cells: &mut Vec<Cell>| {
            for cell in cells.iter_mut().filter(|cell| cell.measure == Measure::Latency) {
                let median = cell.estimate.median;
                cell.estimate =
                    Estimate { low: median / (1.0 + share), high: median * (1.0 + share), ..cell.estimate };
            }
        };
        experiment.cells.change(change).unwrap();
    }
}

/// Own memory of two nodes after 98 and 107 ns, and the other's after 440 ns: 4.29 times the median, 4.49 and 4.11 times the two.
fn of_98_and_107(share: f64) -> Diagnosis {
    let latencies: [&[f64]; 2] = [&[98.0, 440.0], &[440.0, 107.0]];
    let text = mlc(&latencies, &[&[122_000.0, 51_000.0], &[51_000.0, 122_000.0]]);
    let mut file = zerohop_importers::import("mlc.txt", &text, None).unwrap()[0].result.clone();
    widen(&mut file, share);
    judged("two", &file)
}

/// The page said 4.29 and the rule was silent: each had a median of its own.
#[test]
fn page_and_rule_have_one_ratio() {
    let diagnosis = of_98_and_107(0.005);
    let far = diagnosis.findings.iter().find(|finding| finding.rule == "far-latency").expect("it is found");
    assert!(far.title.contains("440 ns, 4.29 times"), "{}", far.title);
}

/// 4.29 is no more than 4.2 if each value is known to 5 %.
#[test]
fn a_ratio_whose_interval_contains_the_threshold_is_neither_found_nor_passed() {
    let diagnosis = of_98_and_107(0.05);
    assert!(!alarms(&diagnosis).contains(&"far-latency"), "{:?}", alarms(&diagnosis));
    let untold = diagnosis.untold.iter().find(|untold| untold.rule == "far-latency").expect("it cannot tell");
    for words in ["440 ns", "4.29 (4.01 to 4.60)", "4.20", "--full"] {
        assert!(untold.missing.contains(words), "{}", untold.missing);
    }
}

/// Ten times as late is out of proportion, however doubtful each value is; 4.6 times is not.
#[test]
fn a_ratio_far_beyond_its_threshold_is_found_in_doubtful_values() {
    let with = |far: f64| {
        edited(|file| {
            replace(file, "latency-matrix", |from, to, _| if from == to { 100.0 } else { far });
            for experiment in &mut file.experiments {
                let change = |cells: &mut Vec<Cell>| {
                    cells.iter_mut().for_each(|cell| cell.warnings.push(Warning::CpuTaken { share: 0.9 }));
                };
                experiment.cells.change(change).unwrap();
            }
        })
    };
    let found = |diagnosis: &Diagnosis| {
        diagnosis
            .findings
            .iter()
            .any(|one| one.rule == "far-latency" || one.explains.iter().any(|name| name == "far-latency"))
    };
    let open = |diagnosis: &Diagnosis| diagnosis.untold.iter().any(|one| one.rule == "far-latency");
    let (far, near) = (with(1000.0), with(460.0));
    assert!(found(&far) && !open(&far), "{:?}", alarms(&far));
    assert!(!found(&near) && open(&near), "{:?}", alarms(&near));
}

/// A survey whose workers lost up to 44 % of their windows, while others used 1.4 % of a CPU.
pub(crate) fn interrupted(other_load: Option<f64>) -> Diagnosis {
    edited(|file| {
        for experiment in &mut file.experiments {
            let change = |cells: &mut Vec<Cell>| {
                for (rank, cell) in cells.iter_mut().enumerate() {
                    let share = if rank % 2 == 0 { 0.56 } else { 0.9 };
                    cell.evidence.cpu_share = Some(share);
                    cell.evidence.other_load = other_load;
                    cell.evidence.steal_share = Some(0.0);
                    cell.warnings.push(Warning::CpuTaken { share });
                }
            };
            experiment.cells.change(change).unwrap();
        }
    })
}

/// "Other programs share the CPUs, 85 %" stood beside evidence of 1.4 % of other load.
#[test]
fn other_programs_are_not_blamed_for_what_they_did_not_use() {
    let rules = |diagnosis: &Diagnosis| -> Vec<String> {
        diagnosis.findings.iter().map(|finding| finding.rule.clone()).collect()
    };
    let alone = interrupted(Some(0.014));
    assert!(rules(&alone).contains(&"interrupted-workers".to_owned()), "{:?}", rules(&alone));
    assert!(!rules(&alone).contains(&"busy-cpus".to_owned()), "{:?}", rules(&alone));
    let beside = interrupted(Some(0.6));
    assert!(rules(&beside).contains(&"busy-cpus".to_owned()), "{:?}", rules(&beside));
    assert!(!rules(&beside).contains(&"interrupted-workers".to_owned()), "{:?}", rules(&beside));
    // Nothing is known of others: it is as likely as ever.
    assert!(rules(&interrupted(None)).contains(&"busy-cpus".to_owned()));
}
