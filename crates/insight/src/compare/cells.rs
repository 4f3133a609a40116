//! The cells of a result that can be compared, by their identity.

use std::collections::BTreeMap;

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
}

impl<'a> Cells<'a> {
    pub(super) fn of(named: &Named<'a>) -> Self {
        let experiments = named.result.experiments.iter();
        let cells = experiments.flat_map(|one| one.cells.iter().map(|cell| (&one.experiment, cell)));
        let by_key = cells
            .filter(|(_, cell)| is_comparable(cell))
            .map(|(experiment, cell)| ((experiment, cell.measure, &cell.at), cell));
        Self { name: named.name, by_key: by_key.collect() }
    }
}

fn is_comparable(cell: &Cell) -> bool {
    let judged = cell.measure.aspect() == Aspect::Outcome;
    judged && cell.at.is_whole() && cell.estimate.is_sound() && cell.estimate.low > 0.0
}
