//! The rates that a machine's memory allows.

use zerohop_advise::placement::{Ceiling, CeilingRow, RampPoint};

use crate::json::ceiling_json;
use crate::pages::ceiling_page;
use crate::render::{Document, Views};
use crate::table::Table;

impl Document for Ceiling {
    const NAME: &'static str = "a ceiling";
    const VIEWS: Views<Self> =
        Views { page: Some(ceiling_page), json: Some(ceiling_json), rows: Some(rows), ..Views::NONE };
}

/// One row per placement and number of threads; without a ramp, one per placement.
fn rows(ceiling: &Ceiling) -> Table {
    let bytes = ceiling.bytes_per_step.get() as f64 / 1e9;
    let points: Vec<(&CeilingRow, RampPoint)> = ceiling
        .rows
        .iter()
        .flat_map(|row| {
            let whole = RampPoint { threads: row.placement.threads.values().sum(), bandwidth: row.bandwidth };
            let ramp = if row.ramp.is_empty() { vec![whole] } else { row.ramp.clone() };
            ramp.into_iter().map(move |point| (row, point))
        })
        .collect();
    let all = || points.iter();
    Table::new()
        .words("data", all().map(|(row, _)| row.data.words().to_owned()))
        .counts("threads", all().map(|(_, point)| point.threads as u64))
        .numbers("bandwidth_gbps", all().map(|(_, point)| Some(point.bandwidth.value)))
        .numbers("steps_per_s", all().map(|(_, point)| Some(point.bandwidth.value / bytes)))
        .ranks("enough_threads", all().map(|(row, _)| row.enough_threads.map(|threads| threads as u64)))
        .counts("memory_bytes", all().map(|(row, _)| row.memory.get()))
        .words("machine", all().map(|_| ceiling.machine.clone()))
        .words("origin", all().map(|_| ceiling.origin.short()))
}
