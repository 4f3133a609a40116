//! Threads that are placed by hand: the workload of their run, and what they do in a few words.

use std::collections::BTreeMap;

use zerohop_experiment::campaign::Run;
use zerohop_experiment::{Case, CaseChoice, Cases, ThreadMode};
use zerohop_machine::NodeId;
use zerohop_result::{Axis, Measure, Query};

/// The first case that a run names itself.
fn placed(asked: &Run) -> Option<&Case> {
    match asked.options.cases.as_ref()? {
        Cases::List(choices) => choices.iter().find_map(|choice| match choice {
            CaseChoice::Case(case) => Some(case),
            CaseChoice::Scenario(_) => None,
        }),
        Cases::All => None,
    }
}

/// The workload whose load is drawn: the case that the run names, which is not the first of its result; else the first.
pub(crate) fn workload(asked: Option<&Run>) -> Query {
    let any = Query::of(Measure::BusTraffic);
    match asked.and_then(placed) {
        Some(case) => any.at(Axis::Case, case.to_string().as_str()),
        None => any,
    }
}

/// What the placed threads of each node do.
pub(crate) fn thread_words(asked: &Run) -> BTreeMap<NodeId, Vec<String>> {
    let mut counts: BTreeMap<(NodeId, ThreadMode, NodeId), usize> = BTreeMap::new();
    for thread in placed(asked).map(Case::threads).unwrap_or_default() {
        *counts.entry((thread.node, thread.mode, thread.memory)).or_default() += 1;
    }
    let mut words: BTreeMap<NodeId, Vec<String>> = BTreeMap::new();
    for ((node, mode, memory), count) in counts {
        let text = match (mode, count) {
            (ThreadMode::Read, 1) => format!("reads node {memory}"),
            (ThreadMode::Read, _) => format!("{count} read node {memory}"),
            (ThreadMode::Write, 1) => format!("writes node {memory}"),
            (ThreadMode::Write, _) => format!("{count} write node {memory}"),
        };
        words.entry(node).or_default().push(text);
    }
    words
}
