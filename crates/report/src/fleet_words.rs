//! Findings about a fleet, in the words that pages and Markdown share.

use zerohop_compare::Fact;
use zerohop_diagnosis::Diagnosis;
use zerohop_fleet::{
    BadNode, FleetFile, FleetGroup, FleetNote, Odd, Part, Relation, Scope, Since, TwoModes, Unanswered,
};
use zerohop_result::{Measure, Timestamp};
use zerohop_units::counted;

use crate::measure::shown_unit;
use crate::number::significant;

/// Names of nodes that a sentence lists.
const NAMED: usize = 6;

/// Days on which nodes became bad that are named, at most.
const ONSETS: usize = 4;

/// `4 of 200 nodes are bad; 196 nodes are like most of their group`.
pub(crate) fn verdict(fleet: &FleetFile) -> String {
    let FleetFile { groups, unanswered, .. } = fleet;
    let (judged, open): (Vec<_>, Vec<_>) = groups.iter().partition(|group| group.not_judged.is_none());
    let count = |groups: &[&FleetGroup]| groups.iter().map(|group| group.nodes).sum::<usize>();
    let bad: usize = groups.iter().map(|group| group.bad.len()).sum();
    let lacking = || judged.iter().flat_map(|group| &group.not_compared);
    let alone = lacking().filter(|one| one.lacks.is_empty()).count();
    let partly = lacking().count() - alone;
    let (of, open) = (count(&judged) - alone, count(&open));
    let found = match (bad, of) {
        (_, 0) => "no node is judged".to_owned(),
        (0, _) => format!("no node of {of} is bad"),
        _ => {
            let verb = if bad == 1 { "is" } else { "are" };
            format!("{bad} of {} {verb} bad; {} like most of their group", counted(of, "node"), are(of - bad))
        }
    };
    let rest = [
        (open > 0).then(|| format!("{} in groups that cannot be judged", are(open))),
        (alone > 0).then(|| {
            format!("{} not judged: no values in common with the others of their group", are(alone))
        }),
        (partly > 0).then(|| format!("{} judged only by some of the values", are(partly))),
        (!unanswered.is_empty())
            .then(|| format!("{} gave no result", counted(unanswered.len(), "more node"))),
    ];
    std::iter::once(found).chain(rest.into_iter().flatten()).collect::<Vec<_>>().join("; ")
}

fn are(count: usize) -> String {
    let verb = if count == 1 { "is" } else { "are" };
    format!("{} {verb}", counted(count, "node"))
}

/// Facts that the machines of a group have in common.
pub(crate) fn kind(kind: &[Fact]) -> String {
    let word = |fact: &Fact| {
        Some(match (fact.name.as_str(), fact.value.as_str()) {
            ("packages", "not shown") => return None,
            (name, "none" | "not shown") => format!("{name} not shown"),
            ("processor" | "nodes and cores" | "DIMMs", value) => value.to_owned(),
            (name, value) => format!("{name} {value}"),
        })
    };
    kind.iter().filter_map(word).collect::<Vec<_>>().join(", ")
}

/// A share, in whole percent.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

/// A value in the unit in which pages show it.
pub(crate) fn value(measure: Measure, value: f64) -> String {
    significant(measure.dimension().shown(value))
}

/// Since when a node is bad: the day of the first result that shows it; `always` where all do.
pub(crate) fn since(bad: &BadNode) -> String {
    let Some(Since { until, from, certain, .. }) = &bad.since else { return String::new() };
    match (until, certain) {
        (None, true) => "always".to_owned(),
        (_, true) => day(*from),
        (_, false) => format!("{}?", day(*from)),
    }
}

fn day(time: Timestamp) -> String {
    time.to_string().chars().take("2026-11-27".len()).collect()
}

