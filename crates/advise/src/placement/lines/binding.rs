//! A placement, as lines need it.

use std::collections::BTreeMap;

use zerohop_machine::{Machine, NodeId, PuId, PuSet};

use crate::placement::candidate::{Candidate, Memory};
use crate::placement::cpus;
use crate::placement::program::{DataUse, Program};

/// A placement, as lines need it.
pub(crate) struct Spot<'a> {
    pub(crate) program: &'a Program,
    pub(crate) machine: &'a Machine,
    pub(crate) candidate: &'a Candidate,
    /// The CPUs of the threads, by node.
    pub(crate) cpus: BTreeMap<NodeId, Vec<PuId>>,
}

impl<'a> Spot<'a> {
    pub(crate) fn new(program: &'a Program, machine: &'a Machine, candidate: &'a Candidate) -> Self {
        Self { program, machine, candidate, cpus: cpus::of_threads(machine, program, candidate) }
    }

    pub(crate) fn memory(&self) -> &'a Memory {
        &self.candidate.memory
    }

    /// All CPUs of the threads, as the kernel lists them.
    pub(crate) fn cpu_list(&self) -> String {
        cpu_list(self.cpus.values().flatten())
    }

    /// The nodes of the threads.
    pub(crate) fn nodes(&self) -> Vec<NodeId> {
        self.candidate.threads.keys().copied().collect()
    }

    /// The node of all threads, if it is one.
    pub(crate) fn only_node(&self) -> Option<NodeId> {
        match self.nodes().as_slice() {
            [only] => Some(*only),
            _ => None,
        }
    }

    /// The same number of threads on every node of the machine that has CPUs: that number.
    pub(crate) fn even_on_all(&self) -> Option<usize> {
        let first = *self.candidate.threads.values().next()?;
        let even = self.candidate.threads.values().all(|threads| *threads == first);
        (even && self.machine.initiators().count() == self.candidate.threads.len()).then_some(first)
    }

    /// Whether threads share a core somewhere.
    pub(crate) fn shares_cores(&self) -> bool {
        self.cpus.iter().any(|(node, cpus)| cpus.len() > self.machine.usable_cores(*node).len())
    }

    /// Whether the kernel places pages as asked when each thread touches its own data first, without any policy.
    pub(crate) fn is_first_touch(&self) -> bool {
        match self.memory() {
            Memory::Local => self.program.data == DataUse::Private,
            Memory::OnNode { node } => self.only_node() == Some(*node),
            _ => false,
        }
    }

    /// The threads' CPUs in the order of threads: node after node.
    pub(crate) fn in_order(&self) -> Vec<PuId> {
        self.cpus.values().flatten().copied().collect()
    }
}

/// CPUs as the kernel lists them: `0-3,8`.
pub(crate) fn cpu_list<'a>(cpus: impl IntoIterator<Item = &'a PuId>) -> String {
    cpus.into_iter().copied().collect::<PuSet>().to_string()
}
