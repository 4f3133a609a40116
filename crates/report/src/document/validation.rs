//! Errors of predictions from spec sheets.

use zerohop_expectation::KnownErrors;
use zerohop_study::{Errors, Finding, NamedErrors, Reproduction, Validation};

use crate::finding::{amount, error};
use crate::markdown::{MarkdownPage, mark, prose};
use crate::pages::validation_page;
use crate::pretty::pretty;
use crate::render::{Document, Views};
use crate::table::Table;

impl Document for Validation {
    const NAME: &'static str = "a validation";
    const VIEWS: Views<Self> = Views {
        page: Some(validation_page),
        json: Some(pretty),
        rows: Some(rows),
        markdown: Some(markdown),
        toml: Some(|validation| KnownErrors::of(validation).to_toml()),
        ..Views::NONE
    };
}

/// One row for each kind of figure and each study.
fn rows(validation: &Validation) -> Table {
    let each = || validation.kinds.iter().chain(&validation.studies);
    let of = |errors: fn(&Errors) -> f64| {
        let values: Vec<Option<f64>> = each().map(|named| named.errors.as_ref().map(errors)).collect();
        values.into_iter()
    };
    Table::new()
        .words("name", each().map(|named| named.name.clone()))
        .counts("predicted", each().map(|named| named.errors.map_or(0, |errors| errors.values as u64)))
        .numbers("median_percent", of(|errors| errors.median))
        .numbers("nine_of_ten_percent", of(|errors| errors.nine_of_ten))
        .numbers("worst_percent", of(|errors| errors.worst))
        .numbers("mean_percent", of(|errors| errors.mean))
        .counts("fitted", each().map(|named| named.fitted as u64))
}

/// The page that is kept with the code.
fn markdown(validation: &Validation) -> String {
    let mut page = MarkdownPage::default();
    page.own(HEAD);
    if let Some(all) = &validation.all {
        let predicted = format!("{} predicted values: {}.", all.values, spread(all));
        page.blank();
        page.line(&[mark("**"), prose(predicted), mark("**")]);
    }
    if let Some(known) = &validation.known {
        page.blank();
        page.line(&[prose(format!(
            "{} values are from machines whose source states the DIMMs, populated channels and wired links: {}.",
            known.values,
            spread(known)
        ))]);
    }
    write_table(&mut page, "By measure", "measure", &validation.kinds);
    write_table(&mut page, "By machine", "study", &validation.studies);
    for study in &validation.reproductions {
        write_study(&mut page, study);
    }
    page.finish()
}

const HEAD: &str = "\
# Predictions from spec sheets, validated

Each study below is a published run of Intel's Memory Latency Checker, of the Arm System Characterization Tool, of the Mess benchmark or \
of STREAM. Its machine is a \
[template](templates.md) with the values of a spec sheet: no value of the run was used. Generation parameters that were fitted to this \
machine are replaced by those from the other machines (`without=STUDY`); if there are none, the figure is graded `fitted` and does \
not count. `zerohop reproduce --validation --format markdown` prints the figures of each.
";

fn spread(errors: &Errors) -> String {
    let Errors { values, median, nine_of_ten, worst, within_ten, .. } = errors;
    format!(
        "median error {median:.1} %, nine of ten within {nine_of_ten:.1} %, worst {worst:+.1} %; {within_ten} of {values} within 10 %"
    )
}

fn write_table(page: &mut MarkdownPage, title: &str, head: &str, named: &[NamedErrors]) {
    page.paragraph(&[mark("## "), prose(title)]);
    page.row([head, "predicted", "median", "nine of ten within", "worst", "mean", "fitted"].map(prose));
    page.own("|---|--:|--:|--:|--:|--:|--:|\n");
    for NamedErrors { name, errors, fitted } in named {
        let [values, median, nine_of_ten, worst, mean] = match errors {
            Some(Errors { values, median, nine_of_ten, worst, mean, .. }) => [
                values.to_string(),
                format!("{median:.1} %"),
                format!("{nine_of_ten:.1} %"),
                format!("{worst:+.1} %"),
                format!("{mean:+.1} %"),
            ],
            None => ["none", "–", "–", "–", "–"].map(str::to_owned),
        };
        let cells = [name.to_string(), values, median, nine_of_ten, worst, mean, fitted.to_string()];
        page.row(cells.map(prose));
    }
}

fn write_study(page: &mut MarkdownPage, study: &Reproduction) {
    page.paragraph(&[mark("## "), prose(study.study.to_string())]);
    page.line(&[prose(study.title.to_string()), mark(".")]);
    page.blank();
    if !study.assumed.is_empty() {
        let assumed = study.assumed.join(", ");
        page.line(&[mark("Assumed, because the source does not state it: "), prose(assumed), mark(".")]);
        page.blank();
    }
    page.line(&[
        mark("Source: "),
        prose(study.document.number.to_string()),
        mark(". Machine: "),
        prose(study.machine_title.to_string()),
        mark("."),
    ]);
    page.own("\n| figure | | published | model | error | grade |\n|---|---|--:|--:|--:|---|\n");
    for passage in &study.passages {
        for row in &passage.rows {
            let Finding::Value { published, model, error: found, .. } = &row.finding else { continue };
            let cells = [
                passage.label.to_string(),
                row.what.to_string(),
                amount(*published),
                amount(*model),
                error(*found),
                passage.grade.to_string(),
            ];
            page.row(cells.map(prose));
        }
    }
}
