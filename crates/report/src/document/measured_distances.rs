//! Distances between nodes as they were measured, beside the firmware's.

use zerohop_diagnosis::MeasuredDistances;
use zerohop_machine::hwloc_xml;

use crate::render::{Document, Views};
use crate::terminal::measured_distances_page;

impl Document for MeasuredDistances {
    const NAME: &'static str = "measured distances";
    const VIEWS: Views<Self> = Views {
        page: Some(measured_distances_page),
        hwloc: Some(|distances| hwloc_xml(&distances.machine())),
        slit: Some(Self::slit),
        ..Views::NONE
    };
}
