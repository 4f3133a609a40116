//! Chooses the cases to run for the nodes of a machine.
//!
//! The scenarios are AMD's, for a square of four nodes (application note 40555, figures 6 to 15). On other machines, the
//! first node takes the role of node 0, the node nearest to it that of node 1, and another neighbor of that node the role
//! of node 3.

use zerohop_machine::{NodeId, PuId};
use zerohop_units::{Bytes, counted};
use zerohop_workload::{Access, Activity, Demand, Placement, Role, Warning, Worker};

use crate::cell_accumulator::skipped;
use zerohop_result::ExperimentName;

use crate::scope::{Initiator, Scope};
use crate::{Case, CaseChoice, Cases, ExperimentError, ForegroundThread, Scenario, ThreadMode};

/// The most cases to run.
const MOST_CASES: usize = 1 << 16;

/// A case to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Listed {
    /// Scenario of the case, if it was requested by that name.
    pub(super) scenario: Option<Scenario>,
    pub(super) case: Case,
    /// Case with the same threads in the other order, if there is one.
    pub(super) twin: Option<Case>,
}

/// The requested cases, each once, and warnings about those left out.
///
/// # Errors
/// When a case names nodes or cores that do not take part, when there are too many cases, or when none is possible.
pub(super) fn listed(
    scope: &Scope,
    experiment: &ExperimentName,
) -> Result<(Vec<Listed>, Vec<Warning>), ExperimentError> {
    let mut warnings = Vec::new();
    let choices = match scope.options.cases.clone().unwrap_or_default() {
        Cases::All => return every_two(scope, experiment),
        Cases::List(choices) => choices,
    };
    let mut listed: Vec<Listed> = Vec::new();
    let mut add = |scenario, case: Case| {
        if !listed.iter().any(|known| known.case == case) {
            listed.push(Listed { scenario, case, twin: None });
        }
    };
    for choice in choices {
        match choice {
            CaseChoice::Case(case) => add(None, case),
            CaseChoice::Scenario(scenario) => match cases_of(scope, scenario) {
                Ok(cases) => cases.into_iter().for_each(|case| add(Some(scenario), case)),
                Err(reason) => warnings.push(skipped(format!("crossfire, {scenario}"), &reason)),
            },
        }
    }
    for case in listed.iter().map(|listed| &listed.case) {
        case.threads().iter().try_for_each(|thread| pu_of(scope, thread).map(|_| ()))?;
    }
    if listed.is_empty() {
        return Err(impossible(scope, experiment));
    }
    Ok((listed, warnings))
}

/// Every pair of threads on two cores. Both orders of a pair are one workload, which is measured once.
fn every_two(
    scope: &Scope,
    experiment: &ExperimentName,
) -> Result<(Vec<Listed>, Vec<Warning>), ExperimentError> {
    let cores = scope.initiators.iter().map(|initiator| initiator.pus.len()).sum::<usize>();
    let count = cores * ThreadMode::ALL.len() * scope.targets.len();
    let all = count.saturating_mul(count);
    if all > MOST_CASES {
        return Err(ExperimentError::TooManyCases { cases: all, most: MOST_CASES });
    }
    let mut threads = Vec::with_capacity(count);
    for initiator in &scope.initiators {
        for core in 0..initiator.pus.len() {
            for mode in ThreadMode::ALL {
                let on = |&memory| ForegroundThread { node: initiator.node, core, mode, memory };
                threads.extend(scope.targets.iter().map(on));
            }
        }
    }
    let mut listed = Vec::with_capacity(all / 2);
    for (rank, &one) in threads.iter().enumerate() {
        // Two threads on one core are not a case.
        listed.extend(threads[rank + 1..].iter().filter_map(|&other| {
            let case = Case::new(vec![one, other]).ok()?;
            let twin = Case::new(vec![other, one]).ok();
            Some(Listed { scenario: None, case, twin })
        }));
    }
    if listed.is_empty() {
        return Err(impossible(scope, experiment));
    }
    let left_out = Warning::CasesSkipped {
        cases: (all - 2 * listed.len()) as u64,
        of: all as u64,
        reason: "both threads would be on one core".to_owned(),
    };
    Ok((listed, vec![left_out]))
}

fn impossible(scope: &Scope, experiment: &ExperimentName) -> ExperimentError {
    let cores: usize = scope.initiators.iter().map(|initiator| initiator.pus.len()).sum();
    let reason = if cores < 2 {
        "two threads need two CPUs, but only one is in use"
    } else {
        "none of the cases is possible on these nodes"
    };
    ExperimentError::Impossible { experiment: experiment.clone(), reason: reason.to_owned() }
}

