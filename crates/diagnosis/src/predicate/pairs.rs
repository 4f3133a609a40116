//! Pairs of nodes against comparable pairs.

use std::collections::{BTreeMap, BTreeSet};

use zerohop_expectation::{Basis, Comparable, Couple, OddOnes, apart, odd_ones};
use zerohop_machine::NodeId;
use zerohop_result::{Cell, Estimate, Measure, Query};

use super::PredicateResult;
use super::nodes::{beside, shown};
use super::slow_readers::{self, Reader};
use crate::condition::Ways;
use crate::facts::{Facts, Pairs};
use crate::finding::Size;
use crate::noise::Noise;
use crate::test_outcome::{Match, TestOutcome};
use crate::words::{figure, percent, way};

/// Exceptions are at most this share of comparable pairs.
const SHARE: f64 = 0.25;

/// Comparable pairs of healthy machines differ by this share: by 6 % at most in published runs (docs/diagnosis.md), which is two deviations.
const SPREAD: f64 = 0.03;

/// The losses of a node whose CPUs read slowly differ by this share at most, as in the rule `cpus-of-a-node`.
const ALIKE: f64 = 0.09;

/// Pairs of nodes that do worse than comparable ones, in both directions or in one.
pub(crate) fn below_sisters(
    facts: &Facts<'_>,
    experiment: &str,
    query: &Query,
    least: f64,
    ways: Ways,
) -> PredicateResult {
    let pairs = facts.pairs(experiment, query)?;
    let mut couples = BTreeSet::new();
    for &(from, to) in pairs.cells.keys().filter(|(from, to)| from != to) {
        // One direction alone has no twin.
        if pairs.cells.contains_key(&(to, from)) {
            couples.insert((from.min(to), from.max(to)));
        }
    }
    let noise = Noise::of(facts).filter(|_| query.measure == Measure::Bandwidth);
    let has_intervals = pairs.cells.values().any(|cell| apart(cell.estimate, cell.estimate).is_some());
    let of_directions =
        noise.filter(|_| !has_intervals).map_or(least, |noise| noise.least_of_directions(least));
    let mut compared = false;
    let mut found = Vec::new();
    let (readers, packages) = match ways {
        Ways::Both => (Vec::new(), Packages::new()),
        Ways::One | Ways::OneOfShared => (slow_readers::readers(facts, &pairs), packages(&pairs)),
    };
    let directions = Directions { pairs: &pairs, readers: &readers, packages: &packages };
    let modeled = ModeledPairs::of(facts, &pairs);
    for group in facts.nodes.groups(couples) {
        let of_group = match ways {
            Ways::Both => bad_couples(&pairs, &modeled, &group, least, noise),
            Ways::One => Some(directions.bad(&group, of_directions, false)),
            Ways::OneOfShared => Some(directions.bad(&group, of_directions, true)),
        };
        compared |= of_group.is_some();
        found.extend(of_group.into_iter().flatten());
    }
    if compared {
        Ok(TestOutcome::of(found))
    } else {
        Err(format!("comparable pairs of nodes in {experiment}"))
    }
}

/// The values of pairs by a model of the machine, where there is one.
struct ModeledPairs(BTreeMap<(NodeId, NodeId), f64>);

impl ModeledPairs {
    fn of(facts: &Facts<'_>, pairs: &Pairs<'_>) -> Self {
        let Some(expectations) = facts.given.expectations else { return Self(BTreeMap::new()) };
        let by_place = expectations.by_place();
        let value = |cell: &Cell| {
            let expected = by_place.get(&(&pairs.experiment.experiment, cell.measure, &cell.at))?;
            let is_modeled = matches!(expected.expected.basis, Basis::Machine | Basis::Template);
            is_modeled.then_some(expected.expected.value)
        };
        Self(pairs.cells.iter().filter_map(|(pair, cell)| Some((*pair, value(cell)?))).collect())
    }

    /// Whether the model is worse at a couple than at the others of its group, too, by half of what was found or more: the machine is made so.
    fn explains(&self, couple: Couple, group: &[Couple], larger: bool, loss: f64) -> bool {
        let of = |&(one, other): &Couple| {
            let (there, back) = (self.0.get(&(one, other))?, self.0.get(&(other, one))?);
            Some(if larger { there.max(*back) } else { there.min(*back) })
        };
        let mut others: Vec<f64> = group.iter().filter(|other| **other != couple).filter_map(of).collect();
        others.sort_by(f64::total_cmp);
        let usual = others.get(others.len() / 2);
        usual.zip(of(&couple)).is_some_and(|(usual, value)| {
            let worse = if larger { 1.0 - value / usual } else { value / usual - 1.0 };
            worse >= 0.5 * loss
        })
    }
}

