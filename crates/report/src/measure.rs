//! Measures as pages show them: shares and ratios in percent.

use zerohop_result::{Cell, Estimate, Measure};

/// The unit in which pages show a measure; empty for a dimensionless value.
pub(crate) const fn shown_unit(measure: Measure) -> &'static str {
    measure.dimension().shown_unit()
}

/// A measure and its unit, as a column's head.
pub(crate) fn head(measure: Measure) -> String {
    with_unit(measure.words(), measure)
}

/// Words, and the unit of a measure.
pub(crate) fn with_unit(words: &str, measure: Measure) -> String {
    match shown_unit(measure) {
        "" => words.to_owned(),
        unit => format!("{words} ({unit})"),
    }
}

/// A cell's estimate in the unit in which pages show it.
pub(crate) fn shown(cell: &Cell) -> Estimate {
    let estimate = cell.estimate;
    let shown = |value: f64| cell.measure.dimension().shown(value);
    Estimate {
        median: shown(estimate.median),
        low: shown(estimate.low),
        high: shown(estimate.high),
        min: shown(estimate.min),
        max: shown(estimate.max),
        mean: shown(estimate.mean),
        standard_deviation: shown(estimate.standard_deviation),
    }
}
