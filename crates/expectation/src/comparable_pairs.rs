//! Determines which pairs of nodes are comparable.

use std::collections::{BTreeMap, BTreeSet};

use zerohop_machine::{Machine, NodeId, PackageId};
use zerohop_result::{Measure, ResultFile};

/// Two nodes, the lower first.
pub type Couple = (NodeId, NodeId);

/// Latencies farther apart than this share belong to pairs of different kinds.
const GAP: f64 = 0.12;

/// The same for the widest gap alone, where no gap is as wide.
const NARROW_GAP: f64 = 0.05;

/// The nodes of a result, by what makes pairs of them comparable. Pages, expectations and rules all ask here.
#[derive(Debug)]
pub struct ComparablePairs<'a> {
    machine: &'a Machine,
    /// Nodes that have CPUs: as the machine says, or as its cells show.
    with_cpus: BTreeSet<NodeId>,
    /// The package of each node, which is that of its first PU.
    packages: BTreeMap<NodeId, PackageId>,
    /// The idle latency of a couple, in its better direction.
    latencies: BTreeMap<Couple, f64>,
}

/// Properties that comparable pairs of initiator and target share.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PairKind {
    /// The firmware's distance, if it has one; zero for a node and its own memory.
    distance: Option<u32>,
    initiator: Size,
    target: Size,
    /// The group of its couple, if both nodes have CPUs: other groups have another package or a longer way.
    group: Option<usize>,
}

/// The size of a node. Nodes of different sizes are not comparable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Size {
    pus: usize,
    has_memory: bool,
}

impl<'a> ComparablePairs<'a> {
    pub fn of(file: &'a ResultFile) -> Self {
        let machine = &file.machine;
        let mut with_cpus: BTreeSet<NodeId> =
            machine.nodes.iter().filter(|node| !node.pus.is_empty()).map(|node| node.id).collect();
        // Other tools' texts seldom list CPUs.
        if with_cpus.is_empty() {
            let cells = file.experiments.iter().flat_map(|experiment| experiment.cells.iter());
            with_cpus =
                cells.filter_map(|cell| cell.at.between_nodes()).map(|(initiator, _)| initiator).collect();
        }
        let mut packages = BTreeMap::new();
        for pu in &machine.pus {
            packages.entry(pu.node).or_insert(pu.package);
        }
        Self { machine, with_cpus, packages, latencies: latencies(file) }
    }

    pub fn has_cpus(&self, node: NodeId) -> bool {
        self.with_cpus.contains(&node)
    }

    /// Nodes that have CPUs.
    pub fn initiators(&self) -> impl Iterator<Item = NodeId> {
        self.with_cpus.iter().copied()
    }

    /// Whether two nodes are known to be in one package.
    pub fn in_one_package(&self, (one, other): Couple) -> bool {
        let package = |node: NodeId| self.packages.get(&node);
        package(one).is_some() && package(one) == package(other)
    }

    /// Couples of nodes with CPUs, in groups of comparable ones.
    pub fn groups(&self, couples: BTreeSet<Couple>) -> Vec<Vec<Couple>> {
        let with_cpus = |(one, other): &Couple| self.has_cpus(*one) && self.has_cpus(*other);
        let couples: Vec<Couple> = couples.into_iter().filter(with_cpus).collect();
        let nodes: BTreeSet<NodeId> = couples.iter().flat_map(|(one, other)| [*one, *other]).collect();
        let is_whole = nodes == self.with_cpus;
        let mut kinds: BTreeMap<_, Vec<Couple>> = BTreeMap::new();
        for couple in couples {
            let mut sizes = [self.size(couple.0), self.size(couple.1)];
            sizes.sort_unstable();
            let kind = (self.distance(couple), sizes, self.in_one_package(couple));
            kinds.entry(kind).or_default().push(couple);
        }
        let latency = |couple: &Couple| self.latencies.get(couple).copied();
        kinds.into_values().flat_map(|couples| split(couples, latency, is_whole)).collect()
    }

