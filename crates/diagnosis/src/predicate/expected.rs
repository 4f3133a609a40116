//! Compares values with the expectation for the machine, and with readings of facts that no operating system shows.

use std::collections::{BTreeMap, BTreeSet};

use zerohop_expectation::{
    Basis, Expectations, ExpectedCell, Fact, Kind, Knowledge, ReadCell, Reading, Standing, Stated,
};
use zerohop_machine::NodeId;
use zerohop_result::{Axis, Measure, Relation};

use super::PredicateResult;
use crate::condition::{ExpectedValues, Standpoint};
use crate::facts::Facts;
use crate::finding::{Evidence, Size};
use crate::test_outcome::{Match, TestOutcome};
use crate::words::{figure, listed, percent};
use zerohop_statistics::median;
use zerohop_units::counted;

/// Figures that a finding shows.
const SHOWN: usize = 4;

/// Most values of this kind are worse than the machine should reach.
pub(crate) fn worse(facts: &Facts<'_>, values: ExpectedValues, stated: bool) -> PredicateResult {
    let (expectations, is_stated) = usable(facts)?;
    if stated && !is_stated {
        return Err(UNSTATED.to_owned());
    }
    if stated != is_stated {
        return Ok(TestOutcome::No);
    }
    let mut judged: Vec<&ExpectedCell> = expectations
        .cells
        .iter()
        .filter(|cell| values.has(facts, cell) && cell.standing != Standing::Open)
        .filter(|cell| cell.expected.basis != Basis::Sisters)
        .collect();
    if values == ExpectedValues::DeviceBandwidth {
        best_of_each(&mut judged);
    }
    if judged.is_empty() {
        let of_template = |cell: &ExpectedCell| {
            values.has(facts, cell) && cell.expected.basis == Basis::Template && !cell.expected.validated
        };
        return Err(if expectations.cells.iter().any(of_template) {
            format!(
                "reliable predictions of {} for its generation: published machines differ",
                values.words()
            )
        } else {
            format!("{} with an expected value", values.words())
        });
    }
    let mut worse: Vec<&ExpectedCell> =
        judged.iter().copied().filter(|cell| cell.standing == Standing::Worse).collect();
    // What few values show is a matter between them and comparable ones.
    if worse.is_empty() || (judged.len() > 1 && 2 * worse.len() <= judged.len()) {
        return Ok(TestOutcome::No);
    }
    worse.sort_by(|one, other| other.distance().total_cmp(&one.distance()));
    let measure = worse[0].measure;
    let middle = |of: fn(&ExpectedCell) -> f64| median(worse.iter().map(|cell| of(cell)));
    let found = middle(|cell| cell.value).unwrap_or_default();
    let expected = middle(|cell| cell.expected.value).unwrap_or_default();
    let size = Size::new(measure, found, expected);
    let names = BTreeMap::from([
        ("found", figure(found, measure)),
        ("expected", figure(expected, measure)),
        ("loss", percent(size.loss)),
        ("count", worse.len().to_string()),
        ("all", judged.len().to_string()),
        ("nodes", listed(&targets(&worse))),
    ]);
    let beyond = libm::exp(worse[worse.len() / 2].distance()) - 1.0;
    let nodes: BTreeSet<NodeId> = worse
        .iter()
        .flat_map(|cell| [Axis::Initiator, Axis::Target].map(|axis| node(cell, axis)))
        .flatten()
        .collect();
    let evidence = worse.iter().take(SHOWN).map(|cell| shown(cell)).collect();
    let worst = &worse[worse.len() / 2].expected;
    let place = Match {
        names,
        size: Some(size),
        error: Some(deviation(worst.low, worst.value)),
        margin: 1.0 + 4.0 * beyond,
        apart: Some(true),
        evidence,
        ..Match::default()
    };
    Ok(TestOutcome::one(place.about(nodes)))
}

/// Text for the case that most values of some kind are worse than expected.
pub(crate) fn unexplained(facts: &Facts<'_>) -> Option<String> {
    let (expectations, _) = usable(facts).ok()?;
    let is_judged =
        |cell: &&ExpectedCell| cell.standing != Standing::Open && cell.expected.basis != Basis::Sisters;
    let judged: Vec<&ExpectedCell> = expectations.cells.iter().filter(is_judged).collect();
    let worse = || judged.iter().filter(|cell| cell.standing == Standing::Worse);
    if 2 * worse().count() <= judged.len() {
        return None;
    }
    let loss = median(worse().map(|cell| cell.deviation().abs()))?;
    Some(format!(
        "{} of {} are worse than expected, half of them by {} or more, and no rule explains why",
        worse().count(),
        counted(judged.len(), "value"),
        percent(loss)
    ))
}

