//! What a machine file describes.

use zerohop_machine::{Combinations, Hardware};

use crate::render::{Document, Views};
use crate::terminal::hardware_summary;

/// A machine file that was checked.
#[derive(Debug, Clone, Copy)]
pub struct MachineCheck<'a> {
    /// What it describes.
    pub hardware: &'a Hardware,
    /// How its options go together.
    pub combinations: Combinations,
}

impl Document for MachineCheck<'_> {
    const NAME: &'static str = "a check of a machine file";
    const VIEWS: Views<Self> = Views {
        page: Some(|check, style| hardware_summary(check.hardware, check.combinations, style)),
        ..Views::NONE
    };
}
