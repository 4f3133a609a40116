//! The analysis of a fleet.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use zerohop_statistics::median;
use zerohop_units::counted;

use super::columns::{Column, Entry, FEWEST, columns};
use super::doubtful::Tolerated;
use super::groups::{BUILD, Group, GroupBy, KIND, UnknownFact, groups};
use super::modes::{Split, split};
use super::picture_data::{distributions, shown_members};
use super::relations::relations;
use super::roster::Roster;
use super::scope::{Scope, listed};
use super::verdicts::{Bad, bad_nodes, usual};
use super::{BadNode, FLEET_VERSION, Fact, FleetFile, FleetGroup, FleetNote, NotCompared, TwoModes};

/// Sisters that a bad machine is held against by a diagnosis, at most: more say no more, and each costs time.
const SISTERS: usize = 8;

/// Facts that differ where parts are lost: they explain nothing that the parts do not say.
const OF_PARTS: [&str; 3] = ["DIMMs", "DIMM slots filled", "nodes and cores"];

/// Findings about a fleet, and the machines to compare a bad one with.
#[derive(Debug, Clone, PartialEq)]
pub struct Fleet {
    pub file: FleetFile,
    /// For each group, the numbers of its soundest machines, the soundest first.
    pub sound: Vec<Vec<usize>>,
    /// For each group, the numbers of all of its machines.
    pub members: Vec<Vec<usize>>,
}

/// Analyzes a fleet. `notes` are the caller's own.
///
/// # Errors
/// If the machines are to be grouped by a fact that none has.
pub fn analyse(roster: &Roster, by: &GroupBy, notes: Vec<FleetNote>) -> Result<Fleet, UnknownFact> {
    let mut fleet = Fleet {
        file: FleetFile { schema_version: FLEET_VERSION, groups: Vec::new(), unanswered: Vec::new(), notes },
        sound: Vec::new(),
        members: Vec::new(),
    };
    let groups = groups(roster, by)?;
    fleet.file.notes.extend(configurations(&groups));
    for group in groups {
        fleet.members.push(group.members.clone());
        let (group, sound) = of_group(roster, group);
        fleet.file.notes.extend(gaps(&group.not_compared));
        fleet.file.groups.push(group);
        fleet.sound.push(sound);
    }
    Ok(fleet)
}

fn of_group(roster: &Roster, group: Group) -> (FleetGroup, Vec<usize>) {
    let lost = group.shortfalls(roster);
    let is_short = !lost.is_empty();
    let Group { kind, members, odd, usual: mut parts, .. } = group;
    // What machines have less of that are not bad for it is no measure for others.
    for number in members.iter().filter(|number| !lost.contains_key(number)) {
        for one in roster.members[*number].build.parts.short_of(&parts) {
            parts.0.remove(&one.part);
        }
    }
    let columns = columns(roster, &members, &lost.keys().copied().collect());
    let Bad { bad, named } = bad_nodes(roster, &columns, &lost);
    let numbers: HashSet<usize> = bad.iter().filter_map(|bad| roster.number_of(&bad.node)).collect();
    let not_judged = match (members.len(), columns.is_empty()) {
        (nodes, _) if nodes < FEWEST => {
            Some(format!("at least {FEWEST} nodes of a kind are required to know the usual values"))
        }
        (_, true) => Some("no value is available for at least three nodes".to_owned()),
        _ => None,
    };
    let odd_ones = odd.iter().flat_map(|odd| &odd.nodes).filter_map(|node| roster.number_of(node));
    let sound = sound(&columns, &numbers.iter().copied().chain(odd_ones).collect());
    let group = FleetGroup {
        nodes: members.len(),
        odd,
        usual: usual(&columns, named),
        parts,
        not_compared: match not_judged {
            Some(_) => Vec::new(),
            None => not_compared(roster, &members, &columns, &bad),
        },
        modes: modes(roster, &members, &columns, &numbers),
        relations: relations(roster, &members, &numbers, if is_short { &OF_PARTS } else { &[] }),
        distributions: distributions(&columns, &members),
        members: shown_members(roster, &members),
        kind,
        bad,
        not_judged,
    };
    (group, sound)
}

/// The machines that lack values that most others have, unless they are bad by what they show.
fn not_compared(roster: &Roster, members: &[usize], columns: &[Column], bad: &[BadNode]) -> Vec<NotCompared> {
    let is_usual = |column: &&Column| 2 * column.entries.len() > members.len();
    let usual = || columns.iter().filter(is_usual);
    let mut lacking: BTreeMap<usize, BTreeSet<&Scope>> = BTreeMap::new();
    let mut compared: HashSet<usize> = HashSet::new();
    for column in columns.iter().filter(|column| column.scope.is_family()) {
        // Of a few places of many, it is not known.
        let most = median(column.entries.iter().map(|entry| entry.places as f64)).unwrap_or(0.0);
        let is_known = |entry: &&Entry| 2.0 * entry.places as f64 >= most;
        let own: HashSet<usize> = column.entries.iter().filter(is_known).map(|entry| entry.member).collect();
        if is_usual(&column) {
            for &member in members.iter().filter(|member| !own.contains(member)) {
                lacking.entry(member).or_default().insert(&column.scope);
            }
        }
        compared.extend(own);
    }
    for &member in members {
        let gaps = &roster.members[member].gaps;
        if gaps.is_empty() {
            continue;
        }
        for column in usual().filter(|column| gaps.contains(&column.scope)) {
            lacking.entry(member).or_default().insert(&column.scope);
        }
    }
    let tolerated = Tolerated::of(roster, members);
    for (&member, lacks) in &mut lacking {
        lacks.retain(|family| !tolerated.holds(member, family));
    }
    let alone =
        members.iter().filter(|member| !compared.contains(member)).map(|member| (*member, Vec::new()));
    let some = lacking.into_iter().filter(|(member, lacks)| compared.contains(member) && !lacks.is_empty());
    let some = some.map(|(member, lacks)| (member, lacks.into_iter().cloned().collect()));
    let all = alone.chain(some).map(|(member, lacks)| {
        let node = roster.members[member].name.clone();
        NotCompared { node, lacks }
    });
    let mut all: Vec<NotCompared> = all.filter(|one| bad.iter().all(|bad| bad.node != one.node)).collect();
    all.sort_unstable_by(|one, other| one.node.cmp(&other.node));
    all
}

