//! Measurements that a host allows.

use zerohop_diagnosis::{Cure, DoctorReport};

use crate::json::doctor_json;
use crate::markdown::doctor_markdown;
use crate::pages::doctor_page;
use crate::render::{Document, Views};
use crate::table::Table;

impl Document for DoctorReport {
    const NAME: &'static str = "a report of `doctor`";
    const VIEWS: Views<Self> = Views {
        page: Some(doctor_page),
        json: Some(doctor_json),
        rows: Some(rows),
        markdown: Some(doctor_markdown),
        ..Views::NONE
    };
}

/// One row for each thing that was looked at.
fn rows(report: &DoctorReport) -> Table {
    let checks = || report.checks.iter();
    let command = |cure: &Option<Cure>| match cure {
        Some(Cure::Command(command)) => command.clone(),
        _ => String::new(),
    };
    let elsewhere = |cure: &Option<Cure>| match cure {
        Some(Cure::Elsewhere(why)) => why.clone(),
        _ => String::new(),
    };
    Table::new()
        .words("what", checks().map(|check| check.what.clone()))
        .words("standing", checks().map(|check| check.standing.name().to_owned()))
        .words("is", checks().map(|check| check.is.clone()))
        .words("cost", checks().map(|check| check.cost.clone().unwrap_or_default()))
        .words("command", checks().map(|check| command(&check.cure)))
        .words("no_command", checks().map(|check| elsewhere(&check.cure)))
}
