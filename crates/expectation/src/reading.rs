//! Readings: possible values of a fact that cannot be seen, and their fit to the result.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zerohop_machine::{Machine, NodeId};
use zerohop_result::{Axis, Cell, Coordinates, ExperimentName, Measure, Relation, ResultFile};

use super::curve::Curves;
use super::errors_by_kind::ErrorsByKind;
use super::kind::Kind;
use super::machine_knowledge::{Fact, Known, Stated};
use super::model_prediction::{Model, predicted};

/// A possible value of a fact, and its fit to the result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reading {
    /// The fact.
    pub fact: Fact,
    /// Whether the fact is known or assumed. If it is known, a better fit of another value means a fault.
    pub known: Stated,
    /// The possible value.
    pub value: u32,
    /// Largest value on such a machine.
    pub of: u32,
    /// Name of the counted parts (`UPI links`).
    pub noun: String,
    /// Node that the reading applies to; absent for the whole machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<NodeId>,
    /// Whether this is the value that was stated, seen or assumed.
    pub nominal: bool,
    /// Whether this value fits best and predicts most cells correctly.
    pub fits_best: bool,
    /// Cells that depend on the fact, as predicted with this value. All values of a fact have the same cells, in the same order.
    pub cells: Vec<ReadCell>,
    /// Number of these cells that are as predicted.
    pub inside: usize,
    /// Median distance between measured and predicted values, as the logarithm of a ratio.
    pub distance: f64,
}

/// Prediction for a cell under a reading, in the unit of its measure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReadCell {
    /// The experiment.
    pub experiment: ExperimentName,
    /// The measure.
    pub measure: Measure,
    /// The coordinates.
    pub at: Coordinates,
    /// The value in the result.
    pub value: f64,
    /// Predicted value.
    pub expected: f64,
    /// Lower end of the prediction's interval.
    pub low: f64,
    /// Upper end of the prediction's interval.
    pub high: f64,
}

/// A fact decides on a cell that it changes by more than this share.
const DECIDES: f64 = 0.03;

/// The readings of all facts.
pub(super) fn readings(
    file: &ResultFile,
    known: &Known<'_>,
    machine: &Machine,
    errors: &ErrorsByKind,
) -> Vec<Reading> {
    let mut all = Vec::new();
    for fact in Fact::ALL {
        let whole = of_fact(file, known, machine, errors, fact);
        if whole.is_empty() {
            continue;
        }
        let best = whole.iter().find(|reading| reading.fits_best).map(|reading| reading.value);
        let nodes = nodes(&whole);
        if fact == Fact::Channels && nodes.len() > 1 {
            let mut by_node: Vec<_> = whole.iter().map(|reading| (reading, by_node(reading))).collect();
            for node in nodes {
                let of_node = |(reading, cells): &mut (&Reading, BTreeMap<NodeId, Vec<ReadCell>>)| Reading {
                    node: Some(node),
                    cells: cells.remove(&node).unwrap_or_default(),
                    ..reading.without_cells()
                };
                let own = choose(by_node.iter_mut().map(of_node).collect());
                let differs = own.iter().any(|reading| reading.fits_best && Some(reading.value) != best);
                if differs {
                    all.extend(own);
                }
            }
        }
        all.extend(whole);
    }
    all
}

