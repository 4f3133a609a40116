//! Applies a query to a result.

use std::collections::BTreeSet;
use std::fmt::Write;

use zerohop_machine::Machine;

use super::{NoValue, Over, Query, Relation, Wanted};
use crate::{Axis, Cell, Coordinates, Measure};

/// A value reduced from cells, with its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Value {
    /// Measure of the value, with its unit.
    pub measure: Measure,
    pub value: f64,
    /// Lower end of its interval.
    pub low: f64,
    /// Upper end of its interval.
    pub high: f64,
}

/// The largest number of coordinates that an error lists.
const NAMED: usize = 6;

impl Query {
    /// Whether it selects this cell.
    pub fn matches(&self, cell: &Cell, machine: &Machine) -> bool {
        self.selects(cell)
            && self.relation.is_none_or(|wanted| Relation::of(&cell.at, machine) == Some(wanted))
    }

    /// Whether it selects this cell, whatever the distance of the memory.
    pub fn selects(&self, cell: &Cell) -> bool {
        cell.measure == self.measure
            && self.is_at(&cell.at)
            && cell.at.0.keys().all(|axis| !axis.is_part() || self.at.contains_key(axis))
    }

    /// Whether it selects a cell at these coordinates, of any measure and at any distance. Parts of a measurement do not count.
    pub fn is_at(&self, at: &Coordinates) -> bool {
        self.at.iter().all(|(axis, wanted)| wanted.admits(at.get(*axis)))
    }

    /// The cells that it selects.
    pub fn cells<'a>(&self, cells: &'a [Cell], machine: &Machine) -> Vec<&'a Cell> {
        cells.iter().filter(|cell| self.matches(cell, machine)).collect()
    }

    /// The value of the selected cells.
    ///
    /// # Errors
    /// When no cell is selected, or several where one is expected.
    pub fn value(&self, cells: &[Cell], machine: &Machine) -> Result<Value, NoValue> {
        let matching = self.cells(cells, machine);
        let meant = match self.over {
            Over::One => self.only(matching)?,
            // Cells that differ only along wildcard axes are parts of one whole.
            Over::Sum if self.at.values().any(|wanted| *wanted == Wanted::Any) => self.only(matching)?,
            Over::Median | Over::Lowest | Over::Highest | Over::Sum | Over::Mean => matching,
        };
        Value::of(&meant, self.over).ok_or_else(|| NoValue::Absent {
            measure: self.measure.words(),
            at: self.places(),
            there: there(
                cells.iter().filter(|cell| cell.measure == self.measure).map(|cell| cell.at.clone()),
            ),
        })
    }

    /// The matching cells with the fewest coordinates. They may differ only along axes with a wildcard.
    fn only<'a>(&self, matching: Vec<&'a Cell>) -> Result<Vec<&'a Cell>, NoValue> {
        let is_any = |axis: &Axis| self.at.get(axis) == Some(&Wanted::Any);
        let rest = |cell: &Cell| {
            let places = cell.at.0.iter().filter(|(axis, _)| !is_any(axis));
            Coordinates(places.map(|(axis, place)| (*axis, place.clone())).collect())
        };
        let fewest = matching.iter().map(|cell| rest(cell).0.len()).min();
        let meant: Vec<&Cell> =
            matching.into_iter().filter(|cell| Some(rest(cell).0.len()) == fewest).collect();
        let distinct: BTreeSet<Coordinates> = meant.iter().map(|cell| rest(cell)).collect();
        if distinct.len() > 1 || (self.over == Over::One && meant.len() > 1) {
            return Err(NoValue::Ambiguous {
                measure: self.measure.words(),
                at: self.places(),
                there: there(meant.iter().map(|cell| cell.at.clone())),
            });
        }
        Ok(meant)
    }

    /// The coordinates that it selects, in words.
    fn places(&self) -> String {
        let at = self.at.iter().map(|(axis, wanted)| match wanted {
            Wanted::Any => format!("any {}", axis.name()),
            wanted => format!("{} {wanted}", axis.name()),
        });
        let relation = self.relation.map(|relation| format!("{} memory", relation.word()));
        let places: Vec<String> = at.chain(relation).collect();
        if places.is_empty() { "any coordinates".to_owned() } else { places.join(", ") }
    }
}

impl Value {
    /// Whether the value and its interval are finite.
    pub const fn is_finite(&self) -> bool {
        self.value.is_finite() && self.low.is_finite() && self.high.is_finite()
    }

    /// Reduces cells of one measure; `None` without cells. The interval is reduced from their intervals: errors are not assumed to
    /// cancel.
    pub fn of(cells: &[&Cell], over: Over) -> Option<Self> {
        let measure = cells.first()?.measure;
        let of = |number: fn(&Cell) -> f64| over.of(cells.iter().map(|cell| number(cell)).collect());
        Some(Self {
            measure,
            value: of(|cell| cell.estimate.median)?,
            low: of(|cell| cell.estimate.low)?,
            high: of(|cell| cell.estimate.high)?,
        })
    }
}

impl Over {
    /// Reduces these values; `None` without values.
    pub fn of(self, mut numbers: Vec<f64>) -> Option<f64> {
        if self != Self::Sum && self != Self::Mean {
            numbers.sort_by(f64::total_cmp);
        }
        let middle = numbers.len() / 2;
        match (self, numbers.as_slice()) {
            (_, []) => None,
            (Self::Lowest | Self::One, [lowest, ..]) => Some(*lowest),
            (Self::Highest, [.., highest]) => Some(*highest),
            (Self::Sum, numbers) => Some(numbers.iter().sum()),
            (Self::Mean, numbers) => {
                let logarithms = numbers.iter().map(|number| libm::log(*number)).sum::<f64>();
                Some(libm::exp(logarithms / numbers.len() as f64))
            }
            (Self::Median, numbers) if numbers.len() % 2 == 1 => Some(numbers[middle]),
            (Self::Median, numbers) => Some(f64::midpoint(numbers[middle - 1], numbers[middle])),
        }
    }
}

fn there(places: impl Iterator<Item = Coordinates>) -> String {
    let places: BTreeSet<Coordinates> = places.collect();
    if places.is_empty() {
        return "there is none at all".to_owned();
    }
    let named: Vec<String> = places.iter().take(NAMED).map(ToString::to_string).collect();
    let mut text = format!("there is {}", named.join("; "));
    if places.len() > NAMED {
        // Writing to a string cannot fail.
        let _ = write!(text, "; and {} more", places.len() - NAMED);
    }
    text
}
