//! Pages in Markdown, for documents kept with the code.

use std::fmt::{self, Write};

use zerohop_diagnosis::{Diagnosis, DiagnosisFile, Finding as Diagnosed};
use zerohop_insight::{
    FigureGrade, Finding, FittedParameter, OutcomeOfPassage, Reproduction, ReproductionFile, Row,
};

use crate::finding::{amount_of, count, error, head, meaning, over_seeds, statement, verdict};
use crate::printable::{one_line, printable};
use crate::terminal::Style;

/// Published figures beside a model's, with the command lines that reproduce them.
pub(crate) fn reproduction_markdown(file: &ReproductionFile) -> String {
    let mut text = String::from("# Published figures, reproduced\n");
    // Writing to a string cannot fail.
    let _ = write_summary(&mut text, file);
    for reproduction in &file.reproductions {
        let _ = write_reproduction(&mut text, reproduction);
    }
    text
}

/// How many claims of each study hold, by grade; and what the grades are.
fn write_summary(text: &mut String, file: &ReproductionFile) -> fmt::Result {
    let row = |cells: &mut dyn Iterator<Item = String>| cells.collect::<Vec<_>>().join(" | ");
    let seeds = file.reproductions.iter().find_map(|reproduction| reproduction.seeds);
    let over = seeds.map(|seeds| format!("with each of {seeds} seeds"));
    let heads = row(&mut FigureGrade::ALL.iter().map(ToString::to_string).chain(over.clone()));
    let columns = FigureGrade::ALL.len() + usize::from(over.is_some());
    writeln!(text, "\n| study | {heads} |\n|---|{}", "---|".repeat(columns))?;
    let (mut all_hold, mut all_claims) = (0, 0);
    for reproduction in &file.reproductions {
        let (hold, claims) = reproduction.with_every_seed();
        (all_hold, all_claims) = (all_hold + hold, all_claims + claims);
        let over = reproduction.seeds.map(|_| format!("{hold} of {claims}"));
        let Reproduction { study, totals, .. } = reproduction;
        let counts = row(&mut FigureGrade::ALL.iter().map(|grade| count(*totals, *grade)).chain(over));
        writeln!(text, "| {study} | {counts} |")?;
    }
    writeln!(text)?;
    if let Some(seeds) = seeds {
        writeln!(
            text,
            "All of it was simulated with {seeds} seeds: {all_hold} of {all_claims} claims that count hold with every one of them. \
             The values are those of the first.\n"
        )?;
    }
    for grade in FigureGrade::ALL {
        writeln!(text, "- {grade}: {}", meaning(grade))?;
    }
    Ok(())
}

fn write_reproduction(text: &mut String, reproduction: &Reproduction) -> fmt::Result {
    let Reproduction { study, title, document, machine, machine_title, .. } = reproduction;
    writeln!(text, "\n## {study}: {title}\n")?;
    let (publisher, number, date) = (&document.publisher, &document.number, &document.date);
    writeln!(text, "- document: {publisher}, *{}*, {number}, {date}", document.title)?;
    writeln!(text, "- machine: model of `{machine}`, {machine_title}")?;
    writeln!(text, "- verdict: {}", reproduction.totals)?;
    if let Some(over_seeds) = over_seeds(reproduction) {
        writeln!(text, "- seeds: {over_seeds}")?;
    }
    writeln!(text, "- again: `zerohop reproduce {study}`")?;
    for passage in &reproduction.passages {
        write_passage(text, passage, machine)?;
    }
    writeln!(text, "\n### Fitted parameters\n")?;
    if reproduction.fitted_parameters.is_empty() {
        return writeln!(text, "None.");
    }
    writeln!(text, "| parameter | value | fitted to |\n|---|---|---|")?;
    for FittedParameter { path, value, fitted_to } in &reproduction.fitted_parameters {
        writeln!(text, "| `{path}` | {value} | {} |", cell(&fitted_to.to_string()))?;
    }
    Ok(())
}

