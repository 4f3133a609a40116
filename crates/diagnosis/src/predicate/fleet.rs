//! Compares a machine with others of its kind, whose results are provided.

use std::collections::BTreeMap;

use zerohop_compare::{Configuration, Contrast, Explanation, Numbering, compare};
use zerohop_expectation::apart;
use zerohop_machine::{Machine, NodeId};
use zerohop_result::{Cell, Measure, Query};
use zerohop_units::{TransfersPerSecond, counted};

use super::PredicateResult;
use super::nodes::beside;
use super::numa_nodes::with_cpus;
use crate::condition::{DimmsBelow, ExpectedValues};
use crate::context::{Given, ReferenceResult};
use crate::experiments::{BANDWIDTH_MATRIX, LATENCY_MATRIX};
use crate::facts::{Facts, Pairs};
use crate::finding::Size;
use crate::test_outcome::{Match, TestOutcome};
use crate::words::{figure, listed, percent, way};
use zerohop_statistics::median;

/// Others that are needed: with one, nobody knows which of the two is sound.
const FEWEST: usize = 2;

/// Figures, and differences of the machines, that a finding shows.
const SHOWN: usize = 3;

/// Machines of a fleet agree if the middle of them is within this share of what would be a loss.
const AGREE: f64 = 0.5;

/// A value beside those of the same place on the other machines.
struct Beside<'a> {
    way: (NodeId, NodeId),
    cell: &'a Cell,
    /// The median of the others, and how far the middle one of them is from it, as a share.
    usual: f64,
    spread: f64,
    /// Whether it is certainly another value than theirs.
    apart: Option<bool>,
    others: usize,
}

impl Beside<'_> {
    /// How much worse it is, as a share; below zero if it is better.
    fn loss(&self) -> f64 {
        let value = self.cell.estimate.median;
        if self.cell.measure.larger_is_better() { 1.0 - value / self.usual } else { value / self.usual - 1.0 }
    }
}

/// Most values of a kind are worse than those of the other machines.
pub(crate) fn below(facts: &Facts<'_>, values: ExpectedValues, least: f64) -> PredicateResult {
    let fleet = fellows(facts)?;
    let (name, query) = matrix(values);
    let own = facts.pairs(name, &query)?;
    let others: Vec<Facts<'_>> =
        fleet.iter().map(|fellow| Facts::new(fellow.file, Given::default())).collect();
    let pairs: Vec<Pairs<'_>> = others.iter().filter_map(|facts| facts.pairs(name, &query).ok()).collect();
    let mut all: Vec<Beside<'_>> = own
        .cells
        .iter()
        .filter(|&(&(from, to), _)| (from == to) == values.is_own())
        .filter(|&(&(_, to), _)| values != ExpectedValues::DeviceBandwidth || !facts.has_cpus(to))
        .filter_map(|(&way, &cell)| beside_others(way, cell, &pairs))
        .collect();
    let (Some(loss), Some(spread)) = (middle(&all, Beside::loss), middle(&all, |one| one.spread)) else {
        return Err(format!("{} of two other machines of this kind", values.words()));
    };
    if spread > AGREE * least {
        return Err(format!(
            "other machines of this kind that agree with each other: their {} differ by {}",
            values.words(),
            percent(spread)
        ));
    }
    let sure = all.iter().filter(|one| one.apart != Some(false)).count();
    if loss < least || 2 * sure <= all.len() {
        return Ok(TestOutcome::No);
    }
    let measure = own.cells.values().next().map_or(Measure::Bandwidth, |cell| cell.measure);
    let found = middle(&all, |one| one.cell.estimate.median).unwrap_or_default();
    let expected = middle(&all, |one| one.usual).unwrap_or_default();
    let size = Size::new(measure, found, expected);
    let machines = all.iter().map(|one| one.others).max().unwrap_or_default();
    all.sort_by(|one, other| other.loss().total_cmp(&one.loss()));
    let experiment = &own.experiment.experiment;
    let figures = all.iter().take(SHOWN).map(|one| {
        beside(experiment, &way(one.way.0, one.way.1), one.cell, ("others of its kind", one.usual))
    });
    let place = Match {
        names: BTreeMap::from([
            ("found", figure(found, measure)),
            ("expected", figure(expected, measure)),
            ("loss", percent(size.loss)),
            ("others", counted(machines, "other machine")),
        ]),
        size: Some(size),
        error: Some(spread.max(values.spread())),
        margin: loss / least,
        apart: all.iter().find_map(|one| one.apart),
        sisters: Some(machines),
        evidence: figures.collect(),
        ..Match::default()
    };
    Ok(TestOutcome::one(differences(facts, fleet).into_iter().fold(place, Match::shown_by)))
}

/// The median of something of all values.
fn middle<'a>(all: &[Beside<'a>], of: impl Fn(&Beside<'a>) -> f64) -> Option<f64> {
    median(all.iter().map(of))
}

impl ExpectedValues {
    fn is_own(self) -> bool {
        matches!(self, Self::OwnLatency | Self::OwnBandwidth)
    }

    /// How far values of this kind differ between the nodes, and the pairs of nodes, of one healthy machine (docs/diagnosis.md).
    fn spread(self) -> f64 {
        if self.is_own() { 0.015 } else { 0.03 }
    }
}

/// The experiment and the query of values of a kind.
fn matrix(values: ExpectedValues) -> (&'static str, Query) {
    match values {
        ExpectedValues::OwnLatency | ExpectedValues::FarLatency => {
            (LATENCY_MATRIX, Query::of(Measure::Latency))
        }
        ExpectedValues::OwnBandwidth | ExpectedValues::FarBandwidth | ExpectedValues::DeviceBandwidth => {
            (BANDWIDTH_MATRIX, Query::of(Measure::Bandwidth))
        }
    }
}

