//! Measured distances between nodes, next to the firmware's.

use zerohop_diagnosis::{DistancesFile, MeasuredDistances};
use zerohop_machine::hwloc_xml;
use zerohop_units::{GigabytesPerSecond, Nanoseconds};

use crate::json::distances_json;
use crate::pages::measured_distances_page;
use crate::render::{Document, Views};
use crate::table::Table;

impl Document for MeasuredDistances {
    const NAME: &'static str = "measured distances";
    const VIEWS: Views<Self> = Views {
        page: Some(measured_distances_page),
        json: Some(distances_json),
        rows: Some(rows),
        hwloc: Some(|distances| hwloc_xml(&distances.machine())),
        slit: Some(Self::slit),
        ..Views::NONE
    };
}

/// One row per pair of nodes.
fn rows(distances: &MeasuredDistances) -> Table {
    let file = DistancesFile::of(distances);
    let pairs = || file.pairs.iter();
    Table::new()
        .counts("from", pairs().map(|pair| u64::from(pair.from.0)))
        .counts("to", pairs().map(|pair| u64::from(pair.to.0)))
        .counts("measured", pairs().map(|pair| u64::from(pair.measured)))
        .ranks("stated", pairs().map(|pair| pair.stated.map(u64::from)))
        .numbers("latency_ns", pairs().map(|pair| pair.latency.map(Nanoseconds::get)))
        .numbers("bandwidth_gbps", pairs().map(|pair| pair.bandwidth.map(GigabytesPerSecond::get)))
        .words("machine", pairs().map(|_| file.machine.clone()))
}