/// What happened when nodes became bad: `n05, n11 and n17 between 2026-11-07 and 2026-11-08, when firmware became 2.1 (was 2.0)`.
pub(crate) fn onsets(group: &FleetGroup) -> Vec<String> {
    let mut onsets: Vec<(String, Vec<String>)> = Vec::new();
    for bad in &group.bad {
        let Some(Since { until: Some(until), from, certain: true, traits }) = &bad.since else { continue };
        let became = traits.iter().map(|one| format!("{} became {} (was {})", one.what, one.to, one.from));
        let became = became.collect::<Vec<_>>().join(", ");
        let when = if became.is_empty() { became } else { format!(", when {became}") };
        let words = format!("between {} and {}{when}", day(*until), day(*from));
        match onsets.iter_mut().find(|(known, _)| *known == words) {
            Some((_, nodes)) => nodes.push(bad.node.clone()),
            None => onsets.push((words, vec![bad.node.clone()])),
        }
    }
    onsets.sort_by_key(|(_, nodes)| std::cmp::Reverse(nodes.len()));
    let words = onsets.into_iter().map(|(words, nodes)| format!("{} became bad {words}", names(&nodes)));
    words.take(ONSETS).collect()
}

/// Remarks on a group besides its bad nodes: facts that these have in common, odd facts, values with two modes.
pub(crate) fn remarks(group: &FleetGroup) -> Vec<String> {
    let relations = group.relations.iter().map(|relation| relation_words(relation, "bad nodes"));
    let modes = group.modes.iter().map(modes_words);
    relations.chain(onsets(group)).chain(group.odd.iter().map(odd_words)).chain(modes).collect()
}

/// `all 12 bad nodes have firmware 1.2; none of the 188 others has`.
fn relation_words(relation: &Relation, bad: &str) -> String {
    let Relation { fact, without, bad: (with, all), others: (others_with, others), same, .. } = relation;
    let fact_words = |fact: &Fact| format!("{} {}", fact.name, fact.value);
    let what = if *without { format!("another {} than {}", fact.name, fact.value) } else { fact_words(fact) };
    let those = if with == all { format!("all {all} {bad}") } else { format!("{with} of {all} {bad}") };
    let others = match others_with {
        0 => format!("none of the {others} others has this"),
        1 => format!("1 of the {others} others also has this"),
        with => format!("{with} of the {others} others also have this"),
    };
    let same: Vec<String> = same.iter().map(fact_words).collect();
    let same = if same.is_empty() {
        String::new()
    } else {
        format!(" (on exactly the same nodes: {})", same.join("; "))
    };
    format!("{those} have {what}; {others}{same}")
}

pub(crate) fn odd_words(odd: &Odd) -> String {
    let Odd { fact, usual, nodes } = odd;
    let on = format!("{} ({})", counted(nodes.len(), "node"), names(nodes));
    format!("{} {} on {on}, {usual} on the others", fact.name, fact.value)
}

pub(crate) fn modes_words(modes: &TwoModes) -> String {
    let TwoModes { scope, better, worse, nodes, relations } = modes;
    let measure = scope.measure;
    let [better, worse] = [better, worse].map(|one| value(measure, *one));
    let why = relations.first().map(|first| format!("; {}", relation_words(first, "of these")));
    format!(
        "two modes of {scope}: {better} {unit}, and {worse} {unit} on {} ({}){}",
        counted(nodes.len(), "node"),
        names(nodes),
        why.unwrap_or_default(),
        unit = shown_unit(measure),
    )
}

/// Nodes that gave no result, by the reason: `n03, n04: exit status 1`.
pub(crate) fn unanswered(fleet: &FleetFile) -> Vec<String> {
    let mut reasons: Vec<(&str, Vec<String>)> = Vec::new();
    for Unanswered { node, why } in &fleet.unanswered {
        match reasons.iter_mut().find(|(known, _)| known == why) {
            Some((_, nodes)) => nodes.push(node.clone()),
            None => reasons.push((why, vec![node.clone()])),
        }
    }
    reasons.into_iter().map(|(why, nodes)| format!("{}: {why}", names(&nodes))).collect()
}

/// Omissions and doubts, each with the first few files or nodes.
pub(crate) fn notes(fleet: &FleetFile) -> Vec<String> {
    let note = |note: &FleetNote| match &note.about[..] {
        [] => note.words.clone(),
        about => format!("{} ({})", note.words, names(about)),
    };
    fleet.notes.iter().map(note).collect()
}

/// A few names, and how many more there are.
pub(crate) fn names(nodes: &[String]) -> String {
    let named = nodes.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
    match nodes.len().saturating_sub(NAMED) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}

