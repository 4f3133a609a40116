//! A bad node by itself: what it loses, why, and what to do.

use maud::{Markup, html};
use zerohop_diagnosis::Finding;
use zerohop_fleet::{BadNode, Deficit};
use zerohop_units::counted;

use super::sentence::code;
use super::states::{DESCRIBED, States};
use crate::fleet_words::{diagnosis_of, finding, part_names, percent, place, since, value};
use crate::printable::plain_line;

/// Losses and findings of a node that are shown.
const DEFICITS: usize = 6;
const FINDINGS: usize = 3;
const CAUSES: usize = 3;

/// The bad nodes of a group, each under a head that opens. `is_named` says that there are other groups.
pub(super) fn bad_nodes(states: &States<'_>, is_named: bool) -> Markup {
    let bad = &states.group.bad;
    html! {
        @if !bad.is_empty() {
            section.fleet-nodes-alone {
                h2 { "bad nodes, one by one" @if is_named { small { "of " (counted(states.group.nodes, "node")) } } }
                @for (rank, bad) in bad.iter().take(DESCRIBED).enumerate() { (bad_node(states, rank, bad)) }
            }
        }
    }
}

fn bad_node(states: &States<'_>, rank: usize, bad: &BadNode) -> Markup {
    let cause = finding(states.diagnoses, bad);
    let since = since(bad);
    let report =
        states.node(&bad.node).and_then(|node| states.address(node)).filter(|to| !to.starts_with('#'));
    let findings: Vec<&Finding> = diagnosis_of(states.diagnoses, &bad.node)
        .into_iter()
        .flat_map(|one| one.alarms().take(FINDINGS))
        .collect();
    html! {
        details {
            summary {
                b { (plain_line(&bad.node)) } " " span.fleet-bad { (States::loss(bad)) } " "
                span.remark { (plain_line(&cause)) @if !since.is_empty() { ", since " (since) } }
            }
            div id=(states.anchor(rank)) {
                (losses(bad))
                @for one in findings { (found(one)) }
                @if let Some(report) = report { p { a href=(report) { "report of " (plain_line(&bad.node)) } } }
            }
        }
    }
}

fn losses(bad: &BadNode) -> Markup {
    html! {
        div.scroll tabindex="0" role="group" aria-label={ "losses of " (plain_line(&bad.node)) } { table {
            thead { tr { th scope="col" { "worse in" } th.number scope="col" { "found" } th.number scope="col" { "usual" } th.number scope="col" { "loss" } } }
            tbody {
                @for lost in &bad.lost { tr {
                    th scope="row" { (part_names(lost.part).0) }
                    td.number { (lost.found) } td.number { (lost.usual) } td.number { "–" }
                } }
                @for Deficit { scope, found, usual, loss, .. } in bad.deficits.iter().take(DEFICITS) { tr {
                    th scope="row" { (plain_line(&place(scope))) }
                    td.number { (value(scope.measure, *found)) } td.number { (value(scope.measure, *usual)) } td.number { (percent(*loss)) }
                } }
            }
        } }
        @if bad.deficits.len() > DEFICITS { p.remark { "and " (bad.deficits.len() - DEFICITS) " more, which are smaller" } }
    }
}

/// A finding, with its likely causes and what to do.
fn found(one: &Finding) -> Markup {
    html! {
        h3 { (plain_line(&one.title)) }
        ul.fleet-causes {
            @for cause in one.causes.iter().take(CAUSES) { li { b { (percent(cause.likelihood)) } " " (code(&cause.words)) } }
        }
        @if let Some(remedy) = one.remedies.first() { p { b { "do: " } (code(remedy)) } }
        @if let Some(next) = &one.next { p { b { "to be sure: " } (code(next)) } }
    }
}
