//! A machine that a file describes, with its hardware.

use zerohop_machine::hwloc_xml;
use zerohop_machine_file::Hardware;

use super::machine::nodes;
use crate::json::hardware_json;
use crate::pages::hardware_page;
use crate::render::{Document, Views};
use crate::svg::hardware_picture;

impl Document for Hardware {
    const NAME: &'static str = "a machine";
    const VIEWS: Views<Self> = Views {
        page: Some(hardware_page),
        json: Some(hardware_json),
        rows: Some(|hardware| nodes(&hardware.machine)),
        picture: Some(|hardware| Ok(hardware_picture(hardware))),
        hwloc: Some(|hardware| hwloc_xml(&hardware.machine)),
        ..Views::NONE
    };
}
