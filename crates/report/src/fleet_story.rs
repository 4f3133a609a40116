//! A fleet for a browser: the map of its nodes first, beside it the worst ones and what they share, then what to do, where each node stands,
//! and each bad node by itself.
//!
//! ```text
//! states.rs      the state of each node, and where its square leads
//! node_map.rs    squares by rack, colored by loss
//! worst_list.rs  the bad nodes beside the map
//! sentence.rs    sentences with code in them
//! shared.rs      what bad nodes share, and since when they are bad
//! spread.rs      families of values, a mark for each node
//! bad_node.rs    a bad node by itself: losses, causes, remedies
//! fleet.css      all of it, light and dark
//! ```

mod bad_node;
mod node_map;
mod sentence;
mod shared;
mod spread;
mod states;
mod worst_list;

use maud::{Markup, html};
use zerohop_diagnosis::FleetDiagnosis;
use zerohop_fleet::FleetGroup;
use zerohop_units::counted;

use crate::fleet_words::{kind, notes, steps, unanswered, verdict};
use crate::html::{Part, Story, WIDE};
use crate::json::fleet_json;
use crate::page::Page;
use crate::pages::{bad_nodes_page, relations_page};
use crate::printable::plain_line;
use crate::render::Document;
use bad_node::bad_nodes;
use node_map::{legend, node_map};
use sentence::code;
use shared::shared;
use spread::spreads;
use states::States;
use worst_list::worst_list;

/// Groups that are shown in full, the largest ones.
const GROUPS: usize = 4;

/// What to do, in lines.
const STEPS: usize = 8;

/// The page of a fleet.
pub(crate) fn fleet_story(fleet: &FleetDiagnosis) -> Story {
    let groups = &fleet.fleet.groups;
    let nodes: usize = groups.iter().map(|group| group.nodes).sum();
    let mut head = Page::new(&WIDE);
    head.banner(&format!("fleet of {}", counted(nodes, "node")), &verdict(&fleet.fleet));
    let states: Vec<States<'_>> =
        groups.iter().enumerate().map(|(rank, group)| States::of(rank, group, &fleet.diagnoses)).collect();
    let parts =
        [Part::Page(head), Part::Elements { title: None, link: None, markup: overview(fleet, &states) }];
    let tables = [bad_nodes_page(fleet, &WIDE), relations_page(&fleet.fleet, &WIDE)];
    Story {
        name: FleetDiagnosis::NAME,
        parts: parts.into_iter().chain(tables.into_iter().flatten().map(Part::Page)).collect(),
        data: vec![fleet_json(fleet)],
    }
}

fn overview(fleet: &FleetDiagnosis, states: &[States<'_>]) -> Markup {
    let steps = steps(&fleet.fleet, &fleet.diagnoses);
    let (unanswered, notes) = (unanswered(&fleet.fleet), notes(&fleet.fleet));
    let shown = || states.iter().take(GROUPS);
    html! {
        (counts(fleet))
        @for states in shown() {
            // Beside a long list, there is room below the map.
            (group(fleet, states, if states.group.nodes == fleet_size(fleet) { &steps } else { &[] }))
        }
        @if states.len() > GROUPS { (others(&fleet.fleet.groups[GROUPS..])) }
        @if states.len() > 1 && !steps.is_empty() {
            section.fleet-steps { h2 { "what to do, in this order" } (ordered(&steps)) }
        }
        @for states in shown() { (spreads(states, states.group.nodes < fleet_size(fleet))) }
        @for states in shown() { (bad_nodes(states, states.group.nodes < fleet_size(fleet))) }
        (listed("without a result", &unanswered))
        (listed("skipped, or in doubt", &notes))
    }
}

fn fleet_size(fleet: &FleetDiagnosis) -> usize {
    fleet.fleet.groups.iter().map(|group| group.nodes).sum()
}

/// How many nodes are in which state.
fn counts(fleet: &FleetDiagnosis) -> Markup {
    let groups = &fleet.fleet.groups;
    let of = |count: fn(&FleetGroup) -> usize| groups.iter().map(count).sum::<usize>();
    let bad = of(|group| group.bad.len());
    let open = of(|group| if group.not_judged.is_some() { group.nodes } else { group.not_compared.len() });
    let sound = of(|group| group.nodes).saturating_sub(bad + open);
    let silent = fleet.fleet.unanswered.len();
    let counts = [
        ("fault", bad, "bad"),
        ("sound", sound, "like most of their group"),
        ("open", open, "not judged, or only by some of the values"),
        ("open", silent, "without a result"),
    ];
    html! {
        ul.fleet-counts {
            @for (state, count, words) in counts.iter().filter(|(state, count, _)| *count > 0 || *state == "fault") {
                li class={ "fleet-count " (if *count == 0 { "sound" } else { *state }) } { b { (count) } " " (words) }
            }
        }
    }
}

/// A group: the map of its nodes, and beside it what is to be known of the bad ones.
fn group(fleet: &FleetDiagnosis, states: &States<'_>, steps: &[String]) -> Markup {
    let FleetGroup { nodes, kind: facts, not_judged, .. } = states.group;
    html! {
        section.fleet-group {
            h2 { (counted(*nodes, "node")) small { (plain_line(&kind(facts))) } }
            @if let Some(why) = not_judged { p.fleet-open { "not judged: " (plain_line(why)) } }
            div.fleet-columns {
                div.fleet-main {
                    div.fleet-panel { (node_map(states)) (legend(states)) }
                    @if !steps.is_empty() {
                        div.fleet-panel.fleet-steps { h3 { "what to do, in this order" } (ordered(steps)) }
                    }
                }
                div.fleet-side {
                    (worst_list(states, &fleet.diagnoses))
                    (shared(states.group))
                }
            }
        }
    }
}

fn ordered(steps: &[String]) -> Markup {
    html! { ol { @for step in steps.iter().take(STEPS) { li { (code(step)) } } } }
}

/// Groups that are not shown in full.
fn others(groups: &[FleetGroup]) -> Markup {
    let lines: Vec<String> = groups
        .iter()
        .map(|group| {
            format!("{} bad of {}: {}", group.bad.len(), counted(group.nodes, "node"), kind(&group.kind))
        })
        .collect();
    listed(&format!("{} more", counted(groups.len(), "group")), &lines)
}

fn listed(title: &str, lines: &[String]) -> Markup {
    html! {
        @if !lines.is_empty() {
            section { h2 { (title) } ul { @for line in lines { li { (code(line)) } } } }
        }
    }
}
