//! The scope of an experiment: the initiators, the targets, the PUs of workers, and the memory that they may use. It is determined once, before
//! anything runs, so a survey's own buffers do not count as memory in use.

use std::collections::{BTreeMap, BTreeSet};

use zerohop_machine::{Cache, CacheKind, Machine, NodeId, PuId, PuSet};
use zerohop_units::Bytes;
use zerohop_workload::{Engine, InstructionSet, Kernel, Placement, Warning};

use crate::caches_in_front::CachesInFront;
use crate::protocol::{Protocol, VIRTUAL_DRIFT};
use crate::{Effort, ExperimentError, Options};

/// The parts of a machine that take part, and how.
#[derive(Debug, Clone)]
pub(crate) struct Scope {
    pub(crate) machine: Machine,
    pub(crate) options: Options,
    /// Sampling protocol.
    pub(crate) protocol: Protocol,
    /// The initiators. Not empty.
    pub(crate) initiators: Vec<Initiator>,
    /// The targets. Not empty.
    pub(crate) targets: Vec<NodeId>,
    /// Whether the experiment is part of a survey, so that it has little time.
    pub(crate) in_survey: bool,
    /// Whether the engine simulates: then real time, and the cost of filling memory, do not matter.
    pub(crate) simulated: bool,
    /// The engine's instruction sets, widest first.
    pub(crate) instruction_sets: Vec<InstructionSet>,
    /// Warnings about parts left out.
    pub(crate) warnings: Vec<Warning>,
    /// The delays of loads, in cycles, by what their cores do; none of a kernel if the usual ones serve.
    pub(crate) delays: BTreeMap<Kernel, Vec<u32>>,
    /// Memory that the buffers of one workload may use, by node.
    capacity: BTreeMap<NodeId, Bytes>,
    /// Explanation of the amount of memory on each of these nodes, in words, if the engine knows it.
    why_so_much: BTreeMap<NodeId, String>,
    /// Memory that an engine keeps between workloads, by node.
    kept: BTreeMap<NodeId, Bytes>,
    /// The number of nodes that take part. Counted once: every cell of a plan asks for it.
    nodes: usize,
    /// The last-level cache of each PU, looked up once for the same reason.
    last_level: BTreeMap<PuId, CacheIdentity>,
    /// Number of times that the last-level cache of a PU was looked up.
    #[cfg(test)]
    pub(crate) looked_up: std::cell::Cell<usize>,
}

/// An initiator: a node, and the PUs of its workers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Initiator {
    pub(crate) node: NodeId,
    /// One PU of each core, or the PUs that the user named. Not empty.
    pub(crate) pus: Vec<PuId>,
}

/// The initiators with every thread of their cores.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AllThreads {
    pub(crate) initiators: Vec<Initiator>,
    /// The most threads that any core has.
    pub(crate) threads_per_core: usize,
}

/// The most memory that quick experiments use on one node of a model.
const SIMULATED: Bytes = Bytes::gib(1);

/// Buffers take up to one part in this many of a node's free memory.
const USABLE_PART: u64 = 2;

impl Scope {
    /// The scope on the engine's machine.
    ///
    /// # Errors
    /// When the options name something that does not exist, may not be used, or does not fit.
    pub(crate) fn new(engine: &dyn Engine, options: &Options) -> Result<Self, ExperimentError> {
        let machine = engine.machine().clone();
        check_names(&machine, options)?;
        let instruction_sets = engine.instruction_sets();
        if let Some(set) = options.instruction_set
            && !instruction_sets.contains(&set)
        {
            return Err(ExperimentError::UnknownInstructionSet { set, available: instruction_sets });
        }
        let simulated = engine.origin().is_model();
        if options.detail && !simulated {
            return Err(ExperimentError::NothingInside);
        }
        let named = |nodes: Option<&Vec<NodeId>>, node| nodes.is_none_or(|nodes| nodes.contains(&node));
        let asking = options.initiators.as_ref().or(options.nodes.as_ref());
        let initiators = initiators(&machine, options.cpus.as_ref());
        check_initiators(&initiators, options.initiators.as_deref())?;
        let initiators = narrowed(initiators, |initiator| named(asking, initiator.node));
        let answering = options.targets.as_ref().or(options.nodes.as_ref());
        let targets = machine.targets().map(|node| node.id).collect();
        let targets = narrowed(targets, |&node| named(answering, node));
        if initiators.is_empty() {
            return Err(ExperimentError::NoInitiator);
        }
        if targets.is_empty() {
            return Err(ExperimentError::NoTarget);
        }
        let taking_part: BTreeSet<NodeId> =
            initiators.iter().map(|initiator| initiator.node).chain(targets.iter().copied()).collect();
        let mut scope = Self {
            warnings: left_out(&machine, options),
            nodes: taking_part.len(),
            last_level: last_level(&machine.caches),
            machine,
            options: options.clone(),
            protocol: Protocol::new(options),
            initiators,
            targets,
            in_survey: false,
            simulated,
            instruction_sets,
            delays: BTreeMap::new(),
            capacity: BTreeMap::new(),
            why_so_much: BTreeMap::new(),
            kept: BTreeMap::new(),
            #[cfg(test)]
            looked_up: std::cell::Cell::default(),
        };
        if !scope.simulated && scope.machine.system.hypervisor.is_some() {
            scope.protocol.unseen_drift = Some(VIRTUAL_DRIFT);
        }
        scope.protocol.cpu_quota = scope.machine.system.cpu_quota;
        scope.capacity = scope.measure_capacity(engine)?;
        let nodes = scope.capacity.keys();
        scope.why_so_much =
            nodes.filter_map(|&node| Some((node, engine.why_so_much_memory(node)?))).collect();
        scope.kept = scope.capacity.keys().map(|&node| (node, engine.free_memory(node) / 2)).collect();
        Ok(scope)
    }

