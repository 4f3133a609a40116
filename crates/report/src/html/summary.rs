//! The first screen of a result as elements: verdict, findings with what to do, figures, the machine, and its matrices.

use maud::{Markup, html};
use zerohop_result::ResultFile;

use super::blocks::{blocks, prose};
use super::chart;
use super::findings::{finding_id, support};
use super::surroundings::Alone;
use crate::page::Page;
use crate::printable::plain_line;
use crate::result_summary::{Card, Figure, Limit, ResultSummary};
use crate::svg::Chart;

/// Findings that are shown with what to do; the others open.
const IN_FULL: usize = 3;

/// What stands beside the words of a summary.
pub(crate) struct Beside<'a> {
    pub(crate) result: &'a ResultFile,
    /// The machine with its performance.
    pub(crate) machine: Option<&'a Chart>,
    /// Matrices from node to node.
    pub(crate) matrices: &'a Page,
    /// Deviations that no finding explains.
    pub(crate) unexplained: &'a Page,
    /// The findings in Markdown, in the order of the diagnosis.
    pub(crate) tickets: &'a [String],
    /// Before the identifiers of this result's parts.
    pub(crate) prefix: &'a str,
}

/// The first screen. `is_title` if the page is about this result alone.
pub(crate) fn summary(of: &ResultSummary<'_>, beside: &Beside<'_>, is_title: bool) -> Markup {
    let Beside { machine, matrices, unexplained, prefix, .. } = beside;
    let title = plain_line(&of.title);
    html! {
        header.subject id={ (prefix) "summary" } {
            @if is_title { h1 { (title) } } @else { h2.title { (title) } }
            p { (plain_line(&of.machine)) " " span.remark { (plain_line(&of.how)) } }
        }
        div.verdict.(of.state.class()) {
            p { strong { (plain_line(&of.verdict[0])) } @if !of.verdict[1].is_empty() { " " (prose(&of.verdict[1])) } }
            @for Limit { is_gap, words } in &of.limits { p.limit.gap[*is_gap] { (prose(words)) } }
        }
        (figures(&of.figures))
        div.glance {
            @if !of.cards.is_empty() || !unexplained.blocks().is_empty() {
                div.cards {
                    @for (rank, one) in of.cards.iter().enumerate() { (card(one, rank < IN_FULL, beside)) }
                    (blocks(unexplained.blocks(), false, &Alone))
                }
            }
            div.drawn {
                @if let Some(chart) = machine { (chart::figure(chart)) }
                (blocks(matrices.blocks(), false, &Alone))
            }
        }
    }
}

fn figures(all: &[Figure]) -> Markup {
    html! {
        @if !all.is_empty() {
            dl.figures { @for Figure { label, value, unit, notes, state } in all {
                div class=[state.map(crate::state::State::class)] {
                    dt { (label) }
                    dd.value { (plain_line(value)) " " span { (unit) } }
                    @for note in notes { dd.note { (plain_line(note)) } }
                }
            } }
        }
    }
}

/// A finding: the first ones in full, the others as a list that opens.
fn card(of: &Card<'_>, is_full: bool, beside: &Beside<'_>) -> Markup {
    let Card { state, rank, finding, cause } = of;
    let id = format!("{}{}", beside.prefix, finding_id(*rank));
    let title = html! { span.badge { (finding.severity.name()) } " " (prose(&finding.title)) };
    let content = html! {
        dl {
            @if !cause.is_empty() { div { dt { "likely cause" } dd { (prose(cause)) } } }
            @if let Some(remedy) = finding.remedies.first() { div { dt { "what to do" } dd { (prose(remedy)) } } }
        }
        @if let Some(ticket) = beside.tickets.get(*rank) { template.ticket { (ticket) } }
        details.support {
            summary { "evidence, other causes and remedies" }
            (support(finding, 1, beside.result, beside.prefix))
        }
    };
    html! {
        @if is_full { article.card.(state.class()) id=(id) { h2 { (title) } (content) } }
        @else { details.card.(state.class()) id=(id) { summary { h2 { (title) } } (content) } }
    }
}
