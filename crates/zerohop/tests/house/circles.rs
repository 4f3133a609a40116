//! Circles in a graph of files.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Which file uses which, and the items that it takes from it.
pub(crate) type Uses = BTreeMap<(String, String), BTreeSet<String>>;

/// Every group of files that all reach one another, a line each: its files, then what ties them.
pub(crate) fn circles(uses: &Uses) -> Vec<String> {
    let files: BTreeSet<&str> = uses.keys().flat_map(|(from, to)| [from.as_str(), to.as_str()]).collect();
    let reached: BTreeMap<&str, BTreeSet<&str>> =
        files.iter().map(|&file| (file, reachable(uses, file))).collect();
    let mut seen = BTreeSet::new();
    let mut circles = Vec::new();
    for &file in files.iter().filter(|&&file| reached[file].contains(file)) {
        let circle: BTreeSet<&str> =
            reached[file].iter().copied().filter(|other| reached[other].contains(file)).collect();
        if seen.insert(circle.clone()) {
            circles.push(described(uses, &circle));
        }
    }
    circles
}

/// The files that can be reached from one by one step or more.
fn reachable<'a>(uses: &'a Uses, start: &'a str) -> BTreeSet<&'a str> {
    let mut found = BTreeSet::new();
    let mut left = vec![start];
    while let Some(from) = left.pop() {
        let next = uses.keys().filter(|(user, _)| user == from).map(|(_, used)| used.as_str());
        left.extend(next.filter(|used| found.insert(*used)));
    }
    found
}

fn described(uses: &Uses, circle: &BTreeSet<&str>) -> String {
    let mut text = circle.iter().copied().collect::<Vec<_>>().join(", ");
    for ((from, to), items) in uses {
        if circle.contains(from.as_str()) && circle.contains(to.as_str()) {
            let items = items.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
            let _ = write!(text, "\n  {from} -> {to}: {items}");
        }
    }
    text
}

#[test]
fn a_circle_is_found_with_what_ties_it() {
    let uses: Uses = [("a", "b"), ("b", "c"), ("c", "b"), ("c", "d")]
        .into_iter()
        .map(|(from, to)| ((from.to_owned(), to.to_owned()), BTreeSet::from([to.to_uppercase()])))
        .collect();
    assert_eq!(circles(&uses), ["b, c\n  b -> c: C\n  c -> b: B"]);
}
