//! The known studies of published figures.

use zerohop_study::Study;

use crate::pages::studies_page;
use crate::render::{Document, Views};

/// Studies of published figures.
#[derive(Debug, Clone, Copy)]
pub struct Studies<'a>(pub &'a [Study]);

impl Document for Studies<'_> {
    const NAME: &'static str = "a list of studies";
    const VIEWS: Views<Self> =
        Views { page: Some(|studies, style| studies_page(studies.0, style)), ..Views::NONE };
}
