//! What a text says about a machine, put together from all its parts.

use std::collections::BTreeMap;

use zerohop_machine::{
    DistanceMatrix, FreeMemory, Machine, MemoryDevice, MemoryState, NodeId, NumaNode, OperatingSystem,
    Processor, PuSet, Setting, StatedFacts, StatedNode, memory_devices_in_place,
};
use zerohop_units::{Bytes, counted};

/// What a text says about a machine.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Facts {
    pub(crate) nodes: BTreeMap<NodeId, NodeFacts>,
    pub(crate) distances: Option<DistanceMatrix>,
    pub(crate) processor: Processor,
    /// Counts and what else it says without naming parts.
    pub(crate) stated: StatedFacts,
    /// What it says of the kernel.
    pub(crate) system: OperatingSystem,
    /// The slots of DIMMs.
    pub(crate) dimms: Vec<MemoryDevice>,
    /// The environment in which programs ran.
    pub(crate) environment: Vec<Setting>,
    /// Command lines at a prompt, and those that place a program.
    pub(crate) commands: Vec<String>,
    /// What has been read and has no place in a result.
    pub(crate) left_out: Vec<String>,
    /// What programs said about their own placement.
    pub(crate) warnings: Vec<String>,
    /// Contradictions, and values that cannot be true.
    pub(crate) doubts: Vec<String>,
    /// Other states of the machine, or other machines, that the text describes, too.
    pub(crate) more: Vec<Facts>,
    /// The number of those that are left out.
    pub(crate) further: usize,
}

/// What a text says about a node.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct NodeFacts {
    pub(crate) pus: Option<PuSet>,
    pub(crate) memory: Option<Bytes>,
    pub(crate) free: Option<Bytes>,
}

impl Facts {
    /// Whether the text says nothing about nodes.
    pub(crate) fn has_no_nodes(&self) -> bool {
        self.nodes.is_empty() && self.distances.is_none()
    }

    /// About how many things it names; long texts count as several.
    pub(crate) fn parts(&self) -> usize {
        /// About what another thing takes, in bytes.
        const BYTES: usize = 64;
        let settings = self.environment.iter().map(|setting| setting.name.len() + setting.value.len());
        let lines = self.commands.iter().chain(&self.warnings).map(String::len);
        let texts = settings.chain(lines).sum::<usize>() + self.processor.model.len();
        let nodes: usize = self.nodes.values().map(|node| 1 + node.pus.as_ref().map_or(0, PuSet::len)).sum();
        let later: usize = self.stated.later.iter().map(|state| state.nodes.len()).sum();
        let distances = self.distances.as_ref().map_or(0, |distances| distances.nodes.len().pow(2));
        let lists =
            self.dimms.len() + self.stated.fields.len() + self.stated.processes.len() + self.doubts.len();
        1 + nodes + later + distances + lists + texts / BYTES
    }

    /// The number of nodes, where the text lists them.
    pub(crate) fn node_count(&self) -> Option<usize> {
        let by_distance = self.distances.as_ref().map_or(0, |distances| distances.nodes.len());
        Some(self.nodes.len().max(by_distance)).filter(|&count| count > 0)
    }

