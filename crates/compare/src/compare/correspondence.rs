//! Finds which nodes and CPUs of two machines are alike, by their properties rather than by their numbers.

use std::collections::BTreeMap;

use zerohop_machine::{Machine, NodeId, NumaNode, PackageId, PuId};

/// No more correspondences than this are looked at.
const MOST: usize = 2000;

/// Steps of the search: symmetric machines of many nodes have more correspondences than anyone can look at.
const STEPS: usize = 200_000;

/// Nodes whose memory differs by more than this share are not alike. The kernel keeps a different part of each node's for itself.
const UNLIKE: f64 = 0.15;

/// For each node of the base, in its order, the rank of a node of the other machine.
pub(super) type Correspondence = Vec<usize>;

/// Additional constraints on correspondences.
pub(super) trait Guide {
    /// Whether these nodes may correspond at all.
    fn allows(&self, node: usize, partner: usize) -> bool;

    /// Whether they may if those two do.
    fn allows_beside(&self, one: (usize, usize), other: (usize, usize)) -> bool;
}

pub(super) struct Unguided;

impl Guide for Unguided {
    fn allows(&self, _: usize, _: usize) -> bool {
        true
    }

    fn allows_beside(&self, _: (usize, usize), _: (usize, usize)) -> bool {
        true
    }
}

/// Two machines whose nodes may correspond.
pub(super) struct Machines<'a> {
    base: Topology<'a>,
    other: Topology<'a>,
}

impl<'a> Machines<'a> {
    /// `None` if they have no nodes, or not as many.
    pub(super) fn new(base: &'a Machine, other: &'a Machine) -> Option<Self> {
        let alike = !base.nodes.is_empty() && base.nodes.len() == other.nodes.len();
        alike.then(|| Self { base: Topology::of(base), other: Topology::of(other) })
    }

    /// Correspondences in which nodes agree in their CPUs, memory, packages and distances, and satisfy the guide.
    pub(super) fn correspondences(&self, guide: &dyn Guide) -> Vec<Correspondence> {
        let count = self.base.nodes.len();
        let partners = |node: usize| -> Vec<usize> {
            let id = self.base.nodes[node].id;
            let (namesake, others): (Vec<usize>, Vec<usize>) =
                (0..count).partition(|&partner| self.other.nodes[partner].id == id);
            let candidates = namesake.into_iter().chain(others);
            candidates
                .filter(|&partner| self.are_alike(node, partner) && guide.allows(node, partner))
                .collect()
        };
        let mut open: Vec<(usize, Vec<usize>)> = (0..count).map(|node| (node, partners(node))).collect();
        // Those with the fewest choices first.
        open.sort_by_key(|(_, partners)| partners.len());
        let mut search = Search {
            machines: self,
            guide,
            open,
            taken: vec![false; count],
            pairs: Vec::new(),
            found: Vec::new(),
            steps: 0,
        };
        search.extend();
        search.found
    }

    /// The correspondence in which each node keeps its number, if it is one.
    pub(super) fn same_numbers(&self) -> Option<Correspondence> {
        let namesake = |node: &NumaNode| self.other.nodes.iter().position(|other| other.id == node.id);
        let same: Correspondence = self.base.nodes.iter().map(namesake).collect::<Option<_>>()?;
        let pairs: Vec<(usize, usize)> = same.iter().copied().enumerate().collect();
        let fits = |&one: &(usize, usize)| {
            self.are_alike(one.0, one.1) && pairs.iter().all(|other| self.are_related_alike(one, *other))
        };
        pairs.iter().all(fits).then_some(same)
    }

    fn are_alike(&self, node: usize, partner: usize) -> bool {
        let (one, another) = (&self.base.nodes[node], &self.other.nodes[partner]);
        let [one_memory, other_memory] = [one, another].map(|node| node.memory.get() as f64);
        let apart = (one_memory - other_memory).abs();
        one.pus.len() == another.pus.len() && apart <= UNLIKE * one_memory.max(other_memory)
    }

