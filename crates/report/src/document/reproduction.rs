//! Published figures next to a model's.

use zerohop_study::{
    Difference, Finding, OutcomeOfPassage, Reproduction, ReproductionFile, Row, VerdictsOverSeeds,
};

use crate::finding::statement;
use crate::json::reproduction_json;
use crate::markdown::reproduction_markdown;
use crate::page::Page;
use crate::pages::reproduction_page;
use crate::render::{Document, Views};
use crate::table::Table;

impl Document for ReproductionFile {
    const NAME: &'static str = "a reproduction";
    const VIEWS: Views<Self> = Views {
        page: Some(|file, style| {
            let mut all = Page::new(style);
            for (rank, one) in file.reproductions.iter().enumerate() {
                if rank > 0 {
                    all.blank();
                }
                all.append(reproduction_page(one, style));
            }
            all
        }),
        json: Some(reproduction_json),
        rows: Some(claims),
        markdown: Some(reproduction_markdown),
        ..Views::NONE
    };
}

/// The values of a claim about a single value.
#[derive(Default)]
struct Numbers {
    published: Option<f64>,
    model: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    unit: &'static str,
    error: Option<f64>,
    tolerance: Option<f64>,
    error_unit: &'static str,
}

/// One row per claim. A claim about a single value has its values in columns of their own.
fn claims(file: &ReproductionFile) -> Table {
    let passages = file.reproductions.iter().flat_map(|one| one.passages.iter().map(move |of| (one, of)));
    let claims: Vec<(&Reproduction, &OutcomeOfPassage, &Row)> =
        passages.flat_map(|(one, of)| of.rows.iter().map(move |row| (one, of, row))).collect();
    let rows = || claims.iter().map(|(_, _, row)| *row);
    let passages = || claims.iter().map(|(_, passage, _)| *passage);
    let numbers = || rows().map(|row| numbers(&row.finding));
    let over_seeds = |number: fn(VerdictsOverSeeds) -> u32| {
        rows().map(move |row| row.over_seeds.map(|seeds| f64::from(number(seeds))))
    };
    Table::new()
        .words("study", claims.iter().map(|(one, ..)| one.study.clone()))
        .words("passage", passages().map(|passage| passage.label.clone()))
        .words("pages", passages().map(|passage| passage.pages.clone()))
        .words("grade", passages().map(|passage| passage.grade.to_string()))
        .words("what", rows().map(|row| row.what.clone()))
        .words("kind", rows().map(|row| row.finding.kind().to_owned()))
        .numbers("published", numbers().map(|numbers| numbers.published))
        .numbers("model", numbers().map(|numbers| numbers.model))
        .words("unit", numbers().map(|numbers| numbers.unit.to_owned()))
        .numbers("error", numbers().map(|numbers| numbers.error))
        .numbers("tolerance", numbers().map(|numbers| numbers.tolerance))
        .words("error_unit", numbers().map(|numbers| numbers.error_unit.to_owned()))
        .words("verdict", rows().map(|row| row.verdict.to_string()))
        .words("statement", rows().map(statement))
        .words("runs", rows().map(|row| row.runs.join("; ")))
        .words("id", passages().map(|passage| passage.id.clone()))
        .words("reason", passages().map(|passage| passage.reason.clone()))
        .numbers("model_low", numbers().map(|numbers| numbers.low))
        .numbers("model_high", numbers().map(|numbers| numbers.high))
        .numbers("seeds_ok", over_seeds(|seeds| seeds.ok))
        .numbers("seeds_off", over_seeds(|seeds| seeds.off))
        .numbers("seeds_cannot_tell", over_seeds(|seeds| seeds.cannot_tell))
}

fn numbers(finding: &Finding) -> Numbers {
    match finding {
        Finding::Value { published, model, interval, error, tolerance } => Numbers {
            published: Some(published.get()),
            model: Some(model.get()),
            low: interval.map(|interval| interval.low.get()),
            high: interval.map(|interval| interval.high.get()),
            unit: published.unit(),
            error: Some(error.get()),
            tolerance: tolerance.map(Difference::get),
            error_unit: error.unit(),
        },
        Finding::Equal { spread, tolerance, .. } => Numbers {
            error: Some(spread.get()),
            tolerance: Some(tolerance.get()),
            error_unit: spread.unit(),
            ..Numbers::default()
        },
        Finding::Order { .. } | Finding::Shrinking { .. } => Numbers::default(),
    }
}
