//! Results beside the first of them, one row a number.

use zerohop_insight::{ComparedCell, ComparedNumber, ComparisonFile, Tendency};
use zerohop_result::Axis;

use super::push_row;

/// Columns after the axes.
const NUMBERS: [&str; 10] =
    ["measure", "unit", "base", "value", "ratio", "low", "high", "tendency", "origin", "base_origin"];

/// One row a cell and result: where it stands, the base's number and the result's, and how often as good it is.
pub fn comparison_csv(file: &ComparisonFile) -> String {
    let mut text = String::new();
    let heads = ["result", "experiment"].into_iter().chain(Axis::ALL.map(Axis::name)).chain(NUMBERS);
    push_row(&mut text, heads.map(str::to_owned));
    for cell in &file.cells {
        for other in &cell.others {
            push_row(&mut text, fields(file, cell, other));
        }
    }
    text
}

fn fields(
    file: &ComparisonFile,
    cell: &ComparedCell,
    other: &ComparedNumber,
) -> impl Iterator<Item = String> {
    let origin = |name: &str| {
        let named = file.origins.iter().find(|one| one.name == name);
        named.map(|one| one.origin.short()).unwrap_or_default()
    };
    let tendency = match other.tendency {
        Tendency::Better => "better",
        Tendency::Same => "same",
        Tendency::Worse => "worse",
    };
    let places = Axis::ALL.map(|axis| cell.at.get(axis).map(ToString::to_string).unwrap_or_default());
    let numbers = [
        cell.measure.words().to_owned(),
        cell.measure.unit().to_owned(),
        cell.base.to_string(),
        other.value.to_string(),
        other.ratio.value.to_string(),
        other.ratio.low.to_string(),
        other.ratio.high.to_string(),
        tendency.to_owned(),
        origin(&other.name),
        origin(&file.base),
    ];
    [other.name.clone(), cell.experiment.to_string()].into_iter().chain(places).chain(numbers)
}