/// The readings of a fact for the whole machine.
fn of_fact(
    file: &ResultFile,
    known: &Known<'_>,
    machine: &Machine,
    errors: &ErrorsByKind,
    fact: Fact,
) -> Vec<Reading> {
    let others: Vec<_> = known.alternatives.iter().filter(|other| other.fact == fact).collect();
    let Some(first) = others.first() else { return Vec::new() };
    let reading = |value: u32| Reading {
        fact,
        known: first.known,
        value,
        of: first.most,
        noun: first.noun.clone(),
        node: None,
        nominal: value == first.nominal,
        fits_best: false,
        cells: Vec::new(),
        inside: 0,
        distance: f64::INFINITY,
    };
    let models: Vec<Model<'_>> = others.iter().map(|other| Model::new(&other.results)).collect();
    let taken = Model::new(known.results);
    let mut readings: Vec<Reading> = vec![reading(first.nominal)];
    readings.extend(others.iter().map(|other| reading(other.value)));
    for experiment in &file.experiments {
        let measured = (&experiment.experiment, &Curves::new(experiment));
        for cell in experiment.cells.iter().filter(|cell| !cell.is_doubtful()) {
            // Values whose predictions do not hold for this generation fit no number of parts.
            let decides = |kind: &Kind| concerns(fact, *kind) && errors.hold(*kind);
            let Some(kind) = Kind::of(cell, machine).filter(decides) else { continue };
            let of = |model: &Model<'_>| {
                predicted(file, measured, cell, kind, model).ok().map(|found| found.value)
            };
            let Some(nominal) = of(&taken) else { continue };
            let values: Option<Vec<f64>> = models.iter().map(of).collect();
            let Some(values) = values else { continue };
            if values.iter().all(|value| (value / nominal - 1.0).abs() <= DECIDES) {
                continue;
            }
            for (reading, expected) in readings.iter_mut().zip(std::iter::once(nominal).chain(values)) {
                let (low, high, _) = errors.interval(kind, expected);
                reading.cells.push(ReadCell {
                    experiment: experiment.experiment.clone(),
                    measure: cell.measure,
                    at: cell.at.clone(),
                    value: cell.estimate.median,
                    expected,
                    low,
                    high,
                });
            }
        }
    }
    readings.sort_by_key(|reading| reading.value);
    if readings[0].cells.is_empty() { Vec::new() } else { choose(readings) }
}

impl Fact {
    /// Whether a cell may show the value of this fact: then readings need it from the model with each value.
    pub fn decides_on(self, cell: &Cell, machine: &Machine) -> bool {
        Kind::of(cell, machine).is_some_and(|kind| concerns(self, kind))
    }
}

/// The kinds of cell that a fact decides on.
const fn concerns(fact: Fact, kind: Kind) -> bool {
    match fact {
        Fact::Links => matches!(kind, Kind::ReadBandwidth(Relation::Remote)),
        Fact::Channels => matches!(kind, Kind::ReadBandwidth(Relation::Local) | Kind::Mixes),
    }
}

/// The cells of a reading that only use a node's own memory, by that node.
fn by_node(reading: &Reading) -> BTreeMap<NodeId, Vec<ReadCell>> {
    let mut cells: BTreeMap<NodeId, Vec<ReadCell>> = BTreeMap::new();
    for cell in &reading.cells {
        if let Some(node) = memory_of(&cell.at) {
            cells.entry(node).or_default().push(cell.clone());
        }
    }
    cells
}

/// The node of a cell that is only about that node's memory.
fn memory_of(at: &Coordinates) -> Option<NodeId> {
    let number = at
        .number(Axis::Target)
        .or_else(|| at.is(Axis::Target, "local").then(|| at.number(Axis::Initiator)).flatten())?;
    u32::try_from(number).ok().map(NodeId)
}

fn nodes(readings: &[Reading]) -> Vec<NodeId> {
    let cells = readings.first().map_or(&[][..], |reading| &reading.cells);
    let mut nodes: Vec<NodeId> = cells.iter().filter_map(|cell| memory_of(&cell.at)).collect();
    nodes.sort_unstable();
    nodes.dedup();
    nodes
}

/// The same readings, knowing which fits best: what was taken for granted, unless another value predicts most cells, those on which the two
/// differ among them, and more than half of these are beyond what was taken for granted.
fn choose(mut readings: Vec<Reading>) -> Vec<Reading> {
    for reading in &mut readings {
        reading.inside = reading.cells.iter().filter(|cell| cell.is_inside()).count();
        let mut distances: Vec<f64> = reading.cells.iter().map(ReadCell::distance).collect();
        distances.sort_by(f64::total_cmp);
        reading.distance = distances.get(distances.len() / 2).copied().unwrap_or(f64::INFINITY);
        reading.fits_best = false;
    }
    if let Some(best) = best(&readings) {
        readings[best].fits_best = true;
    }
    readings
}