    /// The number of nodes that take part, as initiators or targets.
    pub(crate) const fn nodes(&self) -> usize {
        self.nodes
    }

    /// The most memory that all buffers on `node` may use.
    pub(crate) fn capacity(&self, node: NodeId) -> Bytes {
        self.capacity.get(&node).copied().unwrap_or_default()
    }

    /// Memory on `node` that an engine keeps from one workload to the next: half of the free memory.
    pub(crate) fn kept(&self, node: NodeId) -> Bytes {
        self.kept.get(&node).copied().unwrap_or_default()
    }

    /// The node of an initiator's local memory: itself or, if it has none, the nearest target.
    pub(crate) fn home(&self, initiator: NodeId) -> NodeId {
        if self.targets.contains(&initiator) {
            return initiator;
        }
        let distance = |&target: &NodeId| {
            let distances = self.machine.distances.as_ref();
            distances.and_then(|distances| distances.get(initiator, target)).unwrap_or(u32::MAX)
        };
        self.targets.iter().copied().min_by_key(distance).unwrap_or(initiator)
    }

    /// The node of the local memory of a thread on `node`: that node or, if it has no usable memory, the nearest target.
    /// Naming targets does not change that.
    pub(crate) fn own_memory(&self, node: NodeId) -> NodeId {
        let has_memory = self.machine.targets().any(|target| target.id == node);
        if has_memory { node } else { self.home(node) }
    }

    /// The SLIT distance, where it is known; otherwise all other nodes are equally far.
    pub(crate) fn distance(&self, initiator: NodeId, target: NodeId) -> u32 {
        let known = self.machine.distances.as_ref().and_then(|distances| distances.get(initiator, target));
        known.unwrap_or(if initiator == target { 0 } else { u32::MAX })
    }

    /// The PU of an initiator for a single chase: not on the core of CPU 0 if there is another, because Linux sends that core
    /// more than its share of interrupts and timer work. In a model it makes no difference.
    pub(crate) fn quiet_pu(&self, initiator: &Initiator) -> PuId {
        if self.simulated {
            return initiator.pus[0];
        }
        let core = |pu| self.machine.pu(pu).map(|pu| pu.core);
        let busy = core(PuId(0));
        let quiet = initiator.pus.iter().find(|&&pu| busy.is_none() || core(pu) != busy);
        *quiet.unwrap_or(&initiator.pus[0])
    }

    /// Initiators with every usable thread of their cores; `None` if cores have one thread, or if the user named CPUs. In a model, threads of a core
    /// share nothing: several would count as more cores.
    pub(crate) fn all_threads(&self) -> Option<AllThreads> {
        if self.simulated || self.options.cpus.is_some() {
            return None;
        }
        let all = |initiator: &Initiator| Initiator {
            node: initiator.node,
            pus: self.machine.usable_pus(initiator.node).iter().collect(),
        };
        let initiators: Vec<Initiator> = self.initiators.iter().map(all).collect();
        let working: PuSet = initiators.iter().flat_map(|initiator| initiator.pus.iter().copied()).collect();
        let cores = self.machine.cores.iter();
        let threads_per_core = cores.map(|core| core.pus.intersection(&working).len()).max()?;
        (threads_per_core > 1).then_some(AllThreads { initiators, threads_per_core })
    }

