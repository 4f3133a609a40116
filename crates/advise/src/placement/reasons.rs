//! Why a placement is the best: what the figures say about AMD's rules.

use super::advice::{Alternative, Reason};
use super::candidate::Memory;
use super::names::{DEFAULT, INTERLEAVED, NODE_BY_NODE, NODE_FILLED, ONE_INITIALIZES};
use super::program::{DataUse, Program, Sensitivity};
use super::rules::{AMD, TIE, may_be_as_good};

/// Why the first of these is the best.
pub(crate) fn reasons(program: &Program, alternatives: &[Alternative]) -> Vec<Reason> {
    let Some(best) = alternatives.first() else { return Vec::new() };
    let named = |name: &str| alternatives.iter().find(|one| one.names.iter().any(|own| own == name));
    let mut reasons = Vec::new();
    let mut add = |text: String, source: Option<&str>| {
        reasons.push(Reason { text, source: source.map(str::to_owned) });
    };
    let shown = |one: &Alternative| shown(program.sensitivity, one.figure.value);
    match program.data {
        DataUse::Private => {
            if let (Some(spread), Some(filled)) = (named(NODE_BY_NODE), named(NODE_FILLED)) {
                let verdict = verdict(program, spread, filled);
                add(
                    format!(
                        "private data: one thread on every node before a second one on any ({}, compared with {} with a \
                         node filled first){verdict}",
                        shown(spread),
                        shown(filled)
                    ),
                    Some(AMD),
                );
            }
            if let (Memory::Local, Some(one)) = (&best.placement.memory, named(ONE_INITIALIZES)) {
                add(
                    format!(
                        "first touch: let each thread write its own data first, so that the kernel places it locally; if one \
                         thread initializes all of it, the program gets {}",
                        shown(one)
                    ),
                    Some(AMD),
                );
            }
            if best.placement.memory == Memory::Local {
                add(
                    "pin threads to their nodes: a thread that the scheduler moves leaves its data behind"
                        .to_owned(),
                    Some(AMD),
                );
            }
        }
        DataUse::Shared => {
            if let (Some(filled), Some(default)) = (named(NODE_FILLED), named(DEFAULT)) {
                let verdict = verdict(program, filled, default);
                add(
                    format!(
                        "shared data: fill a node before the next ({}, compared with {} with the threads on all nodes and the data \
                         on one){verdict}",
                        shown(filled),
                        shown(default)
                    ),
                    Some(AMD),
                );
            }
        }
    }
    if let (Memory::Interleaved { .. } | Memory::Weighted { .. } | Memory::Apart { .. }, Some(other)) =
        (&best.placement.memory, named(NODE_FILLED).or(named(DEFAULT)))
    {
        if let Memory::Preferred { .. } = other.placement.memory {
            let text = "the data does not fit on one node: interleaving it over several is faster than filling one after \
                        the other";
            add(text.to_owned(), None);
        } else {
            let limit = other.limit.as_ref().map_or(String::new(), |limit| format!(": {limit}"));
            add(
                format!(
                    "one node's memory is too slow for these threads{limit}; interleaved over several, the data is farther away but still \
                     faster"
                ),
                Some(AMD),
            );
        }
    }
    let worse =
        |one: &&Alternative| program.sensitivity.times(best.figure.value, one.figure.value) > 1.0 + TIE;
    if let Some(interleaved) = named(INTERLEAVED).filter(worse) {
        // Of the ways to place a program without a search, not of all placements.
        let ways = [DEFAULT, NODE_BY_NODE, NODE_FILLED].into_iter().filter_map(named);
        let is_slowest = !ways
            .map(|one| program.sensitivity.times(interleaved.figure.value, one.figure.value))
            .any(|times| times > 1.0 + TIE);
        add(
            format!(
                "interleaving over all nodes {}: {}, {:.0} % of accesses remote",
                if is_slowest { "comes last" } else { "is worse than the best" },
                shown(interleaved),
                interleaved.remote_share * 100.0
            ),
            Some(AMD),
        );
    }
    if let Some(default) = named(DEFAULT) {
        let (here, there) = (best.remote_share * 100.0, default.remote_share * 100.0);
        if (here - there).abs() >= 1.0 {
            add(format!("{here:.0} % of accesses are remote, {there:.0} % by default"), None);
        }
    }
    if let Some(limit) = &best.limit {
        add(format!("there, {limit}"), None);
    }
    reasons
}

