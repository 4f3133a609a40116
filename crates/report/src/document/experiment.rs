//! One experiment, in full.

use zerohop_result::{Catalogue, ExperimentResult, ResultFile};

use super::cells::cells;
use crate::json::result_json;
use crate::mess::curves;
use crate::mlc::block;
use crate::pages::experiment_page;
use crate::render::{Document, Views};
use crate::svg::experiment_picture;

/// An experiment that was run on its own.
#[derive(Debug, Clone, Copy)]
pub struct Experiment<'a> {
    /// The file that contains it.
    pub file: &'a ResultFile,
    pub result: &'a ExperimentResult,
    pub experiments: Catalogue,
}

impl Document for Experiment<'_> {
    const NAME: &'static str = "an experiment";
    const VIEWS: Views<Self> = Views {
        page: Some(|one, style| experiment_page(one.file, one.result, one.experiments, style)),
        json: Some(|one| result_json(one.file)),
        rows: Some(|one| cells(one.file)),
        picture: Some(|one| Ok(experiment_picture(one.file, one.result, one.experiments))),
        mess: Some(|one| Ok(curves(one.result, one.experiments)?)),
        mlc: Some(|one| Ok(block(one.file, one.result, one.experiments)?)),
        ..Views::NONE
    };
}
