//! Where in a result a published number is to be looked for.

use zerohop_machine::Machine;
use zerohop_result::{ExperimentResult, NoValue, Query};

use crate::Amount;

/// A number of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// What the study calls it.
    pub name: String,
    /// Rank of the run in [`Study::runs`](crate::Study::runs).
    pub run: usize,
    /// Which cells of the run's result are meant.
    pub query: Query,
}

impl Place {
    /// The number that a result on `machine` has here.
    ///
    /// # Errors
    /// When no cell is meant, or more than one.
    pub fn look_up(&self, result: &ExperimentResult, machine: &Machine) -> Result<Amount, NoValue> {
        let value = self.query.value(&result.cells, machine)?;
        Ok(Amount::of(value.measure, value.value))
    }
}
