//! Pages in Markdown, for documents kept with the code.

mod doctor;
mod fleet;
mod of_page;
mod page;
mod ticket;

use std::borrow::Cow;

use zerohop_diagnosis::{Diagnosis, DiagnosisFile, Finding as Diagnosed};
use zerohop_study::{
    FigureGrade, Finding, FittedParameter, OutcomeOfPassage, Reproduction, ReproductionFile, Row,
};

use crate::finding::{amount_of, count, error, head, meaning, over_seeds, statement, verdict};
use crate::pages::soundness;

pub(crate) use self::doctor::doctor_markdown;
pub(crate) use self::fleet::fleet_markdown;
pub(crate) use self::of_page::page_markdown;
use self::page::code;
pub(crate) use self::page::{MarkdownPage, mark, prose};
pub(crate) use self::ticket::{finding_markdown, ticket_markdown};

/// Published figures next to a model's, with the command lines that reproduce them.
pub(crate) fn reproduction_markdown(file: &ReproductionFile) -> String {
    let mut page = MarkdownPage::default();
    page.own("# Published figures, reproduced\n");
    write_summary(&mut page, file);
    for reproduction in &file.reproductions {
        write_reproduction(&mut page, reproduction);
    }
    page.finish()
}

/// How many claims of each study hold, by grade; and what the grades are.
fn write_summary(page: &mut MarkdownPage, file: &ReproductionFile) {
    let seeds = file.reproductions.iter().find_map(|reproduction| reproduction.seeds);
    let over = seeds.map(|seeds| format!("with each of {seeds} seeds"));
    let grades = FigureGrade::ALL.iter().map(ToString::to_string);
    page.blank();
    page.row(std::iter::once("study".to_owned()).chain(grades).chain(over.clone()).map(prose));
    let columns = 1 + FigureGrade::ALL.len() + usize::from(over.is_some());
    page.line(&std::iter::once(mark("|")).chain((0..columns).map(|_| mark("---|"))).collect::<Vec<_>>());
    let (mut all_hold, mut all_claims) = (0, 0);
    for reproduction in &file.reproductions {
        let (hold, claims) = reproduction.with_every_seed();
        (all_hold, all_claims) = (all_hold + hold, all_claims + claims);
        let over = reproduction.seeds.map(|_| format!("{hold} of {claims}"));
        let Reproduction { study, totals, .. } = reproduction;
        let counts = FigureGrade::ALL.iter().map(|grade| count(*totals, *grade));
        page.row(std::iter::once(study.to_string()).chain(counts).chain(over).map(prose));
    }
    page.blank();
    if let Some(seeds) = seeds {
        page.line(&[prose(format!(
            "Everything was simulated with {seeds} seeds: {all_hold} of {all_claims} claims that count hold with all of them. \
             The values are from the first seed."
        ))]);
        page.blank();
    }
    for grade in FigureGrade::ALL {
        page.line(&[mark("- "), prose(grade.to_string()), mark(": "), prose(meaning(grade))]);
    }
}

fn write_reproduction(page: &mut MarkdownPage, reproduction: &Reproduction) {
    let Reproduction { study, title, document, machine, machine_title, .. } = reproduction;
    page.paragraph(&[mark("## "), prose(study.to_string()), mark(": "), prose(title)]);
    let (publisher, number, date) = (&document.publisher, &document.number, &document.date);
    page.line(&[
        mark("- document: "),
        prose(publisher.to_string()),
        mark(", *"),
        prose(document.title.to_string()),
        mark("*, "),
        prose(format!("{number}, {date}")),
    ]);
    page.line(&[
        mark("- machine: model of "),
        code(machine.to_string()),
        mark(", "),
        prose(machine_title.to_string()),
    ]);
    page.line(&[mark("- verdict: "), prose(reproduction.totals.to_string())]);
    if let Some(over_seeds) = over_seeds(reproduction) {
        page.line(&[mark("- seeds: "), prose(over_seeds)]);
    }
    page.line(&[mark("- again: "), code(format!("zerohop reproduce {study}"))]);
    for passage in &reproduction.passages {
        write_passage(page, passage, machine);
    }
    page.own("\n### Fitted parameters\n\n");
    if reproduction.fitted_parameters.is_empty() {
        return page.own("None.\n");
    }
    page.own("| parameter | value | fitted to |\n|---|---|---|\n");
    for FittedParameter { path, value, fitted_to } in &reproduction.fitted_parameters {
        page.row([code(path.to_string()), prose(value.to_string()), prose(fitted_to.to_string())]);
    }
}

