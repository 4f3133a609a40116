//! The machine as a whole, with its common queries.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zerohop_units::Bytes;

use crate::{
    Cache, CacheKind, Core, DistanceMatrix, MemoryDevice, NodeAccess, NodeId, NumaNode, OperatingSystem,
    Package, Platform, Processor, Pu, PuId, PuSet, Setting, StatedFacts,
};

/// A machine: its parts and its settings.
///
/// Lists are in ascending order of the kernel's numbers, which may have gaps. Look parts up by number, not by index.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Machine {
    /// Short name: the host name, or the name of the file that the machine was read from.
    pub name: String,
    /// Options chosen and values changed relative to the machine file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub settings: Vec<Setting>,
    /// Faults injected into the model of the machine; empty for a measured machine.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<String>,
    /// The processor.
    pub processor: Processor,
    /// Vendor and firmware of the machine.
    #[serde(default, skip_serializing_if = "Platform::is_empty")]
    pub platform: Platform,
    /// Packages with at least one PU online.
    pub packages: Vec<Package>,
    /// NUMA nodes that are online.
    pub nodes: Vec<NumaNode>,
    /// Cores with at least one PU online.
    pub cores: Vec<Core>,
    /// PUs that are online.
    pub pus: Vec<Pu>,
    /// Caches, ordered by level and then by first PU.
    pub caches: Vec<Cache>,
    /// Node distances from the firmware (SLIT); absent if the kernel shows none.
    pub distances: Option<DistanceMatrix>,
    /// Memory attributes from the firmware (HMAT); empty without an HMAT.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub access: Vec<NodeAccess>,
    /// DIMM slots; empty if SMBIOS could not be read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub memory_devices: Vec<MemoryDevice>,
    /// Reason why there are no DIMM slots, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_memory_devices: Option<String>,
    /// Derivation of a machine that was predicted instead of measured; absent otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prediction: Option<Prediction>,
    /// Facts that a text states about the machine without naming the parts; empty for a machine that was read part by part.
    #[serde(default, skip_serializing_if = "StatedFacts::is_empty")]
    pub stated: StatedFacts,
    /// The operating system and its settings.
    pub system: OperatingSystem,
    /// Properties that could not be read and the reasons, one line each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gaps: Vec<String>,
}

/// Derivation of a machine without measurements.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Prediction {
    /// The template that its machine file was generated from.
    pub template: String,
    /// Assumed properties that affect bandwidth, one sentence each.
    pub assumed: Vec<String>,
    /// Known errors of such predictions, one phrase for each measure: `idle latency ±5 %`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<String>,
}

impl Machine {
    /// The node with that number.
    pub fn node(&self, id: NodeId) -> Option<&NumaNode> {
        find(&self.nodes, |node| node.id, id)
    }

    /// The PU with that number, if it is online.
    pub fn pu(&self, id: PuId) -> Option<&Pu> {
        find(&self.pus, |pu| pu.id, id)
    }

    /// Nodes that have a PU this process may use.
    pub fn initiators(&self) -> impl Iterator<Item = &NumaNode> {
        self.nodes.iter().filter(|node| !self.usable_pus(node.id).is_empty())
    }

    /// Nodes that have memory this process may use.
    pub fn targets(&self) -> impl Iterator<Item = &NumaNode> {
        self.nodes.iter().filter(|node| node.memory.get() > 0 && node.allowed)
    }

    /// PUs of a node that this process may use.
    pub fn usable_pus(&self, node: NodeId) -> PuSet {
        self.pus.iter().filter(|pu| pu.node == node && pu.allowed).map(|pu| pu.id).collect()
    }

    /// PUs that this process may not use because the kernel isolates them (`isolcpus`): a program that is started on them may.
    pub fn isolated_pus(&self) -> PuSet {
        let isolated = self.system.isolated_pus.as_deref().and_then(|list| list.parse::<PuSet>().ok());
        let isolated = isolated.unwrap_or_default();
        self.pus.iter().filter(|pu| !pu.allowed && isolated.contains(pu.id)).map(|pu| pu.id).collect()
    }

    /// Whether a node has neither CPUs nor memory: a device that accesses memory (a generic initiator of the SRAT).
    pub fn is_generic_initiator(&self, node: NodeId) -> bool {
        self.node(node).is_some_and(|node| node.pus.is_empty() && node.memory.get() == 0)
    }

    /// The first usable PU of each core of a node. SMT siblings share the resources that memory tests measure.
    pub fn usable_cores(&self, node: NodeId) -> Vec<PuId> {
        self.cores
            .iter()
            .filter_map(|core| {
                core.pus.iter().find(|&pu| self.pu(pu).is_some_and(|pu| pu.allowed && pu.node == node))
            })
            .collect()
    }

    /// The DIMMs in its slots, one phrase for each kind: `12 × 32 GiB DDR4 at 2933 MT/s`. Empty if it shows none.
    pub fn dimms(&self) -> Vec<String> {
        let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
        for device in self.memory_devices.iter().filter(|device| device.size > Bytes(0)) {
            let rate = device.configured.or(device.rated);
            let rate = rate.map_or(String::new(), |rate| format!(" at {rate:.0}"));
            *kinds.entry(format!("{} {}{rate}", device.size, device.technology)).or_default() += 1;
        }
        kinds.into_iter().map(|(kind, count)| format!("{count} × {kind}")).collect()
    }

    /// Data and unified caches that `pu` sits behind, nearest first.
    pub fn data_caches(&self, pu: PuId) -> Vec<&Cache> {
        let mut caches: Vec<&Cache> = self
            .caches
            .iter()
            .filter(|cache| cache.kind != CacheKind::Instruction && cache.pus.contains(pu))
            .collect();
        caches.sort_by_key(|cache| cache.level);
        caches
    }
}

/// The part with that number. A plan looks parts up thousands of times, so a list in ascending order is not searched from its
/// beginning. A file may hold one in another order.
fn find<P, Id: Copy + Ord>(parts: &[P], number: impl Fn(&P) -> Id, wanted: Id) -> Option<&P> {
    match parts.binary_search_by_key(&wanted, &number) {
        Ok(rank) => parts.get(rank),
        Err(_) => parts.iter().find(|part| number(part) == wanted),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_found_in_any_order() {
        for order in [[0, 4, 1500, 7000], [7000, 0, 1500, 4]] {
            assert!(order.iter().all(|&id| find(&order, |&id| id, id) == Some(&id)), "{order:?}");
            assert_eq!(find(&order, |&id| id, 5), None);
        }
    }
}
