//! Published figures beside a model's, in every form.

use zerohop_document::FittedTo;
use zerohop_expectation::KnownErrors;
use zerohop_report::Form;
use zerohop_report::pages::Style;
use zerohop_study::{
    Amount, Difference, FigureGrade, Finding, FittedParameter, Gap, GradeTotals, Interval, OutcomeOfPassage,
    Publication, Reproduction, ReproductionFile, Row, Standing, Totals, Validation, Verdict,
    VerdictsOverSeeds,
};

use crate::shown::{reproduction, validation};
use zerohop_units::GigabytesPerSecond;

fn row(what: &str, finding: Finding, verdict: Verdict) -> Row {
    Row {
        what: what.to_owned(),
        runs: vec!["crossfire --case 'a b'".to_owned()],
        finding,
        verdict,
        over_seeds: None,
    }
}

fn passage(label: &str, pages: &str, about: &str, grade: FigureGrade, rows: Vec<Row>) -> OutcomeOfPassage {
    let id = label.to_lowercase().replace(". ", "-");
    let [label, pages, about] = [label, pages, about].map(str::to_owned);
    let reason = format!("a test of what is {grade}");
    OutcomeOfPassage { id, label, pages, about, grade, reason, rows }
}

fn standing(place: &str, percent: f64) -> Standing {
    Standing { place: place.to_owned(), model: Amount::Percent(percent), interval: None }
}

fn percent(published: f64, model: f64, tolerance: Option<Difference>) -> Finding {
    let (published, model) = (Amount::Percent(published), Amount::Percent(model));
    Finding::Value { published, model, interval: None, error: model.above(published, tolerance), tolerance }
}

fn rate(published: f64, model: f64) -> Finding {
    let [published, model] =
        [published, model].map(|rate| Amount::GigabytesPerSecond(GigabytesPerSecond(rate)));
    let tolerance = Some(Difference::Percent(8.0));
    Finding::Value { published, model, interval: None, error: model.above(published, tolerance), tolerance }
}

pub(crate) fn file() -> ReproductionFile {
    let points = Some(Difference::Points(6.0));
    let order = |last| Finding::Order {
        ranks: vec![vec![standing("near", 100.0), standing("far", 112.6)], vec![standing("farthest", last)]],
    };
    let passages = vec![
        passage(
            "Fig. 4",
            "21",
            "one reader, idle",
            FigureGrade::Fitted,
            vec![row("1 hop", percent(108.0, 107.4, None), Verdict::Fitted)],
        ),
        passage(
            "Fig. 7",
            "27",
            "two writers, low load",
            FigureGrade::Predicted,
            vec![
                row("local", percent(113.0, 112.6, points), Verdict::Ok),
                row("crossfire", percent(144.0, 155.25, points), Verdict::Off),
            ],
        ),
        passage(
            "Fig. 8",
            "27-28",
            "two writers, high load",
            FigureGrade::Ordering,
            vec![
                row("farthest is slowest", order(130.0), Verdict::Ok),
                row("farthest is slowest", order(105.0), Verdict::Off),
            ],
        ),
        passage(
            "A.3",
            "29, 42",
            "links and gaps",
            FigureGrade::Identity,
            vec![
                row("link, out | in", rate(3.5, 3.456), Verdict::Ok),
                row(
                    "as fast",
                    Finding::Equal {
                        standings: vec![standing("one", 108.0), standing("other", 109.0)],
                        spread: Difference::Percent(0.926),
                        tolerance: Difference::Percent(2.0),
                    },
                    Verdict::Ok,
                ),
                row(
                    "the gap closes",
                    Finding::Shrinking {
                        gaps: vec![Gap {
                            above: "near".to_owned(),
                            below: "far".to_owned(),
                            model: [18.0, 7.25, -1.0].map(Amount::Percent).into(),
                            intervals: Vec::new(),
                        }],
                    },
                    Verdict::Ok,
                ),
            ],
        ),
    ];
    let parameter = FittedParameter {
        path: "core.k8.in_flight.strided".to_owned(),
        value: "3".to_owned(),
        fitted_to: FittedTo {
            figures: vec!["notes/fig-4".parse().unwrap()],
            elsewhere: Some("a note | 1.64 GB/s".to_owned()),
        },
    };
    ReproductionFile::new(vec![Reproduction {
        study: "notes".to_owned(),
        title: "Two threads on a square".to_owned(),
        assumed: Vec::new(),
        document: Publication {
            title: "Notes".to_owned(),
            publisher: "Someone".to_owned(),
            number: "40555".to_owned(),
            date: "2006".to_owned(),
        },
        machine: "square".to_owned(),
        machine_title: "Four nodes in a square".to_owned(),
        passages,
        fitted_parameters: vec![parameter],
        totals: Totals {
            predicted: GradeTotals { claims: 2, off: 1, cannot_tell: 0 },
            ordering: GradeTotals { claims: 2, off: 1, cannot_tell: 0 },
            identity: GradeTotals { claims: 3, off: 0, cannot_tell: 0 },
            fitted: 1,
            fitted_parameters: 1,
        },
        seeds: None,
    }])
}

