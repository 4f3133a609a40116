//! Diagnosis of a machine's memory; and the rules that it is based on.

use zerohop_diagnosis::{Diagnosis, DiagnosisFile, Finding, Rule};
use zerohop_result::Measure;

use crate::json::diagnosis_json;
use crate::markdown::diagnosis_markdown;
use crate::pages::{diagnosis_page, rules_page};
use crate::pretty::pretty;
use crate::render::{Document, Views};
use crate::table::Table;

/// Diagnoses, and how much of them a page shows.
#[derive(Debug, Clone, Copy)]
pub struct DiagnosisReport<'a> {
    pub file: &'a DiagnosisFile,
    /// The rules that were applied.
    pub rules: &'a [Rule],
    /// Whether the page also lists the rules that found nothing, and the ones that could not be decided.
    pub whole: bool,
}

impl Document for DiagnosisReport<'_> {
    const NAME: &'static str = "a diagnosis";
    const VIEWS: Views<Self> = Views {
        page: Some(|report, style| diagnosis_page(report.file, report.whole.then_some(report.rules), style)),
        json: Some(|report| diagnosis_json(report.file)),
        rows: Some(|report| findings(report.file)),
        markdown: Some(|report| diagnosis_markdown(report.file)),
        ..Views::NONE
    };
}

/// One row per finding.
fn findings(file: &DiagnosisFile) -> Table {
    let of = file.diagnoses.iter().flat_map(|one| one.findings.iter().map(move |finding| (one, finding)));
    let rows: Vec<(&Diagnosis, &Finding)> = of.collect();
    let findings = || rows.iter().map(|(_, finding)| *finding);
    let number = |of: fn(zerohop_diagnosis::Size) -> f64| findings().map(move |finding| finding.size.map(of));
    let measure = |finding: &Finding| finding.size.map_or("", |size| Measure::name(size.measure)).to_owned();
    Table::new()
        .words("result", rows.iter().map(|(one, _)| one.result.clone()))
        .words("machine", rows.iter().map(|(one, _)| one.machine.clone()))
        .words("severity", findings().map(|finding| finding.severity.name().to_owned()))
        .words("rule", findings().map(|finding| finding.rule.clone()))
        .words("title", findings().map(|finding| finding.title.clone()))
        .words("measure", findings().map(measure))
        .numbers("found", number(|size| size.found))
        .numbers("expected", number(|size| size.expected))
        .numbers("loss", number(|size| size.loss))
        .words("confidence", findings().map(|finding| finding.confidence.words().to_owned()))
        .words(
            "cause",
            findings()
                .map(|finding| finding.causes.first().map_or(String::new(), |cause| cause.words.clone())),
        )
        .words("origin", rows.iter().map(|(one, _)| one.origin.short()))
}

/// The rules of the diagnosis.
#[derive(Debug, Clone, Copy)]
pub struct RuleList<'a> {
    pub rules: &'a [Rule],
}

impl Document for RuleList<'_> {
    const NAME: &'static str = "the rules";
    const VIEWS: Views<Self> = Views {
        page: Some(|list, style| rules_page(list.rules, style)),
        json: Some(|list| {
            let rules = list.rules.iter().map(|rule| {
                serde_json::json!({
                    "name": rule.name,
                    "severity": rule.severity,
                    "about": rule.about,
                    "causes": rule.causes.len(),
                    "source": rule.source,
                })
            });
            pretty(&serde_json::Value::Array(rules.collect()))
        }),
        ..Views::NONE
    };
}
