//! The bad nodes beside the map, the worst first.

use maud::{Markup, html};
use zerohop_diagnosis::Diagnosis;
use zerohop_fleet::BadNode;

use super::states::States;
use crate::fleet_words::{finding, since};
use crate::printable::plain_line;

/// Nodes in the list. The table below has more, and `--format csv` all.
const WORST: usize = 12;

/// The list.
pub(super) fn worst_list(states: &States<'_>, diagnoses: &[Diagnosis]) -> Markup {
    let bad = &states.group.bad;
    html! {
        div.fleet-panel {
            @if bad.is_empty() {
                h3 { "no node is bad" }
                @if let Some(least) = states.group.usual.iter().map(|usual| usual.told).reduce(f64::max) {
                    p.remark { "losses below " (crate::fleet_words::percent(least)) " can be due to chance" }
                }
            } @else {
                h3 { "worst nodes" }
                ol.fleet-worst { @for bad in bad.iter().take(WORST) { (row(states, bad, diagnoses)) } }
                @if bad.len() > WORST { p.remark { "and " (bad.len() - WORST) " more: " code { "--format csv" } " lists all" } }
            }
        }
    }
}

fn row(states: &States<'_>, bad: &BadNode, diagnoses: &[Diagnosis]) -> Markup {
    let name = plain_line(&bad.node);
    let address = states.node(&bad.node).and_then(|node| states.address(node));
    let cause = finding(diagnoses, bad);
    let since = since(bad);
    let width = format!("{:.1}", (bad.loss * 100.0).clamp(0.0, 100.0));
    html! {
        li {
            @if let Some(address) = address { a href=(address) { (name) } } @else { b { (name) } }
            svg.fleet-bar viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true" { rect width="100" height="8" {} rect.lost width=(width) height="8" {} }
            span.number { (States::loss(bad)) }
            p { (plain_line(&cause)) @if !since.is_empty() { span.fleet-since { "since " (since) } } }
        }
    }
}
