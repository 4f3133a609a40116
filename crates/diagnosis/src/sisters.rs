//! Which pairs of nodes are comparable, and which values among comparable ones are odd.

use std::collections::{BTreeMap, BTreeSet};

use zerohop_machine::NodeId;
use zerohop_result::{Cell, Estimate, Measure, Query};

use crate::experiments::LATENCY_MATRIX;
use crate::facts::Facts;

/// Two nodes, the lower first.
pub(crate) type Couple = (NodeId, NodeId);

/// Latencies farther apart than this share belong to pairs of different kinds.
const GAP: f64 = 0.12;

/// A value this many times farther from the usual one than comparable values commonly are (their median absolute deviation,
/// scaled to the standard deviation of a normal distribution) is no part of their spread.
const BEYOND_THE_SPREAD: f64 = 3.0 * 1.4826;

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
    let package = |node: NodeId| {
        let pus = &facts.machine().pus;
        pus.iter().find(|pu| pu.node == node).map(|pu| pu.package)
    };
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
    for (value, couple) in known {
        match groups.last_mut() {
            Some(group) if value <= before * (1.0 + GAP) => group.push(couple),
            _ => groups.push(vec![couple]),
        }
        before = value;
    }
    let nodes: BTreeSet<NodeId> = couples.iter().flat_map(|(one, other)| [*one, *other]).collect();
    let is_regular = |group: &Vec<Couple>| {
        let partners =
            |node: &NodeId| group.iter().filter(|(one, other)| one == node || other == node).count();
        nodes.iter().map(partners).collect::<BTreeSet<usize>>().len() == 1
    };
    let (regular, odd): (Vec<_>, Vec<_>) = groups.into_iter().partition(is_regular);
    let rest: Vec<Couple> = odd.into_iter().flatten().collect();
    regular.into_iter().chain((!rest.is_empty()).then_some(rest)).collect()
}

/// A value among comparable ones.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Valued<'a, K> {
    pub(crate) key: K,
    pub(crate) cell: &'a Cell,
}

/// Those that are worse than usual, and what is usual.
pub(crate) struct Odd<'a, K> {
    pub(crate) usual: Estimate,
    pub(crate) odd: Vec<Valued<'a, K>>,
}

/// The values that are worse than the usual one by `least`, if they are few enough to be exceptions: at most `share` of all.
/// `None` if there is nothing to compare.
pub(crate) fn odd_ones<'a, K: Copy>(values: &[Valued<'a, K>], least: f64, share: f64) -> Option<Odd<'a, K>> {
    let measure = values.first()?.cell.measure;
    let larger = measure.larger_is_better();
    // The best first.
    let mut sorted: Vec<Estimate> = values.iter().map(|value| value.cell.estimate).collect();
    sorted.sort_by(|one, other| {
        let order = one.median.total_cmp(&other.median);
        if larger { order.reverse() } else { order }
    });
    let usual = match sorted.len() {
        0 | 1 => return None,
        // Of two, the better one shows what is possible.
        2 => sorted[0],
        // If every second one may be odd, the better half shows what is usual.
        count if share >= 0.5 => sorted[(count - 1) / 4],
        count => sorted[(count - 1) / 2],
    };
    let mut spread: Vec<f64> = sorted.iter().map(|value| (value.median - usual.median).abs()).collect();
    spread.sort_by(f64::total_cmp);
    let spread = if sorted.len() > 3 && share < 0.5 { spread[spread.len() / 2] } else { 0.0 };
    let is_odd = |value: &&Valued<'a, K>| {
        let found = value.cell.estimate;
        let worse = if larger { found.median < usual.median } else { found.median > usual.median };
        let beyond = (found.median - usual.median).abs() > BEYOND_THE_SPREAD * spread;
        worse
            && beyond
            && (found.median / usual.median - 1.0).abs() >= least
            && apart(found, usual) != Some(false)
    };
    let odd: Vec<Valued<'a, K>> = values.iter().filter(is_odd).copied().collect();
    let most = ((values.len() as f64 * share) as usize).max(1);
    Some(Odd { usual, odd: if odd.len() > most { Vec::new() } else { odd } })
}

/// Whether the intervals of two values leave no doubt about which is larger; `None` if neither has one.
pub(crate) fn apart(one: Estimate, other: Estimate) -> Option<bool> {
    let without = |value: Estimate| value.low >= value.high;
    if without(one) && without(other) {
        return None;
    }
    Some(one.high < other.low || other.high < one.low)
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
        // Without latencies, nothing tells them apart.
        assert_eq!(split(all.clone(), |_| None), [all]);
    }
}
