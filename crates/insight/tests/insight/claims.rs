//! Each kind of claim, met and missed.

use zerohop_insight::{Amount, Basis, Difference, Finding, Verdict, reproduce};
use zerohop_result::{Axis, Cell};

use crate::bench::{hardware, outcome, results, row, study};

const ANY: [f64; 3] = [1.0, 1.0, 1.0];

fn passage(claim: &str) -> String {
    format!(
        "[[passage]]\nlabel = \"Fig. 7\"\npages = \"27\"\nabout = \"bars\"\nrun = \"calm\"\ntolerance = \"6 pp\"\n{claim}\n"
    )
}

#[test]
fn a_value_may_lie_within_its_tolerance_on_either_side() {
    let claim = passage("value = [{ at = \"far\", published = \"136 %\" }]");
    for (model, verdict) in
        [(1.30, Verdict::Ok), (1.42, Verdict::Ok), (1.299, Verdict::Off), (1.421, Verdict::Off)]
    {
        assert_eq!(row(&claim, ANY, [1.0, model, 1.0]).verdict, verdict, "{model}");
    }
    let row = row(&claim, ANY, [1.0, 1.375, 1.0]);
    assert_eq!(row.what, "far");
    assert_eq!(row.runs, ["crossfire --case local"]);
    let Finding::Value { published, model, error, tolerance } = row.finding else { panic!("{row:?}") };
    assert_eq!((published, model), (Amount::Percent(136.0), Amount::Percent(137.5)));
    assert_eq!((error, tolerance), (Difference::Points(1.5), Some(Difference::Points(6.0))));
}

#[test]
fn both_directions_of_a_channel_are_added_up() {
    let claim = passage(
        "value = [{ at = \"memory\", measure = \"bus_traffic_gbps\", published = \"2.5 GB/s\", tolerance = \"8 %\" }]",
    );
    let row = row(&claim, ANY, ANY);
    let Finding::Value { model, error, .. } = row.finding else { panic!("{row:?}") };
    assert_eq!(format!("{model:.2} {error:+.1}"), "2.75 GB/s +10.0 %");
    assert_eq!(row.verdict, Verdict::Off);
}

#[test]
fn an_order_holds_between_ranks_and_not_within_them() {
    let claim =
        passage("order = [{ what = \"near wins\", ascending = [[\"near\"], [\"far\", \"farther\"]] }]");
    let verdict = |calm| row(&claim, ANY, calm).verdict;
    assert_eq!(verdict([1.0, 1.2, 1.1]), Verdict::Ok);
    assert_eq!(verdict([1.0, 1.1, 1.2]), Verdict::Ok);
    assert_eq!(verdict([1.1, 1.1, 1.2]), Verdict::Off);
    assert_eq!(verdict([1.15, 1.2, 1.1]), Verdict::Off);
    assert_eq!(verdict([f64::NAN, 1.2, 1.3]), Verdict::Off);
}

#[test]
fn equal_means_within_a_tolerance() {
    let claim = passage(
        "equal = [{ what = \"the same\", places = [\"near\", \"far\", \"farther\"], tolerance = \"2 %\" }]",
    );
    assert_eq!(row(&claim, ANY, [1.00, 1.019, 1.01]).verdict, Verdict::Ok);
    assert_eq!(row(&claim, ANY, [1.021, 1.00, 1.00]).verdict, Verdict::Off);
    assert_eq!(row(&claim, ANY, [1.00, 0.97, 1.01]).verdict, Verdict::Off);
}

#[test]
fn a_gap_shrinks_from_run_to_run() {
    let claim = passage(
        "shrinking = [{ what = \"closing\", above = \"far\", below = [\"near\", \"farther\"], runs = [\"calm\", \"busy\"] }]",
    );
    let calm = [1.0, 1.5, 1.2];
    assert_eq!(row(&claim, [1.0, 1.4, 1.3], calm).verdict, Verdict::Ok);
    // Past nothing, it goes on shrinking.
    assert_eq!(row(&claim, [1.4, 1.2, 1.3], calm).verdict, Verdict::Ok);
    // Every gap has to.
    assert_eq!(row(&claim, [1.0, 1.4, 1.0], calm).verdict, Verdict::Off);
    assert_eq!(row(&claim, calm, calm).verdict, Verdict::Off);
    let row = row(&claim, [1.0, 1.25, 1.25], calm);
    assert_eq!(row.runs, ["crossfire --case local", "crossfire --case local --background high"]);
    let Finding::Shrinking { gaps } = row.finding else { panic!("{row:?}") };
    assert_eq!(gaps[0].below, "near");
    assert_eq!(gaps[0].model, [Amount::Percent(50.0), Amount::Percent(25.0)]);
}