/// The cases of a scenario, or why it is not possible.
fn cases_of(scope: &Scope, scenario: Scenario) -> Result<Vec<Case>, &'static str> {
    let write = |node, memory| ForegroundThread { node, core: 0, mode: ThreadMode::Write, memory };
    let two =
        |one, other| Case::new(vec![one, other]).map(|case| vec![case]).map_err(|_| "it needs two cores");
    if scenario == Scenario::SameNode {
        return same_node(scope).ok_or("it needs a node with two CPUs");
    }
    let (first, second) = neighbors(scope).ok_or("it needs two nodes that have both memory and CPUs")?;
    match scenario {
        Scenario::Local => two(write(first, first), write(second, second)),
        Scenario::Crossfire => two(write(first, second), write(second, first)),
        Scenario::NoCrossfire | Scenario::SameNode => {
            let third = beyond(scope, first, second)
                .ok_or("it needs a third node, at the same distance from the second as the first")?;
            two(write(first, second), write(second, third))
        }
    }
}

/// Nodes that take part both as initiators and as targets, in order.
fn whole_nodes(scope: &Scope) -> impl Iterator<Item = &Initiator> {
    scope.initiators.iter().filter(|initiator| scope.targets.contains(&initiator.node))
}

/// The first node, and the one nearest to it.
fn neighbors(scope: &Scope) -> Option<(NodeId, NodeId)> {
    let mut nodes = whole_nodes(scope).map(|initiator| initiator.node);
    let first = nodes.next()?;
    Some((first, nodes.min_by_key(|&other| scope.distance(first, other))?))
}

/// Another neighbor of the second node: as near to it as any other node's memory.
fn beyond(scope: &Scope, first: NodeId, second: NodeId) -> Option<NodeId> {
    let others = || scope.targets.iter().copied().filter(|&target| target != second);
    let nearest = others().map(|target| scope.distance(second, target)).min()?;
    others().find(|&target| target != first && scope.distance(second, target) == nearest)
}

/// Two readers, then two writers, on the first node with two CPUs.
fn same_node(scope: &Scope) -> Option<Vec<Case>> {
    let initiator = scope.initiators.iter().find(|initiator| initiator.pus.len() > 1)?;
    let node = initiator.node;
    let own = scope.own_memory(node);
    let cases = ThreadMode::ALL.into_iter().flat_map(|mode| {
        let thread = move |core, memory| ForegroundThread { node, core, mode, memory };
        let second = scope.targets.iter().map(move |&memory| thread(1, memory));
        second.filter_map(move |second| Case::new(vec![thread(0, own), second]).ok())
    });
    Some(cases.collect())
}

/// The base of relative times: as many readers, each on its own node with local memory; on second cores where there are too
/// few nodes. `None` where there are too few cores.
pub(super) fn base(scope: &Scope, threads: usize) -> Option<Case> {
    let most = whole_nodes(scope).map(|initiator| initiator.pus.len()).max()?;
    let cores = (0..most).flat_map(|core| {
        let nodes = whole_nodes(scope).filter(move |initiator| core < initiator.pus.len());
        nodes.map(move |initiator| ForegroundThread {
            node: initiator.node,
            core,
            mode: ThreadMode::Read,
            memory: initiator.node,
        })
    });
    let readers: Vec<_> = cores.take(threads).collect();
    (readers.len() == threads).then(|| Case::new(readers).ok()).flatten()
}

/// PU of a thread.
///
/// # Errors
/// If its core or its memory takes no part.
pub(super) fn pu_of(scope: &Scope, thread: &ForegroundThread) -> Result<PuId, ExperimentError> {
    let wrong = |reason: String| ExperimentError::NoSuchThread { thread: *thread, reason };
    let own = scope.initiators.iter().map(|initiator| scope.own_memory(initiator.node));
    if !scope.targets.iter().copied().chain(own).any(|target| target == thread.memory) {
        return Err(wrong(format!("memory of node {} is not in use", thread.memory)));
    }
    let initiator = scope.initiators.iter().find(|initiator| initiator.node == thread.node);
    let initiator = initiator.ok_or_else(|| wrong(format!("CPUs of node {} are not in use", thread.node)))?;
    let pu = initiator.pus.get(thread.core).copied();
    let cores = initiator.pus.len();
    pu.ok_or_else(|| wrong(format!("node {} is in use with only {}", thread.node, counted(cores, "core"))))
}

/// The worker for that thread: one access per line of its array.
pub(super) fn foreground(pu: PuId, thread: ForegroundThread, array: Bytes) -> Worker {
    Worker {
        pu,
        role: Role::Foreground,
        placement: Placement::Node(thread.memory),
        buffer: array,
        activity: Activity::Kernel { kernel: thread.mode.kernel(), access: Access::Strided },
        demand: Demand::Unlimited,
    }
}
