//! Everything that can be wrong with a study's file, and how it is said.

use insta::assert_snapshot;
use proptest::prelude::*;
use zerohop_study::Study;

use crate::bench::study_text;

/// What is said of a passage; that other names are idle is left out.
fn said(passage: &str) -> String {
    let error = Study::parse("study.toml", &study_text(passage)).unwrap_err();
    let heard = error.problems.iter().filter(|problem| !problem.message.starts_with("no claim is about"));
    heard.map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

fn passage(claims: &str) -> String {
    graded("identity", claims)
}

fn graded(grade: &str, claims: &str) -> String {
    format!(
        "[[passage]]\nid = \"fig-7\"\nlabel = \"Fig. 7\"\npages = \"27\"\nabout = \"bars\"\ngrade = \"{grade}\"\n\
         reason = \"a test\"\n{claims}\n"
    )
}

#[test]
fn what_is_no_toml() {
    assert_snapshot!(said("[[passage]\n"));
}

#[test]
fn keys_that_are_not_there() {
    assert_snapshot!(said(&passage("colour = 3")));
    assert_snapshot!(said(&passage("value = [{ at = \"near\" }]")));
    assert_snapshot!(said(&passage("measure = \"weight\"")));
}

#[test]
fn names_of_nothing() {
    assert_snapshot!(said(&passage(
        "run = \"idle\"\nvalue = [{ at = \"moon\", published = \"1 %\", tolerance = \"1 pp\" }]"
    )));
}

#[test]
fn nothing_claimed_and_nothing_run() {
    assert_snapshot!(said(&passage("run = \"calm\"")));
    assert_snapshot!(said(&passage(
        "value = [{ at = \"near\", published = \"1 %\", tolerance = \"1 pp\" }]"
    )));
}

#[test]
fn amounts_that_are_none() {
    let with =
        |value: &str| said(&passage(&format!("run = \"calm\"\nvalue = [{{ at = \"near\", {value} }}]")));
    assert_snapshot!(with("published = \"fast\", tolerance = \"1 pp\""));
    assert_snapshot!(with("published = \"3.5 GB/s\", tolerance = \"1 pp\""));
    assert_snapshot!(with("published = \"3 %\", tolerance = \"a bit\""));
    assert_snapshot!(with("published = \"3 %\""));
    let rate = "measure = \"bus_traffic_gbps\", published = \"3 GB/s\", tolerance = \"6 pp\"";
    assert_snapshot!(with(rate));
}

#[test]
fn fitted_with_a_tolerance() {
    let claims = "run = \"calm\"\nvalue = [{ at = \"near\", published = \"1 %\", tolerance = \"1 pp\" }]";
    assert_snapshot!(said(&graded("fitted", claims)));
}

#[test]
fn figures_that_claim_another_grade_than_theirs() {
    let value = "run = \"calm\"\ntolerance = \"1 pp\"\nvalue = [{ at = \"near\", published = \"1 %\" }]";
    let order = "run = \"calm\"\norder = [{ what = \"rising\", ascending = [[\"near\"], [\"far\"]] }]";
    assert_snapshot!(said(&graded("ordering", value)));
    assert_snapshot!(said(&graded("predicted", order)));
    assert_snapshot!(said(&graded("plausible", value)));
    assert_snapshot!(said(&graded("predicted", value).replace("reason = \"a test\"\n", "")));
    assert_snapshot!(said(&graded("predicted", value).replace("fig-7", "Fig. 7")));
}

#[test]
fn claims_that_compare_nothing() {
    let with = |claim: &str| said(&passage(&format!("run = \"calm\"\n{claim}")));
    assert_snapshot!(with("order = [{ what = \"alone\", ascending = [[\"near\"]] }]"));
    assert_snapshot!(with("equal = [{ what = \"alone\", places = [\"near\"], tolerance = \"1 %\" }]"));
    assert_snapshot!(with("equal = [{ what = \"who knows\", places = [\"near\", \"far\"] }]"));
    assert_snapshot!(with(
        "shrinking = [{ what = \"once\", above = \"near\", below = [\"far\"], runs = [\"calm\"] }]"
    ));
}

#[test]
fn a_label_twice_and_names_that_nobody_uses() {
    let once =
        passage("run = \"calm\"\ntolerance = \"1 pp\"\nvalue = [{ at = \"near\", published = \"1 %\" }]");
    let error = Study::parse("study.toml", &study_text(&format!("{once}{once}"))).unwrap_err();
    let messages: Vec<_> = error.problems.iter().map(|problem| problem.message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "no passage uses the run `busy`",
            "no passage uses the place `far`",
            "no passage uses the place `farther`",
            "no passage uses the place `memory`",
            "the id `fig-7` appears twice",
            "`Fig. 7` appears twice",
        ]
    );
    assert_eq!(error.to_string().matches("\n\nerror: ").count(), 5, "{error}");
}

proptest! {
    #[test]
    fn garbage_is_refused_without_a_panic(text in ".{0,200}", cut in 0usize..2000) {
        prop_assert!(Study::parse("x", &text).is_err());
        let whole = study_text(&passage("run = \"calm\"\nvalue = [{ at = \"near\", published = \"1 %\" }]"));
        let end = (0..=cut.min(whole.len())).rev().find(|&at| whole.is_char_boundary(at)).unwrap();
        prop_assert!(Study::parse("x", &whole[..end]).is_err());
    }
}