    /// The kind of each of these pairs of an initiator and a target.
    pub(crate) fn kinds(&self, pairs: BTreeSet<(NodeId, NodeId)>) -> BTreeMap<(NodeId, NodeId), PairKind> {
        let couples = pairs.iter().filter(|(from, to)| from != to).map(couple).collect();
        let mut group_of = BTreeMap::new();
        for (index, group) in self.groups(couples).into_iter().enumerate() {
            group_of.extend(group.into_iter().map(|couple| (couple, index)));
        }
        let kind = |pair: (NodeId, NodeId)| PairKind {
            distance: self.distance(pair),
            initiator: self.size(pair.0),
            target: self.size(pair.1),
            group: group_of.get(&couple(&pair)).copied(),
        };
        pairs.into_iter().map(|pair| (pair, kind(pair))).collect()
    }

    fn distance(&self, (initiator, target): (NodeId, NodeId)) -> Option<u32> {
        match self.machine.distances.as_ref() {
            _ if initiator == target => Some(0),
            Some(distances) => distances.get(initiator, target),
            None => None,
        }
    }

    fn size(&self, node: NodeId) -> Size {
        let node = self.machine.node(node);
        Size {
            pus: node.map_or(0, |node| node.pus.len()),
            has_memory: node.is_some_and(|node| node.memory.get() > 0),
        }
    }
}

fn couple(&(one, other): &(NodeId, NodeId)) -> Couple {
    (one.min(other), one.max(other))
}

/// The idle latencies of a result between two nodes. A doubtful one counts where there is no other: it shows the way well enough.
fn latencies(file: &ResultFile) -> BTreeMap<Couple, f64> {
    let matrix = || file.experiments.iter().filter(|result| result.experiment.as_str() == "latency-matrix");
    let of = |doubtful: bool| {
        let cells = matrix().flat_map(|result| result.cells.iter());
        let mut latencies: BTreeMap<Couple, f64> = BTreeMap::new();
        for cell in cells.filter(|cell| cell.measure == Measure::Latency && cell.is_doubtful() == doubtful) {
            let Some(pair) = cell.at.between_nodes().filter(|_| cell.at.is_whole()) else { continue };
            let latency = cell.estimate.median;
            latencies.entry(couple(&pair)).and_modify(|least| *least = least.min(latency)).or_insert(latency);
        }
        latencies
    };
    let mut latencies = of(true);
    latencies.extend(of(false));
    latencies
}

/// The fewest nodes whose couples show by themselves whether one has lost its link: three in a row are as sound as three in a ring that lost one.
const FEWEST: usize = 4;

/// Splits couples where their latencies leave a gap, if that tells two kinds of way apart rather than a fault: each node of a sound
/// machine has as many partners of a kind as every other node. Of a part of the machine's nodes (not `is_whole`), or of three, that does not hold:
/// each gap then parts two kinds. Nor can two couples of a part be compared: their links may carry different traffic of the nodes that are missing.
fn split(couples: Vec<Couple>, latency: impl Fn(&Couple) -> Option<f64>, is_whole: bool) -> Vec<Vec<Couple>> {
    let mut known: Vec<(f64, Couple)> =
        couples.iter().filter_map(|couple| Some((latency(couple)?, *couple))).collect();
    if known.is_empty() {
        return vec![couples];
    }
    known.sort_by(|one, other| one.0.total_cmp(&other.0));
    let mut groups: Vec<Vec<Couple>> = Vec::new();
    let mut before = f64::NAN;
    for &(value, couple) in &known {
        match groups.last_mut() {
            Some(group) if value <= before * (1.0 + GAP) => group.push(couple),
            _ => groups.push(vec![couple]),
        }
        before = value;
    }
    if groups.len() == 1 {
        groups = at_widest_gap(&known);
    }
    let nodes: BTreeSet<NodeId> = couples.iter().flat_map(|(one, other)| [*one, *other]).collect();
    if is_whole && nodes.len() >= FEWEST {
        restore_downed_links(&mut groups, &nodes);
        let (regular, odd): (Vec<_>, Vec<_>) =
            groups.into_iter().partition(|group| is_regular(group, &nodes));
        groups = regular;
        groups.push(odd.into_iter().flatten().collect());
    }
    groups.push(couples.into_iter().filter(|couple| latency(couple).is_none()).collect());
    groups.retain(|group| !group.is_empty());
    if is_whole { groups } else { groups.into_iter().flat_map(unless_two).collect() }
}

