//! Measurements by another tool.

use zerohop_expectation::Expectations;
use zerohop_result::{Catalogue, ResultFile};

use super::cells::cells;
use crate::assessed_result::AssessedResult;
use crate::json::result_json;
use crate::mlc::everything;
use crate::pages::imported_page;
use crate::render::{Document, Views};
use crate::svg::survey_picture;

/// A result that was imported from the output of another tool.
#[derive(Debug, Clone, Copy)]
pub struct ImportedResult<'a> {
    pub result: &'a ResultFile,
    /// The known experiments, and the kinds that only imported results have.
    pub experiments: Catalogue,
    /// Expectations for the values, if the user stated the machine.
    pub expectations: Option<&'a Expectations>,
}

impl Document for ImportedResult<'_> {
    const NAME: &'static str = "an imported result";
    const VIEWS: Views<Self> = Views {
        page: Some(|imported, style| {
            imported_page(imported.result, imported.experiments, imported.expectations, style)
        }),
        json: Some(|imported| result_json(imported.result)),
        rows: Some(|imported| cells(imported.result)),
        picture: Some(|imported| {
            let ImportedResult { result, experiments, expectations } = *imported;
            Ok(survey_picture(&AssessedResult {
                result,
                experiments,
                expectations,
                diagnosis: None,
                points: &[],
            }))
        }),
        mlc: Some(|imported| Ok(everything(imported.result, imported.experiments)?)),
        ..Views::NONE
    };
}