/// Says which machines lack which values.
fn gaps(not_compared: &[NotCompared]) -> Vec<FleetNote> {
    let mut alike: BTreeMap<&[Scope], Vec<String>> = BTreeMap::new();
    for NotCompared { node, lacks } in not_compared {
        alike.entry(lacks).or_default().push(node.clone());
    }
    let note = |(lacks, about): (&[Scope], Vec<String>)| {
        let nodes = counted(about.len(), "node");
        let words = match lacks {
            [] => format!("{nodes} without a value in common with the others of their group"),
            lacks => format!("{nodes} without usable values of: {}", listed(lacks)),
        };
        FleetNote { words, about, leaves_open: true }
    };
    alike.into_iter().map(note).collect()
}

fn names<'a>(roster: &Roster, numbers: impl Iterator<Item = &'a usize>) -> Vec<String> {
    let mut names: Vec<String> = numbers.map(|number| roster.members[*number].name.clone()).collect();
    names.sort_unstable();
    names
}

/// Says of each kind of machine that there are several configurations of it: each is judged by its own machines alone.
fn configurations(groups: &[Group]) -> Vec<FleetNote> {
    let of_a_kind = |group: &Group| group.kind.iter().take(KIND.len()).cloned().collect::<Vec<_>>();
    let mut kinds: Vec<(Vec<Fact>, Vec<&Group>)> = Vec::new();
    for group in groups.iter().filter(|group| group.kind.len() == KIND.len() + BUILD.len()) {
        let kind = of_a_kind(group);
        match kinds.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, others)) => others.push(group),
            None => kinds.push((kind, vec![group])),
        }
    }
    let several = kinds.into_iter().filter(|(_, groups)| groups.len() > 1);
    let note = |(kind, groups): (Vec<Fact>, Vec<&Group>)| {
        let differs = |at: &usize| groups.iter().any(|other| other.kind[*at] != groups[0].kind[*at]);
        let differing: Vec<usize> = (KIND.len()..KIND.len() + BUILD.len()).filter(differs).collect();
        let of = |group: &&Group| {
            let what: Vec<&str> = differing.iter().map(|at| group.kind[*at].value.as_str()).collect();
            format!("{} with {}", counted(group.members.len(), "node"), what.join(", "))
        };
        let all: Vec<String> = groups.iter().map(of).collect();
        let words = format!(
            "{} configurations of {}, each compared only with itself: {}",
            groups.len(),
            kind[0].value,
            all.join("; ")
        );
        FleetNote { words, about: Vec::new(), leaves_open: false }
    };
    several.map(note).collect()
}

/// The values in two modes, unless the nodes of the worse one are bad, and so named already.
fn modes(roster: &Roster, members: &[usize], columns: &[Column], bad: &HashSet<usize>) -> Vec<TwoModes> {
    let families = columns.iter().filter(|column| column.scope.is_family());
    let splits = families.filter_map(|column| Some((column, split(column)?)));
    let splits = splits.filter(|(_, split)| !split.members.iter().all(|member| bad.contains(member)));
    let modes = splits.map(|(column, Split { better, worse, members: below })| {
        let below: HashSet<usize> = below.into_iter().collect();
        let nodes = names(roster, below.iter());
        let relations = relations(roster, members, &below, &[]);
        TwoModes { scope: column.scope.clone(), better, worse, nodes, relations }
    });
    modes.collect()
}

/// The machines that are nowhere far from what is usual, and differ in nothing else.
fn sound(columns: &[Column], unlike: &HashSet<usize>) -> Vec<usize> {
    let mut farthest: HashMap<usize, f64> = HashMap::new();
    for column in columns.iter().filter(|column| column.scope.is_family()) {
        for entry in column.entries.iter().filter(|entry| !unlike.contains(&entry.member)) {
            let far = (entry.value - column.crowd.center).abs();
            let known = farthest.entry(entry.member).or_insert(0.0);
            *known = known.max(far);
        }
    }
    let mut sound: Vec<(usize, f64)> = farthest.into_iter().collect();
    sound.sort_by(|one, other| one.1.total_cmp(&other.1).then(one.0.cmp(&other.0)));
    sound.into_iter().take(SISTERS).map(|(member, _)| member).collect()
}
