//! What links and channels of a machine carried.

use zerohop_machine::Hardware;
use zerohop_result::{Catalogue, Coordinates, ResultFile};

use crate::render::{Document, Views};
use crate::svg::load_picture;

/// The load of a machine's links and channels in a workload of a result.
#[derive(Debug, Clone, Copy)]
pub struct LinkLoad<'a> {
    /// The machine.
    pub hardware: &'a Hardware,
    /// The result.
    pub result: &'a ResultFile,
    /// Where the workload stands.
    pub at: &'a Coordinates,
    /// The experiments that are known.
    pub experiments: Catalogue,
}

impl Document for LinkLoad<'_> {
    const NAME: &'static str = "the load of links";
    const VIEWS: Views<Self> = Views {
        picture: Some(|load| Ok(load_picture(load.hardware, load.result, load.at, load.experiments)?)),
        ..Views::NONE
    };
}