    /// The total size of the last-level caches of these PUs, each cache counted once.
    pub(crate) fn caches_in_front(&self, pus: &[PuId]) -> CachesInFront {
        #[cfg(test)]
        self.looked_up.set(self.looked_up.get() + pus.len());
        let last: BTreeSet<CacheIdentity> =
            pus.iter().filter_map(|pu| self.last_level.get(pu).copied()).collect();
        CachesInFront::new(last.into_iter().map(|(_, _, size)| size).sum())
    }

    /// Explanation of the amount of memory with this placement, in words: for the node with the least memory.
    pub(crate) fn why_so_much_memory(&self, placement: &Placement) -> Option<String> {
        let node = match placement {
            Placement::Node(node) => *node,
            Placement::Interleaved(nodes) => nodes.iter().copied().min_by_key(|&node| self.capacity(node))?,
            Placement::FirstTouch(pu) => self.home(self.machine.pu(*pu)?.node),
        };
        if self.options.buffer.is_some_and(|wanted| wanted == self.capacity(node)) {
            return Some("--buffer allows no more".to_owned());
        }
        let why = self.why_so_much.get(&node)?;
        Some(match self.options.buffer {
            Some(_) => why.clone(),
            None => format!("{why}, and buffers may use half of the remaining memory"),
        })
    }

    fn measure_capacity(&self, engine: &dyn Engine) -> Result<BTreeMap<NodeId, Bytes>, ExperimentError> {
        let interleaved = self.options.interleave.iter().flatten();
        let asked: BTreeSet<NodeId> = self.targets.iter().chain(interleaved).copied().collect();
        // Some experiments also use an initiator's local memory where other targets were named.
        let own = self.initiators.iter().map(|initiator| self.own_memory(initiator.node));
        let nodes: BTreeSet<NodeId> = asked.iter().copied().chain(own).collect();
        let mut capacity = BTreeMap::new();
        for node in nodes {
            let free = engine.free_memory(node);
            let may_take = match (self.options.buffer, self.options.effort) {
                (Some(wanted), _) if wanted > free && asked.contains(&node) => {
                    return Err(ExperimentError::BufferTooLarge { wanted, node, free });
                }
                (Some(wanted), _) => wanted.min(free),
                // A model decides itself what its caches hold, whatever the size of a buffer.
                (None, Effort::Quick) if self.simulated => SIMULATED.min(free / (2 * USABLE_PART)),
                (None, _) => free / USABLE_PART,
            };
            capacity.insert(node, may_take);
        }
        Ok(capacity)
    }
}

/// What identifies a cache: its level and its first PU; and its size.
type CacheIdentity = (u8, Option<PuId>, Bytes);

/// The last-level data or unified cache of each PU.
fn last_level(caches: &[Cache]) -> BTreeMap<PuId, CacheIdentity> {
    let mut last: BTreeMap<PuId, CacheIdentity> = BTreeMap::new();
    for cache in caches.iter().filter(|cache| cache.kind != CacheKind::Instruction) {
        let identity = (cache.level, cache.pus.first(), cache.size);
        for pu in cache.pus.iter() {
            let known = last.entry(pu).or_insert(identity);
            if known.0 <= cache.level {
                *known = identity;
            }
        }
    }
    last
}

/// The wanted items, or all if none is wanted.
fn narrowed<T>(all: Vec<T>, wanted: impl Fn(&T) -> bool) -> Vec<T> {
    let (wanted, others): (Vec<T>, Vec<T>) = all.into_iter().partition(wanted);
    if wanted.is_empty() { others } else { wanted }
}

/// Every node with PUs to run on.
fn initiators(machine: &Machine, named: Option<&PuSet>) -> Vec<Initiator> {
    let initiators = machine.initiators().map(|node| {
        let pus = match named {
            Some(named) => machine.usable_pus(node.id).intersection(named).iter().collect(),
            None => machine.usable_cores(node.id),
        };
        Initiator { node: node.id, pus }
    });
    initiators.filter(|initiator| !initiator.pus.is_empty()).collect()
}

