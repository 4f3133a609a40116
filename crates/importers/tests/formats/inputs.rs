//! The stored texts, and what is looked for in their results.

use std::fs;
use std::path::Path;

use zerohop_importers::{Imported, import};
use zerohop_result::{Axis, Coordinate, Coordinates, Measure, ResultFile};

pub(crate) fn input(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/inputs").join(name)).unwrap()
}

pub(crate) fn imported(name: &str) -> Vec<Imported> {
    import(name, &input(name), None).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The only result of a text, with the format that was recognized.
pub(crate) fn only(name: &str, format: &str) -> ResultFile {
    let mut all = imported(name);
    assert_eq!(all.len(), 1, "{name}");
    let one = all.remove(0);
    assert_eq!(one.format.name(), format, "{name}");
    one.result
}

/// A value by experiment, measure and coordinates.
#[track_caller]
pub(crate) fn value(file: &ResultFile, experiment: &str, measure: Measure, at: &[(Axis, Coordinate)]) -> f64 {
    let coordinates = Coordinates(at.iter().cloned().collect());
    let found = file.experiments.iter().find(|one| one.experiment == experiment);
    let found = found.unwrap_or_else(|| panic!("no {experiment}"));
    let cell = found.cell(&coordinates, measure);
    let known = || found.cells.iter().map(|cell| cell.at.to_string()).collect::<Vec<_>>().join("; ");
    cell.unwrap_or_else(|| panic!("nothing at {coordinates} in {}", known())).estimate.median
}

pub(crate) fn number(number: u64) -> Coordinate {
    Coordinate::Number(number)
}

pub(crate) fn word(word: &str) -> Coordinate {
    word.into()
}

pub(crate) fn warnings(file: &ResultFile) -> Vec<String> {
    let cells = file
        .experiments
        .iter()
        .flat_map(|one| one.cells.iter().flat_map(|cell| &cell.warnings).chain(&one.warnings));
    file.warnings.iter().chain(cells).map(ToString::to_string).collect()
}

pub(crate) fn names(file: &ResultFile) -> Vec<&str> {
    file.experiments.iter().map(|one| one.experiment.as_str()).collect()
}

pub(crate) fn between(from: u64, to: u64) -> [(Axis, Coordinate); 2] {
    [(Axis::Initiator, number(from)), (Axis::Target, number(to))]
}
