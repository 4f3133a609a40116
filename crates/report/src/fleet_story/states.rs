//! The state of each node of a group, and where its name leads.

use std::collections::HashMap;

use zerohop_diagnosis::Diagnosis;
use zerohop_fleet::{BadNode, FleetGroup, FleetMember};

use crate::fleet_words::{finding, percent};
use crate::svg::is_relative;

/// Bad nodes of a group that the page describes: those that are diagnosed.
pub(super) const DESCRIBED: usize = 10;

/// A group with what its nodes are.
pub(super) struct States<'a> {
    /// Number of the group on its page.
    pub(super) rank: usize,
    pub(super) group: &'a FleetGroup,
    /// A node for each member of the group, in its order.
    pub(super) nodes: Vec<Node<'a>>,
    pub(super) diagnoses: &'a [Diagnosis],
    members: HashMap<&'a str, usize>,
}

/// A node of the group.
pub(super) struct Node<'a> {
    pub(super) member: &'a FleetMember,
    pub(super) state: State<'a>,
}

/// What a node is.
#[derive(Clone, Copy)]
pub(super) enum State<'a> {
    /// Bad, with its rank among the bad ones.
    Bad(&'a BadNode, usize),
    /// One of the worse nodes, where values have two modes.
    Lower,
    /// Not judged, or not by all values.
    Open,
    Sound,
}

impl<'a> States<'a> {
    pub(super) fn of(rank: usize, group: &'a FleetGroup, diagnoses: &'a [Diagnosis]) -> Self {
        let bad: HashMap<&str, usize> =
            group.bad.iter().enumerate().map(|(rank, bad)| (bad.node.as_str(), rank)).collect();
        let lower: HashMap<&str, ()> =
            group.modes.iter().flat_map(|modes| &modes.nodes).map(|node| (node.as_str(), ())).collect();
        let open: HashMap<&str, ()> = group.not_compared.iter().map(|one| (one.node.as_str(), ())).collect();
        let state = |node: &str| match bad.get(node) {
            Some(&rank) => State::Bad(&group.bad[rank], rank),
            None if group.not_judged.is_some() || open.contains_key(node) => State::Open,
            None if lower.contains_key(node) => State::Lower,
            None => State::Sound,
        };
        let nodes = group.members.iter().map(|member| Node { member, state: state(&member.node) }).collect();
        let members = group.members.iter().enumerate().map(|(rank, member)| (member.node.as_str(), rank));
        Self { rank, group, nodes, diagnoses, members: members.collect() }
    }

    pub(super) fn node(&self, name: &str) -> Option<&Node<'a>> {
        self.nodes.get(*self.members.get(name)?)
    }

    /// Where a node leads: to its report, else to what this page says of it, if it says more than the map.
    pub(super) fn address(&self, node: &Node<'_>) -> Option<String> {
        let report = node.member.report.as_deref().filter(|report| is_relative(report));
        match (report, node.state) {
            (Some(report), _) => Some(report.to_owned()),
            (None, State::Bad(_, rank)) if rank < DESCRIBED => Some(format!("#{}", self.anchor(rank))),
            _ => None,
        }
    }

    /// The name of the place where the page speaks of a bad node.
    pub(super) fn anchor(&self, rank: usize) -> String {
        format!("node-{}-{}", self.rank + 1, rank + 1)
    }

    /// The loss of a bad node in words, or what it lacks.
    pub(super) fn loss(bad: &BadNode) -> String {
        if bad.deficits.is_empty() { "parts lost".to_owned() } else { percent(bad.loss) }
    }

    /// What is known of a node, for the tip of its square.
    pub(super) fn words(&self, node: &Node<'_>) -> String {
        let name = &node.member.node;
        match node.state {
            State::Bad(bad, _) => {
                let cause = finding(self.diagnoses, bad);
                let cause = if cause.is_empty() { cause } else { format!(": {cause}") };
                let loss = if bad.deficits.is_empty() {
                    String::new()
                } else {
                    format!(", loses {}", percent(bad.loss))
                };
                format!("{name}{loss}{cause}")
            }
            State::Lower => format!("{name}, one of the worse nodes of two modes"),
            State::Open => format!("{name}, not judged, or only by some of the values"),
            State::Sound => name.clone(),
        }
    }
}
