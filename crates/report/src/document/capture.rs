//! Everything read about a machine, to be shown again elsewhere.

use zerohop_machine::Capture;

use crate::render::{Document, Views};

impl Document for Capture {
    const NAME: &'static str = "a capture";
    const VIEWS: Views<Self> = Views { json: Some(Self::to_json), ..Views::NONE };
}