/// A value with its unit.
fn shown(sensitivity: Sensitivity, value: f64) -> String {
    format!("{value:.1} {}", sensitivity.unit())
}

/// Whether figures follow a rule that says that `one` is better.
fn verdict(program: &Program, one: &Alternative, other: &Alternative) -> &'static str {
    let times = program.sensitivity.times(one.figure.value, other.figure.value);
    if one.placement == other.placement || (times - 1.0).abs() < TIE {
        "; here it makes no difference"
    } else if times > 1.0 {
        ""
    } else if may_be_as_good(program, &one.figure, &other.figure) {
        "; here the values are too uncertain to tell"
    } else {
        "; not on this machine"
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use zerohop_machine::NodeId;
    use zerohop_units::Bytes;
    use zerohop_workload::{Access, Kernel};

    use super::super::candidate::Candidate;
    use super::super::figure::Figure;
    use super::super::names::BEST;
    use super::*;

    fn alternative(names: &[&str], node: u32, value: f64, margin: f64) -> Alternative {
        Alternative {
            names: names.iter().map(|&name| name.to_owned()).collect(),
            placement: Candidate {
                threads: BTreeMap::from([(NodeId(node), 2)]),
                memory: Memory::OnNode { node: NodeId(node) },
            },
            words: String::new(),
            figure: Figure { value, low: value - margin, high: value + margin },
            over_default: 1.0,
            remote_share: 0.0,
            limit: None,
        }
    }

    /// A program with shared data.
    fn shared() -> Program {
        Program {
            threads: 2,
            data: DataUse::Shared,
            bytes: Bytes::gib(1),
            kernel: Kernel::Read,
            access: Access::Sequential,
            sensitivity: Sensitivity::Bandwidth,
            thread_nodes: Vec::new(),
            background: Vec::new(),
        }
    }

    /// Sentences about it, by what its placements get.
    fn told(interleaved: f64, default: f64, filled: f64) -> String {
        let alternatives = [
            alternative(&[BEST], 0, 2.8, 0.0),
            alternative(&[INTERLEAVED], 1, interleaved, 0.0),
            alternative(&[DEFAULT], 2, default, 0.3),
            alternative(&[NODE_FILLED], 3, filled, 0.3),
        ];
        reasons(&shared(), &alternatives).into_iter().map(|reason| reason.text + "\n").collect()
    }

    /// It said so of a placement that beat the default.
    #[test]
    fn interleaving_comes_last_only_if_nothing_is_worse() {
        assert!(told(1.0, 1.65, 1.9).contains("interleaving over all nodes comes last: 1.0 GB/s"));
        assert!(
            told(2.0, 1.65, 1.58).contains("interleaving over all nodes is worse than the best: 2.0 GB/s")
        );
    }

    /// "One memory is not enough for these threads", where none had room for their data.
    #[test]
    fn data_that_fits_on_no_node_is_said_not_to_fit() {
        let mut alternatives = [alternative(&[BEST], 0, 2.8, 0.0), alternative(&[NODE_FILLED], 1, 2.0, 0.0)];
        alternatives[0].placement.memory = Memory::Interleaved { nodes: vec![NodeId(0), NodeId(1)] };
        let why = |alternatives: &[Alternative]| reasons(&shared(), alternatives).remove(0).text;
        assert!(why(&alternatives).starts_with("one node's memory is too slow for these threads"));
        alternatives[1].placement.memory =
            Memory::Preferred { node: NodeId(0), parts: vec![(NodeId(0), 1), (NodeId(1), 1)] };
        assert!(why(&alternatives).starts_with("the data does not fit on one node"));
    }

    #[test]
    fn a_rule_that_the_figures_do_not_show_is_not_said_to_hold() {
        assert!(
            told(2.0, 1.65, 1.58).contains("the data on one); here the values are too uncertain to tell")
        );
        assert!(told(2.0, 1.65, 0.9).contains("; not on this machine"));
        assert!(!told(2.0, 1.65, 1.9).contains("here"));
    }
}
