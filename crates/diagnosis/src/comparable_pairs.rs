//! Which pairs of nodes are comparable.

use std::collections::{BTreeMap, BTreeSet};

use zerohop_machine::NodeId;
use zerohop_result::{Measure, Query};

use crate::experiments::LATENCY_MATRIX;
use crate::facts::Facts;

/// Two nodes, the lower first.
pub(crate) type Couple = (NodeId, NodeId);

/// Latencies farther apart than this share belong to pairs of different kinds.
const GAP: f64 = 0.12;

/// The same for the widest gap alone, where no gap is as wide.
const NARROW_GAP: f64 = 0.05;

/// What comparable couples have in common: the firmware's distance, the CPUs of both nodes, and whether they are in one package.
type Kind = (Option<u32>, [Option<usize>; 2], bool);

/// Couples of nodes with CPUs, in groups of comparable ones.
pub(crate) fn comparable(facts: &Facts<'_>, couples: BTreeSet<Couple>) -> Vec<Vec<Couple>> {
    let mut kinds: BTreeMap<Kind, Vec<Couple>> = BTreeMap::new();
    for couple in couples.into_iter().filter(|(one, other)| facts.has_cpus(*one) && facts.has_cpus(*other)) {
        let distances = facts.machine().distances.as_ref();
        let distance = distances.and_then(|distances| distances.get(couple.0, couple.1));
        let mut sizes = [facts.pus(couple.0), facts.pus(couple.1)];
        sizes.sort_unstable();
        kinds.entry((distance, sizes, same_package(facts, couple))).or_default().push(couple);
    }
    let latency = facts.pairs(LATENCY_MATRIX, &Query::of(Measure::Latency)).ok();
    let of_couple = |couple: &Couple| {
        let latency = latency.as_ref()?;
        let both = [latency.get(couple.0, couple.1), latency.get(couple.1, couple.0)];
        both.into_iter().flatten().reduce(f64::min)
    };
    kinds.into_values().flat_map(|couples| split(couples, of_couple)).collect()
}

/// Whether two nodes are known to be in one package.
pub(crate) fn same_package(facts: &Facts<'_>, (one, other): Couple) -> bool {
    let package = |node: NodeId| facts.packages.get(&node);
    package(one).is_some() && package(one) == package(other)
}

/// Splits couples where their latencies leave a gap, if that tells two kinds of way apart rather than a fault: each node of a sound
/// machine has as many partners of a kind as every other node.
fn split(couples: Vec<Couple>, latency: impl Fn(&Couple) -> Option<f64>) -> Vec<Vec<Couple>> {
    let known: Option<Vec<(f64, Couple)>> =
        couples.iter().map(|couple| Some((latency(couple)?, *couple))).collect();
    let Some(mut known) = known else { return vec![couples] };
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
    take_back(&mut groups, &nodes);
    let (regular, odd): (Vec<_>, Vec<_>) = groups.into_iter().partition(|group| is_regular(group, &nodes));
    let rest: Vec<Couple> = odd.into_iter().flatten().collect();
    regular.into_iter().chain((!rest.is_empty()).then_some(rest)).collect()
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
fn take_back(groups: &mut Vec<Vec<Couple>>, nodes: &BTreeSet<NodeId>) {
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
        let groups = split(all, square);
        assert_eq!(groups.iter().map(Vec::len).collect::<Vec<_>>(), [4, 2]);
    }

    #[test]
    fn a_pair_that_goes_a_longer_way_stays_among_its_sisters() {
        let all = couples(&[(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]);
        let one_far = |couple: &Couple| Some(if *couple == (NodeId(0), NodeId(1)) { 190.0 } else { 130.0 });
        assert_eq!(split(all.clone(), one_far).len(), 1);
        // Where diagonals are a kind of their own, the long way is among the neighbors.
        let square = |couple: &Couple| match (couple.0.0, couple.1.0) {
            (0, 1) => Some(200.0),
            (0, 3) | (1, 2) => Some(160.0),
            _ => Some(120.0),
        };
        let groups = split(all.clone(), square);
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
        let groups = split(couples(&every), cube);
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
        let groups = split(couples(&all), rows);
        let across =
            |group: &Vec<Couple>| group.iter().filter(|(one, other)| one.0 / 3 != other.0 / 3).count();
        assert!(groups.iter().all(|group| [0, group.len()].contains(&across(group))), "{groups:?}");
        // Noise of 5 % leaves a gap of 7 %.
        let noisy = |couple: &Couple| {
            Some(if couple.0.0 + couple.1.0 == 3 { 172.0 } else { 160.0 - 4.0 * f64::from(couple.1.0) })
        };
        let all = couples(&[(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]);
        assert_eq!(split(all.clone(), noisy).len(), 2);
        // Without latencies, nothing tells them apart.
        assert_eq!(split(all.clone(), |_| None), [all]);
    }
}
