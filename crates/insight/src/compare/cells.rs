//! The cells of a result that can be compared, by their identity.

use std::collections::{BTreeMap, BTreeSet};

use zerohop_result::{Aspect, Cell, Coordinates, ExperimentName, Measure, ResultFile};

/// A result and its name.
#[derive(Debug, Clone, Copy)]
pub struct Named<'a> {
    /// Its name for readers, unique among the results.
    pub name: &'a str,
    /// The result.
    pub result: &'a ResultFile,
}

/// The identity of a cell.
pub(super) type Key<'a> = (&'a ExperimentName, Measure, &'a Coordinates);

/// The comparable cells of a result.
pub(super) struct Cells<'a> {
    pub(super) name: &'a str,
    pub(super) by_key: BTreeMap<Key<'a>, &'a Cell>,
    /// Those of which no ratio can be formed, for example a bandwidth of zero.
    pub(super) unusable: BTreeSet<Key<'a>>,
}

/// The range of values of which ratios, their logarithms and their means are finite, with a wide margin around anything
/// that a memory can reach.
const USABLE: std::ops::RangeInclusive<f64> = 1e-100..=1e100;

impl<'a> Cells<'a> {
    pub(super) fn of(named: &Named<'a>) -> Self {
        let experiments = named.result.experiments.iter();
        let cells = experiments.flat_map(|one| one.cells.iter().map(|cell| (&one.experiment, cell)));
        let (usable, unusable): (Vec<_>, Vec<_>) = cells
            .filter(|(_, cell)| is_judged(cell))
            .map(|(experiment, cell)| ((experiment, cell.measure, &cell.at), cell))
            .partition(|(_, cell)| is_usable(cell));
        let unusable = unusable.into_iter().map(|(key, _)| key).collect();
        Self { name: named.name, by_key: usable.into_iter().collect(), unusable }
    }
}

fn is_judged(cell: &Cell) -> bool {
    cell.measure.aspect() == Aspect::Outcome && cell.at.is_whole()
}

fn is_usable(cell: &Cell) -> bool {
    let estimate = &cell.estimate;
    estimate.is_sound() && USABLE.contains(&estimate.low) && USABLE.contains(&estimate.high)
}