/// Of each target, the value of the initiator that should read it best: others may read it over slower ways.
fn best_of_each(cells: &mut Vec<&ExpectedCell>) {
    let mut best: BTreeMap<Option<u64>, f64> = BTreeMap::new();
    for cell in cells.iter() {
        let known = best.entry(cell.at.number(Axis::Target)).or_insert(f64::NEG_INFINITY);
        *known = known.max(cell.expected.value);
    }
    cells.retain(|cell| cell.expected.value >= best[&cell.at.number(Axis::Target)]);
}

/// The targets of values.
fn targets(cells: &[&ExpectedCell]) -> Vec<String> {
    let targets: BTreeSet<u64> = cells.iter().filter_map(|cell| cell.at.number(Axis::Target)).collect();
    targets.into_iter().map(|target| target.to_string()).collect()
}

/// The standard deviation of predictions, as a share, of which nine of ten lie within an interval that begins at `low`.
fn deviation(low: f64, expected: f64) -> f64 {
    (expected / low - 1.0) / NINE_OF_TEN
}

/// Nine of ten values of a normal distribution are within as many standard deviations.
const NINE_OF_TEN: f64 = 1.645;

/// Missing data if no machine is stated.
pub(super) const UNSTATED: &str = "a stated machine (--machine)";

/// Expectations, if the result is from the machine that they are for; and whether the user stated that machine.
pub(super) fn usable<'a>(facts: &Facts<'a>) -> Result<(&'a Expectations, bool), String> {
    let expectations = facts.given.expectations.ok_or(UNSTATED)?;
    match &expectations.knowledge {
        Knowledge::Nothing { reason } => Err(format!("a known machine: {reason}")),
        Knowledge::Dimms { .. } => Ok((expectations, false)),
        Knowledge::Model { doubts, stated, .. } => match doubts.first() {
            Some(doubt) => Err(format!("a result of the expected machine: {doubt}")),
            None => Ok((expectations, *stated)),
        },
    }
}

/// Whether all that is judged of other nodes' memory is as the stated machine makes it.
pub(crate) fn is_far_as_stated(facts: &Facts<'_>, measure: Measure) -> bool {
    let values = match measure {
        Measure::Latency => ExpectedValues::FarLatency,
        _ => ExpectedValues::FarBandwidth,
    };
    let Ok((expectations, true)) = usable(facts) else { return false };
    let mut judged = expectations.cells.iter().filter(|cell| values.has(facts, cell)).peekable();
    judged.peek().is_some() && judged.all(|cell| cell.standing == Standing::AsExpected)
}

impl ExpectedValues {
    /// Whether a value is one of these. Nodes without CPUs (CXL, high-bandwidth memory) are no sisters of other nodes.
    pub(super) fn has(self, facts: &Facts<'_>, cell: &ExpectedCell) -> bool {
        let is_device = node(cell, Axis::Target).is_some_and(|target| !facts.has_cpus(target));
        match cell.kind {
            Kind::IdleLatency(Relation::Local) => self == Self::OwnLatency,
            Kind::IdleLatency(_) => self == Self::FarLatency && !is_device,
            Kind::ReadBandwidth(Relation::Local) => self == Self::OwnBandwidth,
            Kind::ReadBandwidth(_) if is_device => self == Self::DeviceBandwidth,
            Kind::ReadBandwidth(_) => self == Self::FarBandwidth,
            _ => false,
        }
    }

    pub(super) fn words(self) -> &'static str {
        match self {
            Self::OwnLatency => "idle latencies of local memory",
            Self::FarLatency => "idle latencies of remote memory",
            Self::OwnBandwidth => "bandwidths of local memory",
            Self::FarBandwidth => "bandwidths of remote memory",
            Self::DeviceBandwidth => "bandwidths of nodes without CPUs",
        }
    }
}

fn node(cell: &ExpectedCell, axis: Axis) -> Option<NodeId> {
    cell.at.number(axis).and_then(|number| u32::try_from(number).ok()).map(NodeId)
}