/// The diagnosis of a node, if it is among the worst.
pub(crate) fn diagnosis_of<'a>(diagnoses: &'a [Diagnosis], node: &str) -> Option<&'a Diagnosis> {
    diagnoses.iter().find(|one| one.result == node)
}

/// Most likely problem of a bad node: the parts that it lacks, or the most likely cause in its diagnosis.
pub(crate) fn finding(diagnoses: &[Diagnosis], bad: &BadNode) -> String {
    if !bad.lost.is_empty() {
        return bad.lost.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    }
    let Some(finding) = diagnosis_of(diagnoses, &bad.node).and_then(|one| one.alarms().next()) else {
        return String::new();
    };
    let words = finding.causes.first().map_or(&finding.title, |cause| &cause.words);
    // What follows says it in detail.
    let first = words.split(": ").next().unwrap_or_default();
    first.split(", and ").next().unwrap_or_default().to_owned()
}

/// Name of a part, and the unit of its amount.
pub(crate) const fn part_names(part: Part) -> (&'static str, &'static str) {
    match part {
        Part::Dimms => ("DIMMs", "DIMMs"),
        Part::DimmCapacity => ("capacity of DIMMs", "B"),
        Part::DimmRate => ("rate of DIMMs", "MT/s"),
        Part::Memory => ("memory", "B"),
        Part::Cores => ("cores", "cores"),
    }
}

/// What to do about a part that is missing or slow.
const fn part_remedy(part: Part) -> &'static str {
    match part {
        Part::Dimms => {
            "reseat or replace the missing DIMMs; first check the BMC's log for memory training errors"
        }
        Part::DimmCapacity => "replace the DIMMs that are smaller than on the other nodes",
        Part::DimmRate => {
            "`dmidecode -t memory` (as root) shows the rate of each DIMM: replace those that run slower, or set the memory frequency to Auto or Maximum"
        }
        Part::Memory => {
            "the kernel has less memory than on the other nodes: check the BMC's log for DIMMs that were disabled after errors, and the kernel parameters for reserved memory"
        }
        Part::Cores => "bring its cores online (`chcpu -e LIST`), or enable them in the firmware",
    }
}

/// Place of a node's loss, with the unit of the values next to it.
pub(crate) fn place(scope: &Scope) -> String {
    match shown_unit(scope.measure) {
        "" => scope.to_string(),
        unit => format!("{scope}, {unit}"),
    }
}

/// Steps to take, in order: first facts that bad nodes have in common, because that fixes many; then the remedies of the worst nodes, each once.
pub(crate) fn steps(fleet: &FleetFile, diagnoses: &[Diagnosis]) -> Vec<String> {
    let common = fleet.groups.iter().filter_map(|group| group.relations.first());
    let mut steps: Vec<String> = common.map(common_step).collect();
    let mut remedies: Vec<(&str, Vec<String>)> = Vec::new();
    for bad in fleet.groups.iter().flat_map(|group| &group.bad) {
        // The worst one comes first, and its cause is what the list of nodes says.
        let worst = diagnosis_of(diagnoses, &bad.node).and_then(|one| one.alarms().next());
        let diagnosed = worst.and_then(|finding| finding.remedies.first()).map(String::as_str);
        // What is missing is a fact; a diagnosis weighs what may be.
        let Some(remedy) = bad.lost.first().map(|lost| part_remedy(lost.part)).or(diagnosed) else {
            continue;
        };
        match remedies.iter_mut().find(|(known, _)| *known == remedy) {
            Some((_, nodes)) => nodes.push(bad.node.clone()),
            None => remedies.push((remedy, vec![bad.node.clone()])),
        }
    }
    steps.extend(remedies.into_iter().map(|(remedy, nodes)| format!("{}: {remedy}", names(&nodes))));
    steps
}

fn common_step(relation: &Relation) -> String {
    let Relation { fact, without, bad: (with, _), .. } = relation;
    let nodes = counted(*with, "bad node");
    match without {
        true => format!("change the {} of {nodes} to that of the other nodes: {}", fact.name, fact.value),
        false => format!("{nodes} with {} {}: change it to that of the other nodes", fact.name, fact.value),
    }
}