    /// Whether two nodes of the base are related as their partners are.
    fn are_related_alike(&self, one: (usize, usize), other: (usize, usize)) -> bool {
        let (base, partners) = ((one.0, other.0), (one.1, other.1));
        let as_far = || match (&self.base.distances, &self.other.distances) {
            (Some(ours), Some(theirs)) => {
                let back = |(from, to): (usize, usize)| (to, from);
                ours.of(base) == theirs.of(partners) && ours.of(back(base)) == theirs.of(back(partners))
            }
            _ => true,
        };
        self.base.share_a_package(base) == self.other.share_a_package(partners) && as_far()
    }

    /// The nodes of both in pairs.
    pub(super) fn pairs(&self, correspondence: &Correspondence) -> Vec<(NodeId, NodeId)> {
        let pairs = self.base.nodes.iter().zip(correspondence);
        pairs.map(|(node, &partner)| (node.id, self.other.nodes[partner].id)).collect()
    }
}

/// What relates the nodes of a machine, by their ranks.
struct Topology<'a> {
    nodes: &'a [NumaNode],
    packages: Vec<Option<PackageId>>,
    distances: Option<Distances>,
}

impl<'a> Topology<'a> {
    fn of(machine: &'a Machine) -> Self {
        let nodes = &machine.nodes;
        let package = |node: &NumaNode| machine.pu(node.pus.iter().next()?).map(|pu| pu.package);
        let distances = machine.distances.as_ref().map(|matrix| {
            let row = |from: &NumaNode| nodes.iter().map(|to| matrix.get(from.id, to.id)).collect();
            Distances(nodes.iter().map(row).collect())
        });
        Self { nodes, packages: nodes.iter().map(package).collect(), distances }
    }

    fn share_a_package(&self, (one, other): (usize, usize)) -> bool {
        self.packages[one].is_some() && self.packages[one] == self.packages[other]
    }
}

struct Distances(Vec<Vec<Option<u32>>>);

impl Distances {
    fn of(&self, (from, to): (usize, usize)) -> Option<u32> {
        self.0[from][to]
    }
}

struct Search<'a> {
    machines: &'a Machines<'a>,
    guide: &'a dyn Guide,
    /// Nodes of the base, each with the nodes that it may correspond to.
    open: Vec<(usize, Vec<usize>)>,
    taken: Vec<bool>,
    pairs: Vec<(usize, usize)>,
    found: Vec<Correspondence>,
    steps: usize,
}

impl Search<'_> {
    /// Pairs the next node of the base with each node that suits it.
    fn extend(&mut self) {
        let Some((node, partners)) = self.open.get(self.pairs.len()) else {
            let mut pairs = self.pairs.clone();
            pairs.sort_unstable();
            return self.found.push(pairs.into_iter().map(|(_, partner)| partner).collect());
        };
        let node = *node;
        for partner in partners.clone() {
            self.steps += 1;
            if self.steps > STEPS || self.found.len() >= MOST {
                return;
            }
            let pair = (node, partner);
            let suits = |other: &(usize, usize)| {
                self.machines.are_related_alike(pair, *other) && self.guide.allows_beside(pair, *other)
            };
            if !self.taken[partner] && suits(&pair) && self.pairs.iter().all(suits) {
                self.taken[partner] = true;
                self.pairs.push(pair);
                self.extend();
                self.pairs.pop();
                self.taken[partner] = false;
            }
        }
    }
}

/// CPUs of the other machine by those of the base, node by node: the n-th thread of the n-th core corresponds.
pub(super) fn cpus(base: &Machine, other: &Machine, pairs: &[(NodeId, NodeId)]) -> BTreeMap<PuId, PuId> {
    let ordered = |machine: &Machine, node: NodeId| -> Vec<PuId> {
        let cores = machine.cores.iter().flat_map(|core| core.pus.iter());
        cores.filter(|&pu| machine.pu(pu).is_some_and(|pu| pu.node == node)).collect()
    };
    let cpus = pairs.iter().flat_map(|&(one, another)| {
        let (ours, theirs) = (ordered(base, one), ordered(other, another));
        let alike = ours.len() == theirs.len();
        theirs.into_iter().zip(ours).filter(move |_| alike)
    });
    cpus.collect()
}
