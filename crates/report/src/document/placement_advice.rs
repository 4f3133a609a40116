//! Advice on the placement of a program.

use zerohop_advise::placement::PlacementAdvice;

use crate::json::placement_advice_json;
use crate::pages::placement_advice_page;
use crate::render::{Document, Views};
use crate::table::Table;

impl Document for PlacementAdvice {
    const NAME: &'static str = "placement advice";
    const VIEWS: Views<Self> = Views {
        page: Some(placement_advice_page),
        json: Some(placement_advice_json),
        rows: Some(rows),
        ..Views::NONE
    };
}

/// One row per placement that matters, the best first: its names, what it is, its figure with the ends of the interval.
fn rows(advice: &PlacementAdvice) -> Table {
    let all = || advice.alternatives.iter();
    let unit = advice.program.sensitivity.unit();
    Table::new()
        .words("names", all().map(|one| one.names.join(", ")))
        .words("placement", all().map(|one| one.words.clone()))
        .words("unit", all().map(|_| unit.to_owned()))
        .numbers("value", all().map(|one| Some(one.figure.value)))
        .numbers("low", all().map(|one| Some(one.figure.low)))
        .numbers("high", all().map(|one| Some(one.figure.high)))
        .numbers("times_default", all().map(|one| Some(one.over_default)))
        .numbers("remote_share", all().map(|one| Some(one.remote_share)))
        .words("limit", all().map(|one| one.limit.clone().unwrap_or_default()))
        .words("machine", all().map(|_| advice.machine.clone()))
        .words("origin", all().map(|_| advice.origin.short()))
}
