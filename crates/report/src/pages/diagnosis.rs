//! Findings, worst first: what shows them, their causes, what to do, and what would settle them.

use zerohop_diagnosis::{Diagnosis, DiagnosisFile, Finding, NamedCause, Rule, Severity};
use zerohop_units::counted;

use crate::fleet_words::names;
use crate::page::Page;
use crate::pages::standing::{write_soundness, write_verdict};
use crate::pages::style::Style;
use crate::state::State;

/// Writes the diagnoses of all results; with `rules`, also the ones that found nothing and the ones that could not be decided.
pub(crate) fn diagnosis_page(file: &DiagnosisFile, rules: Option<&[Rule]>, style: &Style) -> Page {
    let mut page = Page::new(style);
    let is_sound = |one: &&Diagnosis| one.alarms().next().is_none() && !one.cannot_tell();
    let (sound, bad): (Vec<_>, Vec<_>) = file.diagnoses.iter().partition(is_sound);
    // Of several, those with findings come first, and the others are one line.
    let in_short = file.diagnoses.len() > 1 && rules.is_none();
    let in_full = if in_short { bad } else { file.diagnoses.iter().collect() };
    for (rank, one) in in_full.into_iter().enumerate() {
        if rank > 0 {
            page.blank();
        }
        write_diagnosis(&mut page, one, rules);
    }
    if in_short && !sound.is_empty() {
        let machines: Vec<String> = sound.iter().map(|one| one.machine.clone()).collect();
        page.blank();
        page.line("sound", &format!("{}: {}", counted(sound.len(), "result"), names(&machines)));
        page.remark("only notes were found in these; --all shows each");
    }
    page
}

fn write_diagnosis(page: &mut Page, one: &Diagnosis, rules: Option<&[Rule]>) {
    page.banner(&format!("diagnosis of {}", one.machine), &one.result);
    page.remark(&one.origin.to_string());
    for finding in &one.findings {
        write_finding(page, finding);
    }
    page.blank();
    write_soundness(page, one);
    page.line("rules", &summary(one));
    write_verdict(page, one);
    let Some(rules) = rules else {
        if !one.untold.is_empty() {
            page.remark("--all lists the rules that cannot tell, and what they would need");
        }
        return;
    };
    page.section("cannot tell");
    for untold in &one.untold {
        page.item(&format!("{}: needs {}", untold.rule, untold.missing));
    }
    page.section("not found");
    for rule in rules.iter().filter(|rule| one.passed.contains(&rule.name)) {
        page.item(&format!("{}: {}", rule.name, rule.about));
    }
}

/// `3 found something, 20 found nothing, 8 cannot tell`.
fn summary(one: &Diagnosis) -> String {
    let mut rules: Vec<&str> = one.findings.iter().map(|finding| finding.rule.as_str()).collect();
    rules.extend(one.findings.iter().flat_map(|finding| finding.explains.iter().map(String::as_str)));
    rules.sort_unstable();
    rules.dedup();
    format!(
        "{} found something, {} found nothing, {} cannot tell",
        rules.len(),
        one.passed.len(),
        one.untold.len()
    )
}

fn write_finding(page: &mut Page, finding: &Finding) {
    let Finding {
        rule, severity, title, evidence, confidence, why, causes, remedies, next, explains, ..
    } = finding;
    page.section(&format!("{}: {rule}", severity.name()));
    match severity {
        Severity::Note => page.paragraph(title),
        Severity::Warning | Severity::Fault => page.finding(State::of(*severity), title, ""),
    }
    for shown in evidence {
        page.item(&shown.words);
    }
    page.line("confidence", &format!("{}: {why}", confidence.words()));
    for (rank, cause) in causes.iter().enumerate() {
        page.line(if rank == 0 { "causes" } else { "" }, &words_of_cause(cause));
    }
    for (rank, remedy) in remedies.iter().enumerate() {
        page.line(if rank == 0 { "remedy" } else { "" }, remedy);
    }
    if let Some(next) = next {
        page.line("to confirm", next);
    }
    if !explains.is_empty() {
        page.line("explains", &format!("what {} would report", explains.join(", ")));
    }
}

/// `80 %  a DIMM is missing (it shows in …)`.
fn words_of_cause(cause: &NamedCause) -> String {
    let tells = cause.tells.as_ref().map_or(String::new(), |tells| format!(" – how to tell: {tells}"));
    format!("{:>3.0} %  {}{tells}", cause.likelihood * 100.0, cause.words)
}

/// Writes the list of rules.
pub(crate) fn rules_page(rules: &[Rule], style: &Style) -> Page {
    let mut page = Page::new(style);
    page.banner("rules of the diagnosis", &counted(rules.len(), "rule"));
    for severity in [Severity::Fault, Severity::Warning, Severity::Note] {
        page.section(&format!("{}s", severity.name()));
        let of_severity = rules.iter().filter(|rule| rule.severity == severity);
        let lines: Vec<(&str, String)> =
            of_severity.map(|rule| (rule.name.as_str(), rule.about.clone())).collect();
        page.lines(&lines);
    }
    page
}
