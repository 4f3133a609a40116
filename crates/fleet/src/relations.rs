//! Facts that distinguish bad machines from others.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

use zerohop_statistics::{Marked, discoveries};

use super::roster::Roster;
use super::{Fact, Relation};

/// Of the relations that are reported, the share that may be by chance.
const RISK: f64 = 0.05;

/// A relation is one of at least this many bad machines.
const FEWEST: usize = 2;

/// What is not shown of a relation's like.
const SHOWN: usize = 5;

/// A fact with more values than this share of the machines names machines.
const NAMES: f64 = 0.5;

/// What is counted of a fact's value.
#[derive(Debug, Clone, Copy, Default)]
struct Count {
    bad: usize,
    others: usize,
    /// Hash of the machines: equal for the same machines, and hardly ever for others.
    members: u64,
}

/// Facts that distinguish these machines from the others of the group, the best explanation first. Facts that are `known` to differ are omitted.
pub(super) fn relations(
    roster: &Roster,
    group: &[usize],
    bad: &HashSet<usize>,
    known: &[&str],
) -> Vec<Relation> {
    if bad.len() < FEWEST || bad.len() >= group.len() {
        return Vec::new();
    }
    let whole = Marked { with: 0, all: bad.len(), others_with: 0, others: group.len() - bad.len() };
    let mut candidates = candidates(roster, group, bad, whole);
    candidates.retain(|(relation, _)| !known.contains(&relation.fact.name.as_str()));
    let chances: Vec<f64> = candidates.iter().map(|(relation, _)| relation.chance).collect();
    let found = discoveries(&chances, chances.len(), RISK);
    let mut found = found.into_iter();
    candidates.retain(|_| found.next() == Some(true));
    candidates.sort_by(|(one, _), (other, _)| {
        let rank = other.effect.total_cmp(&one.effect);
        rank.then(one.without.cmp(&other.without)).then_with(|| one.fact.cmp(&other.fact))
    });
    let mut told: Vec<(Relation, u64)> = Vec::new();
    for (relation, members) in candidates {
        match told.iter().position(|(_, known)| *known == members) {
            Some(known) if told[known].0.same.len() < SHOWN => told[known].0.same.push(relation.fact),
            None if told.len() < SHOWN => told.push((relation, members)),
            _ => {}
        }
    }
    told.into_iter().map(|(relation, _)| relation).collect()
}

/// What could be told: that they have a value, or that they have another one.
fn candidates(roster: &Roster, group: &[usize], bad: &HashSet<usize>, whole: Marked) -> Vec<(Relation, u64)> {
    let mut facts: BTreeMap<&str, HashMap<&str, Count>> = BTreeMap::new();
    let mut everybody = 0_u64;
    for member in group {
        let mark = mark(*member);
        everybody = everybody.wrapping_add(mark);
        for fact in &roster.members[*member].facts {
            let count = facts.entry(&fact.name).or_default().entry(&fact.value).or_default();
            count.members = count.members.wrapping_add(mark);
            if bad.contains(member) {
                count.bad += 1;
            } else {
                count.others += 1;
            }
        }
    }
    let most = ((NAMES * group.len() as f64) as usize).max(FEWEST);
    let mut candidates = Vec::new();
    for (name, values) in facts.into_iter().filter(|(_, values)| values.len() <= most) {
        let several = values.len() > 2;
        for (value, count) in values {
            let fact = Fact { name: name.to_owned(), value: value.to_owned() };
            let with = Marked { with: count.bad, others_with: count.others, ..whole };
            let without =
                Marked { with: whole.all - count.bad, others_with: whole.others - count.others, ..whole };
            if with.with >= FEWEST && with.effect() > 0.0 {
                candidates.push((relation(fact, false, with), count.members));
            } else if several && without.with >= FEWEST && without.effect() > 0.0 {
                candidates.push((relation(fact, true, without), everybody.wrapping_sub(count.members)));
            }
        }
    }
    candidates
}

fn mark(member: usize) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one(member)
}

fn relation(fact: Fact, without: bool, marked: Marked) -> Relation {
    Relation {
        fact,
        without,
        bad: (marked.with, marked.all),
        others: (marked.others_with, marked.others),
        chance: marked.chance(),
        effect: marked.effect(),
        same: Vec::new(),
    }
}
