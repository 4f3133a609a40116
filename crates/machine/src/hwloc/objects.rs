//! The machine's parts as a tree by containment of their PUs, which is how hwloc sees a machine.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    AccessClass, Cache, CacheKind, Core, Machine, NodeAccess, NodeId, NumaNode, Package, Pu, PuId, PuSet,
};

/// Part of the machine that an object of the tree represents.
#[derive(Debug, Clone, Copy)]
pub(super) enum ObjectKind<'machine> {
    Machine,
    /// An artificial object for nodes whose PUs match no other object.
    Group,
    Package(&'machine Package),
    /// A die, given by its number.
    Die(u32),
    Cache(&'machine Cache),
    Core(&'machine Core),
    Pu(&'machine Pu),
}

/// Limit on nesting, which costs one level of recursion each. No machine comes near it.
const MOST_LEVELS: usize = 64;

/// An object. Its PUs determine its place in the tree.
#[derive(Debug)]
pub(super) struct Object<'machine> {
    pub(super) kind: ObjectKind<'machine>,
    pub(super) pus: PuSet,
    /// Nodes whose memory is local to exactly these PUs.
    pub(super) memory: Vec<&'machine NumaNode>,
    pub(super) children: Vec<Self>,
    /// For each PU, the rank of the child that has it, while the tree is built.
    child_of: BTreeMap<PuId, usize>,
}

impl<'machine> Object<'machine> {
    fn new(kind: ObjectKind<'machine>, pus: PuSet) -> Self {
        Self { kind, pus, memory: Vec::new(), children: Vec::new(), child_of: BTreeMap::new() }
    }

    /// The child that has all of these PUs; `Err` if several have some of them.
    fn child_with(&self, pus: &PuSet) -> Result<Option<usize>, ()> {
        let mut ranks = pus.iter().map(|pu| self.child_of.get(&pu).copied());
        let first = ranks.next().flatten();
        if ranks.all(|rank| rank == first) { Ok(first) } else { Err(()) }
    }

    /// The rank that orders objects with the same PUs: the lower contains the higher.
    fn rank(&self) -> u8 {
        match self.kind {
            ObjectKind::Machine => 0,
            ObjectKind::Group => 1,
            ObjectKind::Package(_) => 2,
            ObjectKind::Die(_) => 3,
            ObjectKind::Cache(Cache { kind: CacheKind::Instruction, .. }) => 14,
            // There are few levels, and a higher level contains a lower one.
            ObjectKind::Cache(cache) => 13 - cache.level.min(9),
            ObjectKind::Core(_) => 15,
            ObjectKind::Pu(_) => 16,
        }
    }

    /// Whether an object with PUs `new` fits in the tree: inside or beside every object so far, never across one, and at
    /// most `levels` below this one.
    fn fits(&self, new: &PuSet, levels: usize) -> bool {
        levels > 0
            && match self.child_with(new) {
                Ok(Some(child)) => self.children[child].fits(new, levels - 1),
                Ok(None) => true,
                Err(()) => false,
            }
    }

    fn insert(&mut self, new: Self) {
        match self.child_with(&new.pus) {
            Ok(Some(child)) => self.children[child].insert(new),
            Ok(None) | Err(()) => {
                self.child_of.extend(new.pus.iter().map(|pu| (pu, self.children.len())));
                self.children.push(new);
            }
        }
    }

    /// The innermost object that holds `pus`.
    fn holder(&mut self, pus: &PuSet) -> &mut Self {
        match self.child_with(pus) {
            // This is the outermost of several with the same PUs: memory is attached to the package, not to its cache.
            Ok(Some(at)) if self.pus != *pus => self.children[at].holder(pus),
            _ => self,
        }
    }

    fn sort(&mut self) {
        self.children.sort_by(|a, b| a.pus.cmp(&b.pus));
        self.children.iter_mut().for_each(Self::sort);
    }
}

fn contains(outer: &PuSet, inner: &PuSet) -> bool {
    inner.iter().all(|pu| outer.contains(pu))
}

/// Whether two sets share PUs and neither contains the other.
fn crosses(one: &PuSet, other: &PuSet) -> bool {
    !one.intersection(other).is_empty() && !contains(one, other) && !contains(other, one)
}

/// The tree of a machine. Parts that cross others (no real machine has such parts) are left out.
pub(super) fn tree(machine: &Machine) -> Object<'_> {
    let mut parts: Vec<Object<'_>> = Vec::new();
    parts.extend(
        machine.packages.iter().map(|package| Object::new(ObjectKind::Package(package), package.pus.clone())),
    );
    parts.extend(dies(machine));
    parts.extend(machine.caches.iter().map(|cache| Object::new(ObjectKind::Cache(cache), cache.pus.clone())));
    parts.extend(machine.cores.iter().map(|core| Object::new(ObjectKind::Core(core), core.pus.clone())));
    parts.extend(machine.pus.iter().map(|pu| Object::new(ObjectKind::Pu(pu), PuSet::from_iter([pu.id]))));
    let mut parts_of: BTreeMap<PuId, Vec<usize>> = BTreeMap::new();
    for (rank, part) in parts.iter().enumerate() {
        part.pus.iter().for_each(|pu| parts_of.entry(pu).or_default().push(rank));
    }
    for node in &machine.nodes {
        let locality = locality(machine, node);
        // A group that crosses a package would displace it.
        let is_place = |part: &Object<'_>| part.pus != locality && !crosses(&part.pus, &locality);
        // Only parts and earlier groups that share PUs with the node can equal or cross its locality.
        let near: BTreeSet<usize> =
            locality.iter().flat_map(|pu| parts_of.get(&pu).into_iter().flatten().copied()).collect();
        if near.into_iter().all(|rank| is_place(&parts[rank])) {
            locality.iter().for_each(|pu| parts_of.entry(pu).or_default().push(parts.len()));
            parts.push(Object::new(ObjectKind::Group, locality));
        }
    }
    parts.retain(|part| !part.pus.is_empty());
    parts.sort_by_key(|part| (std::cmp::Reverse(part.pus.len()), part.rank(), part.pus.first()));
    let mut root = Object::new(ObjectKind::Machine, machine.pus.iter().map(|pu| pu.id).collect());
    for part in parts {
        let is_root = matches!(part.kind, ObjectKind::Group) && part.pus == root.pus;
        if !is_root && root.fits(&part.pus, MOST_LEVELS) {
            root.insert(part);
        }
    }
    for node in &machine.nodes {
        root.holder(&locality(machine, node)).memory.push(node);
    }
    root.sort();
    root
}

fn dies(machine: &Machine) -> Vec<Object<'_>> {
    let numbered: BTreeSet<_> =
        machine.cores.iter().filter_map(|core| Some((core.package, core.die?))).collect();
    let members = |(package, die)| {
        let cores = machine.cores.iter().filter(move |core| (core.package, core.die) == (package, Some(die)));
        cores.flat_map(|core| core.pus.iter()).collect()
    };
    numbered.into_iter().map(|key| Object::new(ObjectKind::Die(key.1), members(key))).collect()
}

