//! Published figures next to a model's.

use zerohop_study::{
    FigureGrade, Finding, FittedParameter, OutcomeOfPassage, Reproduction, Row, Study, Verdict,
};

use crate::finding::{amount_of, count, error, head, meaning, over_seeds, over_seeds_of, statement, verdict};
use crate::number::counted;
use crate::page::Page;
use crate::pages::grid::{Entry, Grid, Side};
use crate::pages::style::Style;

/// A model's predictions for each claim of a study, figure by figure; the fitted parameters; and the verdict.
pub(crate) fn reproduction_page(reproduction: &Reproduction, style: &Style) -> Page {
    let mut page = Page::new(style);
    let study = &reproduction.study;
    page.banner(&format!("reproduce {study}"), &format!("model of {}", reproduction.machine));
    page.blank();
    let document = &reproduction.document;
    page.line("document", &format!("{}, {}, {}", document.title, document.number, document.date));
    page.line("study", &reproduction.title);
    page.line("machine", &reproduction.machine_title);
    for passage in &reproduction.passages {
        write_passage(&mut page, passage);
    }
    page.section("fitted parameters");
    write_parameters(&mut page, &reproduction.fitted_parameters);
    page.section("verdict");
    page.line(
        match reproduction.verdict() {
            Verdict::Off => "not reproduced",
            Verdict::CannotTell => "cannot tell",
            Verdict::Ok | Verdict::Fitted => "reproduced",
        },
        &reproduction.totals.to_string(),
    );
    if let Some(over_seeds) = over_seeds(reproduction) {
        page.line("seeds", &over_seeds);
    }
    for grade in FigureGrade::ALL {
        let count = count(reproduction.totals, grade);
        page.line(grade.name(), &format!("{count}: {}", meaning(grade)));
    }
    page
}

pub(crate) fn studies_page(studies: &[Study], style: &Style) -> Page {
    let mut page = Page::new(style);
    for study in studies {
        page.blank();
        page.banner(&study.name, &study.machine);
        page.remark(&study.title);
        let document = &study.document;
        page.remark(&format!(
            "{}, {}, {}, {}",
            document.publisher, document.title, document.number, document.date
        ));
        let claims = study.passages.iter().map(|passage| passage.claims.len()).sum();
        let (claims, runs) = (counted(claims, "claim"), counted(study.runs.len(), "run"));
        page.remark(&format!("{claims} about {runs}"));
    }
    page
}

fn write_passage(page: &mut Page, passage: &OutcomeOfPassage) {
    page.section(&head(passage));
    page.remark(&passage.about);
    page.remark(&format!("{}: {}", passage.grade, passage.reason));
    let heads = [
        ("", Side::Left),
        ("published", Side::Right),
        ("model", Side::Right),
        ("error", Side::Right),
        ("within", Side::Right),
        ("verdict", Side::Left),
    ];
    let mut grid = Grid::new(heads.map(|(head, side)| (head.to_owned(), side)));
    let (values, others): (Vec<&Row>, Vec<&Row>) =
        passage.rows.iter().partition(|row| matches!(row.finding, Finding::Value { .. }));
    for row in &values {
        let Finding::Value { published, model, interval, error: difference, tolerance } = &row.finding else {
            continue;
        };
        grid.push(vec![
            Entry::text(&row.what),
            Entry::text(published.to_string()),
            Entry::text(amount_of(row, *model, *interval)),
            Entry::text(error(*difference)),
            Entry::text(tolerance.map_or_else(|| "–".to_owned(), |tolerance| format!("±{tolerance}"))),
            Entry::text(verdict(row)),
        ]);
    }
    if !values.is_empty() {
        page.grid(grid);
    }
    for row in others {
        let over_seeds = over_seeds_of(row).map(|text| format!(" ({text})")).unwrap_or_default();
        page.line(row.verdict.name(), &format!("{}: {}{over_seeds}", row.what, statement(row)));
    }
}

fn write_parameters(page: &mut Page, parameters: &[FittedParameter]) {
    if parameters.is_empty() {
        return page.remark("none");
    }
    let heads = ["parameter", "value", "fitted to"].map(|head| (head.to_owned(), Side::Left));
    let mut grid = Grid::new(heads);
    for FittedParameter { path, value, fitted_to } in parameters {
        grid.push([path, value, &fitted_to.to_string()].map(Entry::text).into());
    }
    page.grid(grid);
}