/// A group, or each of only two couples by itself.
fn unless_two(group: Vec<Couple>) -> Vec<Vec<Couple>> {
    if group.len() == 2 { group.into_iter().map(|couple| vec![couple]).collect() } else { vec![group] }
}

/// With how many nodes each node is coupled.
fn partners(group: &[Couple], nodes: &BTreeSet<NodeId>) -> BTreeMap<NodeId, usize> {
    let mut partners: BTreeMap<NodeId, usize> = nodes.iter().map(|node| (*node, 0)).collect();
    for node in group.iter().flat_map(|(one, other)| [one, other]) {
        *partners.entry(*node).or_default() += 1;
    }
    partners
}

/// Whether each node has as many partners in a group as every other one.
fn is_regular(group: &[Couple], nodes: &BTreeSet<NodeId>) -> bool {
    partners(group, nodes).into_values().collect::<BTreeSet<usize>>().len() <= 1
}

/// Moves a couple to its sisters whose link is down: two nodes have one partner less than all others in a group, and are a couple of a
/// farther one. A couple without which its own group would be irregular belongs there: the nodes in the middle of two rows have no
/// partner at two steps, and lose none.
fn restore_downed_links(groups: &mut Vec<Vec<Couple>>, nodes: &BTreeSet<NodeId>) {
    for rank in 0..groups.len() {
        let counts = partners(&groups[rank], nodes);
        let most = counts.values().copied().max().unwrap_or(0);
        let fewer: Vec<(NodeId, usize)> = counts.into_iter().filter(|(_, count)| *count < most).collect();
        let &[(one, of_one), (other, of_other)] = fewer.as_slice() else { continue };
        if of_one + 1 != most || of_other + 1 != most {
            continue;
        }
        let couple = (one.min(other), one.max(other));
        let (near, far) = groups.split_at_mut(rank + 1);
        let Some(farther) = far.iter_mut().find(|group| group.contains(&couple)) else { continue };
        let rest: Vec<Couple> = farther.iter().copied().filter(|of| *of != couple).collect();
        if is_regular(farther, nodes) && !is_regular(&rest, nodes) {
            continue;
        }
        *farther = rest;
        near[rank].push(couple);
    }
    groups.retain(|group| !group.is_empty());
}

