//! Determines which machines are bad, and where.

use std::collections::{BTreeMap, BTreeSet};

use zerohop_statistics::{Tail, discoveries, two_sided_quantile};

use super::columns::{Column, Entry};
use super::parts::Shortfall;
use super::roster::Roster;
use super::scope::{Scope, ScopeOf};
use super::{BadNode, Deficit, Usual};

/// The smallest loss that is worth naming a node for: less is what firmware, temperature and the order of pages do.
pub(super) const WORTH: f64 = 0.05;

/// The same of a single value: comparable pairs of nodes of healthy published runs differ by 6 % (docs/diagnosis.md), and one value in fifty is off by
/// 3 %, three times which comes up among the hundreds of values of a small fleet.
pub(super) const WORTH_ALONE: f64 = 0.09;

/// Of the deficits that are named, the share that may be by chance.
const RISK: f64 = 0.0002;

/// What a wider scope loses explains what a narrower one loses, if that is not this many times as much.
const EXPLAINED: f64 = 1.3;

/// What is reported of a node, at most.
const SHOWN: usize = 6;

/// A loss that may be more than chance.
struct Suspect<'a> {
    column: &'a Column,
    entry: Entry,
    loss: f64,
    chance: f64,
}

/// The bad ones of a group.
pub(super) struct Bad {
    /// Bad nodes, the largest loss first.
    pub(super) bad: Vec<BadNode>,
    /// Number of deficits that are named.
    pub(super) named: usize,
}

/// Bad nodes of a group: nodes that lose more than chance explains, and nodes that have lost parts.
pub(super) fn bad_nodes(roster: &Roster, columns: &[Column], lost: &BTreeMap<usize, Vec<Shortfall>>) -> Bad {
    let tests = columns.iter().map(|column| column.entries.len()).sum();
    let gross = gross(columns);
    let tails = [false, true].map(|of_cells| tail(columns, of_cells, &gross));
    let tail = |column: &Column| tails[usize::from(column.scope.is_cell())];
    let suspects: Vec<Suspect<'_>> =
        columns.iter().flat_map(|column| suspects(column, tail(column))).collect();
    let chances: Vec<f64> = suspects.iter().map(|suspect| suspect.chance).collect();
    let found = discoveries(&chances, tests, RISK);
    let named = found.iter().filter(|found| **found).count();
    let mut by_member: BTreeMap<usize, Vec<Suspect<'_>>> = BTreeMap::new();
    by_member.extend(lost.keys().map(|member| (*member, Vec::new())));
    for (suspect, _) in suspects.into_iter().zip(found).filter(|(_, found)| *found) {
        by_member.entry(suspect.entry.member).or_default().push(suspect);
    }
    let families = family_losses(columns, &by_member);
    let mut bad: Vec<BadNode> = by_member
        .into_iter()
        .map(|(member, suspects)| BadNode {
            node: roster.members[member].name.clone(),
            loss: loss_of(&suspects, &families, member),
            lost: lost.get(&member).cloned().unwrap_or_default(),
            deficits: deficits(suspects),
            since: None,
        })
        .collect();
    bad.sort_by(|one, other| other.loss.total_cmp(&one.loss).then_with(|| one.node.cmp(&other.node)));
    Bad { bad, named }
}

/// Machines that lose this share of a whole family: no noise does that. What goes wrong with them may make other values better, such as those of
/// the node that all data went to, which says nothing of chance.
const GROSS: f64 = 0.25;

fn gross(columns: &[Column]) -> BTreeSet<usize> {
    let families = columns.iter().filter(|column| column.scope.is_family());
    let loses = |column: &Column, entry: &&Entry| share(column.crowd.center - entry.value) >= GROSS;
    let entries = families.flat_map(|column| column.entries.iter().filter(move |entry| loses(column, entry)));
    entries.map(|entry| entry.member).collect()
}

/// How far chance goes in single values, or in families of them: as the better side of machines shows it that lose nothing gross.
fn tail(columns: &[Column], of_cells: bool, gross: &BTreeSet<usize>) -> Option<Tail> {
    let columns = || columns.iter().filter(move |column| column.scope.is_cell() == of_cells);
    let is_sound = |entry: &&Entry| !gross.contains(&entry.member);
    let sound =
        columns().flat_map(|column| column.entries.iter().filter(is_sound).map(|entry| -column.below(entry)));
    let all = columns().map(|column| column.entries.iter().filter(is_sound).count()).sum();
    Tail::of(sound.filter(|far| *far > 0.0).collect(), all)
}

