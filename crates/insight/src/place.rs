//! Locates a published value in a result.

use zerohop_machine::Machine;
use zerohop_result::{ExperimentResult, NoValue, Query};

use crate::Amount;

/// A value of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Its name in the study.
    pub name: String,
    /// Rank of the run in [`Study::runs`](crate::Study::runs).
    pub run: usize,
    /// Selects cells of the run's result.
    pub query: Query,
}

impl Place {
    /// The value that a result on `machine` has here.
    ///
    /// # Errors
    /// When the query selects no cell, or more than one.
    pub(crate) fn look_up(&self, result: &ExperimentResult, machine: &Machine) -> Result<Amount, NoValue> {
        let value = self.query.value(&result.cells, machine)?;
        Ok(Amount::of(value.measure, value.value))
    }
}
