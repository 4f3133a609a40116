//! What is wrong with a machine stands on every page that rests on a result of it, in the same words.

use zerohop_diagnosis::{DIAGNOSIS_VERSION, Diagnosis, DiagnosisFile, Given, Rule, Untold, diagnose};
use zerohop_expectation::{KnownErrors, expect};
use zerohop_experiment::catalogue;
use zerohop_report::pages::Style;
use zerohop_report::{DiagnosisReport, Form, ShownResult, Survey};
use zerohop_result::{Axis, Cell, Measure, ResultFile};

use crate::examples::{machine, survey};
use crate::shown::text;

const RULE: &str = r#"
title = "node {node} reads {found} of its own memory, comparable nodes {expected} (-{loss})"
about = "a node that reads slowly"
severity = "fault"
source = "a test"

[when]
test = "node-below-sisters"
experiment = "bandwidth-matrix"
query = "bandwidth"
least = 0.06

[[cause]]
words = "a channel of node {node} is empty"
likelihood = "100 %"
"#;

/// A survey of a machine whose second node reads a third of what the others read, and its diagnosis.
pub(crate) fn sick() -> (ResultFile, Diagnosis) {
    let mut file = survey(machine(4, 1, 4));
    for result in file.experiments.iter_mut().filter(|one| one.experiment.as_str() == "bandwidth-matrix") {
        let slow = |cells: &mut Vec<Cell>| {
            for cell in cells.iter_mut().filter(|cell| cell.measure == Measure::Bandwidth) {
                let at = |axis| cell.at.number(axis);
                if [Axis::Initiator, Axis::Target].map(at) == [Some(1), Some(1)] {
                    let estimate = &mut cell.estimate;
                    for end in [&mut estimate.low, &mut estimate.median, &mut estimate.high] {
                        *end /= 3.0;
                    }
                }
            }
        };
        result.cells.change(slow).unwrap();
    }
    let rule = Rule::parse("slow-node", "slow-node.toml", RULE).unwrap();
    let mut diagnosis = diagnose(&[rule], "sick", &file, Given::default());
    assert_eq!(diagnosis.alarms().count(), 1, "{diagnosis:?}");
    let not_tested = Some("whether it collapses: `zerohop run ramp`".to_owned());
    diagnosis.untold.push(Untold { rule: "collapse".to_owned(), missing: "a ramp".to_owned(), not_tested });
    (file, diagnosis)
}

fn in_one_line(page: &str) -> String {
    page.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// `show` dropped the fault that `survey` had printed, the picture had neither it nor a mark, and advice never mentioned the broken node.
#[test]
fn a_fault_its_cause_and_what_was_not_tested_are_on_every_page() {
    let (file, diagnosis) = sick();
    let experiments = catalogue();
    let survey =
        |whole| Survey { result: &file, experiments, expectations: None, whole, diagnosis: Some(&diagnosis) };
    let expectations = expect(&file, Err("nothing is known"), &KnownErrors::default());
    let shown = |whole| ShownResult {
        result: &file,
        experiments,
        expectations: &expectations,
        whole,
        diagnosis: &diagnosis,
        points: &[],
    };
    let style = Style::default();
    let judged = DiagnosisFile {
        schema_version: DIAGNOSIS_VERSION,
        diagnoses: vec![diagnosis.clone()],
        not_judged: Vec::new(),
    };
    let report = DiagnosisReport { file: &judged, rules: &[], whole: false };
    let pages = [
        text(&survey(true), Form::Page, &style),
        text(&survey(false), Form::Page, &style),
        text(&shown(true), Form::Page, &style),
        text(&shown(false), Form::Page, &style),
        text(&report, Form::Page, &style),
        text(&survey(true), Form::Svg, &style),
        text(&shown(true), Form::Svg, &style),
    ];
    for page in pages.map(Result::unwrap) {
        // A picture has each line in a tag of its own.
        let plain = in_one_line(&page.replace("</text>", " ").replace('<', " <"));
        for words in ["node 1 reads", "a channel of node 1 is empty", "not tested", "`zerohop run ramp`"] {
            assert!(plain.contains(words), "{words}: {page}");
        }
    }
    let picture = text(&survey(true), Form::Svg, &style).unwrap();
    assert!(picture.contains("deviates from comparable values"), "{picture}");
    assert_eq!(picture.matches("deviates from comparable values").count(), 1);
}
