//! The map: a square for each node, by rack where racks are known, colored by what the node loses.

use std::collections::BTreeMap;

use maud::{Markup, html};
use zerohop_units::counted;

use super::states::{Node, State, States};
use crate::printable::plain_line;

/// Losses from which a square has the next darker color.
const STEPS: [f64; 3] = [0.05, 0.15, 0.3];

/// Up to so many nodes have squares of that size.
const SIZES: [(usize, Size); 4] =
    [(96, Size::Huge), (240, Size::Large), (1000, Size::Small), (usize::MAX, Size::Tiny)];

/// With more racks than this, those in which all nodes are like most are folded away.
const RACKS: usize = 60;

/// How large squares are. The larger ones have the loss in them, and their racks the number of nodes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Size {
    Huge,
    Large,
    Small,
    Tiny,
}

impl Size {
    fn of(nodes: usize) -> Self {
        SIZES.iter().find(|(most, _)| nodes <= *most).map_or(Self::Tiny, |(_, size)| *size)
    }

    const fn class(self) -> &'static str {
        match self {
            Self::Huge => "fleet-map huge",
            Self::Large => "fleet-map large",
            Self::Small => "fleet-map small",
            Self::Tiny => "fleet-map tiny",
        }
    }

    const fn has_text(self) -> bool {
        matches!(self, Self::Huge | Self::Large)
    }
}

/// The squares of a group.
pub(super) fn node_map(states: &States<'_>) -> Markup {
    let mut nodes: Vec<&Node<'_>> = states.nodes.iter().collect();
    nodes.sort_by_cached_key(|node| Natural::of(&node.member.node));
    if nodes.iter().all(|node| node.member.rack.is_none()) {
        let size = Size::of(nodes.len());
        return html! { div class=(size.class()) { div.fleet-nodes { @for node in &nodes { (square(states, node, size)) } } } };
    }
    let mut racks: BTreeMap<Natural<'_>, Vec<&Node<'_>>> = BTreeMap::new();
    for &node in &nodes {
        racks.entry(Natural::of(node.member.rack.as_deref().unwrap_or("no rack"))).or_default().push(node);
    }
    let is_sound = |nodes: &[&Node<'_>]| nodes.iter().all(|node| matches!(node.state, State::Sound));
    let (folded, shown): (Vec<_>, Vec<_>) =
        racks.iter().partition(|(_, nodes)| racks.len() > RACKS && is_sound(nodes));
    let count = |racks: &[(&Natural<'_>, &Vec<&Node<'_>>)]| racks.iter().map(|(_, nodes)| nodes.len()).sum();
    let (size, small) = (Size::of(count(&shown)), Size::of(nodes.len()));
    html! {
        div class=(size.class()) { @for (name, nodes) in shown { (rack(states, name.0, nodes, size)) } }
        @if !folded.is_empty() {
            details.fleet-folded {
                summary { (counted(folded.len(), "rack")) ", in which all nodes are like most" }
                div class=(small.class()) { @for (name, nodes) in folded { (rack(states, name.0, nodes, small)) } }
            }
        }
    }
}

/// A rack, with how many of its nodes are bad.
fn rack(states: &States<'_>, name: &str, nodes: &[&Node<'_>], size: Size) -> Markup {
    let bad = nodes.iter().filter(|node| matches!(node.state, State::Bad(..))).count();
    html! {
        div.fleet-rack {
            p.fleet-rack-name {
                b { (plain_line(name)) } " "
                @match (bad, size.has_text()) {
                    (0, true) => (counted(nodes.len(), "node")),
                    (0, false) => {},
                    (bad, true) => span.fleet-bad { (bad) " of " (nodes.len()) " bad" },
                    (bad, false) => span.fleet-bad { (bad) " bad" },
                }
            }
            div.fleet-nodes { @for node in nodes { (square(states, node, size)) } }
        }
    }
}

fn square(states: &States<'_>, node: &Node<'_>, size: Size) -> Markup {
    let (class, text) = match node.state {
        State::Sound => ("", String::new()),
        State::Lower => ("lower", "≈".to_owned()),
        State::Open => ("open", "?".to_owned()),
        State::Bad(bad, _) => {
            let level = STEPS.iter().filter(|step| bad.loss >= **step).count();
            let text =
                if bad.deficits.is_empty() { "!".to_owned() } else { format!("{:.0}", bad.loss * 100.0) };
            (["loss-1", "loss-2", "loss-3", "loss-4"][level], text)
        }
    };
    let words = states.words(node);
    let words = plain_line(&words);
    let text = if size.has_text() { text } else { String::new() };
    html! {
        @match (states.address(node), class) {
            (Some(address), class) => a class=(class) href=(address) title=(words) aria-label=(words) { (text) },
            (None, "") => i title=(words) {},
            (None, class) => i class=(class) title=(words) { (text) },
        }
    }
}

/// What the colors mean; only of those that the map has.
pub(super) fn legend(states: &States<'_>) -> Markup {
    let has = |is: fn(&State<'_>) -> bool| states.nodes.iter().any(|node| is(&node.state));
    html! {
        p.fleet-legend {
            span { i {} " like most" }
            @if has(|state| matches!(state, State::Bad(..))) {
                span { i.loss-1 {} " loses under 5 %" }
                span { i.loss-2 {} " 5 to 15 %" }
                span { i.loss-3 {} " 15 to 30 %" }
                span { i.loss-4 {} " more" }
            }
            @if has(|state| matches!(state, State::Lower)) { span { i.lower {} " worse of two modes" } }
            @if has(|state| matches!(state, State::Open)) { span { i.open {} " not judged" } }
        }
    }
}

/// A name that stands where people look for it: `r2` before `r10`.
#[derive(PartialEq, Eq)]
struct Natural<'a>(&'a str, Vec<(u64, String)>);

impl<'a> Natural<'a> {
    fn of(name: &'a str) -> Self {
        let mut parts = vec![(0_u64, String::new())];
        let mut was_digit = false;
        for letter in name.chars() {
            let digit = letter.to_digit(10);
            if digit.is_some() && !was_digit {
                parts.push((0, String::new()));
            }
            was_digit = digit.is_some();
            // There is always a part.
            let Some((number, word)) = parts.last_mut() else { continue };
            match digit {
                Some(digit) => *number = number.saturating_mul(10).saturating_add(u64::from(digit)),
                None => word.push(letter),
            }
        }
        Self(name, parts)
    }
}

impl Ord for Natural<'_> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.1.cmp(&other.1).then_with(|| self.0.cmp(other.0))
    }
}

impl PartialOrd for Natural<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn racks_are_in_the_order_of_their_numbers() {
        let mut names = ["r10", "a", "r2", "r2b", "r1", "no rack"].map(Natural::of);
        names.sort();
        assert_eq!(names.map(|name| name.0), ["a", "no rack", "r1", "r2", "r2b", "r10"]);
    }
}
