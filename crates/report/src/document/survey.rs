//! Everything about a machine's memory.

use zerohop_diagnosis::Diagnosis;
use zerohop_expectation::Expectations;
use zerohop_result::{Catalogue, ResultFile};

use super::cells::cells;
use crate::assessed_result::AssessedResult;
use crate::document::result_story::story;
use crate::json::result_json;
use crate::markdown::ticket_markdown;
use crate::mlc::everything;
use crate::pages::{first_screen, survey_page};
use crate::render::{Document, Views};
use crate::result_summary::ResultSummary;
use crate::svg::survey_picture;

/// A survey of a machine.
#[derive(Debug, Clone, Copy)]
pub struct Survey<'a> {
    pub result: &'a ResultFile,
    pub experiments: Catalogue,
    /// Expectations for the values, if known.
    pub expectations: Option<&'a Expectations>,
    /// Whether its page has every table, or is one screen.
    pub whole: bool,
    /// Diagnosis of the machine, if rules were applied.
    pub diagnosis: Option<&'a Diagnosis>,
}

impl Document for Survey<'_> {
    const NAME: &'static str = "a survey";
    const VIEWS: Views<Self> = Views {
        page: Some(|survey, style| match survey.whole {
            true => {
                survey_page(survey.result, survey.experiments, survey.expectations, survey.diagnosis, style)
            }
            false => {
                first_screen(survey.result, survey.experiments, survey.expectations, survey.diagnosis, style)
            }
        }),
        json: Some(|survey| result_json(survey.result)),
        rows: Some(|survey| cells(survey.result)),
        picture: Some(|survey| Ok(survey_picture(&survey.judged()))),
        story: Some(|survey| story(&survey.judged())),
        markdown: Some(|survey| ticket_markdown(&ResultSummary::of(&survey.judged()), survey.diagnosis)),
        mlc: Some(|survey| Ok(everything(survey.result, survey.experiments)?)),
        ..Views::NONE
    };
}

impl Survey<'_> {
    fn judged(&self) -> AssessedResult<'_> {
        let Self { result, experiments, expectations, whole: _, diagnosis } = *self;
        AssessedResult { result, experiments, expectations, diagnosis, points: &[] }
    }
}
