//! A check of a machine file.

use zerohop_machine_file::{Combinations, Hardware};

use crate::pages::hardware_summary;
use crate::render::{Document, Views};

/// A machine file that was checked.
#[derive(Debug, Clone, Copy)]
pub struct MachineCheck<'a> {
    /// The machine that it describes.
    pub hardware: &'a Hardware,
    /// The combinations of its options.
    pub combinations: Combinations,
}

impl Document for MachineCheck<'_> {
    const NAME: &'static str = "a check of a machine file";
    const VIEWS: Views<Self> = Views {
        page: Some(|check, style| hardware_summary(check.hardware, check.combinations, style)),
        ..Views::NONE
    };
}