#[test]
fn what_is_fitted_never_counts() {
    let claim = passage("value = [{ at = \"near\", published = \"100 %\" }]");
    let fitted = claim.replace("tolerance = \"6 pp\"", "fitted = true");
    for model in [1.0, 2.0] {
        let outcome = outcome(&fitted, ANY, [model, 1.0, 1.0]).unwrap();
        assert_eq!(outcome.passages[0].rows[0].verdict, Verdict::Fitted);
        assert_eq!((outcome.totals.predicted, outcome.totals.reproduced()), (0, 0));
        assert!(outcome.totals.all_reproduced());
    }
    let row = row(&fitted, ANY, [2.0, 1.0, 1.0]);
    assert!(
        matches!(row.finding, Finding::Value { error: Difference::Points(100.0), tolerance: None, .. }),
        "its error is shown: {row:?}"
    );
}

#[test]
fn a_machine_that_was_fitted_to_a_figure_does_not_predict_it() {
    let study = study(&passage("value = [{ at = \"near\", published = \"100 %\" }]"));
    let basis = |fitted_to: &str| {
        reproduce(&study, &results(ANY, ANY), &[&hardware(&[fitted_to])]).unwrap().passages[0].basis
    };
    assert_eq!(basis("Figs 3 and 4"), Basis::Predicted);
    assert_eq!(basis("Fig. 3, Fig. 7"), Basis::Fitted);
    assert_eq!(basis("Fig. 7"), Basis::Fitted);
    assert_eq!(basis("Fig. 7."), Basis::Fitted);
    assert_eq!(basis("Fig. 70"), Basis::Predicted);
    assert_eq!(basis("Fig. 7.1"), Basis::Predicted);
    assert_eq!(basis("xFig. 7"), Basis::Predicted);
}

#[test]
fn what_the_document_says_twice_is_fitted_by_either_name() {
    let twice = passage("also = [\"3.4.2\"]\nvalue = [{ at = \"near\", published = \"100 %\" }]");
    let basis = |fitted_to: &str| {
        reproduce(&study(&twice), &results(ANY, ANY), &[&hardware(&[fitted_to])]).unwrap().passages[0].basis
    };
    assert_eq!(basis("4.78 GB/s of 3.4.2"), Basis::Fitted);
    assert_eq!(basis("Fig. 7"), Basis::Fitted);
    assert_eq!(basis("3.2"), Basis::Predicted);
}

#[test]
fn totals_and_parameters_are_counted() {
    let claims = passage(
        "value = [{ at = \"near\", published = \"100 %\" }, { at = \"far\", published = \"200 %\" }]",
    );
    let outcome = reproduce(&study(&claims), &results(ANY, ANY), &[&hardware(&["Fig. 3", "A.2.1"])]).unwrap();
    let totals = outcome.totals;
    assert_eq!((totals.predicted, totals.reproduced(), totals.off), (2, 1, 1));
    assert_eq!((totals.fitted, totals.fitted_parameters), (4, 2));
    assert!(!totals.all_reproduced());
    let fitted_to: Vec<_> = outcome.fitted_parameters.iter().map(|one| one.fitted_to.as_str()).collect();
    assert_eq!(fitted_to, ["Fig. 3", "A.2.1"]);
    assert_eq!((outcome.machine.as_str(), outcome.machine_title.as_str()), ("square", "A square"));
}

#[test]
fn a_reproduction_survives_json() {
    let outcome = outcome(&passage("value = [{ at = \"near\", published = \"100 %\" }]"), ANY, ANY).unwrap();
    let text = serde_json::to_string(&outcome).unwrap();
    assert_eq!(serde_json::from_str::<zerohop_insight::Reproduction>(&text).unwrap(), outcome);
}

#[test]
fn a_place_that_a_run_does_not_have_is_an_error() {
    let study = study(&passage("value = [{ at = \"near\", published = \"100 %\" }]"));
    let mut results = results(ANY, ANY);
    let numbered = |cell: &Cell| cell.at.number(Axis::Case).is_some();
    results[1].cells.change(|cells| cells.retain(numbered)).unwrap();
    let error = reproduce(&study, &results, &[&hardware(&[])]).unwrap_err();
    insta::assert_snapshot!(error, @"Fig. 7 needs `near` of `zerohop run crossfire --case local`: it has no relative time at case near (there is none at all)");
    assert!(error.hint().is_some());
    let error = reproduce(&study, &[], &[&hardware(&[])]).unwrap_err();
    assert_eq!(error.to_string(), "the study has 2 runs, but there are 0 results");
}

#[test]
fn a_place_that_means_two_numbers_is_an_error() {
    let study = study(&passage("value = [{ at = \"near\", published = \"100 %\" }]"));
    let mut results = results(ANY, ANY);
    let mut other = results[1].cells[0].clone();
    other.at = other.at.with(Axis::Background, "y");
    results[1].cells.change(|cells| cells.push(other)).unwrap();
    let error = reproduce(&study, &results, &[&hardware(&[])]).unwrap_err().to_string();
    assert!(error.contains("it has more than one relative time at case near"), "{error}");
}