/// The other machines of the kind, if there are enough.
fn fellows<'f, 'a>(facts: &'f Facts<'a>) -> Result<&'f [ReferenceResult<'a>], String> {
    match &facts.given.fleet[..] {
        fleet if fleet.len() >= FEWEST => Ok(fleet),
        _ => Err("the results of two other machines of this kind (`zerohop diagnose A B C`)".to_owned()),
    }
}

/// A value beside those of other machines; `None` if too few have it.
fn beside_others<'a>(way: (NodeId, NodeId), cell: &'a Cell, others: &[Pairs<'_>]) -> Option<Beside<'a>> {
    let mut cells: Vec<&Cell> = others.iter().filter_map(|pairs| pairs.cells.get(&way).copied()).collect();
    if cells.len() < FEWEST {
        return None;
    }
    cells.sort_by(|one, other| one.estimate.median.total_cmp(&other.estimate.median));
    let usual = median(cells.iter().map(|cell| cell.estimate.median))?;
    let far = |cell: &&Cell| (cell.estimate.median / usual - 1.0).abs();
    let spread = median(cells.iter().map(far))?;
    let middle = cells[cells.len() / 2];
    Some(Beside {
        way,
        cell,
        usual,
        spread,
        apart: apart(cell.estimate, middle.estimate),
        others: cells.len(),
    })
}

/// In what the machine or its measurement differs from most of the others, and what may explain the values.
fn differences(facts: &Facts<'_>, fleet: &[ReferenceResult<'_>]) -> Vec<String> {
    let mut seen: Vec<(Contrast, usize)> = Vec::new();
    for fellow in fleet {
        let both = [(fellow.name, fellow.file), ("this", facts.file)];
        let both = both.map(|(name, result)| Configuration { name, result, repeats: &[] });
        let Ok(comparison) = compare(&both, Numbering::AsGiven) else { continue };
        for contrast in comparison.differences.into_iter().filter(explains) {
            let known = |(known, _): &&mut (Contrast, usize)| {
                known.what == contrast.what && known.base == contrast.base
            };
            match seen.iter_mut().find(known) {
                Some((_, count)) => *count += 1,
                None => seen.push((contrast, 1)),
            }
        }
    }
    let most = seen.into_iter().filter(|(_, count)| 2 * count > fleet.len());
    most.take(SHOWN)
        .map(|(contrast, count)| {
            let Contrast { what, base, other, .. } = contrast;
            format!("{what}: {other} here, {base} in {}", counted(count, "other"))
        })
        .collect()
}

/// Whether a difference may explain values. The name of a machine explains nothing.
fn explains(contrast: &Contrast) -> bool {
    contrast.what != "machine"
        && matches!(
            contrast.explains,
            Some(Explanation::Fits | Explanation::Possible | Explanation::TooSmall)
        )
}

/// The machine shows another number of nodes than most others.
pub(crate) fn nodes_unlike(facts: &Facts<'_>) -> PredicateResult {
    let fleet = fellows(facts)?;
    let own = with_cpus(facts)?.len();
    let counts = fleet.iter().filter_map(|fellow| {
        with_cpus(&Facts::new(fellow.file, Given::default())).ok().map(|nodes| (nodes.len(), fellow.name))
    });
    let mut by_count: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for (count, name) in counts {
        by_count.entry(count).or_default().push(name.to_owned());
    }
    let usual =
        by_count.into_iter().find(|(_, names)| names.len() >= FEWEST && 2 * names.len() > fleet.len());
    let Some((usual, names)) = usual else {
        return Err("two other machines of this kind that show the same number of nodes".to_owned());
    };
    if usual == own {
        return Ok(TestOutcome::No);
    }
    let (own, usual) = (counted(own, "node"), counted(usual, "node"));
    let shown = format!("{own} with CPUs here, {usual} in {}", listed(&names));
    Ok(TestOutcome::one(Match::fact([("own", own), ("usual", usual)]).shown_by(shown)))
}

/// The DIMMs fall short of those of most other machines.
pub(crate) fn dimms_below(facts: &Facts<'_>, what: DimmsBelow) -> PredicateResult {
    let fleet = fellows(facts)?;
    let amount = |machine: &Machine| -> Option<f64> {
        let there = || machine.memory_devices.iter().filter(|dimm| dimm.size.get() > 0);
        match what {
            DimmsBelow::Number => Some(there().count() as f64).filter(|count| *count > 0.0),
            DimmsBelow::Rate => {
                there().filter_map(|dimm| dimm.configured).map(TransfersPerSecond::get).reduce(f64::min)
            }
        }
    };
    let lists = || "lists of DIMMs of this machine and of others of its kind (run as root)".to_owned();
    let own = amount(facts.machine()).ok_or_else(lists)?;
    let others: Vec<f64> = fleet.iter().filter_map(|fellow| amount(&fellow.file.machine)).collect();
    if others.len() < FEWEST {
        return Err(lists());
    }
    let fewer = others.iter().filter(|other| own < **other).count();
    if 2 * fewer <= others.len() {
        return Ok(TestOutcome::No);
    }
    let usual = median(others).unwrap_or_default();
    let words = match what {
        DimmsBelow::Number => {
            format!("{} here, {usual:.0} in others of its kind", counted(own as usize, "DIMM"))
        }
        DimmsBelow::Rate => {
            format!(
                "the slowest DIMM runs at {:.0} MT/s here, at {:.0} MT/s in others of its kind",
                own / 1e6,
                usual / 1e6
            )
        }
    };
    Ok(TestOutcome::one(Match::fact([]).shown_by(words)))
}