/// The same over three seeds, with a value and an order that intervals do not decide.
fn over_seeds() -> ReproductionFile {
    let mut file = file();
    let one = &mut file.reproductions[0];
    one.seeds = Some(3);
    let between = |low, high| Some(Interval { low: Amount::Percent(low), high: Amount::Percent(high) });
    let rows = one.passages.iter_mut().flat_map(|passage| &mut passage.rows);
    for row in rows.filter(|row| row.verdict != Verdict::Fitted) {
        row.over_seeds = Some(VerdictsOverSeeds { ok: 3, off: 0, cannot_tell: 0 });
    }
    let value = &mut one.passages[1].rows[0];
    value.verdict = Verdict::CannotTell;
    value.over_seeds = Some(VerdictsOverSeeds { ok: 1, off: 0, cannot_tell: 2 });
    let Finding::Value { interval, .. } = &mut value.finding else { panic!("{value:?}") };
    *interval = between(105.5, 120.25);
    let order = &mut one.passages[2].rows[1];
    order.over_seeds = Some(VerdictsOverSeeds { ok: 0, off: 2, cannot_tell: 1 });
    order.verdict = Verdict::CannotTell;
    let Finding::Order { ranks } = &mut order.finding else { panic!("{order:?}") };
    ranks[1][0].interval = between(99.0, 111.0);
    one.totals.predicted.cannot_tell = 1;
    file
}

#[test]
fn as_a_page() {
    insta::assert_snapshot!(reproduction(&file(), Form::Page, &Style::default()));
}

#[test]
fn as_a_page_when_all_came_out() {
    let mut one = file().reproductions.remove(0);
    one.passages.truncate(1);
    one.fitted_parameters.clear();
    one.totals = Totals { fitted: 1, ..Totals::default() };
    insta::assert_snapshot!(reproduction(&ReproductionFile::new(vec![one]), Form::Page, &Style::default()));
}

#[test]
fn as_markdown() {
    insta::assert_snapshot!(reproduction(&file(), Form::Markdown, &Style::default()));
}

#[test]
fn what_intervals_do_not_decide_is_shown_with_them() {
    insta::assert_snapshot!(reproduction(&over_seeds(), Form::Page, &Style::default()));
}

#[test]
fn as_markdown_over_several_seeds() {
    insta::assert_snapshot!(reproduction(&over_seeds(), Form::Markdown, &Style::default()));
}

#[test]
fn as_csv() {
    let text = reproduction(&file(), Form::Csv, &Style::default());
    let mut reader = ::csv::Reader::from_reader(text.as_bytes());
    assert_eq!(reader.records().map(Result::unwrap).count(), 8, "a row a claim, as many fields in each");
    insta::assert_snapshot!(text);
}

#[test]
fn as_json() {
    let text = reproduction(&file(), Form::Json, &Style::default());
    assert_eq!(serde_json::from_str::<ReproductionFile>(&text).unwrap(), file());
}

/// Two studies of a value each, one of which assumes something that its document does not say.
fn validated() -> Validation {
    let study = |name: &str, model: f64, assumed: &[&str]| {
        let mut study = file().reproductions.remove(0);
        let row = row("0 to 0", rate(100.0, model), Verdict::Ok);
        study.study = name.to_owned();
        study.passages = vec![passage("read bandwidth, local", "", "", FigureGrade::Predicted, vec![row])];
        study.assumed = assumed.iter().map(|&fact| fact.to_owned()).collect();
        study
    };
    Validation::new(vec![study("known", 104.0, &[]), study("guessed", 150.0, &["wired links", "the DIMMs"])])
}

#[test]
fn machines_of_which_nothing_was_assumed_are_counted_by_themselves() {
    let known = validated().known.unwrap();
    assert!(known.values == 1 && (known.worst - 4.0).abs() < 1e-9, "{known:?}");
    insta::assert_snapshot!(validation(&validated(), Form::Markdown, &Style::default()));
}

/// The program read its errors from the page, for each result again.
#[test]
fn the_errors_of_a_validation_are_data() {
    let text = validation(&validated(), Form::Toml, &Style::default());
    let known = KnownErrors::read(&text).unwrap();
    assert_eq!(known, KnownErrors::of(&validated()));
    assert!(text.contains("[[machines]]\nstudy = \"known\""), "{text}");
    assert_eq!(known.phrases(), ["read bandwidth ±50 %"]);
}

#[test]
fn a_validation_as_a_page() {
    insta::assert_snapshot!(validation(&validated(), Form::Page, &Style::default()));
}
