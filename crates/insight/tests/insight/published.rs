//! The studies on file.

use zerohop_insight::{Assertion, Study};

const AMD_40555: &str = include_str!("../../../../published/amd-40555.toml");

#[test]
fn only_single_threads_and_stated_rates_of_them_may_be_fitted() {
    let study = Study::parse("amd-40555.toml", AMD_40555).unwrap_or_else(|error| panic!("{error}"));
    let fitted = study.passages.iter().filter(|passage| passage.fitted);
    let fitted: Vec<_> = fitted.map(|passage| passage.label.as_str()).collect();
    assert_eq!(fitted, ["Fig. 3", "Fig. 4", "3.2", "A.2.1"]);
}

#[test]
fn every_published_figure_with_two_threads_is_claimed() {
    let study = Study::parse("amd-40555.toml", AMD_40555).unwrap();
    for figure in 6..=15 {
        let label = format!("Fig. {figure}");
        let passage = study.passages.iter().find(|passage| passage.label == label);
        let passage = passage.unwrap_or_else(|| panic!("{label} is not there"));
        let numbers =
            passage.claims.iter().filter(|claim| matches!(claim.assertion, Assertion::Value { .. }));
        // The bars of the others carry no number in any copy.
        let bars = match figure {
            7 => 3,
            10 | 12 => 4,
            _ => 0,
        };
        assert_eq!(numbers.count(), bars, "{label}");
    }
}
