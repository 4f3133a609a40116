//! Published numbers beside a model's, one row a claim.

use zerohop_insight::{Difference, Finding, OutcomeOfPassage, Reproduction, ReproductionFile, Row};

use super::push_row;
use crate::finding::statement;

const HEADS: [&str; 15] = [
    "study",
    "passage",
    "pages",
    "basis",
    "what",
    "kind",
    "published",
    "model",
    "unit",
    "error",
    "tolerance",
    "error_unit",
    "verdict",
    "statement",
    "runs",
];

/// One row a claim. Numbers stand in their own columns where a claim is about one number; what is absent is empty.
pub fn reproduction_csv(file: &ReproductionFile) -> String {
    let mut text = String::new();
    push_row(&mut text, HEADS.map(str::to_owned).into_iter());
    for reproduction in &file.reproductions {
        for passage in &reproduction.passages {
            for row in &passage.rows {
                push_row(&mut text, fields(reproduction, passage, row).into_iter());
            }
        }
    }
    text
}

fn fields(reproduction: &Reproduction, passage: &OutcomeOfPassage, row: &Row) -> [String; HEADS.len()] {
    let numbers = match &row.finding {
        Finding::Value { published, model, error, tolerance } => [
            published.get().to_string(),
            model.get().to_string(),
            published.unit().to_owned(),
            error.get().to_string(),
            tolerance.map(Difference::get).map_or_else(String::new, |tolerance| tolerance.to_string()),
            error.unit().to_owned(),
        ],
        Finding::Equal { spread, tolerance, .. } => {
            let unit = spread.unit().to_owned();
            let [spread, tolerance] = [spread.get(), tolerance.get()].map(|number| number.to_string());
            [String::new(), String::new(), String::new(), spread, tolerance, unit]
        }
        Finding::Order { .. } | Finding::Shrinking { .. } => Default::default(),
    };
    let [published, model, unit, error, tolerance, error_unit] = numbers;
    [
        reproduction.study.clone(),
        passage.label.clone(),
        passage.pages.clone(),
        passage.basis.to_string(),
        row.what.clone(),
        row.finding.kind().to_owned(),
        published,
        model,
        unit,
        error,
        tolerance,
        error_unit,
        row.verdict.to_string(),
        statement(&row.finding),
        row.runs.join("; "),
    ]
}
