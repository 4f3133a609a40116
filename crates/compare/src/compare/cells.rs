//! The cells of results that can be compared, by their identity.

use std::collections::{BTreeMap, BTreeSet};

use zerohop_result::{Aspect, Cell, Coordinates, ExperimentName, Measure, ResultFile};

use super::configuration::Configuration;
use super::curves::{Curves, ReadOff};
use super::repeated_cell::Observed;

/// The identity of a cell.
pub(super) type Key<'a> = (&'a ExperimentName, Measure, &'a Coordinates);

/// The comparable cells of a configuration, which all of its runs have.
pub(super) struct Cells<'a> {
    pub(super) name: &'a str,
    pub(super) runs: usize,
    pub(super) by_key: BTreeMap<Key<'a>, Observed<'a>>,
    /// Cells without a ratio, for example a bandwidth of zero.
    pub(super) unusable: BTreeSet<Key<'a>>,
}

/// The range of values of which ratios, their logarithms and their means are finite, with a wide margin around anything
/// that a memory can reach.
const USABLE: std::ops::RangeInclusive<f64> = 1e-100..=1e100;

impl<'a> Cells<'a> {
    /// Cells of a configuration, and values read off the `curves` of each of its runs.
    pub(super) fn of(
        configuration: &Configuration<'a>,
        curves: &Curves,
        read_off: &'a [Vec<ReadOff<'a>>],
    ) -> Self {
        let simulated = configuration.result.origin.as_model().is_some();
        let runs = configuration.runs().zip(read_off).map(|(file, read_off)| {
            let mut cells = judged(file);
            cells.retain(|(experiment, _, at), _| !curves.replace(experiment, at));
            cells.extend(
                read_off.iter().map(|(experiment, cell)| ((*experiment, cell.measure, &cell.at), cell)),
            );
            cells
        });
        let runs: Vec<_> = runs.collect();
        let unusable: BTreeSet<Key<'a>> = runs
            .iter()
            .flat_map(|run| run.iter().filter(|(_, cell)| !is_usable(cell)).map(|(key, _)| *key))
            .collect();
        let of_first = runs[0].keys().filter(|key| !unusable.contains(key));
        let observed = of_first.filter_map(|key| {
            let runs: Option<Vec<&Cell>> = runs.iter().map(|cells| cells.get(key).copied()).collect();
            Some((*key, Observed { runs: runs?, simulated }))
        });
        let by_key = observed.collect();
        Self { name: configuration.name, runs: runs.len(), by_key, unusable }
    }
}

/// The cells whose values are better or worse.
fn judged(file: &ResultFile) -> BTreeMap<Key<'_>, &Cell> {
    let cells =
        file.experiments.iter().flat_map(|one| one.cells.iter().map(move |cell| (&one.experiment, cell)));
    let judged = cells.filter(|(_, cell)| cell.measure.aspect() == Aspect::Outcome && cell.at.is_whole());
    judged.map(|(experiment, cell)| ((experiment, cell.measure, &cell.at), cell)).collect()
}

fn is_usable(cell: &Cell) -> bool {
    let estimate = &cell.estimate;
    estimate.is_sound() && USABLE.contains(&estimate.low) && USABLE.contains(&estimate.high)
}
