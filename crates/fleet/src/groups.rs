//! Groups of machines that should be alike.

use std::collections::BTreeMap;

use super::parts::{Build, NOT_SHOWN, Part, Parts, Shortfall, is_about};
use super::roster::{Member, Roster};
use super::{Fact, Odd};

/// Facts that machines of a kind have in common.
pub(super) const KIND: [&str; 2] = ["processor", "packages"];

/// Facts that machines of a kind usually have in common, too: they split a kind if both parts are large and may have been bought as such; otherwise,
/// a difference is odd.
pub(super) const BUILD: [&str; 2] = ["nodes and cores", "DIMMs"];

/// A part of a kind may be one of its own from this share of it on, and this number of nodes.
const OF_ITS_OWN: (f64, usize) = (0.2, 5);

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum GroupBy {
    /// Processors; and nodes, cores and DIMMs where many differ.
    #[default]
    Kind,
    /// These facts, and nothing else.
    Facts(Vec<String>),
}

/// No machine has a fact of this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no node has a fact `{name}`")]
pub struct UnknownFact {
    pub name: String,
    /// Known facts.
    pub known: Vec<String>,
}

/// Machines that should be alike.
pub(super) struct Group {
    pub(super) kind: Vec<Fact>,
    /// Their numbers, ascending.
    pub(super) members: Vec<usize>,
    pub(super) odd: Vec<Odd>,
    /// Usual amount of each part.
    pub(super) usual: Parts,
    /// Whether most of them have that.
    most: bool,
}

impl Group {
    /// Parts of which members have less than usual, by number of the member. If no more than half have the usual amount, only amounts that nobody
    /// buys count.
    pub(super) fn shortfalls(&self, roster: &Roster) -> BTreeMap<usize, Vec<Shortfall>> {
        let build = |number: &usize| (*number, &roster.members[*number].build);
        let counts = |(_, build): &(usize, &Build)| self.most || !build.may_be_bought(&self.usual);
        let all = self.members.iter().map(build).filter(counts);
        let mut lost: BTreeMap<usize, Vec<Shortfall>> = all
            .map(|(number, build)| (number, build.parts.short_of(&self.usual)))
            .filter(|(_, lost)| !lost.is_empty())
            .collect();
        // Without root no DIMMs show, and machines with less memory are no build of their own: they may be a configuration all the same.
        let least = least(self.members.len());
        let of_memory = |number: usize, lost: &[Shortfall]| match lost {
            [one] if one.part == Part::Memory && roster.members[number].build.is_even => Some(one.found),
            _ => None,
        };
        let less: Vec<u64> = lost.iter().filter_map(|(number, lost)| of_memory(*number, lost)).collect();
        lost.retain(|number, lost| match of_memory(*number, lost) {
            Some(found) => less.iter().filter(|other| is_about(**other, found)).count() < least,
            None => true,
        });
        lost
    }
}

/// The number of machines from which on a part of a kind may be one of its own.
fn least(members: usize) -> usize {
    OF_ITS_OWN.1.max((OF_ITS_OWN.0 * members as f64).ceil() as usize)
}

/// The groups of a roster, the largest first.
pub(super) fn groups(roster: &Roster, by: &GroupBy) -> Result<Vec<Group>, UnknownFact> {
    let everybody: Vec<usize> = (0..roster.len()).collect();
    let mut groups: Vec<Group> = match by {
        GroupBy::Facts(names) => {
            names.iter().try_for_each(|name| is_known(roster, name))?;
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            parts(roster, &everybody, &names)
                .into_iter()
                .map(|(kind, members)| plain(roster, kind, members))
                .collect()
        }
        GroupBy::Kind => parts(roster, &everybody, &KIND)
            .into_iter()
            .flat_map(|(kind, members)| of_a_kind(roster, &kind, &members))
            .collect(),
    };
    groups.sort_by(|one, other| other.members.len().cmp(&one.members.len()).then(one.kind.cmp(&other.kind)));
    Ok(groups)
}

fn plain(roster: &Roster, kind: Vec<Fact>, members: Vec<usize>) -> Group {
    let usual = usual_parts(roster, &members);
    Group { kind, members, odd: Vec::new(), usual, most: true }
}

fn usual_parts(roster: &Roster, members: &[usize]) -> Parts {
    Parts::usual(members.iter().map(|number| &roster.members[*number].build.parts))
}