/// A value beside its expectation, with the arithmetic.
fn shown(cell: &ExpectedCell) -> Evidence {
    let ExpectedCell { experiment, measure, at, value, expected, .. } = cell;
    let sign = if *value < expected.value { '-' } else { '+' };
    Evidence {
        words: format!(
            "{experiment}, {at}: {}; expected: {} to {} ({sign}{} of {}: {})",
            figure(*value, *measure),
            figure(expected.low, *measure),
            figure(expected.high, *measure),
            percent(cell.deviation().abs()),
            figure(expected.value, *measure),
            expected.reason
        ),
        experiment: Some(experiment.clone()),
        at: Some(at.clone()),
        measure: Some(*measure),
        value: Some(*value),
    }
}

/// Values fit fewer parts than were taken for granted: on the whole machine, or on single nodes.
pub(crate) fn fits_fewer(facts: &Facts<'_>, fact: Fact, known: Standpoint) -> PredicateResult {
    let (expectations, is_stated) = usable(facts)?;
    let of_fact: Vec<&Reading> =
        expectations.readings().iter().filter(|reading| reading.fact == fact).collect();
    let Some(first) = of_fact.first() else {
        return Err(format!("values that depend on the number of {}", fact.name()));
    };
    let standpoint = match (first.known, is_stated) {
        (Stated::Known, _) => Standpoint::Known,
        (Stated::Assumed, true) => Standpoint::Usual,
        (Stated::Assumed, false) => Standpoint::Guessed,
    };
    if standpoint != known {
        return Ok(TestOutcome::No);
    }
    let fewer = |reading: &&&Reading| reading.fits_best && !reading.nominal;
    let places: Vec<Match> =
        of_fact.iter().filter(fewer).filter_map(|reading| place(reading, &of_fact)).collect();
    // If all nodes lack the same, the machine does.
    let (whole, of_nodes): (Vec<Match>, Vec<Match>) =
        places.into_iter().partition(|place| place.nodes.is_empty());
    Ok(TestOutcome::of(if whole.is_empty() { of_nodes } else { whole }))
}

/// The finding that values fit this reading better than the one that was taken for granted, if it has fewer parts.
fn place(reading: &Reading, all: &[&Reading]) -> Option<Match> {
    let nominal = all.iter().find(|other| other.nominal && other.node == reading.node)?;
    if reading.value >= nominal.value {
        return None;
    }
    let cells: Vec<(&ReadCell, &ReadCell)> = reading.apart_from(nominal).collect();
    let measure = cells.first()?.0.measure;
    let found = median(cells.iter().map(|(cell, _)| cell.value))?;
    let expected = median(cells.iter().map(|(_, usual)| usual.expected))?;
    let size = Size::new(measure, found, expected);
    let mut names = BTreeMap::from([
        ("value", reading.value.to_string()),
        ("nominal", nominal.value.to_string()),
        ("noun", reading.noun.clone()),
        ("found", figure(found, measure)),
        ("expected", figure(expected, measure)),
        ("loss", percent(size.loss)),
        ("where", reading.node.map_or_else(|| "each node".to_owned(), |node| format!("node {node}"))),
    ]);
    if let Some(node) = reading.node {
        names.insert("node", node.to_string());
    }
    let evidence = cells.iter().take(SHOWN).map(|(cell, usual)| {
        let give = |reading: &Reading, cell: &ReadCell| {
            format!("{} give {}", reading.value, figure(cell.expected, measure))
        };
        Evidence {
            words: format!(
                "{}, {}: {}; {}",
                cell.experiment,
                cell.at,
                figure(cell.value, cell.measure),
                listed(&[give(reading, cell), give(nominal, usual)])
            ),
            experiment: Some(cell.experiment.clone()),
            at: Some(cell.at.clone()),
            measure: Some(cell.measure),
            value: Some(cell.value),
        }
    });
    let inside = cells.iter().filter(|(cell, _)| cell.is_inside()).count();
    let place = Match {
        names,
        size: Some(size),
        error: cells.first().map(|(_, usual)| deviation(usual.low, usual.expected)),
        // Every value may fit, or just more than half of them.
        margin: 2.0 * inside as f64 / cells.len() as f64,
        evidence: evidence.collect(),
        ..Match::default()
    };
    Some(place.about(reading.node))
}
