//! Where the pages and threads of a process or a file are, what that costs, and what would be better.

mod cost;
mod owner;
mod remedy;

use std::collections::{BTreeMap, BTreeSet};

use crate::{CachedFile, Contents, Process, Spread, Thread};
use schemars::JsonSchema;
use serde::Serialize;
use zerohop_machine::{Machine, NodeId};
use zerohop_result::{Catalogue, ResultFile};
use zerohop_units::Bytes;

pub use cost::{PlacementCost, Rate};
pub use owner::Whose;
pub use remedy::Remedy;

use zerohop_compare::NamedOrigin;

/// Version of the form of whereabouts. It is raised when a reader of the old form would misread the new one.
pub const WHEREABOUTS_VERSION: u32 = 1;

/// Location of pages and threads: of one file, or of one or more processes.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct WhereaboutsFile {
    /// [`WHEREABOUTS_VERSION`] of the program that wrote the file.
    pub schema_version: u32,
    /// Nodes with memory, in the order of their numbers.
    pub nodes: Vec<NodeId>,
    /// Result that costs are computed from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub survey: Option<NamedOrigin>,
    /// The processes or the file.
    pub found: Vec<Whereabouts>,
}

/// Location of the pages and threads of a process or a file.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Whereabouts {
    /// The process or the file.
    pub subject: Whose,
    /// Bytes on each node.
    pub bytes: Spread,
    /// Pages by content, the largest amount first. For a file there is only one kind.
    pub parts: Vec<PartOfMemory>,
    /// Threads of the process, or of all processes that map the file.
    pub threads: Vec<Thread>,
    /// Number of threads by the node of the CPU that each last ran on.
    pub threads_by_node: BTreeMap<NodeId, usize>,
    /// Share of each node in the CPU time of the threads, by the CPU that each last ran on.
    pub cpu_shares: BTreeMap<NodeId, f64>,
    /// Share of accesses to another node, if every thread uses all pages equally, 0 to 1; absent without threads or pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remote_share: Option<f64>,
    /// Cost of the remote accesses, computed from a survey.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<PlacementCost>,
    /// Remedies.
    pub remedies: Vec<Remedy>,
}

/// Mappings of a process with the same kind of content, page size and policy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PartOfMemory {
    /// Content of the mappings.
    pub contents: Contents,
    /// Page size in the page table, in bytes.
    pub page_bytes: Bytes,
    /// Memory policy of new pages, in the kernel's notation.
    pub policy: String,
    /// Number of mappings.
    pub mappings: usize,
    /// Bytes on each node.
    pub bytes: Spread,
}

impl WhereaboutsFile {
    /// What was found on a machine, without costs.
    pub fn new(machine: &Machine, found: Vec<Whereabouts>) -> Self {
        let nodes = machine.targets().map(|node| node.id).collect();
        Self { schema_version: WHEREABOUTS_VERSION, nodes, survey: None, found }
    }

    /// The nodes with memory, and others that something of this subject is on.
    pub fn nodes_of(&self, one: &Whereabouts) -> Vec<NodeId> {
        let pages = one.bytes.iter().map(|(node, _)| node);
        let nodes: BTreeSet<NodeId> =
            self.nodes.iter().copied().chain(pages).chain(one.threads_by_node.keys().copied()).collect();
        nodes.into_iter().collect()
    }

    /// Adds what the placements cost by a survey of this machine.
    pub fn with_survey(&mut self, name: &str, survey: &ResultFile, experiments: Catalogue) {
        let (origin, machine) = (survey.origin.clone(), survey.machine.name.clone());
        self.survey = Some(NamedOrigin { name: name.to_owned(), origin, machine });
        for one in &mut self.found {
            one.cost = PlacementCost::of(&one.cpu_shares, &one.bytes, survey, experiments);
        }
    }
}

impl Whereabouts {
    /// Where the pages and threads of a process are.
    pub fn of_process(process: Process, machine: &Machine) -> Self {
        let mut parts: Vec<PartOfMemory> = Vec::new();
        for mapping in &process.mappings {
            let same = |part: &&mut PartOfMemory| {
                part.contents == mapping.contents
                    && part.page_bytes == mapping.page_bytes
                    && part.policy == mapping.policy
            };
            match parts.iter_mut().find(same) {
                Some(part) => {
                    part.mappings += 1;
                    part.bytes.add_all(&mapping.bytes);
                }
                None => parts.push(PartOfMemory {
                    contents: mapping.contents.clone(),
                    page_bytes: mapping.page_bytes,
                    policy: mapping.policy.clone(),
                    mappings: 1,
                    bytes: mapping.bytes.clone(),
                }),
            }
        }
        // Stable: equal amounts stay in the order of addresses.
        parts.sort_by_key(|part| std::cmp::Reverse(part.bytes.total()));
        let bytes = process.bytes();
        let subject = Whose::Process { process: process.id, command: process.command };
        Self::new(subject, bytes, parts, process.threads, machine)
    }

    /// The same with the CPU time of each thread since an earlier look, at which threads had these ticks.
    #[must_use]
    pub fn since(self, ticks: &BTreeMap<u32, u64>, machine: &Machine) -> Self {
        let mut threads = self.threads;
        for thread in &mut threads {
            thread.ticks = thread.ticks.saturating_sub(ticks.get(&thread.id).copied().unwrap_or(0));
        }
        Self::new(self.subject, self.bytes, self.parts, threads, machine)
    }

    /// Where the cached pages of a file are, and the threads of the processes that map it.
    pub fn of_file(file: CachedFile, users: Vec<Process>, machine: &Machine) -> Self {
        let subject = Whose::File {
            cached_share: file.cached_share(),
            path: file.path,
            length: file.length,
            unknown: file.unknown,
            mapped_by: users.iter().map(|user| user.id).collect(),
        };
        let threads = users.into_iter().flat_map(|user| user.threads).collect();
        Self::new(subject, file.bytes, Vec::new(), threads, machine)
    }

    fn new(
        subject: Whose,
        bytes: Spread,
        parts: Vec<PartOfMemory>,
        threads: Vec<Thread>,
        machine: &Machine,
    ) -> Self {
        let cpu_shares = cpu_shares(&threads, machine);
        let remote_share = (!cpu_shares.is_empty() && bytes.total() > Bytes(0))
            .then(|| cpu_shares.iter().map(|(&node, cpu)| cpu * (1.0 - bytes.share(node))).sum());
        let mut threads_by_node = BTreeMap::new();
        for pu in threads.iter().filter_map(|thread| machine.pu(thread.pu)) {
            *threads_by_node.entry(pu.node).or_default() += 1;
        }
        let remedies = Remedy::of(&subject, &bytes, &cpu_shares, machine);
        Self {
            subject,
            bytes,
            parts,
            threads,
            threads_by_node,
            cpu_shares,
            remote_share,
            cost: None,
            remedies,
        }
    }
}

/// The share of each node in the CPU time of threads. Threads that have used none yet count alike.
fn cpu_shares(threads: &[Thread], machine: &Machine) -> BTreeMap<NodeId, f64> {
    let total: u64 = threads.iter().map(|thread| thread.ticks).sum();
    let weight = |thread: &Thread| if total == 0 { 1.0 } else { thread.ticks as f64 };
    let mut shares: BTreeMap<NodeId, f64> = BTreeMap::new();
    for thread in threads {
        if let Some(pu) = machine.pu(thread.pu) {
            *shares.entry(pu.node).or_default() += weight(thread);
        }
    }
    let sum: f64 = shares.values().sum();
    shares.retain(|_, share| *share > 0.0);
    shares.values_mut().for_each(|share| *share /= sum);
    shares
}