fn best(readings: &[Reading]) -> Option<usize> {
    let nominal = readings.iter().position(|reading| reading.nominal)?;
    let taken = &readings[nominal];
    let is_better = |reading: &Reading| {
        let (own, of_taken): (Vec<_>, Vec<_>) = reading.apart_from(taken).unzip();
        let is_refuted = reading.value < taken.value && is_exceeded(reading, taken);
        !is_refuted
            && mostly_inside(&reading.cells)
            && mostly_inside(own)
            && 2 * inside(of_taken.clone()) < of_taken.len()
    };
    let off = |reading: &Reading| reading.cells.iter().map(ReadCell::distance).sum::<f64>();
    let better = readings.iter().enumerate().filter(|(_, reading)| is_better(reading));
    let nearest = better.min_by(|one, other| off(one.1).total_cmp(&off(other.1))).map(|(rank, _)| rank);
    let holds = 2 * taken.inside >= taken.cells.len();
    nearest.or(holds.then_some(nominal))
}

/// Whether a value is what was taken for granted predicts, and more than fewer parts allow: then no part is missing, whatever slows the
/// other values down.
fn is_exceeded(fewer: &Reading, taken: &Reading) -> bool {
    fewer.apart_from(taken).any(|(own, of_taken)| own.value > own.high && of_taken.is_inside())
}

fn inside<'a>(cells: impl IntoIterator<Item = &'a ReadCell>) -> usize {
    cells.into_iter().filter(|cell| cell.is_inside()).count()
}

/// Whether more than half of them are as predicted.
fn mostly_inside<'a>(cells: impl IntoIterator<Item = &'a ReadCell>) -> bool {
    let cells: Vec<&ReadCell> = cells.into_iter().collect();
    2 * inside(cells.iter().copied()) > cells.len()
}

impl Reading {
    fn without_cells(&self) -> Self {
        let Self { fact, known, value, of, ref noun, node, nominal, fits_best, inside, distance, cells: _ } =
            *self;
        let noun = noun.clone();
        Self { fact, known, value, of, noun, node, nominal, fits_best, cells: Vec::new(), inside, distance }
    }

    /// The ranks of the cells that distinguish this value from another one: nodes that are parts of a package do not notice that one of its links is
    /// down, until all of them use the links at once. If the other value predicts some cells outside this one's interval, these are the cells: cells
    /// that hardly differ would outvote them.
    pub fn ranks_apart_from<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = usize> + 'a {
        let differ = move |rank: &usize| {
            (self.cells[*rank].expected / other.cells[*rank].expected - 1.0).abs() > DECIDES
        };
        let is_clear = |rank: &usize| !self.cells[*rank].allows(other.cells[*rank].expected);
        let all: Vec<usize> = (0..self.cells.len().min(other.cells.len())).filter(differ).collect();
        let clear: Vec<usize> = all.iter().copied().filter(is_clear).collect();
        if clear.is_empty() { all } else { clear }.into_iter()
    }

    /// The cells that distinguish this value from another one, as both predict them.
    pub fn apart_from<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = (&'a ReadCell, &'a ReadCell)> {
        self.ranks_apart_from(other).map(|rank| (&self.cells[rank], &other.cells[rank]))
    }
}

impl ReadCell {
    /// Whether the measured value is within the interval.
    pub fn is_inside(&self) -> bool {
        self.allows(self.value)
    }

    /// Whether a value is within the interval.
    fn allows(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }

    fn distance(&self) -> f64 {
        libm::log(self.value / self.expected).abs()
    }
}

/// `fits 2 of 3 UPI links`, `node 1 fits 5 of 6 memory channels`.
impl fmt::Display for Reading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(node) = self.node {
            write!(f, "node {node} ")?;
        }
        write!(f, "fits {} of {} {}", self.value, self.of, self.noun)
    }
}
