//! Sweeps as pages and CSV.

use zerohop_report::pages::Style;
use zerohop_report::{Form, render};
use zerohop_result::Measure;
use zerohop_study::{Number, Outcome, Points, Question, Sweep, SweepResult, SweepRun};

/// A sweep over two points, one of them refused; the other has these warnings and `further` that are left out.
pub(crate) fn result(warnings: &[&str], further: usize) -> SweepResult {
    let sweep = Sweep {
        machine: "quartet".to_owned(),
        points: Points::grid(vec!["links=3,4".parse().unwrap(), "width=x4".parse().unwrap()]).unwrap(),
        runs: vec![SweepRun { name: "stream".to_owned(), command: "stream".to_owned() }],
        measures: Vec::new(),
        faults: Vec::new(),
    };
    let question =
        Question { produced_by: "zerohop 0".to_owned(), sweep, solver: "flow".to_owned(), seed: 1 };
    let number = Number {
        run: 0,
        what: "triad".to_owned(),
        measure: Measure::Bandwidth,
        value: 123.456,
        low: 123.0,
        high: 124.0,
    };
    let warnings = warnings.iter().map(|&warning| warning.to_owned()).collect();
    let done = Outcome::Done { numbers: vec![number], warnings, further };
    let refused = Outcome::Refused { reason: "no such cable".to_owned() };
    SweepResult::new(question, &[(0, refused), (1, done)].into())
}

/// A note that read like the count of the others was taken for it.
#[test]
fn a_note_is_not_known_by_its_words() {
    let text = |form| {
        let result = result(&["and 2 sockets more", "and 3 more"], 4);
        String::from_utf8(render(&result, form, &Style::default()).unwrap().into_bytes()).unwrap()
    };
    let page = text(Form::Page);
    for note in ["1 point: and 2 sockets more", "1 point: and 3 more"] {
        assert!(page.contains(note), "no `{note}` in {page}");
    }
    assert!(!page.contains("4 more"), "{page}");
    let csv = text(Form::Csv);
    assert!(csv.contains(",and 2 sockets more; and 3 more; and 4 more,"), "{csv}");
}
