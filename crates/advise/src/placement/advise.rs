//! From a program to advice: search, confirm what matters, compare, explain.

use zerohop_machine::{Machine, NodeId};
use zerohop_machine_file::Symmetry;
use zerohop_workload::Origin;

use super::advice::{Alternative, Margin, PLACEMENT_VERSION, PlacementAdvice};
use super::cache_resident;
use super::candidate::{Candidate, Memory};
use super::confirmation::{different, finalists};
use super::error::AdviceError;
use super::evaluator::{Evaluator, Outcome};
use super::figure::Figure;
use super::lines::lines;
use super::names::{BEST, DEFAULT, INTERLEAVED, NODE_BY_NODE, NODE_FILLED, ONE_INITIALIZES, WORST};
use super::nearest_memory::nearest_memory;
use super::program::{DataUse, Program};
use super::reasons::reasons;
use super::rules::{is_as_good, preference};
use super::search::{Found, search};
use super::shapes::{Counts, Room};

/// The best placement and the next ones that are shown, besides those that have a name.
const SHOWN: usize = 3;

/// Where the advice comes from.
#[derive(Debug, Clone, PartialEq)]
pub struct Source {
    /// Where the figures come from.
    pub origin: Origin,
    /// The result that they come from, if one was given.
    pub result: Option<String>,
}

/// Advice on the placement of a program. `ground` computes the placements of the search; `exact`, if given, those that matter.
///
/// # Errors
/// When the program does not fit the machine, or a placement cannot be computed.
pub fn advise(
    program: &Program,
    source: Source,
    ground: &mut dyn Evaluator,
    mut exact: Option<&mut dyn Evaluator>,
    symmetries: &[Symmetry],
) -> Result<PlacementAdvice, AdviceError> {
    let found = search(program, ground, symmetries)?;
    let machine = ground.machine().clone();
    let mut matter: Vec<(Vec<String>, Candidate)> = Vec::new();
    let mut add = |name: Option<&str>, candidate: Candidate| {
        let rank = matter.iter().position(|(_, known)| *known == candidate);
        let rank = rank.unwrap_or_else(|| {
            matter.push((Vec::new(), candidate));
            matter.len() - 1
        });
        matter[rank].0.extend(name.map(str::to_owned));
    };
    for (name, candidate) in named(program, &machine) {
        add(Some(name), candidate);
    }
    let best = match exact.as_deref_mut() {
        Some(exact) => finalists(program, &found, exact, SHOWN)?,
        None => different(found.ranked.iter().map(|(candidate, _)| candidate), SHOWN)
            .into_iter()
            .cloned()
            .collect(),
    };
    for candidate in best {
        add(None, candidate);
    }
    if let Some((candidate, _)) = found.ranked.last() {
        add(Some(WORST), candidate.clone());
    }
    let mut all = Vec::new();
    for (names, candidate) in matter {
        let known = found.ranked.iter().find(|(known, _)| *known == candidate);
        let outcome = match (exact.as_deref_mut(), known) {
            (Some(exact), _) => exact.outcome(program, &candidate)?,
            (None, Some((_, outcome))) => outcome.clone(),
            (None, None) => ground.outcome(program, &candidate)?,
        };
        all.push((names, candidate, outcome));
    }
    order(program, &Room::new(&machine, program), &mut all);
    keep_shown(&mut all);
    let mut unknown = ground.unknown(program);
    unknown.extend(cache_resident::note(&machine, program.bytes));
    Ok(advice(program, source, &machine, &found, all, unknown))
}

/// Keeps the best placement, those that have a name, and the next ones, each with another policy for memory.
fn keep_shown(all: &mut Vec<(Vec<String>, Candidate, Outcome)>) {
    let mut shown: Vec<Memory> = Vec::new();
    all.retain(|(names, candidate, _)| {
        let is_next = shown.len() < SHOWN && !shown.contains(&candidate.memory);
        if is_next && (shown.is_empty() || names.is_empty()) {
            shown.push(candidate.memory.clone());
        }
        is_next || !names.is_empty()
    });
}