/// Couples whose better direction is worse than that of comparable couples.
fn bad_couples(
    pairs: &Pairs<'_>,
    modeled: &ModeledPairs,
    group: &[Couple],
    least: f64,
    noise: Option<Noise>,
) -> Option<Vec<Match>> {
    let better = |&(one, other): &Couple| {
        let (there, back) = (pairs.cells.get(&(one, other))?, pairs.cells.get(&(other, one))?);
        let larger = there.measure.larger_is_better();
        let first = (there.estimate.median >= back.estimate.median) == larger;
        Some(if first { *there } else { *back })
    };
    let values: Vec<Comparable<'_, Couple>> =
        group.iter().filter_map(|couple| Some(Comparable { key: *couple, cell: better(couple)? })).collect();
    let noise = noise
        .filter(|_| values.iter().all(|value| apart(value.cell.estimate, value.cell.estimate).is_none()));
    let at_least = noise.map_or(least, |noise| noise.least(least));
    let OddOnes { mut usual, mut odd, open } = odd_ones(&values, at_least, SHARE)?;
    let beside_open = usual;
    // Of two couples, the better one is the measure, unless its own directions contradict each other.
    if values.len() == 2
        && group.iter().any(|couple| {
            better(couple).is_some_and(|cell| cell.estimate == usual) && are_apart(pairs, *couple, least)
        })
    {
        return Some(Vec::new());
    }
    if odd.is_empty()
        && let Some((worst, next)) = outlier(&values, at_least)
    {
        (usual, odd) = (next, vec![worst]);
    } else if noise.is_some_and(Noise::is_large) {
        odd.retain(|one| outlier(&values, at_least).is_some_and(|(worst, _)| worst.key == one.key));
    }
    let place = |Comparable { key: (one, other), cell }: Comparable<'_, Couple>, usual: Estimate| {
        let size = Size::new(cell.measure, cell.estimate.median, usual.median);
        let mut place = at_pair(one, other, size, least).about([one, other]);
        for (from, to) in [(one, other), (other, one)] {
            let cell = pairs.cells[&(from, to)];
            place.evidence.push(shown(&pairs.experiment.experiment, &way(from, to), cell, usual.median));
        }
        place.apart = apart(cell.estimate, usual);
        place.sisters = Some(values.len() - 1);
        place.error = Some(noise.map_or(SPREAD, |noise| libm::hypot(SPREAD, noise.deviation)));
        place
    };
    let is_made_so = |one: &Comparable<'_, Couple>, usual: Estimate| {
        let loss = (one.cell.estimate.median / usual.median - 1.0).abs();
        modeled.explains(one.key, group, one.cell.measure.larger_is_better(), loss)
    };
    odd.retain(|one| !is_made_so(one, usual));
    let open = open.into_iter().filter(|one| !is_made_so(one, beside_open));
    let undecided = open.map(|one| place(one, beside_open));
    Some(odd.into_iter().map(|one| place(one, usual)).chain(undecided).collect())
}

/// Whether the directions of a couple differ by more than comparable values do.
fn are_apart(pairs: &Pairs<'_>, (one, other): Couple, least: f64) -> bool {
    let at = |from, to| pairs.cells.get(&(from, to)).map(|cell| cell.estimate.median);
    let ratio = at(one, other).zip(at(other, one)).map(|(there, back)| there.max(back) / there.min(back));
    ratio.is_some_and(|ratio| ratio > 1.0 + 2.0 * least)
}

/// The smallest of several bandwidths, and the next one, if it is below that by `least` and farther from the others than these lie apart: pairs that
/// seem comparable may be of several kinds, because of what else their links carry.
fn outlier<'a>(values: &[Comparable<'a, Couple>], least: f64) -> Option<(Comparable<'a, Couple>, Estimate)> {
    let mut sorted = values.to_vec();
    sorted.sort_by(|one, other| one.cell.estimate.median.total_cmp(&other.cell.estimate.median));
    let [worst, next, .., best] = sorted.as_slice() else { return None };
    let below = |one: &Comparable<'a, Couple>, other: &Comparable<'a, Couple>| {
        1.0 - one.cell.estimate.median / other.cell.estimate.median
    };
    let gap = below(worst, next);
    let is_clear = apart(worst.cell.estimate, next.cell.estimate) != Some(false);
    let is_bandwidth = worst.cell.measure == Measure::Bandwidth;
    (is_bandwidth && is_clear && gap >= least && gap >= below(next, best))
        .then_some((*worst, next.cell.estimate))
}

