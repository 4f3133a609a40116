//! A comparison of results with the first of them.

use zerohop_compare::{ComparedCell, ComparedNumber, ComparisonFile, Tendency};

use super::cells::{places, words_of_nodes};
use crate::json::comparison_json;
use crate::pages::comparison_page;
use crate::render::{Document, Views};
use crate::svg::comparison_picture;
use crate::table::Table;

impl Document for ComparisonFile {
    const NAME: &'static str = "a comparison";
    const VIEWS: Views<Self> = Views {
        page: Some(comparison_page),
        json: Some(comparison_json),
        rows: Some(pairs),
        picture: Some(|file| Ok(comparison_picture(file))),
        ..Views::NONE
    };
}

/// One row per cell and result: its coordinates, the values of the base and of the result, and how many times as good
/// the result is.
fn pairs(file: &ComparisonFile) -> Table {
    let cells = file.cells.iter();
    let pairs: Vec<(&ComparedCell, &ComparedNumber)> =
        cells.flat_map(|cell| cell.others.iter().map(move |other| (cell, other))).collect();
    let cells = || pairs.iter().map(|(cell, _)| *cell);
    let others = || pairs.iter().map(|(_, other)| *other);
    let tendency = |other: &ComparedNumber| match other.tendency {
        Tendency::Better => "better",
        Tendency::Same => "same",
        Tendency::Worse => "worse",
    };
    let origin = |name: &str| {
        let named = file.origins.iter().find(|one| one.name == name);
        named.map(|one| one.origin.short()).unwrap_or_default()
    };
    let table = Table::new()
        .words("result", others().map(|other| other.name.clone()))
        .words("experiment", cells().map(|cell| cell.experiment.to_string()));
    let table = places(table, || cells().map(|cell| &cell.at))
        .words("measure", cells().map(|cell| cell.measure.name().to_owned()))
        .words("unit", cells().map(|cell| cell.measure.unit().to_owned()))
        .numbers("base", cells().map(|cell| Some(cell.base)))
        .numbers("value", others().map(|other| Some(other.value)))
        .numbers("ratio", others().map(|other| Some(other.ratio.value)))
        .numbers("low", others().map(|other| Some(other.ratio.low)))
        .numbers("high", others().map(|other| Some(other.ratio.high)))
        .words("tendency", others().map(|other| tendency(other).to_owned()))
        .numbers("p", others().map(|other| Some(other.p)))
        .words("doubtful", others().map(|other| other.doubtful.to_string()))
        .words("origin", others().map(|other| origin(&other.name)))
        .words("base_origin", others().map(|_| origin(&file.base)));
    words_of_nodes(table, || cells().map(|cell| &cell.at))
}