/// Placements that have a name on every machine; only those whose data fits.
fn named(program: &Program, machine: &Machine) -> Vec<(&'static str, Candidate)> {
    let room = Room::new(machine, program);
    let nodes: Vec<NodeId> = room.capacity.keys().copied().collect();
    let mut named = Vec::new();
    let even = room.even(&nodes);
    let filled = nodes.first().and_then(|&first| room.filled_from(first));
    let local = |counts: &Counts| {
        let have_memory = counts.keys().all(|node| room.memory.contains(node));
        match (program.data, counts.keys().next()) {
            // What one node's threads initialize is on that node.
            (DataUse::Private, Some(&only)) if counts.len() == 1 && have_memory => Some(room.on_node(only)),
            (DataUse::Private, _) if have_memory => Some(Memory::Local),
            (_, Some(&first)) => Some(room.on_node(nearest_memory(machine, first))),
            (_, None) => None,
        }
    };
    if let Some(threads) = even {
        if let Some(memory) = local(&threads) {
            // Linux spreads the threads that run over all nodes, and puts each page where it is touched first: shared data is
            // initialized by the first thread.
            named.push((DEFAULT, Candidate { threads: threads.clone(), memory: memory.clone() }));
            if program.data == DataUse::Private {
                named.push((NODE_BY_NODE, Candidate { threads: threads.clone(), memory }));
            }
        }
        if let (DataUse::Private, Some(&first)) = (program.data, threads.keys().next()) {
            let memory = room.on_node(nearest_memory(machine, first));
            named.push((ONE_INITIALIZES, Candidate { threads: threads.clone(), memory }));
        }
        if room.memory.len() > 1 {
            let memory = Memory::Interleaved { nodes: room.memory.clone() };
            named.push((INTERLEAVED, Candidate { threads, memory }));
        }
    }
    if let Some(threads) = filled
        && let Some(memory) = local(&threads)
    {
        named.push((NODE_FILLED, Candidate { threads, memory }));
    }
    named.retain(|(_, candidate)| room.fits(candidate));
    if !named.iter().any(|(name, _)| *name == DEFAULT)
        && let Some(threads) = room.even(&nodes)
        && let Some(&first) = threads.keys().next()
    {
        // Data that does not fit where it is touched goes to the next node that has room.
        named.push((DEFAULT, Candidate { memory: room.on_node(nearest_memory(machine, first)), threads }));
    }
    named
}

/// Puts the best first; of those that are as good, the one that the rules prefer. The others follow by their figures.
fn order(program: &Program, room: &Room<'_>, all: &mut [(Vec<String>, Candidate, Outcome)]) {
    all.sort_by(|one, other| {
        program.sensitivity.times(other.2.figure.value, one.2.figure.value).total_cmp(&1.0)
    });
    let Some(best) = all.first().map(|(_, _, outcome)| outcome.figure) else { return };
    let alike =
        all.iter().enumerate().filter(|(_, (_, _, outcome))| is_as_good(program, &outcome.figure, &best));
    let chosen = alike
        .min_by_key(|(_, (_, candidate, _))| preference(program, candidate, &room.capacity))
        .map(|(rank, _)| rank);
    all[..=chosen.unwrap_or(0)].rotate_right(1);
}

fn advice(
    program: &Program,
    source: Source,
    machine: &Machine,
    found: &Found,
    mut all: Vec<(Vec<String>, Candidate, Outcome)>,
    unknown: Vec<String>,
) -> PlacementAdvice {
    if let Some((names, ..)) = all.first_mut() {
        names.insert(0, BEST.to_owned());
    }
    let of = |name: &str| {
        let one = all.iter().find(|(names, ..)| names.iter().any(|own| own == name));
        one.map_or(Figure::exact(f64::NAN), |(_, _, outcome)| outcome.figure)
    };
    let (best, default) = (of(BEST), of(DEFAULT));
    // A simulation may find another placement worse than the one that the search found worst.
    let worst = all.iter().map(|(_, _, outcome)| outcome.figure);
    let worst = worst.max_by(|one, other| program.sensitivity.times(other.value, one.value).total_cmp(&1.0));
    let worst = worst.unwrap_or(best);
    let margin = |other: &Figure| {
        let times = best.times(other, program.sensitivity);
        Margin { times, is_certain: times.low > 1.0 }
    };
    let (over_default, over_worst) = (margin(&default), margin(&worst));
    let alternatives: Vec<Alternative> = all
        .into_iter()
        .map(|(names, placement, outcome)| Alternative {
            words: format!("{}; {}", placement.threads_in_words(), placement.memory.in_words(program.data)),
            over_default: outcome.figure.times(&default, program.sensitivity).value,
            remote_share: placement.remote_share(),
            figure: outcome.figure,
            limit: outcome.limit,
            names,
            placement,
        })
        .collect();
    let lines = alternatives.first().map_or_else(Vec::new, |best| lines(program, machine, &best.placement));
    PlacementAdvice {
        schema_version: PLACEMENT_VERSION,
        machine: machine.name.clone(),
        origin: source.origin,
        result: source.result,
        reasons: reasons(program, &alternatives),
        program: program.clone(),
        searched: found.ranked.len(),
        exhaustive: found.exhaustive,
        alternatives,
        over_default,
        over_worst,
        unknown,
        lines,
    }
}
