//! Darkness of a value among others: by its place between them, or by its distance from a reference.

use std::collections::BTreeMap;

use zerohop_result::{Cell, Measure};

use crate::measure::shown_unit;
use crate::sheet::Sheet;
use crate::svg::palette::{Colour, Ramp};

/// Shades by unit: percents and nanoseconds are not comparable.
pub(super) struct Shades(BTreeMap<&'static str, Shade>);

/// Darkness of cells of one unit: by the position between the minimum and the maximum, on a logarithmic scale if these are far apart.
pub(crate) struct Shade {
    ramp: Ramp,
    low: f64,
    high: f64,
    logarithmic: bool,
}

impl Shades {
    /// Shades of all cells of a sheet.
    pub(super) fn over(sheet: &Sheet<'_>) -> Self {
        let mut units: BTreeMap<&'static str, Vec<&Cell>> = BTreeMap::new();
        for (_, _, cell) in sheet.cells() {
            units.entry(shown_unit(cell.measure)).or_default().push(cell);
        }
        Self(units.into_iter().map(|(unit, cells)| (unit, Shade::over(&cells))).collect())
    }

    /// Shade of the cells, if they share a unit.
    pub(super) fn only(&self) -> Option<&Shade> {
        self.0.values().next().filter(|_| self.0.len() == 1)
    }

    /// The color of one of them.
    pub(super) fn colour(&self, cell: &Cell) -> Colour {
        self.0.get(shown_unit(cell.measure)).map_or(Ramp::Grey.at(0.0), |shade| shade.colour(cell))
    }
}

impl Shade {
    /// Between the least and the largest of these.
    pub(crate) fn over(cells: &[&Cell]) -> Self {
        let values = || cells.iter().map(|cell| cell.estimate.median).filter(|value| value.is_finite());
        let low = values().fold(f64::INFINITY, f64::min);
        let high = values().fold(f64::NEG_INFINITY, f64::max);
        let latency = cells.iter().any(|cell| cell.measure == Measure::Latency);
        let ramp = if latency { Ramp::Warm } else { Ramp::Cool };
        Self { ramp, low, high, logarithmic: low > 0.0 && high / low > 3.0 }
    }

    fn colour(&self, cell: &Cell) -> Colour {
        self.ramp.at(self.share(cell))
    }

    /// The least value and the largest.
    pub(crate) const fn ends(&self) -> [f64; 2] {
        [self.low, self.high]
    }

    pub(crate) const fn ramp(&self) -> Ramp {
        self.ramp
    }

    /// Position of a cell along its ramp, from 0 to 1.
    pub(crate) fn share(&self, cell: &Cell) -> f64 {
        let value = cell.estimate.median;
        let share = if self.logarithmic {
            libm::log(value / self.low) / libm::log(self.high / self.low)
        } else {
            (value - self.low) / (self.high - self.low)
        };
        // Differences of a few percent must not look like night and day.
        let spread =
            if self.logarithmic { 1.0 } else { ((self.high - self.low) / self.high.abs() / 0.3).min(1.0) };
        0.12 + 0.76 * share * spread
    }
}

/// A ratio of which nobody could see that it is not 1.
const UNSEEN: f64 = 0.005;

/// Color of a ratio, where above 1 is better: blue for better, brown for worse, darker with distance; none for the same. Twice and half as good are
/// the ends.
pub(crate) fn divergence(ratio: f64) -> Option<(Ramp, f64)> {
    let far = libm::log2(ratio);
    if !far.is_finite() || (ratio - 1.0).abs() < UNSEEN {
        return None;
    }
    let ramp = if far > 0.0 { Ramp::Cool } else { Ramp::Warm };
    Some((ramp, 0.2 + 0.68 * far.abs().min(1.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_farther_from_one_the_darker_and_each_way_has_its_own_colours() {
        let of = |ratio| divergence(ratio);
        assert_eq!([of(1.0), of(1.004), of(0.996), of(0.0), of(f64::NAN)], [None; 5]);
        let (better, worse) = (of(1.2).unwrap(), of(1.0 / 1.2).unwrap());
        assert_eq!((better.0, worse.0), (Ramp::Cool, Ramp::Warm));
        assert!((better.1 - worse.1).abs() < 1e-9 && of(1.5).unwrap().1 > better.1);
        assert_eq!(of(2.0), of(40.0));
    }
}
