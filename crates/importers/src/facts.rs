//! What texts say about the machine: nodes, CPUs, memory, distances, and the processor's name.

use std::collections::BTreeMap;
use std::ops::Range;

use zerohop_machine::{DistanceMatrix, Machine, NodeId, NumaNode, Processor, PuSet};
use zerohop_units::Bytes;

use crate::lines::Text;

/// What a text says about a machine.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Facts {
    pub(crate) nodes: BTreeMap<NodeId, NodeFacts>,
    pub(crate) distances: Option<DistanceMatrix>,
    pub(crate) processor: Processor,
    /// Contradictions, and values that cannot be true.
    pub(crate) doubts: Vec<String>,
    /// Other states of the machine, or other machines, that the text describes, too.
    pub(crate) more: Vec<Facts>,
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

    /// The number of nodes, where the text lists them.
    pub(crate) fn node_count(&self) -> Option<usize> {
        let by_distance = self.distances.as_ref().map_or(0, |distances| distances.nodes.len());
        Some(self.nodes.len().max(by_distance)).filter(|&count| count > 0)
    }

    /// Takes in another description of the nodes, or returns it where the two contradict each other. What is free changes all the time.
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
            || contradictions.any(|one| one)
        {
            return Some(other);
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
        self.doubts.extend(other.doubts);
        None
    }

    /// Takes another description into this one, into one of the others, or as one more.
    pub(crate) fn take_in(&mut self, other: Self) {
        let left = self.merged_anywhere(other);
        self.more.extend(left);
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
        let Self { nodes, distances, processor, doubts, more } = self;
        let mut gaps = Vec::new();
        if !more.is_empty() {
            let times = more.len() + 1;
            gaps.push(format!(
                "nodes: the text describes them {times} times, differently; this is the first description"
            ));
        }
        if nodes.is_empty() {
            gaps.push("nodes: the text does not list their CPUs and memory".to_owned());
        }
        let mut missing = |what: &str, lacks: fn(&NodeFacts) -> bool| {
            let without: Vec<String> =
                nodes.iter().filter(|(_, facts)| lacks(facts)).map(|(id, _)| id.to_string()).collect();
            if !without.is_empty() {
                gaps.push(format!("{what} of node {}: the text does not show it", without.join(", ")));
            }
        };
        missing("CPUs", |facts| facts.pus.is_none());
        // A node whose memory is not known must not pass for one without memory.
        for (id, facts) in nodes.iter().filter(|(_, facts)| facts.memory.is_none()) {
            let pus = facts.pus.as_ref().map_or_else(|| "unknown".to_owned(), ToString::to_string);
            gaps.push(format!("node {id}: the text does not show its memory; its CPUs are {pus}"));
        }
        gaps.push("packages, cores, caches and settings: the text does not show them".to_owned());
        gaps.extend(doubts);
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
        let no_memory_devices = Some("the text does not list DIMMs".to_owned());
        Machine { name, processor, nodes, distances, gaps, no_memory_devices, ..Machine::default() }
    }
}

/// Whether a text names a processor: other fields of `lscpu` have names that nearly any text may have.
pub(crate) fn names_processor(text: &Text) -> bool {
    text.open().any(|(_, line)| field(line).is_some_and(|(name, _)| name == "model name"))
}

/// Whether `lscpu` begins with this line.
pub(crate) fn is_start_of_processor(line: &str) -> bool {
    field(line).is_some_and(|(name, _)| name == "architecture")
}

/// Reads what `lscpu` and `/proc/cpuinfo` print of the processor and its nodes in these lines.
pub(crate) fn read_processor(text: &mut Text, ranks: Range<usize>, facts: &mut Facts) {
    let mut read = Vec::new();
    for (rank, line) in text.open().filter(|(rank, _)| ranks.contains(rank)) {
        let Some((name, value)) = field(line) else { continue };
        let processor = &mut facts.processor;
        match name.as_str() {
            "model name" if !value.is_empty() => processor.model = value.to_owned(),
            "vendor id" | "vendor_id" => processor.vendor = value.to_owned(),
            "cpu family" => processor.family = value.parse().ok(),
            "model" => processor.model_number = value.parse().ok(),
            "stepping" => processor.stepping = value.parse().ok(),
            _ => match node_of(&name) {
                Some(id) => match value.parse::<PuSet>() {
                    Ok(pus) => facts.nodes.entry(id).or_default().pus = Some(pus),
                    Err(_) => continue,
                },
                None if KNOWN.contains(&name.as_str()) => {}
                None => continue,
            },
        }
        read.push(rank);
    }
    read.into_iter().for_each(|rank| text.mark(rank));
}

/// Other fields of `lscpu`: a machine has places for more of them, but a text of one tool rarely shows them all.
const KNOWN: [&str; 21] = [
    "architecture",
    "cpu op-mode(s)",
    "byte order",
    "address sizes",
    "cpu(s)",
    "on-line cpu(s) list",
    "thread(s) per core",
    "core(s) per socket",
    "socket(s)",
    "numa node(s)",
    "cpu mhz",
    "cpu max mhz",
    "cpu min mhz",
    "bogomips",
    "virtualization",
    "l1d cache",
    "l1i cache",
    "l2 cache",
    "l3 cache",
    "flags",
    "hypervisor vendor",
];

/// `numa node0 cpu(s)`.
fn node_of(name: &str) -> Option<NodeId> {
    name.strip_prefix("numa node")?.strip_suffix("cpu(s)")?.trim().parse().ok()
}

/// A field's name in lower case, and its value.
fn field(line: &str) -> Option<(String, &str)> {
    let (name, value) = line.split_once(':')?;
    Some((name.trim().to_ascii_lowercase(), value.trim()))
}