/// What directions are judged by.
struct Directions<'a, 'b> {
    pairs: &'b Pairs<'a>,
    readers: &'b [Reader<'a>],
    packages: &'b Packages,
}

/// The nodes that share all channels with a node, itself among them.
type Packages = BTreeMap<NodeId, BTreeSet<NodeId>>;

impl Directions<'_, '_> {
    /// Directions that are worse than their opposite, which is as good as comparable ones: those whose links other nodes use without a loss
    /// (`shared`), or all others.
    fn bad(&self, group: &[Couple], least: f64, shared: bool) -> Vec<Match> {
        let Self { pairs, readers, .. } = *self;
        let (mut found, mut undecided) = (Vec::new(), Vec::new());
        for &(one, other) in group {
            let (there, back) = (pairs.cells[&(one, other)], pairs.cells[&(other, one)]);
            let both =
                [Comparable { key: (one, other), cell: there }, Comparable { key: (other, one), cell: back }];
            let Some(OddOnes { usual, odd, open }) = odd_ones(&both, least, SHARE) else { continue };
            for Comparable { key: (from, to), cell } in odd.into_iter().chain(open) {
                if self.are_links_sound((from, to), usual.median, least) != shared {
                    continue;
                }
                let size = Size::new(cell.measure, cell.estimate.median, usual.median);
                // The memory of the target may be what is slow, or the CPUs that read. A latency does not tell.
                let is_slow_reader = slow_readers::is_slow(readers, from, 0.5 * least, ALIKE);
                let nodes = if cell.measure == Measure::Latency {
                    vec![from, to]
                } else {
                    vec![if is_slow_reader { from } else { to }]
                };
                let mut place = at_pair(from, to, size, least).about(nodes);
                let opposite = ("opposite direction", usual.median);
                place.evidence.push(beside(&pairs.experiment.experiment, &way(from, to), cell, opposite));
                place.apart = apart(cell.estimate, usual);
                place.sisters = Some(2 * group.len() - 1);
                let places = if place.apart == Some(false) { &mut undecided } else { &mut found };
                places.push(place);
            }
        }
        // A machine whose directions all differ is made so.
        let clear = if found.len() > (group.len() / 2).max(1) { Vec::new() } else { found };
        clear.into_iter().chain(undecided).collect()
    }

    /// Whether other nodes of the two packages lose nothing in that direction: they share the links between the packages.
    fn are_links_sound(&self, (from, to): Couple, usual: f64, least: f64) -> bool {
        let (Some(near), Some(far)) = (self.packages.get(&from), self.packages.get(&to)) else {
            return false;
        };
        let ways = near.iter().flat_map(|one| far.iter().map(move |other| (*one, *other)));
        let mut others = ways
            .filter(|way| *way != (from, to))
            .filter_map(|(one, other)| self.pairs.get(one, other))
            .peekable();
        near.is_disjoint(far) && others.peek().is_some() && others.all(|other| other >= (1.0 - least) * usual)
    }
}

/// Nodes of one package read each other's memory at no less than this share of what each reads of its own, where clusters share all channels.
const OF_A_PACKAGE: f64 = 0.9;

/// The packages of all nodes that read.
fn packages(pairs: &Pairs<'_>) -> Packages {
    let as_own = |one: NodeId, other: NodeId| {
        pairs.get(one, one).zip(pairs.get(one, other)).is_some_and(|(own, far)| far >= OF_A_PACKAGE * own)
    };
    let of = |node: NodeId| {
        let nodes = pairs.initiators.iter().copied();
        nodes.filter(|&other| other == node || as_own(node, other) && as_own(other, node)).collect()
    };
    pairs.initiators.iter().map(|&node| (node, of(node))).collect()
}

fn at_pair(from: NodeId, to: NodeId, size: Size, least: f64) -> Match {
    let names = BTreeMap::from([
        ("pair", format!("{} and {}", from.min(to), from.max(to))),
        ("from", from.to_string()),
        ("to", to.to_string()),
        ("found", figure(size.found, size.measure)),
        ("expected", figure(size.expected, size.measure)),
        ("loss", percent(size.loss)),
    ]);
    Match { names, size: Some(size), margin: size.loss / least, ..Match::default() }
}
