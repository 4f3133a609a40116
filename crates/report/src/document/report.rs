//! One or more results on one page: the performance of each machine, its diagnosis, and a comparison.

use zerohop_compare::ComparisonFile;
use zerohop_result::ResultFile;

use crate::assessed_result::AssessedResult;
use crate::document::result_story;
use crate::html::{Part, Story, WIDE};
use crate::markdown::ticket_markdown;
use crate::page::Page;
use crate::pages::{Style, comparison_page, first_screen};
use crate::render::{Document, Views};
use crate::result_summary::ResultSummary;
use crate::svg::{comparison_picture, overlay};

/// Results side by side.
#[derive(Debug, Clone, Copy)]
pub struct Report<'a> {
    /// Each of them, at least one.
    pub results: &'a [AssessedResult<'a>],
    /// Comparison with the first result, if there are several.
    pub comparison: Option<&'a ComparisonFile>,
}

impl Document for Report<'_> {
    const NAME: &'static str = "a report";
    const VIEWS: Views<Self> =
        Views { page: Some(page), story: Some(whole), markdown: Some(tickets), ..Views::NONE };
}

/// The comparison, and the first screen of each.
fn page(report: &Report<'_>, style: &Style) -> Page {
    let mut page = Page::new(style);
    if let Some(comparison) = report.comparison {
        page.append(comparison_page(comparison, style));
    }
    for AssessedResult { result, experiments, expectations, diagnosis, points: _ } in report.results {
        page.blank();
        page.append(first_screen(result, *experiments, *expectations, *diagnosis, style));
    }
    page
}

/// A ticket for each result.
fn tickets(report: &Report<'_>) -> String {
    let ticket = |judged: &AssessedResult<'_>| ticket_markdown(&ResultSummary::of(judged), judged.diagnosis);
    report.results.iter().map(ticket).collect::<Vec<_>>().join("\n")
}

/// The comparison with its picture and the curves of all results, and everything about each.
fn whole(report: &Report<'_>) -> Story {
    let compared = report.comparison.map(|file| Part::Page(comparison_page(file, &WIDE)));
    let drawn = report.comparison.map(|file| {
        let svg = comparison_picture(file);
        Part::Picture { name: "comparison".to_owned(), svg }
    });
    let curves = report.comparison.and_then(|file| curves(report.results, file));
    let mut parts: Vec<Part> = compared.into_iter().chain(drawn).chain(curves).collect();
    let mut data = Vec::new();
    let is_alone = report.results.len() == 1;
    for (rank, judged) in report.results.iter().enumerate() {
        let of = ResultSummary::of(judged);
        let prefix = if is_alone { String::new() } else { format!("result-{}-", rank + 1) };
        parts.extend(result_story::parts(judged, &of, &prefix, is_alone));
        data.push(judged.result.compact());
    }
    Story { name: Report::NAME, parts, data }
}

/// The curves of the results that have one, by the names that the comparison has for them.
fn curves(results: &[AssessedResult<'_>], comparison: &ComparisonFile) -> Option<Part> {
    let names = comparison.origins.iter().map(|one| one.name.clone());
    let named: Vec<(String, &ResultFile)> = names.zip(results.iter().map(|one| one.result)).collect();
    let svg = overlay(&named, results.first()?.experiments)?;
    Some(Part::Picture { name: "latency-under-load".to_owned(), svg })
}
