//! Agreement between the values of two results under a correspondence of their nodes.

use std::collections::BTreeMap;

use zerohop_machine::NumaNode;
use zerohop_result::{Aspect, Axis, Cell, Coordinates, Estimate, ExperimentName, Measure, ResultFile};

use super::correspondence::{Correspondence, Guide};

/// Threshold for values of the same cell, as a logarithm: values farther apart are not of the same nodes, if others are nearer.
pub(super) const APART: f64 = 0.05;

/// The values of two results that belong to certain nodes, by kind.
pub(super) struct ValueMatching {
    kinds: Vec<[Grid; 2]>,
    /// Number of values that could match.
    pub(super) most: usize,
    /// Whether values that one of both lacks forbid nothing: they have different numbers of them.
    lenient: bool,
    /// Ends by the ranks of nodes.
    ends: [Vec<Vec<Ends>>; 2],
}

/// A kind of value: what is measured, without the nodes.
type Kind = (ExperimentName, Measure, Coordinates);

/// The values of a kind, by the ranks of their nodes; the last is for those that name no initiator or no target.
#[derive(Clone)]
struct Grid {
    width: usize,
    values: Vec<Option<Estimate>>,
}

/// The values of one kind from a node to all others, or to it from them: the ends of what is near them, each in rising order.
struct Ends {
    low: Vec<f64>,
    high: Vec<f64>,
}

/// Agreement of two results under a correspondence of their nodes.
pub(super) struct Spread {
    /// The number of values that both have.
    pub(super) values: usize,
    /// Largest distance between values, as a logarithm. Values whose intervals overlap have no distance.
    pub(super) apart: f64,
}

impl ValueMatching {
    /// Values of results of machines with these nodes.
    pub(super) fn of(files: [&ResultFile; 2], nodes: [&[NumaNode]; 2]) -> Self {
        let width = nodes[0].len().max(nodes[1].len()) + 1;
        let empty = Grid { width, values: vec![None; width * width] };
        let mut kinds: BTreeMap<Kind, [Grid; 2]> = BTreeMap::new();
        let mut counts = [0; 2];
        for (side, file) in files.iter().enumerate() {
            let cells =
                file.experiments.iter().flat_map(|one| one.cells.iter().map(|cell| (&one.experiment, cell)));
            for (name, cell) in cells.filter(|(_, cell)| is_of_nodes(cell)) {
                let rank = |axis| match cell.at.number(axis) {
                    Some(number) => nodes[side].iter().position(|node| u64::from(node.id.0) == number),
                    None => Some(width - 1),
                };
                let (Some(from), Some(to)) = (rank(Axis::Initiator), rank(Axis::Target)) else { continue };
                let mut at = cell.at.clone();
                at.0.retain(|axis, _| !matches!(axis, Axis::Initiator | Axis::Target));
                let of_kind = kinds
                    .entry((name.clone(), cell.measure, at))
                    .or_insert_with(|| [empty.clone(), empty.clone()]);
                counts[side] += usize::from(of_kind[side].values[from * width + to].is_none());
                of_kind[side].values[from * width + to] = Some(cell.estimate);
            }
        }
        let kinds: Vec<[Grid; 2]> = kinds.into_values().collect();
        let ends = [0, 1].map(|side| {
            let of_node = |node| kinds.iter().flat_map(|grids| grids[side].ends(node)).collect();
            (0..nodes[side].len()).map(of_node).collect()
        });
        Self { kinds, most: counts[0].min(counts[1]), lenient: counts[0] != counts[1], ends }
    }

    /// Whether the values at two places are near each other.
    fn is_near(&self, base: (usize, usize), other: (usize, usize)) -> bool {
        self.kinds.iter().all(|[ours, theirs]| match (ours.at(base), theirs.at(other)) {
            (Some(one), Some(another)) => apart(one, another) <= APART,
            (None, None) => true,
            _ => self.lenient,
        })
    }

    /// Agreement of the values under this correspondence.
    pub(super) fn spread(&self, correspondence: &Correspondence) -> Spread {
        let mut spread = Spread { values: 0, apart: 0.0 };
        for [ours, theirs] in &self.kinds {
            let last = ours.width - 1;
            let ranks = || correspondence.iter().copied().enumerate().chain([(last, last)]);
            for (from, other_from) in ranks() {
                for (to, other_to) in ranks() {
                    let (Some(one), Some(another)) = (ours.at((from, to)), theirs.at((other_from, other_to)))
                    else {
                        continue;
                    };
                    let apart = apart(one, another);
                    spread.values += 1;
                    spread.apart = spread.apart.max(apart);
                }
            }
        }
        spread
    }
}

/// Only correspondences under which all values are near.
impl Guide for ValueMatching {
    fn allows(&self, node: usize, partner: usize) -> bool {
        let mut kinds = self.ends[0][node].iter().zip(&self.ends[1][partner]);
        let alone = self.kinds.first().map_or(0, |[ours, _]| ours.width - 1);
        kinds.all(|(ours, theirs)| ours.may_be_near(theirs, self.lenient))
            && self.is_near((node, alone), (partner, alone))
            && self.is_near((alone, node), (alone, partner))
    }

    fn allows_beside(&self, one: (usize, usize), other: (usize, usize)) -> bool {
        self.is_near((one.0, other.0), (one.1, other.1)) && self.is_near((other.0, one.0), (other.1, one.1))
    }
}

impl Grid {
    fn at(&self, (from, to): (usize, usize)) -> Option<Estimate> {
        self.values[from * self.width + to]
    }

    /// Of the values from a node, and of those to it.
    fn ends(&self, node: usize) -> [Ends; 2] {
        let values = |place: &dyn Fn(usize) -> (usize, usize)| {
            let all = (0..self.width).filter_map(|other| self.at(place(other)));
            let (mut low, mut high): (Vec<f64>, Vec<f64>) =
                all.map(|one| (one.low.min(one.median), one.high.max(one.median * libm::exp(APART)))).unzip();
            low.sort_by(f64::total_cmp);
            high.sort_by(f64::total_cmp);
            Ends { low, high }
        };
        [values(&|other| (node, other)), values(&|other| (other, node))]
    }
}

impl Ends {
    /// Whether the values could all be near each other in some order: then the n-th low end of each is at most the n-th high end of the
    /// other.
    fn may_be_near(&self, other: &Self, lenient: bool) -> bool {
        let below = |low: &[f64], high: &[f64]| low.iter().zip(high).all(|(low, high)| low <= high);
        if self.low.len() != other.low.len() {
            return lenient;
        }
        below(&self.low, &other.high) && below(&other.low, &self.high)
    }
}

fn is_of_nodes(cell: &Cell) -> bool {
    let is_numbered = |axis| cell.at.number(axis).is_some();
    let of_cpus = [Axis::Cpu, Axis::From, Axis::To].into_iter().any(is_numbered);
    cell.measure.aspect() == Aspect::Outcome
        && cell.at.is_whole()
        && cell.estimate.is_sound()
        && (is_numbered(Axis::Initiator) || is_numbered(Axis::Target))
        && !of_cpus
}

/// How far two values are apart, as a logarithm; zero if their intervals overlap.
fn apart(one: Estimate, another: Estimate) -> f64 {
    let overlap = one.low <= another.high && another.low <= one.high;
    if overlap { 0.0 } else { libm::log(one.median / another.median).abs() }
}
