//! Where in a result a published number is to be looked for.

use std::collections::BTreeSet;
use std::fmt::Write;

use zerohop_result::{Axis, Cell, Coordinates, ExperimentResult, Measure};

use crate::Amount;

/// A number of a run: the cell of this measure whose coordinates are these. Coordinates that all cells of the run share
/// need not be named: of several cells that match, the one with the fewest coordinates is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// What the study calls it.
    pub name: String,
    /// Rank of the run in [`Study::runs`](crate::Study::runs).
    pub run: usize,
    /// What it measures.
    pub measure: Measure,
    /// Coordinates that the cell has.
    pub at: Coordinates,
    /// Cells that differ along this axis are added up.
    pub sum: Option<Axis>,
    /// Whether it is the geometric mean of all cells that match, instead of one of them.
    pub mean: bool,
}

/// Why a run has no such number.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlaceError {
    /// No cell matches.
    #[error("it has no {measure} at {at} ({there})")]
    Absent {
        /// The measure in words.
        measure: &'static str,
        /// The coordinates that were looked for.
        at: String,
        /// What there is instead.
        there: String,
    },
    /// Several cells match.
    #[error("it has more than one {measure} at {at}: {there}")]
    Ambiguous {
        /// The measure in words.
        measure: &'static str,
        /// The coordinates that were looked for.
        at: String,
        /// Where the cells stand that match.
        there: String,
    },
}

/// Cells that an error names at most.
const NAMED: usize = 6;

impl Place {
    /// The number that a result has here.
    ///
    /// # Errors
    /// When no cell matches, or more than one.
    pub fn look_up(&self, result: &ExperimentResult) -> Result<Amount, PlaceError> {
        let of_measure = || result.cells.iter().filter(|cell| cell.measure == self.measure);
        let matching: Vec<(Coordinates, &Cell)> = of_measure()
            .filter(|cell| self.at.0.iter().all(|(axis, place)| cell.at.get(*axis) == Some(place)))
            .filter(|cell| self.sum.is_none_or(|axis| cell.at.get(axis).is_some()))
            .map(|cell| (self.without_sum(&cell.at), cell))
            .collect();
        let Some(fewest) = matching.iter().map(|(at, _)| at.0.len()).min() else {
            return Err(PlaceError::Absent {
                measure: self.measure.words(),
                at: words(&self.at),
                there: there(of_measure().map(|cell| cell.at.clone())),
            });
        };
        if self.mean {
            let logarithms = matching.iter().map(|(_, cell)| cell.estimate.median.ln()).sum::<f64>();
            return Ok(Amount::of(self.measure, (logarithms / matching.len() as f64).exp()));
        }
        let meant: Vec<&(Coordinates, &Cell)> =
            matching.iter().filter(|(at, _)| at.0.len() == fewest).collect();
        let distinct: BTreeSet<&Coordinates> = meant.iter().map(|(at, _)| at).collect();
        if distinct.len() > 1 || (self.sum.is_none() && meant.len() > 1) {
            return Err(PlaceError::Ambiguous {
                measure: self.measure.words(),
                at: words(&self.at),
                there: there(meant.iter().map(|(_, cell)| cell.at.clone())),
            });
        }
        let total = meant.iter().map(|(_, cell)| cell.estimate.median).sum();
        Ok(Amount::of(self.measure, total))
    }

    fn without_sum(&self, at: &Coordinates) -> Coordinates {
        let mut rest = at.clone();
        if let Some(axis) = self.sum {
            rest.0.remove(&axis);
        }
        rest
    }
}

/// `case 0.0.w.0 1.0.w.1, link 0-1: 0 → 1`.
fn words(at: &Coordinates) -> String {
    let places: Vec<String> = at.0.iter().map(|(axis, place)| format!("{} {place}", axis.name())).collect();
    if places.is_empty() { "any coordinates".to_owned() } else { places.join(", ") }
}

fn there(places: impl Iterator<Item = Coordinates>) -> String {
    let places: BTreeSet<Coordinates> = places.collect();
    if places.is_empty() {
        return "there is none at all".to_owned();
    }
    let named: Vec<String> = places.iter().take(NAMED).map(words).collect();
    let mut text = format!("there is {}", named.join("; "));
    if places.len() > NAMED {
        // Writing to a string cannot fail.
        let _ = write!(text, "; and {} more", places.len() - NAMED);
    }
    text
}