    /// Takes in another description of the nodes, or returns it where the two contradict each other. What is free changes all the time: other
    /// values of it are those of a later moment.
    pub(crate) fn merged(&mut self, other: Self) -> Option<Self> {
        fn contradict<T: PartialEq>(one: Option<&T>, other: Option<&T>) -> bool {
            one.zip(other).is_some_and(|(one, other)| one != other)
        }
        let nodes = other.nodes.iter().filter_map(|(id, facts)| Some((self.nodes.get(id)?, facts)));
        let mut contradictions = nodes.map(|(one, other)| {
            contradict(one.pus.as_ref(), other.pus.as_ref())
                || contradict(one.memory.as_ref(), other.memory.as_ref())
        });
        let model = |facts: &Self| Some(facts.processor.model.clone()).filter(|model| !model.is_empty());
        if contradict(self.distances.as_ref(), other.distances.as_ref())
            || contradict(model(self).as_ref(), model(&other).as_ref())
            || contradict(self.stated.packages.as_ref(), other.stated.packages.as_ref())
            || contradict(self.stated.pus.as_ref(), other.stated.pus.as_ref())
            || contradictions.any(|one| one)
        {
            return Some(other);
        }
        let is_later = other.nodes.iter().any(|(id, facts)| {
            contradict(self.nodes.get(id).and_then(|known| known.free.as_ref()), facts.free.as_ref())
        });
        if is_later {
            let free = other.nodes.iter();
            let free = free.filter_map(|(&node, facts)| Some(FreeMemory { node, free: facts.free? }));
            self.stated.later.push(MemoryState { nodes: free.collect() });
        }
        for (id, facts) in other.nodes {
            let known = self.nodes.entry(id).or_default();
            known.pus = known.pus.take().or(facts.pus);
            known.memory = known.memory.or(facts.memory);
            known.free = known.free.or(facts.free);
        }
        self.distances = self.distances.take().or(other.distances);
        if self.processor == Processor::default() {
            self.processor = other.processor;
        }
        let (known, stated) = (&mut self.stated, other.stated);
        known.packages = known.packages.or(stated.packages);
        known.cores_per_package = known.cores_per_package.or(stated.cores_per_package);
        known.threads_per_core = known.threads_per_core.or(stated.threads_per_core);
        known.pus = known.pus.or(stated.pus);
        known.online = known.online.take().or(stated.online);
        known.nodes = known.nodes.or(stated.nodes);
        if known.caches.is_empty() {
            known.caches = stated.caches;
        }
        known.later.extend(stated.later);
        known.processes.extend(stated.processes);
        for Setting { name, value } in stated.fields {
            self.push_field(&name, &value);
        }
        self.system.hypervisor = self.system.hypervisor.take().or(other.system.hypervisor);
        self.system.turbo = self.system.turbo.or(other.system.turbo);
        self.system.smt = self.system.smt.or(other.system.smt);
        self.doubts.extend(other.doubts);
        self.left_out.extend(other.left_out);
        None
    }

    /// Keeps a field as it stands. One that comes again with another value is numbered.
    pub(crate) fn push_field(&mut self, name: &str, value: &str) {
        let known = &mut self.stated.fields;
        let same: Vec<&Setting> =
            known.iter().filter(|field| field.name.split(" #").next() == Some(name)).collect();
        if known.len() >= MOST_FIELDS || same.iter().any(|field| field.value == value) {
            return;
        }
        let name = if same.is_empty() { name.to_owned() } else { format!("{name} #{}", same.len() + 1) };
        known.push(Setting::new(name, value));
    }

    /// Whether it has something that a text says of a machine, apart from its nodes. Fields without a place of their own are not enough.
    pub(crate) fn has_more_than_nodes(&self) -> bool {
        let without_fields = StatedFacts { fields: Vec::new(), ..self.stated.clone() };
        !without_fields.is_empty()
            || !self.dimms.is_empty()
            || self.system != OperatingSystem::default()
            || self.processor != Processor::default()
    }

    /// Takes another description into this one, into one of the others, or as one more.
    pub(crate) fn take_in(&mut self, other: Self) {
        if let Some(other) = self.merged_anywhere(other) {
            self.add(other);
        }
    }

    /// Adds a description of another machine, or of another state of this one.
    pub(crate) fn add(&mut self, other: Self) {
        if self.more.len() < MOST_DESCRIPTIONS {
            self.more.push(other);
        } else {
            self.further += 1;
        }
    }

    /// Takes another description into this one or into one of the others; returns it where it contradicts them all.
    pub(crate) fn merged_anywhere(&mut self, other: Self) -> Option<Self> {
        let mut left = self.merged(other);
        for known in &mut self.more {
            left = left.and_then(|other| known.merged(other));
        }
        left
    }

