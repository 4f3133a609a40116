//! Findings and what supports them. Each value leads to its row in the list of every value.

use maud::{Markup, html};
use zerohop_diagnosis::{Diagnosis, Evidence, Finding, Severity};
use zerohop_result::ResultFile;

use super::blocks::prose;
use super::values::anchor;
use crate::number::counted;

/// The identifier of a finding on its page.
pub(super) fn finding_id(rank: usize) -> String {
    format!("finding-{}", rank + 1)
}

/// Notes, and what the rules could not decide.
pub(crate) fn notes(diagnosis: &Diagnosis, result: &ResultFile, prefix: &str) -> Markup {
    let notes = diagnosis.findings.iter().enumerate().filter(|(_, one)| one.severity == Severity::Note);
    html! {
        @for (rank, finding) in notes {
            article.found id={ (prefix) (finding_id(rank)) } {
                h3 { span.badge { (finding.severity.name()) } " " (prose(&finding.title)) }
                (support(finding, 0, result, prefix))
            }
        }
        @if !diagnosis.untold.is_empty() {
            details {
                summary { (counted(diagnosis.untold.len(), "rule")) " could not be decided" }
                ul { @for untold in &diagnosis.untold {
                    li { code { (untold.rule) } ": needs " (prose(&untold.missing)) }
                } }
            }
        }
        @if !diagnosis.passed.is_empty() {
            details {
                summary { (counted(diagnosis.passed.len(), "rule")) " found nothing" }
                p { (diagnosis.passed.join(", ")) }
            }
        }
    }
}

/// What supports a finding, its causes, and its remedies but for the first `said`, which stand elsewhere.
pub(super) fn support(of: &Finding, said: usize, result: &ResultFile, prefix: &str) -> Markup {
    let Finding { rule, evidence, confidence, why, causes, remedies, next, source, explains, .. } = of;
    let remedies = remedies.iter().skip(said).collect::<Vec<_>>();
    html! {
        ul { @for shown in evidence { li { (supported(shown, result, prefix)) } } }
        p { "Confidence: " (confidence.words()) ". " (prose(why)) "." }
        @if !causes.is_empty() {
            div.scroll tabindex="0" role="group" aria-label="causes" {
                table {
                    thead { tr { th.number scope="col" { "likelihood" } th scope="col" { "cause" } th scope="col" { "how to tell" } } }
                    tbody { @for cause in causes { tr {
                        td.number { (format!("{:.0} %", 100.0 * cause.likelihood)) }
                        td { (prose(&cause.words)) }
                        td { @if let Some(tells) = &cause.tells { (prose(tells)) } }
                    } } }
                }
            }
        }
        @if !remedies.is_empty() {
            p { strong { @if said > 0 { "Other remedies" } @else { "Remedies" } } }
            ul { @for remedy in remedies { li { (prose(remedy)) } } }
        }
        @if let Some(next) = next { p { strong { "To confirm: " } (prose(next)) } }
        @if !explains.is_empty() {
            p.remark { "It explains what these rules would report: " (explains.join(", ")) }
        }
        p.remark { "Rule " code { (rule) } ", from " (prose(source)) }
    }
}

fn supported(of: &Evidence, result: &ResultFile, prefix: &str) -> Markup {
    let target = of.experiment.as_ref().zip(of.measure).zip(of.at.as_ref());
    let target = target.and_then(|((experiment, measure), at)| anchor(result, experiment, measure, at));
    html! {
        @match target {
            Some(anchor) => a href={ "#" (prefix) (anchor) } { (prose(&of.words)) },
            None => (prose(&of.words)),
        }
    }
}
