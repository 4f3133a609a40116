//! A result next to the expectations for its values.

use zerohop_diagnosis::Diagnosis;
use zerohop_expectation::{Expectations, ExpectedCell, Standing};
use zerohop_result::{Catalogue, ResultFile};

use super::cells::{places, words_of_nodes};
use crate::assessed_result::AssessedResult;
use crate::document::result_story::story;
use crate::json::expectations_json;
use crate::markdown::ticket_markdown;
use crate::pages::{first_screen, survey_page};
use crate::program_point::ProgramPoint;
use crate::render::{Document, Views};
use crate::result_summary::ResultSummary;
use crate::svg::survey_picture;
use crate::table::Table;

/// A result next to the expectations for its values.
#[derive(Debug, Clone, Copy)]
pub struct ShownResult<'a> {
    pub result: &'a ResultFile,
    /// The known experiments, and the kinds that only imported results have.
    pub experiments: Catalogue,
    /// Expectations for the values.
    pub expectations: &'a Expectations,
    /// Whether its page has every table, or is one screen.
    pub whole: bool,
    /// Diagnosis of the machine.
    pub diagnosis: &'a Diagnosis,
    /// Programs to lay on the curves of latency under load.
    pub points: &'a [ProgramPoint],
}

impl Document for ShownResult<'_> {
    const NAME: &'static str = "a result with expected values";
    const VIEWS: Views<Self> = Views {
        page: Some(|shown, style| match shown.whole {
            true => survey_page(
                shown.result,
                shown.experiments,
                Some(shown.expectations),
                Some(shown.diagnosis),
                style,
            ),
            false => first_screen(
                shown.result,
                shown.experiments,
                Some(shown.expectations),
                Some(shown.diagnosis),
                style,
            ),
        }),
        story: Some(|shown| story(&shown.judged())),
        picture: Some(|shown| Ok(survey_picture(&shown.judged()))),
        json: Some(|shown| expectations_json(shown.expectations)),
        rows: Some(|shown| rows(shown.expectations)),
        markdown: Some(|shown| ticket_markdown(&ResultSummary::of(&shown.judged()), Some(shown.diagnosis))),
        ..Views::NONE
    };
}

impl ShownResult<'_> {
    fn judged(&self) -> AssessedResult<'_> {
        let Self { result, experiments, expectations, whole: _, diagnosis, points } = *self;
        AssessedResult {
            result,
            experiments,
            expectations: Some(expectations),
            diagnosis: Some(diagnosis),
            points,
        }
    }
}

/// One row per cell of which something is expected.
fn rows(expectations: &Expectations) -> Table {
    let cells = || expectations.cells.iter();
    let reading = |cell: &ExpectedCell| match cell.standing {
        Standing::Explained { reading } => {
            expectations.readings().get(reading).map(ToString::to_string).unwrap_or_default()
        }
        _ => String::new(),
    };
    let table = Table::new().words("experiment", cells().map(|cell| cell.experiment.to_string()));
    let table = places(table, || cells().map(|cell| &cell.at))
        .words("measure", cells().map(|cell| cell.measure.name().to_owned()))
        .words("unit", cells().map(|cell| cell.measure.unit().to_owned()))
        .numbers("value", cells().map(|cell| Some(cell.value)))
        .numbers("expected", cells().map(|cell| Some(cell.expected.value)))
        .numbers("low", cells().map(|cell| Some(cell.expected.low)))
        .numbers("high", cells().map(|cell| Some(cell.expected.high)))
        .words("standing", cells().map(|cell| cell.standing.words().to_owned()))
        .words("reading", cells().map(reading))
        .words("basis", cells().map(|cell| cell.expected.basis.words().to_owned()))
        .words("reason", cells().map(|cell| cell.expected.reason.clone()))
        .words("validated", cells().map(|cell| cell.expected.validated.to_string()))
        .words("origin", cells().map(|_| expectations.origin.short()))
        .words("machine", cells().map(|_| expectations.machine.clone()));
    words_of_nodes(table, || cells().map(|cell| &cell.at))
}