fn suspects(column: &Column, tail: Option<Tail>) -> impl Iterator<Item = Suspect<'_>> {
    column.entries.iter().filter_map(move |entry| {
        let loss = share(column.crowd.center - entry.value);
        let worth = if column.scope.is_cell() { WORTH_ALONE } else { WORTH };
        (loss >= worth).then(|| {
            let of_tail = tail.map_or(0.0, |tail| tail.chance_of(column.below(entry)));
            let chance = column.crowd.chance_of(entry.value, entry.uncertainty).max(of_tail);
            Suspect { column, entry: *entry, loss, chance }
        })
    })
}

/// Loss, from the logarithm of the usual value over the found one.
pub(super) fn share(below: f64) -> f64 {
    1.0 - libm::exp(-below)
}

/// The average loss of suspected machines over each family.
fn family_losses(
    columns: &[Column],
    suspected: &BTreeMap<usize, Vec<Suspect<'_>>>,
) -> BTreeMap<(Scope, usize), f64> {
    let families = columns.iter().filter(|column| column.scope.is_family());
    let losses = families.flat_map(|column| {
        let own = column.entries.iter().filter(|entry| suspected.contains_key(&entry.member));
        own.map(|entry| ((column.scope.clone(), entry.member), share(entry.below)))
    });
    losses.collect()
}

/// What a program loses that uses all of one kind of accesses: the average over the family of the worst deficit's kind.
fn loss_of(suspects: &[Suspect<'_>], families: &BTreeMap<(Scope, usize), f64>, member: usize) -> f64 {
    let of = |suspect: &Suspect<'_>| {
        families.get(&(suspect.column.scope.family(), member)).copied().unwrap_or(suspect.loss)
    };
    suspects.iter().map(of).fold(0.0, f64::max)
}

/// Where a machine loses: what explains most first, and nothing that a wider scope explains.
fn deficits(mut suspects: Vec<Suspect<'_>>) -> Vec<Deficit> {
    suspects.sort_by(|one, other| {
        let rank = |suspect: &Suspect<'_>| (suspect.column.scope.is_family(), suspect.column.places);
        rank(other).cmp(&rank(one)).then(other.loss.total_cmp(&one.loss))
    });
    let mut told: Vec<Suspect<'_>> = Vec::new();
    for suspect in suspects {
        let explains = |wider: &Suspect<'_>| {
            let (wide, narrow) = (&wider.column.scope, &suspect.column.scope);
            let same = wide.measure == narrow.measure && wide.experiment == narrow.experiment;
            same && is_within(narrow, wide) && suspect.loss < EXPLAINED * wider.loss
        };
        if !told.iter().any(explains) {
            told.push(suspect);
        }
    }
    told.sort_by(|one, other| other.loss.total_cmp(&one.loss));
    let deficit = |Suspect { column, entry, loss, chance }: Suspect<'_>| Deficit {
        scope: column.scope.clone(),
        found: column.found(&entry),
        usual: column.shown(column.usual),
        loss,
        chance,
    };
    told.into_iter().take(SHOWN).map(deficit).collect()
}

/// Whether values of the narrower scope are among those of the wider one.
fn is_within(narrow: &Scope, wide: &Scope) -> bool {
    match (&narrow.of, &wide.of) {
        (ScopeOf::Cell(at), _) => {
            Scope::all_of(&narrow.experiment, narrow.measure, at).iter().any(|scope| scope == wide)
        }
        (ScopeOf::Target(_) | ScopeOf::Initiator(_), ScopeOf::Own | ScopeOf::Far) => true,
        (ScopeOf::Pair(..), ScopeOf::Far) => true,
        (ScopeOf::Pair(one, other), ScopeOf::Target(node) | ScopeOf::Initiator(node)) => {
            [one, other].contains(&node)
        }
        _ => false,
    }
}

/// Usual values of a group, family by family, if this many deficits are named.
pub(super) fn usual(columns: &[Column], named: usize) -> Vec<Usual> {
    let tests: usize = columns.iter().map(|column| column.entries.len()).sum();
    let families = columns.iter().filter(|column| column.scope.is_family());
    let usual = families.map(|column| Usual {
        scope: column.scope.clone(),
        value: column.shown(column.usual),
        spread: column.crowd.deviation,
        told: told(column, tests, named),
        nodes: column.entries.len(),
    });
    usual.collect()
}

/// Smallest loss that a column distinguishes from chance if this many values are tested and this many deficits named: the bound of Benjamini and
/// Hochberg, so that no named family lost less.
pub(super) fn told(column: &Column, tests: usize, named: usize) -> f64 {
    let risk = RISK * named.max(1) as f64 / tests.max(1) as f64;
    let quantile = two_sided_quantile(2.0 * risk, column.crowd.degrees);
    share(quantile * column.crowd.error(0.0)).max(WORTH)
}
