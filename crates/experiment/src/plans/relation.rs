//! Distance between two PUs.

use std::collections::BTreeMap;

use zerohop_machine::{CacheKind, CoreId, Machine, NodeId, PackageId, PuId};

/// Location of every PU of a machine, looked up once: a plan asks about thousands of pairs, and a search of all caches for each took seconds on a
/// machine of a thousand cores.
#[derive(Debug)]
pub(super) struct Nearness(BTreeMap<PuId, Place>);

/// Where a PU is.
#[derive(Debug, Default)]
struct Place {
    /// Core, node and package; absent if the machine does not list the PU.
    within: Option<(CoreId, NodeId, PackageId)>,
    /// Data and unified caches: the level of each, and its rank among the machine's caches.
    caches: Vec<(u8, usize)>,
}

impl Nearness {
    pub(super) fn of(machine: &Machine) -> Self {
        let mut places: BTreeMap<PuId, Place> = BTreeMap::new();
        for pu in &machine.pus {
            places.entry(pu.id).or_default().within = Some((pu.core, pu.node, pu.package));
        }
        let caches = machine.caches.iter().enumerate();
        for (rank, cache) in caches.filter(|(_, cache)| cache.kind != CacheKind::Instruction) {
            for pu in cache.pus.iter() {
                places.entry(pu).or_default().caches.push((cache.level, rank));
            }
        }
        Self(places)
    }

    /// The most caches of any PU.
    #[cfg(test)]
    pub(super) fn most_caches(&self) -> usize {
        self.0.values().map(|place| place.caches.len()).max().unwrap_or(0)
    }

    /// The innermost level that two PUs share, in words: `core`, `L1` … `L4`, `node`, `package`, or `machine`.
    pub(super) fn shared(&self, one: PuId, other: PuId) -> String {
        let Some((one, other)) = self.0.get(&one).zip(self.0.get(&other)) else {
            return "machine".to_owned();
        };
        let both = one.within.zip(other.within);
        if both.is_some_and(|(one, other)| one.0 == other.0) {
            return "core".to_owned();
        }
        let common = one.caches.iter().filter(|cache| other.caches.contains(cache));
        if let Some((level, _)) = common.min() {
            return format!("L{level}");
        }
        let word = match both {
            Some((one, other)) if one.1 == other.1 => "node",
            Some((one, other)) if one.2 == other.2 => "package",
            _ => "machine",
        };
        word.to_owned()
    }
}