/// Checks that all nodes and PUs that the options name exist and may be used.
fn check_names(machine: &Machine, options: &Options) -> Result<(), ExperimentError> {
    let known: Vec<NodeId> = machine.nodes.iter().map(|node| node.id).collect();
    let lists = [&options.nodes, &options.interleave, &options.initiators, &options.targets];
    let named = lists.into_iter().flatten().flatten();
    let unknown: BTreeSet<NodeId> = named.copied().filter(|node| !known.contains(node)).collect();
    if !unknown.is_empty() {
        return Err(ExperimentError::UnknownNodes { unknown: unknown.into_iter().collect(), known });
    }
    let usable: Vec<NodeId> = machine.targets().map(|node| node.id).collect();
    let answering = [&options.interleave, &options.targets];
    let named = answering.into_iter().flatten().flatten();
    let without: Vec<NodeId> = named.copied().filter(|node| !usable.contains(node)).collect();
    if !without.is_empty() || answering.into_iter().flatten().any(Vec::is_empty) {
        return Err(ExperimentError::NoMemoryThere { nodes: without, usable });
    }
    if let Some(cpus) = &options.cpus {
        let online: PuSet = machine.pus.iter().map(|pu| pu.id).collect();
        let unknown = cpus.difference(&online);
        if !unknown.is_empty() {
            return Err(ExperimentError::UnknownCpus { unknown, online });
        }
        let allowed: PuSet = machine.pus.iter().filter(|pu| pu.allowed).map(|pu| pu.id).collect();
        let forbidden = cpus.difference(&allowed);
        if !forbidden.is_empty() {
            let isolated = forbidden.difference(&machine.isolated_pus()).is_empty();
            return Err(ExperimentError::ForbiddenCpus { forbidden, allowed, isolated });
        }
    }
    Ok(())
}

/// Checks that every node named as initiator has PUs.
fn check_initiators(initiators: &[Initiator], named: Option<&[NodeId]>) -> Result<(), ExperimentError> {
    let usable: Vec<NodeId> = initiators.iter().map(|initiator| initiator.node).collect();
    let without = |named: &[NodeId]| named.iter().copied().filter(|node| !usable.contains(node)).collect();
    let nodes: Vec<NodeId> = named.map(without).unwrap_or_default();
    if !nodes.is_empty() || named.is_some_and(<[NodeId]>::is_empty) {
        return Err(ExperimentError::NoCpuThere { nodes, usable });
    }
    Ok(())
}

/// Warnings about parts that the process may not use and the user did not exclude.
fn left_out(machine: &Machine, options: &Options) -> Vec<Warning> {
    let reason = "this process's cpuset or affinity does not allow it";
    let named = |node: NodeId| options.nodes.as_ref().is_none_or(|nodes| nodes.contains(&node));
    let nodes = machine.nodes.iter().filter(|node| node.memory > Bytes(0) && !node.allowed && named(node.id));
    let mut warnings: Vec<Warning> =
        nodes.map(|node| Warning::NodeSkipped { node: node.id, reason: reason.to_owned() }).collect();
    if options.cpus.is_none() {
        let pus: PuSet =
            machine.pus.iter().filter(|pu| !pu.allowed && named(pu.node)).map(|pu| pu.id).collect();
        let isolated = machine.isolated_pus().intersection(&pus);
        let others = pus.difference(&isolated);
        if !isolated.is_empty() {
            warnings.push(Warning::CpusIsolated { pus: isolated });
        }
        if !others.is_empty() {
            warnings.push(Warning::CpusSkipped { pus: others, reason: reason.to_owned() });
        }
    }
    if machine.system.fakes_nodes() {
        warnings.push(Warning::NodesFake {});
    }
    warnings
}

#[cfg(test)]
mod tests {
    use zerohop_machine::Capture;

    use super::*;

    /// Plans searched all caches for every cell, which took minutes on a machine of a thousand nodes.
    #[test]
    fn the_cache_looked_up_once_is_the_one_that_a_search_finds() {
        let machines = concat!(env!("CARGO_MANIFEST_DIR"), "/../machine/tests/machines");
        let mut known = 0;
        for file in std::fs::read_dir(machines).unwrap() {
            let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
            let machine = Machine::load(&Capture::from_json(&text).unwrap()).unwrap();
            let last_level = last_level(&machine.caches);
            for pu in &machine.pus {
                let searched = machine.data_caches(pu.id).last().copied();
                let identity = searched.map(|cache| (cache.level, cache.pus.first(), cache.size));
                assert_eq!(last_level.get(&pu.id).copied(), identity, "{} of {}", pu.id, machine.name);
                known += usize::from(identity.is_some());
            }
        }
        assert!(known > 100, "{known}");
    }
}