fn write_passage(page: &mut MarkdownPage, passage: &OutcomeOfPassage, machine: &str) {
    page.paragraph(&[mark("### "), prose(head(passage))]);
    page.line(&[prose(passage.about.to_string()), mark(".")]);
    page.paragraph(&[
        prose(passage.grade.to_string()),
        mark(": "),
        prose(passage.reason.to_string()),
        mark("."),
    ]);
    let (values, others): (Vec<&Row>, Vec<&Row>) =
        passage.rows.iter().partition(|row| matches!(row.finding, Finding::Value { .. }));
    if !values.is_empty() {
        page.own("| | published | model | error | within | verdict |\n|---|--:|--:|--:|--:|---|\n");
    }
    for row in &values {
        let Finding::Value { published, model, interval, error: difference, tolerance } = &row.finding else {
            continue;
        };
        let tolerance = tolerance.map_or_else(|| "–".to_owned(), |tolerance| format!("±{tolerance}"));
        let model = amount_of(row, *model, *interval);
        let cells =
            [row.what.to_string(), published.to_string(), model, error(*difference), tolerance, verdict(row)];
        page.row(cells.map(prose));
    }
    if !values.is_empty() && !others.is_empty() {
        page.blank();
    }
    for row in others {
        page.line(&[
            mark("- **"),
            prose(verdict(row)),
            mark("** "),
            prose(row.what.to_string()),
            mark(": "),
            prose(statement(row)),
        ]);
    }
    let mut runs: Vec<String> = Vec::new();
    for run in passage.rows.iter().flat_map(|row| &row.runs) {
        let run = format!("zerohop run {run} --on {machine}");
        if !runs.contains(&run) {
            runs.push(run);
        }
    }
    if !runs.is_empty() {
        page.blank();
        page.listing(runs.into_iter().map(Cow::Owned));
    }
}

/// Findings, for a ticket or a log.
pub(crate) fn diagnosis_markdown(file: &DiagnosisFile) -> String {
    let mut page = MarkdownPage::default();
    page.own("# Diagnosis\n");
    file.diagnoses.iter().for_each(|one| write_diagnosis(&mut page, one));
    page.finish()
}

fn write_diagnosis(page: &mut MarkdownPage, one: &Diagnosis) {
    page.paragraph(&[mark("## "), prose(&one.machine), mark(" ("), code(&one.result), mark(")")]);
    page.line(&[prose(one.origin.to_string()), mark(".")]);
    let verdict = crate::pages::verdict(one).map(|(words, _)| words);
    for (label, text) in [("Diagnosis: ", soundness(one)), ("Verdict: ", verdict)] {
        if let Some(text) = text {
            page.paragraph(&[mark(label), prose(text), mark(".")]);
        }
    }
    one.findings.iter().for_each(|finding| write_diagnosed(page, finding));
    if one.not_tested().next().is_some() {
        page.own("\n### Not tested\n\n");
        one.not_tested().for_each(|words| page.line(&[mark("- "), prose(words)]));
    }
    if !one.untold.is_empty() {
        page.own("\n### Cannot tell\n\n");
        for untold in &one.untold {
            page.line(&[
                mark("- "),
                code(untold.rule.to_string()),
                mark(": needs "),
                prose(untold.missing.to_string()),
            ]);
        }
    }
}

fn write_diagnosed(page: &mut MarkdownPage, finding: &Diagnosed) {
    page.paragraph(&[mark("### "), prose(finding.severity.name()), mark(": "), prose(&finding.title)]);
    finding.evidence.iter().for_each(|shown| page.line(&[mark("- "), prose(&shown.words)]));
    page.line(&[
        mark("- rule "),
        code(&finding.rule),
        mark(", "),
        prose(finding.confidence.words()),
        mark(": "),
        prose(&finding.why),
    ]);
    page.own("\n| likelihood | cause | sign |\n|--:|---|---|\n");
    for cause in &finding.causes {
        let tells = cause.tells.as_deref().unwrap_or_default();
        page.row([prose(format!("{:.0} %", cause.likelihood * 100.0)), prose(&cause.words), prose(tells)]);
    }
    page.blank();
    for remedy in &finding.remedies {
        page.line(&[mark("- remedy: "), prose(remedy)]);
    }
    if let Some(next) = &finding.next {
        page.line(&[mark("- to confirm: "), prose(next)]);
    }
}