fn write_passage(text: &mut String, passage: &OutcomeOfPassage, machine: &str) -> fmt::Result {
    writeln!(text, "\n### {}\n\n{}.\n", head(passage), passage.about)?;
    writeln!(text, "{}: {}.\n", passage.grade, passage.reason)?;
    let (values, others): (Vec<&Row>, Vec<&Row>) =
        passage.rows.iter().partition(|row| matches!(row.finding, Finding::Value { .. }));
    if !values.is_empty() {
        writeln!(text, "| | published | model | error | within | verdict |\n|---|--:|--:|--:|--:|---|")?;
    }
    for row in &values {
        let Finding::Value { published, model, interval, error: difference, tolerance } = &row.finding else {
            continue;
        };
        let tolerance = tolerance.map_or_else(|| "–".to_owned(), |tolerance| format!("±{tolerance}"));
        let (what, error) = (cell(&row.what), error(*difference));
        let (model, verdict) = (amount_of(row, *model, *interval), verdict(row));
        writeln!(text, "| {what} | {published} | {model} | {error} | {tolerance} | {verdict} |")?;
    }
    if !values.is_empty() && !others.is_empty() {
        writeln!(text)?;
    }
    for row in others {
        writeln!(text, "- **{}** {}: {}", verdict(row), row.what, statement(row))?;
    }
    if passage.rows.iter().all(|row| row.runs.is_empty()) {
        return Ok(());
    }
    writeln!(text, "\n```text")?;
    let mut printed: Vec<&String> = Vec::new();
    for run in passage.rows.iter().flat_map(|row| &row.runs) {
        if !printed.contains(&run) {
            writeln!(text, "zerohop run {run} --on {machine}")?;
            printed.push(run);
        }
    }
    writeln!(text, "```")
}

/// Text in a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

/// A name from elsewhere, on one line and without HTML.
fn inert(name: &str) -> String {
    one_line(name).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Findings, for a ticket or a log.
pub(crate) fn diagnosis_markdown(file: &DiagnosisFile) -> String {
    let mut text = String::from("# Diagnosis\n");
    // Writing to a string cannot fail.
    let _ = file.diagnoses.iter().try_for_each(|one| write_diagnosis(&mut text, one));
    printable(&text, &Style::default()).into_owned()
}

fn write_diagnosis(text: &mut String, one: &Diagnosis) -> fmt::Result {
    writeln!(text, "\n## {} (`{}`)\n\n{}.", inert(&one.machine), one_line(&one.result), one.origin)?;
    if one.findings.is_empty() {
        writeln!(text, "\nNothing found.")?;
    }
    one.findings.iter().try_for_each(|finding| write_diagnosed(text, finding))?;
    if !one.untold.is_empty() {
        writeln!(text, "\n### Cannot tell\n")?;
        one.untold
            .iter()
            .try_for_each(|untold| writeln!(text, "- `{}`: needs {}", untold.rule, untold.missing))?;
    }
    Ok(())
}

fn write_diagnosed(text: &mut String, finding: &Diagnosed) -> fmt::Result {
    writeln!(text, "\n### {}: {}\n", finding.severity.name(), finding.title)?;
    finding.evidence.iter().try_for_each(|shown| writeln!(text, "- {}", shown.words))?;
    writeln!(text, "- rule `{}`, {}: {}", finding.rule, finding.confidence.words(), finding.why)?;
    writeln!(text, "\n| likelihood | cause | sign |\n|--:|---|---|")?;
    for cause in &finding.causes {
        let tells = cause.tells.as_deref().unwrap_or_default();
        writeln!(text, "| {:.0} % | {} | {} |", cause.likelihood * 100.0, cell(&cause.words), cell(tells))?;
    }
    writeln!(text)?;
    finding.remedies.iter().try_for_each(|remedy| writeln!(text, "- remedy: {remedy}"))?;
    finding.next.iter().try_for_each(|next| writeln!(text, "- to settle it: {next}"))
}
