//! Fit of a machine's model to measurements of the machine.

use zerohop_study::{CalibratedValue, CalibrationFile, Role};

use super::cells::{places, words_of_nodes};
use crate::json::calibration_json;
use crate::pages::calibration_page;
use crate::render::{Document, Views};
use crate::table::Table;

impl Document for CalibrationFile {
    const NAME: &'static str = "a calibration";
    const VIEWS: Views<Self> = Views {
        page: Some(calibration_page),
        json: Some(calibration_json),
        rows: Some(values),
        ..Views::NONE
    };
}

/// One row per value: its coordinates, as it was measured, and as the model has it.
fn values(file: &CalibrationFile) -> Table {
    let values = || file.values.iter();
    let role = |value: &CalibratedValue| match value.role {
        Role::Used => "used",
        Role::HeldOut => "held_out",
        Role::Other => "other",
    };
    let table = Table::new().words("experiment", values().map(|value| value.experiment.to_string()));
    let table = places(table, || values().map(|value| &value.at))
        .words("measure", values().map(|value| value.measure.name().to_owned()))
        .words("unit", values().map(|value| value.measure.unit().to_owned()))
        .numbers("measured", values().map(|value| Some(value.measured)))
        .numbers("before", values().map(|value| value.before))
        .numbers("half", values().map(|value| Some(value.half)))
        .numbers("model", values().map(|value| Some(value.model)))
        .numbers("error", values().map(|value| Some(value.error())))
        .words("role", values().map(|value| role(value).to_owned()))
        .words("origin", values().map(|_| file.origin.short()));
    words_of_nodes(table, || values().map(|value| &value.at))
}
