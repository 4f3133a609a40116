//! Memory that is near to some cores of a machine and far from others.

use std::collections::BTreeMap;

use zerohop_result::{Axis, Cell, Coordinate, Coordinates, Measure, Query};
use zerohop_units::Bytes;

use super::PredicateResult;
use crate::experiments::LATENCY_BY_SIZE;
use crate::facts::Facts;
use crate::finding::Size;
use crate::test_outcome::{Match, TestOutcome};
use crate::words::{figure, listed};

/// Smaller footprints may be in a cache, which not all cores share.
const SMALLEST: Bytes = Bytes::mib(48);

/// Fewer cores are no two kinds.
const FEWEST: usize = 3;

/// The cores of a kind differ by no more.
const ALIKE: f64 = 0.06;

/// Latencies of the same size by core have two values that differ by `least`: the memory is near to some cores and far from others.
pub(crate) fn two_distances(facts: &Facts<'_>, least: f64) -> PredicateResult {
    let measure = Measure::Latency;
    let cells = facts.selected(LATENCY_BY_SIZE, &Query::of(measure))?;
    let mut groups: BTreeMap<Coordinates, Vec<(String, f64)>> = BTreeMap::new();
    for cell in cells.into_iter().filter(|cell| footprint(cell) >= SMALLEST.get()) {
        let Some(Coordinate::Word(case)) = cell.at.get(Axis::Case) else { continue };
        let Some(core) = ["core ", "CPU "].iter().find_map(|name| case.strip_prefix(name)) else { continue };
        if core.bytes().all(|one| one.is_ascii_digit()) && cell.estimate.median > 0.0 {
            let mut at = cell.at.clone();
            at.0.remove(&Axis::Case);
            groups.entry(at).or_default().push((core.to_owned(), cell.estimate.median));
        }
    }
    groups.retain(|_, cores| cores.len() >= FEWEST);
    if groups.is_empty() {
        return Err(format!("memory latencies of at least {FEWEST} cores in {LATENCY_BY_SIZE}"));
    }
    // The largest footprint has the least of caches in it.
    let last = groups.into_values().next_back().unwrap_or_default();
    let Some((near, far)) = two_kinds(last, least) else { return Ok(TestOutcome::No) };
    let middle = |kind: &[(String, f64)]| kind[kind.len() / 2].1;
    let (early, late) = (middle(&near), middle(&far));
    let cores = |kind: Vec<(String, f64)>| {
        let mut cores: Vec<String> = kind.into_iter().map(|(core, _)| core).collect();
        cores.sort_by_key(|core| core.parse::<u32>().unwrap_or_default());
        listed(&cores)
    };
    let (near, far) = (cores(near), cores(far));
    let names = BTreeMap::from([
        ("near", figure(early, measure)),
        ("far", figure(late, measure)),
        ("near_cores", near.clone()),
        ("far_cores", far.clone()),
    ]);
    let words = format!(
        "{LATENCY_BY_SIZE}: {} from cores {near}, {} from cores {far}",
        figure(early, measure),
        figure(late, measure)
    );
    let size = Some(Size::new(measure, late, early));
    Ok(TestOutcome::one(
        Match { names, size, margin: (late / early - 1.0) / least, ..Match::default() }.shown_by(words),
    ))
}

fn footprint(cell: &Cell) -> u64 {
    cell.at.number(Axis::Footprint).unwrap_or(0)
}

/// A kind of cores, with the latency of each, in ascending order of latencies.
type Kind = Vec<(String, f64)>;

/// Cores in two kinds, each of which agrees and which are apart.
fn two_kinds(mut cores: Kind, least: f64) -> Option<(Kind, Kind)> {
    cores.sort_by(|one, other| one.1.total_cmp(&other.1));
    let cut = (1..cores.len()).max_by(|&one, &other| {
        let step = |at: usize| cores[at].1 / cores[at - 1].1;
        step(one).total_cmp(&step(other))
    })?;
    let far = cores.split_off(cut);
    let agrees = |kind: &Kind| {
        kind.last().zip(kind.first()).is_some_and(|(last, first)| last.1 <= first.1 * (1.0 + ALIKE))
    };
    let are_apart = far.first().zip(cores.last()).is_some_and(|(far, near)| far.1 >= near.1 * (1.0 + least));
    (agrees(&cores) && agrees(&far) && are_apart).then_some((cores, far))
}
