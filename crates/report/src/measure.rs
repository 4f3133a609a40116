//! Measures as pages show them: shares and ratios in percent.

use zerohop_result::{Cell, Estimate, Measure};

/// Whether it is a share or a ratio, which pages show in percent. Files keep the bare number.
const fn is_ratio(measure: Measure) -> bool {
    matches!(measure, Measure::RelativeTime | Measure::RelativeBandwidth | Measure::Utilization)
}

/// The unit in which pages show it; empty for a bare number.
pub(crate) const fn shown_unit(measure: Measure) -> &'static str {
    if is_ratio(measure) { "%" } else { measure.unit() }
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

/// A cell's numbers in the unit in which pages show them.
pub(crate) fn shown(cell: &Cell) -> Estimate {
    let estimate = cell.estimate;
    if !is_ratio(cell.measure) {
        return estimate;
    }
    let percent = |share: f64| share * 100.0;
    Estimate {
        median: percent(estimate.median),
        low: percent(estimate.low),
        high: percent(estimate.high),
        min: percent(estimate.min),
        max: percent(estimate.max),
        mean: percent(estimate.mean),
        standard_deviation: percent(estimate.standard_deviation),
    }
}
