//! The cells of results that can be compared, by their identity.

use std::collections::BTreeMap;

use zerohop_result::{Aspect, Cell, Coordinates, ExperimentName, Measure, ResultFile};

use super::difference::Observed;

/// A configuration and its name: the result of a run, and those of its repeats.
#[derive(Debug, Clone, Copy)]
pub struct Named<'a> {
    /// Its name for readers, unique among the configurations.
    pub name: &'a str,
    /// The result.
    pub result: &'a ResultFile,
    /// The results of further runs of the same configuration.
    pub repeats: &'a [ResultFile],
}

/// The identity of a cell.
pub(super) type Key<'a> = (&'a ExperimentName, Measure, &'a Coordinates);

/// The comparable cells of a configuration: those that all of its runs have.
pub(super) struct Cells<'a> {
    pub(super) name: &'a str,
    /// Number of runs.
    pub(super) runs: usize,
    pub(super) by_key: BTreeMap<Key<'a>, Observed<'a>>,
}

impl<'a> Cells<'a> {
    pub(super) fn of(named: &Named<'a>) -> Self {
        let simulated = named.result.origin.as_model().is_some();
        let first = by_key(named.result);
        let repeats: Vec<_> = named.repeats.iter().map(by_key).collect();
        let observed = first.into_iter().filter_map(|(key, cell)| {
            let further: Option<Vec<&Cell>> = repeats.iter().map(|cells| cells.get(&key).copied()).collect();
            let runs = std::iter::once(cell).chain(further?).collect();
            Some((key, Observed { runs, simulated }))
        });
        Self { name: named.name, runs: 1 + repeats.len(), by_key: observed.collect() }
    }
}

fn by_key(file: &ResultFile) -> BTreeMap<Key<'_>, &Cell> {
    let cells =
        file.experiments.iter().flat_map(|one| one.cells.iter().map(move |cell| (&one.experiment, cell)));
    let comparable = cells.filter(|(_, cell)| is_comparable(cell));
    comparable.map(|(experiment, cell)| ((experiment, cell.measure, &cell.at), cell)).collect()
}

fn is_comparable(cell: &Cell) -> bool {
    let judged = cell.measure.aspect() == Aspect::Outcome;
    judged && cell.at.is_whole() && cell.estimate.is_sound() && cell.estimate.low > 0.0
}