/// The PUs to which a node's memory is local: its own PUs or, for a node of memory alone, those of the nodes nearest to it
/// by HMAT, otherwise by distance. Without either, all PUs.
///
/// The nearest initiators of any kind (`access0`) may be generic ones without PUs. The nearest CPUs (`access1`) therefore
/// take precedence, as in hwloc.
pub(super) fn locality(machine: &Machine, node: &NumaNode) -> PuSet {
    if !node.pus.is_empty() {
        return node.pus.clone();
    }
    let pus_of = |nodes: &[NodeId]| -> PuSet {
        nodes.iter().filter_map(|&id| machine.node(id)).flat_map(|node| node.pus.iter()).collect()
    };
    let by_hmat = [AccessClass::NearestCpu, AccessClass::Nearest].into_iter().flat_map(|class| {
        let of_class = move |access: &&NodeAccess| access.target == node.id && access.class == class;
        machine.access.iter().filter(of_class).map(|access| pus_of(&access.initiators))
    });
    let everything = || machine.pus.iter().map(|pu| pu.id).collect();
    by_hmat.chain([pus_of(&nearest(machine, node))]).find(|pus| !pus.is_empty()).unwrap_or_else(everything)
}

fn nearest(machine: &Machine, target: &NumaNode) -> Vec<NodeId> {
    let Some(distances) = &machine.distances else { return Vec::new() };
    let initiators = machine.nodes.iter().filter(|node| !node.pus.is_empty());
    let distance = |node: &NumaNode| distances.get(node.id, target.id);
    let least = initiators.clone().filter_map(distance).min();
    initiators.filter(|node| distance(node) == least).map(|node| node.id).collect()
}