    /// The machine, as far as the text shows it.
    pub(crate) fn machine(self, name: String) -> Machine {
        let gaps = self.gaps();
        let Self { nodes, distances, processor, mut stated, system, dimms, .. } = self;
        stated.unlisted = unlisted(&nodes, distances.as_ref());
        let without_memory = nodes.iter().filter(|(_, facts)| facts.memory.is_none());
        stated.node_pus = without_memory
            .filter_map(|(&node, facts)| Some(StatedNode { node, pus: facts.pus.clone()? }))
            .collect();
        let nodes = nodes.into_iter().filter_map(|(id, facts)| {
            Some(NumaNode {
                id,
                pus: facts.pus.unwrap_or_default(),
                memory: facts.memory?,
                free: facts.free.unwrap_or_default(),
                huge_pages: Vec::new(),
                memory_side_caches: Vec::new(),
                allowed: true,
            })
        });
        let nodes = nodes.collect();
        let no_memory_devices = dimms.is_empty().then(|| "the text does not list DIMMs".to_owned());
        let memory_devices = memory_devices_in_place(dimms, "", &processor);
        Machine {
            name,
            processor,
            nodes,
            distances,
            gaps,
            memory_devices,
            no_memory_devices,
            stated,
            system,
            ..Machine::default()
        }
    }

    /// What the text does not show, a line each.
    fn gaps(&self) -> Vec<String> {
        let Self { nodes, stated, system, doubts, more, .. } = self;
        let mut gaps = Vec::new();
        if !more.is_empty() {
            let times = more.len() + 1;
            gaps.push(format!(
                "nodes: the text contains {times} different descriptions; using the first one"
            ));
        }
        if nodes.is_empty() {
            gaps.push("nodes: the text does not list their CPUs and memory".to_owned());
        }
        let without: Vec<String> =
            nodes.iter().filter(|(_, facts)| facts.pus.is_none()).map(|(id, _)| id.to_string()).collect();
        if !without.is_empty() {
            gaps.push(format!("CPUs of node {}: the text does not show it", without.join(", ")));
        }
        // A node whose memory is not known must not pass for one without memory.
        for (id, facts) in nodes.iter().filter(|(_, facts)| facts.memory.is_none()) {
            let pus = facts.pus.as_ref().map_or_else(|| "unknown".to_owned(), ToString::to_string);
            gaps.push(format!("node {id}: the text does not show its memory; its CPUs are {pus}"));
        }
        let of_processor = OperatingSystem {
            hypervisor: system.hypervisor.clone(),
            smt: system.smt,
            turbo: system.turbo,
            ..OperatingSystem::default()
        };
        let lacking = [
            ("packages", stated.packages.is_none()),
            ("cores", stated.cores_per_package.is_none()),
            ("caches", stated.caches.is_empty()),
            ("settings", *system == of_processor),
        ];
        let lacking: Vec<&str> =
            lacking.into_iter().filter(|(_, lacks)| *lacks).map(|(what, _)| what).collect();
        if let Some((last, others)) = lacking.split_last() {
            let and = if others.is_empty() { String::new() } else { format!("{} and ", others.join(", ")) };
            gaps.push(format!("{and}{last}: the text does not show them"));
        }
        gaps.extend(doubts.iter().cloned());
        gaps
    }

    /// What has been read and is in no result, and what the text should list and does not.
    pub(crate) fn lost(&self) -> Vec<String> {
        let mut lost = self.left_out.clone();
        if self.further > 0 {
            lost.push(counted(self.further, "further description") + " of the machine, or of others");
        }
        let unlisted: Vec<String> =
            unlisted(&self.nodes, self.distances.as_ref()).iter().map(ToString::to_string).collect();
        if !unlisted.is_empty() {
            let of = if unlisted.len() == 1 { "node" } else { "nodes" };
            lost.push(format!(
                "{of} {}: distances name them, and the text does not list them",
                unlisted.join(", ")
            ));
        }
        lost
    }
}

/// No more other descriptions are kept: each is held against all of them.
const MOST_DESCRIPTIONS: usize = 100;

/// No more fields are kept.
const MOST_FIELDS: usize = 200;

/// Nodes that distances name and nothing lists; none where no node is listed.
fn unlisted(nodes: &BTreeMap<NodeId, NodeFacts>, distances: Option<&DistanceMatrix>) -> Vec<NodeId> {
    let named = distances.map_or(&[][..], |distances| &distances.nodes);
    named.iter().filter(|node| !nodes.is_empty() && !nodes.contains_key(node)).copied().collect()
}