fn is_known(roster: &Roster, name: &str) -> Result<(), UnknownFact> {
    if roster.members.iter().any(|member| member.fact(name).is_some()) {
        return Ok(());
    }
    let mut known: Vec<String> =
        roster.members.iter().flat_map(|member| member.facts.iter().map(|fact| fact.name.clone())).collect();
    known.sort_unstable();
    known.dedup();
    Err(UnknownFact { name: name.to_owned(), known })
}

/// Machines by the values of these facts.
fn parts(roster: &Roster, members: &[usize], names: &[&str]) -> BTreeMap<Vec<Fact>, Vec<usize>> {
    let mut parts: BTreeMap<Vec<Fact>, Vec<usize>> = BTreeMap::new();
    for &number in members {
        parts.entry(build_of(&roster.members[number], names)).or_default().push(number);
    }
    parts
}

fn build_of(member: &Member, names: &[&str]) -> Vec<Fact> {
    let fact = |name: &&str| Fact {
        name: (*name).to_owned(),
        value: member.fact(name).unwrap_or(NOT_SHOWN).to_owned(),
    };
    names.iter().map(fact).collect()
}

/// The groups within a kind: each build that many have and somebody may have bought, and with the most common one all others.
fn of_a_kind(roster: &Roster, kind: &[Fact], members: &[usize]) -> Vec<Group> {
    let least = least(members.len());
    let mut builds: Vec<(Vec<Fact>, Vec<usize>)> = parts(roster, members, &BUILD).into_iter().collect();
    // A build that is full and even is what others were before they lost something, if it is more than a few.
    let many = least.min(members.len().div_ceil(2));
    let rank = |(build, members): &(Vec<Fact>, Vec<usize>)| {
        let is_whole = members.len() >= many && may_be_bought(roster, members, &builds, many);
        (!is_whole, build.iter().any(|fact| fact.value == NOT_SHOWN), std::cmp::Reverse(members.len()))
    };
    let ranks: Vec<_> = builds.iter().map(rank).collect();
    let Some(first) = (0..builds.len()).min_by_key(|at| ranks[*at]) else { return Vec::new() };
    let (usual, first) = builds.remove(first);
    let usual_parts = usual_parts(roster, &first);
    let with = |build: Vec<Fact>| [kind, &build[..]].concat();
    let mut groups = Vec::new();
    let usual_count = first.len();
    let mut largest =
        Group { kind: with(usual.clone()), members: first, odd: Vec::new(), usual: usual_parts, most: true };
    let mut odd: BTreeMap<(Fact, String), Vec<usize>> = BTreeMap::new();
    for (build, members) in builds {
        let differing = |(fact, usual): &(&Fact, &Fact)| {
            fact.value != usual.value && fact.value != NOT_SHOWN && usual.value != NOT_SHOWN
        };
        let differing: Vec<(&Fact, &Fact)> = build.iter().zip(&usual).filter(differing).collect();
        let is_bought =
            members.iter().all(|number| roster.members[*number].build.may_be_bought(&largest.usual));
        if members.len() >= least && !differing.is_empty() && is_bought {
            groups.push(plain(roster, with(build), members));
            continue;
        }
        for (fact, usual) in differing {
            odd.entry((fact.clone(), usual.value.clone())).or_default().extend(&members);
        }
        largest.members.extend(members);
    }
    largest.members.sort_unstable();
    largest.most = 2 * usual_count > largest.members.len();
    let named = |((fact, usual), mut numbers): (_, Vec<usize>)| {
        numbers.sort_unstable();
        let nodes = numbers.into_iter().map(|number| roster.members[number].name.clone()).collect();
        Odd { fact, usual, nodes }
    };
    largest.odd = odd.into_iter().map(named).collect();
    groups.insert(0, largest);
    groups
}

/// Whether machines of a build may have been bought so, beside each other build that many have.
fn may_be_bought(
    roster: &Roster,
    members: &[usize],
    builds: &[(Vec<Fact>, Vec<usize>)],
    many: usize,
) -> bool {
    let others = builds.iter().filter(|(_, others)| others.len() >= many);
    let usual: Vec<Parts> = others.map(|(_, others)| usual_parts(roster, others)).collect();
    let build = |number: &usize| &roster.members[*number].build;
    members.iter().map(build).all(|build| usual.iter().all(|usual| build.may_be_bought(usual)))
}
