//! Expectations from the comparable cells of the same result.

use std::collections::{BTreeMap, BTreeSet};

use zerohop_machine::NodeId;
use zerohop_result::{Cell, Estimate, ExperimentResult};
use zerohop_units::counted;

use super::expectations::{Basis, Expectation};
use crate::comparable_pairs::ComparablePairs;
use crate::deviation::{CellKind, CellKinds, WORTH_A_LOOK};

/// The comparable cells of an experiment.
pub(super) struct ComparableCells<'a> {
    kinds: CellKinds,
    cells: BTreeMap<CellKind, Alike<'a>>,
}

/// Cells that are comparable with each other.
#[derive(Default)]
struct Alike<'a> {
    sorted: Vec<(Pair, &'a Cell)>,
    /// Ranks of the cells of each pair, ascending.
    ranks: BTreeMap<Pair, Vec<usize>>,
}

/// An initiator and a target.
type Pair = (NodeId, NodeId);

impl<'a> ComparableCells<'a> {
    /// Comparable cells of an experiment. Doubtful cells show nothing about others.
    pub(super) fn of(experiment: &'a ExperimentResult, pairs: &ComparablePairs<'_>) -> Self {
        let kinds = CellKinds::of(experiment, pairs);
        let mut cells: BTreeMap<CellKind, Alike<'_>> = BTreeMap::new();
        for cell in experiment.cells.iter().filter(|cell| !cell.is_doubtful()) {
            let Some((pair, kind)) = kinds.of_cell(cell) else { continue };
            cells.entry(kind).or_default().sorted.push((pair, cell));
        }
        for alike in cells.values_mut() {
            alike
                .sorted
                .sort_by(|(_, one), (_, other)| one.estimate.median.total_cmp(&other.estimate.median));
            for (rank, (pair, _)) in alike.sorted.iter().enumerate() {
                alike.ranks.entry(*pair).or_default().push(rank);
            }
        }
        Self { kinds, cells }
    }

    /// Expectation for a cell from the others of its kind; `None` if there are none.
    pub(super) fn expect(&self, cell: &Cell) -> Option<Expectation> {
        let (pair, kind) = self.kinds.of_cell(cell)?;
        let alike = self.cells.get(&kind)?;
        // A slow link is slow in both directions: neither shows what the other should be, unless there is nothing else.
        let both = alike.ranks_of([pair, (pair.1, pair.0)]);
        let own = if both.len() < alike.sorted.len() { both } else { alike.ranks_of([pair, pair]) };
        let others = Others { all: &alike.sorted, own: &own };
        let (first, last) = (others.at(0)?, others.at(others.len().checked_sub(1)?)?);
        let value = others.at(others.len() / 2)?.median;
        let unit = cell.measure.unit();
        let count = counted(others.len(), "comparable pair");
        let reason = if others.len() == 1 {
            format!("the other comparable pair has {value:.1} {unit}")
        } else {
            format!("{count}: {:.1} to {:.1} {unit}", first.median, last.median)
        };
        Some(Expectation {
            value,
            low: first.low * (1.0 - WORTH_A_LOOK),
            high: last.high * (1.0 + WORTH_A_LOOK),
            basis: Basis::Sisters,
            reason,
            validated: true,
        })
    }
}

impl Alike<'_> {
    /// Where the cells of these pairs are, in rising order.
    fn ranks_of(&self, pairs: [Pair; 2]) -> Vec<usize> {
        let ranks = pairs.iter().filter_map(|pair| self.ranks.get(pair)).flatten();
        ranks.copied().collect::<BTreeSet<usize>>().into_iter().collect()
    }
}

/// Comparable cells without those of one pair. Machines of many nodes have so many that they are not copied for each.
struct Others<'b, 'a> {
    all: &'b [(Pair, &'a Cell)],
    own: &'b [usize],
}

impl Others<'_, '_> {
    fn len(&self) -> usize {
        self.all.len() - self.own.len()
    }

    /// The value of that rank among the others.
    fn at(&self, rank: usize) -> Option<Estimate> {
        let among_all = self.own.iter().fold(rank, |rank, own| rank + usize::from(*own <= rank));
        self.all.get(among_all).map(|(_, cell)| cell.estimate)
    }
}
