//! The cells of an experiment, each of them unique.

use std::collections::HashSet;
use std::ops::Deref;

use schemars::JsonSchema;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

use crate::{Cell, Coordinates, Measure};

/// List of cells. No two have the same measure and coordinates.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct Cells(Vec<Cell>);

/// Two cells have the same measure and the same coordinates.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("two cells contain the {measure} at {at}")]
pub struct SameCell {
    pub measure: Measure,
    pub at: Coordinates,
}

impl Cells {
    /// A collection of these cells.
    ///
    /// # Errors
    /// When two of them have the same measure and the same coordinates.
    pub fn new(cells: Vec<Cell>) -> Result<Self, SameCell> {
        let mut known: HashSet<(Measure, &Coordinates)> = HashSet::with_capacity(cells.len());
        for cell in &cells {
            if !known.insert((cell.measure, &cell.at)) {
                return Err(SameCell { measure: cell.measure, at: cell.at.clone() });
            }
        }
        drop(known);
        Ok(Self(cells))
    }

    /// Changes the cells.
    ///
    /// # Errors
    /// When two of them are the same afterwards. The collection is then empty.
    pub fn change(&mut self, change: impl FnOnce(&mut Vec<Cell>)) -> Result<(), SameCell> {
        let mut cells = std::mem::take(&mut self.0);
        change(&mut cells);
        *self = Self::new(cells)?;
        Ok(())
    }
}

impl TryFrom<Vec<Cell>> for Cells {
    type Error = SameCell;

    fn try_from(cells: Vec<Cell>) -> Result<Self, SameCell> {
        Self::new(cells)
    }
}

impl Deref for Cells {
    type Target = [Cell];

    fn deref(&self) -> &[Cell] {
        &self.0
    }
}

impl<'a> IntoIterator for &'a Cells {
    type Item = &'a Cell;
    type IntoIter = std::slice::Iter<'a, Cell>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl<'de> Deserialize<'de> for Cells {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::new(Vec::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}