/// Couples by latency, parted where the gap between two is widest: noise narrows the gap between two kinds.
fn at_widest_gap(known: &[(f64, Couple)]) -> Vec<Vec<Couple>> {
    let gap = |rank: usize| known[rank].0 / known[rank - 1].0 - 1.0;
    let widest = (1..known.len()).max_by(|one, other| gap(*one).total_cmp(&gap(*other)));
    let couples = |known: &[(f64, Couple)]| known.iter().map(|(_, couple)| *couple).collect();
    match widest.filter(|rank| gap(*rank) > NARROW_GAP) {
        Some(rank) => vec![couples(&known[..rank]), couples(&known[rank..])],
        None => vec![couples(known)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn couples(of: &[(u32, u32)]) -> Vec<Couple> {
        of.iter().map(|&(one, other)| (NodeId(one), NodeId(other))).collect()
    }

    #[test]
    fn neighbors_and_diagonals_of_a_square_are_two_kinds() {
        let all = couples(&[(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]);
        let square = |couple: &Couple| Some(if couple.0.0 + couple.1.0 == 3 { 160.0 } else { 120.0 });
        let groups = split(all, square, true);
        assert_eq!(groups.iter().map(Vec::len).collect::<Vec<_>>(), [4, 2]);
    }

    #[test]
    fn a_pair_that_goes_a_longer_way_stays_among_its_sisters() {
        let all = couples(&[(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]);
        let one_far = |couple: &Couple| Some(if *couple == (NodeId(0), NodeId(1)) { 190.0 } else { 130.0 });
        assert_eq!(split(all.clone(), one_far, true).len(), 1);
        // Where diagonals are a kind of their own, the long way is among the neighbors.
        let square = |couple: &Couple| match (couple.0.0, couple.1.0) {
            (0, 1) => Some(200.0),
            (0, 3) | (1, 2) => Some(160.0),
            _ => Some(120.0),
        };
        let groups = split(all.clone(), square, true);
        assert!(groups.contains(&couples(&[(0, 3), (1, 2)])), "{groups:?}");
        assert_eq!(groups.iter().map(Vec::len).max(), Some(4));
        // Each of eight nodes has three neighbors; two of them have lost each other.
        let near =
            [(0, 1), (0, 2), (0, 4), (1, 3), (1, 5), (2, 3), (2, 6), (3, 7), (4, 5), (4, 6), (5, 7), (6, 7)];
        let every: Vec<(u32, u32)> =
            (0..8).flat_map(|one| (one + 1..8).map(move |other| (one, other))).collect();
        let cube = |couple: &Couple| match (couple.0.0, couple.1.0) {
            (1, 3) => Some(230.0),
            couple if near.contains(&couple) => Some(130.0),
            _ => Some(180.0),
        };
        let groups = split(couples(&every), cube, true);
        assert_eq!(groups.iter().map(Vec::len).collect::<Vec<_>>(), [12, 16]);
        assert!(groups[0].contains(&(NodeId(1), NodeId(3))), "{groups:?}");
        // Two rows of three nodes: those in the middle are two steps from nobody in their row.
        let all: Vec<(u32, u32)> =
            (0..6).flat_map(|one| (one + 1..6).map(move |other| (one, other))).collect();
        let rows = |couple: &Couple| match (couple.0.0, couple.1.0) {
            (0, 2) | (3, 5) => Some(143.0),
            (one, other) if one / 3 == other / 3 => Some(121.0),
            (one, other) => Some(225.0 + 22.0 * f64::from((one % 3).abs_diff(other % 3))),
        };
        let groups = split(couples(&all), rows, true);
        let across =
            |group: &Vec<Couple>| group.iter().filter(|(one, other)| one.0 / 3 != other.0 / 3).count();
        assert!(groups.iter().all(|group| [0, group.len()].contains(&across(group))), "{groups:?}");
        // Noise of 5 % leaves a gap of 7 %.
        let noisy = |couple: &Couple| {
            Some(if couple.0.0 + couple.1.0 == 3 { 172.0 } else { 160.0 - 4.0 * f64::from(couple.1.0) })
        };
        let all = couples(&[(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]);
        assert_eq!(split(all.clone(), noisy, true).len(), 2);
        // Three of a ring's nodes are in a row.
        let row = |couple: &Couple| Some(if couple.1.0 - couple.0.0 == 2 { 143.0 } else { 121.0 });
        let three = couples(&[(0, 1), (0, 2), (1, 2)]);
        assert_eq!(split(three.clone(), row, true).iter().map(Vec::len).collect::<Vec<_>>(), [2, 1]);
        // Of a larger machine, two couples have no third that decides between them.
        assert_eq!(split(three, row, false).iter().map(Vec::len).collect::<Vec<_>>(), [1, 1, 1]);
        // A couple without a latency keeps none of the others together.
        let square_but_one =
            |couple: &Couple| (couple.0.0 + couple.1.0 != 4).then(|| noisy(couple)).flatten();
        assert_eq!(split(all.clone(), square_but_one, true).iter().map(Vec::len).max(), Some(3));
        // Without latencies, nothing tells them apart.
        assert_eq!(split(all.clone(), |_| None, true), [all]);
    }
}
