//! A result for a ticket: the machine, the verdict, the figures, and what to do about each finding.

use zerohop_diagnosis::{Diagnosis, Finding};

use super::page::{MarkdownPage, mark, prose};
use super::write_diagnosed;
use crate::result_summary::{Figure, ResultSummary};

/// A result with its diagnosis.
pub(crate) fn ticket_markdown(of: &ResultSummary<'_>, diagnosis: Option<&Diagnosis>) -> String {
    let mut page = MarkdownPage::default();
    write_head(&mut page, of);
    let [verdict, consequence] = &of.verdict;
    let words = [verdict.as_str(), consequence].into_iter().filter(|words| !words.is_empty());
    page.paragraph(&[mark("**"), prose(words.collect::<Vec<_>>().join(": ")), mark("**")]);
    for limit in &of.limits {
        page.paragraph(&[prose(&limit.words)]);
    }
    if !of.figures.is_empty() {
        page.own("\n| | value | |\n|---|--:|---|\n");
        for Figure { label, value, unit, notes, state: _ } in &of.figures {
            page.row([(*label).to_owned(), format!("{value} {unit}"), notes.join("; ")].map(prose));
        }
    }
    for finding in diagnosis.into_iter().flat_map(|one| &one.findings) {
        write_diagnosed(&mut page, finding);
    }
    page.finish()
}

/// One finding with its machine, to paste.
pub(crate) fn finding_markdown(finding: &Finding, of: &ResultSummary<'_>) -> String {
    let mut page = MarkdownPage::default();
    write_head(&mut page, of);
    write_diagnosed(&mut page, finding);
    page.finish()
}

fn write_head(page: &mut MarkdownPage, of: &ResultSummary<'_>) {
    let ResultSummary { title, machine, how, .. } = of;
    page.paragraph(&[mark("## "), prose(title)]);
    page.paragraph(&[prose(machine)]);
    page.paragraph(&[prose(how)]);
}
