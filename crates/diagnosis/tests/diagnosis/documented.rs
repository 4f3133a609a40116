//! Figures of docs/diagnosis.md.

use std::fs;

use crate::bench::repository;

/// Asserts that the page on diagnosis has these words, whatever its line ends.
#[track_caller]
pub(crate) fn documents(words: &str) {
    let page = fs::read_to_string(repository().join("docs/diagnosis.md")).unwrap();
    let page = page.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(page.contains(words), "docs/diagnosis.md does not say: {words}");
}

/// `17 (77 %)`: how many of `all` faults are found.
pub(crate) fn share(all: usize, missed: usize) -> String {
    let found = all - missed;
    format!("{found} ({:.0} %)", 100.0 * found as f64 / all as f64)
}
