//! Expectations from the comparable cells of the same result.

use std::collections::BTreeMap;

use zerohop_machine::NodeId;
use zerohop_result::{Cell, ExperimentResult, ResultFile};
use zerohop_units::counted;

use super::expected::{Basis, Expectation};
use crate::deviation::{Likeness, WORTH_A_LOOK, likeness, pair};

/// The comparable cells of an experiment.
pub(super) struct Sisters<'a>(BTreeMap<Likeness, Vec<(NodeId, NodeId, &'a Cell)>>);

impl<'a> Sisters<'a> {
    /// Those of an experiment. Doubtful cells show nothing about others.
    pub(super) fn of(file: &ResultFile, experiment: &'a ExperimentResult) -> Self {
        let mut alike: BTreeMap<Likeness, Vec<_>> = BTreeMap::new();
        for cell in experiment.cells.iter().filter(|cell| !cell.is_doubtful()) {
            let Some((initiator, target)) = pair(cell) else { continue };
            let kind = likeness(&file.machine, cell, initiator, target);
            alike.entry(kind).or_default().push((initiator, target, cell));
        }
        Self(alike)
    }

    /// What the others of its likeness let expect of a cell; `None` if it has none.
    pub(super) fn expect(&self, file: &ResultFile, cell: &Cell) -> Option<Expectation> {
        let (initiator, target) = pair(cell)?;
        let alike = self.0.get(&likeness(&file.machine, cell, initiator, target))?;
        let mut others: Vec<&Cell> =
            alike.iter().map(|(.., other)| *other).filter(|other| other.at != cell.at).collect();
        others.sort_by(|one, other| one.estimate.median.total_cmp(&other.estimate.median));
        let (first, last) = (others.first()?.estimate, others.last()?.estimate);
        let value = others[others.len() / 2].estimate.median;
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
