//! The load of a machine's links and channels.

use zerohop_machine_file::Hardware;
use zerohop_result::{Catalogue, Query, ResultFile};

use crate::render::{Document, Views};
use crate::svg::load_picture;

/// The load of a machine's links and channels in one workload of a result.
#[derive(Debug, Clone, Copy)]
pub struct LinkLoad<'a> {
    pub hardware: &'a Hardware,
    pub result: &'a ResultFile,
    /// The coordinates of the workload; the first that it selects is drawn.
    pub at: &'a Query,
    pub experiments: Catalogue,
}

impl Document for LinkLoad<'_> {
    const NAME: &'static str = "the load of links";
    const VIEWS: Views<Self> = Views {
        picture: Some(|load| Ok(load_picture(load.hardware, load.result, load.at, load.experiments)?)),
        ..Views::NONE
    };
}
