//! What the bad nodes of a group share, and since when they are bad.

use maud::{Markup, html};
use zerohop_fleet::{FleetGroup, Relation};

use crate::fleet_words::{modes_words, odd_words, onsets};
use crate::printable::plain_line;

/// Facts that are shown; the table below has all of them.
const FACTS: usize = 4;

/// What they share: nothing, if there is nothing to say.
pub(super) fn shared(group: &FleetGroup) -> Markup {
    let onsets = onsets(group);
    let others: Vec<String> =
        group.odd.iter().map(odd_words).chain(group.modes.iter().map(modes_words)).collect();
    html! {
        @if !group.relations.is_empty() || !onsets.is_empty() {
            div.fleet-panel {
                h3 { "what the bad nodes share" }
                @for relation in group.relations.iter().take(FACTS) { (fact(relation)) }
                @if !onsets.is_empty() {
                    h3 { "since when" }
                    ul { @for line in &onsets { li { (plain_line(line)) } } }
                }
            }
        }
        @if !others.is_empty() {
            div.fleet-panel { h3 { "unlike the rest" } ul { @for line in &others { li { (plain_line(line)) } } } }
        }
    }
}

/// A fact, with the share of the bad nodes and of the others that have it.
fn fact(relation: &Relation) -> Markup {
    let Relation { fact, without, bad, others, same, .. } = relation;
    let not = if *without { "not " } else { "" };
    let name = format!("{} {not}{}", fact.name, fact.value);
    let same: Vec<String> = same.iter().map(|fact| format!("{} {}", fact.name, fact.value)).collect();
    html! {
        dl.fleet-fact {
            dt { (plain_line(&name)) }
            dd { (share("lost", *bad)) span { b { (bad.0) } " of " (bad.1) " bad nodes" } }
            dd { (share("rest", *others)) span { b { (others.0) } " of " (others.1) " others" } }
            @if !same.is_empty() { dd.remark { "on exactly the same nodes: " (plain_line(&same.join("; "))) } }
        }
    }
}

fn share(class: &str, (with, all): (usize, usize)) -> Markup {
    let width = format!("{:.1}", 100.0 * with as f64 / all.max(1) as f64);
    html! {
        svg.fleet-bar viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true" { rect width="100" height="8" {} rect class=(class) width=(width) height="8" {} }
    }
}
