//! Which machines should be alike.

use std::collections::BTreeMap;

use super::roster::{Member, Roster};
use super::{Fact, Odd};

/// What a kind of machine has in common.
const KIND: [&str; 2] = ["processor", "packages"];

/// What machines of a kind usually have in common, too: it splits them where both parts are many, and is odd where few differ.
const BUILD: [&str; 2] = ["nodes and cores", "DIMMs"];

/// A part of a kind is one of its own from this share of it on, and this number of nodes.
const OF_ITS_OWN: (f64, usize) = (0.2, 5);

/// The value of a fact that a machine does not show.
pub(super) const NOT_SHOWN: &str = "not shown";

/// What groups machines.
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
    /// The name.
    pub name: String,
    /// Those that there are.
    pub known: Vec<String>,
}

/// Machines that should be alike.
pub(super) struct Group {
    pub(super) kind: Vec<Fact>,
    /// Their numbers, ascending.
    pub(super) members: Vec<usize>,
    pub(super) odd: Vec<Odd>,
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
                .map(|(kind, members)| plain(kind, members))
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

fn plain(kind: Vec<Fact>, members: Vec<usize>) -> Group {
    Group { kind, members, odd: Vec::new() }
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

/// The groups within a kind: each build that many have, and with the most common one those that few have.
fn of_a_kind(roster: &Roster, kind: &[Fact], members: &[usize]) -> Vec<Group> {
    let least = OF_ITS_OWN.1.max((OF_ITS_OWN.0 * members.len() as f64).ceil() as usize);
    let mut builds: Vec<(Vec<Fact>, Vec<usize>)> = parts(roster, members, &BUILD).into_iter().collect();
    builds.sort_by_key(|(_, members)| std::cmp::Reverse(members.len()));
    let mut builds = builds.into_iter();
    let Some((usual, first)) = builds.next() else { return Vec::new() };
    let with = |build: Vec<Fact>| [kind, &build[..]].concat();
    let mut groups = Vec::new();
    let mut largest = Group { kind: with(usual.clone()), members: first, odd: Vec::new() };
    let mut odd: BTreeMap<(Fact, String), Vec<usize>> = BTreeMap::new();
    for (build, members) in builds {
        if members.len() >= least {
            groups.push(plain(with(build), members));
            continue;
        }
        for (fact, usual) in build.into_iter().zip(&usual).filter(|(fact, usual)| fact != *usual) {
            odd.entry((fact, usual.value.clone())).or_default().extend(&members);
        }
        largest.members.extend(members);
    }
    largest.members.sort_unstable();
    let named = |((fact, usual), mut numbers): (_, Vec<usize>)| {
        numbers.sort_unstable();
        let nodes = numbers.into_iter().map(|number| roster.members[number].name.clone()).collect();
        Odd { fact, usual, nodes }
    };
    largest.odd = odd.into_iter().map(named).collect();
    groups.insert(0, largest);
    groups
}
