//! Holds docs/recommendations.md to the tests that it names.

use std::collections::BTreeSet;
use std::fs;

use super::{crates, sources};

/// Names of tests in the last column of the page's tables.
fn named(page: &str) -> BTreeSet<&str> {
    let last = page.lines().filter_map(|row| row.strip_suffix(" |")?.rsplit_once(" | "));
    last.flat_map(|(_, cell)| cell.split('`').skip(1).step_by(2)).collect()
}

#[test]
fn every_recommendation_of_a_document_has_a_test_that_exists() {
    let page = fs::read_to_string(crates().join("../docs/recommendations.md")).unwrap();
    let named = named(&page);
    assert!(named.len() > 25, "{named:?}");
    let tests: BTreeSet<String> = sources(&crates())
        .iter()
        .flat_map(|path| {
            let text = fs::read_to_string(path).unwrap();
            let tests = text.split("#[test]").skip(1).filter_map(|test| {
                let (_, named) = test.split_once("fn ")?;
                Some(named.split('(').next()?.to_owned())
            });
            tests.collect::<Vec<_>>()
        })
        .collect();
    let missing: Vec<&str> = named.into_iter().filter(|name| !tests.contains(*name)).collect();
    assert_eq!(missing, Vec::<&str>::new());
}
